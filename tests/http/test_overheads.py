"""System texts, tools and images of samples: their columns, and what they add to the bill."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import httpx

from tests.http.asking import compared, only, question, rates, refused, same

GPT_4O, SONNET, GPT_6 = "openai/gpt-4o", "anthropic/claude-sonnet-4-6", "openai/gpt-6-sol"
# OpenAI cookbook, How to count tokens with tiktoken, section 7 (read 2026-12-01): 101 prompt tokens by the API.
WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
                "unit": {
                    "type": "string",
                    "description": "The unit of temperature to return",
                    "enum": ["celsius", "fahrenheit"],
                },
            },
            "required": ["location"],
        },
    },
}
SAMPLE: dict[str, Any] = {
    "system_text": "You are a helpful assistant that can answer to questions about the weather.",
    "input_text": "What's the weather like in San Francisco?",
}
BILLED = {"include_frame": True, "output_tokens_per_query": 0}


def asked(client: httpx.Client, offer: str, *, billed: bool = True, **more: Any) -> dict[str, Any]:
    workload = BILLED if billed else {"output_tokens_per_query": 0}
    return only(client, offer, text=None, samples=[SAMPLE | more], workload=workload)


def test_the_vendor_s_example_is_billed_as_the_vendor_bills_it(client: httpx.Client) -> None:
    row = asked(client, GPT_4O, tools=[WEATHER])
    assert (row["frame_tokens"], row["image_tokens"]) == (3 * 2 + 2 + 3, None)
    assert row["input_tokens"] + row["frame_tokens"] + row["tool_tokens"] == 101
    price = rates(client, GPT_4O)["input_tokens"]
    same(row["cost_per_query"], 101 * price)
    without = asked(client, GPT_4O, tools=[WEATHER], billed=False)
    assert [without[name] for name in ("frame_tokens", "tool_tokens")] == [row["frame_tokens"], row["tool_tokens"]]
    same(without["cost_per_query"], row["input_tokens"] * price)


def test_the_system_text_is_part_of_the_input(client: httpx.Client) -> None:
    row = asked(client, GPT_4O, billed=False)
    system, text = (only(client, GPT_4O, text=SAMPLE[name]) for name in ("system_text", "input_text"))
    for column in ("input_tokens", "input_characters"):
        assert row[column] == system[column] + text[column]
    assert (row["tool_tokens"], row["image_tokens"]) == (None, None)
    claude = asked(client, SONNET)
    assert claude["frame_tokens"] is None, "documented for one user message only"
    assert "frame_unknown" in claude["warnings"].split(";")


def test_images(client: httpx.Client) -> None:
    images = [{"width": 1024, "height": 1024}, {"width": 4096, "height": 8192, "detail": "low"}]
    row = asked(client, GPT_4O, images=images)
    assert row["image_tokens"] == 765 + 85
    same(row["cost_per_query"], (row["input_tokens"] + 11 + 850) * rates(client, GPT_4O)["input_tokens"])
    assert "image" not in row["warnings"]
    claude = asked(client, SONNET, images=[{"width": 1000, "height": 1000}])
    assert claude["image_tokens"] == 1334
    assert "image_tokens_estimated" in claude["warnings"].split(";")
    without_text = only(client, GPT_4O, text=None, samples=[{"input_tokens": 100, "images": images}])
    assert (without_text["image_tokens"], without_text["input_tokens"]) == (850, 100)


def test_what_is_not_documented_is_null_and_said(client: httpx.Client) -> None:
    row = asked(client, GPT_6, tools=[WEATHER], images=[{"width": 9, "height": 9}])
    assert [row[name] for name in ("frame_tokens", "tool_tokens", "image_tokens")] == [None] * 3
    assert {"frame_unknown", "tool_tokens_unknown", "image_tokens_unknown"} <= set(row["warnings"].split(";"))
    same(row["cost_per_query"], row["input_tokens"] * rates(client, GPT_6)["input_tokens"])


def test_tools_beyond_the_example_are_an_estimate(client: httpx.Client) -> None:
    nested = {"type": "object", "description": "Where", "properties": {"city": {"type": "string"}}}
    for parameters in ({"properties": {"place": nested}}, {"properties": {"n": {"type": "integer"}}}):
        tool = {"function": {"name": "f", "description": "g", "parameters": parameters}}
        row = asked(client, GPT_4O, tools=[tool])
        assert row["tool_tokens"] > 19
        assert "tool_tokens_estimated" in row["warnings"].split(";")
    assert "tool_tokens_estimated" not in asked(client, GPT_4O, tools=[WEATHER])["warnings"]


def test_a_choice_among_the_tools_is_an_estimate(client: httpx.Client) -> None:
    named = {"type": "function", "function": {"name": WEATHER["function"]["name"]}}
    name = only(client, GPT_4O, text=WEATHER["function"]["name"])["input_tokens"]
    auto, none, chosen = (
        asked(client, GPT_4O, tools=[WEATHER], tool_choice=choice) for choice in ("auto", "none", named)
    )
    assert (none["tool_tokens"] - auto["tool_tokens"], chosen["tool_tokens"] - auto["tool_tokens"]) == (1, 4 + name)
    for row in (none, chosen):
        assert "tool_tokens_estimated" in row["warnings"].split(";")
    same(chosen["cost_per_query"], (101 + 4 + name) * rates(client, GPT_4O)["input_tokens"])
    assert "tool_tokens_estimated" not in auto["warnings"]


def test_samples_without_tools_have_none_in_the_mean(client: httpx.Client) -> None:
    samples = [SAMPLE | {"tools": [WEATHER]}, {"input_text": "Hello"}]
    total, with_tools, without = compared(client, "?detail=1", text=None, samples=samples, offers=[GPT_4O])
    assert (with_tools["frame_tokens"], without["frame_tokens"], total["frame_tokens"]) == (11, 7, 9)
    assert without["tool_tokens"] == 0
    same(str(total["tool_tokens"]), Fraction(with_tools["tool_tokens"], 2))


def test_refused(client: httpx.Client) -> None:
    for more, pointer in (
        ({"images": [{"width": 0, "height": 5}]}, "/samples/0/images/0/width"),
        ({"images": [{"width": 5, "height": 5, "detail": "auto"}]}, "/samples/0/images/0/detail"),
        ({"tools": [{"function": {}}]}, "/samples/0/tools/0/function/name"),
        ({"tools": [{"name": "f"}]}, "/samples/0/tools/0/function"),
        ({"tool_choice": "none"}, "/samples/0"),
        ({"tools": [WEATHER], "tool_choice": {"function": {"name": "other"}}}, "/samples/0"),
        ({"tools": [WEATHER], "tool_choice": {"function": {}}}, "/samples/0/tool_choice/function/name"),
        ({"tools": [WEATHER], "tool_choice": "required"}, "/samples/0/tool_choice"),
    ):
        response = client.post("/compare", json=question(text=None, samples=[SAMPLE | more]))
        refused(response, 422, "invalid-fields", pointer)
    long = {"function": {"name": "f", "description": "x" * 300_000}}
    response = client.post("/compare", json=question(text=None, samples=[SAMPLE | {"tools": [long]}]))
    refused(response, 413, "text-too-large", "/samples/0/tools/0")
