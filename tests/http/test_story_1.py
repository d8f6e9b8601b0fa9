"""Procurement, eight vendors, one Chinese and one English ticket: `tests/cases/data/story_1.json`.

Vendors and prices are invented, counts were measured with public tokenizers, expected figures are exact fractions rounded
half to even. H needs p50k_base, which no light package carries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest

STORY = json.loads((Path(__file__).parent.parent / "cases" / "data" / "story_1.json").read_text(encoding="utf-8"))
TEXTS = STORY["inputs"]["texts"]
TOKENIZERS = {
    "o200k_base": "o200k_base",
    "cl100k_base": "cl100k_base",
    "claude-2-legacy": "claude_legacy_v2",
    "deepseek": "deepseek_v3",
    "qwen(dashscope)": "qwen2_qwen3",
    "mistral-tekken": "mistral_tekken",
    "mistral-v1-spm": "mistral_v1",
}
VENDORS = [vendor for vendor in STORY["expected"]["vendors"] if vendor["tokenizer"] in TOKENIZERS]
SAMPLES = [
    {"name": "zh", "input_text": TEXTS["zh_in"], "output_text": TEXTS["zh_out"], "weight": "0.6"},
    {"name": "en", "input_text": TEXTS["en_in"], "output_text": TEXTS["en_out"], "weight": "0.4"},
]
AS_OF = "2026-11-30T12:00:00Z"
FX = [{"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-01", "source": "story 1"}]


def slug(vendor: dict[str, Any]) -> str:
    return str(vendor["vendor"]).lower().replace(" ", "-")


@pytest.fixture(scope="module")
def books(client: httpx.Client) -> None:
    """The invented vendors as two private books, one a currency."""
    for currency in ("USD", "CNY"):
        rows = [
            {
                "provider": slug(vendor),
                "model": "m",
                "tokenizer": TOKENIZERS[vendor["tokenizer"]],
                "meter": meter,
                "rate": vendor[rate],
                "per": 1_000_000,
                "valid_from": "2026-11-01",
                "tax_included": vendor["tax_inclusive"],
                "tax_rate": "0.06",
                "source": "story 1",
                "checked_on": "2026-11-01",
            }
            for vendor in VENDORS
            if vendor["currency"] == currency
            for meter, rate in (("input_tokens", "input_per_mtok"), ("output_tokens", "output_per_mtok"))
        ]
        book = {"id": f"story-1-{currency.lower()}", "currency": currency}
        answer = client.post("/prices", json={"price_book": book, "rows": rows})
        assert answer.status_code == 201, answer.text


@pytest.fixture(scope="module")
def answer(client: httpx.Client, books: None) -> dict[str, Any]:
    offers = [
        {
            "row_id": vendor["vendor"],
            "offer": f"{slug(vendor)}/m",
            "price_book": f"story-1-{vendor['currency'].lower()}",
            "discount_share": vendor["discount"],
        }
        for vendor in VENDORS
    ]
    question = {
        "samples": SAMPLES,
        "workload": {"queries_per_month": 1_200_000},
        "offers": offers,
        "as_of": AS_OF,
        "tax": "excluded",
        "fx": FX,
        "language_pairs": [["zh", "en"]],
    }
    response = client.post("/compare?detail=1", json=question)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    assert [row for row in body["rows"] if row["error_code"]] == []
    return body


def rows_of(answer: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    for vendor in VENDORS:
        yield vendor, {row["sample"]: row for row in answer["rows"] if row["row_id"] == vendor["vendor"]}


def rounded(text: str, places: int) -> str:
    return str(Decimal(text).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN))


def test_counts_are_those_of_the_story(answer: dict[str, Any]) -> None:
    for vendor, rows in rows_of(answer):
        got = {
            "zh_in": rows["zh"]["input_tokens"],
            "zh_out": rows["zh"]["output_tokens"],
            "en_in": rows["en"]["input_tokens"],
            "en_out": rows["en"]["output_tokens"],
        }
        assert got == vendor["tokens"], vendor["vendor"]
        assert (rows["zh"]["input_characters"], rows["en"]["output_characters"]) == (144, 309)


def test_monthly_costs_and_costs_per_ticket(answer: dict[str, Any]) -> None:
    for vendor, rows in rows_of(answer):
        assert rounded(rows["*"]["cost_per_month"], 2) == vendor["monthly_usd"], vendor["vendor"]
        assert rounded(rows["*"]["cost_per_query"], 9) == vendor["cost_per_ticket_mix"]
        assert rounded(rows["zh"]["cost_per_query"], 9) == vendor["cost_per_ticket_zh"]
        assert rounded(rows["en"]["cost_per_query"], 9) == vendor["cost_per_ticket_en"]


def test_prices_and_costs_per_million_characters(answer: dict[str, Any]) -> None:
    for vendor, rows in rows_of(answer):
        assert rounded(rows["*"]["input_price_per_mtok"], 8) == vendor["ex_tax_usd_in_per_mtok"]
        assert rounded(rows["*"]["output_price_per_mtok"], 8) == vendor["ex_tax_usd_out_per_mtok"]
        for sample in ("zh", "en"):
            expected = vendor["usd_per_million_chars"]
            assert rounded(rows[sample]["input_cost_per_mchar"], 6) == expected[f"{sample}_in"]
            assert rounded(rows[sample]["output_cost_per_mchar"], 6) == expected[f"{sample}_out"]


def test_rank_by_cost_is_not_the_rank_by_token_price(answer: dict[str, Any]) -> None:
    overall = [row for row in answer["rows"] if row["sample"] == "*"]
    by_cost = [name for name in STORY["expected"]["rank_by_monthly_cost"] if name != "Vendor H"]
    by_price = [name for name in STORY["expected"]["rank_by_ex_tax_input_price_per_token"] if name != "Vendor H"]
    assert [row["row_id"] for row in overall] == by_cost
    assert [row["rank"] for row in overall] == list(range(1, 8))
    cheapest_token = sorted(overall, key=lambda row: Decimal(row["input_price_per_mtok"]))
    assert [row["row_id"] for row in cheapest_token] == by_price
    assert by_cost != by_price


def test_language_premium_of_the_same_ticket(answer: dict[str, Any]) -> None:
    premiums = {premium["row_id"]: premium for premium in answer["premiums"]}
    # 101 / 100 and 76 / 69 tokens by o200k_base
    assert Decimal(premiums["Vendor A"]["input_tokens_ratio"]) == Decimal("1.01")
    assert Fraction(premiums["Vendor A"]["output_tokens_ratio"]) == pytest.approx(Fraction(76, 69), abs=1e-25)


LIST_OFFERS = [
    "openai/gpt-5.4", "openai/gpt-6-sol", "anthropic/claude-sonnet-5-5", "google/gemini-2.5-flash",
    "google/gemini-3.8-flash", "deepseek/deepseek-v4-pro", "deepseek/deepseek-v4-pro@cn", "alibaba/qwen-plus@cn",
    "mistral/mistral-large-2512", "moonshot/kimi-k3", "zhipu/GLM-5.3@intl", "zhipu/GLM-5.1@intl", "xai/grok-4.7",
    "groq/openai/gpt-oss-120b", "cerebras/gpt-oss-120b", "cerebras/llama-3.3-70b",
]  # fmt: skip
ESTIMATES = {"anthropic/claude-sonnet-5-5", "xai/grok-4.7", "zhipu/GLM-5.3@intl", "alibaba/qwen-plus@cn"}
EXACT = {"openai/gpt-5.4", "google/gemini-2.5-flash", "deepseek/deepseek-v4-pro", "groq/openai/gpt-oss-120b"}


@pytest.fixture(scope="module")
def real(client: httpx.Client) -> dict[str, dict[str, dict[str, Any]]]:
    offers: list[Any] = []
    for offer in LIST_OFFERS:
        name, _, book = offer.partition("@")
        context = {"thinking_mode": False} if "qwen-plus" in offer else {}
        offers.append({"row_id": offer, "offer": name, "price_book": book or None, "context": context})
    question = {
        "samples": SAMPLES,
        "offers": offers,
        "as_of": AS_OF,
        "fx": FX,
        "workload": {"queries_per_month": 1_200_000},
    }
    response = client.post("/compare?detail=1", json=question)
    rows = response.json()["rows"]
    assert [row for row in rows if row["error_code"]] == []
    return {offer: {row["sample"]: row for row in rows if row["row_id"] == offer} for offer in LIST_OFFERS}


def test_real_offers_by_an_independent_calculation(real: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Every money figure from the printed tokens and native prices, in fractions."""
    weights = {"zh": Fraction(6, 10), "en": Fraction(4, 10)}
    for offer, rows in real.items():
        fx = Fraction(1) if rows["*"]["native_currency"] == "USD" else 1 / Fraction("7.10")
        costs, characters = {}, {}
        for sample in ("zh", "en"):
            row = rows[sample]
            price_in, price_out = (Fraction(row[f"native_{side}_price_per_mtok"]) for side in ("input", "output"))
            cost_in = row["input_tokens"] * price_in / 10**6
            cost_out = row["output_tokens"] * price_out / 10**6
            costs[sample] = (cost_in * fx, cost_out * fx)
            characters[sample] = (row["input_characters"], row["output_characters"])
            same(row["native_cost_per_query"], cost_in + cost_out, offer)
            same(row["cost_per_query"], (cost_in + cost_out) * fx, offer)
            same(row["input_cost_per_mchar"], cost_in * fx / row["input_characters"] * 10**6, offer)
            same(row["output_cost_per_mchar"], cost_out * fx / row["output_characters"] * 10**6, offer)
            same(row["tokens_per_character"], Fraction(row["input_tokens"], row["input_characters"]), offer)
            same(row["input_price_per_mtok"], price_in * fx, offer)
        mean = sum(weights[s] * sum(costs[s]) for s in weights)
        same(rows["*"]["cost_per_query"], mean, offer)
        same(rows["*"]["cost_per_month"], mean * 1_200_000, offer)
        for index, side in enumerate(("input", "output")):
            total = sum(weights[s] * costs[s][index] for s in weights)
            length = sum(weights[s] * characters[s][index] for s in weights)
            same(rows["*"][f"{side}_cost_per_mchar"], total / length * 10**6, offer)


