"""The meters: what is counted, what a rate is usually per, and which meter is part of which.

A child's units are part of its parent's: 900 cache reads of 1,000 input tokens leave 100 at the input rate. Each unit is
charged once, under the deepest meter that the offer prices; a child without a price of its own stays with its parent. Cached
audio alone is part of two meters that are parts of the same input, of the cache reads and of the audio.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class MeterKind(Enum):
    """Token meters follow modes (batch, priority, …) and tiers; fees do not unless their row says so."""

    TOKEN = "token"  # noqa: S105 - a kind of meter
    FEE = "fee"


@dataclass(frozen=True, slots=True)
class Meter:
    """One counted thing.

    Args:
        name: as in `usage` and in price rows.
        per: the quantity a published rate is usually per (1,000,000 tokens, 3,600 seconds, …).
        kind: token or fee.
        parent: the meter this one is part of, or None.
        meaning: for people.
    """

    name: str
    per: int
    kind: MeterKind
    parent: str | None
    meaning: str


_MTOK = 1_000_000
_TOKEN, _FEE = MeterKind.TOKEN, MeterKind.FEE

METERS: Final[dict[str, Meter]] = {
    meter.name: meter
    for meter in (
        Meter("input_tokens", _MTOK, _TOKEN, None, "all of the prompt, cached and written tokens included"),
        Meter("cache_read_tokens", _MTOK, _TOKEN, "input_tokens", "input served from a prompt cache"),
        Meter(
            "cache_read_audio_tokens",
            _MTOK,
            _TOKEN,
            "cache_read_tokens",
            "cached input that encodes audio, part of input_audio_tokens too",
        ),
        Meter(
            "cache_write_tokens", _MTOK, _TOKEN, "input_tokens", "input stored to a prompt cache, default time to live"
        ),
        Meter("cache_write_5m_tokens", _MTOK, _TOKEN, "cache_write_tokens", "input stored for 5 minutes"),
        Meter("cache_write_1h_tokens", _MTOK, _TOKEN, "cache_write_tokens", "input stored for 1 hour"),
        Meter("cache_write_12h_tokens", _MTOK, _TOKEN, "cache_write_tokens", "input stored for 12 hours"),
        Meter("input_audio_tokens", _MTOK, _TOKEN, "input_tokens", "input that encodes audio"),
        Meter("input_image_tokens", _MTOK, _TOKEN, "input_tokens", "input that encodes images"),
        Meter("output_tokens", _MTOK, _TOKEN, None, "everything generated, reasoning included"),
        Meter("reasoning_tokens", _MTOK, _TOKEN, "output_tokens", "generated, not shown"),
        Meter("citation_tokens", _MTOK, _TOKEN, "output_tokens", "generated as citations"),
        Meter("output_audio_tokens", _MTOK, _TOKEN, "output_tokens", "output that encodes audio"),
        Meter("input_characters", 1_000_000, _FEE, None, "Unicode code points of the text, for speech"),
        Meter("audio_seconds", 3_600, _FEE, None, "seconds of audio"),
        Meter("images", 1, _FEE, None, "images"),
        Meter("pages", 1_000, _FEE, None, "document pages"),
        Meter("annotated_pages", 1_000, _FEE, None, "document pages with annotations"),
        Meter("requests", 1_000, _FEE, None, "calls that carry a fee"),
        Meter("web_searches", 1_000, _FEE, None, "searches of the web"),
        Meter("file_searches", 1_000, _FEE, None, "searches of stored files"),
        Meter("storage_token_hours", 1_000_000, _FEE, None, "cached tokens kept, times hours"),
    )
}
CHILDREN: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(m.name for m in METERS.values() if m.parent == name)
    for name in METERS
    if any(m.parent == name for m in METERS.values())
}


def is_token_meter(name: str) -> bool:
    """Whether token discounts and modes reach the meter."""
    return METERS[name].kind is MeterKind.TOKEN


def root_of(name: str) -> str:
    """The meter that `name` is finally a part of.

    >>> root_of("cache_write_1h_tokens")
    'input_tokens'
    """
    parent = METERS[name].parent
    return name if parent is None else root_of(parent)
