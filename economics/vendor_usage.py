"""Vendors' own usage objects, decomposed into meters.

The same word counts different things: Anthropic's and Bedrock's `input_tokens` exclude the cache, everybody else's include
it; Google's thoughts and Perplexity's reasoning and citations stand outside the completion, OpenAI's inside. Mixing these
up is the most frequent defect of open calculators (cached tokens charged twice, reasoning lost).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from economics.errors import PermillionError
from economics.usage import complete_usage

VendorUsage = Mapping[str, Any]
_Meters = dict[str, int]
MAX_COUNT = 10**18 - 1


def usage_from_vendor(usage_format: str, given: VendorUsage) -> dict[str, int]:
    """The meters of a vendor's usage object.

    Args:
        usage_format: one of `USAGE_FORMATS`.
        given: the object as the vendor's API returned it; keys that carry no count are ignored.

    Raises:
        PermillionError: `invalid-usage` for an unknown format, a count that is none, a missing total, or counts that
            contradict each other.

    Worked number (Google, PostHog/posthog#71065): 9 prompt, 1 candidate, 21 thoughts, 31 in all is 9 in and 22 out.

    >>> usage_from_vendor("google", {"promptTokenCount": 9, "candidatesTokenCount": 1, "thoughtsTokenCount": 21,
    ...                              "totalTokenCount": 31})
    {'input_tokens': 9, 'output_tokens': 22, 'reasoning_tokens': 21}
    """
    reader = USAGE_FORMATS.get(usage_format)
    if reader is None:
        raise PermillionError(
            "invalid-usage", f"usage_format is one of {', '.join(USAGE_FORMATS)}", pointer="/usage_format"
        )
    found = reader(given)
    complete_usage({name: count for name, count in found.items() if count or name in _WHOLES})
    return {"input_tokens": 0, **{name: count for name, count in found.items() if count}}


_WHOLES = ("input_tokens", "output_tokens", "cache_write_tokens")
"""A stated 0 of these contradicts any part of them."""


def _count(given: VendorUsage, *path: str) -> int:
    """The count at `path`, 0 where it is absent or null."""
    value: Any = given
    for name in path:
        if value is None:
            return 0
        if not isinstance(value, Mapping):
            raise PermillionError("invalid-usage", f"{'.'.join(path)} is not an object", pointer="/vendor_usage")
        value = value.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise PermillionError("invalid-usage", f"{'.'.join(path)} is not a count", pointer="/vendor_usage")
    return value


def _first(given: VendorUsage, *names: str) -> int:
    for name in names:
        if given.get(name) is not None:
            return _count(given, name)
    raise PermillionError("invalid-usage", f"{names[0]} is missing", pointer="/vendor_usage")


def _present(given: VendorUsage, *names: str) -> str:
    """The first of `names` that is given: Chat Completions, Responses and Realtime spell one thing in three ways."""
    return next((name for name in names if given.get(name) is not None), names[0])


def _openai(given: VendorUsage) -> _Meters:
    inside = _present(given, "input_tokens_details", "input_token_details", "prompt_tokens_details")
    made = _present(given, "output_tokens_details", "output_token_details", "completion_tokens_details")
    prompt = _first(given, "input_tokens", "prompt_tokens")
    return {
        "input_tokens": prompt,
        "cache_read_tokens": _count(given, inside, "cached_tokens"),
        "cache_read_audio_tokens": _count(given, inside, "cached_tokens_details", "audio_tokens"),
        "cache_write_tokens": _count(given, inside, "cache_write_tokens"),
        "input_audio_tokens": _count(given, inside, "audio_tokens"),
        "output_tokens": _openai_output(given, prompt),
        "reasoning_tokens": _count(given, made, "reasoning_tokens"),
        "output_audio_tokens": _count(given, made, "audio_tokens"),
    }


def _openai_output(given: VendorUsage, prompt: int) -> int:
    """The output; none where it is left out and the total is the prompt, as for an embedding."""
    left_out = given.get("output_tokens") is None and given.get("completion_tokens") is None
    if left_out and given.get("total_tokens") is not None:
        if _count(given, "total_tokens") != prompt:
            raise PermillionError(
                "invalid-usage",
                "total_tokens is not the prompt, and completion_tokens is missing",
                pointer="/vendor_usage",
            )
        return 0
    return _first(given, "output_tokens", "completion_tokens")


def _anthropic(given: VendorUsage) -> _Meters:
    fresh, read = _first(given, "input_tokens"), _count(given, "cache_read_input_tokens")
    short = _count(given, "cache_creation", "ephemeral_5m_input_tokens")
    long = _count(given, "cache_creation", "ephemeral_1h_input_tokens")
    written = _count(given, "cache_creation_input_tokens")
    if given.get("cache_creation_input_tokens") is None:
        written = short + long
    return {
        "input_tokens": fresh + read + written,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "cache_write_5m_tokens": short,
        "cache_write_1h_tokens": long,
        "output_tokens": _first(given, "output_tokens"),
        "web_searches": _count(given, "server_tool_use", "web_search_requests"),
    }


def _google(given: VendorUsage) -> _Meters:
    plain = {_snake(name): value for name, value in given.items()}
    prompt = _first(plain, "prompt_token_count") + _count(plain, "tool_use_prompt_token_count")
    candidates, thoughts = _count(plain, "candidates_token_count"), _count(plain, "thoughts_token_count")
    output = candidates + thoughts
    if plain.get("total_token_count") is not None:
        total = _count(plain, "total_token_count")
        if total == prompt + candidates:
            output = candidates  # some responses already count the thoughts as candidates
        elif total != prompt + output:
            raise PermillionError(
                "invalid-usage", "total_token_count is not the sum of its parts", pointer="/vendor_usage"
            )
    return {
        "input_tokens": prompt,
        "cache_read_tokens": _count(plain, "cached_content_token_count"),
        "cache_read_audio_tokens": _of_modality(plain, "cache_tokens_details", "AUDIO"),
        "input_audio_tokens": _of_modality(plain, "prompt_tokens_details", "AUDIO"),
        "output_tokens": output,
        "reasoning_tokens": thoughts,
        "output_audio_tokens": _of_modality(plain, "candidates_tokens_details", "AUDIO"),
    }


def _of_modality(given: VendorUsage, name: str, modality: str) -> int:
    """Tokens of one modality in a list of `{modality, tokenCount}`: audio has a price of its own."""
    plain = [{_snake(key): value for key, value in detail.items()} for detail in _objects(given, name)]
    return sum(_count(detail, "token_count") for detail in plain if detail.get("modality") == modality)


def _objects(given: VendorUsage, name: str) -> list[Mapping[str, Any]]:
    details = given.get(name) or []
    if not isinstance(details, list) or not all(isinstance(detail, Mapping) for detail in details):
        raise PermillionError("invalid-usage", f"{name} is not a list of objects", pointer="/vendor_usage")
    return details


def _bedrock(given: VendorUsage) -> _Meters:
    read, written = _count(given, "cacheReadInputTokens"), _count(given, "cacheWriteInputTokens")
    kept = _bedrock_writes(given)
    if given.get("cacheWriteInputTokens") is None:
        written = sum(kept.values())
    return {
        "input_tokens": _first(given, "inputTokens") + read + written,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        **kept,
        "output_tokens": _first(given, "outputTokens"),
    }


_BEDROCK_TTLS = {"5m": "cache_write_5m_tokens", "1h": "cache_write_1h_tokens"}


def _bedrock_writes(given: VendorUsage) -> _Meters:
    """Writes by time to live, from a list of `{ttl, inputTokens}`."""
    kept = dict.fromkeys(_BEDROCK_TTLS.values(), 0)
    for detail in _objects(given, "cacheDetails"):
        meter = _BEDROCK_TTLS.get(str(detail.get("ttl")))
        if meter is None:
            raise PermillionError(
                "invalid-usage", f"a ttl of cacheDetails is {' or '.join(_BEDROCK_TTLS)}", pointer="/vendor_usage"
            )
        kept[meter] += _count(detail, "inputTokens")
    return kept


def _deepseek(given: VendorUsage) -> _Meters:
    prompt = _first(given, "prompt_tokens")
    hit, miss = _count(given, "prompt_cache_hit_tokens"), _count(given, "prompt_cache_miss_tokens")
    if given.get("prompt_cache_miss_tokens") is not None and hit + miss != prompt:
        raise PermillionError("invalid-usage", "cache hits and misses are not the prompt", pointer="/vendor_usage")
    return {
        "input_tokens": prompt,
        "cache_read_tokens": hit,
        "output_tokens": _first(given, "completion_tokens"),
        "reasoning_tokens": _count(given, "completion_tokens_details", "reasoning_tokens"),
    }


def _xai(given: VendorUsage) -> _Meters:
    meters = _openai(given)
    reasoning = meters["reasoning_tokens"]
    if reasoning and given.get("total_tokens") is not None:
        total, inside = _count(given, "total_tokens"), meters["input_tokens"] + meters["output_tokens"]
        if total == inside + reasoning:
            meters["output_tokens"] += reasoning  # reported beside the completion
        elif total != inside:
            raise PermillionError("invalid-usage", "total_tokens is not the sum of its parts", pointer="/vendor_usage")
    return meters


def _perplexity(given: VendorUsage) -> _Meters:
    reasoning, citations = _count(given, "reasoning_tokens"), _count(given, "citation_tokens")
    return {
        "input_tokens": _first(given, "prompt_tokens"),
        "output_tokens": _first(given, "completion_tokens") + reasoning + citations,
        "reasoning_tokens": reasoning,
        "citation_tokens": citations,
        "web_searches": _count(given, "num_search_queries"),
    }


_TRAFFIC_TYPES = {"ON_DEMAND": "standard", "ON_DEMAND_PRIORITY": "priority", "ON_DEMAND_FLEX": "flex"}


def served_by_vendor(usage_format: str, given: VendorUsage) -> dict[str, str]:
    """What a vendor's usage object says was served, as context; empty where it says nothing.

    Google's `trafficType` is the service tier (Vertex AI reference of `UsageMetadata`); other vendors say it outside of the
    usage, if at all.

    Raises:
        PermillionError: `not-offered` for provisioned throughput, which is paid for by the hour and not by the token,
            `invalid-usage` for a type that nobody knows.

    >>> served_by_vendor("google", {"promptTokenCount": 7, "trafficType": "ON_DEMAND_FLEX"})
    {'service_tier': 'flex'}
    """
    traffic = given.get("trafficType", given.get("traffic_type")) if usage_format == "google" else None
    if traffic in (None, "TRAFFIC_TYPE_UNSPECIFIED"):
        return {}
    if traffic == "PROVISIONED_THROUGHPUT":
        raise PermillionError(
            "not-offered", "provisioned throughput is not paid for by the token", pointer="/vendor_usage/trafficType"
        )
    tier = _TRAFFIC_TYPES.get(traffic) if isinstance(traffic, str) else None
    if tier is None:
        named = ", ".join(_TRAFFIC_TYPES)
        raise PermillionError("invalid-usage", f"trafficType is one of {named}", pointer="/vendor_usage/trafficType")
    return {"service_tier": tier}


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


USAGE_FORMATS: Mapping[str, Callable[[VendorUsage], _Meters]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "bedrock": _bedrock,
    "deepseek": _deepseek,
    "mistral": _openai,
    "xai": _xai,
    "perplexity": _perplexity,
}


def recognise_format(given: VendorUsage) -> str | None:
    """The format whose keys `given` has, None where they are meters of our own (or nobody's).

    >>> recognise_format({"prompt_token_count": 9}), recognise_format({"input_tokens": 9})
    ('google', None)
    """
    keys = {_snake(name) for name in given}
    if "prompt_token_count" in keys:
        return "google"
    if "prompt_cache_hit_tokens" in keys:
        return "deepseek"
    if "citation_tokens" in keys and "prompt_tokens" in keys:
        return "perplexity"
    if keys & {"cache_read_input_tokens", "cache_creation_input_tokens"}:
        return "bedrock" if "inputTokens" in given else "anthropic"
    if "inputTokens" in given:
        return "bedrock"
    return "openai" if "prompt_tokens" in keys else None
