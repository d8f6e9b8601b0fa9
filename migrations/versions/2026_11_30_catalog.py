"""The catalog: versions, tenants, providers, sources, models, aliases, price books, dated price rows.

Believed rows of one slot never overlap in valid time: an exclusion constraint on PostgreSQL, triggers on SQLite. NULL is
minus infinity on the left and infinity on the right, in both.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_catalog"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
NUMBER = sa.Text().with_variant(sa.Numeric(), "postgresql")
INSTANT = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")
TABLES = ("price_rows", "aliases", "models", "sources", "price_books", "providers", "tenants", "catalog_versions")


def upgrade() -> None:
    """Create everything, and the one tenant there is for now."""
    _create_roots()
    _create_providers_and_books()
    _create_models()
    _create_prices()
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE EXTENSION IF NOT EXISTS btree_gist")
        op.execute(
            "ALTER TABLE price_rows ADD CONSTRAINT ex_price_rows_no_overlap EXCLUDE USING gist (price_book_id WITH =,"
            " model_id WITH =, slot WITH =, tstzrange(valid_from, valid_to, '[)') WITH &&) WHERE (superseded_at IS NULL)"
        )
        op.execute("INSERT INTO tenants (id, recorded_at) VALUES ('default', '2026-11-30T00:00:00Z')")
    else:
        _create_triggers()
        op.execute("INSERT INTO tenants (id, recorded_at) VALUES ('default', '2026-11-30T00:00:00.000000Z')")


def downgrade() -> None:
    """Drop everything; triggers go with their table, the PostgreSQL extension stays."""
    for table in TABLES:
        op.drop_table(table)


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=null)


def _column(name: str, kind: sa.types.TypeEngine[Any], *, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=null)


def _create_roots() -> None:
    op.create_table(
        "catalog_versions",
        sa.Column("number", KEY, autoincrement=False, nullable=False),
        _column("recorded_at", INSTANT),
        _text("digest"),
        _text("reason"),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_catalog_versions")),
    )
    op.create_table(
        "tenants",
        _text("id"),
        _column("recorded_at", INSTANT),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tenants")),
    )


def _create_providers_and_books() -> None:
    op.create_table(
        "providers",
        _column("id", KEY),
        _text("name"),
        _text("title"),
        _text("homepage", null=True),
        _text("vocabulary"),
        _text("schedules"),
        _text("digest"),
        _column("recorded_at", INSTANT),
        _column("withdrawn_at", INSTANT, null=True),
        _column("changed_in", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_providers")),
        sa.UniqueConstraint("name", name=op.f("uq_providers_name")),
    )
    op.create_table(
        "sources",
        _column("id", KEY),
        _column("provider_id", KEY, null=True),
        _text("tenant", null=True),
        _text("source_key"),
        _text("title"),
        _text("kind"),
        _text("url", null=True),
        _text("version", null=True),
        _text("license", null=True),
        _column("retrieved_on", sa.Date(), null=True),
        _text("note", null=True),
        _text("fingerprint"),
        _column("recorded_at", INSTANT),
        _column("withdrawn_at", INSTANT, null=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.ForeignKeyConstraint(["provider_id"], ["providers.id"], name=op.f("fk_sources_provider_id")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_sources_tenant")),
        sa.UniqueConstraint("provider_id", "fingerprint", name=op.f("uq_sources_provider_id")),
        sa.UniqueConstraint("tenant", "fingerprint", name=op.f("uq_sources_tenant")),
        sa.CheckConstraint("(provider_id IS NULL) <> (tenant IS NULL)", name=op.f("ck_sources_list_or_private")),
    )
    op.create_table(
        "price_books",
        _column("id", KEY),
        _text("kind"),
        _column("provider_id", KEY, null=True),
        _text("tenant", null=True),
        _text("name"),
        _text("base", null=True),
        _text("currency"),
        _text("title", null=True),
        _column("tax_included", sa.Boolean(), null=True),
        _column("tax_rate", NUMBER, null=True),
        _text("digest", null=True),
        _column("recorded_at", INSTANT),
        _column("withdrawn_at", INSTANT, null=True),
        _column("changed_in", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price_books")),
        sa.ForeignKeyConstraint(["provider_id"], ["providers.id"], name=op.f("fk_price_books_provider_id")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_price_books_tenant")),
        sa.UniqueConstraint("provider_id", "name", name=op.f("uq_price_books_provider_id")),
        sa.UniqueConstraint("tenant", "name", name=op.f("uq_price_books_tenant")),
        sa.UniqueConstraint("id", "tenant", name=op.f("uq_price_books_id")),
        sa.CheckConstraint("kind IN ('list', 'private')", name=op.f("ck_price_books_kind")),
        sa.CheckConstraint(
            "(kind = 'list') = (provider_id IS NOT NULL) AND (kind = 'private') = (tenant IS NOT NULL)",
            name=op.f("ck_price_books_list_or_private"),
        ),
        sa.CheckConstraint("length(currency) = 3", name=op.f("ck_price_books_currency")),
    )


def _create_models() -> None:
    op.create_table(
        "models",
        _column("id", KEY),
        _column("provider_id", KEY, null=True),
        _column("price_book_id", KEY, null=True),
        _text("tenant", null=True),
        _text("provider"),
        _text("provider_key"),
        _text("model"),
        _text("model_key"),
        _text("name", null=True),
        _column("released_on", sa.Date(), null=True),
        _column("retired_on", INSTANT, null=True),
        _text("successor", null=True),
        _column("max_input_tokens", sa.BigInteger(), null=True),
        _column("max_output_tokens", sa.BigInteger(), null=True),
        _text("tokenizer", null=True),
        _text("note", null=True),
        _column("recorded_at", INSTANT),
        _column("withdrawn_at", INSTANT, null=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_models")),
        sa.ForeignKeyConstraint(["provider_id"], ["providers.id"], name=op.f("fk_models_provider_id")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_models_tenant")),
        sa.ForeignKeyConstraint(
            ["price_book_id", "tenant"], ["price_books.id", "price_books.tenant"], name=op.f("fk_models_book_of_tenant")
        ),
        sa.UniqueConstraint("provider_id", "model_key", name=op.f("uq_models_provider_id")),
        sa.UniqueConstraint("price_book_id", "provider_key", "model_key", name=op.f("uq_models_price_book_id")),
        sa.CheckConstraint(
            "(provider_id IS NULL) <> (price_book_id IS NULL) AND (price_book_id IS NULL) = (tenant IS NULL)",
            name=op.f("ck_models_list_or_private"),
        ),
    )
    op.create_table(
        "aliases",
        _column("id", KEY),
        _column("model_id", KEY),
        _text("alias"),
        _column("valid_from", INSTANT, null=True),
        _column("valid_to", INSTANT, null=True),
        _text("source", null=True),
        _column("recorded_at", INSTANT),
        _column("superseded_at", INSTANT, null=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_aliases")),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("fk_aliases_model_id")),
        sa.CheckConstraint("valid_to > valid_from", name=op.f("ck_aliases_valid_time")),
        sa.CheckConstraint("superseded_at >= recorded_at", name=op.f("ck_aliases_recorded_time")),
    )
    op.create_index(op.f("ix_aliases_model_id"), "aliases", ["model_id"])


def _create_prices() -> None:
    checks = {
        "kind": "kind IN ('rate', 'uplift')",
        "rate": "rate >= 0",
        "per": "per >= 1",
        "currency": "length(currency) = 3",
        "tier": "min_input_tokens >= 0 AND max_input_tokens >= 0",
        "valid_time": "valid_to > valid_from",
        "recorded_time": "superseded_at >= recorded_at",
        "supersession": "(superseded_at IS NULL) = (supersession IS NULL)"
        " AND (supersession IS NULL OR supersession IN ('changed', 'removed', 'corrected'))",
    }
    if op.get_bind().dialect.name == "sqlite":
        # text there: `rate >= 0` compares texts, and a float must not slip in
        checks["rate_is_plain_text"] = "typeof(rate) = 'text' AND rate NOT GLOB '*[^0-9.]*' AND rate GLOB '[0-9]*'"
    op.create_table(
        "price_rows",
        _column("id", KEY),
        _text("tenant", null=True),
        _column("price_book_id", KEY),
        _column("model_id", KEY),
        _text("kind"),
        _text("slot"),
        _text("meter"),
        _column("rate", NUMBER),
        _column("per", sa.BigInteger()),
        _text("currency"),
        _text("conditions"),
        _column("min_input_tokens", sa.BigInteger(), null=True),
        _column("min_inclusive", sa.Boolean()),
        _column("max_input_tokens", sa.BigInteger(), null=True),
        _text("schedule", null=True),
        _text("search_unit", null=True),
        _column("valid_from", INSTANT, null=True),
        _column("valid_to", INSTANT, null=True),
        _column("start_known", sa.Boolean()),
        _column("tax_included", sa.Boolean(), null=True),
        _column("tax_rate", NUMBER, null=True),
        _column("source_id", KEY),
        _column("checked_on", sa.Date(), null=True),
        _text("status"),
        _text("note"),
        _text("fingerprint"),
        _column("recorded_at", INSTANT),
        _column("superseded_at", INSTANT, null=True),
        _text("supersession", null=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price_rows")),
        sa.ForeignKeyConstraint(["tenant"], ["tenants.id"], name=op.f("fk_price_rows_tenant")),
        sa.ForeignKeyConstraint(["price_book_id"], ["price_books.id"], name=op.f("fk_price_rows_price_book_id")),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("fk_price_rows_model_id")),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_price_rows_source_id")),
        sa.ForeignKeyConstraint(
            ["price_book_id", "tenant"],
            ["price_books.id", "price_books.tenant"],
            name=op.f("fk_price_rows_book_of_tenant"),
        ),
        *(sa.CheckConstraint(rule, name=op.f(f"ck_price_rows_{name}")) for name, rule in checks.items()),
    )
    believed = sa.text("superseded_at IS NULL")
    op.create_index(
        op.f("ix_price_rows_believed"),
        "price_rows",
        ["price_book_id", "model_id", "slot", "valid_from"],
        sqlite_where=believed,
        postgresql_where=believed,
    )
    op.create_index(op.f("ix_price_rows_model_id"), "price_rows", ["model_id"])


def _create_triggers() -> None:
    rule = """
        WHEN NEW.superseded_at IS NULL AND EXISTS (
            SELECT 1 FROM price_rows other
            WHERE other.superseded_at IS NULL AND other.price_book_id = NEW.price_book_id
              AND other.model_id = NEW.model_id AND other.slot = NEW.slot {but_itself}
              AND (other.valid_from IS NULL OR NEW.valid_to IS NULL OR other.valid_from < NEW.valid_to)
              AND (NEW.valid_from IS NULL OR other.valid_to IS NULL OR NEW.valid_from < other.valid_to)
        )
        BEGIN SELECT RAISE(ABORT, 'two believed price rows of one slot overlap in valid time'); END
    """
    op.execute(
        "CREATE TRIGGER tr_price_rows_no_overlap_insert BEFORE INSERT ON price_rows" + rule.format(but_itself="")
    )
    op.execute(
        "CREATE TRIGGER tr_price_rows_no_overlap_update BEFORE UPDATE OF"
        " price_book_id, model_id, slot, valid_from, valid_to, superseded_at ON price_rows"
        + rule.format(but_itself="AND other.id <> NEW.id")
    )
