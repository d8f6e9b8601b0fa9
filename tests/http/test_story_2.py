"""A CFO's month, two scenarios and two known bugs: `tests/cases/data/story_2.json`.

Expected figures were computed with exact fractions by an independent script and rounded half to even at output.
"""

from __future__ import annotations

import json
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest

STORY = json.loads((Path(__file__).parent.parent / "cases" / "data" / "story_2.json").read_text(encoding="utf-8"))
GIVEN, EXPECTED = STORY["inputs"], STORY["expected"]
COLUMNS = {
    "model_cost_per_query_before_batch_and_retry": "list_cost_per_query",
    "cost_per_query": "cost_per_query",
    "revenue": "revenue",
    "inference_cost": "inference_cost",
    "payment_fees": "payment_fees",
    "support": "support",
    "hosting": "hosting",
    "cogs": "cogs",
    "gross_margin": "gross_margin_ratio",
    "inference_efficiency_ratio": "inference_efficiency_ratio",
    "inference_share_of_revenue": "inference_share",
    "break_even_queries_per_seat": "break_even_queries_per_seat",
    "max_queries_per_seat_for_70pct_margin": "max_queries_per_seat",
}
SCENARIOS = {"base_case": Fraction(1), "scenario_B_tokens_x1_35": Fraction("1.35")}


def business(scenario: str, **changes: Any) -> dict[str, Any]:
    factor = SCENARIOS[scenario]

    def tokens(name: str) -> int:
        count = GIVEN[name] * factor
        assert count.denominator == 1
        return int(count)

    prices = GIVEN["price_per_mtok"]
    assert GIVEN["payment_fee"] == "0.029 of revenue + 0.30 per seat"
    return {
        "row_id": scenario,
        "seats": GIVEN["seats"],
        "price_per_seat": GIVEN["price_per_seat_month"],
        "queries_per_seat": GIVEN["queries_per_seat_month"],
        "usage": {
            "input_tokens": tokens("input_tokens_total"),
            "cache_read_tokens": tokens("of_which_cached_read"),
            "output_tokens": tokens("output_visible_tokens"),
        },
        "reasoning_tokens_per_query": tokens("reasoning_tokens_billed_as_output_additional"),
        "model_price_per_mtok_input": prices["input"],
        "model_price_per_mtok_cached_input": prices["cached_read"],
        "model_price_per_mtok_output": prices["output"],
        "batch_share": GIVEN["batch_share"],
        "batch_multiplier": GIVEN["batch_multiplier"],
        "retry_share": GIVEN["retry_rate"],
        "payment_fee_share": "0.029",
        "payment_fee_per_seat": "0.30",
        "support_per_seat": GIVEN["support_per_seat"],
        "hosting_per_month": GIVEN["hosting_per_month"],
        "target_margin_ratio": "0.7",
        **changes,
    }


def answered(client: httpx.Client, *rows: dict[str, Any], **top: Any) -> dict[str, Any]:
    answer = client.post("/margin", json={"rows": rows, "as_of": "2026-11-30T12:00:00Z", "currency": "USD", **top})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert [row["error_detail"] for row in body["rows"] if row["error_code"]] == []
    return body


def rounded(printed: str, like: str) -> str:
    places = len(like.partition(".")[2])
    return str(Decimal(printed).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN))


@pytest.fixture(scope="module")
def stated(client: httpx.Client) -> dict[str, dict[str, Any]]:
    """Both scenarios side by side in one question."""
    rows = answered(client, *(business(scenario) for scenario in SCENARIOS))["rows"]
    return {row["row_id"]: row for row in rows}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_figure_to_the_last_printed_digit(stated: dict[str, dict[str, Any]], scenario: str) -> None:
    expected = EXPECTED[scenario]
    assert set(expected) == set(COLUMNS), "nothing of the story is left out"
    row = stated[scenario]
    assert {name: rounded(row[column], expected[name]) for name, column in COLUMNS.items()} == expected
    assert (row["period"], row["queries"], row["currency"]) == ("month", "360000", "USD")


def test_margin_is_not_mark_up(stated: dict[str, dict[str, Any]]) -> None:
    row = stated["base_case"]
    cogs = Fraction(row["cogs"])
    assert abs(Fraction(row["markup_ratio"]) - (96_000 - cogs) / cogs) < Fraction(1, 10**20)
    assert rounded(row["markup_ratio"], "0.00") == "3.82"


def test_the_known_wrong_answers_are_not_given(client: httpx.Client, stated: dict[str, dict[str, Any]]) -> None:
    """litellm#14849 and its kin charge cached tokens twice, hermes#68081 drops the reasoning."""
    wrong = STORY["known_wrong_answers"]
    assert stated["base_case"]["list_cost_per_query"] not in [Decimal(text) for text in wrong.values()]
    twice = business("base_case", usage={"input_tokens": 3800, "cache_read_tokens": 1500, "output_tokens": 420})
    dropped = business("base_case", reasoning_tokens_per_query=0)
    found = answered(client, twice, dropped)["rows"]
    assert [rounded(row["list_cost_per_query"], "0.000000000") for row in found] == [
        wrong["cached tokens charged twice (base)"],
        wrong["reasoning tokens dropped (base)"],
    ], "only a caller who counts them wrong gets them"