def same(printed: str, expected: Fraction, offer: str) -> None:
    """Equal, or equal to 28 significant digits half to even where the quotient does not end."""
    if Fraction(printed) == expected:
        return
    digits = len(printed.replace(".", "").replace("-", "").lstrip("0"))
    ulp = Fraction(10) ** -len(printed.partition(".")[2])
    assert digits >= 27, (offer, printed, float(expected))
    assert abs(Fraction(printed) - expected) * 2 <= ulp, (offer, printed, float(expected))


def test_what_is_exact_and_what_is_an_estimate(real: dict[str, dict[str, dict[str, Any]]]) -> None:
    assert {offer for offer in ESTIMATES if real[offer]["*"]["count_method"] != "estimate"} == set()
    assert {offer for offer in EXACT if real[offer]["*"]["count_method"] != "exact"} == set()


def test_cny_reported_in_cny_uses_no_rate(client: httpx.Client) -> None:
    question = {
        "samples": SAMPLES,
        "offers": ["deepseek/deepseek-v4-pro@cn"],
        "as_of": AS_OF,
        "currency": "CNY",
        "fx": FX,
    }
    (row,) = client.post("/compare", json=question).json()["rows"]
    assert (row["currency"], row["native_currency"], row["fx_rate"], row["fx_as_of"]) == ("CNY", "CNY", None, None)
    # off-peak book rate 4.5 CNY per Mtok: 82 Chinese and 102 English input tokens in, 58 and 69 out at 13.5
    zh = Fraction(82) * Fraction("4.5") + Fraction(58) * Fraction("13.5")
    en = Fraction(102) * Fraction("4.5") + Fraction(69) * Fraction("13.5")
    assert Fraction(row["cost_per_query"]) == (zh * 6 + en * 4) / 10 / 10**6


def test_a_missing_rate_is_a_row_error_and_a_given_one_is_shown(client: httpx.Client) -> None:
    offers = ["deepseek/deepseek-v4-pro@cn", "openai/gpt-5.4"]
    question = {"samples": SAMPLES, "offers": offers, "as_of": AS_OF}
    priced, refused = client.post("/compare", json=question).json()["rows"]
    assert (priced["offer"], priced["rank"], priced["error_code"]) == ("openai/gpt-5.4", 1, None)
    assert (refused["rank"], refused["error_code"], refused["cost_per_query"]) == (None, "missing-fx-rate", None)
    direct = [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30", "source": "treasury"}]
    rows = client.post("/compare", json={**question, "fx": direct}).json()["rows"]
    converted = next(row for row in rows if row["price_book"] == "cn")
    assert (converted["fx_rate"], converted["fx_as_of"]) == ("0.1408", "2026-11-30")
    assert Fraction(converted["cost_per_query"]) == Fraction(converted["native_cost_per_query"]) * Fraction("0.1408")
