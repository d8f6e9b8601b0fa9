"""Usage objects of the shape of OpenAI's, where the prompt includes the cache: OpenAI, Mistral, xAI, DeepSeek, Perplexity."""

from __future__ import annotations

from economics.errors import PermillionError
from economics.vendor_usage.counts import Meters, VendorUsage, count, first_count, first_present


def openai(given: VendorUsage) -> Meters:
    """Chat Completions, Responses, Realtime and embeddings: cache inside the prompt, reasoning inside the completion."""
    inside = first_present(given, "input_tokens_details", "input_token_details", "prompt_tokens_details")
    made = first_present(given, "output_tokens_details", "output_token_details", "completion_tokens_details")
    prompt = first_count(given, "input_tokens", "prompt_tokens")
    return {
        "input_tokens": prompt,
        "cache_read_tokens": count(given, inside, "cached_tokens"),
        "cache_read_audio_tokens": count(given, inside, "cached_tokens_details", "audio_tokens"),
        "cache_write_tokens": count(given, inside, "cache_write_tokens"),
        "input_audio_tokens": count(given, inside, "audio_tokens"),
        "output_tokens": _openai_output(given, prompt),
        "reasoning_tokens": count(given, made, "reasoning_tokens"),
        "output_audio_tokens": count(given, made, "audio_tokens"),
    }


def _openai_output(given: VendorUsage, prompt: int) -> int:
    """The output; none where it is left out and the total is the prompt, as for an embedding."""
    left_out = given.get("output_tokens") is None and given.get("completion_tokens") is None
    if left_out and given.get("total_tokens") is not None:
        if count(given, "total_tokens") != prompt:
            raise PermillionError(
                "invalid-usage",
                "total_tokens is not the prompt, and completion_tokens is missing",
                pointer="/vendor_usage",
            )
        return 0
    return first_count(given, "output_tokens", "completion_tokens")


def xai(given: VendorUsage) -> Meters:
    """As `openai`, but the reasoning may stand beside the completion: the total says where it stands."""
    meters = openai(given)
    reasoning = meters["reasoning_tokens"]
    if reasoning and given.get("total_tokens") is not None:
        total, inside = count(given, "total_tokens"), meters["input_tokens"] + meters["output_tokens"]
        if total == inside + reasoning:
            meters["output_tokens"] += reasoning  # reported beside the completion
        elif total != inside:
            raise PermillionError("invalid-usage", "total_tokens is not the sum of its parts", pointer="/vendor_usage")
    return meters


def deepseek(given: VendorUsage) -> Meters:
    """The prompt is cache hits and misses; the completion includes the reasoning."""
    prompt = first_count(given, "prompt_tokens")
    hit, miss = count(given, "prompt_cache_hit_tokens"), count(given, "prompt_cache_miss_tokens")
    if given.get("prompt_cache_miss_tokens") is not None and hit + miss != prompt:
        raise PermillionError("invalid-usage", "cache hits and misses are not the prompt", pointer="/vendor_usage")
    return {
        "input_tokens": prompt,
        "cache_read_tokens": hit,
        "output_tokens": first_count(given, "completion_tokens"),
        "reasoning_tokens": count(given, "completion_tokens_details", "reasoning_tokens"),
    }


def perplexity(given: VendorUsage) -> Meters:
    """Reasoning and citations stand beside the completion, and are output."""
    reasoning, citations = count(given, "reasoning_tokens"), count(given, "citation_tokens")
    return {
        "input_tokens": first_count(given, "prompt_tokens"),
        "output_tokens": first_count(given, "completion_tokens") + reasoning + citations,
        "reasoning_tokens": reasoning,
        "citation_tokens": citations,
        "web_searches": count(given, "num_search_queries"),
    }
