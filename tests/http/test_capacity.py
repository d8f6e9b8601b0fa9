"""`POST /capacity`: the worked cases of `tests/cases/data/provisioned_throughput.json`, to the last printed digit."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.asking import NO_MONEY, refused

CASES = json.loads(
    (Path(__file__).parent.parent / "cases" / "data" / "provisioned_throughput.json").read_text(encoding="utf-8")
)
AZURE: dict[str, Any] = {
    "rule": "azure/gpt-4.1/global",
    "peak_queries": 120,
    "input_per_query": 1800,
    "cached_input_per_query": 600,
    "output_per_query": 350,
    "terms": [
        {"term": "hourly", "price_per_unit": "2.00", "per": "hour"},
        {"term": "reserved", "price_per_unit": "260", "per": "month"},
    ],
    "payg_price_per_mtok_input": "2.00",
    "payg_price_per_mtok_cached_input": "0.50",
    "payg_price_per_mtok_output": "8.00",
    "hours_per_month": 730,
    "mean_load_ratio": "0.35",
}


def answered(client: httpx.Client, *rows: dict[str, Any], query: str = "", **top: Any) -> dict[str, Any]:
    answer = client.post(f"/capacity{query}", json={"rows": rows, "as_of": "2026-11-30T12:00:00Z", **top})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert [row["error_detail"] for row in body["rows"] if row["error_code"]] == []
    return body


def rounded(printed: str, like: str) -> str:
    places = len(like.partition(".")[2])
    return str(Decimal(printed).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN))


def test_azure_ptu(client: httpx.Client) -> None:
    """litellm#35341, #37556, langsmith-sdk#520 (R26): 105 PTU, not double-charged, break-even at 94.4375 % of the peak."""
    case = CASES["azure_ptu"]
    body = answered(client, AZURE)
    (row,) = body["rows"]
    assert row["weighted_at_peak"] == case["weighted_tpm"]
    assert rounded(row["raw_units"], case["raw_ptu"]) == case["raw_ptu"]
    assert int(row["units"]) == case["ptu"] == int(row["required_units"])
    costs = {term["term"]: term["capacity_cost"] for term in body["terms"]}
    assert rounded(costs["hourly"], "0.00") == case["hourly_month"]
    assert rounded(costs["reserved"], "0.00") == case["reserved_month"]
    assert (row["term"], row["cheaper"]) == ("reserved", "payg")
    assert rounded(row["payg_cost_per_query"], case["payg_per_query"]) == case["payg_per_query"]
    assert row["peak_month_queries"] == case["queries_at_100pct"]
    like = case["reserved_breakeven_utilisation"]
    assert rounded(row["break_even_ratio"], like) == like
    like = case["reserved_cost_per_query_at_35pct"]
    assert rounded(row["cost_per_query"], like) == like
    assert rounded(row["payg_cost"], "0.00") == case["payg_month_at_35pct"]
    assert (row["rule_checked_on"], row["unit"], row["overflow_queries_high"]) == ("2026-12-01", "PTU", "0")
    assert "published_rule_may_be_old" in row["warnings"].split(";")


def test_the_formula_is_shown_and_not_only_the_number(client: httpx.Client) -> None:
    """azure-docs#122655 (R27): a calculator said 5,500 PTU and a guideline 900; weights, rounding, minimum and step explain."""
    body = answered(client, AZURE)
    (row,) = body["rows"]
    shown = {name: row[name] for name in ("input_weight", "cached_input_weight", "output_weight")}
    assert shown == {"input_weight": "1", "cached_input_weight": "0", "output_weight": "4"}
    assert (row["minimum_units"], row["unit_increment"], row["weighted_per_query"]) == ("15", "5", "2600")
    (step,) = body["sizing"]
    assert (step["need"], step["per_unit"], step["raw_units"], step["whole_units"]) == ("312000", "3000", "104", "104")
    assert step["explanation"] == (
        "ceil(312000 / 3000) = 104; of all dimensions the most, at least 15, in steps of 5: 105"
    )


