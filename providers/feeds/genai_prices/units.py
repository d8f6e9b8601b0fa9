"""The usage units of genai-prices 0.2.3 that are meters of ours, by the key of their price.

Both count containment alike: a child without a price stays with its parent. 59 units exist; the others (text, video, tool
tokens, caches by modality, pixels, messages, reranking, code execution, …) have no meter and are refused by name.
"""

from __future__ import annotations

from typing import Final

METER_OF: Final = {
    "input_mtok": "input_tokens",
    "output_mtok": "output_tokens",
    "cache_read_mtok": "cache_read_tokens",
    "cache_audio_read_mtok": "cache_read_audio_tokens",
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
