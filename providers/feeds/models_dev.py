"""models.dev's `api.json` (anomalyco, MIT): USD per 1,000,000 tokens, no dates; figures typed in by many hands.

Its schema names seven prices. Files have held others (`cached_input`, `image`, `request`, …), which its own check lets
pass; they are refused by name. Where a vendor bills in CNY a figure in USD is a conversion at a rate nobody wrote down, or
the price of another market: these have a source that says so and keep the provider's own id.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from economics.context import MODE_KEYS
from economics.errors import PermillionError
from economics.prices import BASE_TIER, Conditions, Tier
from providers.feeds.drafting import Circumstances, Draft, whole
from providers.feeds.gathering import gather
from providers.feeds.names import MODELS_DEV, MODELS_DEV_CONVERTED, our_name
from providers.feeds.reading import FeedReading, FeedRow, Refused, read_json
from providers.sheet import Source

METER_OF: Final = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write": "cache_write_tokens",
    "reasoning": "reasoning_tokens",
    "input_audio": "input_audio_tokens",
    "output_audio": "output_audio_tokens",
}
_TITLE: Final = "models.dev"
_CONVERTED: Final = "models.dev, Chinese markets"
_LEGACY_THRESHOLD: Final = 200_000
_INCLUSIVE: Final = frozenset({"xai"})
"""The feed has no operator; xAI's tier starts at its threshold (its price page), all others above it."""


class ModelsDev:
    """The feed."""

    name = "models.dev"
    title = "models.dev"
    hosts = ("models.dev",)

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        """As `Feed.read`."""
        providers = read_json(content)
        if not isinstance(providers, dict) or not any(isinstance(_models(p), dict) for p in providers.values()):
            raise PermillionError(
                "invalid-feed", "not the api.json of models.dev: a mapping of providers with their models"
            )
        sources = {
            title: Source(
                title=title,
                kind="third_party",
                url="https://models.dev/api.json",
                license="MIT",
                retrieved_on=retrieved_on,
                note=note,
            )
            for title, note in (
                (_TITLE, None),
                (
                    _CONVERTED,
                    "Billed in CNY there; the feed does not say which figures are conversions, nor at what rate.",
                ),
            )
        }
        rows: list[FeedRow] = []
        refused: list[Refused] = []
        entries = 0
        for theirs, provider in providers.items():
            models = _models(provider)
            if not isinstance(models, dict):
                refused.append(Refused(theirs, "models", "malformed", "a provider has a mapping of models"))
                continue
            title = _CONVERTED if theirs in MODELS_DEV_CONVERTED else _TITLE
            for model, entry in models.items():
                entries += 1
                draft = Draft(our_name(MODELS_DEV, theirs), model, f"{theirs}/{model}", title, retrieved_on)
                _read_entry(draft, entry)
                rows += draft.rows
                refused += draft.refused
        return gather(sources, rows, refused, entries)


FEED: Final = ModelsDev()


def _models(provider: object) -> object:
    return provider.get("models") if isinstance(provider, dict) else None


def _read_entry(draft: Draft, entry: object) -> None:
    if not isinstance(entry, dict):
        draft.refuse("", "malformed", "a model is a mapping")
        return
    cost = entry.get("cost")
    if cost is None or cost == {}:
        draft.refuse("cost", "missing-price", "no cost: free or unknown")
    else:
        _cost(draft, cost, "cost", {})
    experimental = entry.get("experimental")
    modes = experimental.get("modes") if isinstance(experimental, dict) else None
    for mode, settings in modes.items() if isinstance(modes, dict) else ():
        where = f"experimental/modes/{mode}/cost"
        special = settings.get("cost") if isinstance(settings, dict) else None
        if special is None:
            continue
        conditions = _asked_by(settings)
        if not conditions:
            draft.refuse(where, "unknown-context", "no context says how a request asks for this mode")
        else:
            _cost(draft, special, where, conditions)


def _asked_by(settings: Mapping[str, Any]) -> Conditions:
    """The context of a mode: the fields a request asks for it with, such as `service_tier: priority`."""
    provider = settings.get("provider")
    body = provider.get("body") if isinstance(provider, dict) else None
    if not isinstance(body, dict) or not all(k in MODE_KEYS and isinstance(v, str) for k, v in body.items()):
        return {}
    return {key: (value,) for key, value in body.items()}


def _cost(draft: Draft, cost: object, where: str, conditions: Conditions) -> None:
    if not isinstance(cost, dict):
        draft.refuse(where, "malformed", "a cost is a mapping")
        return
    _prices(draft, cost, where, conditions, BASE_TIER, skip=frozenset({"tiers", "context_over_200k"}))
    tiers, legacy = cost.get("tiers"), cost.get("context_over_200k")
    if tiers is not None:
        _tiers(draft, tiers, f"{where}/tiers", conditions)
    if legacy is None:
        return
    if tiers is None and isinstance(legacy, dict):
        _prices(draft, legacy, f"{where}/context_over_200k", conditions, _above(draft, _LEGACY_THRESHOLD))
    elif not isinstance(tiers, list) or all(_numbers(legacy) != _numbers(tier) for tier in tiers):
        draft.refuse(f"{where}/context_over_200k", "overlap", "the older field is no repeat of one of the tiers")


def _tiers(draft: Draft, tiers: object, where: str, conditions: Conditions) -> None:
    if not isinstance(tiers, list):
        draft.refuse(where, "malformed", "tiers are a list")
        return
    for position, tier in enumerate(tiers):
        bound = tier.get("tier") if isinstance(tier, dict) else None
        size = whole(bound.get("size")) if isinstance(bound, dict) else None
        if not isinstance(bound, dict) or size is None or set(bound) != {"size", "type"} or bound["type"] != "context":
            draft.refuse(f"{where}/{position}", "not-expressible", "not a tier of input tokens")
            continue
        _prices(draft, tier, f"{where}/{position}", conditions, _above(draft, size), skip=frozenset({"tier"}))


def _above(draft: Draft, threshold: int) -> Tier:
    return Tier(threshold, min_inclusive=draft.provider in _INCLUSIVE)


def _numbers(prices: object) -> object:
    return {key: value for key, value in prices.items() if isinstance(value, str)} if isinstance(prices, dict) else None


def _prices(
    draft: Draft,
    prices: Mapping[str, Any],
    where: str,
    conditions: Conditions,
    tier: Tier,
    skip: frozenset[str] = frozenset(),
) -> None:
    for key, value in prices.items():
        if key in skip or value is None:
            continue
        meter = METER_OF.get(key)
        if meter is None:
            draft.refuse(f"{where}/{key}", "unknown-key", f"{key} is not of the feed's schema")
        else:
            draft.price(meter, value, f"{where}/{key}", Circumstances(conditions, tier))