def test_reasoning_included_or_additional_is_one_bill(client: httpx.Client, stated: dict[str, dict[str, Any]]) -> None:
    """opencode#17566 counts reasoning twice, hermes#68081 drops it: both ways of counting give 0.0143875."""
    usage = {"input_tokens": 2300, "cache_read_tokens": 1500, "output_tokens": 1320, "reasoning_tokens": 900}
    body = answered(client, business("base_case", usage=usage, reasoning_tokens_per_query=0))
    assert body["rows"][0] == stated["base_case"]
    lines = {line["meter"]: Fraction(line["cost_share"]) for line in body["lines"]}
    assert abs(lines["reasoning_tokens"] - Fraction(9_000) / Fraction("14387.5")) < Fraction(1, 10**20), "otari#430"
    assert abs(sum(lines.values()) - 1) < Fraction(1, 10**20)


def test_the_cost_stated_or_from_an_offer_is_the_same(client: httpx.Client, stated: dict[str, dict[str, Any]]) -> None:
    """The story's prices as a private book, with its batch prices, in CNY at a stated rate."""
    rates = {"input_tokens": "8.875", "cache_read_tokens": "0.8875", "output_tokens": "71"}
    rows = [
        {
            "provider": "story-2",
            "model": "m",
            "tokenizer": "o200k_base",
            "meter": meter,
            "rate": str(Decimal(rate) * factor),
            "per": 1_000_000,
            "context": {} if factor == 1 else {"processing": "batch"},
            "valid_from": "2026-11-01",
            "source": "story 2",
            "checked_on": "2026-11-01",
        }
        for factor in (1, Decimal("0.5"))
        for meter, rate in rates.items()
    ]
    made = client.post("/prices", json={"price_book": {"id": "story-2", "currency": "CNY"}, "rows": rows})
    assert made.status_code == 201, made.text
    taken = (
        "model_price_per_mtok_input",
        "model_price_per_mtok_cached_input",
        "model_price_per_mtok_output",
        "batch_multiplier",
    )
    asked = {name: value for name, value in business("base_case").items() if name not in taken}
    fx = [{"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-01", "source": "story 1"}]
    offered = answered(client, asked | {"offer": "story-2/m", "price_book": "story-2"}, fx=fx)["rows"][0]
    for column in COLUMNS.values():
        assert offered[column] == stated["base_case"][column], column
    assert (offered["native_currency"], offered["currency"], offered["fx_as_of"]) == ("CNY", "USD", "2026-11-01")
    assert (offered["price_source"], offered["price_status"]) == ("story 2", "ok")
    known = answered(
        client,
        {name: value for name, value in asked.items() if name not in ("usage", "reasoning_tokens_per_query")}
        | {"model_cost_per_query": "0.0143875", "batch_multiplier": "0.5"},
    )["rows"][0]
    for column in COLUMNS.values():
        assert known[column] == stated["base_case"][column], column


def test_the_wanted_price_gives_the_wanted_margin(client: httpx.Client, stated: dict[str, dict[str, Any]]) -> None:
    """(5,014.7919 + 2,400 + 3,200 + 6,500) / (1 − 0.7 − 0.029) / 8,000: the fee grows with the price."""
    row = stated["base_case"]
    exact_price = Fraction("17114.7919") / Fraction("0.271") / 8000
    assert abs(Fraction(row["target_price"]) - exact_price) < Fraction(1, 10**20)
    assert row["target_unit"] == "seat"
    again = answered(client, business("base_case", price_per_seat=row["target_price"]))["rows"][0]
    assert abs(Fraction(again["gross_margin_ratio"]) - Fraction("0.7")) < Fraction(1, 10**20)


def test_what_moves_the_margin_most(client: httpx.Client, stated: dict[str, dict[str, Any]]) -> None:
    """The price: at 10.80 and 13.20 a seat, worked by hand; ranked, with low and high of each input."""
    row = stated["base_case"]
    assert row["most_sensitive_input"] == "price_per_seat"
    fixed = Fraction("17114.7919")
    low, high = (1 - Fraction("0.029") - fixed / (96_000 * factor) for factor in (Fraction("0.9"), Fraction("1.1")))
    first, *rest = answered(client, business("base_case"))["sensitivity"]
    assert abs(Fraction(first["gross_margin_ratio_at_low"]) - low) < Fraction(1, 10**20)
    assert abs(Fraction(first["gross_margin_ratio_at_high"]) - high) < Fraction(1, 10**20)
    assert abs(Fraction(first["swing"]) - (high - low)) < Fraction(1, 10**20)
    assert (first["low_value"], first["value"], first["high_value"]) == ("10.8", "12", "13.2")
    swings = [Fraction(first["swing"]), *(Fraction(moved["swing"]) for moved in rest)]
    assert swings == sorted(swings, reverse=True)
    assert [moved["place"] for moved in rest] == list(range(2, len(rest) + 2))
