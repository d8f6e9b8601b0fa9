"""Laws of hosting cost: lines and splits add up to the bill, rent does not follow utilization, replicas come whole."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from economics.hosting.query_cost import query_cost
from economics.hosting.query_time import NONE, QueryTime, QueryTokens, token_times
from economics.hosting.replica_price import ReplicaPrice, price_of_accelerators
from economics.hosting.token_costs import by_fixed_ratio, by_resource_time
from economics.hosting.volume import Scaling, month_at
from economics.money import Exact, exact


def decimals(low: str, high: str, places: int = 6) -> st.SearchStrategy[Exact]:
    return st.decimals(Decimal(low), Decimal(high), places=places, allow_nan=False).map(exact)


PRICES = decimals("0.01", "1000").map(lambda amount: ReplicaPrice(amount, 1, 1))
RATIOS = decimals("0.000001", "1")
SECONDS = decimals("0.000001", "100")
COUNTS = st.integers(1, 200_000).map(exact)
TIMES = st.builds(lambda a, b: QueryTime(a + b, a, b), SECONDS, SECONDS)


@given(PRICES, TIMES, RATIOS)
def test_the_three_lines_are_the_bill(price: ReplicaPrice, time: QueryTime, utilization: Exact) -> None:
    cost = query_cost(price, time, utilization)
    assert cost.prefill is not None and cost.decode is not None
    assert cost.prefill + cost.decode + cost.idle == cost.total
    assert cost.floor + cost.idle == cost.total
    assert cost.total * utilization == cost.floor  # the cost times the utilization is the same at every utilization


@given(PRICES, TIMES, RATIOS, COUNTS, COUNTS, COUNTS, decimals("0", "1"))
def test_the_split_by_resource_time_is_the_bill(
    price: ReplicaPrice, time: QueryTime, utilization: Exact, fresh: Exact, cached: Exact, output: Exact, share: Exact
) -> None:
    tokens = QueryTokens(fresh, cached, output)
    times = token_times(time, tokens, share)
    assert times is not None and times.time(tokens).total == time.total
    bill = query_cost(price, time, utilization).total
    costs = by_resource_time(bill, tokens, times)
    assert costs.of_query(tokens) == bill
    assert costs.input is not None and costs.output is not None
    assert costs.input * tokens.input + costs.output * output == bill * Decimal(1_000_000)


@given(decimals("0.0001", "10"), COUNTS, COUNTS, decimals("0.1", "20").map(Exact.to_decimal))
def test_the_split_at_a_fixed_ratio_is_the_bill(second: Exact, inputs: Exact, outputs: Exact, ratio: Decimal) -> None:
    cost_in, cost_out = by_fixed_ratio(second, inputs, outputs, ratio)
    assert cost_in * inputs + cost_out * outputs == second * Decimal(1_000_000)
    assert cost_in * ratio == cost_out


@given(PRICES, TIMES, RATIOS, st.integers(1, 10**9), st.integers(1, 50), decimals("0", "100000", 2))
def test_replicas_are_whole_and_enough(
    price: ReplicaPrice, time: QueryTime, usable: Exact, queries: int, minimum: int, fixed: Exact
) -> None:
    scaling = Scaling(usable, minimum)
    month = month_at(price, time, exact(queries), scaling, fixed)
    assert isinstance(month.replicas, int) and month.replicas >= minimum
    assert not month.utilization_ratio > usable
    if month.replicas > minimum:  # one less would be busier than planned
        assert month.utilization_ratio * Decimal(month.replicas) > usable * Decimal(month.replicas - 1)
    parts = (month.prefill, month.decode, month.idle, month.fixed_per_query)
    assert sum((part for part in parts if part is not None), NONE) == month.per_query
    assert month.rent == price.per_hour * Decimal(730) * Decimal(month.replicas)
    more = month_at(price, time, exact(queries + 1), scaling, fixed)
    assert not more.total < month.total


@given(decimals("0.01", "100"), st.integers(1, 300), st.integers(1, 16))
def test_paid_accelerators_fill_whole_instances(price: Exact, accelerators: int, instance: int) -> None:
    found = price_of_accelerators(price, accelerators, instance)
    assert found.paid_accelerators % instance == 0
    assert 0 <= found.paid_accelerators - accelerators < instance
    assert found.per_accelerator_hour * Decimal(accelerators) == found.per_hour
    assert not found.per_accelerator_hour < price
