"""Conversations: each turn sends again what was said before. Money is recomputed turn by turn in fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import httpx

from tests.http.asking import AS_OF, GOOD, compared, only, question, rates, refused, same

GPT_4O, GROK = "openai/gpt-4o", "xai/grok-4.7"
M = Fraction(1, 10**6)
ENGLISH = "The harbour master logged nine arrivals before noon and went home. " * 4


def talk(client: httpx.Client, turns: int, offer: str = GOOD, **more: Any) -> dict[str, Any]:
    sample = {"input_tokens": 100, **more.pop("sample", {})}
    workload = {"output_tokens_per_query": 50, "turns_per_conversation": turns, **more.pop("workload", {})}
    return only(client, offer, text=None, samples=[sample], workload=workload, **more)


def test_the_worked_number(client: httpx.Client) -> None:
    """Sum of the inputs: n·a + (a + b)·n(n − 1)/2 = 3·100 + 150·3 = 750, at 2 and 10 USD per Mtok."""
    row = talk(client, 3, workload={"queries_per_month": 300})
    assert (row["input_tokens"], row["output_tokens"]) == ("250", "50")
    same(row["cost_per_query"], (250 * 2 + 50 * 10) * M)
    same(row["cost_per_month"], 300 * (250 * 2 + 50 * 10) * M)
    assert row["input_price_per_mtok"] == "2"
    assert row["cost_per_query_low"] == row["cost_per_query_high"] == row["cost_per_query"]


def test_one_turn_is_a_query(client: httpx.Client) -> None:
    row = talk(client, 1)
    plain = only(client, text=None, samples=[{"input_tokens": 100}], workload={"output_tokens_per_query": 50})
    assert row == plain
    assert row["input_tokens"] == 100


def test_a_mean_that_does_not_end_is_exact(client: httpx.Client) -> None:
    row = talk(client, 7, sample={"weight": "3"}, workload={"retry_share": "0.1"}, currency="CNY",
               fx=[{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30"}])  # fmt: skip
    inputs = Fraction(7 * 100 + 150 * 21, 7)
    same(row["input_tokens"], inputs)
    same(row["cost_per_query"], (inputs * 2 + 500) * M * Fraction(11, 10) / Fraction("0.1408"))


def test_each_turn_has_its_own_tier(client: httpx.Client) -> None:
    """90,000, 181,000, 272,000 and 363,000 tokens: above 272,000, exclusive, gpt-6-sol costs 4 and 15 instead of 2 and 10."""
    row = talk(client, 4, sample={"input_tokens": 90_000}, workload={"output_tokens_per_query": 1_000})
    cost = (90_000 + 181_000 + 272_000) * 2 + 363_000 * 4 + 3 * 1_000 * 10 + 1_000 * 15
    same(row["cost_per_query"], Fraction(cost, 4) * M)
    assert (row["input_price_per_mtok"], row["output_price_per_mtok"]) == (None, None)
    assert "prices_differ_between_turns" in row["warnings"].split(";")
    assert "prices_differ_between_turns" not in talk(client, 4)["warnings"]


def test_the_last_turn_must_fit(client: httpx.Client) -> None:
    listed = client.get("/models", params={"provider": "openai"}).json()["rows"]
    longest = next(row["max_input_tokens"] for row in listed if row["offer"] == GOOD)
    sample, workload = {"input_tokens": longest // 2}, {"output_tokens_per_query": 0, "turns_per_conversation": 2}
    (row,) = compared(client, text=None, samples=[sample], workload=workload)
    assert row["error_code"] is None
    (row,) = compared(client, text=None, samples=[sample], workload=workload | {"turns_per_conversation": 3})
    assert row["error_code"] == "exceeds-context"


def test_shares_hold_for_every_turn(client: httpx.Client) -> None:
    row = talk(client, 3, workload={"cached_input_share": "0.5", "reasoning_tokens_per_query": 20})
    same(row["cost_per_query"], (125 * 2 + 125 * Fraction("0.2") + 70 * 10) * M)
    assert row["output_tokens"] == "70", "reasoning is generated each time and never sent again"
    assert row["input_tokens"] == "250"
    assert row["input_price_per_mtok"] == "2"


def test_texts_system_and_frame(client: httpx.Client) -> None:
    sample = {"system_text": "Be brief.", "input_text": "Where is my parcel?", "output_text": "It is in Hangzhou."}
    workload = {"turns_per_conversation": 3, "include_frame": True}
    row = only(client, GPT_4O, text=None, samples=[sample], workload=workload)
    system, a, b = (only(client, GPT_4O, text=text) for text in sample.values())
    for column in ("input_tokens", "input_characters"):
        s, i, o = system[column], a[column], b[column]
        # system; 1, 2, 3 inputs; 0, 1, 2 answers
        assert Fraction(row[column]) == Fraction(3 * s + 6 * i + 3 * o, 3)
    # 3 + 1 a message: 2, 4 and 6 messages; 3 to prime the answer
    assert row["frame_tokens"] == 4 * 4 + 3
    price = rates(client, GPT_4O)
    cost = (Fraction(row["input_tokens"]) + 19) * price["input_tokens"] + b["input_tokens"] * price["output_tokens"]
    same(row["cost_per_query"], cost)
    same(row["tokens_per_character"], Fraction(row["input_tokens"]) / Fraction(row["input_characters"]))


def test_images_and_tools_are_sent_with_every_turn(client: httpx.Client) -> None:
    sample = {
        "input_text": "What is this?",
        "images": [{"width": 512, "height": 512}],
        "tools": [{"function": {"name": "now", "description": "The time"}}],
    }
    once, thrice = (
        only(client, GPT_4O, text=None, samples=[sample],
             workload={"turns_per_conversation": turns, "output_tokens_per_query": 0, "include_frame": True})
        for turns in (1, 3)
    )  # fmt: skip
    assert (once["image_tokens"], thrice["image_tokens"]) == (255, 510)  # one, two and three images
    assert once["tool_tokens"] == thrice["tool_tokens"]
    known = 510 + thrice["tool_tokens"] + thrice["frame_tokens"] + Fraction(thrice["input_tokens"])
    same(thrice["cost_per_query"], known * rates(client, GPT_4O)["input_tokens"])


def test_a_frame_of_one_message_says_nothing_of_several(client: httpx.Client) -> None:
    workload = {"turns_per_conversation": 2, "output_tokens_per_query": 5, "include_frame": True}
    row = only(client, "anthropic/claude-sonnet-4-6", text="Hello", workload=workload)
    assert row["frame_tokens"] is None
    assert "frame_unknown" in row["warnings"].split(";")


def test_ranges_grow_with_the_history(client: httpx.Client) -> None:
    sample = {"input_text": ENGLISH, "output_text": ENGLISH}
    row = only(client, GROK, text=None, samples=[sample], workload={"turns_per_conversation": 2})
    one = only(client, GROK, text=None, samples=[sample])
    most = one["tokens_high"]
    assert Fraction(row["tokens_high"]) == Fraction(most + 3 * most, 2)
    price = rates(client, GROK)
    same(row["cost_per_query_high"], 2 * most * price["input_tokens"] + most * price["output_tokens"])


def test_without_an_answer_there_is_no_second_turn(client: httpx.Client) -> None:
    (row,) = compared(client, workload={"turns_per_conversation": 2})
    assert row["error_code"] == "tokens-underivable"


def test_refused(client: httpx.Client) -> None:
    for turns in (0, -1, 1_001, 1.5, "2", True):
        response = client.post("/compare", json=question(workload={"turns_per_conversation": turns}))
        refused(response, 422, "invalid-fields", "/workload/turns_per_conversation")
    many = {"offers": [GOOD] * 11, "workload": {"turns_per_conversation": 1_000, "output_tokens_per_query": 1}}
    refused(client.post("/compare", json=question(**many)), 413, "too-many-rows", "/workload", "max_rows")


def test_the_change_of_a_price_over_a_conversation(client: httpx.Client) -> None:
    side = {"offer": GOOD, "as_of": AS_OF}
    body = {
        "samples": [{"input_tokens": 100}],
        "workload": {"turns_per_conversation": 3, "output_tokens_per_query": 50},
        "changes": [{"before": side, "after": side}],
    }
    (row,) = client.post("/price-change", json=body).json()["rows"]
    assert row["cost_change_ratio"] == "0"
    same(row["after_cost_per_query"], (250 * 2 + 50 * 10) * M)
