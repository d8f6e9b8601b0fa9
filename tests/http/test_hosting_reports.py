"""Published reports of wrong hosting costs, each tried here: repository and number of the report in the test."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import httpx

from tests.http.asking import same
from tests.http.test_hosting_cost import BASE, failed, hosted, only

RENTED: dict[str, Any] = {"price_per_accelerator_hour": None, "rental": "aws/p5.48xlarge", "region": "us-east-1"}


def test_no_latency_follows_from_a_throughput(client: httpx.Client) -> None:
    """vllm-project/vllm#12845: 1000 / 529 tokens a second is no 1.8 ms a token: how many requests shared it is the question."""
    row = only(client, throughput={"output_tokens_per_s": "529"})
    assert (row["tpot_ms"], row["ttft_ms"], row["concurrency"]) == (None, None, None)
    row = only(client, throughput={"output_tokens_per_s": "529", "concurrency": "64", "tpot_ms": "121"})
    assert (row["tpot_ms"], row["concurrency"]) == ("121", "64")
    limited = only(client, throughput={"output_tokens_per_s": "529"}, tpot_limit_ms=30)
    assert "latency_limit_not_checked" in limited["warnings"].split(";")


def test_pool_and_cluster_figures_have_names_of_their_own(client: httpx.Client) -> None:
    """SemiAnalysisAI/InferenceX#131: rates of pools divided by all accelerators, or of the cluster by one pool's."""
    pools = {"output_tokens_per_s": "2000", "prefill_accelerators": 2, "decode_accelerators": 6}
    row = only(client, throughput=pools, utilization_ratio="1")
    decode, cluster = row["decode_pool_cost_per_mtok_output"], row["all_to_output_cost_per_mtok"]
    assert (Fraction(decode), Fraction(cluster)) == (Fraction("3.75"), Fraction(5))
    whole = Fraction(row["prefill_pool_cost_per_mtok_input"]) * 1000 + Fraction(decode) * 500
    assert whole / 10**6 == Fraction(row["cost_per_query"])  # both pools together are the bill


def test_idle_time_is_billed(client: httpx.Client) -> None:
    """the-full-stack/the-full-stack-website#76: hours that serve nothing are on the bill as well."""
    busy, idle = only(client, utilization_ratio="1"), only(client, utilization_ratio="0.1")
    assert (busy["idle_cost_per_query"], idle["idle_cost_per_query"]) == ("0", "0.0225")
    assert Fraction(idle["cost_per_query"]) == 10 * Fraction(busy["cost_per_query"])


def test_a_split_is_a_parameter_and_the_total_exact(client: httpx.Client) -> None:
    """grafana/cloudcost-exporter#1097: parts at 0.7 and 0.3 are the bill to the last digit."""
    row = only(client, throughput={"output_tokens_per_s": "2000", "prefill_share": "0.7"})
    parts = [Fraction(row[f"{name}_cost_per_query"]) for name in ("prefill", "decode")]
    assert parts == [Fraction("0.00175"), Fraction("0.00075")] and sum(parts) == Fraction(row["floor_cost_per_query"])


def test_what_is_not_known_is_an_error_and_never_0(client: httpx.Client) -> None:
    """opencost/opencost#2215, infracost/infracost#2437: accelerators and prices without a match became 0."""
    assert failed(client, accelerator="h100-unknown")[0] == "unknown-accelerator"
    assert failed(client, **{**RENTED, "rental": "aws/p9.48xlarge"})[0] == "unknown-rental-price"
    assert failed(client, **{**RENTED, "region": "moon-1"})[0] == "unknown-rental-price"


def test_the_purchase_model_is_explicit(client: httpx.Client) -> None:
    """infracost/infracost#2359: spot capacity priced on demand."""
    on_demand, wished = hosted(client, {**BASE, **RENTED}, {**BASE, **RENTED, "purchase_model": "spot"})
    assert on_demand["purchase_model"] == "on_demand"
    assert wished["error_code"] == "unknown-rental-price" or wished["purchase_model"] == "spot"
    assert wished["cost_per_query"] != on_demand["cost_per_query"]


def test_an_old_question_keeps_its_price(client: httpx.Client) -> None:
    """skypilot-org/skypilot#2780: an old run priced anew with today's catalog."""
    then = only(client, **{**RENTED, "region": "us"}, as_of="2025-06-01T00:00:00Z")
    assert (then["price_per_replica_hour"], then["price_status"]) == ("98.32", "ok")
    same(then["cost_per_query"], Fraction("98.32") / 3600 / 2)


def test_figures_per_character(client: httpx.Client) -> None:
    row = only(client, input_characters=4000, output_characters=2000)
    assert (row["input_cost_per_mchar"], row["output_cost_per_mchar"]) == ("0.3125", "1.875")


def test_lengths_that_no_machine_holds_are_refused(client: httpx.Client) -> None:
    huge = "999999999999999999"
    for changes in (
        {"isl_tokens": huge}, {"osl_tokens": huge}, {"accelerator_count": 1_000_000}, {"concurrency": huge},
        {"tpot_limit_ms": "0.000000000000000000000000000001"}, {"isl_tokens": "0.0000001", "osl_tokens": "0.0000001"},
    ):  # fmt: skip
        (row,) = hosted(client, {**BASE, "throughput": "estimate", "weight_precision": "fp8", **changes})
        assert row["error_code"] is not None or Fraction(row["cost_per_query"]) > 0
