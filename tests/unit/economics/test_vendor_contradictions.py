"""Vendors' usage objects that contradict themselves are refused, pointing at the count that does."""

from __future__ import annotations

from typing import Any

import pytest

from economics.errors import PermillionError
from economics.vendor_usage import usage_from_vendor

CHAT = {"prompt_tokens": 100, "completion_tokens": 20}
CLAUDE = {"input_tokens": 100, "output_tokens": 20}
CONVERSE = {"inputTokens": 100, "outputTokens": 20}
GEMINI = {"promptTokenCount": 100, "candidatesTokenCount": 20}


def refusal(usage_format: str, given: dict[str, Any]) -> str:
    """Where a refused usage object is wrong, as a pointer into it."""
    with pytest.raises(PermillionError) as caught:
        usage_from_vendor(usage_format, given)
    assert caught.value.slug == "invalid-usage"
    whole = "/vendor_usage"
    assert caught.value.pointer.startswith(whole)
    return caught.value.pointer.removeprefix(whole)


@pytest.mark.parametrize("total", [0, 100, 119, 121, 140])
@pytest.mark.parametrize("usage_format", ["openai", "deepseek", "xai"])
def test_a_total_is_prompt_and_completion(usage_format: str, total: int) -> None:
    """100 + 20 = 120."""
    assert refusal(usage_format, {**CHAT, "total_tokens": total}) == "/total_tokens"
    assert usage_from_vendor(usage_format, {**CHAT, "total_tokens": 120}) == {"input_tokens": 100, "output_tokens": 20}


def test_reasoning_beside_the_completion_is_xai_alone() -> None:
    """100 + 20 + 50 = 170: xAI reports it that way; at OpenAI, 50 tokens of output would be charged to nobody."""
    given = {**CHAT, "completion_tokens_details": {"reasoning_tokens": 50}, "total_tokens": 170}
    assert usage_from_vendor("xai", given)["output_tokens"] == 70
    few = {**CHAT, "completion_tokens_details": {"reasoning_tokens": 15}}
    assert refusal("openai", {**few, "total_tokens": 135}) == "/total_tokens"
    assert refusal("xai", {**few, "total_tokens": 134}) == "/total_tokens"


def test_mistral_counts_audio_in_the_total_alone() -> None:
    """The example of Mistral's reference of audio transcriptions: 4 + 635 of 3,264."""
    given = {"prompt_audio_seconds": 203, "prompt_tokens": 4, "total_tokens": 3_264, "completion_tokens": 635}
    assert usage_from_vendor("mistral", given) == {"input_tokens": 4, "output_tokens": 635}


@pytest.mark.parametrize("total", [120, 172])
def test_perplexity_does_not_say_what_its_total_counts(total: int) -> None:
    given = {**CHAT, "citation_tokens": 52, "total_tokens": total}
    assert usage_from_vendor("perplexity", given)["output_tokens"] == 72


CACHED = {**CONVERSE, "cacheReadInputTokens": 1_000, "cacheWriteInputTokens": 300}


@pytest.mark.parametrize("total", [120, 1_420])
def test_bedrock_has_a_total_with_the_cache_or_without(total: int) -> None:
    """100 + 20, and 1,000 read and 300 written: AWS's reference can be read either way."""
    assert usage_from_vendor("bedrock", {**CACHED, "totalTokens": total})["input_tokens"] == 1_400


@pytest.mark.parametrize("total", [0, 100, 121, 1_120, 1_320, 1_400, 1_421])
def test_any_other_total_of_bedrock_is_a_contradiction(total: int) -> None:
    assert refusal("bedrock", {**CACHED, "totalTokens": total}) == "/totalTokens"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("input_tokens", "prompt_tokens"),
        ("output_tokens", "completion_tokens"),
    ],
)
@pytest.mark.parametrize("usage_format", ["openai", "mistral", "xai"])
def test_two_spellings_of_one_count_agree(usage_format: str, first: str, second: str) -> None:
    """A gateway that fills one of the two with 0 would otherwise make the answer free."""
    given = {"prompt_tokens": 100, "completion_tokens": 20, first: 0}
    assert refusal(usage_format, given) == f"/{second}"
    same = {**given, first: given[second]}
    assert usage_from_vendor(usage_format, same) == {"input_tokens": 100, "output_tokens": 20}
    assert usage_from_vendor(usage_format, {**given, first: None}) == {"input_tokens": 100, "output_tokens": 20}