def test_vertex_gsu_in_characters(client: httpx.Client) -> None:
    """R29: capacity may be counted in characters; Gemini 1.5 Pro, 18 GSU."""
    case = CASES["vertex_gsu_chars"]
    asked = {
        "rule": "vertex/gemini-1.5-pro",
        "peak_queries": 2,
        "input_per_query": 4000,
        "output_per_query": 1000,
        "terms": [{"term": "month", "price_per_unit": "2700", "per": "month"}],
        "hours_per_month": 730,
    }
    (row,) = answered(client, asked)["rows"]
    assert row["weighted_at_peak"] == case["needed_chars_s"]
    assert (int(row["units"]), row["measure"], row["window"]) == (case["gsu"], "characters", "second")
    assert rounded(row["capacity_cost"], "0.00") == case["month"]
    like = case["usd_per_million_chars_at_100pct"]
    assert rounded(row["cost_per_million_at_peak"], like) == like
    assert (row["cost_per_query"], row["reasons"]) == (None, "load_not_given;no_price_by_use")


def test_bedrock_model_units_by_vector_cap(client: httpx.Client) -> None:
    case = CASES["bedrock_mu_vector_cap"]
    asked = {
        "unit": "model unit",
        "window": "minute",
        "caps": [
            {"dimension": "input", "need": "300000", "per_unit": "120000"},
            {"dimension": "output", "need": "40000", "per_unit": "15000"},
        ],
        "terms": [{"term": "1 month", "price_per_unit": "18.40", "per": "hour"}],
        "hours_per_month": 730,
    }
    body = answered(client, asked)
    (row,) = body["rows"]
    assert (int(row["units"]), rounded(row["capacity_cost"], "0.00")) == (case["model_units"], case["month"])
    assert [step["whole_units"] for step in body["sizing"]] == ["3", "3"]
    assert row["binding_dimension"] == "output", "40,000 / 15,000 is more than 300,000 / 120,000"
    loaded = asked | {
        "peak_queries": 100,
        "input_per_query": 3000,
        "output_per_query": 400,
        "caps": [{"dimension": "input", "per_unit": "120000"}, {"dimension": "output", "per_unit": "15000"}],
    }
    (same,) = answered(client, loaded)["rows"]
    assert (same["units"], same["capacity_cost"]) == (row["units"], row["capacity_cost"])
    assert same["capacity_queries"] == "112.5", "3 · 15,000 / 400"


def test_dedicated_endpoint_by_the_minute(client: httpx.Client) -> None:
    """9 h 7 min on each of 22 days, and 12 min of start-up before each: 22 · 559 = 12,298 minutes."""
    case = CASES["dedicated_gpu_per_minute"]
    asked = {
        "unit": "accelerator",
        "units": 2,
        "terms": [{"term": "on demand", "price_per_unit": "4.59", "per": "hour"}],
        "runs": [{"minutes": "547", "startup_minutes": "12", "count": 22}],
        "billing_increment_minutes": 1,
        "queries_per_month": 100_000,
        "payg_cost_per_query": "0.02",
    }
    (row,) = answered(client, asked)["rows"]
    assert row["billed_minutes"] == str(case["minutes"])
    assert rounded(row["capacity_cost"], "0.00") == case["month"]
    assert rounded(row["cost_per_query"], "0.000000") == "0.018816"
    assert (row["cheaper"], rounded(row["break_even_queries"], "0")) == ("capacity", "94080")


def test_part_hours_are_billed_as_hours(client: httpx.Client) -> None:
    """Alibaba's billing page (R44): 3 runs of 61 min at 20 CNY are 120.00; prorating would say 61.00; one run 40, not 20.33."""
    case = CASES["bailian_rounding"]
    asked = {
        "unit": "instance",
        "units": 1,
        "terms": [{"term": "hourly", "price_per_unit": "20", "per": "hour"}],
        "runs": [{"minutes": 61, "count": 3}],
        "billing_increment_minutes": 60,
    }
    row, one = answered(client, asked, asked | {"runs": [{"minutes": 61}]}, currency="CNY")["rows"]
    assert int(row["paid_hours"]) == case["hours_billed"]
    assert rounded(row["capacity_cost"], "0.00") == case["cost_cny"]
    assert rounded(row["unrounded_cost"], "0.00") == case["prorated_would_be"]
    assert (one["capacity_cost"], rounded(one["unrounded_cost"], "0.00"), one["currency"]) == ("40", "20.33", "CNY")


