"""OpenRouter's answer to `GET /api/v1/models`: its own prices, decimal strings in USD per token, request or search.

The documented meaning (API reference, 2026): an override applies where all its conditions hold; of those that apply the
later wins per price; a price it does not name is the base price. -1 stands for a price that varies. A `discount` multiplies
prices by `1 − discount`, but not whether the prices shown are before or after it: an entry with one is refused.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from economics.errors import PermillionError
from economics.prices import BASE_TIER, Tier
from providers.feeds.drafting import Circumstances, Draft, money, whole
from providers.feeds.gathering import gather
from providers.feeds.reading import FeedReading, FeedRow, Refused, read_json
from providers.sheet import Source

METER_OF: Final = {
    "prompt": "input_tokens",
    "completion": "output_tokens",
    "input_cache_read": "cache_read_tokens",
    "input_cache_write": "cache_write_tokens",
    "input_cache_write_1h": "cache_write_1h_tokens",
    "internal_reasoning": "reasoning_tokens",
    "audio": "input_audio_tokens",
    "audio_output": "output_audio_tokens",
    "image_token": "input_image_tokens",
    "request": "requests",
    "web_search": "web_searches",
}
_AMBIGUOUS: Final = frozenset({"image", "image_output"})
"""Documented per image, filled per token for Gemini (0.000002, its price of an input token)."""

_TITLE: Final = "OpenRouter models API"


class OpenRouter:
    """The feed."""

    name = "openrouter"
    title = "OpenRouter"
    hosts = ("openrouter.ai",)

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        """As `Feed.read`."""
        answer = read_json(content)
        entries = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(entries, list) or not any(isinstance(e, dict) and "pricing" in e for e in entries):
            raise PermillionError(
                "invalid-feed", "not OpenRouter's answer: data with a list of models with their pricing"
            )
        url = "https://openrouter.ai/api/v1/models"
        source = Source(title=_TITLE, kind="vendor_api", url=url, retrieved_on=retrieved_on)
        rows: list[FeedRow] = []
        refused: list[Refused] = []
        for position, entry in enumerate(entries):
            if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
                refused.append(Refused(str(position), "", "malformed", "a model has an id"))
                continue
            model = entry["id"]
            draft = Draft("openrouter", model, model, _TITLE, retrieved_on, free=model.endswith(":free"))
            _read_entry(draft, entry)
            rows += draft.rows
            refused += draft.refused
        return gather({_TITLE: source}, rows, refused, len(entries))


FEED: Final = OpenRouter()


def _read_entry(draft: Draft, entry: dict[str, Any]) -> None:
    if draft.model.startswith("~") or entry.get("alias_target") is not None:
        draft.refuse("", "alias-entry", "the id is sent to another model, the latest of a family")
        return
    pricing = entry.get("pricing")
    if not isinstance(pricing, dict) or not pricing:
        draft.refuse("pricing", "missing-price", "no pricing: free or unknown")
        return
    discount = pricing.get("discount")
    if discount is not None and money(discount) != 0:
        draft.refuse(
            "pricing/discount", "not-expressible", "whether the prices are before or after the discount is not said"
        )
        return
    tiers, hourly = _overrides(draft, pricing.get("overrides"))
    for key, value in pricing.items():
        if key in ("discount", "overrides") or value is None:
            continue
        if key in hourly:
            draft.refuse(f"pricing/{key}", "not-expressible", "an override of other kind than length changes it")
            continue
        _price(draft, key, value, f"pricing/{key}", BASE_TIER)
    for position, key, value, tier in tiers:
        if key not in hourly:
            _price(draft, key, value, f"pricing/overrides/{position}/{key}", tier)


def _price(draft: Draft, key: str, value: object, where: str, tier: Tier) -> None:
    if key in _AMBIGUOUS:
        draft.refuse(where, "unknown-unit", "documented per image, filled per token for some models")
        return
    meter = METER_OF.get(key)
    if meter is None:
        draft.refuse(where, "unknown-key", f"no meter counts {key}")
    else:
        draft.price(meter, value, where, Circumstances(tier=tier), per_one=True)


def _overrides(draft: Draft, overrides: object) -> tuple[list[tuple[int, str, object, Tier]], set[str]]:
    """Prices by length of the prompt, and the names of prices that something else changes too.

    Of two that apply the later one wins, so an earlier one from the same length upwards never holds.
    """
    tiers: list[tuple[int, str, object, Tier]] = []
    hourly: set[str] = set()
    if overrides is None:
        return tiers, hourly
    if not isinstance(overrides, list):
        draft.refuse("pricing/overrides", "malformed", "overrides are a list")
        return tiers, hourly
    lowest: dict[str, int] = {}
    for position, override in reversed(list(enumerate(overrides))):
        where = f"pricing/overrides/{position}"
        if not isinstance(override, dict):
            draft.refuse(where, "malformed", "an override is a mapping")
            continue
        prices = {key: value for key, value in override.items() if _is_price(key) and value is not None}
        start = whole(override.get("min_prompt_tokens"))
        if start is None or len(prices) + 1 != sum(value is not None for value in override.values()):
            draft.refuse(where, "not-expressible", "a condition other than the length of the prompt")
            hourly |= set(prices)
            continue
        for key, value in prices.items():
            if start >= lowest.get(key, start + 1):
                draft.refuse(f"{where}/{key}", "overlap", "a later override holds wherever this one would")
                continue
            lowest[key] = start
            tiers.append((position, key, value, Tier(start, min_inclusive=True)))
    return tiers, hourly


def _is_price(key: str) -> bool:
    return key in METER_OF or key in _AMBIGUOUS or key == "input_audio_cache"
