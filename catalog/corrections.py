"""Valid time without SQL: which rows collide, and what is left of an old row when a new one takes part of its time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise

from economics.periods import Period
from economics.prices import PriceRow

EARLIEST = datetime.min.replace(tzinfo=UTC)


def first_overlap(rows: Iterable[tuple[Hashable, Period]]) -> tuple[int, int] | None:
    """Positions of two rows of one slot whose periods share an instant, or None.

    Args:
        rows: slot and period of each row.

    Returns:
        The two positions in ascending order. Neighbours by start are compared, so some pair is found whenever there is one.

    >>> june, july = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
    >>> first_overlap([("a", Period(None, june)), ("a", Period(june)), ("a", Period(july))])
    (1, 2)
    """
    slots: dict[Hashable, list[tuple[datetime, int, Period]]] = {}
    for position, (slot, period) in enumerate(rows):
        slots.setdefault(slot, []).append((period.valid_from or EARLIEST, position, period))
    found: list[tuple[int, int]] = []
    for rivals in slots.values():
        if len(rivals) > 1:
            rivals.sort(key=lambda rival: rival[:2])
            found.extend(
                (min(one, other), max(one, other))
                for (_, one, before), (_, other, after) in pairwise(rivals)
                if before.overlaps(after)
            )
    return min(found, key=lambda pair: pair[1], default=None)


@dataclass(frozen=True, slots=True)
class Believed:
    """A row of a slot that is believed: recorded already under `row_id`, or still to be recorded (None)."""

    row: PriceRow
    row_id: int | None = None


def correct(believed: Sequence[Believed], new: PriceRow) -> tuple[list[Believed], list[Believed]]:
    """What is believed of a slot once `new` is published, and what it takes the place of.

    Of each old row that overlaps `new`, the parts outside of it, `[old.from, new.from)` and `[new.to, old.to)`, are believed
    again as rows of their own. The start of the right one is certain: it is the end of `new`.

    Args:
        believed: in the order of their starts, none overlapping another; the answer is so again.
        new: the row that takes its time from them.

    >>> from decimal import Decimal
    >>> from economics.prices import Provenance
    >>> june, july = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
    >>> old = PriceRow("input_tokens", Decimal(2), 1_000_000, "USD", Provenance("offer", None))
    >>> now, gone = correct([Believed(old, 1)], replace(old, rate=Decimal(1), period=Period(june, july)))
    >>> [(str(b.row.rate), b.row.period.valid_from, b.row.period.valid_to) == e for b, e in zip(now, [
    ...     ("2", None, june), ("1", june, july), ("2", july, None)])], len(gone)
    ([True, True, True], 1)
    """
    return _replaced(believed, new.period, [Believed(new)])


def clear(believed: Sequence[Believed], cleared: Period) -> tuple[list[Believed], list[Believed]]:
    """What is believed of a slot once nothing is for `cleared`, and what is believed no longer; all else as in `correct`."""
    return _replaced(believed, cleared, [])


def _replaced(
    believed: Sequence[Believed], period: Period, new: Sequence[Believed]
) -> tuple[list[Believed], list[Believed]]:
    start, end = period.valid_from, period.valid_to
    first = 0 if start is None else max(bisect_right(believed, start, key=start_of) - 1, 0)
    if first < len(believed) and not believed[first].row.period.overlaps(period):
        first += believed[first].row.period.valid_from is None or (
            start is not None and start_of(believed[first]) < start
        )
    last = len(believed) if end is None else bisect_left(believed, end, key=start_of)
    gone = list(believed[first:last])
    before: list[Believed] = []
    after: list[Believed] = []
    if gone and start is not None and start_of(gone[0]) < start:
        row = gone[0].row
        before.append(Believed(replace(row, period=Period(row.period.valid_from, start))))
    if gone and end is not None and ((ends := gone[-1].row.period.valid_to) is None or end < ends):
        after.append(Believed(replace(gone[-1].row, period=Period(end, ends), start_known=True)))
    return [*believed[:first], *before, *new, *after, *believed[last:]], gone


def start_of(believed: Believed) -> datetime:
    """The start of a row; an unknown one is before all others."""
    return believed.row.period.valid_from or EARLIEST