def test_five_kinds_of_capacity_have_one_schema(client: httpx.Client) -> None:
    """FOCUS FR #2371 (R28): PTU, GSU, model units, dedicated endpoints and instances side by side, the same columns."""
    rows = answered(
        client,
        AZURE,
        {"rule": "vertex/gemini-2.0-flash", "peak_queries": 10, "input_per_query": 1500, "output_per_query": 300},
        {"unit": "model unit", "window": "minute", "caps": [{"dimension": "input", "need": 1, "per_unit": 2}]},
        {"unit": "endpoint", "units": 2},
        {"unit": "instance", "units": 1, "runs": [{"minutes": 61}], "billing_increment_minutes": 60},
    )["rows"]
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert [row["units"] for row in rows] == ["105", "9", "1", "2", "1"]  # 10 · (1,500 + 4 · 300) / 3,360 = 8.04


def test_overflow_by_profile_and_between_bounds(client: httpx.Client) -> None:
    """60 PTU carry 180,000 / 2,600 = 69.23… calls a minute; above that calls are paid by use."""
    profile = [{"hours": 200, "queries": 120}, {"hours": 500, "queries": 30}, {"hours": 30, "queries": 0}]
    asked = {name: value for name, value in AZURE.items() if name not in ("mean_load_ratio", "peak_queries")}
    known = asked | {"units": 60, "term": "reserved", "profile": profile}
    mean = Fraction(200 * 120 + 500 * 30, 730 * 120)
    guessed = AZURE | {"units": 60, "term": "reserved", "mean_load_ratio": str(Decimal("0.445205479452"))}
    row, bounds = answered(client, known, guessed)["rows"]
    carried = Fraction(180_000, 2_600)
    over = 200 * 60 * (120 - carried)
    queries = 60 * (200 * 120 + 500 * 30)
    total = 60 * 260 + over * Fraction("0.0055")
    assert abs(Fraction(row["capacity_queries"]) - carried) < Fraction(1, 10**20)
    assert abs(Fraction(row["overflow_queries_low"]) - over) < Fraction(1, 10**15)
    assert row["overflow_queries_low"] == row["overflow_queries_high"]
    assert abs(Fraction(row["total_cost"]) - total) < Fraction(1, 10**18)
    assert abs(Fraction(row["cost_per_query"]) - total / queries) < Fraction(1, 10**22)
    assert row["required_units"] == "105"
    assert bounds["overflow_queries_low"] == "0"
    high = mean * 730 * 60 * (120 - carried)
    assert abs(Fraction(bounds["overflow_queries_high"]) / high - 1) < Fraction(1, 10**10)
    assert Fraction(bounds["overflow_queries_low"]) <= over <= Fraction(bounds["overflow_queries_high"])
    assert (bounds["total_cost"], bounds["cost_per_query"]) == (None, None)
    assert {"overflow_range", "units_below_peak"} <= set(bounds["reasons"].split(";"))
    assert bounds["break_even_ratio"] is None, "overflow is paid by use in any case"
    stated = {name: value for name, value in guessed.items() if name != "mean_load_ratio"}
    (by_count,) = answered(client, stated | {"queries_per_month": queries})["rows"]
    assert (by_count["overflow_queries_low"], by_count["queries"]) == ("0", str(queries))
    assert abs(Fraction(by_count["overflow_queries_high"]) / high - 1) < Fraction(1, 10**10)


def test_terms_of_a_year_and_the_price_by_use_of_an_offer(client: httpx.Client) -> None:
    """gpt-6-sol: 2 in, 0.2 cached, 10 out: 1,200 · 2 + 600 · 0.2 + 350 · 10 = 6,020 per million queries; 3,120 a year is 260 a month."""
    asked = {name: value for name, value in AZURE.items() if not name.startswith("payg_")}
    asked |= {"offer": "openai/gpt-6-sol", "terms": [{"term": "year", "price_per_unit": "3120", "per": "year"}]}
    (row,) = answered(client, asked)["rows"]
    assert (row["capacity_cost"], row["payg_cost_per_query"]) == ("27300", "0.00602")
    assert row["price_source"]
    fx = [{"from": "USD", "to": "CNY", "rate": "7", "as_of": "2026-11-30"}]
    (yuan,) = answered(client, asked, currency="CNY", fx=fx)["rows"]
    assert (yuan["payg_cost_per_query"], yuan["native_currency"], yuan["fx_rate"]) == ("0.04214", "USD", "7")


