"""The tables of price books, of dated price rows and of the dated terms of contracts.

A price row has two times. Valid time, `[valid_from, valid_to)`, is when the price holds; NULL on the left is an unknown
start and counts as minus infinity, NULL on the right is no known end. Recorded time, `[recorded_at, superseded_at)`, is
when the catalog believed it; nothing is overwritten or deleted. Among believed rows no two of one slot (book, model, meter
with its conditions, tier and schedule) overlap in valid time: the database itself refuses them, on PostgreSQL by an
exclusion constraint, on SQLite by triggers (in the migration; `OVERLAP_TRIGGERS` names them).
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ExcludeConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.columns import CanonicalJson
from catalog.models import BigId, Stored, StoredModel

OVERLAP_TRIGGERS: Final = ("tr_price_rows_no_overlap_insert", "tr_price_rows_no_overlap_update")


class StoredBook(Stored):
    """A price book: one market of a vendor (`list`), or a tenant's own (`private`, with a list book as its base).

    `digest` is of a private book's believed rows; list content is in the digest of its provider.
    """

    __tablename__ = "price_books"
    __table_args__ = (
        UniqueConstraint("provider_id", "name"),
        UniqueConstraint("tenant", "name"),
        UniqueConstraint("id", "tenant"),
        CheckConstraint("kind IN ('list', 'private')", name="kind"),
        CheckConstraint(
            "(kind = 'list') = (provider_id IS NOT NULL) AND (kind = 'private') = (tenant IS NOT NULL)",
            name="list_or_private",
        ),
        CheckConstraint("length(currency) = 3", name="currency"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    kind: Mapped[str]
    provider_id: Mapped[int | None] = mapped_column(ForeignKey("providers.id"))
    tenant: Mapped[str | None] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    base: Mapped[str | None]
    currency: Mapped[str]
    title: Mapped[str | None]
    tax_included: Mapped[bool | None]
    tax_rate: Mapped[Decimal | None]
    digest: Mapped[str | None]
    recorded_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]
    changed_in: Mapped[int]


class StoredPrice(Stored):
    """One dated rate (`kind` rate) or factor (`kind` uplift: meter `*`, the factor in `rate`) of a model in a book."""

    __tablename__ = "price_rows"
    __table_args__ = (
        # a private row cannot stand in another tenant's book
        ForeignKeyConstraint(
            ["price_book_id", "tenant"], ["price_books.id", "price_books.tenant"], name="fk_price_rows_book_of_tenant"
        ),
        CheckConstraint("kind IN ('rate', 'uplift')", name="kind"),
        CheckConstraint("rate >= 0", name="rate"),
        CheckConstraint(
            "typeof(rate) = 'text' AND rate NOT GLOB '*[^0-9.]*' AND rate GLOB '[0-9]*'", name="rate_is_plain_text"
        ).ddl_if(dialect="sqlite"),
        CheckConstraint("per >= 1", name="per"),
        CheckConstraint("length(currency) = 3", name="currency"),
        CheckConstraint("min_input_tokens >= 0 AND max_input_tokens >= 0", name="tier"),
        CheckConstraint("valid_to > valid_from", name="valid_time"),
        CheckConstraint("superseded_at >= recorded_at", name="recorded_time"),
        CheckConstraint(
            "(superseded_at IS NULL) = (supersession IS NULL)"
            " AND (supersession IS NULL OR supersession IN ('changed', 'removed', 'corrected'))",
            name="supersession",
        ),
        ExcludeConstraint(
            ("price_book_id", "="),
            ("model_id", "="),
            ("slot", "="),
            (text("tstzrange(valid_from, valid_to, '[)')"), "&&"),
            name="ex_price_rows_no_overlap",
            where=text("superseded_at IS NULL"),
            using="gist",
        ).ddl_if(dialect="postgresql"),
        Index(
            "ix_price_rows_believed",
            "price_book_id",
            "model_id",
            "slot",
            "valid_from",
            sqlite_where=text("superseded_at IS NULL"),
            postgresql_where=text("superseded_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    tenant: Mapped[str | None] = mapped_column(ForeignKey("tenants.id"))
    price_book_id: Mapped[int] = mapped_column(ForeignKey("price_books.id"))
    model_id: Mapped[int] = mapped_column(ForeignKey(StoredModel.id), index=True)
    kind: Mapped[str]
    slot: Mapped[str]
    meter: Mapped[str]
    rate: Mapped[Decimal]
    per: Mapped[int]
    currency: Mapped[str]
    conditions: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    min_input_tokens: Mapped[int | None]
    min_inclusive: Mapped[bool]
    max_input_tokens: Mapped[int | None]
    schedule: Mapped[str | None]
    search_unit: Mapped[str | None]
    min_quantity: Mapped[Decimal | None]
    min_output_tokens: Mapped[int | None]
    output_inclusive: Mapped[bool | None]
    valid_from: Mapped[datetime | None]
    valid_to: Mapped[datetime | None]
    start_known: Mapped[bool]
    tax_included: Mapped[bool | None]
    tax_rate: Mapped[Decimal | None]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    checked_on: Mapped[date | None]
    status: Mapped[str]
    note: Mapped[str]
    fingerprint: Mapped[str]
    recorded_at: Mapped[datetime]
    superseded_at: Mapped[datetime | None]
    supersession: Mapped[str | None]


class StoredTerm(Stored):
    """One dated term of a private book, or with the key `*` the period of the book itself; two times, as a price row.

    What a request says of a key takes the place of all that was believed of it.
    """

    __tablename__ = "price_terms"
    __table_args__ = (
        ForeignKeyConstraint(
            ["price_book_id", "tenant"], ["price_books.id", "price_books.tenant"], name="fk_price_terms_book_of_tenant"
        ),
        CheckConstraint("valid_to > valid_from", name="valid_time"),
        CheckConstraint("superseded_at >= recorded_at", name="recorded_time"),
        CheckConstraint("(term_key = '*') = (kind = 'book_period')", name="kind"),
        Index(
            "ix_price_terms_believed",
            "price_book_id",
            "term_key",
            sqlite_where=text("superseded_at IS NULL"),
            postgresql_where=text("superseded_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    tenant: Mapped[str] = mapped_column(ForeignKey("tenants.id"))
    price_book_id: Mapped[int] = mapped_column(ForeignKey("price_books.id"))
    term_key: Mapped[str]
    kind: Mapped[str]
    term: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    valid_from: Mapped[datetime | None]
    valid_to: Mapped[datetime | None]
    fingerprint: Mapped[str]
    recorded_at: Mapped[datetime]
    superseded_at: Mapped[datetime | None]
