"""Quotes, and answers kept under idempotency keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_12_01_quotes"
down_revision = "2026_12_01_reference_records"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    """Two tables of what belongs to callers."""
    op.create_table(
        "quotes",
        sa.Column("id", KEY, nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("as_of", INSTANT, nullable=False),
        sa.Column("as_of_stated", sa.Boolean(), nullable=False),
        sa.Column("catalog_number", sa.BigInteger(), nullable=False),
        sa.Column("catalog_version", sa.Text(), nullable=False),
        sa.Column("method_version", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("texts", sa.Text(), nullable=False),
        sa.Column("offers", sa.Text(), nullable=False),
        sa.Column("answer_sha256", sa.Text(), nullable=False),
        sa.Column("text_question", sa.Text()),
        sa.Column("text_until", INSTANT),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quotes")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_quotes_tenant")),
        sa.UniqueConstraint("quote", name=op.f("uq_quotes_quote")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_quotes_revision")),
        sa.CheckConstraint("(text_question IS NULL) = (text_until IS NULL)", name=op.f("ck_quotes_text_has_an_end")),
    )
    op.create_index(op.f("ix_quotes_tenant"), "quotes", ["tenant"])
    op.create_index(op.f("ix_quotes_text_until"), "quotes", ["text_until"])
    op.create_table(
        "idempotency_keys",
        sa.Column("id", KEY, nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("request_sha256", sa.Text(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=False),
        sa.Column("headers", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotency_keys")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_idempotency_keys_tenant")),
        sa.UniqueConstraint("tenant", "idempotency_key", name=op.f("uq_idempotency_keys_tenant")),
    )
    op.create_index(op.f("ix_idempotency_keys_recorded_at"), "idempotency_keys", ["recorded_at"])


def downgrade() -> None:
    """Drop both, and with them the quotes."""
    op.drop_table("idempotency_keys")
    op.drop_table("quotes")
