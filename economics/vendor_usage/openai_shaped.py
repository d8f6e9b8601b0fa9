"""Usage objects of the shape of OpenAI's, where the prompt includes the cache: OpenAI, Mistral, xAI, DeepSeek, Perplexity."""

from __future__ import annotations

from collections.abc import Sequence

from economics.vendor_usage.counts import (
    Meters,
    VendorUsage,
    any_count,
    check_total,
    count,
    count_or_none,
    refusal,
    stated_count,
)

# Responses, Realtime and Chat Completions spell one thing in three ways.
_PROMPT_PARTS = ("input_tokens_details", "input_token_details", "prompt_tokens_details")
_OUTPUT_PARTS = ("output_tokens_details", "output_token_details", "completion_tokens_details")


def openai(given: VendorUsage) -> Meters:
    """Chat Completions, Responses, Realtime and embeddings: cache inside the prompt, reasoning inside the completion.

    A total above both would be tokens that nobody is charged for (a compatible endpoint of another vendor that reports
    its reasoning beside the completion).
    """
    meters = mistral(given)
    check_total(given, "total_tokens", meters["input_tokens"] + meters["output_tokens"])
    return meters


def mistral(given: VendorUsage) -> Meters:
    """As `openai`, but for the total: that of a transcription counts the audio, which `prompt_tokens` leaves out.

    Mistral's reference of audio transcriptions has 4 prompt and 635 completion tokens, 3,264 in all, for 203 s of audio
    (read 2026-12-01).
    """
    prompt = stated_count(given, "input_tokens", "prompt_tokens")
    inside = [name for name in _PROMPT_PARTS if given.get(name) is not None]
    made = [name for name in _OUTPUT_PARTS if given.get(name) is not None]
    return {
        "input_tokens": prompt,
        "cache_read_tokens": _part(given, inside, "cached_tokens"),
        "cache_read_audio_tokens": _part(given, inside, "cached_tokens_details", "audio_tokens"),
        "cache_write_tokens": _part(given, inside, "cache_write_tokens"),
        "input_audio_tokens": _part(given, inside, "audio_tokens"),
        "output_tokens": _output(given, prompt),
        "reasoning_tokens": _part(given, made, "reasoning_tokens"),
        "output_audio_tokens": _part(given, made, "audio_tokens"),
    }


def _part(given: VendorUsage, wholes: Sequence[str], *path: str) -> int:
    if len(wholes) == 1:
        return count(given, wholes[0], *path)
    return (any_count(given, *((whole, *path) for whole in wholes)) or 0) if wholes else 0


def _output(given: VendorUsage, prompt: int) -> int:
    """The output; none where it is left out and the total is the prompt, as for an embedding."""
    left_out = given.get("output_tokens") is None and given.get("completion_tokens") is None
    if left_out and given.get("total_tokens") is not None:
        if count(given, "total_tokens") != prompt:
            raise refusal("total_tokens is not the prompt, and completion_tokens is missing", "total_tokens")
        return 0
    return stated_count(given, "output_tokens", "completion_tokens")


def xai(given: VendorUsage) -> Meters:
    """As `openai`, but the reasoning may stand beside the completion: the total says where it stands."""
    meters = mistral(given)
    inside, reasoning = meters["input_tokens"] + meters["output_tokens"], meters["reasoning_tokens"]
    check_total(given, "total_tokens", inside, inside + reasoning)
    if count_or_none(given, "total_tokens") == inside + reasoning:
        meters["output_tokens"] += reasoning
    return meters


def deepseek(given: VendorUsage) -> Meters:
    """The prompt is cache hits and misses; the completion includes the reasoning.

    Hosts of DeepSeek's models leave the keys of hits and misses out: there the hits are OpenAI's `cached_tokens`.
    """
    prompt, completion = stated_count(given, "prompt_tokens"), stated_count(given, "completion_tokens")
    hit = any_count(given, ("prompt_cache_hit_tokens",), ("prompt_tokens_details", "cached_tokens")) or 0
    miss = count_or_none(given, "prompt_cache_miss_tokens")
    if miss is not None and hit + miss != prompt:
        raise refusal("cache hits and misses are not the prompt", "prompt_cache_miss_tokens")
    check_total(given, "total_tokens", prompt + completion)
    return {
        "input_tokens": prompt,
        "cache_read_tokens": hit,
        "output_tokens": completion,
        "reasoning_tokens": count(given, "completion_tokens_details", "reasoning_tokens"),
    }


def perplexity(given: VendorUsage) -> Meters:
    """Reasoning and citations stand beside the completion, and are output; no page says which of them the total counts."""
    reasoning, citations = count(given, "reasoning_tokens"), count(given, "citation_tokens")
    return {
        "input_tokens": stated_count(given, "prompt_tokens"),
        "output_tokens": stated_count(given, "completion_tokens") + reasoning + citations,
        "reasoning_tokens": reasoning,
        "citation_tokens": citations,
        "web_searches": count(given, "num_search_queries"),
    }
