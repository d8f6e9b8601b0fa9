"""`POST /hosting-cost`: by hand from stated prices and throughputs, with lines and splits that add up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import refused, same

AS_OF = "2026-11-30T12:00:00Z"
Row = dict[str, Any]

BASE: Row = {
    "model": "llama-3.3-70b", "accelerator": "h100-sxm", "accelerator_count": 8, "price_per_accelerator_hour": "4.50",
    "throughput": {"output_tokens_per_s": "2000", "prefill_share": "0.25", "output_low": "1600", "output_high": "2500"},
    "utilization_ratio": "0.5", "isl_tokens": 1000, "osl_tokens": 500,
}  # fmt: skip
"""36 an hour is 0.01 a second; 500 tokens at 2,000 a second are 0.25 s: 0.0025, of it 0.000625 prefill, and as much idle."""


def hosted(client: httpx.Client, *rows: Row, **top: Any) -> list[Row]:
    answer = client.post("/hosting-cost", json={"rows": list(rows), "as_of": AS_OF, **top})
    assert answer.status_code == 200, answer.text
    found: list[Row] = answer.json()["rows"]
    assert len(found) == len(rows)
    return found


def only(client: httpx.Client, **changes: Any) -> Row:
    (row,) = hosted(client, {**BASE, **changes})
    assert row["error_code"] is None, row["error_detail"]
    return row


def failed(client: httpx.Client, **changes: Any) -> tuple[str, str]:
    (row,) = hosted(client, {**BASE, **changes})
    assert row["cost_per_query"] is None
    return row["error_code"], row["error_detail"]


def test_lines_of_a_query(client: httpx.Client) -> None:
    row = only(client)
    lines = [row[f"{name}_cost_per_query"] for name in ("prefill", "decode", "idle")]
    assert lines == ["0.000625", "0.001875", "0.0025"]
    assert (row["cost_per_query"], row["floor_cost_per_query"]) == ("0.005", "0.0025")
    assert (row["cost_per_query_low"], row["cost_per_query_high"]) == ("0.004", "0.00625")
    assert (row["queries_per_s"], row["usable_queries_per_s"]) == ("4", "2")
    assert (row["price_per_replica_hour"], row["price_source"]) == ("36", "stated by the caller")
    assert row["throughput_method"] == "stated" and row["tpot_ms"] is None  # vllm-project/vllm#12845


def test_splits_add_up_to_the_bill_and_one_sided_figures_say_so(client: httpx.Client) -> None:
    """SemiAnalysisAI/InferenceX#552, #553: 0.005 a query is 1.25 per million in and 7.5 out, not 5 and 10."""
    row = only(client)
    assert (row["input_cost_per_mtok"], row["output_cost_per_mtok"]) == ("1.25", "7.5")
    assert Fraction("1.25") * 1000 + Fraction("7.5") * 500 == Fraction("0.005") * 10**6
    assert row["all_to_output_cost_per_mtok"] == "10"
    assert row["floor_all_to_output_cost_per_mtok"] == "5"
    same(row["all_to_total_cost_per_mtok"], Fraction(10, 3))
    ratio_in, ratio_out = (Fraction(row[f"fixed_ratio_{side}_cost_per_mtok"]) for side in ("input", "output"))
    assert row["fixed_ratio"] == "4" and abs(ratio_out / ratio_in - 4) < Fraction(1, 10**20)
    assert abs(ratio_in * 1000 + ratio_out * 500 - 5000) < Fraction(1, 10**20)


def test_cached_input_costs_its_attention_only(client: httpx.Client) -> None:
    stated = {**BASE["throughput"], "cached_prefill_share": "0.1"}
    row = only(client, cached_input_share="0.6", throughput=stated)
    assert row["uncached_input_cost_per_mtok"] == "2.8125"  # 0.9 · 1250 / 400
    same(row["cached_input_cost_per_mtok"], Fraction(125, 600))
    by_physics = only(client, cached_input_share="0.6")
    assert (
        Fraction(by_physics["cached_input_cost_per_mtok"]) < Fraction(by_physics["uncached_input_cost_per_mtok"]) / 50
    )


