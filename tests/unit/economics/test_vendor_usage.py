"""Vendors' usage objects as their documents and the bug reports have them."""

from __future__ import annotations

from typing import Any

import pytest

from economics.errors import PermillionError
from economics.usage import billed_quantities, complete_usage
from economics.vendor_usage import USAGE_FORMATS, recognise_format, served_by_vendor, usage_from_vendor
from tests.unit.economics.building import cost, offer, refused, sheet

ALL = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
)


def billed(usage_format: str, given: dict[str, Any]) -> dict[str, Any]:
    return dict(billed_quantities(complete_usage(usage_from_vendor(usage_format, given)), ALL))


# --- OpenAI ------------------------------------------------------------------------------------------------------------


def test_openai_chat_completions() -> None:
    given = {
        "prompt_tokens": 2_600,
        "completion_tokens": 300,
        "total_tokens": 2_900,
        "prompt_tokens_details": {"cached_tokens": 2_000, "cache_write_tokens": 400, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 192, "audio_tokens": 0, "accepted_prediction_tokens": 0},
    }
    assert usage_from_vendor("openai", given) == {
        "input_tokens": 2_600, "cache_read_tokens": 2_000, "cache_write_tokens": 400, "output_tokens": 300,
        "reasoning_tokens": 192,
    }  # fmt: skip


def test_openai_responses() -> None:
    given = {
        "input_tokens": 75,
        "input_tokens_details": {"cached_tokens": 32},
        "output_tokens": 1_186,
        "output_tokens_details": {"reasoning_tokens": 1_024},
        "total_tokens": 1_261,
    }
    assert usage_from_vendor("openai", given) == {
        "input_tokens": 75, "cache_read_tokens": 32, "output_tokens": 1_186, "reasoning_tokens": 1_024,
    }  # fmt: skip


def test_openai_reasoning_is_inside_the_output() -> None:
    given = {"prompt_tokens": 10, "completion_tokens": 100, "completion_tokens_details": {"reasoning_tokens": 90}}
    assert billed("openai", given) == {"input_tokens": 10, "output_tokens": 100}


def test_openai_audio_is_kept() -> None:
    given = {
        "prompt_tokens": 100, "completion_tokens": 80,
        "prompt_tokens_details": {"audio_tokens": 60}, "completion_tokens_details": {"audio_tokens": 70},
    }  # fmt: skip
    found = usage_from_vendor("openai", given)
    assert (found["input_audio_tokens"], found["output_audio_tokens"]) == (60, 70)


@pytest.mark.parametrize("details", [None, {}, {"cached_tokens": None}, {"cached_tokens": 0}])
def test_absent_null_and_zero_details_are_no_cached_tokens(details: dict[str, Any] | None) -> None:
    given = {"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": details}
    assert usage_from_vendor("openai", given) == {"input_tokens": 10, "output_tokens": 1}


# --- Anthropic ---------------------------------------------------------------------------------------------------------


def test_langfuse_10592_17903_is_86_fresh_and_17817_cached() -> None:
    """Counted twice it was 35,720."""
    given = {
        "input_tokens": 86,
        "cache_read_input_tokens": 17_817,
        "cache_creation_input_tokens": 0,
        "output_tokens": 5,
    }
    assert usage_from_vendor("anthropic", given)["input_tokens"] == 17_903
    assert billed("anthropic", given) == {"input_tokens": 86, "cache_read_tokens": 17_817, "output_tokens": 5}


def test_langfuse_12306_130213_is_5_fresh_128955_read_and_1253_written() -> None:
    """Counted twice it was 260,421."""
    given = {
        "input_tokens": 5, "cache_read_input_tokens": 128_955, "cache_creation_input_tokens": 1_253, "output_tokens": 1,
    }  # fmt: skip
    assert usage_from_vendor("anthropic", given)["input_tokens"] == 130_213
    assert billed("anthropic", given) == {
        "input_tokens": 5, "cache_read_tokens": 128_955, "cache_write_tokens": 1_253, "output_tokens": 1,
    }  # fmt: skip


def test_anthropic_writes_by_lifetime() -> None:
    given = {
        "input_tokens": 50,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 556,
        "cache_creation": {"ephemeral_5m_input_tokens": 456, "ephemeral_1h_input_tokens": 100},
        "output_tokens": 503,
        "server_tool_use": {"web_search_requests": 3},
    }
    assert usage_from_vendor("anthropic", given) == {
        "input_tokens": 606, "cache_write_tokens": 556, "cache_write_5m_tokens": 456, "cache_write_1h_tokens": 100,
        "output_tokens": 503, "web_searches": 3,
    }  # fmt: skip


