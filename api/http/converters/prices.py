"""`GET /prices`, `/prices/history` and `POST /prices`."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from api.http.converters.terms import from_api_terms
from api.http.schemas.prices import PriceRowToPublish, PublishRequest
from catalog.history import PriceRecord
from catalog.publishing import ClearedRate, NewBook, NewRow, Publication
from economics.context import format_context
from economics.errors import PermillionError
from economics.money import format_decimal
from economics.periods import Period, format_instant
from economics.prices import PriceRow, Provenance, Tier
from providers.feeds.price_units import read_price_unit, unit_note


def from_api_publish(request: PublishRequest, known_tokenizers: frozenset[str], now: datetime) -> Publication:
    """The book, its rows and its terms; the first that the domain refuses is an error with its pointer.

    Args:
        request: as it was sent.
        known_tokenizers: ids a row may name.
        now: when; nothing was checked on a later day (in UTC).
    """
    book = request.price_book
    bounds: dict[str, datetime | None] = {
        name: getattr(book, name) for name in ("valid_from", "valid_to") if name in book.model_fields_set
    }
    if not (request.rows or book.terms or bounds):
        raise PermillionError("invalid-fields", "give rows, or terms or a period in price_book", pointer="/rows")
    rows: list[NewRow | ClearedRate] = []
    for index, row in enumerate(request.rows):
        try:
            rows.append(_from_api_row(row, book.currency, known_tokenizers, now.astimezone(UTC).date()))
        except PermillionError as error:
            raise PermillionError(error.slug, error.detail, pointer=f"/rows/{index}{error.pointer}") from None
    try:
        terms = from_api_terms(book.terms)
    except PermillionError as error:
        raise PermillionError(error.slug, error.detail, pointer=f"/price_book{error.pointer}") from None
    return Publication(NewBook(book.id, book.base, book.currency, bounds=bounds), rows, terms=terms)


def _from_api_row(
    row: PriceRowToPublish, currency: str, known_tokenizers: frozenset[str], today: date
) -> NewRow | ClearedRate:
    if row.currency not in (None, currency):
        raise PermillionError("invalid-fields", f"the book is in {currency}", pointer="/currency")
    per = row.per if row.unit is None else _per_of_unit(row, row.unit, currency)
    if row.tokenizer is not None and row.tokenizer not in known_tokenizers:
        raise PermillionError("unknown-tokenizer", "no such tokenizer; see GET /tokenizers", pointer="/tokenizer")
    if "price_book" in row.context:
        raise PermillionError("invalid-fields", "price_book stands beside context", pointer="/context/price_book")
    if row.min_inclusive and row.min_input_tokens is None:
        raise PermillionError("invalid-fields", "min_inclusive needs min_input_tokens", pointer="/min_inclusive")
    if row.output_inclusive and row.min_output_tokens is None:
        raise PermillionError("invalid-fields", "output_inclusive needs min_output_tokens", pointer="/output_inclusive")
    try:
        checked_on = None if row.checked_on is None else date.fromisoformat(row.checked_on)
    except ValueError:
        raise PermillionError("invalid-fields", "not a day", pointer="/checked_on") from None
    if checked_on is not None and checked_on > today:
        raise PermillionError(
            "invalid-fields", f"nothing was checked yet on that day: today is {today} (UTC)", pointer="/checked_on"
        )
    conditions = {name: (value,) for name, value in row.context.items()}
    tier = Tier(
        row.min_input_tokens, row.min_inclusive, row.max_input_tokens, row.min_output_tokens, row.output_inclusive
    )
    period = Period(row.valid_from, row.valid_to)
    if row.rate is None:
        return ClearedRate(row.provider, row.model, row.meter, conditions, tier, period)
    price = PriceRow(
        meter=row.meter,
        rate=row.rate,
        per=per,
        currency=currency,
        provenance=Provenance(row.source, checked_on, note=unit_note(row.unit or "")),
        conditions=conditions,
        tier=tier,
        period=period,
        start_known=row.valid_from is not None,
        tax_included=row.tax_included,
        tax_rate=row.tax_rate,
        min_quantity=row.min_quantity,
    )
    return NewRow(row.provider, row.model, row.tokenizer, price)


def _per_of_unit(row: PriceRowToPublish, text: str, currency: str) -> int:
    """How many units of the meter a rate is for, of a unit in the words of a price page."""
    unit = read_price_unit(text)
    if unit is None:
        raise PermillionError(
            "invalid-fields", "write a unit as USD per 1M tokens, per 1K tokens or 元/百万tokens", pointer="/unit"
        )
    if row.meter not in unit.meters:
        raise PermillionError("invalid-fields", f"this unit cannot be said of {row.meter}", pointer="/unit")
    if unit.currency not in (None, currency):
        raise PermillionError(
            "invalid-fields", f"the unit is in {unit.currency} and the book in {currency}", pointer="/unit"
        )
    if "per" in row.model_fields_set and row.per != unit.per:
        raise PermillionError("invalid-fields", f"the unit is per {unit.per}; leave per out", pointer="/per")
    return unit.per


def to_api_price_record(record: PriceRecord) -> dict[str, Any]:
    """A row of `/prices`."""
    return {
        "provider": record.provider,
        "model": record.model,
        "price_book": record.price_book,
        "kind": record.kind,
        "meter": record.meter,
        "rate": format_decimal(record.rate),
        "per": record.per,
        "currency": record.currency,
        "context": format_context({name: "|".join(values) for name, values in record.conditions.items()}),
        "min_input_tokens": record.min_input_tokens,
        "min_inclusive": record.min_inclusive,
        "max_input_tokens": record.max_input_tokens,
        "schedule": record.schedule,
        "valid_from": _instant(record.valid_from),
        "valid_to": _instant(record.valid_to),
        "start_known": record.start_known,
        "tax_included": record.tax_included,
        "tax_rate": None if record.tax_rate is None else format_decimal(record.tax_rate),
        "status": record.status,
        "source": record.source,
        "source_url": record.source_url,
        "checked_on": None if record.checked_on is None else record.checked_on.isoformat(),
        "recorded_at": _instant(record.recorded_at),
        "superseded_at": _instant(record.superseded_at),
        "note": record.note,
        "min_quantity": None if record.min_quantity is None else format_decimal(record.min_quantity),
        "min_output_tokens": record.min_output_tokens,
        "output_inclusive": bool(record.output_inclusive),
    }


def _instant(instant: datetime | None) -> str | None:
    return None if instant is None else format_instant(instant)
