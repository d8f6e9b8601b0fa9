"""Costs of tokens that others have published, from their own inputs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from economics.hosting.query_cost import query_cost
from economics.hosting.query_time import NONE, QueryTime, QueryTokens, TokenTimes
from economics.hosting.replica_price import ReplicaPrice, price_of_accelerators, price_of_instances
from economics.hosting.token_costs import by_resource_time, cost_per_mtok
from economics.hosting.volume import Scaling, month_at
from economics.money import Exact, exact


@pytest.mark.parametrize(
    ("case", "price", "tokens_per_s", "expected", "tolerance"),
    [
        ("T18 gmicloud.ai, example A", "2.0", "85", "6.54", "0.002"),
        ("T19 gmicloud.ai, example B", "2.6", "140", "5.16", "0.002"),
        ("T22 caleta.io, H100 NVL, batch 128", "1.61", "4715", "0.0949", "0.005"),
        ("T23 caleta.io, H100 NVL, batch 32", "1.61", "1317", "0.34", "0.005"),
        ("we07 LMSYS 2025-05-05, decode nodes only", "16", "22300", "0.1993", "0.001"),
        ("we25 silybench-data, H100 Qwen3-8B FP8, one in flight", "6.57", "207.6162592649826", "8.790255669093504", "1e-9"),
        ("silybench-data, 128 in flight", "6.57", "4428", "0.412", "0.001"),
    ],
)  # fmt: skip
def test_cost_per_million_tokens(case: str, price: str, tokens_per_s: str, expected: str, tolerance: str) -> None:
    found = cost_per_mtok(exact(Decimal(price)), exact(Decimal(tokens_per_s))).to_decimal()
    assert abs(found / Decimal(expected) - 1) <= Decimal(tolerance), case


def test_sglang_with_all_twelve_nodes() -> None:
    """LMSYS 2025-05-05: the 0.20 per million counts 9 decode nodes; with the 3 prefill nodes it is a third more, 0.266."""
    decode_pool = cost_per_mtok(exact(9 * 16), exact(9 * 22_300)).to_decimal()
    everything = cost_per_mtok(exact(12 * 16), exact(9 * 22_300)).to_decimal()
    assert round(decode_pool, 4) == Decimal("0.1993")
    assert round(everything, 4) == Decimal("0.2657")


def test_deepseek_by_pool() -> None:
    """Open-infra-index, day 6: 73,700 in and 14,800 out a second and node of 8 at 2 an hour; 342 of 608 billion cached.

    The throughput note, section 4: 0.300 per million output, 0.060 per million input, 0.138 per uncached million.
    """
    tokens = QueryTokens(exact(266_000_000_000), exact(342_000_000_000), exact(168_000_000_000))
    prefill, decode = tokens.input / exact(73_700), tokens.output / exact(14_800)
    nodes = (prefill + decode) / exact(86_400)
    assert abs(nodes.to_decimal() / Decimal("226.86") - 1) < Decimal("0.001")  # we05; published average 226.75
    node = price_of_accelerators(exact(2), 8)
    bill = node.per_second * (prefill + decode)
    times = TokenTimes(prefill / tokens.uncached_input, NONE, decode / tokens.output)
    costs = by_resource_time(bill, tokens, times)
    assert costs.input is not None and costs.output is not None and costs.uncached_input is not None
    assert round(costs.output.to_decimal(), 3) == Decimal("0.300")
    assert round(costs.input.to_decimal(), 3) == Decimal("0.060")
    assert round(costs.uncached_input.to_decimal(), 3) == Decimal("0.138")
    assert costs.of_query(tokens) == bill


def test_input_and_output_cost_add_up_to_the_bill() -> None:
    """SemiAnalysisAI/InferenceX#552 and #553: each aggregated figure there carries the whole bill, so that both count it twice."""
    price = ReplicaPrice(exact(8), 1, 1)
    tokens = QueryTokens(exact(1000), NONE, exact(1000))
    times = TokenTimes(Exact(Decimal("0.0001")), NONE, Exact(Decimal("0.0009")))
    bill = query_cost(price, times.time(tokens), exact(1)).total
    costs = by_resource_time(bill, tokens, times)
    assert costs.of_query(tokens) == bill
    assert costs.input is not None and costs.output is not None
    assert (costs.input.to_text(), costs.output.to_text()) == ("0.2222222222222222222222222222", "2")


def test_unused_accelerators_of_an_instance_are_paid() -> None:
    """p5en, 63.296 for 8: 5 that serve cost 12.66 each, not 7.91."""
    price = price_of_instances(exact(Decimal("63.296")), 8, 5)
    assert round(price.per_accelerator_hour.to_decimal(), 2) == Decimal("12.66")
    assert (price.paid_accelerators, price.per_hour.to_text()) == (8, "63.296")
    assert price_of_instances(exact(Decimal("63.296")), 8, 9).paid_accelerators == 16


def test_replicas_share_an_instance() -> None:
    """Three replicas of 4 on instances of 8 at 16 an hour need two instances; one of 3 accelerators pays all 8 alone."""
    price = price_of_instances(exact(16), 8, 4)
    assert (price.in_an_instance, price.per_hour.to_text()) == (2, "16")
    time, full = QueryTime(exact(1)), Scaling(exact(1))
    month = month_at(price, time, exact(3 * 730 * 3600), full)
    assert (month.replicas, month.rent.to_text(), month.utilization_ratio.to_text()) == (3, "23360", "1")
    assert month_at(price_of_instances(exact(16), 8, 3), time, exact(1), full).rent.to_text() == "11680"


@pytest.mark.parametrize("price_per_instance", ["1.28"])
def test_a_price_per_instance_and_per_accelerator_is_the_same_bill(price_per_instance: str) -> None:
    """dstackai/dstack#1890: a price per accelerator multiplied twice is 8 times too high."""
    by_instance = price_of_instances(exact(Decimal(price_per_instance)), 8, 8)
    by_accelerator = price_of_accelerators(exact(Decimal("0.16")), 8)
    assert by_instance.per_hour == by_accelerator.per_hour
