"""Whose usage object it is, and its meters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from economics.errors import PermillionError
from economics.usage import complete_usage
from economics.vendor_usage.anthropic_shaped import anthropic, bedrock
from economics.vendor_usage.counts import Meters, VendorUsage
from economics.vendor_usage.google import google, snake
from economics.vendor_usage.openai_shaped import deepseek, mistral, openai, perplexity, xai

USAGE_FORMATS: Mapping[str, Callable[[VendorUsage], Meters]] = {
    "openai": openai,
    "anthropic": anthropic,
    "google": google,
    "bedrock": bedrock,
    "deepseek": deepseek,
    "mistral": mistral,
    "xai": xai,
    "perplexity": perplexity,
}
_WHOLES = ("input_tokens", "output_tokens", "cache_write_tokens")
"""A stated 0 of these contradicts any part of them."""


def usage_from_vendor(usage_format: str, given: VendorUsage) -> dict[str, int]:
    """The meters of a vendor's usage object.

    Args:
        usage_format: one of `USAGE_FORMATS`.
        given: the object as the vendor's API returned it; keys that carry no count are ignored.

    Raises:
        PermillionError: `invalid-usage` for an unknown format, a count that is none, a missing total, or counts that
            contradict each other (parts above their whole, a total that is not the sum of its parts, two spellings of
            one count that differ).

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
    try:
        complete_usage({name: count for name, count in found.items() if count or name in _WHOLES})
    except PermillionError as error:
        raise PermillionError(error.slug, error.detail, pointer="/vendor_usage") from None
    return {"input_tokens": 0, **{name: count for name, count in found.items() if count}}


_PERPLEXITY = {"citation_tokens", "num_search_queries", "search_context_size"}
_ANTHROPIC = {"cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation", "inference_geo", "speed"}


def recognise_format(given: VendorUsage) -> str | None:
    """The format whose keys `given` has, None where they are meters of our own (or nobody's).

    >>> recognise_format({"prompt_token_count": 9}), recognise_format({"input_tokens": 9})
    ('google', None)
    """
    keys = {snake(name) for name in given}
    if "prompt_token_count" in keys:
        return "google"
    if "prompt_cache_hit_tokens" in keys:
        return "deepseek"
    if keys & _PERPLEXITY and "prompt_tokens" in keys:
        return "perplexity"
    if keys & _ANTHROPIC:
        return "bedrock" if "inputTokens" in given else "anthropic"
    if "inputTokens" in given:
        return "bedrock"
    return "openai" if "prompt_tokens" in keys else None
