"""What is asked of reserved capacity, and whether it can be answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from api.services.margins import OfferUse
from api.services.pricing import RowId
from economics.capacity.overflow import LoadPeriod
from economics.capacity.sizing import QueryLoad
from economics.capacity.terms import Runs, TermPrice
from economics.errors import PermillionError
from economics.money import Exact, exact
from providers.capacity_rules import CapacityRule

NOTHING: Final = exact(0)


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


def check_question(asked: CapacityQuestion, rule: CapacityRule | None) -> None:
    """Refuse a row that says one thing twice, or leaves out what the others need.

    Raises:
        PermillionError: `invalid-fields`, `invalid-usage` with the field's pointer.
    """
    if sum([rule is not None, asked.per_unit is not None, bool(asked.caps)]) > 1:
        raise refused("give one way to size: rule, per_unit or caps", "rule")
    if rule is None and asked.per_unit is None and not asked.caps and asked.units is None:
        raise refused("give rule, per_unit or caps to size by, or the units you have", "units")
    if asked.query.input < asked.query.cached_input:
        raise PermillionError(
            "invalid-usage", "cached_input_per_query is more than its whole", pointer="/cached_input_per_query"
        )
    volumes = [asked.queries_per_month is not None, asked.mean_load_ratio is not None, bool(asked.profile)]
    if sum(volumes) > 1:
        raise refused("give one load: queries_per_month, mean_load_ratio or profile", "profile")
    if asked.mean_load_ratio is not None and asked.peak_queries is None:
        raise refused("mean_load_ratio is a share of peak_queries: give it, too", "peak_queries")
    ways = [asked.payg_prices is not None, asked.payg_cost_per_query is not None, asked.offer is not None]
    if sum(ways) > 1:
        raise refused("give one price by use: payg_price_per_mtok_…, payg_cost_per_query or offer", "offer")
    measure = asked.measure or ("tokens" if rule is None else rule.measure)
    if rule is not None and measure != rule.measure:
        raise refused(f"the rule counts {rule.measure}", "measure")
    if measure != "tokens" and (asked.offer is not None or asked.payg_prices is not None):
        raise refused("prices by the token need a load in tokens: give payg_cost_per_query instead", "measure")
    names = [term.term for term in asked.terms]
    if len(set(names)) < len(names):
        raise refused("a term of this name is given already", "terms")
    if asked.term is not None and asked.term not in names:
        raise refused("term is none of terms", "term")
    if asked.runs and any(term.per != "hour" for term in asked.terms):
        raise refused("runs are billed by the hour: a term by month or year is paid without them", "runs")


def refused(detail: str, field: str) -> PermillionError:
    """An `invalid-fields` at `field` of the row."""
    return PermillionError("invalid-fields", detail, pointer=f"/{field}")
