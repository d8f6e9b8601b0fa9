"""Reference records of machines: accelerators, architectures, engines, prices, profiles, measurements."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_12_01_reference_records"
down_revision = "2026_12_01_tokenizer_files"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    """Two tables; a record is superseded and never overwritten."""
    op.create_table(
        "reference_records",
        sa.Column("id", KEY, nullable=False),
        sa.Column("tenant", sa.Text()),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("record_key", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Text()),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("superseded_at", INSTANT),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reference_records")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_reference_records_tenant")),
        sa.CheckConstraint("origin IN ('shipped', 'private', 'import')", name=op.f("ck_reference_records_origin")),
        sa.CheckConstraint(
            "(origin = 'shipped') = (tenant IS NULL)", name=op.f("ck_reference_records_shipped_or_private")
        ),
        sa.CheckConstraint("superseded_at >= recorded_at", name=op.f("ck_reference_records_recorded_time")),
    )
    _unique("reference_records", "shipped", ["kind", "record_key"], "superseded_at IS NULL AND tenant IS NULL")
    _unique(
        "reference_records",
        "private",
        ["tenant", "kind", "record_key"],
        "superseded_at IS NULL AND tenant IS NOT NULL",
    )
    op.create_table(
        "reference_editions",
        sa.Column("id", KEY, nullable=False),
        sa.Column("tenant", sa.Text()),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("changed_in", sa.BigInteger(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reference_editions")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_reference_editions_tenant")),
    )
    _unique("reference_editions", "shipped", ["kind"], "tenant IS NULL")
    _unique("reference_editions", "private", ["tenant", "kind"], "tenant IS NOT NULL")


def _unique(table: str, name: str, columns: list[str], where: str) -> None:
    rule = sa.text(where)
    op.create_index(op.f(f"ix_{table}_{name}"), table, columns, unique=True, sqlite_where=rule, postgresql_where=rule)


def downgrade() -> None:
    """Drop both, and with them what was added privately."""
    op.drop_table("reference_editions")
    op.drop_table("reference_records")
