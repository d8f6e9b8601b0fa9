"""`POST /margin`: prices by token, query and seat, costs of every kind, and what is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import NO_MONEY, SECRET, refused, same

ROW: dict[str, Any] = {"price_per_query": "0.02", "model_cost_per_query": "0.0143875"}
SHARES = ("batch_share", "model_discount_share", "payment_fee_share", "accepted_share")


def answered(client: httpx.Client, *rows: Any, query: str = "", **top: Any) -> dict[str, Any]:
    answer = client.post(f"/margin{query}", json={"rows": rows, "as_of": "2026-11-30T12:00:00Z", **top})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def only(client: httpx.Client, row: dict[str, Any], **top: Any) -> dict[str, Any]:
    found: dict[str, Any] = answered(client, row, **top)["rows"][0]
    assert found["error_code"] is None, found["error_detail"]
    return found


def test_one_query_without_a_volume(client: httpx.Client) -> None:
    row = only(client, ROW)
    assert (row["period"], row["gross_margin_ratio"], row["gross_profit"]) == ("query", "0.280625", "0.0056125")
    same(row["markup_ratio"], Fraction("0.0056125") / Fraction("0.0143875"))
    assert "figures_of_one_query" in row["warnings"].split(";")
    assert (row["break_even_min_queries"], row["seats"]) == (None, None)


def test_no_revenue_has_no_margin_and_says_so(client: httpx.Client) -> None:
    body = answered(client, ROW | {"price_per_query": 0}, ROW | {"model_cost_per_query": 0}, ROW)
    free, costless, good = body["rows"]
    assert (free["gross_margin_ratio"], free["inference_share"], free["reasons"]) == (None, None, "no_revenue")
    assert free["gross_profit"] == "-0.0143875"
    assert (free["most_sensitive_input"], free["markup_ratio"]) == (None, "-1")
    assert (costless["gross_margin_ratio"], costless["markup_ratio"]) == ("1", None)
    assert costless["reasons"] == "no_cost"
    assert good["reasons"] == ""
    assert {"no_revenue", "no_cost"} <= {warning["code"] for warning in body["meta"]["warnings"]}


def test_prices_by_token_have_margins_of_their_own(client: httpx.Client) -> None:
    """SemiAnalysis, InferenceX v2: Crusoe's DeepSeek, 83 % on input and 45 % on output; 3 tokens in for 1 out between them."""
    row = only(
        client,
        {
            "price_per_mtok_input": "1.35",
            "price_per_mtok_output": "5.40",
            "model_price_per_mtok_input": "0.226",
            "model_price_per_mtok_output": "2.955",
            "usage": {"input_tokens": 3000, "output_tokens": 1000},
        },
    )
    same(row["input_margin_ratio"], (Fraction("1.35") - Fraction("0.226")) / Fraction("1.35"))
    same(row["output_margin_ratio"], (Fraction("5.40") - Fraction("2.955")) / Fraction("5.40"))
    revenue, cost = 3 * Fraction("1.35") + Fraction("5.40"), 3 * Fraction("0.226") + Fraction("2.955")
    same(row["gross_margin_ratio"], 1 - cost / revenue)
    same(row["revenue_per_query"], revenue / 1000)


def test_deepseeks_day_is_545_percent_mark_up_and_84_5_percent_margin(client: httpx.Client) -> None:
    """DeepSeek, open-infra-index day 6 (2025-03-01): 226.75 nodes · 8 · 2 USD · 24 h; "545 %" is no gross margin."""
    asked = {
        "price_per_mtok_input": "0.55",
        "price_per_mtok_cached_input": "0.14",
        "price_per_mtok_output": "2.19",
        "usage": {"input_tokens": 608 * 10**9, "cache_read_tokens": 342 * 10**9, "output_tokens": 168 * 10**9},
        "queries_per_month": 1,
        "inference_cost_per_month": "87072",
    }
    row = only(client, asked)
    assert row["revenue"] == "562100"
    assert Decimal("0.8450") < Decimal(row["gross_margin_ratio"]) < Decimal("0.8452")
    assert Decimal("5.45") < Decimal(row["markup_ratio"]) < Decimal("5.46")
    published = only(client, {"price_per_query": 562_027, "model_cost_per_query": 87_072})
    same(published["gross_margin_ratio"], Fraction(562_027 - 87_072, 562_027))
    same(published["markup_ratio"], Fraction(562_027 - 87_072, 87_072))


