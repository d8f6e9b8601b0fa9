"""The bill of one request: a line a meter, each unit charged once, and their exact sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from economics.errors import PermillionError
from economics.money import EXACT, ZERO, Exact, multiply
from economics.periods import Period
from economics.plans import Plan, plan_for
from economics.prices import PriceStatus, SearchUnit
from economics.rate_card import ApplicableRate, RateCard
from economics.usage import Quantities, billed_quantities, complete_usage, left_with_parent


class CostLine(NamedTuple):
    """`cost = quantity · rate / per`, in the currency of the book."""

    meter: str
    quantity: Decimal | int
    rate: ApplicableRate
    cost: Exact


class Bill(NamedTuple):
    """Lines, their sum in the book's currency, input and output that chose the tier, codes of what the reader should know."""

    lines: Sequence[CostLine]
    total: Exact
    input_tokens: Decimal | int
    warnings: Sequence[str] = ()
    output_tokens: Decimal | int = 0


def bill(card: RateCard, given: Quantities, search_queries: Sequence[str] | None = None) -> Bill:
    """The cost of `given` under `card`.

    Formula: `total = Σ_m billed(m) · rate(m, tier) / per(m)`, the tier chosen once from all input tokens, cached and
    written ones included, and from all output. A meter with a least quantity is billed `max(billed(m), least(m) · requests)` if it is billed: for requests
    of unequal length that is a lower bound, and each needs a usage of its own.

    Args:
        card: rates in force.
        given: quantities by meter.
        search_queries: texts of the searches, counted as the vendor counts them (instead of `web_searches`).

    Raises:
        PermillionError: `invalid-usage`, `unknown-meter`, or what the card says of a meter without a rate
            (`missing-price`, `not-offered`, `context-required`).

    Worked number: 2,600 input of which 2,000 cache reads and 400 cache writes on gpt-5.6-sol (4 / 0.4 / 5 USD per Mtok)
    is 200·4/10⁶ + 2,000·0.4/10⁶ + 400·5/10⁶ = 0.0036 USD (OpenAI's prompt-caching example). 4 seconds of audio at 0.111
    an hour with a least of 10 seconds are 10·0.111/3600 = 0.000308… USD (Groq).
    """
    if search_queries is None and (plan := plan_for(card, given)) is not None:
        planned = _planned(card, plan, given)
        if planned is not None:
            return planned
    usage = complete_usage(given)
    input_tokens, output_tokens = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    if card.charges_requests and "requests" not in usage:
        usage["requests"] = 1
    if search_queries is not None:
        usage["web_searches"] = _searches(card, usage, search_queries)
    priced = {meter: rate for meter in usage if (rate := card.find(meter, input_tokens, output_tokens)) is not None}
    lines: list[CostLine] = []
    whole = ZERO
    parts: Exact | None = None
    billed = billed_quantities(usage, priced)
    raised = card.has_minimum and _raise_to_least(billed, priced, usage.get("requests") or 1)
    for meter, quantity in billed.items():
        rate = priced.get(meter)
        if rate is None:
            raise card.explain(meter)
        cost = rate.cost(quantity)
        lines.append(CostLine(meter, quantity, rate, cost))
        if rate.unit_price is not None:
            whole = EXACT.add(whole, cost.numerator)
        else:
            parts = cost if parts is None else parts + cost
    unpriced = (meter for meter in _CACHE_METERS if left_with_parent(meter, usage, priced))
    warnings = [f"{meter.removesuffix('_tokens')}_not_priced" for meter in unpriced]
    if _LONG_WRITE in usage and left_with_parent(_LONG_WRITE, usage, priced):
        warnings.append("cache_write_12h_not_priced")
    _add_card_warnings(card, lines, warnings)
    if raised:
        warnings.append("minimum_charged")
    total = Exact(whole) if parts is None else parts + Exact(whole)
    return Bill(lines, total, input_tokens, warnings, output_tokens)


def discount_warnings(rates: Iterable[ApplicableRate]) -> list[str]:
    """`contract_discount=<term id>` for each discount that is in one of `rates`."""
    return list(dict.fromkeys(f"contract_discount={discount.id}" for rate in rates for discount in rate.discounts))


def _planned(card: RateCard, plan: Plan, given: Quantities) -> Bill | None:
    """The bill by a plan; None where the usage contradicts itself, which `bill` explains."""
    usage: Quantities = {**given, "requests": 1} if plan.fee else given
    if min(usage.values(), default=0) < 0:
        return None
    for parent, parts in plan.sums:
        if usage[parent] < sum([usage[part] for part in parts]):
            return None
    lines: list[CostLine] = []
    total = ZERO
    for meter, parts, rate, unit_price in plan.lines:
        quantity = usage[meter]
        for part in parts:
            quantity -= usage[part]
        if quantity:
            cost = EXACT.multiply(unit_price, Decimal(quantity))
            lines.append(CostLine(meter, quantity, rate, Exact(cost)))
            total = EXACT.add(total, cost)
    warnings: list[str] = []
    if plan.unpriced:
        left = [meter for meter, parts in plan.unpriced if usage[meter] > sum([usage[part] for part in parts])]
        warnings = [f"{meter.removesuffix('_tokens')}_not_priced" for meter in left]
    _add_card_warnings(card, lines, warnings)
    return Bill(lines, Exact(total), given.get("input_tokens", 0), warnings, given.get("output_tokens", 0))