def test_whole_replicas_and_monthly_costs(client: httpx.Client) -> None:
    """2 queries a second at half use are 5,256,000 in 730 h: one more needs a second replica; 0.25 · 15,000 + 900 on top."""
    more = {"staff_share": "0.25", "staff_cost_per_month": "15000", "platform_cost_per_month": "900"}
    one, two = (only(client, queries_per_month=volume, **more) for volume in (5_256_000, 5_256_001))
    assert (one["replicas"], two["replicas"]) == (1, 2)
    assert (one["rent_per_month"], two["rent_per_month"], one["fixed_cost_per_month"]) == ("26280", "52560", "4650")
    assert (one["cost_per_month"], one["utilization_at_volume_ratio"]) == ("30930", "0.5")
    names = [f"{name}_cost_per_query_at_volume" for name in ("prefill", "decode", "idle", "fixed")]
    total = sum(Fraction(one[name]) for name in names)
    assert abs(total - Fraction(one["cost_per_query_at_volume"])) < Fraction(1, 10**25)
    same(one["cost_per_query_at_volume"], Fraction(30930, 5_256_000))
    assert only(client, queries_per_month=1, minimum_replicas=3)["replicas"] == 3
    assert only(client, queries_per_month=5_256_000, hours_per_month="720")["replicas"] == 2


def test_a_volume_alone_gives_the_utilization(client: httpx.Client) -> None:
    row = only(client, utilization_ratio=None, queries_per_month=5_256_000)
    assert (row["utilization_ratio"], row["utilization_basis"], row["cost_per_query"]) == ("0.5", "at_volume", "0.005")
    assert "no_headroom_planned" in row["warnings"].split(";")


def test_retries_are_served(client: httpx.Client) -> None:
    row = only(client, retry_share="0.1")
    assert (row["cost_per_query"], row["output_cost_per_mtok"]) == ("0.0055", "7.5")


def test_both_rates_at_once(client: httpx.Client) -> None:
    """8,000 in and 2,000 out at once: 1,000 in take 0.125 s, 500 out 0.25 s, which limits; 3,000 in take 0.375 s."""
    both = {"input_tokens_per_s": "8000", "output_tokens_per_s": "2000"}
    row = only(client, throughput=both)
    assert (row["cost_per_query"], row["prefill_cost_per_query"]) == ("0.005", None)
    assert "split_unknown" in row["warnings"].split(";")
    assert only(client, throughput=both, isl_tokens=3000)["cost_per_query"] == "0.0075"


def test_times_and_rates_apart(client: httpx.Client) -> None:
    times = only(client, throughput={"prefill_ms_per_query": "62.5", "decode_ms_per_query": "187.5"})
    apart = only(client, throughput={"prefill_tokens_per_s": "16000", "decode_tokens_per_s": "2500"})
    assert times["cost_per_query"] == "0.005" and times["prefill_cost_per_query"] == "0.000625"
    assert (apart["prefill_cost_per_query"], apart["decode_cost_per_query"]) == ("0.000625", "0.002")


def test_pools_are_named_and_the_cluster_costs_more(client: httpx.Client) -> None:
    """SGLang, 96 H100 at 2: decode nodes only are 0.1993 per million output, all twelve nodes 0.2657 (LMSYS, 2025-05-05)."""
    row = only(
        client, accelerator_count=96, price_per_accelerator_hour="2", utilization_ratio="1",
        throughput={"output_tokens_per_s": "200700", "prefill_accelerators": 24, "decode_accelerators": 72},
    )  # fmt: skip
    assert round(float(row["decode_pool_cost_per_mtok_output"]), 4) == 0.1993
    assert round(float(row["all_to_output_cost_per_mtok"]), 4) == 0.2657
    assert "utilization_is_floor" in row["warnings"].split(";")
    parts = Fraction(row["input_cost_per_mtok"]) * 1000 + Fraction(row["output_cost_per_mtok"]) * 500
    assert abs(parts / 10**6 - Fraction(row["cost_per_query"])) < Fraction(1, 10**25)


