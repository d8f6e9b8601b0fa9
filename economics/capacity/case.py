"""Reserved capacity against a load: units, cost by term, overflow, cost of a query, and the load at which it pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from economics.capacity.overflow import LoadPeriod, Served, served_by_mean, served_by_profile
from economics.capacity.sizing import Sizing
from economics.capacity.terms import TermPrice, monthly_cost
from economics.money import Exact, exact

MILLION = exact(1_000_000)


@dataclass(frozen=True, slots=True)
class CapacityCase:
    """Units that are bought for a load.

    Attributes:
        sizing: the units, and the dimensions they carry.
        peak_queries: per window, None where units were stated without a load.
        measured_per_query: input and output of one query in the measure, unweighted.
        windows_per_hour: 60 for a load per minute, 3,600 per second.
        hours: of the month. `paid_hours` may be fewer for a price per hour.
        queries: of the month, where stated; `mean_load_ratio`: mean load as a share of the peak; `profile`: by hours.
        payg_cost_per_query: what a query costs without reserved capacity; overflow is paid at it.
    """

    sizing: Sizing
    units_carry_load: bool
    peak_queries: Exact | None
    measured_per_query: Exact | None
    windows_per_hour: Exact
    hours: Exact
    paid_hours: Exact
    queries: Exact | None = None
    mean_load_ratio: Exact | None = None
    profile: Sequence[LoadPeriod] = ()
    payg_cost_per_query: Exact | None = None

    @property
    def peak_month_queries(self) -> Exact | None:
        """Queries of a month that is at its peak all the time: what break-even utilization is a share of."""
        return None if self.peak_queries is None else self.peak_queries * self.windows_per_hour * self.hours

    @property
    def capacity_queries(self) -> Exact | None:
        """Queries per window that the units carry."""
        if self.peak_queries is None or not self.units_carry_load:
            return None
        return self.peak_queries * self.sizing.carried_share

    @property
    def falls_short(self) -> bool:
        """Whether the peak is above what the units carry."""
        return self.units_carry_load and self.sizing.carried_share < exact(1)

    def served(self) -> Served | None:
        """Queries of the month and their overflow; None where the load is not known."""
        if self.profile:
            return served_by_profile(self.profile, self.capacity_queries, self.windows_per_hour)
        if self.mean_load_ratio is not None and self.peak_queries is not None:
            mean = self.peak_queries * self.mean_load_ratio
            windows = self.windows_per_hour * self.hours
            return served_by_mean(mean, self.peak_queries, self.capacity_queries, windows)
        if self.queries is not None and self.peak_queries is not None:
            windows = self.windows_per_hour * self.hours
            return served_by_mean(self.queries / windows, self.peak_queries, self.capacity_queries, windows)
        return None if self.queries is None else Served(self.queries, exact(0), exact(0))


@dataclass(frozen=True, slots=True)
class TermCost:
    """A month under one term.

    Attributes:
        capacity_cost: of the units.
        total_low, total_high: with overflow paid by use; None where overflow has no price or the load is not known.
        break_even_queries: a month, above which the term is cheaper than paying by use; None where the units do not carry the
            peak, since overflow is then paid by use in any case.
        break_even_ratio: the same as a share of a month at peak.
    """

    price: TermPrice
    capacity_cost: Exact
    served: Served | None
    total_low: Exact | None
    total_high: Exact | None
    cost_per_query_low: Exact | None
    cost_per_query_high: Exact | None
    cost_per_million_at_peak: Exact | None
    break_even_queries: Exact | None
    break_even_ratio: Exact | None


def cost_of_term(case: CapacityCase, price: TermPrice) -> TermCost:
    """What the units cost under a term, with overflow, per query, and where they break even.

    Formulas: `cost per query = (units · price + overflow · pay-as-you-go) / queries`; `break-even = units · price /
    (pay-as-you-go per query · queries at peak all month)`.

    Worked number (105 PTU at 260 a month, 0.0055 by use, 120 calls a minute): 27,300 / (0.0055 · 5,256,000) = 0.944375; at 35 % of
    the peak a query costs 27,300 / 1,839,600 = 0.014840.
    """
    cost = monthly_cost(price, case.sizing.units, case.paid_hours)
    served = case.served()
    low = _with_overflow(cost, None if served is None else served.overflow_low, case.payg_cost_per_query)
    high = _with_overflow(cost, None if served is None else served.overflow_high, case.payg_cost_per_query)
    queries = None if served is None or not served.queries else served.queries
    payg = case.payg_cost_per_query
    even = cost / payg if payg and not case.falls_short else None
    at_peak = case.peak_month_queries
    measured = None if at_peak is None or case.measured_per_query is None else at_peak * case.measured_per_query
    return TermCost(
        price,
        capacity_cost=cost,
        served=served,
        total_low=low,
        total_high=high,
        cost_per_query_low=low / queries if low is not None and queries is not None else None,
        cost_per_query_high=high / queries if high is not None and queries is not None else None,
        cost_per_million_at_peak=cost * MILLION / measured if measured else None,
        break_even_queries=even,
        break_even_ratio=even / at_peak if even is not None and at_peak else None,
    )


def _with_overflow(cost: Exact, overflow: Exact | None, payg: Exact | None) -> Exact | None:
    if overflow is None:
        return None
    if not overflow:
        return cost
    return None if payg is None else cost + overflow * payg
