"""What one provider's content is in the tables' terms, checked, with the digest by which an unchanged sheet is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from catalog.corrections import first_overlap
from catalog.records import (
    check_storable,
    fingerprint,
    price_fingerprint,
    to_db_limits,
    to_db_price,
    to_db_schedules,
    to_db_unpriced,
    to_db_vocabulary,
)
from economics.errors import PermillionError
from providers.content import OfferRow, ProviderContent
from providers.sheet import Model, Source

FORMAT: Final = 1
"""Part of every digest: raise it when the meaning of a stored column changes, and all sheets are compared again."""

REVOKED: Final = "revoked"
"""Status of a row that was announced and taken back; such a row is recorded as believed no longer."""

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A price row of a sheet: its book, its model's key, the fingerprints of its source and of itself, its columns."""

    book: str
    model_key: str
    source: str
    fingerprint: str
    values: Values


@dataclass(frozen=True, slots=True)
class SheetAlias:
    """An alias of the model with that key."""

    model_key: str
    alias: str
    valid_from: datetime | None
    valid_to: datetime | None
    source: str | None


@dataclass(frozen=True, slots=True)
class SheetRecords:
    """Columns by natural key: `sources` by fingerprint, `books` by id, `models` by key."""

    provider: Values
    sources: Mapping[str, Values]
    books: Mapping[str, Values]
    models: Mapping[str, Values]
    aliases: Sequence[SheetAlias]
    rows: Sequence[SheetRow]
    revoked: Sequence[SheetRow]
    digest: str


def sheet_records(content: ProviderContent) -> SheetRecords:
    """The records of a sheet.

    Raises:
        PermillionError: `invalid-sheet` naming the provider: models that differ in case alone, two sources with one title,
            rows of one slot that overlap in time, a row of a book or model that the sheet does not have.
    """
    try:
        return _records(content)
    except PermillionError as error:
        raise PermillionError("invalid-sheet", f"{content.provider}: {error.detail}") from None


def _records(content: ProviderContent) -> SheetRecords:
    provider = {
        "name": content.provider,
        "title": content.name,
        "homepage": content.homepage,
        "vocabulary": to_db_vocabulary(content.vocabulary),
        "schedules": to_db_schedules(content.schedules),
    }
    sources = {key: _source(key, source) for key, source in content.sources.items()}
    books = {
        name: {
            "currency": book.currency,
            "title": book.title,
            "tax_included": book.tax_included,
            "tax_rate": book.tax_rate,
        }
        for name, book in content.books.items()
    }
    models: dict[str, Values] = {}
    aliases: list[SheetAlias] = []
    for model_id, model in content.models.items():
        key = model_id.casefold()
        if key in models:
            raise PermillionError("invalid-sheet", f"two models are named {model_id} but for case")
        models[key] = _model(content.provider, model_id, model)
        aliases.extend(SheetAlias(key, a.id, a.valid_from, a.valid_to, a.source) for a in model.aliases)
    by_title = {values["title"]: print_ for print_, values in sources.values()}
    if len(by_title) < len(content.sources):
        raise PermillionError("invalid-sheet", "two sources have the same title; a row names its source by title")
    rows = _rows(content, content.rows, by_title, models)
    _refuse_overlaps(content, rows)
    revoked = _rows(content, content.revoked, by_title, models, REVOKED)
    parts = [
        FORMAT,
        provider,
        sorted(print_ for print_, _ in sources.values()),
        books,
        models,
        sorted(fingerprint([a.model_key, a.alias, a.valid_from, a.valid_to, a.source]) for a in aliases),
        sorted([row.book, row.model_key, row.fingerprint] for row in rows),
    ]
    if revoked:
        parts.append(sorted([row.book, row.model_key, row.fingerprint] for row in revoked))
    digest = fingerprint(parts)
    return SheetRecords(provider, dict(sources.values()), books, models, aliases, rows, revoked, digest)


def _source(key: str, source: Source) -> tuple[str, Values]:
    values: Values = {
        "source_key": key,
        "title": source.title,
        "kind": source.kind,
        "url": source.url,
        "version": source.version,
        "license": source.license,
        "retrieved_on": source.retrieved_on,
        "note": source.note,
        "lineage": source.lineage,
    }
    return fingerprint(values), values


def _model(provider: str, model_id: str, model: Model) -> Values:
    return {
        "provider": provider,
        "provider_key": provider.casefold(),
        "model": model_id,
        "model_key": model_id.casefold(),
        "name": model.name,
        "released_on": model.released_on,
        "retired_on": model.retired_on,
        "successor": model.successor,
        "max_input_tokens": model.max_input_tokens,
        "max_output_tokens": model.max_output_tokens,
        "limits": to_db_limits(model.limits),
        "unpriced": to_db_unpriced(model.unpriced),
        "note": model.note,
    }


def _rows(
    content: ProviderContent,
    offers: Sequence[OfferRow],
    by_title: Mapping[str, str],
    models: Mapping[str, Values],
    status: str | None = None,
) -> list[SheetRow]:
    rows: list[SheetRow] = []
    for offered in offers:
        key = offered.model.casefold()
        source = by_title.get(offered.row.provenance.source)
        if source is None or key not in models or offered.book not in content.books:
            raise PermillionError("invalid-sheet", f"a row of {offered.model} names an unknown source, model or book")
        check_storable(offered.row)
        values = to_db_price(offered.row, content.books[offered.book].currency)
        values["status"] = status or values["status"]
        rows.append(SheetRow(offered.book, key, source, price_fingerprint(source, values), values))
    return rows


def _refuse_overlaps(content: ProviderContent, rows: Sequence[SheetRow]) -> None:
    clash = first_overlap(
        ((row.book, row.model_key, row.values["slot"]), offered.row.period)
        for row, offered in zip(rows, content.rows, strict=True)
    )
    if clash is not None:
        row = rows[clash[1]]
        raise PermillionError(
            "invalid-sheet", f"two prices of {row.model_key} in {row.book} overlap in time: {row.values['slot']}"
        )