def test_anthropic_without_the_sum_of_writes_has_the_sum_of_its_lifetimes() -> None:
    given = {"input_tokens": 1, "cache_creation": {"ephemeral_1h_input_tokens": 9}, "output_tokens": 1}
    assert usage_from_vendor("anthropic", given)["input_tokens"] == 10


def test_anthropic_without_cache() -> None:
    assert usage_from_vendor("anthropic", {"input_tokens": 7, "output_tokens": 3}) == {
        "input_tokens": 7,
        "output_tokens": 3,
    }


def test_genai_prices_334_5_fresh_and_4735_written_are_4740_in() -> None:
    given = {"input_tokens": 5, "cache_creation_input_tokens": 4_735, "output_tokens": 1}
    assert billed("anthropic", given) == {"input_tokens": 5, "cache_write_tokens": 4_735, "output_tokens": 1}
    inclusive = {"prompt_tokens": 4_740, "completion_tokens": 1, "prompt_tokens_details": {"cache_write_tokens": 4_735}}
    assert billed("openai", inclusive) == billed("anthropic", given)


def test_litellm_9812_written_tokens_are_charged_once() -> None:
    """1,000 fresh, 10,000 written and 500 out at 3 / 3.75 / 15: 0.003 + 0.0375 + 0.0075."""
    given = {"input_tokens": 1_000, "cache_creation_input_tokens": 10_000, "output_tokens": 500}
    sonnet = offer(sheet(inp="3", read="0.3", write="3.75", out="15"))
    assert cost(sonnet, usage_from_vendor("anthropic", given)) == "0.048"


@pytest.mark.parametrize("written", [0, 40])
def test_anthropic_lifetimes_above_the_sum_of_writes_contradict_it(written: int) -> None:
    given = {
        "input_tokens": 100, "cache_creation_input_tokens": written,
        "cache_creation": {"ephemeral_5m_input_tokens": 50}, "output_tokens": 1,
    }  # fmt: skip
    with refused("invalid-usage"):
        usage_from_vendor("anthropic", given)


# --- Google ------------------------------------------------------------------------------------------------------------

THINKING = {"promptTokenCount": 9, "candidatesTokenCount": 1, "thoughtsTokenCount": 21}


def test_posthog_71065_thoughts_outside_the_candidates_are_added() -> None:
    found = usage_from_vendor("google", {**THINKING, "totalTokenCount": 31})
    assert found == {"input_tokens": 9, "output_tokens": 22, "reasoning_tokens": 21}


def test_posthog_71065_thoughts_already_inside_are_not_added_again() -> None:
    given = {"promptTokenCount": 9, "candidatesTokenCount": 22, "thoughtsTokenCount": 21, "totalTokenCount": 31}
    assert usage_from_vendor("google", given) == {"input_tokens": 9, "output_tokens": 22, "reasoning_tokens": 21}


def test_without_a_total_the_documented_rule_holds() -> None:
    assert usage_from_vendor("google", THINKING)["output_tokens"] == 22


@pytest.mark.parametrize("total", [0, 9, 22, 30, 32])
def test_a_total_that_is_neither_sum_is_a_contradiction(total: int) -> None:
    with refused("invalid-usage", "total_token_count"):
        usage_from_vendor("google", {**THINKING, "totalTokenCount": total})


def test_thoughts_above_the_candidates_they_are_said_to_be_in_are_a_contradiction() -> None:
    """9 + 1 = 10: the total says the thoughts are inside, but 21 do not fit into 1."""
    with refused("invalid-usage"):
        usage_from_vendor("google", {**THINKING, "totalTokenCount": 10})


def test_snake_and_camel_case_are_the_same_object() -> None:
    snake = {"prompt_token_count": 9, "candidates_token_count": 1, "thoughts_token_count": 21, "total_token_count": 31}
    assert usage_from_vendor("google", snake) == usage_from_vendor("google", {**THINKING, "totalTokenCount": 31})


def test_gemini_tool_prompts_are_input_and_cached_content_is_inside_the_prompt() -> None:
    given = {
        "promptTokenCount": 262_960, "cachedContentTokenCount": 257_955, "toolUsePromptTokenCount": 40,
        "candidatesTokenCount": 1_744, "totalTokenCount": 264_744,
    }  # fmt: skip
    assert billed("google", given) == {"input_tokens": 5_045, "cache_read_tokens": 257_955, "output_tokens": 1_744}