def test_two_spellings_of_details_agree() -> None:
    given = {**CHAT, "input_tokens_details": {"cached_tokens": 60}, "prompt_tokens_details": {"cached_tokens": 61}}
    assert refusal("openai", given) == "/prompt_tokens_details/cached_tokens"
    agreed = {
        **CHAT,
        "input_tokens_details": {"cached_tokens": 60},
        "prompt_tokens_details": {"cached_tokens": 60, "audio_tokens": 5},
    }
    assert usage_from_vendor("openai", agreed) == {
        "input_tokens": 100, "cache_read_tokens": 60, "input_audio_tokens": 5, "output_tokens": 20,
    }  # fmt: skip
    made = {
        "output_tokens_details": {"reasoning_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    assert refusal("openai", {**CHAT, **made}) == "/completion_tokens_details/reasoning_tokens"


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        ("promptTokenCount", "prompt_token_count"),
        ("candidatesTokenCount", "candidates_token_count"),
        ("thoughtsTokenCount", "thoughts_token_count"),
        ("cachedContentTokenCount", "cached_content_token_count"),
        ("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
        ("totalTokenCount", "total_token_count"),
    ],
)
def test_camel_and_snake_case_agree(camel: str, snake: str) -> None:
    given = {**GEMINI, camel: 20, snake: 21}
    assert refusal("google", given) == f"/{snake}"


def test_modalities_in_camel_and_snake_case_agree() -> None:
    given = {
        **GEMINI,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 30}],
        "prompt_tokens_details": [{"modality": "AUDIO", "token_count": 30}],
    }
    assert usage_from_vendor("google", given)["input_audio_tokens"] == 30
    given["prompt_tokens_details"] = [{"modality": "AUDIO", "token_count": 31}]
    assert refusal("google", given) == "/prompt_tokens_details"
    given["prompt_tokens_details"] = [{"modality": "TEXT"}, {"modality": "AUDIO", "token_count": -1}]
    assert refusal("google", given) == "/prompt_tokens_details/1/token_count"


@pytest.mark.parametrize("modality", ["AUDIO", "audio", "Audio"])
def test_modalities_are_named_in_any_case(modality: str) -> None:
    details = [{"modality": "text", "tokenCount": 70}, {"modality": modality, "tokenCount": 30}]
    given = {**GEMINI, "promptTokensDetails": details}
    assert usage_from_vendor("google", given) == {"input_tokens": 100, "input_audio_tokens": 30, "output_tokens": 20}


def test_google_counts_tools_and_thoughts_in_the_total() -> None:
    """The example of the Gemini API's page on URL context: 27 + 10,309 in, 45 + 31 out, 10,412 in all."""
    given = {
        "prompt_token_count": 27,
        "candidates_token_count": 45,
        "thoughts_token_count": 31,
        "tool_use_prompt_token_count": 10_309,
        "total_token_count": 10_412,
    }
    assert usage_from_vendor("google", given) == {"input_tokens": 10_336, "output_tokens": 76, "reasoning_tokens": 31}
    for total in (103, 10_336, 10_411):
        assert refusal("google", {**given, "total_token_count": total}) == "/total_token_count"
    assert refusal("google", {**GEMINI, "totalTokenCount": 121}) == "/totalTokenCount"


