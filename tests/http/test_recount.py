"""`POST /recount`: invoices against their texts. "Hello" is 1 token of o200k_base, 8 with its frame (AgentOps-AI/tokencost#235)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import httpx

from tests.http.asking import AS_OF, GOOD, only, private_row, publish, rates, refused, same

GPT_4O, GROK, SONNET = "openai/gpt-4o", "xai/grok-4.7", "anthropic/claude-sonnet-4-6"
ENGLISH = "The harbour master logged nine arrivals before noon and went home. " * 4


def recounted(client: httpx.Client, *rows: dict[str, Any], query: str = "", **more: Any) -> dict[str, Any]:
    response = client.post(f"/recount{query}", json={"rows": rows, "as_of": AS_OF, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert len(answer["rows"]) == len(rows)
    return answer


def row_of(client: httpx.Client, offer: str = GPT_4O, text: str = "Hello", **more: Any) -> dict[str, Any]:
    (row,) = recounted(client, {"offer": offer, "input_text": text, **more})["rows"]
    assert row["error_code"] is None, row["error_detail"]
    return dict(row)


def test_the_frame_explains_what_it_is_worth(client: httpx.Client) -> None:
    price = rates(client, GPT_4O)["input_tokens"]
    row = row_of(client, billed={"input_tokens": 8, "output_tokens": 0})
    assert (row["counted_input_tokens"], row["billed_input_tokens"], row["difference"]) == (1, 8, 7)
    assert (row["difference_ratio"], row["explained_by"], row["frame_tokens"]) == ("7", "frame", 7)
    assert (row["status"], row["count_method"], row["tokenizer"]) == ("explained", "exact", "o200k_base")
    same(row["billed_cost"], 8 * price)
    assert (row["recounted_cost"], row["cost_difference"]) == (row["billed_cost"], "0")
    row = row_of(client, billed={"input_tokens": 9})
    assert (row["explained_by"], row["status"]) == ("unexplained", "unexplained")
    same(row["cost_difference"], price)


def test_a_system_text_is_a_message(client: httpx.Client) -> None:
    row = row_of(client, system_text="Hello", billed={"input_tokens": 2 + 11})
    assert (row["frame_tokens"], row["difference"], row["explained_by"]) == (11, 11, "frame")


def test_the_range_of_an_estimate_explains(client: httpx.Client) -> None:
    compared = only(client, GROK, text=ENGLISH)
    high = compared["tokens_high"]
    for billed, explained_by in ((high, "estimate_range"), (high + 1, "unexplained")):
        row = row_of(client, GROK, ENGLISH, billed={"input_tokens": billed})
        assert (row["tokens_low"], row["tokens_high"]) == (compared["tokens_low"], high)
        assert (row["explained_by"], row["count_method"]) == (explained_by, "estimate")
    assert {"frame_unknown", "count_range=between_tokenizers"} <= set(row["warnings"].split(";"))


def test_tokens_of_the_cache_counted_twice(client: httpx.Client) -> None:
    """The cached 40 of 56 (49 counted, 7 of the frame) stand in the billed input once more."""
    counted = only(client, GPT_4O, text=ENGLISH)["input_tokens"]
    row = row_of(client, GPT_4O, ENGLISH, billed={"input_tokens": counted + 7 + 40, "cache_read_tokens": 40})
    assert (row["explained_by"], row["status"]) == ("cache", "unexplained")
    price = rates(client, GPT_4O)
    same(row["cost_difference"], 40 * price["input_tokens"])
    same(row["recounted_cost"], (counted + 7 - 40) * price["input_tokens"] + 40 * price["cache_read_tokens"])


def test_vendor_usage_with_reasoning(client: httpx.Client) -> None:
    usage = {
        "prompt_tokens": 8,
        "completion_tokens": 1 + 64,
        "completion_tokens_details": {"reasoning_tokens": 64},
        "total_tokens": 73,
    }
    row = row_of(client, "openai/gpt-5.4", output_text="Hello", usage_format="openai", vendor_usage=usage)
    assert (row["counted_output_tokens"], row["billed_output_tokens"], row["output_difference"]) == (1, 65, 64)
    assert (row["output_difference_ratio"], row["output_explained_by"], row["status"]) == (
        "64",
        "reasoning",
        "explained",
    )
    assert row["cost_difference"] == "0"
    usage |= {"completion_tokens": 80, "total_tokens": 88}
    row = row_of(client, "openai/gpt-5.4", output_text="Hello", usage_format="openai", vendor_usage=usage)
    assert (row["output_explained_by"], row["explained_by"], row["status"]) == ("unexplained", "frame", "unexplained")
    same(row["cost_difference"], 15 * rates(client, "openai/gpt-5.4")["output_tokens"])


def test_anthropic_s_input_excludes_the_cache(client: httpx.Client) -> None:
    # ctok 1.3.0, README: "hello, world" is 3 tokens and a frame of 7 in Claude 3 to Opus 4.6
    usage = {"input_tokens": 4, "cache_read_input_tokens": 6, "cache_creation_input_tokens": 0, "output_tokens": 5}
    row = row_of(client, SONNET, "hello, world", usage_format="anthropic", vendor_usage=usage)
    assert (row["counted_input_tokens"], row["billed_input_tokens"], row["explained_by"]) == (3, 10, "frame")
    assert "output_not_recounted" in row["warnings"].split(";")
    assert [row[name] for name in ("counted_output_tokens", "output_difference", "output_explained_by")] == [None] * 3
    assert row["cost_difference"] == "0"


def test_what_contradicts_itself_has_no_recounted_cost(client: httpx.Client) -> None:
    row = row_of(client, billed={"input_tokens": 500, "cache_read_tokens": 400})
    assert (row["explained_by"], row["recounted_cost"], row["cost_difference"]) == ("unexplained", None, None)
    assert "recount_not_priced" in row["warnings"].split(";")
    assert row["billed_cost"] is not None


def test_an_empty_text_has_no_ratio(client: httpx.Client) -> None:
    row = row_of(client, text="", billed={"input_tokens": 7})
    assert (row["counted_input_tokens"], row["difference"], row["difference_ratio"]) == (0, 7, None)


def test_totals(client: httpx.Client) -> None:
    hello = {"offer": GPT_4O, "input_text": "Hello"}
    answer = recounted(
        client,
        {**hello, "output_text": "Hello", "billed": {"input_tokens": 8, "output_tokens": 1}},
        {**hello, "output_text": "Hello", "billed": {"input_tokens": 18, "output_tokens": 3}},
        {**hello, "billed": {"input_tokens": 8, "output_tokens": 9}},
        {**hello, "offer": "openai/nothing", "billed": {"input_tokens": 8}},
    )
    totals = answer["totals"]
    assert {name: totals[name] for name in totals if "cost" not in name} == {
        "recounted_rows": 3, "unexplained_rows": 1, "error_rows": 1, "counted_input_tokens": 3, "billed_input_tokens": 34,
        "difference": 31, "counted_output_tokens": 2, "billed_output_tokens": 4, "output_difference": 2, "priced_rows": 3,
        "currency": "USD", "complete": False,
    }  # fmt: skip
    price = rates(client, GPT_4O)
    into, out = price["input_tokens"], price["output_tokens"]
    same(totals["billed_cost"], 34 * into + 13 * out)
    same(totals["recounted_cost"], 24 * into + 11 * out)
    same(totals["cost_difference"], 10 * into + 2 * out)
    assert totals["explained_cost_difference"] == "0"
    assert totals["unexplained_cost_difference"] == totals["cost_difference"]
    assert [row["error_code"] for row in answer["rows"]] == [None, None, None, "unknown-model"]


def test_several_currencies_have_no_sum_unless_one_is_asked_for(client: httpx.Client) -> None:
    rows = [
        {"offer": GPT_4O, "input_text": "Hello", "output_text": "", "billed": {"input_tokens": 8, "output_tokens": 0}},
        {"offer": "deepseek/deepseek-v4-pro", "price_book": "cn", "input_text": "Hello", "output_text": "",
         "billed": {"input_tokens": 1, "output_tokens": 0}},
    ]  # fmt: skip
    totals = recounted(client, *rows)["totals"]
    assert (totals["billed_cost"], totals["currency"], totals["complete"]) == (None, None, True)
    fx = [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30"}]
    answer = recounted(client, *rows, currency="USD", fx=fx)
    cost = [Fraction(row["billed_cost"]) for row in answer["rows"]]
    same(answer["totals"]["billed_cost"], sum(cost, Fraction()))
    assert answer["rows"][1]["explained_by"] == "equal"


def test_under_a_contract(client: httpx.Client) -> None:
    assert publish(client, "recount-book", [private_row("m", "input_tokens", "3")]).status_code == 201
    row = row_of(client, "acme/m", price_book="recount-book", billed={"input_tokens": 11}, as_of="2026-11-15")
    same(row["cost_difference"], 10 * 3 * Fraction(1, 10**6))  # no frame is known of it
    assert (row["explained_by"], row["price_book"], row["as_of"]) == (
        "unexplained",
        "recount-book",
        "2026-11-15T00:00:00Z",
    )


def test_many_rows_of_several_offers(client: httpx.Client) -> None:
    rows = [
        {
            "row_id": f"r{n}",
            "offer": (GPT_4O, SONNET, GOOD)[n % 3],
            "input_text": f"Hello {n}",
            "billed": {"input_tokens": 9},
        }
        for n in range(250)
    ]
    answer = recounted(client, *rows)
    assert [row["row_id"] for row in answer["rows"]] == [row["row_id"] for row in rows]
    assert {row["tokenizer"] for row in answer["rows"]} == {"o200k_base", "claude_v3"}
    assert answer["totals"]["recounted_rows"] == 250


def test_as_csv(client: httpx.Client) -> None:
    body = {"rows": [{"offer": GPT_4O, "input_text": "Hello", "billed": {"input_tokens": 8}}], "as_of": AS_OF}
    lines = client.post("/recount?format=csv", json=body).text.splitlines()
    assert lines[0].startswith("row_id,offer,price_book,context,as_of,tokenizer,count_method,counted_input_tokens,")
    assert ",1,8,7,7,frame,7,1,1," in lines[1]


def test_bad_rows(client: httpx.Client) -> None:
    bad = [
        {"offer": GPT_4O, "input_text": "Hello"},
        {"offer": GPT_4O, "input_text": "Hello", "usage": {"input_tokens": 1}},
        {"offer": GPT_4O, "billed": {"input_tokens": 1}},
        {"offer": GPT_4O, "input_text": "Hello", "billed": {"tokens": 1}},
        {"offer": GPT_4O, "input_text": "Hello", "billed": {"output_tokens": 1}},
        {"offer": "cohere/command-a", "input_text": "Hello", "billed": {"input_tokens": 1}},
        [],
    ]
    codes = [row["error_code"] for row in recounted(client, *bad)["rows"]]
    assert codes == [
        "invalid-fields", "invalid-fields", "invalid-fields", "unknown-meter", "invalid-usage", "tokenizer-unavailable", "invalid-fields",
    ]  # fmt: skip
    totals = recounted(client, *bad)["totals"]
    assert (totals["recounted_rows"], totals["error_rows"], totals["billed_cost"]) == (0, 7, None)
    response = client.post("/recount?on_error=fail", json={"rows": bad})
    refused(response, 422, "invalid-fields", "/rows/0")
    long = {"offer": GPT_4O, "input_text": "a" * 300_000, "billed": {"input_tokens": 1}}
    refused(client.post("/recount", json={"rows": [long]}), 413, "text-too-large", "/rows/0/input_text")
    refused(client.post("/recount", json={"rows": []}), 422, "invalid-fields", "/rows")
