"""Price rows say a least quantity a request, and a bound on the output; models have dated limits and known gaps."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "2026_12_01_price_rules"
down_revision = "2026_12_01_source_lineage"
branch_labels = None
depends_on = None

NUMBER = sa.Text().with_variant(sa.Numeric(), "postgresql")
COLUMNS: dict[str, sa.types.TypeEngine[Any]] = {
    "min_quantity": NUMBER,
    "min_output_tokens": sa.BigInteger(),
    "output_inclusive": sa.Boolean(),
}


def upgrade() -> None:
    """Columns that are empty in every row there is: what was recorded keeps its meaning and its fingerprint."""
    for name, kind in COLUMNS.items():
        op.add_column("price_rows", sa.Column(name, kind))
    for name in ("limits", "unpriced"):
        op.add_column("models", sa.Column(name, sa.Text()))


def downgrade() -> None:
    """Drop them."""
    for name in ("limits", "unpriced"):
        op.drop_column("models", name)
    for name in COLUMNS:
        op.drop_column("price_rows", name)
