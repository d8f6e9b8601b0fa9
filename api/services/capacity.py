"""Use case: reserved capacity for a stated load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from api.services.margins import OfferCost, OfferUse, cost_at_offer
from api.services.pricing import RowId
from catalog.snapshot import Snapshot
from economics.capacity.case import CapacityCase, TermCost, cost_of_term
from economics.capacity.overflow import LoadPeriod
from economics.capacity.sizing import Dimension, QueryLoad, Sizing, Weights, size_units, weighted_load
from economics.capacity.terms import MINUTES_PER_HOUR, Runs, TermPrice, billed_minutes, monthly_cost
from economics.errors import PermillionError
from economics.exchange import Exchange
from economics.margins.case import MarginCase
from economics.money import Exact, exact
from providers.capacity_rules import CapacityRule, capacity_rule

NOTHING = exact(0)
WHOLE = exact(1)
MILLION = exact(1_000_000)
DEFAULT_HOURS = exact(730)
_WINDOWS = {"minute": exact(60), "second": exact(3_600)}


@dataclass(frozen=True, slots=True)
class Cap:
    """One dimension of a unit; `need` None for input and output, whose need follows from the load."""

    dimension: str
    per_unit: Exact
    need: Exact | None


@dataclass(frozen=True, slots=True)
class CapacityQuestion:
    """One row: a published rule, stated weights, caps or units, and a load; or (with `error`) why it is none."""

    row_id: RowId
    rule: str | None = None
    unit: str | None = None
    measure: str | None = None
    window: str | None = None
    peak_queries: Exact | None = None
    query: QueryLoad = field(default_factory=lambda: QueryLoad(NOTHING, NOTHING, NOTHING))
    input_weight: Exact | None = None
    cached_input_weight: Exact | None = None
    output_weight: Exact | None = None
    per_unit: Exact | None = None
    caps: Sequence[Cap] = ()
    units: Decimal | None = None
    minimum_units: Decimal | None = None
    unit_increment: Decimal | None = None
    terms: Sequence[TermPrice] = ()
    term: str | None = None
    hours_per_month: Exact | None = None
    runs: Sequence[Runs] = ()
    billing_increment_minutes: Exact | None = None
    minimum_minutes: Exact = NOTHING
    queries_per_month: Exact | None = None
    mean_load_ratio: Exact | None = None
    profile: Sequence[LoadPeriod] = ()
    payg_prices: tuple[Exact, Exact, Exact] | None = None
    payg_cost_per_query: Exact | None = None
    offer: OfferUse | None = None
    error: PermillionError | None = None


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
    _check(asked, rule)
    peak = _peak(asked)
    weights = _weights(asked, rule)
    per_query = weighted_load(asked.query, weights)
    dimensions = _dimensions(asked, rule, peak, per_query)
    minimum = _first(asked.minimum_units, None if rule is None else rule.minimum_units, Decimal(1))
    increment = _first(asked.unit_increment, None if rule is None else rule.unit_increment, Decimal(1))
    required = size_units(dimensions, minimum, increment).units if dimensions else None
    units = asked.units if asked.units is not None else required
    assert units is not None
    offer_cost = None if asked.offer is None else cost_at_offer(asked.offer, MarginCase(), snapshot, exchange)
    hours = _hours(asked)
    minutes = None
    if asked.runs:
        minutes = billed_minutes(asked.runs, asked.billing_increment_minutes, asked.minimum_minutes)
    case = CapacityCase(
        Sizing(dimensions, units, minimum, increment),
        units_carry_load=bool(dimensions),
        peak_queries=peak,
        measured_per_query=asked.query.input + asked.query.output,
        windows_per_hour=_WINDOWS[_window(asked, rule)],
        hours=hours,
        paid_hours=hours if minutes is None else minutes / MINUTES_PER_HOUR,
        queries=asked.queries_per_month,
        mean_load_ratio=asked.mean_load_ratio,
        profile=asked.profile,
        payg_cost_per_query=_payg(asked, offer_cost),
    )
    at_peak = case.peak_month_queries
    if asked.queries_per_month is not None and at_peak is not None and at_peak < asked.queries_per_month:
        raise _refused("more than a month at the stated peak has", "queries_per_month")
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


def _check(asked: CapacityQuestion, rule: CapacityRule | None) -> None:
    if sum([rule is not None, asked.per_unit is not None, bool(asked.caps)]) > 1:
        raise _refused("give one way to size: rule, per_unit or caps", "rule")
    if rule is None and asked.per_unit is None and not asked.caps and asked.units is None:
        raise _refused("give rule, per_unit or caps to size by, or the units you have", "units")
    if asked.query.input < asked.query.cached_input:
        raise PermillionError(
            "invalid-usage", "cached_input_per_query is more than its whole", pointer="/cached_input_per_query"
        )
    volumes = [asked.queries_per_month is not None, asked.mean_load_ratio is not None, bool(asked.profile)]
    if sum(volumes) > 1:
        raise _refused("give one load: queries_per_month, mean_load_ratio or profile", "profile")
    if asked.mean_load_ratio is not None and asked.peak_queries is None:
        raise _refused("mean_load_ratio is a share of peak_queries: give it, too", "peak_queries")
    ways = [asked.payg_prices is not None, asked.payg_cost_per_query is not None, asked.offer is not None]
    if sum(ways) > 1:
        raise _refused("give one price by use: payg_price_per_mtok_…, payg_cost_per_query or offer", "offer")
    measure = asked.measure or ("tokens" if rule is None else rule.measure)
    if rule is not None and measure != rule.measure:
        raise _refused(f"the rule counts {rule.measure}", "measure")
    if measure != "tokens" and (asked.offer is not None or asked.payg_prices is not None):
        raise _refused("prices by the token need a load in tokens: give payg_cost_per_query instead", "measure")
    names = [term.term for term in asked.terms]
    if len(set(names)) < len(names):
        raise _refused("a term of this name is given already", "terms")
    if asked.term is not None and asked.term not in names:
        raise _refused("term is none of terms", "term")
    if asked.runs and any(term.per != "hour" for term in asked.terms):
        raise _refused("runs are billed by the hour: a term by month or year is paid without them", "runs")


def _peak(asked: CapacityQuestion) -> Exact | None:
    """The stated peak, else the highest load of the profile."""
    if asked.peak_queries is not None or not asked.profile:
        return asked.peak_queries
    peak = asked.profile[0].queries
    for period in asked.profile[1:]:
        if peak < period.queries:
            peak = period.queries
    return peak


def _weights(asked: CapacityQuestion, rule: CapacityRule | None) -> Weights:
    def weight(stated: Exact | None, published: Decimal | None, default: Exact) -> Exact:
        if stated is not None:
            return stated
        return default if published is None else Exact(published)

    if asked.per_unit is not None and asked.output_weight is None and asked.query.output:
        raise _refused("say what an output counts as: output_weight, 1 if as much as an input", "output_weight")
    of_input = weight(asked.input_weight, None if rule is None else rule.input_weight, WHOLE)
    return Weights(
        of_input,
        weight(asked.cached_input_weight, None if rule is None else rule.cached_input_weight, of_input),
        weight(asked.output_weight, None if rule is None else rule.output_weight, WHOLE),
    )


def _dimensions(
    asked: CapacityQuestion, rule: CapacityRule | None, peak: Exact | None, per_query: Exact
) -> list[Dimension]:
    per_unit = asked.per_unit if rule is None else Exact(rule.per_unit)
    found: list[Dimension] = []
    if per_unit is not None:
        if peak is None or not peak:
            raise _refused("sizing needs the load at its peak: peak_queries or profile", "peak_queries")
        found.append(Dimension("weighted load", per_query * peak, per_unit))
    for place, cap in enumerate(asked.caps):
        need = cap.need
        if need is None:
            sent = {"input": asked.query.input, "output": asked.query.output}.get(cap.dimension)
            if sent is None or peak is None:
                raise _refused("say what is needed of this dimension at the peak: need", f"caps/{place}/need")
            need = sent * peak
        found.append(Dimension(cap.dimension, need, cap.per_unit))
    if found and not any(dimension.need for dimension in found):
        raise _refused("nothing is needed: give the input and output of a query", "input_per_query")
    return found


def _hours(asked: CapacityQuestion) -> Exact:
    if not asked.profile:
        return DEFAULT_HOURS if asked.hours_per_month is None else asked.hours_per_month
    hours = NOTHING
    for period in asked.profile:
        hours += period.hours
    if not hours:
        raise _refused("the profile has no hours", "profile")
    if asked.hours_per_month is not None and asked.hours_per_month != hours:
        raise _refused("the hours of the profile are not hours_per_month; leave that out, or add idle hours", "profile")
    return hours


def _window(asked: CapacityQuestion, rule: CapacityRule | None) -> str:
    if rule is not None:
        if asked.window not in (None, rule.window):
            raise _refused(f"the rule counts by {rule.window}", "window")
        return rule.window
    if asked.window is None:
        if asked.peak_queries is not None or asked.profile or asked.caps:
            raise _refused("say whether loads are per minute or per second", "window")
        return "minute"
    return asked.window


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
    return spent / MILLION


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


def _refused(detail: str, field: str) -> PermillionError:
    return PermillionError("invalid-fields", detail, pointer=f"/{field}")