def test_unused_accelerators_and_energy(client: httpx.Client) -> None:
    """p5en: 5 of 8 at 63.296 an instance are 12.66 each; 700 W an H100 by its data sheet."""
    price = {"price_per_accelerator_hour": None, "price_per_instance_hour": "63.296", "instance_accelerators": 8}
    row = only(client, accelerator_count=5, **price)
    assert (row["accelerators_paid"], row["price_per_accelerator_hour"]) == (8, "12.6592")
    assert "unused_accelerators_paid=3" in row["warnings"].split(";")
    assert (row["power_w"], row["power_basis"]) == ("3500", "accelerator_tdp")
    same(row["energy_kwh_per_mtok_output"], Fraction(3500, 2000) / Fraction("3.6"))
    stated = only(client, power_w_per_accelerator="1730", power_basis="provisioned_utility")
    assert (stated["power_w"], stated["power_basis"]) == ("13840", "provisioned_utility")
    same(stated["energy_wh_per_query"], Fraction(13840) / 4 / 3600)


def test_quality_below_8_bits_is_the_callers_to_measure(client: httpx.Client) -> None:
    assert "quantized_below_8_bits" in only(client, weight_precision="nvfp4")["warnings"].split(";")
    assert "quantized_below_8_bits" not in only(client, weight_precision="fp8")["warnings"].split(";")


def test_rental_price_of_the_catalog(client: httpx.Client) -> None:
    """AWS p5.48xlarge in us-east-1 is 55.04 since June 2025 (list seen 2026-09-06), 98.32 before."""
    rented = {"price_per_accelerator_hour": None, "rental": "aws/p5.48xlarge", "region": "us-east-1"}
    row = only(client, **rented)
    assert (row["price_per_replica_hour"], row["price_basis"], row["price_checked_on"]) == (
        "55.04",
        "rental",
        "2026-09-06",
    )
    assert row["rental"].startswith("aws/p5.48xlarge:us-east-1") and row["purchase_model"] == "on_demand"
    five = only(client, accelerator_count=5, **rented)
    assert (five["accelerators_paid"], five["price_per_replica_hour"]) == (8, "55.04")
    assert failed(client, **{**rented, "rental": "aws/p5.nope"})[0] == "unknown-rental-price"
    assert failed(client, **rented, accelerator="b200-sxm")[0] in ("contradictory-context", "unknown-accelerator")


ESTIMATE: Row = {"throughput": "estimate", "weight_precision": "fp8"}


def test_an_estimate_carries_method_grade_band_and_assumptions(client: httpx.Client) -> None:
    row = only(client, **ESTIMATE)
    low, cost, high = (Fraction(row[f"cost_per_query{end}"]) for end in ("_low", "", "_high"))
    assert low < cost < high
    assert row["throughput_method"] in ("measured", "anchored", "physics") and row["throughput_grade"] in (
        "A",
        "B",
        "C",
    )
    assert row["throughput_source"].startswith("estimator permillion") and row["assumptions"]
    assert Fraction(row["output_tokens_per_s"]) / 8 < Fraction(row["bound_tokens_per_s_per_accelerator"])
    same(row["cost_per_query"], Fraction(36, 3600) * 500 / Fraction(row["output_tokens_per_s"]) * 2)
    lines = sum(Fraction(row[f"{name}_cost_per_query"]) for name in ("prefill", "decode", "idle"))
    assert abs(lines - cost) < Fraction(1, 10**20)
    assumed = only(client, throughput="estimate")
    assert "weight_precision_assumed=" + assumed["weight_precision"] in assumed["warnings"].split(";")


def test_real_time_and_batch_side_by_side(client: httpx.Client) -> None:
    """ai-dynamo/aiconfigurator#725: what is returned keeps the limit that was given, or is infeasible."""
    limits = [{}, {"tpot_limit_ms": 50}, {"tpot_limit_ms": 30, "ttft_limit_ms": 300}, {"tpot_limit_ms": 1}]
    batch, relaxed, real_time, never = hosted(client, *({**BASE, **ESTIMATE, **limit} for limit in limits))
    costs = [Fraction(row["cost_per_query"]) for row in (batch, relaxed, real_time)]
    assert costs[0] < costs[1] < costs[2]
    assert Fraction(relaxed["tpot_ms"]) <= Fraction("50.05")
    assert Fraction(real_time["tpot_ms"]) <= Fraction("30.03") and Fraction(real_time["ttft_ms"]) <= Fraction("300.3")
    assert never["error_code"] == "infeasible" and never["cost_per_query"] is None


