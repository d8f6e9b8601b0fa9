"""The tables of who sells what and under which name; prices are in `catalog.price_tables`.

List content (what vendors publish) has no tenant; private content always carries its tenant. Names are stored as they are
written, beside a `…_key` without regard to case, by which they are found. `changed_in` is the catalog version that last
touched a provider or a book: a reader that holds version n re-reads only what has a higher one.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from catalog.columns import CanonicalJson, DecimalText, UtcInstant

BigId = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER PRIMARY KEY is a row id there


class Stored(DeclarativeBase):
    """Base of all tables; every constraint has a name, or a batch migration would lose it."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: Text(),
        datetime: UtcInstant(),
        Decimal: DecimalText(),
        int: BigInteger(),
    }


class StoredVersion(Stored):
    """One change of the catalog: its number, when, the digest of everything believed after it, and why."""

    __tablename__ = "catalog_versions"

    number: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    recorded_at: Mapped[datetime]
    digest: Mapped[str]
    reason: Mapped[str]


class StoredTenant(Stored):
    """Whom private content belongs to."""

    __tablename__ = "tenants"

    id: Mapped[str] = mapped_column(primary_key=True)
    recorded_at: Mapped[datetime]


class StoredProvider(Stored):
    """A vendor with a published price sheet: title, context vocabulary, schedules; `digest` is of its whole sheet."""

    __tablename__ = "providers"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    homepage: Mapped[str | None]
    vocabulary: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    schedules: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    digest: Mapped[str]
    recorded_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]
    changed_in: Mapped[int]


class StoredSource(Stored):
    """Where figures were read: one that says something else is another row, and the sheet's former one is withdrawn.

    A list source belongs to a provider; a private one is what a tenant says its figures are from.
    """

    __tablename__ = "sources"
    __table_args__ = (
        UniqueConstraint("provider_id", "fingerprint"),
        UniqueConstraint("tenant", "fingerprint"),
        CheckConstraint("(provider_id IS NULL) <> (tenant IS NULL)", name="list_or_private"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    provider_id: Mapped[int | None] = mapped_column(ForeignKey("providers.id"))
    tenant: Mapped[str | None] = mapped_column(ForeignKey("tenants.id"))
    source_key: Mapped[str]
    title: Mapped[str]
    kind: Mapped[str]
    url: Mapped[str | None]
    version: Mapped[str | None]
    license: Mapped[str | None]
    retrieved_on: Mapped[date | None]
    note: Mapped[str | None]
    lineage: Mapped[str | None]
    fingerprint: Mapped[str]
    recorded_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]


class StoredModel(Stored):
    """A model a vendor sells, or one that a tenant named in a private book (then with its tokenizer).

    `limits` are dated ones, as `catalog.records.to_db_limits` writes them; the columns beside it hold at all other times.
    `unpriced` are the contexts in which it is sold at a price nobody states, as the sheet has them.
    """

    __tablename__ = "models"
    __table_args__ = (
        UniqueConstraint("provider_id", "model_key"),
        UniqueConstraint("price_book_id", "provider_key", "model_key"),
        ForeignKeyConstraint(
            ["price_book_id", "tenant"], ["price_books.id", "price_books.tenant"], name="fk_models_book_of_tenant"
        ),
        CheckConstraint(
            "(provider_id IS NULL) <> (price_book_id IS NULL) AND (price_book_id IS NULL) = (tenant IS NULL)",
            name="list_or_private",
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    provider_id: Mapped[int | None] = mapped_column(ForeignKey("providers.id"))
    price_book_id: Mapped[int | None] = mapped_column(BigId)
    tenant: Mapped[str | None] = mapped_column(ForeignKey("tenants.id"))
    provider: Mapped[str]
    provider_key: Mapped[str]
    model: Mapped[str]
    model_key: Mapped[str]
    name: Mapped[str | None]
    released_on: Mapped[date | None]
    retired_on: Mapped[datetime | None]
    successor: Mapped[str | None]
    max_input_tokens: Mapped[int | None]
    max_output_tokens: Mapped[int | None]
    limits: Mapped[Any] = mapped_column(CanonicalJson, nullable=True)
    unpriced: Mapped[Any] = mapped_column(CanonicalJson, nullable=True)
    tokenizer: Mapped[str | None]
    note: Mapped[str | None]
    recorded_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]


class StoredAlias(Stored):
    """Another id that means a model of the same provider in `[valid_from, valid_to)`; corrections add rows."""

    __tablename__ = "aliases"
    __table_args__ = (
        CheckConstraint("valid_to > valid_from", name="valid_time"),
        CheckConstraint("superseded_at >= recorded_at", name="recorded_time"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id"), index=True)
    alias: Mapped[str]
    valid_from: Mapped[datetime | None]
    valid_to: Mapped[datetime | None]
    source: Mapped[str | None]
    recorded_at: Mapped[datetime]
    superseded_at: Mapped[datetime | None]


class StoredTokenizerFile(Stored):
    """A tokenizer file that a tenant registered, with its bytes; withdrawn ones are kept, because answers relied on them.

    `probe_counts` are what it counted when it was checked: with the sha256 they are how every process that loads it
    proves that it holds the same. `content` stands last: SQLite reads through the bytes to whatever is behind them.
    """

    __tablename__ = "tokenizer_files"
    __table_args__ = (
        CheckConstraint("withdrawn_at >= recorded_at", name="recorded_time"),
        Index(
            "ix_tokenizer_files_in_use",
            "tenant",
            "tokenizer",
            unique=True,
            sqlite_where=text("withdrawn_at IS NULL"),
            postgresql_where=text("withdrawn_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    tenant: Mapped[str] = mapped_column(ForeignKey("tenants.id"))
    tokenizer: Mapped[str]
    format: Mapped[str]
    sha256: Mapped[str] = mapped_column(index=True)
    size: Mapped[int]
    pattern: Mapped[str | None]
    entries: Mapped[int]
    probe_counts: Mapped[Any] = mapped_column(CanonicalJson, nullable=False)
    memory_mib: Mapped[int]
    note: Mapped[str]
    license: Mapped[str]
    source: Mapped[str]
    recorded_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]
    content: Mapped[bytes] = mapped_column(LargeBinary)