def test_a_blocked_answer_has_no_candidates() -> None:
    assert usage_from_vendor("google", {"promptTokenCount": 9, "totalTokenCount": 9}) == {"input_tokens": 9}


# --- others ------------------------------------------------------------------------------------------------------------


def test_bedrock_leaves_the_cache_out_of_its_input() -> None:
    given = {
        "inputTokens": 10, "outputTokens": 20, "totalTokens": 1_830, "cacheReadInputTokens": 1_500, "cacheWriteInputTokens": 300,
    }  # fmt: skip
    assert usage_from_vendor("bedrock", given) == {
        "input_tokens": 1_810, "cache_read_tokens": 1_500, "cache_write_tokens": 300, "output_tokens": 20,
    }  # fmt: skip


@pytest.mark.parametrize("stated", [{"cacheWriteInputTokens": 300}, {}])
def test_bedrock_writes_by_lifetime(stated: dict[str, int]) -> None:
    """Shaped like a Converse response: the details add up to the writes."""
    details = [{"ttl": "1h", "inputTokens": 200}, {"ttl": "5m", "inputTokens": 60}, {"ttl": "5m", "inputTokens": 40}]
    given = {"inputTokens": 10, "outputTokens": 20, "cacheDetails": details, **stated}
    assert usage_from_vendor("bedrock", given) == {
        "input_tokens": 310, "cache_write_tokens": 300, "cache_write_5m_tokens": 100, "cache_write_1h_tokens": 200,
        "output_tokens": 20,
    }  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"cacheDetails": [{"ttl": "12h", "inputTokens": 1}]},
        {"cacheDetails": [{"inputTokens": 1}]},
        {"cacheDetails": {"ttl": "5m", "inputTokens": 1}},
        {"cacheDetails": [{"ttl": "5m", "inputTokens": 301}]},
    ],
)
def test_bedrock_lifetimes_that_nobody_knows_or_that_contradict_the_sum_are_refused(changed: dict[str, Any]) -> None:
    given = {"inputTokens": 10, "outputTokens": 20, "cacheWriteInputTokens": 300, **changed}
    with pytest.raises(PermillionError) as caught:
        usage_from_vendor("bedrock", given)
    assert caught.value.slug == "invalid-usage"


def test_deepseek_hits_and_misses_are_the_prompt() -> None:
    given = {
        "prompt_tokens": 1_000, "prompt_cache_hit_tokens": 896, "prompt_cache_miss_tokens": 104, "completion_tokens": 50,
        "completion_tokens_details": {"reasoning_tokens": 30}, "total_tokens": 1_050,
    }  # fmt: skip
    assert usage_from_vendor("deepseek", given) == {
        "input_tokens": 1_000, "cache_read_tokens": 896, "output_tokens": 50, "reasoning_tokens": 30,
    }  # fmt: skip
    for misses in (103, 105):
        with refused("invalid-usage", "hits and misses"):
            usage_from_vendor("deepseek", {**given, "prompt_cache_miss_tokens": misses})
    with refused("invalid-usage"):
        usage_from_vendor("deepseek", {**given, "prompt_cache_miss_tokens": None, "prompt_cache_hit_tokens": 1_001})


def test_mistral_is_shaped_like_openai() -> None:
    given = {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}
    assert usage_from_vendor("mistral", given) == {"input_tokens": 12, "output_tokens": 34}


XAI = {"prompt_tokens": 32, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 94}}


def test_xai_reasoning_outside_the_completion_is_added() -> None:
    """32 + 9 + 94 = 135."""
    found = usage_from_vendor("xai", {**XAI, "total_tokens": 135})
    assert found == {"input_tokens": 32, "output_tokens": 103, "reasoning_tokens": 94}


def test_xai_reasoning_inside_the_completion_is_not_added() -> None:
    given = {**XAI, "completion_tokens": 103, "total_tokens": 135}
    assert usage_from_vendor("xai", given)["output_tokens"] == 103


def test_xai_totals_that_fit_neither_are_a_contradiction() -> None:
    with refused("invalid-usage", "total_tokens"):
        usage_from_vendor("xai", {**XAI, "total_tokens": 136})
    with refused("invalid-usage"):  # 94 inside 9
        usage_from_vendor("xai", {**XAI, "total_tokens": 41})
    with refused("invalid-usage"):  # which of the two it is cannot be told
        usage_from_vendor("xai", XAI)


