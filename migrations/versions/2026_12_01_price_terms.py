"""Terms of private price books: discounts, allowances, credits, commitments, and the period of a book."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_12_01_price_terms"
down_revision = "2026_12_01_price_rules"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    """One table, whose rows are superseded and never overwritten."""
    checks = {
        "valid_time": "valid_to > valid_from",
        "recorded_time": "superseded_at >= recorded_at",
        "kind": "(term_key = '*') = (kind = 'book_period')",
    }
    op.create_table(
        "price_terms",
        sa.Column("id", KEY, nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("price_book_id", KEY, nullable=False),
        sa.Column("term_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("valid_from", INSTANT),
        sa.Column("valid_to", INSTANT),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("superseded_at", INSTANT),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price_terms")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_price_terms_tenant")),
        sa.ForeignKeyConstraint(["price_book_id"], ["price_books.id"], name=op.f("fk_price_terms_price_book_id")),
        sa.ForeignKeyConstraint(
            ["price_book_id", "tenant"],
            ["price_books.id", "price_books.tenant"],
            name=op.f("fk_price_terms_book_of_tenant"),
        ),
        *(sa.CheckConstraint(rule, name=op.f(f"ck_price_terms_{name}")) for name, rule in checks.items()),
    )
    believed = sa.text("superseded_at IS NULL")
    op.create_index(
        op.f("ix_price_terms_believed"),
        "price_terms",
        ["price_book_id", "term_key"],
        sqlite_where=believed,
        postgresql_where=believed,
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("price_terms")
