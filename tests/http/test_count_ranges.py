"""Ranges of estimates: `tokens_low` to `cost_per_query_high`. Ratios are those of the tokenizer note (2026-11-30), by hand."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import httpx
import pytest

from tests.http.asking import only, rates, same

ENGLISH = "The harbour master logged nine arrivals before noon and went home. " * 4
CHINESE = "今天的渡轮因为大雾晚点了二十分钟。" * 13
HINDI = "सुबह साढ़े छह बजे तक घाट शांत रहता है, फिर तीन बसें आती हैं। " * 4
THAI = "ท่าเรือตอนเช้าเงียบมากจนถึงหกโมงครึ่ง" * 6
CODE = "for (i = 0; i < n; i++) { sum += a[i]; }\n" * 6
GPT_6, GROK, SONNET, EXACT = "openai/gpt-6-sol", "xai/grok-4.7", "anthropic/claude-sonnet-4-6", "openai/gpt-5.4"

CASES = [
    (GPT_6, ENGLISH, Fraction(278, 279), Fraction("1.37"), "next_generation"),
    (GPT_6, CHINESE, Fraction(947, 1231), Fraction("1.13"), "next_generation"),
    (GPT_6, HINDI, Fraction(324, 1029), Fraction(1), "next_generation"),
    (GPT_6, ENGLISH + CHINESE, Fraction(947, 1231), Fraction("1.37"), "next_generation"),
    (GPT_6, CODE, Fraction(278, 279), Fraction("1.37"), "next_generation"),  # its letters are Latin too
    (GROK, ENGLISH, Fraction(1), Fraction("1.37") / Fraction("0.92"), "between_tokenizers"),
    (GROK, CHINESE, Fraction(868, 947), 1 / Fraction("0.65"), "between_tokenizers"),
    (GROK, HINDI, Fraction(275, 324), Fraction(1029, 324), "between_tokenizers"),
    (SONNET, THAI, Fraction(1), Fraction(1), "own_tests"),
]


def ends(row: dict[str, Any]) -> tuple[Any, Any]:
    return row["tokens_low"], row["tokens_high"]


@pytest.mark.parametrize(("offer", "text", "low", "high", "method"), CASES)
def test_an_estimate_has_the_range_of_its_script(
    client: httpx.Client, offer: str, text: str, low: Fraction, high: Fraction, method: str
) -> None:
    row = only(client, offer, text=text)
    assert row["count_method"] == "estimate"
    assert ends(row) == (floor(row["input_tokens"] * low), ceil(row["input_tokens"] * high))
    assert f"count_range={method}" in row["warnings"].split(";")
    price = rates(client, offer)["input_tokens"]
    same(row["cost_per_query_low"], row["tokens_low"] * price)
    same(row["cost_per_query_high"], row["tokens_high"] * price)
    answer = client.post("/tokenize", json={"texts": [{"text": text}], "offers": [offer]}).json()
    (counted,) = answer["rows"]
    assert ends(counted) == ends(row)
    assert f"count_range={method}" in counted["warnings"].split(";")
    assert "count_range" in [warning["code"] for warning in answer["meta"]["warnings"]]


def test_what_was_not_measured_has_no_range(client: httpx.Client) -> None:
    for offer in (GPT_6, GROK):
        row = only(client, offer, text=THAI)
        assert (*ends(row), row["cost_per_query_low"], row["cost_per_query_high"]) == (None,) * 4
        assert "count_range_unknown" in row["warnings"].split(";")
    chosen = only(client, {"offer": GPT_6, "tokenizer": "llama3"}, text=ENGLISH)
    assert ends(chosen) == (None, None)
    assert "count_range_unknown" in chosen["warnings"].split(";")


def test_an_exact_count_is_its_own_range_and_says_nothing(client: httpx.Client) -> None:
    row = only(client, EXACT, text=ENGLISH)
    assert ends(row) == (row["input_tokens"],) * 2
    assert row["cost_per_query_low"] == row["cost_per_query_high"] == row["cost_per_query"]
    assert "count_range" not in row["warnings"]


def test_the_output_has_a_range_where_it_is_counted_and_none_where_it_is_stated(client: httpx.Client) -> None:
    price = rates(client, GROK)
    into, out = price["input_tokens"], price["output_tokens"]
    most = Fraction(137, 92)
    row = only(client, GROK, text=ENGLISH, workload={"output_tokens_per_query": 1000})
    same(row["cost_per_query_high"], row["tokens_high"] * into + 1000 * out)
    row = only(client, GROK, text=ENGLISH, workload={"output_characters_per_query": 2000})
    same(row["cost_per_query_high"], row["tokens_high"] * into + ceil(row["output_tokens"] * most) * out)
    both = {"text": None, "samples": [{"input_text": ENGLISH, "output_text": CHINESE}]}
    row = only(client, GROK, **both)
    same(row["cost_per_query_high"], row["tokens_high"] * into + ceil(row["output_tokens"] / Fraction("0.65")) * out)
    row = only(client, GROK, text=None, samples=[{"input_text": ENGLISH, "output_text": THAI}])
    assert ends(row) == (row["input_tokens"], ceil(row["input_tokens"] * most))
    assert (row["cost_per_query_low"], row["cost_per_query_high"]) == (None, None)


def test_the_range_over_samples_is_the_mean_of_their_ranges(client: httpx.Client) -> None:
    samples = [{"name": "en", "input_text": ENGLISH, "weight": "3"}, {"name": "zh", "input_text": CHINESE}]
    row = only(client, GPT_6, text=None, samples=samples)
    en, zh = (only(client, GPT_6, text=text) for text in (ENGLISH, CHINESE))
    same(row["tokens_high"], Fraction(3 * en["tokens_high"] + zh["tokens_high"], 4))
    same(row["cost_per_query_low"], (3 * Fraction(en["cost_per_query_low"]) + Fraction(zh["cost_per_query_low"])) / 4)


def test_an_empty_text_is_no_estimate(client: httpx.Client) -> None:
    assert ends(only(client, GROK, text="")) == (0, 0)
