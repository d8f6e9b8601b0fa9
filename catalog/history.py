"""Price rows with everything known of them, now or as they were believed at an earlier instant.

`as_of` is valid time: when the usage happens. `known_at` is recorded time: what the catalog believed then. Rows come in the
order they were recorded, which a cursor resumes exactly: rows recorded meanwhile come at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Literal

from sqlalchemy import Engine, Select, or_, select

from catalog.engine import reading
from catalog.models import StoredModel, StoredSource
from catalog.price_tables import StoredBook, StoredPrice
from economics.errors import PermillionError

_CURSOR: Final = re.compile(r"r([0-9]{1,18})", re.ASCII)
_COPIED: Final = (
    "kind", "meter", "rate", "per", "currency", "min_input_tokens", "min_inclusive", "max_input_tokens", "schedule",
    "search_unit", "valid_from", "valid_to", "start_known", "tax_included", "tax_rate", "checked_on", "status", "note",
    "recorded_at", "superseded_at", "supersession", "provider", "model", "price_book", "book_kind", "source", "source_kind",
    "source_url", "source_version", "source_license", "source_retrieved_on", "source_lineage", "min_quantity",
    "min_output_tokens", "output_inclusive",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRecord:
    """One dated price row or uplift as it was recorded.

    An uplift has `kind` uplift, meter `*`, its factor in `rate` and `per` 1. `superseded_at` is when it stopped being
    believed, `supersession` why: `changed` or `removed` by a sheet, `corrected` by the tenant.
    """

    kind: Literal["rate", "uplift"]
    provider: str
    model: str
    price_book: str
    book_kind: Literal["list", "private"]
    meter: str
    rate: Decimal
    per: int
    currency: str
    conditions: Mapping[str, tuple[str, ...]]
    min_input_tokens: int | None
    min_inclusive: bool
    max_input_tokens: int | None
    schedule: str | None
    search_unit: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    start_known: bool
    tax_included: bool | None
    tax_rate: Decimal | None
    source: str
    source_kind: str
    source_url: str | None
    source_version: str | None
    source_license: str | None
    source_retrieved_on: date | None
    source_lineage: str | None
    checked_on: date | None
    status: str
    note: str
    recorded_at: datetime
    superseded_at: datetime | None
    supersession: str | None
    min_quantity: Decimal | None
    min_output_tokens: int | None
    output_inclusive: bool | None


def list_prices(
    engine: Engine,
    *,
    tenant: str,
    provider: str | None = None,
    model: str | None = None,
    book: str | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    superseded: bool = False,
    limit: int,
    cursor: str | None = None,
) -> tuple[Sequence[PriceRecord], str | None]:
    """A page of price rows: list rows and the tenant's private ones.

    Args:
        engine: of a migrated database.
        tenant: whose private rows are seen.
        provider: name in any case, None for all.
        model: id in any case (no alias), None for all.
        book: list or private book, None for all.
        as_of: rows that hold then; None for all times.
        known_at: rows believed then; None for those believed now, or all that ever were with `superseded`.
        superseded: include rows believed no longer, where `known_at` is None.
        limit: of the page, at least 1.
        cursor: what the page before returned.

    Returns:
        Rows, and the next page's cursor or None.

    Raises:
        PermillionError: `invalid-fields` for a cursor that is none.
    """
    if not all(name.isprintable() for name in (provider, model, book) if name is not None):
        return [], None  # nothing is named so, and PostgreSQL would refuse the text itself
    statement = _selected(tenant).order_by(StoredPrice.id).limit(limit + 1)
    if cursor is not None:
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise PermillionError("invalid-fields", "not a cursor of an earlier answer", pointer="/cursor")
        statement = statement.where(StoredPrice.id > int(found[1]))
    if provider is not None:
        statement = statement.where(StoredModel.provider_key == provider.casefold())
    if model is not None:
        statement = statement.where(StoredModel.model_key == model.casefold())
    if book is not None:
        statement = statement.where(StoredBook.name == book)
    if as_of is not None:
        statement = statement.where(
            or_(StoredPrice.valid_from.is_(None), StoredPrice.valid_from <= as_of),
            or_(StoredPrice.valid_to.is_(None), StoredPrice.valid_to > as_of),
        )
    if known_at is not None:
        statement = statement.where(
            StoredPrice.recorded_at <= known_at,
            or_(StoredPrice.superseded_at.is_(None), StoredPrice.superseded_at > known_at),
        )
    elif not superseded:
        statement = statement.where(StoredPrice.superseded_at.is_(None))
    with reading(engine) as connection:
        rows = connection.execute(statement).all()
    page = rows[:limit]
    return [_record(row) for row in page], f"r{page[-1].id}" if len(rows) > limit else None


def _selected(tenant: str) -> Select[Any]:
    return (
        select(
            StoredPrice.__table__,
            StoredModel.provider,
            StoredModel.model,
            StoredBook.name.label("price_book"),
            StoredBook.kind.label("book_kind"),
            StoredSource.title.label("source"),
            StoredSource.kind.label("source_kind"),
            StoredSource.url.label("source_url"),
            StoredSource.version.label("source_version"),
            StoredSource.license.label("source_license"),
            StoredSource.retrieved_on.label("source_retrieved_on"),
            StoredSource.lineage.label("source_lineage"),
        )
        .join(StoredModel, StoredModel.id == StoredPrice.model_id)
        .join(StoredBook, StoredBook.id == StoredPrice.price_book_id)
        .join(StoredSource, StoredSource.id == StoredPrice.source_id)
        .where(or_(StoredBook.kind == "list", StoredBook.tenant == tenant))
    )


def _record(row: Any) -> PriceRecord:
    conditions = {name: tuple(values) for name, values in row.conditions.items()}
    return PriceRecord(conditions=conditions, **{name: getattr(row, name) for name in _COPIED})