def test_the_live_api_calls_its_candidates_a_response() -> None:
    """Google's reference of the Live API's `UsageMetadata`."""
    given = {
        "promptTokenCount": 100,
        "responseTokenCount": 20,
        "totalTokenCount": 120,
        "responseTokensDetails": [{"modality": "AUDIO", "tokenCount": 18}],
    }
    assert usage_from_vendor("google", given) == {"input_tokens": 100, "output_tokens": 20, "output_audio_tokens": 18}


@pytest.mark.parametrize(
    "lifetimes",
    [
        {"ephemeral_5m_input_tokens": 148, "ephemeral_1h_input_tokens": 99},
        {"ephemeral_5m_input_tokens": 456, "ephemeral_1h_input_tokens": 100},
        {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        {"ephemeral_5m_input_tokens": 148},
    ],
)
def test_anthropic_writes_are_the_sum_of_their_lifetimes(lifetimes: dict[str, int]) -> None:
    """148 + 100 = 248, the example of Anthropic's page on prompt caching, which once had 456 + 100 there by mistake."""
    given = {**CLAUDE, "cache_creation_input_tokens": 248}
    right = {"ephemeral_5m_input_tokens": 148, "ephemeral_1h_input_tokens": 100}
    assert usage_from_vendor("anthropic", {**given, "cache_creation": right}) == {
        "input_tokens": 348, "cache_write_tokens": 248, "cache_write_5m_tokens": 148, "cache_write_1h_tokens": 100,
        "output_tokens": 20,
    }  # fmt: skip
    assert refusal("anthropic", {**given, "cache_creation": lifetimes}) == "/cache_creation_input_tokens"
    for unsaid in (None, {}, {"ephemeral_5m_input_tokens": None}):
        assert usage_from_vendor("anthropic", {**given, "cache_creation": unsaid})["cache_write_tokens"] == 248


@pytest.mark.parametrize("kept", [0, 299, 301])
def test_bedrock_writes_are_the_sum_of_their_lifetimes(kept: int) -> None:
    given = {**CONVERSE, "cacheWriteInputTokens": 300}
    details = [{"ttl": "5m", "inputTokens": kept}]
    assert refusal("bedrock", {**given, "cacheDetails": details}) == "/cacheWriteInputTokens"
    for unsaid in (None, []):
        assert usage_from_vendor("bedrock", {**given, "cacheDetails": unsaid})["cache_write_tokens"] == 300
    wrong = [{"ttl": "5m", "inputTokens": 300}, {"ttl": "1h", "inputTokens": "0"}]
    assert refusal("bedrock", {**given, "cacheDetails": wrong}) == "/cacheDetails/1/inputTokens"


def test_deepseek_hits_are_the_cached_tokens_where_a_host_says_no_hits() -> None:
    given = {**CHAT, "prompt_tokens_details": {"cached_tokens": 64}}
    assert usage_from_vendor("deepseek", given) == {"input_tokens": 100, "cache_read_tokens": 64, "output_tokens": 20}
    both = {**given, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}
    assert usage_from_vendor("deepseek", both) == usage_from_vendor("deepseek", given)
    assert refusal("deepseek", {**given, "prompt_cache_hit_tokens": 63}) == "/prompt_tokens_details/cached_tokens"
    assert refusal("deepseek", {**given, "prompt_cache_miss_tokens": 35}) == "/prompt_cache_miss_tokens"
    assert refusal("deepseek", {**CHAT, "prompt_tokens_details": {"cached_tokens": 101}}) == ""


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({**CHAT, "prompt_tokens": 1.5}, "/prompt_tokens"),
        ({**CHAT, "prompt_tokens_details": {"cached_tokens": "5"}}, "/prompt_tokens_details/cached_tokens"),
        ({**CHAT, "prompt_tokens_details": {"cached_tokens": 101}}, ""),
        ({"completion_tokens": 1}, ""),
    ],
)
def test_a_refusal_points_into_the_object_that_was_sent(given: dict[str, Any], where: str) -> None:
    assert refusal("openai", given) == where
