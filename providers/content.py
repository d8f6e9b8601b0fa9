"""What a sheet says, as values of the domain: models, price rows, uplifts, vocabulary, schedules.

This is what the catalog stores; it knows nothing of YAML. A block of a sheet becomes one `PriceRow` a rate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from economics.context import ContextKey, Vocabulary
from economics.errors import PermillionError
from economics.meters import METERS
from economics.periods import Period
from economics.prices import PriceRow, Provenance, Tier, Unpriced, Uplift
from economics.schedules import WEEKDAYS, Schedule
from providers.sheet import Alias, Block, Book, Gap, Model, Sheet, Source


@dataclass(frozen=True, slots=True)
class OfferRow:
    """A price row or an uplift of one model in one book."""

    book: str
    model: str
    row: PriceRow | Uplift


@dataclass(frozen=True, slots=True)
class ProviderContent:
    """Everything one provider sells, as its sheet says it; `revoked` was announced and taken back, and never held."""

    provider: str
    name: str
    homepage: str | None
    books: Mapping[str, Book]
    sources: Mapping[str, Source]
    vocabulary: Vocabulary
    schedules: Mapping[str, Schedule]
    models: Mapping[str, Model]
    rows: Sequence[OfferRow]
    revoked: Sequence[OfferRow] = ()


def content_of(sheet: Sheet) -> ProviderContent:
    """The domain values of `sheet`.

    Raises:
        PermillionError: `invalid-sheet` for a source, book, schedule, calendar or model that the sheet does not define,
            an unstated book where there are several, or a rate the domain refuses.
    """
    for calendar, days in sheet.calendars.items():
        if days.source not in sheet.sources:
            raise PermillionError("invalid-sheet", f"{sheet.provider}: the calendar {calendar} names an unknown source")
    rows: list[OfferRow] = []
    revoked: list[OfferRow] = []
    for model_id, model in sheet.models.items():
        try:
            _check_model(sheet, model)
            for block in model.prices:
                (revoked if block.revoked else rows).extend(_rows(sheet, model_id, model, block))
        except PermillionError as error:
            raise PermillionError("invalid-sheet", f"{sheet.provider}/{model_id}: {error.detail}") from None
    rows.extend(_uplifts(sheet))
    keys = {n: ContextKey(k.values, k.default, k.synonyms, k.undecided) for n, k in sheet.context.items()}
    return ProviderContent(
        sheet.provider,
        sheet.name,
        sheet.homepage,
        sheet.price_books,
        sheet.sources,
        Vocabulary(keys, sheet.contradictions),
        {name: _schedule(sheet, name) for name in sheet.schedules},
        sheet.models,
        rows,
        revoked,
    )


def _check_model(sheet: Sheet, model: Model) -> None:
    if model.successor is not None and model.successor not in sheet.models:
        raise PermillionError("invalid-sheet", f"the successor {model.successor} is no model of the sheet")
    for alias in model.aliases:
        if alias.source is not None:
            _title(sheet, alias.source)
        Period(alias.valid_from, alias.valid_to)
    for gap in model.unpriced:
        _title(sheet, gap.source)
        Period(gap.valid_from, gap.valid_to)
        if gap.book is not None:
            _book(sheet, gap.book)
    periods: list[Period] = []
    for limit in model.limits:
        _title(sheet, limit.source)
        period = Period(limit.valid_from, limit.valid_to)
        if any(period.overlaps(other) for other in periods):
            raise PermillionError("invalid-sheet", "two limits overlap in time")
        periods.append(period)


def _rows(sheet: Sheet, model_id: str, model: Model, block: Block) -> list[OfferRow]:
    book_id = _book(sheet, block.book)
    book = sheet.price_books[book_id]
    start, known = block.valid_from, block.valid_from is not None and not block.unconfirmed_start
    if start is None and model.released_on is not None:
        start = _midnight(model.released_on)
    if block.schedule is not None and block.schedule not in sheet.schedules:
        raise PermillionError("invalid-sheet", f"no schedule is named {block.schedule}")
    if block.above is not None and block.at_least is not None:
        raise PermillionError("invalid-sheet", "a block is either above a bound or at least a bound, not both")
    if block.output_above is not None and block.output_at_least is not None:
        raise PermillionError("invalid-sheet", "a block is either above an output bound or at least one, not both")
    for meter, rate in block.rates.items():
        if rate.unit is not None and meter != "web_searches":
            raise PermillionError("invalid-sheet", f"{meter} has no unit: it says what one web search is")
    tier = Tier(
        block.above if block.at_least is None else block.at_least,
        block.at_least is not None,
        block.up_to,
        block.output_above if block.output_at_least is None else block.output_at_least,
        block.output_at_least is not None,
    )
    provenance = Provenance(_title(sheet, block.source), block.checked, block.status, block.note or "")
    return [
        OfferRow(
            book_id,
            model_id,
            PriceRow(
                meter=meter,
                rate=rate.rate,
                per=rate.per or METERS[meter].per,
                currency=book.currency,
                provenance=provenance,
                conditions=block.when,
                tier=tier,
                schedule=block.schedule,
                period=Period(start, block.valid_to),
                start_known=known,
                tax_included=book.tax_included,
                tax_rate=book.tax_rate,
                search_unit=rate.unit,
                min_quantity=rate.min_quantity,
            ),
        )
        for meter, rate in block.rates.items()
    ]


def unpriced_in(gaps: Sequence[Gap], book: str, sources: Mapping[str, Source]) -> list[Unpriced]:
    """The contexts of a model in which it is sold in a book at a price nobody states."""
    return [
        Unpriced(gap.when, sources[gap.source].title, Period(gap.valid_from, gap.valid_to))
        for gap in gaps
        if gap.book in (None, book)
    ]


def _uplifts(sheet: Sheet) -> list[OfferRow]:
    found: list[OfferRow] = []
    for uplift in sheet.uplifts:
        try:
            row = Uplift(
                uplift.factor,
                uplift.when,
                Provenance(_title(sheet, uplift.source), uplift.checked, note=uplift.note or ""),
                Period(uplift.valid_from, uplift.valid_to),
                uplift.valid_from is not None,
            )
        except PermillionError as error:
            raise PermillionError("invalid-sheet", f"{sheet.provider}: an uplift: {error.detail}") from None
        for model_id in uplift.models or tuple(sheet.models):
            if model_id not in sheet.models:
                raise PermillionError(
                    "invalid-sheet", f"{sheet.provider}: an uplift names the unknown model {model_id}"
                )
            found.append(OfferRow(_book(sheet, uplift.book), model_id, row))
    return found


def _book(sheet: Sheet, named: str | None) -> str:
    if named is None and len(sheet.price_books) == 1:
        return next(iter(sheet.price_books))
    if named is None or named not in sheet.price_books:
        raise PermillionError("invalid-sheet", f"say one of the books {', '.join(sheet.price_books)}")
    return named


def _title(sheet: Sheet, source_id: str) -> str:
    if source_id not in sheet.sources:
        raise PermillionError("invalid-sheet", f"no source is named {source_id}")
    return sheet.sources[source_id].title


def _schedule(sheet: Sheet, name: str) -> Schedule:
    hours = sheet.schedules[name]
    days_off: frozenset[date] = frozenset()
    if hours.calendar is not None:
        if hours.calendar not in sheet.calendars:
            raise PermillionError("invalid-sheet", f"no calendar is named {hours.calendar}")
        days_off = frozenset(sheet.calendars[hours.calendar].dates)
    try:
        ZoneInfo(hours.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise PermillionError("invalid-sheet", f"no time zone is named {hours.timezone}") from None
    weekdays = tuple(day.lower() for day in hours.weekdays)
    if not set(weekdays) <= set(WEEKDAYS):
        raise PermillionError("invalid-sheet", f"weekdays are {', '.join(WEEKDAYS)}")
    return Schedule(name, hours.timezone, tuple(_window(window) for window in hours.windows), weekdays, days_off)


_WINDOW = re.compile(r"([0-9]{2}):([0-9]{2})\s*-\s*([0-9]{2}):([0-9]{2})", re.ASCII)


def _window(text: str) -> tuple[time, time]:
    found = _WINDOW.fullmatch(text)
    try:
        hours = [int(part) for part in found.groups()] if found is not None else []
        start, end = time(hours[0], hours[1]), time(hours[2], hours[3])
    except (ValueError, IndexError):
        raise PermillionError("invalid-sheet", "a window is written HH:MM-HH:MM") from None
    if start == end:
        raise PermillionError("invalid-sheet", "a window must end at another time than it starts")
    return start, end


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


__all__ = ["Alias", "Book", "Model", "OfferRow", "ProviderContent", "Source", "content_of", "unpriced_in"]