def _add_card_warnings(card: RateCard, lines: Sequence[CostLine], warnings: list[str]) -> None:
    if card.base_meters and any(line.meter in card.base_meters for line in lines):
        warnings.append("base_price_used")
    if card.discounted:
        warnings += discount_warnings(line.rate for line in lines)


_LONG_WRITE = "cache_write_12h_tokens"
_CACHE_METERS = ("cache_read_tokens", "cache_write_tokens")


def _raise_to_least(
    billed: dict[str, Decimal | int], priced: Mapping[str, ApplicableRate], requests: Decimal | int
) -> bool:
    """Raise each quantity to the least its requests are charged for; whether any was.

    Requests without a fee of their own are no meter to refuse here: they say how often the least is charged.
    """
    raised = False
    if "requests" not in priced:
        billed.pop("requests", None)
    for meter, quantity in billed.items():
        least = priced[meter].row.min_quantity if meter in priced else None
        if least is not None and quantity < (whole := multiply(least, Decimal(requests))):
            billed[meter], raised = whole, True
    return raised


def _searches(card: RateCard, usage: Quantities, queries: Sequence[str]) -> int:
    if "web_searches" in usage:
        raise PermillionError(
            "invalid-usage", "give web_searches or web_search_queries, not both", pointer="/usage/web_searches"
        )
    rate = card.find("web_searches", usage.get("input_tokens", 0), usage.get("output_tokens", 0))
    unit = rate.row.search_unit if rate is not None else None
    if unit is SearchUnit.UNIQUE_QUERY:
        return len(set(queries))
    if unit is SearchUnit.PROMPT:
        return 1 if queries else 0
    return len(queries)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the prices of a bill can be relied on at an instant.

    `valid_from` is the latest known start among the rows used, `ends_at` their earliest known end, `checked_on` their
    oldest check, `status` their worst.
    """

    valid_from: datetime | None
    ends_at: datetime | None
    checked_on: date | None
    sources: Sequence[str]
    status: PriceStatus


STALE_AFTER_DAYS = 90
_WORST = {status: rank for rank, status in enumerate(PriceStatus)}


def standing(rates: Sequence[ApplicableRate], as_of: datetime) -> Standing:
    """Source, dates and status over the rows of a bill.

    A row checked more than 90 days before `as_of` is `stale`; one that answers an instant before it was ever seen, with a
    start that nobody confirmed, is `unconfirmed_start`. A discount in a rate adds its period and its source.
    """
    return _standing_on(tuple(rates), as_of.astimezone(UTC).date())


@lru_cache(maxsize=4_096)
def _standing_on(rates: tuple[ApplicableRate, ...], today: date) -> Standing:
    """As `standing`, on a day: bills of the same rates on the same day stand alike."""
    starts: list[datetime] = []
    ends: list[datetime] = []
    checks: list[date] = []
    sources: list[str] = []
    worst = PriceStatus.OK
    for rate in rates:
        for row in (rate.row,) if rate.uplift is None else (rate.row, rate.uplift):
            if row.start_known:
                _extend(row.period, starts, ends)
            elif row.period.valid_to is not None:
                ends.append(row.period.valid_to)
            provenance = row.provenance
            status = provenance.status
            if provenance.checked_on is not None:
                checks.append(provenance.checked_on)
                age = (today - provenance.checked_on).days
                if age > STALE_AFTER_DAYS:
                    status = max(status, PriceStatus.STALE, key=_WORST.__getitem__)
                elif age < 0 and not row.start_known:
                    status = max(status, PriceStatus.UNCONFIRMED_START, key=_WORST.__getitem__)
            elif not row.start_known:
                status = max(status, PriceStatus.UNCONFIRMED_START, key=_WORST.__getitem__)
            if _WORST[status] > _WORST[worst]:
                worst = status
            if provenance.source not in sources:
                sources.append(provenance.source)
        for discount in rate.discounts:
            _extend(discount.period, starts, ends)
            if discount.source not in sources:
                sources.append(discount.source)
    return Standing(max(starts, default=None), min(ends, default=None), min(checks, default=None), sources, worst)


def _extend(period: Period, starts: list[datetime], ends: list[datetime]) -> None:
    if period.valid_from is not None:
        starts.append(period.valid_from)
    if period.valid_to is not None:
        ends.append(period.valid_to)
