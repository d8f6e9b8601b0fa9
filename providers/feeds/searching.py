"""What one web search is: feeds have one name for the three things vendors charge for."""

from __future__ import annotations

from economics.prices import SearchUnit


def search_unit(provider: str, model: str) -> SearchUnit | None:
    """What one search is at a vendor whose rule is known, None elsewhere.

    Google charges Gemini 2 by prompt that searched and Gemini 3 and later by distinct query; OpenAI and Anthropic charge by
    call (vendors' price pages as of 2026-11-30).

    >>> search_unit("google", "gemini-2.5-pro"), search_unit("meta", "muse-spark-1.3")
    (<SearchUnit.PROMPT: 'prompt'>, None)
    """
    if provider in ("openai", "anthropic"):
        return SearchUnit.CALL
    if provider == "google" and model.startswith("gemini-"):
        return SearchUnit.PROMPT if model.startswith("gemini-2") else SearchUnit.UNIQUE_QUERY
    return None
