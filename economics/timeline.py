"""The rows of one offer by when they hold: what is in force at an instant is found by bisection, however long the history.

Rows of one slot never overlap in time, so at any instant at most one of each slot holds. A slot is kept as the sorted starts
of its rows; looking up costs the number of slots times the logarithm of their length, not the number of rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar

from economics.prices import PriceRow, Uplift

EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
Row = TypeVar("Row", PriceRow, Uplift)


class Timeline(Generic[Row]):
    """Rows, found by instant.

    Args:
        rows: any order; of one slot no two may overlap in time.

    >>> from decimal import Decimal
    >>> from economics.periods import Period
    >>> from economics.prices import Provenance
    >>> july = datetime(2026, 7, 1, tzinfo=UTC)
    >>> rows = [PriceRow("input_tokens", Decimal(rate), 1_000_000, "USD", Provenance("offer", None), period=period)
    ...         for rate, period in ((3, Period(None, july)), (2, Period(july)))]
    >>> [str(row.rate) for row in Timeline(rows).at(july)]
    ['2']
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        slots: dict[str, list[tuple[datetime, int, Row]]] = {}
        for position, row in enumerate(rows):
            slots.setdefault(row.slot, []).append((row.period.valid_from or EARLIEST, position, row))
        self._slots: list[tuple[list[datetime], list[tuple[int, Row]]]] = []
        for entries in slots.values():
            entries.sort(key=_start)
            self._slots.append(([start for start, _, _ in entries], [(at, row) for _, at, row in entries]))

    def at(self, instant: datetime) -> Sequence[Row]:
        """The rows that hold at `instant`, in the order they were given."""
        found: list[tuple[int, Row]] = []
        for starts, rows in self._slots:
            last = bisect_right(starts, instant) - 1
            if last >= 0 and rows[last][1].period.contains(instant):
                found.append(rows[last])
        found.sort(key=_position)
        return tuple(row for _, row in found)


def _start(entry: tuple[datetime, int, Row]) -> tuple[datetime, int]:
    return entry[:2]


def _position(entry: tuple[int, Row]) -> int:
    return entry[0]