def test_list_contracted_and_effective_in_one_answer(client: httpx.Client) -> None:
    """LiteLLM's provider_discounts and provider_margins (R45), OpenRouter's 5.5 % on what is spent (R36): discount, then fee."""
    asked = {
        "price_per_query": "0.02",
        "model_price_per_mtok_input": "2",
        "model_price_per_mtok_output": "10",
        "usage": {"input_tokens": 1000, "output_tokens": 200},
        "model_discount_share": "0.10",
        "model_fee_share": "0.055",
    }
    row = only(client, asked)
    found = (row["list_cost_per_query"], row["contracted_cost_per_query"], row["cost_per_query"])
    assert found == ("0.004", "0.0036", "0.003798")


def test_a_regional_uplift_and_batch_multiply(client: httpx.Client) -> None:
    """FOCUS FR #2414 (R37): 1.1 for a region, half of the volume in batch at half price: 0.01 · 1.1 · 0.75."""
    asked = {"price_per_query": "0.02", "model_cost_per_query": "0.01", "price_multiplier": "1.1"}
    row = only(client, asked | {"batch_share": "0.5", "batch_multiplier": "0.5"})
    assert (row["list_cost_per_query"], row["cost_per_query"]) == ("0.011", "0.00825")


def test_real_time_and_batch_side_by_side(client: httpx.Client) -> None:
    """gpt-6-sol: 2 in, 10 out, half of both in batch; retries of 5 %; accepted 80 %."""
    asked = {
        "offer": "openai/gpt-6-sol",
        "usage": {"input_tokens": 1000, "output_tokens": 100},
        "price_per_query": "0.01",
        "queries_per_month": 1_000_000,
        "retry_share": "0.05",
        "accepted_share": "0.8",
    }
    live, batch, mixed = answered(client, asked, asked | {"batch_share": 1}, asked | {"batch_share": "0.5"})["rows"]
    costs = [row["cost_per_query"] for row in (live, batch, mixed)]
    assert costs == ["0.00315", "0.001575", "0.0023625"]
    assert live["inference_cost_per_accepted"] == "0.0039375"  # 0.00315 / 0.8: failures are in the numerator
    assert live["cogs_per_accepted"] == "0.0039375"
    assert live["gross_margin_ratio"] == "0.685"


def test_a_price_per_query_needs_a_least_volume(client: httpx.Client) -> None:
    """Fixed 6,500 a month, 0.01 gained a query after 2.9 % of 0.02: 6,500 / (0.02 · 0.971 − 0.00942)."""
    asked = {
        "price_per_query": "0.02",
        "model_cost_per_query": "0.00942",
        "queries_per_month": 1_000_000,
        "hosting_per_month": 6_500,
        "payment_fee_share": "0.029",
        "target_margin_ratio": "0.3",
    }
    row = only(client, asked)
    assert (row["break_even_min_queries"], row["break_even_max_queries"]) == ("650000", None)
    same(row["target_min_queries"], 6_500 / (Fraction("0.02") * Fraction("0.671") - Fraction("0.00942")))
    assert row["target_unit"] == "query"
    same(row["target_price"], (9_420 + 6_500) / Fraction("0.671") / 1_000_000)
    never = only(client, asked | {"model_cost_per_query": "0.02"})
    assert never["reasons"] == "never_breaks_even;target_at_no_volume"
    beyond = only(client, asked | {"payment_fee_share": "0.9", "target_margin_ratio": "0.2"})
    assert (beyond["target_price"], "target_out_of_reach" in beyond["reasons"]) == (None, True)


def test_a_commitment_bounds_both_sides(client: httpx.Client) -> None:
    """1,000 committed and 1,000 of subscriptions: without use all goes; with usage at 0.02 sold and 0.01 paid, from 0 to all."""
    asked = {
        "price_per_seat": 10,
        "seats": 90,
        "queries_per_seat": 100,
        "price_per_query": "0.002",
        "model_cost_per_query": "0.01",
        "commitment_per_month": 1_000,
    }
    row = only(client, asked)
    assert row["break_even_min_queries"] == "50000"  # 900 + 0.002 q = 1,000
    assert row["break_even_max_queries"] == "112500"  # 900 = 0.008 q
    assert row["gross_margin_ratio"].startswith("-")
    assert row["commitment_shortfall_cost"] == "910"


