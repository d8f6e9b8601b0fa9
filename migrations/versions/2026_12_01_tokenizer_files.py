"""Tokenizer files that tenants registered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_12_01_tokenizer_files"
down_revision = "2026_12_01_overlap_by_neighbor"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    """One table; a file is withdrawn and never overwritten."""
    op.create_table(
        "tokenizer_files",
        sa.Column("id", KEY, nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("tokenizer", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("pattern", sa.Text()),
        sa.Column("entries", sa.BigInteger(), nullable=False),
        sa.Column("probe_counts", sa.Text(), nullable=False),
        sa.Column("memory_mib", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("license", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("withdrawn_at", INSTANT),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokenizer_files")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_tokenizer_files_tenant")),
        sa.CheckConstraint("withdrawn_at >= recorded_at", name=op.f("ck_tokenizer_files_recorded_time")),
    )
    in_use = sa.text("withdrawn_at IS NULL")
    op.create_index(
        op.f("ix_tokenizer_files_in_use"),
        "tokenizer_files",
        ["tenant", "tokenizer"],
        unique=True,
        sqlite_where=in_use,
        postgresql_where=in_use,
    )
    op.create_index(op.f("ix_tokenizer_files_sha256"), "tokenizer_files", ["sha256"])


def downgrade() -> None:
    """Drop it, and with it the files."""
    op.drop_table("tokenizer_files")
