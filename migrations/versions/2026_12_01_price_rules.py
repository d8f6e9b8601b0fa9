"""Price rows say a least quantity a request."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_12_01_price_rules"
down_revision = "2026_12_01_source_lineage"
branch_labels = None
depends_on = None

NUMBER = sa.Text().with_variant(sa.Numeric(), "postgresql")


def upgrade() -> None:
    """Columns that are empty in every row there is: what was recorded keeps its meaning and its fingerprint."""
    op.add_column("price_rows", sa.Column("min_quantity", NUMBER))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("price_rows", "min_quantity")