def test_an_offers_costs_move_by_meter(client: httpx.Client) -> None:
    """gpt-6-sol, 2 in and 10 out, sold at 4 and 20: 1,000 in and 100 out cost 0.002 and 0.001 and bring twice that."""
    asked = {
        "offer": "openai/gpt-6-sol",
        "usage": {"input_tokens": 1000, "output_tokens": 100},
        "price_per_mtok_input": 4,
        "price_per_mtok_output": 20,
    }
    found = {moved["input"]: moved for moved in answered(client, asked)["sensitivity"]}
    assert set(found) == {
        "offer.input_tokens", "offer.output_tokens", "price_per_mtok_input", "price_per_mtok_output",
    }  # fmt: skip
    same(found["offer.input_tokens"]["swing"], Fraction("0.0004") / Fraction("0.006"))
    assert found["offer.input_tokens"]["value"] == "0.002"


def test_low_base_and_high_of_each_input(client: httpx.Client) -> None:
    """R42: ranges, not points. At ± 20 % a price of 0.02 leaves 10.08 % to 40.05 %."""
    body = answered(client, ROW | {"row_id": "base"}, swing_share="0.2")
    first = body["sensitivity"][0]
    assert (first["row_id"], first["input"], first["place"]) == ("base", "price_per_query", 1)
    same(first["gross_margin_ratio_at_low"], 1 - Fraction("0.0143875") / Fraction("0.016"))
    same(first["gross_margin_ratio_at_high"], 1 - Fraction("0.0143875") / Fraction("0.024"))
    assert {moved["input"] for moved in body["sensitivity"]} == {"price_per_query", "model_cost_per_query"}
    assert body["rows"][0]["swing_share"] == "0.2"


def test_sound_is_measured_and_tokens_are_counted(client: httpx.Client) -> None:
    """Seconds need not be whole: half an hour of transcription at a book's 0.36 an hour."""
    rate = {
        "provider": "sound",
        "model": "m",
        "meter": "audio_seconds",
        "rate": "0.36",
        "per": 3600,
        "valid_from": "2026-11-01",
        "source": "contract",
        "checked_on": "2026-11-01",
    }
    made = client.post("/prices", json={"price_book": {"id": "sound", "currency": "USD"}, "rows": [rate]})
    assert made.status_code == 201, made.text
    asked = {"offer": "sound/m", "price_book": "sound", "usage": {"audio_seconds": "1800.5"}, "price_per_query": "1"}
    row = only(client, asked)
    assert row["cost_per_query"] == "0.18005"


def test_what_a_default_assumes_is_said(client: httpx.Client) -> None:
    row = only(
        client,
        {
            "price_per_mtok_input": 3,
            "price_per_mtok_output": 9,
            "model_price_per_mtok_input": 1,
            "model_price_per_mtok_output": 3,
            "usage": {"input_tokens": "10.5", "cache_read_tokens": "4.5", "output_tokens": 2},
        },
    )
    assert {"cache_read_not_priced", "cached_input_sold_as_input"} <= set(row["warnings"].split(";"))
    same(row["gross_margin_ratio"], Fraction(2, 3))


def test_a_book_with_tax_may_be_taken_without(client: httpx.Client) -> None:
    """Margins are without value-added tax: 10.60 with 6 % in it is 10."""
    rate = {
        "provider": "taxed",
        "model": "m",
        "tokenizer": "o200k_base",
        "meter": "output_tokens",
        "rate": "10.60",
        "per": 1_000_000,
        "valid_from": "2026-11-01",
        "tax_included": True,
        "tax_rate": "0.06",
        "source": "contract",
        "checked_on": "2026-11-01",
    }
    made = client.post("/prices", json={"price_book": {"id": "taxed-margin", "currency": "CNY"}, "rows": [rate]})
    assert made.status_code == 201, made.text
    asked = {
        "offer": "taxed/m",
        "price_book": "taxed-margin",
        "usage": {"output_tokens": 1000},
        "price_per_query": "0.02",
    }
    assert only(client, asked, currency="CNY")["cost_per_query"] == "0.0106"
    assert only(client, asked, currency="CNY", tax="excluded")["cost_per_query"] == "0.01"
    row = answered(client, asked)["rows"][0]
    assert row["error_code"] == "missing-fx-rate"