def test_what_an_estimate_refuses(client: httpx.Client) -> None:
    code, detail = failed(client, throughput="estimate", weight_precision="bf16", accelerator_count=1)
    assert code == "infeasible" and "GiB are missing" in detail
    code, detail = failed(client, **{**ESTIMATE, "accelerator": "a100-sxm-80"})
    assert code == "unsupported-format" and "bf16" in detail
    assert failed(client, throughput="estimate", weight_precision="nvfp4")[0] == "unsupported-format"
    weights = only(client, throughput="estimate", weight_precision="nvfp4", weight_only=True)
    assert "quantized_below_8_bits" in weights["warnings"].split(";")
    code, detail = failed(client, **ESTIMATE, accelerator_count=16, parallelism="tp16")
    assert code == "infeasible" and "scale-up domain of 8" in detail
    assert failed(client, **ESTIMATE, parallelism="tp3")[0] == "invalid-fields"
    assert failed(client, **ESTIMATE, acceptance_ratio="0.7")[0] == "invalid-fields"
    assert failed(client, **{**ESTIMATE, "weight_precision": "fp7"})[0] == "invalid-fields"
    assert failed(client, **{**ESTIMATE, "osl_tokens": 0})[0] == "tokens-underivable"
    assert failed(client, **{**ESTIMATE, "accelerator": None})[0] == "invalid-fields"
    assert failed(client, **{**ESTIMATE, "accelerator": "groq-lpu-v1"})[0] in (
        "not-for-cost",
        "unsupported-format",
        "infeasible",
    )


def test_prefix_cache_saves_prefill(client: httpx.Client) -> None:
    plain, cached = only(client, **ESTIMATE), only(client, **ESTIMATE, cached_input_share="0.9")
    assert Fraction(cached["cost_per_query"]) < Fraction(plain["cost_per_query"])
    assert Fraction(cached["cached_input_cost_per_mtok"]) < Fraction(cached["uncached_input_cost_per_mtok"]) / 20


def test_ownership_profile_of_the_catalog(client: httpx.Client) -> None:
    """T38: 8 H100 in colocation cost 1.6471 an available hour each; utilization divides capacity, not that cost again."""
    row = only(client, price_per_accelerator_hour=None, ownership_profile="reference-8xh100-colocated")
    assert row["price_basis"] == "ownership" and row["price_source"] and row["price_checked_on"]
    assert abs(float(row["price_per_accelerator_hour"]) / 1.6471 - 1) < 1e-4
    same(row["cost_per_query"], Fraction(row["price_per_replica_hour"]) / 3600 / 4 / Fraction("0.5"))
    assert "capital_method=annuity" in row["warnings"].split(";")


MEASURED: Row = {
    "output_tokens_per_s": 2000, "weight_precision": "fp8", "kv_precision": "fp8", "engine": "vllm",
    "engine_version": "0.10.1", "parallelism": "tp8", "arrival": "closed_loop", "concurrency": 64, "nodes": 1,
    "output_length_kind": "actual", "prefix_cache_hit_ratio": 0, "speculative_decoding": "none", "source": "own run",
    "source_kind": "own", "measured_on": "2026-11-01", "tokens_counted_by": "server_usage", "requests": 1000,
    "duration_s": 900, "input_lengths": "fixed", "output_lengths": "fixed", "model_revision": "main",
}  # fmt: skip