def test_no_load_and_no_price_are_explained(client: httpx.Client) -> None:
    idle, free = answered(client, AZURE | {"mean_load_ratio": 0}, AZURE | {
        "payg_price_per_mtok_input": 0, "payg_price_per_mtok_cached_input": 0, "payg_price_per_mtok_output": 0,
    })["rows"]  # fmt: skip
    assert (idle["queries"], idle["cost_per_query"], idle["total_cost"]) == ("0", None, "27300")
    assert "no_queries" in idle["reasons"].split(";")
    assert (free["break_even_ratio"], free["cheaper"], free["reasons"]) == (None, "payg", "use_is_free")


def test_hours_of_a_month_change_the_answer_and_are_said(client: httpx.Client) -> None:
    """R30: 720, 730 and 744 all occur; what was assumed is in the warnings."""
    asked = AZURE | {"term": "hourly"}
    long, short = answered(client, asked, asked | {"hours_per_month": 720})["rows"]
    assert (long["capacity_cost"], short["capacity_cost"]) == ("153300", "151200")
    left_out = {name: value for name, value in AZURE.items() if name != "hours_per_month"}
    (row,) = answered(client, left_out)["rows"]
    assert (row["hours_per_month"], "hours_per_month_assumed" in row["warnings"]) == ("730", True)


def test_an_unused_commitment_makes_each_price_higher(client: httpx.Client) -> None:
    """R39: 50,000 a month committed and 30,000 used: each price × 1.666667, and a shortfall of 20,000 (`POST /margin`)."""
    row = {
        "price_per_query": "1",
        "queries_per_month": 60_000,
        "model_cost_per_query": "0.50",
        "commitment_per_month": 50_000,
    }
    answer = client.post("/margin", json={"rows": [row]}).json()["rows"][0]
    assert rounded(answer["commitment_multiplier"], "0.000000") == "1.666667"
    assert (answer["commitment_shortfall_cost"], answer["inference_cost"]) == ("20000", "50000")


def test_tiers_take_the_whole_request(client: httpx.Client) -> None:
    """qwen3-max's CNY tiers in a private book, 32K = 32,768 as the case assumes: 33,000 + 1,000 is 0.148, marginally 0.0928…"""
    case = CASES["qwen3_max_tier_by_input_length"]
    tiers = [(None, "2.5", "10"), (32_768, "4", "16"), (131_072, "7", "28")]
    rows = [
        {
            "provider": "capacity-case",
            "model": "max",
            "tokenizer": "o200k_base",
            "meter": meter,
            "rate": rate,
            "per": 1_000_000,
            "valid_from": "2026-11-01",
            "source": "worked case",
            "checked_on": "2026-11-01",
            **({} if above is None else {"min_input_tokens": above, "min_inclusive": False}),
        }
        for above, *rates in tiers
        for meter, rate in zip(("input_tokens", "output_tokens"), rates, strict=True)
    ]
    made = client.post("/prices", json={"price_book": {"id": "capacity-case", "currency": "CNY"}, "rows": rows})
    assert made.status_code == 201, made.text
    asked = {
        "unit": "TPM",
        "units": 1,
        "output_per_query": 1_000,
        "offer": "capacity-case/max",
        "price_book": "capacity-case",
    }
    found = answered(client, asked | {"input_per_query": 31_000}, asked | {"input_per_query": 33_000}, currency="CNY")
    short, long = (Decimal(row["payg_cost_per_query"]) for row in found["rows"])
    assert short == Decimal(case["request_31000_in_1000_out"])
    assert long == Decimal(case["request_33000_in_1000_out"]) != Decimal(case["marginal_reading_would_be"])


def test_peak_hours_of_a_week(client: httpx.Client) -> None:
    """DeepSeek's book at every hour of a week without holidays: peak is 35 of 168 hours, at twice the price."""
    case = CASES["deepseek_peak"]
    hours = [f"2026-11-{day:02}T{hour:02}:00:00Z" for day in range(2, 9) for hour in range(24)]
    rows = [{"offer": "deepseek/deepseek-flash", "as_of": hour, "usage": {"input_tokens": 1_000_000}} for hour in hours]
    totals = [Fraction(row["total"]) for row in client.post("/price", json={"rows": rows}).json()["rows"]]
    plain = min(totals)
    office = [
        total
        for place, total in enumerate(totals)
        if place // 24 < 5 and 1 <= place % 24 < 10  # Monday to Friday, 9 to 18 in Beijing
    ]
    assert sum(total == 2 * plain for total in totals) == 35
    assert rounded(str(float(sum(totals) / len(totals) / plain)), "0.000000") == case["blended_multiplier"]
    assert (
        rounded(str(float(sum(office) / len(office) / plain)), "0.000000")
        == (case["office_hours_multiplier_9_to_18_beijing_weekdays"])
    )
    at = Fraction("0.22") * sum(totals) / len(totals) / plain
    assert rounded(str(float(at)), "0.000000") == case["blended_in"]


