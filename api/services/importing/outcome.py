"""What one row of a feed means beside what is believed of the same thing already.

A feed says what it saw on the day it was taken; only some say since when a price holds. "Seen since" is never taken for
"valid since": a price without a start is recorded with an unknown one, and when a later file says another price, that one
starts on the day it was seen. What was believed of earlier instants stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal

from economics.agreement import price_of_unit
from economics.periods import Period
from economics.prices import PriceRow

Kind = Literal["added", "changed", "confirmed", "unchanged", "older"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a row: `row` is what is to be published (None for nothing), `before` the price it takes the place of."""

    kind: Kind
    row: PriceRow | None = None
    before: PriceRow | None = None


def outcome_of(new: PriceRow, believed: Sequence[PriceRow], seen_on: date) -> Outcome:
    """Whether `new` is news.

    Args:
        new: a feed's row, checked on `seen_on`.
        believed: the rows of its slot that are believed now.
        seen_on: the day the feed was taken.

    Returns:
        `added` where nothing was known of the time it speaks of, `changed` where another price was, `confirmed` where the
        same one was and this look at it is later, `older` where what is believed was checked later, else `unchanged`.
    """
    if new.period.valid_from is None and new.period.valid_to is None:
        return _seen(new, believed, seen_on)
    rivals = [row for row in believed if row.period.overlaps(new.period)]
    if not rivals:
        return Outcome("added", new)
    if all(same_price(row, new) for row in rivals) and _cover(rivals, new.period):
        return _confirmed(rivals[0], new) if len(rivals) == 1 and rivals[0].period == new.period else _UNCHANGED
    differing = next((row for row in rivals if not same_price(row, new)), rivals[0])
    if _later(differing, new):
        return Outcome("older", before=differing)
    return Outcome("changed", new, differing)


def same_price(one: PriceRow, other: PriceRow) -> bool:
    """Whether two rows of one slot charge the same."""
    return (
        price_of_unit(one) == price_of_unit(other)
        and one.search_unit is other.search_unit
        and (one.tax_included, one.tax_rate) == (other.tax_included, other.tax_rate)
    )


_UNCHANGED = Outcome("unchanged")


def _seen(new: PriceRow, believed: Sequence[PriceRow], seen_on: date) -> Outcome:
    if not believed:
        return Outcome("added", new)
    at = datetime(seen_on.year, seen_on.month, seen_on.day, tzinfo=UTC)
    current = next((row for row in believed if row.period.contains(at)), None)
    since = replace(new, period=Period(at), start_known=False)
    if current is None:
        return Outcome("added", since)
    if same_price(current, new):
        return _confirmed(current, new)
    if _later(current, new):
        return Outcome("older", before=current)
    return Outcome("changed", since, current)


def _confirmed(current: PriceRow, new: PriceRow) -> Outcome:
    known, seen = current.provenance.checked_on, new.provenance.checked_on
    if seen is None or (known is not None and known >= seen):
        return _UNCHANGED
    return Outcome("confirmed", replace(current, provenance=new.provenance), current)


def _later(current: PriceRow, new: PriceRow) -> bool:
    known, seen = current.provenance.checked_on, new.provenance.checked_on
    return known is not None and seen is not None and known > seen


def _cover(rows: Sequence[PriceRow], period: Period) -> bool:
    """Whether `rows`, which do not overlap each other, hold at every instant of `period`."""
    earliest = datetime.min.replace(tzinfo=UTC)
    reached = period.valid_from or earliest
    for row in sorted(rows, key=lambda row: row.period.valid_from or earliest):
        if (row.period.valid_from or earliest) > reached:
            return False
        if row.period.valid_to is None:
            return True
        reached = max(reached, row.period.valid_to)
    return period.valid_to is not None and reached >= period.valid_to
