"""Units, cost by term, overflow and break-even of one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from api.services.margins import OfferCost, cost_at_offer
from api.services.reserving.load import WHOLE, dimensions_of, hours_of, peak_of, weights_of, window_of
from api.services.reserving.question import NOTHING, CapacityQuestion, check_question, refused
from catalog.snapshot import Snapshot
from economics.capacity.case import CapacityCase, TermCost, cost_of_term
from economics.capacity.sizing import Sizing, Weights, size_units, weighted_load
from economics.capacity.terms import MINUTES_PER_HOUR, billed_minutes, monthly_cost
from economics.errors import PermillionError
from economics.exchange import Exchange
from economics.margins.case import MarginCase
from economics.money import Exact, exact
from providers.capacity_rules import CapacityRule, capacity_rule

_MILLION: Final = exact(1_000_000)
_WINDOWS_PER_HOUR: Final = {"minute": exact(60), "second": exact(3_600)}


@dataclass(frozen=True, slots=True)
class CapacityResult:
    """Everything a row says, or why there is nothing to say.

    Attributes:
        required_units: what the load needs; `case.sizing.units` may be fewer where the caller states them.
        chosen: the term named, else the cheapest.
        unrounded_cost: of the chosen term, had its runs been billed as they were.
    """

    asked: CapacityQuestion
    rule: CapacityRule | None = None
    weights: Weights | None = None
    per_query: Exact | None = None
    case: CapacityCase | None = None
    required_units: Decimal | None = None
    minutes: Exact | None = None
    terms: Sequence[TermCost] = ()
    chosen: TermCost | None = None
    unrounded_cost: Exact | None = None
    offer_cost: OfferCost | None = None
    reasons: Sequence[str] = ()
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


def capacity_of(asked: CapacityQuestion, snapshot: Snapshot, exchange: Exchange) -> CapacityResult:
    """One row; an error becomes part of the answer, so that the other rows are answered."""
    if asked.error is not None:
        return CapacityResult(asked, error=asked.error)
    try:
        return _answered(asked, snapshot, exchange)
    except PermillionError as error:
        return CapacityResult(asked, error=error)


def _answered(asked: CapacityQuestion, snapshot: Snapshot, exchange: Exchange) -> CapacityResult:
    rule = None if asked.rule is None else capacity_rule(asked.rule)
    check_question(asked, rule)
    peak = peak_of(asked)
    weights = weights_of(asked, rule)
    per_query = weighted_load(asked.query, weights)
    dimensions = dimensions_of(asked, rule, peak, per_query)
    minimum = _first(asked.minimum_units, None if rule is None else rule.minimum_units, Decimal(1))
    increment = _first(asked.unit_increment, None if rule is None else rule.unit_increment, Decimal(1))
    required = size_units(dimensions, minimum, increment).units if dimensions else None
    units = asked.units if asked.units is not None else required
    assert units is not None
    offer_cost = None if asked.offer is None else cost_at_offer(asked.offer, MarginCase(), snapshot, exchange)
    hours = hours_of(asked)
    minutes = None
    if asked.runs:
        minutes = billed_minutes(asked.runs, asked.billing_increment_minutes, asked.minimum_minutes)
    case = CapacityCase(
        Sizing(dimensions, units, minimum, increment),
        units_carry_load=bool(dimensions),
        peak_queries=peak,
        measured_per_query=asked.query.input + asked.query.output,
        windows_per_hour=_WINDOWS_PER_HOUR[window_of(asked, rule)],
        hours=hours,
        paid_hours=hours if minutes is None else minutes / MINUTES_PER_HOUR,
        queries=asked.queries_per_month,
        mean_load_ratio=asked.mean_load_ratio,
        profile=asked.profile,
        payg_cost_per_query=_payg(asked, offer_cost),
    )
    at_peak = case.peak_month_queries
    if asked.queries_per_month is not None and at_peak is not None and at_peak < asked.queries_per_month:
        raise refused("more than a month at the stated peak has", "queries_per_month")
    terms = [cost_of_term(case, price) for price in asked.terms]
    chosen = _chosen(asked, terms)
    unrounded = None
    if asked.runs and chosen is not None:
        real = billed_minutes(asked.runs, None, NOTHING) / MINUTES_PER_HOUR
        unrounded = monthly_cost(chosen.price, units, real)
    weighted = asked.per_unit is not None or rule is not None
    return CapacityResult(
        asked,
        rule=rule,
        weights=weights if weighted else None,
        per_query=per_query,
        case=case,
        required_units=required,
        minutes=minutes,
        terms=terms,
        chosen=chosen,
        unrounded_cost=unrounded,
        offer_cost=offer_cost,
        reasons=_reasons(asked, case, chosen),
        warnings=[*_assumed(asked, rule), *(() if offer_cost is None else offer_cost.warnings)],
    )


def _first(stated: Decimal | None, published: Decimal | None, default: Decimal) -> Decimal:
    if stated is not None:
        return stated
    return default if published is None else published


def _payg(asked: CapacityQuestion, cost: OfferCost | None) -> Exact | None:
    if cost is not None:
        total = NOTHING
        for line in cost.lines:
            total += line.standard
        return total
    if asked.payg_prices is None:
        return asked.payg_cost_per_query
    of_input, of_cached, of_output = asked.payg_prices
    query = asked.query
    spent = (query.input - query.cached_input) * of_input + query.cached_input * of_cached + query.output * of_output
    return spent / _MILLION


def _chosen(asked: CapacityQuestion, terms: Sequence[TermCost]) -> TermCost | None:
    """The term that was named, else the cheapest, the first of equal ones."""
    best: TermCost | None = None
    for term in terms:
        if asked.term == term.price.term:
            return term
        if best is None or term.capacity_cost < best.capacity_cost:
            best = term
    return best


def _reasons(asked: CapacityQuestion, case: CapacityCase, chosen: TermCost | None) -> list[str]:
    found = [] if asked.terms else ["no_term_price"]
    served = case.served()
    if served is None:
        found.append("load_not_given")
    elif not served.queries:
        found.append("no_queries")
    elif served.overflow_high:
        if case.payg_cost_per_query is None:
            found.append("overflow_not_priced")
        if served.overflow_low != served.overflow_high:
            found.append("overflow_range")
    if case.payg_cost_per_query is None:
        found.append("no_price_by_use")
    elif not case.payg_cost_per_query:
        found.append("use_is_free")
    if case.falls_short:
        found.append("units_below_peak")
    even = None if chosen is None else chosen.break_even_ratio
    if even is not None and even > WHOLE:
        found.append("never_pays_below_peak")
    return found


def _assumed(asked: CapacityQuestion, rule: CapacityRule | None) -> list[str]:
    found: list[str] = []
    if asked.hours_per_month is None and not asked.profile and not asked.runs:
        found.append("hours_per_month_assumed")
    weighted = asked.per_unit is not None or rule is not None
    published = rule is not None and rule.cached_input_weight is not None
    if weighted and asked.query.cached_input and asked.cached_input_weight is None and not published:
        found.append("cached_input_weighs_as_input")
    if rule is not None:
        found.append("published_rule_may_be_old")
    return found
