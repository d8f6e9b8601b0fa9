"""The usage units of genai-prices 0.2.3 that are meters of ours, by the key of their price.

Both count containment alike: a child without a price stays with its parent. 59 units exist; the others (text, video, tool
tokens, caches by modality, pixels, messages, reranking, code execution, …) have no meter and are refused by name.
"""

from __future__ import annotations

from typing import Final

from economics.prices import SearchUnit

METER_OF: Final = {
    "input_mtok": "input_tokens",
    "output_mtok": "output_tokens",
    "cache_read_mtok": "cache_read_tokens",
    "cache_write_mtok": "cache_write_tokens",
    "cache_write_5m_mtok": "cache_write_5m_tokens",
    "cache_write_1h_mtok": "cache_write_1h_tokens",
    "input_audio_mtok": "input_audio_tokens",
    "output_audio_mtok": "output_audio_tokens",
    "input_image_mtok": "input_image_tokens",
    "output_reasoning_mtok": "reasoning_tokens",
    "output_citation_mtok": "citation_tokens",
    "input_mchars": "input_characters",
    "audio_hours": "audio_seconds",
    "input_audio_hours": "audio_seconds",
    "input_document_kpages": "pages",
    "input_annotated_document_kpages": "annotated_pages",
    "web_searches_kcount": "web_searches",
    "storage_searches_kcount": "file_searches",
    "requests_kcount": "requests",
}


def search_unit(provider: str, model: str) -> SearchUnit | None:
    """What one search is at a vendor whose rule is known; the package has one name for three things.

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
