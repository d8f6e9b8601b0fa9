"""Revenue, each line of the cost of goods sold, and what is left, of a month or of one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from economics.margins.case import NOTHING, WHOLE, MarginCase
from economics.margins.model_costs import MILLION, QueryCost, query_cost
from economics.margins.ratios import gross_margin_ratio, inference_efficiency_ratio, inference_share, markup_ratio
from economics.money import Exact


@dataclass(frozen=True, slots=True)
class MarginStatement:
    """A profit and loss down to gross profit. Ratios are None where they divide by 0; `reasons` says why.

    Attributes:
        queries: of the period; 1 where the case has no volume.
        inference_cost: usage, fixed capacity and what a commitment costs above usage.
        commitment_shortfall: that last part.
        commitment_multiplier: `max(commitment, usage) / usage`, what commitment makes of each price.
        cogs: inference + payment fees + support + hosting.
    """

    case: MarginCase
    queries: Exact
    query: QueryCost
    revenue: Exact
    inference_cost: Exact
    commitment_shortfall: Exact
    payment_fees: Exact
    support: Exact
    hosting: Exact

    @property
    def cogs(self) -> Exact:
        """Cost of goods sold."""
        return self.inference_cost + self.payment_fees + self.support + self.hosting

    @property
    def gross_profit(self) -> Exact:
        """Revenue less the cost of goods sold, negative at a loss."""
        return self.revenue - self.cogs

    @property
    def gross_margin_ratio(self) -> Exact | None:
        """Of revenue."""
        return gross_margin_ratio(self.revenue, self.cogs)

    @property
    def markup_ratio(self) -> Exact | None:
        """Of cost."""
        return markup_ratio(self.revenue, self.cogs)

    @property
    def inference_efficiency_ratio(self) -> Exact | None:
        """Revenue per unit of inference cost."""
        return inference_efficiency_ratio(self.revenue, self.inference_cost)

    @property
    def inference_share(self) -> Exact | None:
        """Inference cost per unit of revenue."""
        return inference_share(self.revenue, self.inference_cost)

    @property
    def commitment_multiplier(self) -> Exact | None:
        """What an unused commitment multiplies each price by; None without usage.

        50,000 committed and 30,000 used is 1.666….
        """
        usage = self.query.effective * self.queries
        if not self.case.commitment_per_month or not usage:
            return None
        return (usage + self.commitment_shortfall) / usage

    def per_query(self, amount: Exact) -> Exact | None:
        """`amount` by query; None where there is none."""
        return amount / self.queries if self.queries else None

    def per_accepted(self, amount: Exact) -> Exact | None:
        """`amount` by accepted outcome: retries and failures are in the numerator, only what was accepted below it."""
        accepted = self.case.accepted_share
        if accepted is None or not accepted or not self.queries:
            return None
        return amount / (self.queries * accepted)

    def reasons(self) -> Sequence[str]:
        """Why ratios are missing."""
        found = [] if self.revenue else ["no_revenue"]
        if not self.cogs:
            found.append("no_cost")
        if not self.queries:
            found.append("no_queries")
        if self.case.accepted_share is not None and not self.case.accepted_share:
            found.append("nothing_accepted")
        return found


def statement_of(case: MarginCase) -> MarginStatement:
    """The statement of a case that `check_case` has passed.

    Formulas: revenue = seats · price + queries · (price per query + Σ tokens · price per mtok / 10⁶) + stated revenue; inference =
    max(commitment, queries · cost per query) + fixed capacity; payment fees = share · revenue + per seat · seats + per transaction ·
    transactions; support and hosting as stated.

    Worked number (story 2): 96,000.00 − (5,014.79 + 5,184.00 + 3,200.00 + 6,500.00) leaves 79.2721 %.
    """
    queries = WHOLE if case.queries is None else case.queries
    seats = NOTHING if case.seats is None else case.seats
    revenue = fixed_revenue(case) + queries * revenue_per_query(case)
    query = query_cost(case)
    usage = query.effective * queries
    shortfall = case.commitment_per_month - usage if usage < case.commitment_per_month else NOTHING
    fees = revenue * case.payment_fee_share + case.payment_fee_per_seat * seats
    return MarginStatement(
        case,
        queries=queries,
        query=query,
        revenue=revenue,
        inference_cost=usage + shortfall + case.inference_cost_per_month,
        commitment_shortfall=shortfall,
        payment_fees=fees + case.payment_fee_per_transaction * case.transactions_per_month,
        support=case.support_per_seat * seats + case.support_per_month,
        hosting=case.hosting_per_month,
    )


def fixed_revenue(case: MarginCase) -> Exact:
    """Revenue that does not depend on the number of queries."""
    revenue = NOTHING if case.revenue_per_month is None else case.revenue_per_month
    if case.price_per_seat is not None and case.seats is not None:
        revenue += case.price_per_seat * case.seats
    return revenue


def revenue_per_query(case: MarginCase) -> Exact:
    """Revenue that one query brings: `I_uncached · p_in + I_cached · p_cached + O · p_out`, and a price per query.

    Retries bring none: the customer asked once.
    """
    revenue = NOTHING if case.price_per_query is None else case.price_per_query
    if case.price_per_mtok_input is not None:
        revenue += case.uncached_input_tokens * case.price_per_mtok_input / MILLION
        cached = sold_cached_price(case)
        assert cached is not None
        revenue += case.cached_input_tokens * cached / MILLION
    if case.price_per_mtok_output is not None:
        revenue += (case.output_tokens + case.reasoning_tokens) * case.price_per_mtok_output / MILLION
    return revenue


def sold_cached_price(case: MarginCase) -> Exact | None:
    """What customers pay for cached input: its own price, else that of input."""
    if case.price_per_mtok_cached_input is not None:
        return case.price_per_mtok_cached_input
    return case.price_per_mtok_input
