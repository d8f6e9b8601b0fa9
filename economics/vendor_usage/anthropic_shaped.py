"""Usage objects whose input leaves the cache out: Anthropic's, and Bedrock's in Converse."""

from __future__ import annotations

from economics.errors import PermillionError
from economics.vendor_usage.counts import Meters, VendorUsage, count, first_count, objects


def anthropic(given: VendorUsage) -> Meters:
    """Messages API: the prompt is `input_tokens` and what was read from and written to the cache."""
    fresh, read = first_count(given, "input_tokens"), count(given, "cache_read_input_tokens")
    short = count(given, "cache_creation", "ephemeral_5m_input_tokens")
    long = count(given, "cache_creation", "ephemeral_1h_input_tokens")
    written = count(given, "cache_creation_input_tokens")
    if given.get("cache_creation_input_tokens") is None:
        written = short + long
    return {
        "input_tokens": fresh + read + written,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "cache_write_5m_tokens": short,
        "cache_write_1h_tokens": long,
        "output_tokens": first_count(given, "output_tokens"),
        "web_searches": count(given, "server_tool_use", "web_search_requests"),
    }


def bedrock(given: VendorUsage) -> Meters:
    """Converse's `TokenUsage`: the prompt is `inputTokens` and what was read from and written to the cache."""
    read, written = count(given, "cacheReadInputTokens"), count(given, "cacheWriteInputTokens")
    kept = _bedrock_writes(given)
    if given.get("cacheWriteInputTokens") is None:
        written = sum(kept.values())
    return {
        "input_tokens": first_count(given, "inputTokens") + read + written,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        **kept,
        "output_tokens": first_count(given, "outputTokens"),
    }


_BEDROCK_TTLS = {"5m": "cache_write_5m_tokens", "1h": "cache_write_1h_tokens"}


def _bedrock_writes(given: VendorUsage) -> Meters:
    """Writes by time to live, from a list of `{ttl, inputTokens}`."""
    kept = dict.fromkeys(_BEDROCK_TTLS.values(), 0)
    for detail in objects(given, "cacheDetails"):
        meter = _BEDROCK_TTLS.get(str(detail.get("ttl")))
        if meter is None:
            raise PermillionError(
                "invalid-usage", f"a ttl of cacheDetails is {' or '.join(_BEDROCK_TTLS)}", pointer="/vendor_usage"
            )
        kept[meter] += count(detail, "inputTokens")
    return kept
