"""One thing that was found about a measurement, and the best grade that it leaves."""

from __future__ import annotations

from typing import Final, NamedTuple

from hardware.throughput.question import Grade


class Finding(NamedTuple):
    """A code for machines, words for people, and the ceiling: F contradicts itself, D may not enter a cost, C a wide band."""

    code: str
    text: str
    ceiling: Grade


GRADES: Final[tuple[Grade, ...]] = ("A", "B", "C", "D", "F")


def worst(grades: list[Grade]) -> Grade:
    """The lowest of some grades, A of none.

    >>> worst(["B", "D", "C"]), worst([])
    ('D', 'A')
    """
    return max(grades, key=GRADES.index, default="A")