def test_perplexity_reasoning_and_citations_are_outside_the_completion() -> None:
    given = {
        "prompt_tokens": 33, "completion_tokens": 11_395, "citation_tokens": 52_694, "reasoning_tokens": 193_947,
        "num_search_queries": 18, "total_tokens": 11_428,
    }  # fmt: skip
    assert usage_from_vendor("perplexity", given) == {
        "input_tokens": 33, "output_tokens": 258_036, "reasoning_tokens": 193_947, "citation_tokens": 52_694, "web_searches": 18,
    }  # fmt: skip


# --- what is no usage --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [True, False, -1, 1.0, 1.5, "5", "", [], {}, [5], float("nan")])
def test_a_count_is_a_whole_number_of_zero_or_more(count: object) -> None:
    with refused("invalid-usage", "prompt_tokens"):
        usage_from_vendor("openai", {"prompt_tokens": count, "completion_tokens": 1})


@pytest.mark.parametrize("details", [[1], "cached", 5, True])
def test_details_are_an_object(details: object) -> None:
    with refused("invalid-usage", "prompt_tokens_details"):
        usage_from_vendor("openai", {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": details})


@pytest.mark.parametrize(
    ("usage_format", "given"),
    [
        ("openai", {"completion_tokens": 1}),
        ("openai", {"prompt_tokens": None, "completion_tokens": 1}),
        ("anthropic", {"cache_read_input_tokens": 5, "output_tokens": 1}),
        ("anthropic", {"input_tokens": 5}),
        ("google", {"candidatesTokenCount": 5}),
        ("bedrock", {"inputTokens": 5}),
        ("perplexity", {"completion_tokens": 5}),
        ("openai", {}),
    ],
)
def test_a_missing_total_is_refused_and_not_zero(usage_format: str, given: dict[str, Any]) -> None:
    with refused("invalid-usage", "missing"):
        usage_from_vendor(usage_format, given)


@pytest.mark.parametrize(
    "given",
    [
        {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 6}},
        {"prompt_tokens": 0, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 6}},
        {"prompt_tokens": 5, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 5}},
        {"prompt_tokens": 5, "completion_tokens": 0, "completion_tokens_details": {"reasoning_tokens": 5}},
    ],
)
def test_parts_above_a_stated_total_contradict_it_a_total_of_zero_too(given: dict[str, Any]) -> None:
    with refused("invalid-usage"):
        usage_from_vendor("openai", given)


def test_an_unknown_format_is_refused_naming_the_known_ones() -> None:
    with refused("invalid-usage", "openai"):
        usage_from_vendor("OpenAI", {"prompt_tokens": 5, "completion_tokens": 1})


def test_the_formats_of_the_contract_are_known() -> None:
    assert {"openai", "anthropic", "google", "bedrock", "perplexity", "deepseek", "mistral", "xai"} <= set(
        USAGE_FORMATS
    )


@pytest.mark.parametrize(
    ("given", "usage_format"),
    [
        ({"promptTokenCount": 9}, "google"),
        ({"prompt_token_count": 9}, "google"),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 0}, "deepseek"),
        ({"prompt_tokens": 9, "citation_tokens": 1}, "perplexity"),
        ({"input_tokens": 9, "cache_read_input_tokens": 1}, "anthropic"),
        ({"input_tokens": 9, "cache_creation_input_tokens": 1}, "anthropic"),
        ({"inputTokens": 9, "cacheReadInputTokens": 1}, "bedrock"),
        ({"inputTokens": 9}, "bedrock"),
        ({"prompt_tokens": 9}, "openai"),
        ({"input_tokens": 9, "citation_tokens": 1}, None),  # our own meters
        ({"input_tokens": 9, "cache_read_tokens": 1}, None),
        ({}, None),
    ],
)
def test_a_format_is_recognised_by_its_keys(given: dict[str, Any], usage_format: str | None) -> None:
    assert recognise_format(given) == usage_format


