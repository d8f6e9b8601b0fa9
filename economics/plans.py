"""Bills of one shape, worked out once: which quantity goes under which rate, for usages that state the same meters.

`economics.billing.bill` decides, for each request, what is part of what and which rate holds. For the same meters under the
same card in the same tier the decision is the same, so it is kept as a plan of subtractions and products. Plans answer the
plain case only: whole counts, every parent stated, no searches to count, no least quantity, no tier by the length of the answer. Whatever else is left to `bill`,
errors included; a property test holds both to the same answers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from decimal import Decimal
from typing import Final, NamedTuple

from economics.meters import CHILDREN, METERS
from economics.rate_card import ApplicableRate, RateCard

_CACHE_METERS: Final = ("cache_read_tokens", "cache_write_tokens")
_UNUSUAL: Final = frozenset({"cache_read_audio_tokens", "cache_write_12h_tokens"})
"""Part of two meters, and named in a warning of its own: `bill` knows how."""
_MOST_PLANS: Final = 64
"""Plans kept of one card: callers choose the meters and their order."""


class PlannedLine(NamedTuple):
    """`quantity = usage[meter] − Σ usage[part]`, at `rate`, a unit of which has the finite price `unit_price`."""

    meter: str
    parts: tuple[str, ...]
    rate: ApplicableRate
    unit_price: Decimal


class Plan(NamedTuple):
    """How usages of one shape are billed.

    Args:
        sums: parents with the children that must not exceed them.
        lines: what is charged, in order.
        unpriced: cache meters charged as their parent, each with what is charged below it.
        fee: whether a request fee of one request is to be added to the usage.
    """

    sums: tuple[tuple[str, tuple[str, ...]], ...]
    lines: tuple[PlannedLine, ...]
    unpriced: tuple[tuple[str, tuple[str, ...]], ...]
    fee: bool


def plan_for(card: RateCard, given: Mapping[str, Decimal | int]) -> Plan | None:
    """The plan for usages that state the meters of `given`, in their order, in the tier of its input; None without one."""
    input_tokens = given.get("input_tokens", 0)
    if type(input_tokens) is not int or card.has_minimum or card.has_output_tier:
        return None
    plans = card.plans
    bounds = card.tier_bounds
    key = (bisect_right(bounds, input_tokens) if bounds else 0, *given)
    if key in plans:
        found: Plan | None = plans[key]
        return found
    if len(plans) >= _MOST_PLANS:
        plans.clear()
    made = plans[key] = _plan(card, tuple(given), input_tokens)
    return made


def _plan(card: RateCard, given: tuple[str, ...], input_tokens: int) -> Plan | None:
    fee = card.charges_requests and "requests" not in given
    names = (*given, "requests") if fee else given
    if not all(name in METERS for name in names) or not _UNUSUAL.isdisjoint(names):
        return None
    if any((parent := METERS[name].parent) is not None and parent not in names for name in names):
        return None
    priced = {name: rate for name in names if (rate := card.find(name, input_tokens)) is not None}
    lines: list[PlannedLine] = []
    for name in names:
        rate = priced.get(name)
        if rate is None:
            if METERS[name].parent is None:
                return None  # a root without a price is refused, unless its count is 0
            continue
        if rate.unit_price is None:
            return None
        lines.append(PlannedLine(name, _priced_below(name, names, priced), rate, rate.unit_price))
    sums = ((name, tuple(child for child in CHILDREN[name] if child in names)) for name in names if name in CHILDREN)
    unpriced = [
        (name, _priced_below(name, names, priced)) for name in _CACHE_METERS if name in names and name not in priced
    ]
    return Plan(tuple((parent, parts) for parent, parts in sums if parts), tuple(lines), tuple(unpriced), fee)


def _priced_below(parent: str, names: tuple[str, ...], priced: Mapping[str, ApplicableRate]) -> tuple[str, ...]:
    """The nearest priced meters below `parent`: what of it is charged elsewhere."""
    found: list[str] = []
    for child in CHILDREN.get(parent, ()):
        if child in names:
            found.extend((child,) if child in priced else _priced_below(child, names, priced))
    return tuple(found)
