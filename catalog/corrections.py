"""Valid time without SQL: which rows collide, and what is left of an old row when a new one takes part of its time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise

from economics.periods import Period
from economics.prices import PriceRow

_EARLIEST = datetime.min.replace(tzinfo=UTC)


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
        slots.setdefault(slot, []).append((period.valid_from or _EARLIEST, position, period))
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

    >>> from decimal import Decimal
    >>> from economics.prices import Provenance
    >>> june, july = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
    >>> old = PriceRow("input_tokens", Decimal(2), 1_000_000, "USD", Provenance("offer", None))
    >>> now, gone = correct([Believed(old, 1)], replace(old, rate=Decimal(1), period=Period(june, july)))
    >>> [(str(b.row.rate), b.row.period.valid_from, b.row.period.valid_to) == e for b, e in zip(now, [
    ...     ("2", None, june), ("2", july, None), ("1", june, july)])], len(gone)
    ([True, True, True], 1)
    """
    now, gone = clear(believed, new.period)
    now.append(Believed(new))
    return now, gone


def clear(believed: Sequence[Believed], cleared: Period) -> tuple[list[Believed], list[Believed]]:
    """What is believed of a slot once nothing is for `cleared`, and what is believed no longer; remainders as in `correct`."""
    now: list[Believed] = []
    gone: list[Believed] = []
    start, end = cleared.valid_from, cleared.valid_to
    for old in believed:
        period = old.row.period
        if not period.overlaps(cleared):
            now.append(old)
            continue
        gone.append(old)
        if start is not None and (period.valid_from is None or period.valid_from < start):
            now.append(Believed(replace(old.row, period=Period(period.valid_from, start))))
        if end is not None and (period.valid_to is None or end < period.valid_to):
            now.append(Believed(replace(old.row, period=Period(end, period.valid_to), start_known=True)))
    return now, gone
