"""Hosting offers in `POST /compare`: the same text, the model's own tokenizer, ranked with the offers of vendors."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import httpx

from tests.http.asking import AS_OF, COMPARE_COLUMNS, GOOD, same

Row = dict[str, Any]
TEXT = "Where is my parcel? It was to arrive on Monday, and nobody answers the telephone. " * 4
STATED = {"output_tokens_per_s": "2000", "prefill_share": "0.25"}
HOSTING: Row = {
    "model": "llama-3.3-70b", "accelerator": "h100-sxm", "accelerator_count": 8, "price_per_accelerator_hour": "4.50",
    "throughput": STATED, "utilization_ratio": "0.5",
}  # fmt: skip
"""36 an hour is 0.01 a second: 500 output tokens are 0.25 s, 0.005 at half use."""


def compared(client: httpx.Client, *offers: Any, workload: Row | None = None, **top: Any) -> list[Row]:
    body = {
        "text": TEXT, "offers": list(offers), "as_of": AS_OF,
        "workload": {"output_tokens_per_query": 500, **(workload or {})}, **top,
    }  # fmt: skip
    if "samples" in top:
        del body["text"]
    answer = client.post("/compare?detail=1" if "samples" in top else "/compare", content=json.dumps(body))
    assert answer.status_code == 200, answer.text
    rows: list[Row] = answer.json()["rows"]
    assert all(list(row) == COMPARE_COLUMNS for row in rows)
    return rows


def hosted(client: httpx.Client, workload: Row | None = None, **changes: Any) -> Row:
    (row,) = compared(client, {"row_id": "own", "hosting": {**HOSTING, **changes}}, workload=workload)
    assert row["error_code"] is None, row["error_detail"]
    return row


def failed(client: httpx.Client, workload: Row | None = None, **changes: Any) -> str:
    good, bad = compared(client, GOOD, {"hosting": {**HOSTING, **changes}}, workload=workload)
    assert good["error_code"] is None and good["rank"] == 1
    assert bad["rank"] is None and bad["cost_per_query"] is None and bad["error_detail"]
    return str(bad["error_code"])


def test_counted_with_the_models_own_tokenizer_and_ranked_by_cost(client: httpx.Client) -> None:
    first, second = compared(client, {"row_id": "own", "hosting": HOSTING}, GOOD)
    own, api = (first, second) if first["row_id"] == "own" else (second, first)
    assert (own["tokenizer"], own["count_method"], own["offer"]) == ("llama3", "exact", "hosting/llama-3.3-70b")
    assert own["cost_per_query"] == "0.005" and own["price_source"] == "stated by the caller"
    assert own["input_characters"] == api["input_characters"] == len(TEXT)
    cheaper = Fraction(first["cost_per_query"]) <= Fraction(second["cost_per_query"])
    assert cheaper and (first["rank"], second["rank"]) == (1, 2)
    assert "accelerator=h100-sxm" in own["context"].split(";") and "utilization_ratio=0.5" in own["context"].split(";")
    assert "throughput_stated" in own["warnings"].split(";")


def test_prices_and_figures_per_character_add_up(client: httpx.Client) -> None:
    row = hosted(client)
    tokens, price_in, price_out = row["input_tokens"], row["input_price_per_mtok"], row["output_price_per_mtok"]
    assert price_out == "7.5"
    total = Fraction(price_in) * tokens + Fraction(price_out) * 500
    assert abs(total / 10**6 - Fraction("0.005")) < Fraction(1, 10**25)
    same(row["input_cost_per_mchar"], Fraction("0.00125") / len(TEXT) * 10**6)


def test_margin_month_and_whole_replicas(client: httpx.Client) -> None:
    """At 5,256,000 queries one replica is half busy all month: 26,280, 0.005 a query; one query more needs a second."""
    one, two = (
        compared(client, {"hosting": HOSTING}, workload={"queries_per_month": volume}, revenue_per_query="0.02")[0]
        for volume in (5_256_000, 5_256_001)
    )
    assert (one["cost_per_query"], one["cost_per_month"], one["gross_margin_ratio"]) == ("0.005", "26280", "0.75")
    assert "whole_replicas=1" in one["warnings"].split(";")
    assert abs(Fraction(two["cost_per_month"]) - 52560) < Fraction(1, 10**15)
    assert "whole_replicas=2" in two["warnings"].split(";")


def test_a_small_volume_pays_the_whole_machine(client: httpx.Client) -> None:
    """1,000 queries a month on a machine of 26,280: 26.28 each, whatever its utilization could be."""
    row = hosted(client, {"queries_per_month": 1000})
    assert row["cost_per_query"] == "26.28"
    assert any(code.startswith("utilization_at_volume=") for code in row["warnings"].split(";"))


def test_shares(client: httpx.Client) -> None:
    row = hosted(client, {"retry_share": "0.1", "batch_share": "0.5", "reasoning_tokens_per_query": 500})
    assert (row["cost_per_query"], row["output_tokens"], row["output_price_per_mtok"]) == ("0.011", 1000, "7.5")
    assert "batch_not_offered" in row["warnings"].split(";")
    plain, cached = hosted(client), hosted(client, {"cached_input_share": "0.5"})
    assert cached["cost_per_query"] == plain["cost_per_query"]  # a stated throughput stays what it is
    assert "cached_input_is_prefix_cache" in cached["warnings"].split(";")


def test_the_band_of_the_throughput_is_the_band_of_the_cost(client: httpx.Client) -> None:
    row = hosted(client, throughput={**STATED, "output_low": "1600", "output_high": "2500"})
    assert (row["cost_per_query_low"], row["cost_per_query"], row["cost_per_query_high"]) == (
        "0.004",
        "0.005",
        "0.00625",
    )


def test_samples_are_charged_their_own_replica_time(client: httpx.Client) -> None:
    """One operating point for the mix, 1,000 in and 500 out on average: 1.25 and 7.5 per million for each."""
    samples = [
        {"name": "short", "input_tokens": 500, "output_text": "yes", "weight": 1},
        {"name": "long", "input_tokens": 1500, "output_text": "yes", "weight": 1},
    ]
    workload = {"output_tokens_per_query": None, "reasoning_tokens_per_query": 499}
    rows = compared(client, {"hosting": HOSTING}, samples=samples, workload=workload)
    mean, short, long = rows
    assert (mean["sample"], mean["cost_per_query"]) == ("*", "0.005")
    assert (short["cost_per_query"], long["cost_per_query"]) == ("0.004375", "0.005625")


def test_rental_price_source_and_day(client: httpx.Client) -> None:
    row = hosted(client, price_per_accelerator_hour=None, rental="aws/p5.48xlarge", region="us-east-1")
    assert row["price_checked_on"] == "2026-09-06" and row["price_source"]
    same(row["cost_per_query"], Fraction("55.04") / 3600 / 2)


def test_a_currency_is_converted_by_a_stated_rate(client: httpx.Client) -> None:
    fx = [{"from": "CNY", "to": "USD", "rate": "0.125", "as_of": "2026-11-30"}]
    (row,) = compared(client, {"hosting": {**HOSTING, "currency": "CNY"}}, fx=fx)
    assert (row["cost_per_query"], row["native_cost_per_query"], row["native_currency"]) == ("0.000625", "0.005", "CNY")


def test_bad_hosting_offers_leave_the_others_answered(client: httpx.Client) -> None:
    assert failed(client, utilization_ratio="0") == "invalid-fields"
    assert failed(client, utilization_ratio="1.5") == "invalid-fields"
    assert failed(client, utilization_ratio=None) == "invalid-fields"
    assert failed(client, price_per_accelerator_hour="0") == "invalid-fields"
    assert failed(client, price_per_accelerator_hour="-4") == "invalid-fields"
    assert failed(client, accelerator="h1000") == "unknown-accelerator"
    assert failed(client, throughput={"tokens_per_s_per_user": "969"}) == "not-for-cost"
    assert failed(client, throughput={"output_tokens_per_s": "inf"}) == "invalid-fields"
    assert failed(client, model="phi-3-mini") == "tokenizer-unavailable"
    assert failed(client, model="in-house-1") == "tokenizer-unavailable"
    assert failed(client, {"output_tokens_per_query": None}) == "tokens-underivable"
    assert failed(client, {"output_tokens_per_query": 200_000}) == "exceeds-context"


def test_an_estimate_beside_an_api(client: httpx.Client) -> None:
    """The example of the contract: rented by region, with a limit, the cost carrying the band of its estimate."""
    rented = {
        "model": "llama-3.3-70b", "accelerator": "h100-sxm", "accelerator_count": 8, "rental": "aws/p5.48xlarge",
        "region": "us-east-1", "throughput": "estimate", "utilization_ratio": "0.5", "tpot_limit_ms": 30,
    }  # fmt: skip
    rows = compared(
        client, GOOD, {"hosting": rented}, {"row_id": "batch", "hosting": {**rented, "tpot_limit_ms": None}}
    )
    assert [row["rank"] for row in rows] == [1, 2, 3] and not any(row["error_code"] for row in rows)
    (limited,) = (row for row in rows if row["row_id"] == 1)
    (batch,) = (row for row in rows if row["row_id"] == "batch")
    for row in (limited, batch):
        low, cost, high = (Fraction(row[f"cost_per_query{end}"]) for end in ("_low", "", "_high"))
        assert low < cost < high and "throughput_estimate" in row["warnings"].split(";")
    assert Fraction(batch["cost_per_query"]) < Fraction(limited["cost_per_query"])
    assert failed(client, **{**rented, "price_per_accelerator_hour": None, "tpot_limit_ms": 1}) == "infeasible"


def test_a_model_of_ones_own_needs_a_tokenizer_named(client: httpx.Client) -> None:
    (row,) = compared(client, {"hosting": {**HOSTING, "model": "in-house-1"}, "tokenizer": "llama3"})
    assert (row["count_method"], row["cost_per_query"]) == ("estimate", "0.005")
    assert "model_not_described" in row["warnings"].split(";")


def test_language_premiums_of_a_hosted_model(client: httpx.Client) -> None:
    samples = [
        {"name": "zh", "input_text": "我的包裹在哪里？本应星期一到。" * 8, "output_text": "好的"},
        {"name": "en", "input_text": "Where is my parcel? It was to arrive on Monday." * 8, "output_text": "Fine"},
    ]
    apart = {**HOSTING, "throughput": {"prefill_tokens_per_s": "16000", "decode_tokens_per_s": "2500"}}
    body = {
        "samples": samples, "offers": [{"hosting": apart}], "as_of": AS_OF, "language_pairs": [["zh", "en"]]
    }  # fmt: skip
    answer = client.post("/compare", json=body).json()
    (premium,) = answer["premiums"]
    assert premium["offer"] == "hosting/llama-3.3-70b" and Fraction(premium["input_tokens_ratio"]) > 1
