"""The price keys of LiteLLM: a price, then what it holds above or in: `input_cost_per_token_above_272k_tokens_flex`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

METER_OF: Final = {
    "input_cost_per_token": "input_tokens",
    "output_cost_per_token": "output_tokens",
    "cache_read_input_token_cost": "cache_read_tokens",
    "input_cost_per_token_cache_hit": "cache_read_tokens",
    "cache_creation_input_token_cost": "cache_write_tokens",
    "cache_creation_input_token_cost_above_1hr": "cache_write_1h_tokens",
    "cache_creation_input_token_cost_above_12hr": "cache_write_12h_tokens",
    "cache_read_input_audio_token_cost": "cache_read_audio_tokens",
    "input_cost_per_audio_token": "input_audio_tokens",
    "input_cost_per_image_token": "input_image_tokens",
    "output_cost_per_audio_token": "output_audio_tokens",
    "output_cost_per_reasoning_token": "reasoning_tokens",
    "citation_cost_per_token": "citation_tokens",
    "input_cost_per_character": "input_characters",
    "input_cost_per_second": "audio_seconds",
    "output_cost_per_second": "audio_seconds",
    "input_cost_per_audio_per_second": "audio_seconds",
    "ocr_cost_per_page": "pages",
    "annotation_cost_per_page": "annotated_pages",
    "input_cost_per_request": "requests",
}
"""LiteLLM bills a transcription by one of the two prices per second, never by both (1.110.2)."""

AUDIO_MODES: Final = ("audio_transcription", "audio_speech", "realtime")
"""Kinds of entry whose seconds are seconds of audio; elsewhere they are of video or of a reserved machine."""

MODES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "batches": {"processing": ("batch",)},
    "flex": {"service_tier": ("flex",)},
    "priority": {"service_tier": ("priority",)},
}
"""`balanced`, `ultrafast` and `decisions` exist too; no vendor's sheet knows them."""

PRICE_LIKE: Final = re.compile(r"cost|pric|multiplier|uplift|surcharge|_fee", re.ASCII)

_KEY: Final = re.compile(
    rf"(?P<price>{'|'.join(sorted(METER_OF, key=len, reverse=True))})"
    rf"(?:_(?P<before>{'|'.join(MODES)}))?"
    r"(?:_above_(?P<above>[0-9]{1,9})(?P<thousand>k?)_tokens)?"
    rf"(?:_(?P<after>{'|'.join(MODES)}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class PriceKey:
    """What a key says: of which meter, in which mode, above how many input tokens."""

    meter: str
    conditions: Mapping[str, tuple[str, ...]]
    above: int | None


def parse_key(key: str) -> PriceKey | None:
    """The key's parts, None where a part of it is not understood.

    >>> parse_key("cache_creation_input_token_cost_above_1hr_above_200k_tokens")
    PriceKey(meter='cache_write_1h_tokens', conditions={}, above=200000)
    >>> parse_key("input_cost_per_token_ultrafast") is None
    True
    """
    found = _KEY.fullmatch(key)
    if found is None or (found["before"] and found["after"]):
        return None
    above = None if found["above"] is None else int(found["above"]) * (1_000 if found["thousand"] else 1)
    return PriceKey(METER_OF[found["price"]], MODES.get(found["before"] or found["after"] or "", {}), above)
