"""Whether two sources say the same price, and what kind of mistake lies behind it if they do not.

Two prices are compared exactly, as fractions of one unit: `ratio = other / chosen`. Above 1 % apart they are `disputed`, above
a factor of 2 `suspect`. Some ratios explain themselves: within 2 % of 10^k with k ≥ 2 a unit was mistaken (per thousand for per
million); one constant ratio over many models of a vendor is a currency taken for another, or a uniform premium. Prices are
never averaged and sources never counted: one that copies another is the same witness twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from economics.prices import PriceRow, PriceStatus

Comparable = tuple[str, tuple[tuple[str, str], ...], int | None]
"""Meter, context in one value a key, and the exclusive lower bound of the tier."""

DISPUTED_ABOVE = Fraction(101, 100)
SUSPECT_ABOVE = Fraction(2)
_UNIT_TOLERANCE = Fraction(2, 100)
_UNIT_POWERS = range(2, 10)
_CONSTANT_TOLERANCE = Fraction(5, 1_000)
_CONSTANT_FROM = 3
"""Prices that must show a ratio before it is called constant."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How another source's price stands to the chosen one.

    Args:
        status: `OK`, `DISPUTED` or `SUSPECT`.
        ratio: other / chosen, None where the chosen price is 0.
        finding: `unit_slip` where the ratio is a power of ten, else "".
    """

    status: PriceStatus
    ratio: Fraction | None
    finding: str = ""


AGREED = Agreement(PriceStatus.OK, Fraction(1))


def comparables(row: PriceRow) -> Iterator[Comparable]:
    """What `row` is the price of, one key a combination of its context values.

    A rate on a schedule, or for answers of some length, compares with none.

    Counts are whole numbers, so a tier from 200,000 on and one above 199,999 are the same.

    >>> from decimal import Decimal
    >>> from economics.prices import Provenance, Tier
    >>> row = PriceRow("input_tokens", Decimal(4), 1_000_000, "USD", Provenance("offer", None), tier=Tier(200_000, True))
    >>> list(comparables(row))
    [('input_tokens', (), 199999)]
    """
    if row.schedule is not None or row.tier.min_output_tokens is not None:
        return
    low = row.tier.min_input_tokens
    bound = low - 1 if low is not None and row.tier.min_inclusive else low
    names = sorted(row.conditions)
    for values in product(*(row.conditions[name] for name in names)):
        yield row.meter, tuple(zip(names, values, strict=True)), bound


def price_of_unit(row: PriceRow) -> Fraction:
    """The price of one unit, exact."""
    return Fraction(row.rate) / row.per


def compare_prices(chosen: PriceRow, other: PriceRow) -> Agreement:
    """How `other` stands to `chosen`, both of one currency.

    Worked number: 100 per million tokens against 0.1 is 1,000 times as much: suspect, a unit slip (Cohere's
    embed-multilingual-light-v3.0 in LiteLLM 1.110.2).
    """
    ours, theirs = price_of_unit(chosen), price_of_unit(other)
    if ours == theirs:
        return AGREED
    if not ours or not theirs:
        return Agreement(PriceStatus.SUSPECT, None if not ours else Fraction(0))
    ratio = theirs / ours
    apart = max(ratio, 1 / ratio)
    if apart > SUSPECT_ABOVE:
        return Agreement(PriceStatus.SUSPECT, ratio, "unit_slip" if is_unit_slip(apart) else "")
    return Agreement(PriceStatus.DISPUTED if apart > DISPUTED_ABOVE else PriceStatus.OK, ratio)


def is_unit_slip(apart: Fraction) -> bool:
    """Whether a factor above 1 is within 2 % of a power of ten from 100 on.

    >>> is_unit_slip(Fraction(1_000)), is_unit_slip(Fraction(10)), is_unit_slip(Fraction(1_019)), is_unit_slip(Fraction(1_021))
    (True, False, True, False)
    """
    return any(abs(apart / 10**power - 1) <= _UNIT_TOLERANCE for power in _UNIT_POWERS)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sources' prices of one unit of the same thing, and how finely each source prints its prices."""

    chosen: Fraction
    other: Fraction
    chosen_step: Fraction
    other_step: Fraction

    @property
    def ratios(self) -> tuple[Fraction, Fraction]:
        """Between which ratios of the unrounded prices both are what was printed, at least 0.5 % either way."""
        low = (self.other - self.other_step / 2) / (self.chosen + self.chosen_step / 2)
        middle = self.other / self.chosen
        high = (self.other + self.other_step / 2) / max(self.chosen - self.chosen_step / 2, self.chosen / 2)
        return min(low, middle * (1 - _CONSTANT_TOLERANCE)), max(high, middle * (1 + _CONSTANT_TOLERANCE))


def constant_ratio(pairs: Mapping[str, Sequence[Pair]], models: int = 3) -> Fraction | None:
    """The one ratio other than 1 that explains at least four fifths of a source's prices, rounding allowed for, or None.

    A currency taken for another shows so: every price is off by the same factor and rounded. A price that moved does not.

    Args:
        pairs: by model.
        models: that the ratio must explain; it must explain three pairs in any case.

    Worked number: 0.67 for 0.74, 0.91 for 1.01 and 0.28 for 0.31, printed to the cent, are all 0.9 times the other (OVHcloud in
    LiteLLM 1.110.2: euros stored as dollars).
    """
    ranges = [pair.ratios for some in pairs.values() for pair in some]
    every = len(ranges)
    explained, ratio = _most_common(ranges)
    of_models = sum(any(explains(ratio, pair) for pair in some) for some in pairs.values())
    if explained < _CONSTANT_FROM or explained * 5 < every * 4 or of_models < models:
        return None
    return ratio if max(ratio, 1 / ratio) > DISPUTED_ABOVE else None


def _most_common(ranges: Sequence[tuple[Fraction, Fraction]]) -> tuple[int, Fraction]:
    """In how many of the ranges the point lies that lies in most of them, and the middle of such points."""
    events = sorted([(low, 0) for low, _ in ranges] + [(high, 1) for _, high in ranges])
    inside, best, ratio = 0, 0, Fraction(1)
    for place, (bound, ends) in enumerate(events):
        inside += -1 if ends else 1
        if inside > best:  # the next event is an end, or a start that is better still
            best, ratio = inside, (bound + events[place + 1][0]) / 2
    return best, ratio


def explains(ratio: Fraction, pair: Pair) -> bool:
    """Whether the pair's prices, unrounded, may stand in that ratio."""
    low, high = pair.ratios
    return low <= ratio <= high


def worst(statuses: Sequence[PriceStatus]) -> PriceStatus:
    """The status that says most against a price, `OK` of none."""
    order = list(PriceStatus)
    return max(statuses, key=order.index, default=PriceStatus.OK)
