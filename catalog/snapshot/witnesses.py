"""What imported feeds say of one model, and which of its prices they contradict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from economics.agreement import comparables, compare_prices
from economics.prices import PriceRow, PriceStatus
from providers.sheet import Source

_KEPT: Final = 256
"""Rows whose contradictions are remembered: an offer seldom has more, and a caller must not make it grow."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A price of a model as an imported feed has it, in the book `price_book`; it speaks for or against the list's."""

    price_book: str
    row: PriceRow
    source: Source


class Witnesses:
    """The witnesses of an offer. Which of them contradict a row does not depend on the question, so it is found once a row."""

    def __init__(self, found: Sequence[Witness] = ()) -> None:
        self._found = found
        self._against: dict[int, tuple[PriceRow, list[tuple[Witness, PriceStatus]]]] = {}

    def __iter__(self) -> Iterator[Witness]:
        return iter(self._found)

    def __bool__(self) -> bool:
        return bool(self._found)

    def against(self, row: PriceRow) -> Sequence[tuple[Witness, PriceStatus]]:
        """Those that have another price of the same thing, each with what that makes of the price of `row`."""
        known = self._against.get(id(row))
        if known is not None and known[0] is row:
            return known[1]
        meant = set(comparables(row))
        compared = [
            (witness, compare_prices(row, witness.row).status)
            for witness in self._found
            if witness.row.meter == row.meter and not meant.isdisjoint(comparables(witness.row))
        ]
        contradicting: list[tuple[Witness, PriceStatus]] = [
            (witness, status) for witness, status in compared if status is not PriceStatus.OK
        ]
        if len(self._against) >= _KEPT:
            self._against.clear()
        self._against[id(row)] = (row, contradicting)
        return contradicting
