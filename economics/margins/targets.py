"""The price that gives a stated margin, and the volumes between which a margin holds."""

from __future__ import annotations

from dataclasses import dataclass

from economics.margins.case import NOTHING, WHOLE, MarginCase
from economics.margins.model_costs import query_cost
from economics.margins.statement import MarginStatement, fixed_revenue, revenue_per_query
from economics.money import Exact


@dataclass(frozen=True, slots=True)
class TargetPrice:
    """What customers would have to pay.

    Attributes:
        revenue: of the period.
        multiplier: of all of today's prices; None where they bring no revenue.
        price, unit: of the one price that the case has (`seat`, `query`, `month`); None where it has several or sells tokens.
    """

    revenue: Exact
    multiplier: Exact | None
    price: Exact | None
    unit: str | None


def target_price(statement: MarginStatement, margin: Exact) -> TargetPrice | None:
    """The price at which the gross margin is `margin`; None where no price gives it: margin and fee share reach 1.

    Formula: `revenue = (cost without the fees on revenue) / (1 − margin − fee share)`: the fee grows with the price. Costs and
    volume stay as they are.

    Worked number (story 2, 70 %): (5,014.7919 + 2,400 + 3,200 + 6,500) / (1 − 0.7 − 0.029) = 63,154.21, 7.894276 a seat.
    """
    case = statement.case
    left = WHOLE - margin - case.payment_fee_share
    if not left > NOTHING:
        return None
    revenue = (statement.cogs - statement.revenue * case.payment_fee_share) / left
    price, unit = _single_price(case, revenue, statement.queries)
    return TargetPrice(revenue, revenue / statement.revenue if statement.revenue else None, price, unit)


def _single_price(case: MarginCase, revenue: Exact, queries: Exact) -> tuple[Exact | None, str | None]:
    units = {"seat": (case.price_per_seat, case.seats), "query": (case.price_per_query, queries)}
    units["month"] = (case.revenue_per_month, WHOLE)
    sold = [(unit, count) for unit, (price, count) in units.items() if price is not None]
    if len(sold) != 1 or case.sells_tokens:
        return None, None
    unit, count = sold[0]
    return (revenue / count if count else None), unit


@dataclass(frozen=True, slots=True)
class Volumes:
    """The queries of a month between which a margin holds; None on a side without bound, `never` where it holds nowhere."""

    least: Exact | None
    most: Exact | None
    never: bool = False


def volumes_for(case: MarginCase, margin: Exact) -> Volumes:
    """The volumes at which the gross margin is at least `margin` (0 for break-even).

    Formula: `(1 − margin − fee share) · (a + b·q) − c − max(commitment, v·q) ≥ 0` with a the revenue without usage, b and v revenue
    and model cost of a query, c all other costs. The left side is concave in q, so the volumes are one interval: a
    subscription has a most (heavy users eat the margin), a price per query a least (fixed costs must be covered).

    Worked number (story 2): break-even at 727.8906 queries a seat, 70 % until 124.8746.
    """
    seats = NOTHING if case.seats is None else case.seats
    kept = WHOLE - margin - case.payment_fee_share
    other = (
        (case.payment_fee_per_seat + case.support_per_seat) * seats
        + case.payment_fee_per_transaction * case.transactions_per_month
        + case.support_per_month
        + case.hosting_per_month
        + case.inference_cost_per_month
    )
    left = fixed_revenue(case) * kept - other
    gained = revenue_per_query(case) * kept
    spent = query_cost(case).effective
    committed = case.commitment_per_month
    kink = committed / spent if spent else None
    at_start = left - committed
    least: Exact | None = None
    most: Exact | None = None
    if at_start < NOTHING:
        if gained > NOTHING:
            least = -at_start / gained
        if kink is not None and (least is None or kink < least):
            # the commitment is used up before the margin is reached
            at_kink, slope = at_start + gained * kink, gained - spent
            if not slope > NOTHING:
                return Volumes(None, None, never=True)
            return Volumes(kink + -at_kink / slope, None)
        if least is None:
            return Volumes(None, None, never=True)
    elif gained < NOTHING:
        most = at_start / -gained
        if kink is None or not kink < most:
            return Volumes(least, most)
        most = None
    if kink is not None and gained < spent:
        most = kink + (at_start + gained * kink) / (spent - gained)
    return Volumes(least, most)