def test_a_measurement_is_graded_before_it_enters_a_cost(client: httpx.Client) -> None:
    row = only(client, throughput={"measurement": MEASURED})
    assert (row["cost_per_query"], row["throughput_method"], row["throughput_source"]) == (
        "0.005",
        "measured",
        "own run",
    )
    assert row["throughput_grade"] in ("A", "B", "C") and row["concurrency"] == "64"
    other = only(client, throughput={"measurement": {**MEASURED, "isl_tokens": 2000, "osl_tokens": 500}})
    assert "measured_at_other_lengths" in other["warnings"].split(";")
    code, detail = failed(client, throughput={"measurement": {"output_tokens_per_s_per_user": 969}})
    assert code == "not-for-cost" and detail.startswith("grade D")
    assert failed(client, throughput={"measurement": {**MEASURED, "output_tokens_per_s": 1e6}})[0] == "not-for-cost"
    assert (
        failed(client, throughput={"measurement": {**MEASURED, "tokens_per_s": 9, "output_tokens_per_s": None}})[0]
        == "invalid-fields"
    )
    assert (
        failed(client, throughput={"measurement": {**MEASURED, "accelerator_count": 4, "parallelism": "tp4"}})[0]
        == "contradictory-context"
    )


def test_physical_quantities_may_be_json_numbers_and_money_may_not(client: httpx.Client) -> None:
    assert only(client, throughput={"output_tokens_per_s": 2000.0})["cost_per_query"] == "0.005"
    refusal = failed(client, throughput={"output_tokens_per_s": True})
    assert refusal[0] == "invalid-fields"
    assert "throughput/output_tokens_per_s:" in refusal[1], refusal
    raw = client.post("/hosting-cost", content=b'{"rows": [{"isl_tokens": NaN}]}')
    assert raw.status_code in (400, 422, 415)


def test_currencies(client: httpx.Client) -> None:
    fx = [{"from": "CNY", "to": "USD", "rate": "0.125", "as_of": "2026-11-30"}]
    (row,) = hosted(client, {**BASE, "currency": "CNY"}, currency="USD", fx=fx)
    assert (row["cost_per_query"], row["native_price_per_replica_hour"], row["currency"]) == ("0.000625", "36", "USD")
    (missing,) = hosted(client, {**BASE, "currency": "EUR"}, currency="USD")
    assert missing["error_code"] == "missing-fx-rate"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"utilization_ratio": "0"}, "invalid-fields"),
        ({"utilization_ratio": "1.01"}, "invalid-fields"),
        ({"utilization_ratio": "-0.5"}, "invalid-fields"),
        ({"utilization_ratio": "0.9", "usable_utilization_ratio": "0.6"}, "invalid-fields"),
        ({"price_per_accelerator_hour": "0"}, "invalid-fields"),
        ({"price_per_accelerator_hour": "-1"}, "invalid-fields"),
        ({"price_per_accelerator_hour": "NaN"}, "invalid-fields"),
        ({"price_per_accelerator_hour": "Infinity"}, "invalid-fields"),
        ({"price_per_accelerator_hour": 4.5}, "invalid-fields"),
        ({"price_per_accelerator_hour": None}, "invalid-fields"),
        ({"price_per_instance_hour": "36"}, "invalid-fields"),
        ({"price_per_accelerator_hour": None, "price_per_instance_hour": "36"}, "invalid-fields"),
        ({"throughput": {"output_tokens_per_s": "0"}}, "invalid-fields"),
        ({"throughput": {"output_tokens_per_s": "NaN"}}, "invalid-fields"),
        ({"throughput": {}}, "invalid-fields"),
        ({"throughput": {"output_tokens_per_s": "9", "prefill_tokens_per_s": "9"}}, "invalid-fields"),
        ({"throughput": {"prefill_tokens_per_s": "9"}}, "invalid-fields"),
        ({"throughput": {"output_tokens_per_s": "9", "output_low": "10", "output_high": "11"}}, "invalid-fields"),
        ({"throughput": {"output_tokens_per_s": "9", "prefill_share": "1.5"}}, "invalid-fields"),
        ({"throughput": {"output_tokens_per_s": "9", "prefill_accelerators": 8}}, "invalid-fields"),
        ({"throughput": {"output_tokens_per_s": "9", "grade": "D"}}, "not-for-cost"),
        ({"throughput": {"output_tokens_per_s": "9", "grade": "F"}}, "not-for-cost"),
        ({"throughput": {"tokens_per_s_per_user": "969"}}, "not-for-cost"),
        ({"throughput": {"output_tokens_per_s": "9", "tpot_ms": "40"}, "tpot_limit_ms": "30"}, "infeasible"),
        ({"throughput": {"output_tokens_per_s": "2000000"}}, "not-for-cost"),
        ({"accelerator_count": 1, "weight_precision": "bf16"}, "infeasible"),
        ({"model": "llama-3.1-405b", "accelerator_count": 2}, "infeasible"),
        ({"weight_precision": "fp7"}, "invalid-fields"),
        ({"accelerator": "h100"}, "unknown-accelerator"),
        ({"model": "llama-9", "throughput": "estimate"}, "unknown-architecture"),
        ({"accelerator_count": 0}, "invalid-fields"),
        ({"hours_per_month": "0"}, "invalid-fields"),
        ({"isl_tokens": 0, "osl_tokens": 0}, "tokens-underivable"),
        ({"osl_tokens": 0}, "tokens-underivable"),
        ({"staff_share": "1", "staff_cost_per_month": "9000"}, "invalid-fields"),
        ({"output_ratio": "0"}, "invalid-fields"),
        ({"ownership_profile": "nope", "price_per_accelerator_hour": None}, "unknown-ownership-profile"),
    ],
)  # fmt: skip
def test_bad_rows_are_problems_and_never_numbers(client: httpx.Client, changes: Row, code: str) -> None:
    found, detail = failed(client, **changes)
    assert found == code and detail