def test_google_audio_has_a_price_of_its_own() -> None:
    """900 of 1,000 prompt tokens are audio: on gemini-2.5-flash 1 instead of 0.3 per Mtok."""
    details = [{"modality": "TEXT", "tokenCount": 100}, {"modality": "AUDIO", "tokenCount": 900}]
    given = {
        "promptTokenCount": 1000,
        "candidatesTokenCount": 1,
        "totalTokenCount": 1001,
        "promptTokensDetails": details,
    }
    assert usage_from_vendor("google", given) == {"input_tokens": 1000, "input_audio_tokens": 900, "output_tokens": 1}
    for wrong in (5, [5], {"modality": "AUDIO"}, [{"modality": "AUDIO", "tokenCount": -1}]):
        with pytest.raises(PermillionError):
            usage_from_vendor("google", {**given, "promptTokensDetails": wrong})


def test_genai_prices_142_gemini_cached_audio_is_kept() -> None:
    given = {
        "promptTokenCount": 400, "cachedContentTokenCount": 254, "candidatesTokenCount": 10, "totalTokenCount": 410,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 200}, {"modality": "AUDIO", "tokenCount": 200}],
        "cacheTokensDetails": [{"modality": "TEXT", "tokenCount": 125}, {"modality": "AUDIO", "tokenCount": 129}],
    }  # fmt: skip
    assert usage_from_vendor("google", given) == {
        "input_tokens": 400, "cache_read_tokens": 254, "cache_read_audio_tokens": 129, "input_audio_tokens": 200,
        "output_tokens": 10,
    }  # fmt: skip


def test_openai_realtime_cached_audio_is_kept() -> None:
    """Shaped like the usage of a `response.done` event of the Realtime API."""
    given = {
        "total_tokens": 253, "input_tokens": 132, "output_tokens": 121,
        "input_token_details": {
            "text_tokens": 119, "audio_tokens": 13, "cached_tokens": 64,
            "cached_tokens_details": {"text_tokens": 56, "audio_tokens": 8},
        },
        "output_token_details": {"text_tokens": 30, "audio_tokens": 91},
    }  # fmt: skip
    assert usage_from_vendor("openai", given) == {
        "input_tokens": 132, "cache_read_tokens": 64, "cache_read_audio_tokens": 8, "input_audio_tokens": 13,
        "output_tokens": 121, "output_audio_tokens": 91,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("traffic", "tier"), [("ON_DEMAND", "standard"), ("ON_DEMAND_PRIORITY", "priority"), ("ON_DEMAND_FLEX", "flex")]
)
def test_litellm_37724_vertex_traffic_types_are_service_tiers(traffic: str, tier: str) -> None:
    assert served_by_vendor("google", {"trafficType": traffic}) == {"service_tier": tier}
    assert served_by_vendor("google", {"traffic_type": traffic}) == {"service_tier": tier}


def test_a_response_that_says_no_traffic_type_says_nothing_of_the_tier() -> None:
    for given in ({}, {"trafficType": None}, {"trafficType": "TRAFFIC_TYPE_UNSPECIFIED"}):
        assert served_by_vendor("google", given) == {}
    assert served_by_vendor("openai", {"trafficType": "ON_DEMAND_FLEX"}) == {}


@pytest.mark.parametrize(
    ("traffic", "slug"),
    [
        ("PROVISIONED_THROUGHPUT", "not-offered"),
        ("ON_DEMAND_SLOW", "invalid-usage"),
        (5, "invalid-usage"),
        ([], "invalid-usage"),
    ],
)
def test_traffic_that_is_not_billed_by_the_token_is_refused(traffic: Any, slug: str) -> None:
    with pytest.raises(PermillionError) as caught:
        served_by_vendor("google", {"trafficType": traffic})
    assert caught.value.slug == slug


@pytest.mark.parametrize("usage_format", ["openai", "mistral", "xai"])
def test_an_embedding_has_a_prompt_and_a_total_and_no_completion(usage_format: str) -> None:
    """The usage of OpenAI's embeddings endpoint."""
    assert usage_from_vendor(usage_format, {"prompt_tokens": 8, "total_tokens": 8}) == {"input_tokens": 8}


@pytest.mark.parametrize(
    "given",
    [
        {"prompt_tokens": 8, "total_tokens": 9},
        {"prompt_tokens": 8, "total_tokens": 7},
        {"prompt_tokens": 8},
        {"total_tokens": 8},
        {"prompt_tokens": 8, "total_tokens": 8, "completion_tokens_details": {"reasoning_tokens": 1}},
    ],
)
def test_a_total_that_leaves_something_unsaid_is_refused(given: dict[str, Any]) -> None:
    with refused("invalid-usage"):
        usage_from_vendor("openai", given)
