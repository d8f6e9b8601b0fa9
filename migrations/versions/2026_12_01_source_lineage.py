"""Sources say which other source they take their figures from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_12_01_source_lineage"
down_revision = "2026_11_30_catalog"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One nullable column."""
    op.add_column("sources", sa.Column("lineage", sa.Text()))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("sources", "lineage")