def test_a_model_that_does_not_fit_says_how_much_is_missing(client: httpx.Client) -> None:
    """Llama 3.3 70B has 70.55 billion parameters: 131.4 GiB in BF16; an H100 has 79.65."""
    code, detail = failed(client, accelerator_count=1, weight_precision="bf16")
    assert code == "infeasible" and "51.8 GiB are missing" in detail
    assert only(client, accelerator_count=1, weight_precision="fp8")["cost_per_query"]


def test_the_first_bad_row_can_refuse_the_request(client: httpx.Client) -> None:
    body = {"rows": [BASE, {**BASE, "utilization_ratio": "0"}]}
    refused(client.post("/hosting-cost?on_error=fail", json=body), 422, "invalid-fields", "/rows/1/utilization_ratio")
    good, bad = hosted(client, *body["rows"])
    assert (good["error_code"], bad["error_code"]) == (None, "invalid-fields")


def test_csv_has_the_same_columns(client: httpx.Client) -> None:
    body = {"rows": [BASE], "as_of": AS_OF}
    answer = client.post("/hosting-cost?format=csv", json=body)
    header, line = answer.text.splitlines()
    assert header.split(",") == list(client.post("/hosting-cost", json=body).json()["rows"][0])
    assert "0.005" in line.split(",")


def test_no_utilization_leaves_the_floor_only(client: httpx.Client) -> None:
    row = only(client, utilization_ratio=None)
    assert (row["cost_per_query"], row["idle_cost_per_query"], row["floor_cost_per_query"]) == (None, None, "0.0025")
    assert "utilization_not_given" in row["warnings"].split(";")


def test_figures_go_on_into_break_even(client: httpx.Client) -> None:
    """At 0.01 a query of an API, a replica of 26,280 a month pays from 2,628,000 queries on: both routes must agree."""
    row = only(client)
    monthly = Fraction(row["price_per_replica_hour"]) * 730
    question = {
        "api_cost_per_query": "0.01",
        "hosting_cost_per_replica_month": str(monthly),
        "queries_per_s_per_replica": row["queries_per_s"],
        "usable_utilization_ratio": row["usable_utilization_ratio"],
        "capital_method": "rental",
        "volume_to_per_month": "5000000",
    }
    (crossing,) = client.post("/break-even", json={"rows": [question]}).json()["rows"]
    assert crossing["error_code"] is None, crossing["error_detail"]
    assert crossing["first_crossing_volume_per_month"] == "2628000"
    at = only(client, queries_per_month=crossing["first_crossing_volume_per_month"])
    assert Fraction(at["cost_per_month"]) == Fraction("0.01") * 2_628_000
    assert at["cost_per_query_at_volume"] == "0.01"
