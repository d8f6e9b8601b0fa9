"""The last step of every feed: what its reader made of the file, checked so that publishing it cannot fail.

A row that a book cannot hold, a name that cannot be one, a 0 nobody called free and a second price for the same usage at
the same time become refusals; the others stay.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from economics.money import format_decimal, multiply
from economics.naming import CONTEXT_VALUE, CURRENCY, MODEL, PROVIDER
from economics.periods import Period
from economics.prices import PriceRow
from providers.feeds.reading import FeedReading, FeedRow, Refused
from providers.sheet import Source

MAX_NOTE: Final = 2_000
_MAX_SHOWN: Final = 300
_MAX_COUNT: Final = 10**15
_MAX_SLOT: Final = 1_000
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_END: Final = datetime(2200, 1, 1, tzinfo=UTC)


def gather(
    sources: Mapping[str, Source], rows: Iterable[FeedRow], refused: Iterable[Refused], entries: int
) -> FeedReading:
    """A reading whose rows can all be published into one book per currency.

    Of rows of one currency, vendor, model (without regard to case) and slot, the first that holds at an instant is kept.
    A later one that overlaps it is a repeat where it says the same rate and no more time, and is dropped; otherwise it is
    refused as `overlap`.

    Args:
        sources: by title; only those that a row names are kept.
        rows: in the order of the feed.
        refused: what the reader refused already.
        entries: how many the feed had.
    """
    refusals = [_printable(each) for each in refused]
    kept: list[FeedRow] = []
    slots: dict[tuple[str, str, str, str], _Taken] = {}
    for given in rows:
        row = _tidied(given)
        fault = _fault(row, sources)
        if fault is None:
            key = (row.row.currency, row.provider.casefold(), row.model.casefold(), row.row.slot)
            rival = slots.setdefault(key, _Taken()).take(row.row)
            if rival is None:
                kept.append(row)
                continue
            if _repeats(row.row, rival):
                continue
            fault = ("overlap", f"{_shown(row.row)}, while {_shown(rival)} of the same feed holds at the same time")
        refusals.append(_printable(Refused(row.upstream_id, row.row.slot, *fault)))
    named = {row.row.provenance.source for row in kept}
    return FeedReading({title: s for title, s in sources.items() if title in named}, kept, refusals, entries)


def one_line(text: str, most: int = MAX_NOTE) -> str:
    r"""Text of somebody else as a note can hold it: printable, on one line, clipped.

    >>> one_line("a promotion,\n  see the page\x00")
    'a promotion, see the page'
    """
    line = " ".join(text.split())
    line = "".join(c for c in line if c.isprintable())
    return line if len(line) <= most else line[: most - 1] + "…"


@dataclass(slots=True)
class _Taken:
    """The time of one slot that rows hold already, in order; no two of them overlap."""

    starts: list[datetime] = field(default_factory=list)
    rows: list[PriceRow] = field(default_factory=list)

    def take(self, row: PriceRow) -> PriceRow | None:
        """None where the time was free, else the row that has it."""
        start = row.period.valid_from or _EARLIEST
        at = bisect_left(self.starts, start)
        for rival in self.rows[max(at - 1, 0) : at + 1]:
            if rival.period.overlaps(row.period):
                return rival
        self.starts.insert(at, start)
        self.rows.insert(at, row)
        return None


def _repeats(row: PriceRow, kept: PriceRow) -> bool:
    return _same_rate(row, kept) and row.tier == kept.tier and _within(row.period, kept.period)


def _same_rate(row: PriceRow, kept: PriceRow) -> bool:
    return multiply(row.rate, Decimal(kept.per)) == multiply(kept.rate, Decimal(row.per))


def _within(period: Period, wider: Period) -> bool:
    starts = wider.valid_from is None or (period.valid_from is not None and wider.valid_from <= period.valid_from)
    ends = wider.valid_to is None or (period.valid_to is not None and period.valid_to <= wider.valid_to)
    return starts and ends


def _tidied(row: FeedRow) -> FeedRow:
    note = row.row.provenance.note
    line = one_line(note)
    if line == note:
        return row
    return replace(row, row=replace(row.row, provenance=replace(row.row.provenance, note=line)))


def _fault(row: FeedRow, sources: Mapping[str, Source]) -> tuple[str, str] | None:
    """Reason and detail why a row cannot be published, or None."""
    price = row.row
    if not PROVIDER.fullmatch(row.provider):
        return "invalid-name", "a provider is 1 to 64 letters, digits and -+.()"
    if not MODEL.fullmatch(row.model):
        return "invalid-name", "a model is 1 to 200 letters, digits and -+.:/@(), the first a letter or digit"
    if not CURRENCY.fullmatch(price.currency):
        return "missing-currency", "a currency is three capital letters"
    if price.provenance.source not in sources:
        return "malformed", "the row names no source of the feed"
    if not price.rate.is_finite():
        return "not-a-number", "the rate is not finite"
    if not price.rate and not row.free:
        return "zero-price", f"{price.meter} is 0, and the feed does not say that it is free"
    whole, _, fraction = format_decimal(price.rate).partition(".")
    if len(whole) > 18 or len(fraction) > 30:
        return "not-a-number", "a rate has at most 18 digits before the point and 30 after it"
    instants = (price.period.valid_from, price.period.valid_to)
    if not all(instant is None or _FIRST <= instant < _END for instant in instants):
        return "malformed", "an instant must lie between 1970 and 2199"
    counts = (price.per, price.tier.min_input_tokens, price.tier.max_input_tokens)
    if not all(count is None or 0 <= count <= _MAX_COUNT for count in counts):
        return "malformed", "a count must lie between 0 and 10^15"
    values = [value for some in price.conditions.values() for value in some or ("",)]
    if not all(CONTEXT_VALUE.fullmatch(value) for value in values) or len(price.slot) > _MAX_SLOT:
        return "unknown-context", "a mode is 1 to 64 letters, digits, dots, underscores and hyphens"
    return None


def _shown(row: PriceRow) -> str:
    return f"{format_decimal(row.rate)} {row.currency} per {row.per}"


def _printable(refused: Refused) -> Refused:
    """Refusals are printed: names of the feed's may hold anything."""
    upstream_id, where = (one_line(text, _MAX_SHOWN) for text in (refused.upstream_id, refused.where))
    return replace(refused, upstream_id=upstream_id, where=where, detail=one_line(refused.detail))