@pytest.mark.parametrize(
    ("row", "code", "says"),
    [
        ({}, "invalid-fields", "give a price"),
        ({"price_per_query": 1}, "invalid-fields", "give a cost"),
        (ROW | {"price_per_query": "-1"}, "invalid-fields", "/price_per_query"),
        (ROW | {"offer": "openai/gpt-6-sol", "usage": {"input_tokens": 1}}, "invalid-fields", "one cost"),
        (ROW | {"price_book": "default"}, "invalid-fields", "offer"),
        (ROW | {"price_per_seat": 1}, "invalid-fields", "seats"),
        (ROW | {"seats": 5}, "invalid-fields", "queries_per_seat"),
        (ROW | {"queries_per_seat": 5}, "invalid-fields", "seats"),
        (ROW | {"seats": 5, "queries_per_seat": 5, "queries_per_month": 5}, "invalid-fields", "queries_per_month"),
        (ROW | {"hosting_per_month": 5}, "invalid-fields", "per month"),
        (ROW | {"batch_share": "0.5"}, "invalid-fields", "batch_multiplier"),
        (ROW | {"target_margin_ratio": 1}, "invalid-fields", "mark-up"),
        (ROW | {"target_margin_ratio": "5.45"}, "invalid-fields", "mark-up"),
        (ROW | {"price_multiplier": 0}, "invalid-fields", "above 0"),
        (ROW | {"nonsense": 1}, "invalid-fields", "unknown field"),
        (ROW | {"payment_fee_per_transaction": 1, "queries_per_month": 1}, "invalid-fields", "transactions_per_month"),
        (ROW | {"usage": {"images": 1}}, "invalid-usage", "only an offer"),
        (ROW | {"usage": {"input_tokens": 5, "cache_read_tokens": 6}}, "invalid-usage", "more than"),
        ({"price_per_query": 1, "model_price_per_mtok_input": 1, "usage": {"output_tokens": 5}}, "invalid-fields", "no price"),
        ({"price_per_mtok_input": 1, "model_cost_per_query": 1}, "invalid-fields", "tokens of a query"),
        ({"price_per_query": 1, "offer": "openai/nope", "usage": {"input_tokens": 1}}, "unknown-model", "model"),
        ({"price_per_query": 1, "offer": "openai/gpt-6-sol"}, "invalid-usage", "tokens"),
        ({"price_per_query": 1, "offer": "openai/gpt-6-sol", "usage": {"input_tokens": "1.5"}}, "invalid-usage", "whole"),
        (SECRET, "invalid-fields", ""),
        (None, "invalid-fields", ""),
    ],
)  # fmt: skip
def test_bad_rows_are_rows(client: httpx.Client, row: Any, code: str, says: str) -> None:
    bad, good = answered(client, row, ROW)["rows"]
    assert bad["error_code"] == code, bad["error_detail"]
    assert says in bad["error_detail"]
    assert SECRET not in json.dumps(bad)
    assert (bad["revenue"], bad["gross_margin_ratio"], bad["cogs"]) == (None, None, None)
    assert good["gross_margin_ratio"] == "0.280625", "the others are answered"
    refused(client.post("/margin?on_error=fail", json={"rows": [ROW, row]}), 422, "invalid-fields")


@pytest.mark.parametrize("value", NO_MONEY, ids=lambda value: repr(value)[:20])
def test_money_that_is_none(client: httpx.Client, value: Any) -> None:
    for name in ("price_per_query", "hosting_per_month"):
        answer = client.post("/margin", content=json.dumps({"rows": [ROW | {"queries_per_month": 1, name: value}]}))
        assert answer.json()["rows"][0]["error_code"] == "invalid-fields", name


@pytest.mark.parametrize("value", ["1.0001", "-0.1", 2, "NaN", 0.5, True])
def test_shares_lie_between_0_and_1(client: httpx.Client, value: Any) -> None:
    for name in SHARES:
        (row,) = answered(client, ROW | {name: value})["rows"]
        assert (row["error_code"], f"/{name}" in row["error_detail"]) == ("invalid-fields", True)


def test_csv_and_ndjson(client: httpx.Client) -> None:
    text = client.post("/margin?format=csv", json={"rows": [ROW | {"price_per_query": "0.01"}]}).text
    head, line = text.splitlines()
    cells = dict(zip(head.split(","), line.split(","), strict=True))
    assert cells["gross_margin_ratio"] == "-0.43875", "a loss stays a number"
    (row,) = [json.loads(line) for line in client.post("/margin?format=ndjson", json={"rows": [ROW]}).text.splitlines()]
    assert row["gross_margin_ratio"] == "0.280625"
