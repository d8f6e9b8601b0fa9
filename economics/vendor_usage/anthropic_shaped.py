"""Usage objects whose input leaves the cache out: Anthropic's, and Bedrock's in Converse."""

from __future__ import annotations

from economics.vendor_usage.counts import (
    Meters,
    VendorUsage,
    any_count,
    check_total,
    count,
    count_or_none,
    objects,
    refusal,
    stated_count,
)


def anthropic(given: VendorUsage) -> Meters:
    """Messages API: the prompt is `input_tokens` and what was read from and written to the cache.

    `cache_creation_input_tokens` is the sum of the writes by time to live (Anthropic's page on prompt caching).
    """
    fresh, read = stated_count(given, "input_tokens"), count(given, "cache_read_input_tokens")
    short = count_or_none(given, "cache_creation", "ephemeral_5m_input_tokens")
    long = count_or_none(given, "cache_creation", "ephemeral_1h_input_tokens")
    kept = None if short is None and long is None else (short or 0) + (long or 0)
    written = _written(given, "cache_creation_input_tokens", kept)
    return {
        "input_tokens": fresh + read + written,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "cache_write_5m_tokens": short or 0,
        "cache_write_1h_tokens": long or 0,
        "output_tokens": stated_count(given, "output_tokens"),
        "web_searches": count(given, "server_tool_use", "web_search_requests"),
    }


def bedrock(given: VendorUsage) -> Meters:
    """Converse's `TokenUsage`: the prompt is `inputTokens` and what was read from and written to the cache.

    AWS's reference has `totalTokens` as "input tokens and tokens generated" and does not say whether the cache is among
    them; responses count it. Both sums pass.
    """
    fresh, output = stated_count(given, "inputTokens"), stated_count(given, "outputTokens")
    read, kept = count(given, "cacheReadInputTokens"), _bedrock_writes(given)
    # an SDK fills the list in as empty where the API left it out: that says nothing
    written = _written(given, "cacheWriteInputTokens", sum(kept.values()) if given.get("cacheDetails") else None)
    check_total(given, "totalTokens", fresh + read + written + output, fresh + output)
    return {
        "input_tokens": fresh + read + written,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        **kept,
        "output_tokens": output,
    }


def _written(given: VendorUsage, name: str, kept: int | None) -> int:
    """All cache writes, stated under `name` or `kept` by time to live; the two agree where both are there."""
    stated = count_or_none(given, name)
    if stated is None or kept is None:
        return stated or kept or 0
    if stated != kept:
        raise refusal(f"{name} is not the sum of its times to live", name)
    return stated


_BEDROCK_TTLS = {"5m": "cache_write_5m_tokens", "1h": "cache_write_1h_tokens"}


def _bedrock_writes(given: VendorUsage) -> Meters:
    """Writes by time to live, from a list of `{ttl, inputTokens}`."""
    kept = dict.fromkeys(_BEDROCK_TTLS.values(), 0)
    for index, detail in enumerate(objects(given, "cacheDetails")):
        at = ("cacheDetails", str(index))
        meter = _BEDROCK_TTLS.get(str(detail.get("ttl")))
        if meter is None:
            raise refusal(f"a ttl of cacheDetails is {' or '.join(_BEDROCK_TTLS)}", *at, "ttl")
        kept[meter] += any_count(detail, ("inputTokens",), at=at) or 0
    return kept
