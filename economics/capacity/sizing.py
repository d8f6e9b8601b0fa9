"""How many units of reserved capacity a load needs: two rules that cover every vendor.

Weighted sum (Azure PTU, Vertex GSU): each part of a query counts by a weight, and their sum is divided by what a unit carries.
Vector cap (Bedrock model units, Alibaba PTU): a unit carries so much of each dimension; the scarcest decides.
Sources: Microsoft Learn, PTU costs and billing (2026-04-07); Google Cloud, Provisioned Throughput (read 2026-12-01).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from economics.money import Exact, exact


@dataclass(frozen=True, slots=True)
class QueryLoad:
    """One query in the measure of the capacity (tokens, characters, images); `cached_input` is part of `input`."""

    input: Exact
    cached_input: Exact
    output: Exact


@dataclass(frozen=True, slots=True)
class Weights:
    """What one of each counts as; 0 for cached input that is deducted in full."""

    input: Exact
    cached_input: Exact
    output: Exact


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that a unit carries a limited amount of, in the same window as the load.

    Attributes:
        need: at the peak.
        per_unit: what one unit carries.
    """

    name: str
    need: Exact
    per_unit: Exact

    @property
    def raw_units(self) -> Exact:
        """`need / per_unit`, before rounding."""
        return self.need / self.per_unit

    @property
    def whole_units(self) -> Decimal:
        """`raw_units` rounded up."""
        return round_up(self.raw_units)


@dataclass(frozen=True, slots=True)
class Sizing:
    """Units to buy and how they came about."""

    dimensions: Sequence[Dimension]
    units: Decimal
    minimum: Decimal
    increment: Decimal

    @property
    def binding(self) -> Dimension:
        """The dimension that decides; the first of equal ones."""
        best = self.dimensions[0]
        for dimension in self.dimensions[1:]:
            if best.raw_units < dimension.raw_units:
                best = dimension
        return best

    @property
    def carried_share(self) -> Exact:
        """How many times the peak the units carry; below 1 the rest overflows, above it there is room.

        105 PTU that need 104 carry 105/104 of the peak.
        """
        return exact(self.units) / self.binding.raw_units


def weighted_load(query: QueryLoad, weights: Weights) -> Exact:
    """What one query counts as: `(input − cached)·w_in + cached·w_cached + output·w_out`.

    Worked number (Azure, gpt-4.1): 1,800 input of which 600 cached, 350 output, weights 1, 0, 4: 1,200 + 1,400 = 2,600; at 120
    a minute 312,000.

    >>> load, weights = QueryLoad(exact(1800), exact(600), exact(350)), Weights(exact(1), exact(0), exact(4))
    >>> weighted_load(load, weights).to_text()
    '2600'
    """
    fresh = query.input - query.cached_input
    return fresh * weights.input + query.cached_input * weights.cached_input + query.output * weights.output


def size_units(dimensions: Sequence[Dimension], minimum: Decimal, increment: Decimal) -> Sizing:
    """The units to buy: the scarcest dimension rounded up, at least `minimum`, then up to a multiple of `increment`.

    A minimum that is no multiple may be bought as it is. Worked numbers: 104 PTU with a minimum of 15 and steps of 5 are 105;
    max(⌈300,000 / 120,000⌉, ⌈40,000 / 15,000⌉) = 3 model units.

    >>> caps = [Dimension("input", exact(300_000), exact(120_000)), Dimension("output", exact(40_000), exact(15_000))]
    >>> size_units(caps, Decimal(1), Decimal(1)).units
    Decimal('3')
    >>> size_units([Dimension("tokens", exact(312_000), exact(3_000))], Decimal(15), Decimal(5)).units
    Decimal('105')
    """
    needed = max(dimension.whole_units for dimension in dimensions)
    steps = round_up(exact(needed) / exact(increment))
    return Sizing(dimensions, minimum if needed <= minimum else steps * increment, minimum, increment)


def round_up(value: Exact) -> Decimal:
    """The least whole number not below `value`.

    >>> round_up(exact(7) / exact(2)), round_up(exact(4))
    (Decimal('4'), Decimal('4'))
    """
    ratio = Fraction(value.numerator) / Fraction(value.denominator)
    return Decimal(-(-ratio.numerator // ratio.denominator))