def test_rules_are_listed_with_source_and_date(client: httpx.Client) -> None:
    answer = client.get("/capacity-rules")
    rows = {row["rule"]: row for row in answer.json()["rows"]}
    gpt = rows["azure/gpt-4.1/regional"]
    assert (gpt["per_unit"], gpt["output_weight"], gpt["cached_input_weight"], gpt["minimum_units"]) == (
        "3000", "4", "0", "50",
    )  # fmt: skip
    assert all(row["source"] and row["url"] and row["checked_on"] == "2026-12-01" for row in rows.values())
    assert not any("price" in name or "cost" in name for row in rows.values() for name in row), "no prices are shipped"
    assert answer.headers["etag"]


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"rule": "azure/nope"}, "unknown-capacity-rule", "GET /capacity-rules"),
        ({"rule": None}, "invalid-fields", "size by"),
        ({"per_unit": "3000"}, "invalid-fields", "one way to size"),
        ({"peak_queries": 0}, "invalid-fields", "/peak_queries"),
        ({"peak_queries": None, "mean_load_ratio": None}, "invalid-fields", "peak"),
        ({"input_per_query": 0, "cached_input_per_query": 0, "output_per_query": 0}, "invalid-fields", "needed"),
        ({"cached_input_per_query": 1801}, "invalid-usage", "whole"),
        ({"mean_load_ratio": "1.01"}, "invalid-fields", "/mean_load_ratio"),
        ({"window": "second"}, "invalid-fields", "minute"),
        ({"measure": "characters"}, "invalid-fields", "tokens"),
        ({"units": "1.5"}, "invalid-fields", "units"),
        ({"units": 0}, "invalid-fields", "/units"),
        ({"term": "nope"}, "invalid-fields", "term"),
        ({"terms": [{"term": "a", "price_per_unit": "-1", "per": "hour"}]}, "invalid-fields", "price_per_unit"),
        ({"queries_per_month": 5}, "invalid-fields", "one load"),
        ({"queries_per_month": 5_256_001, "mean_load_ratio": None}, "invalid-fields", "stated peak"),
        ({"profile": [{"hours": 1, "queries": 1}], "mean_load_ratio": None}, "invalid-fields", "profile"),
        ({"payg_price_per_mtok_output": None}, "invalid-fields", "belong together"),
        ({"payg_cost_per_query": "1"}, "invalid-fields", "one price by use"),
        ({"hours_per_month": 0}, "invalid-fields", "/hours_per_month"),
        ({"runs": [{"minutes": 61}]}, "invalid-fields", "runs"),
    ],
)
def test_bad_rows_are_rows(client: httpx.Client, changes: dict[str, Any], code: str, says: str) -> None:
    bad = {name: value for name, value in (AZURE | changes).items() if value is not None}
    body = client.post("/capacity", json={"rows": [bad, AZURE]}).json()
    row, good = body["rows"]
    assert row["error_code"] == code, row["error_detail"]
    assert says in row["error_detail"]
    assert (row["units"], row["capacity_cost"]) == (None, None)
    assert good["units"] == "105", "the others are answered"
    refused(client.post("/capacity?on_error=fail", json={"rows": [bad]}), 422, "invalid-fields")


@pytest.mark.parametrize("value", NO_MONEY, ids=lambda value: repr(value)[:20])
def test_money_that_is_none(client: httpx.Client, value: Any) -> None:
    for name in ("input_per_query", "payg_price_per_mtok_input"):
        answer = client.post("/capacity", content=json.dumps({"rows": [AZURE | {name: value}]}))
        assert answer.json()["rows"][0]["error_code"] == "invalid-fields", name


def test_csv_has_the_same_columns(client: httpx.Client) -> None:
    answer = client.post("/capacity?format=csv", json={"rows": [AZURE]})
    head, line = answer.text.splitlines()[:2]
    cells = dict(zip(head.split(","), line.split(","), strict=False))
    assert (cells["units"], cells["capacity_cost"]) == ("105", "27300")
