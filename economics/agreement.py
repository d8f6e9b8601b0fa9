"""Whether two sources say the same price, and what kind of mistake lies behind it if they do not.

Two prices are compared exactly, as fractions of one unit: `ratio = other / chosen`. Above 1 % apart they are `disputed`, above
a factor of 2 `suspect`. Some ratios explain themselves: within 2 % of 10^k with k ≥ 2 a unit was mistaken (per thousand for per
million); one constant ratio over many models of a vendor is a currency taken for another, or a uniform premium. Prices are
never averaged and sources never counted: one that copies another is the same witness twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def constant_ratio(ratios: Mapping[str, Iterable[Fraction]], models: int = 3) -> Fraction | None:
    """The ratio other than 1 that all prices of at least so many models, three or more prices, show within 0.5 %, or None.

    Args:
        ratios: by model, the ratios of one source's prices to the chosen ones.
        models: that must show it.

    Returns:
        The median of the ratios.

    >>> eur_as_usd = {"a": [Fraction(853, 1000)], "b": [Fraction(855, 1000)], "c": [Fraction(854, 1000)]}
    >>> constant_ratio(eur_as_usd), constant_ratio({"a": [Fraction(1, 2)]})
    (Fraction(427, 500), None)
    """
    values = sorted(ratio for some in ratios.values() for ratio in some)
    if len(ratios) < models or len(values) < _CONSTANT_FROM:
        return None
    middle = values[len(values) // 2]
    if not middle or max(middle, 1 / middle) <= DISPUTED_ABOVE:
        return None
    near = all(abs(ratio / middle - 1) <= _CONSTANT_TOLERANCE for ratio in values)
    return middle if near else None


def worst(statuses: Sequence[PriceStatus]) -> PriceStatus:
    """The status that says most against a price, `OK` of none."""
    order = list(PriceStatus)
    return max(statuses, key=order.index, default=PriceStatus.OK)
