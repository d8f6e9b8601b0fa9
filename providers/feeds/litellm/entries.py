"""The entries of LiteLLM's map as rows: USD per one token, page, second; tiers and modes are parts of the keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from economics.prices import BASE_TIER, Conditions, SearchUnit, Tier
from providers.feeds.drafting import Circumstances, Draft, money, whole
from providers.feeds.litellm.keys import AUDIO_MODES, PRICE_LIKE, parse_key
from providers.feeds.searching import search_unit

_SIZES: Final = {f"search_context_size_{size}": size for size in ("low", "medium", "high")}
_OWN_STEPS: Final = frozenset({
    "tiered_pricing", "off_peak_pricing", "search_context_cost_per_query", "provider_specific_entry",
})  # fmt: skip
_INCLUSIVE: Final = frozenset({"xai"})
"""Vendors whose tier starts at its threshold, by LiteLLM's own list (1.110.2)."""


def read_entry(draft: Draft, entry: Mapping[str, Any], conditions: Conditions) -> None:
    """Fill `draft` from an entry.

    Where an entry has a tiered list, it counts before the flat prices, as in LiteLLM. A price that other hours change does
    not hold always, and no row here says hours without a schedule of the vendor: both are refused.

    Args:
        draft: of the entry.
        entry: as it stands.
        conditions: that the entry's key says.
    """
    hourly = _off_peak(draft, entry.get("off_peak_pricing"))
    for key, rate, tier in _tiered(draft, entry.get("tiered_pricing")):
        _price(draft, key, rate, f"tiered_pricing/{key}", Circumstances(conditions, tier), hourly)
    for key, value in entry.items():
        if value is None or key in _OWN_STEPS:
            continue
        if key in ("input_cost_per_second", "output_cost_per_second") and entry.get("mode") not in AUDIO_MODES:
            draft.refuse(key, "unknown-unit", "seconds that are not of audio")
        elif PRICE_LIKE.search(key):
            _price(draft, key, value, key, Circumstances(conditions), hourly)
    _searches(draft, entry, conditions)
    _factors(draft, entry.get("provider_specific_entry"))


def _price(draft: Draft, key: str, value: object, where: str, when: Circumstances, hourly: frozenset[str]) -> None:
    if key.endswith(("_multiplier", "_multiplier_eu", "_multiplier_us")):
        draft.refuse(where, "not-expressible", "a factor; a row here has a rate")
        return
    found = parse_key(key)
    if found is None or (found.above is not None and when.tier != BASE_TIER):
        draft.refuse(where, "unknown-key", f"{key} is not understood")
        return
    if found.meter in hourly:
        draft.refuse(where, "not-expressible", "holds some hours of the week only")
        return
    tier = when.tier if found.above is None else Tier(found.above, min_inclusive=draft.provider in _INCLUSIVE)
    draft.price(found.meter, value, where, Circumstances({**when.conditions, **found.conditions}, tier), per_one=True)


def _tiered(draft: Draft, tiers: object) -> Iterator[tuple[str, object, Tier]]:
    """Key, rate and tier of each price of a tiered list: ranges `(lo, hi]` of total input, for the whole request.

    The last range has an end beyond which nothing is sold; the others end where the next begins.
    """
    if tiers is None:
        return
    if not isinstance(tiers, list) or not all(isinstance(tier, dict) for tier in tiers):
        draft.refuse("tiered_pricing", "malformed", "a tiered list has mappings with a range")
        return
    bounds: list[tuple[int, int]] = []
    for tier in tiers:
        ends = tier.get("range")
        numbers = [whole(end) for end in ends] if isinstance(ends, list) else []
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None or numbers[0] >= numbers[1]:
            draft.refuse("tiered_pricing", "not-expressible", "not tiers of input tokens: a range is two counts")
            return
        bounds.append((numbers[0], numbers[1]))
    if [low for low, _ in bounds] != [0, *(high for _, high in bounds[:-1])]:
        draft.refuse("tiered_pricing", "not-expressible", "the ranges have gaps, overlap or do not begin at 0")
        return
    for (low, high), tier in zip(bounds, tiers, strict=True):
        most = high if high == bounds[-1][1] else None
        for key, value in tier.items():
            if key != "range" and value is not None:
                yield key, value, Tier(low or None, max_input_tokens=most)


def _off_peak(draft: Draft, prices: object) -> frozenset[str]:
    """The meters whose price depends on the hour; what the other hours cost is refused."""
    if prices is None:
        return frozenset()
    if not isinstance(prices, dict):
        draft.refuse("off_peak_pricing", "malformed", "prices of other hours are a mapping")
        return frozenset()
    keys = [key for key in prices if PRICE_LIKE.search(key)]
    for key in keys:
        draft.refuse(f"off_peak_pricing/{key}", "not-expressible", "holds some hours of the week only")
    return frozenset(found.meter for found in map(parse_key, keys) if found is not None)


def _searches(draft: Draft, entry: Mapping[str, Any], conditions: Conditions) -> None:
    """A search's price by the amount of context; at Perplexity it is a fee of the request (its price page)."""
    where = "search_context_cost_per_query"
    prices = entry.get(where)
    if prices is None:
        return
    if not isinstance(prices, dict) or not prices:
        draft.refuse(where, "malformed", "prices by size of context are a mapping")
        return
    said = {key: value for key, value in prices.items() if value is not None}
    unit = search_unit(draft.provider, draft.model)
    if entry.get("web_search_billing_unit") == "per_query":
        unit = SearchUnit.UNIQUE_QUERY
    meter = "requests" if draft.provider == "perplexity" else "web_searches"
    searched = unit if meter == "web_searches" else None
    rates = {money(value) for value in said.values()}
    if set(said) == set(_SIZES) and len(rates) == 1 and None not in rates:
        draft.price(
            meter, next(iter(said.values())), where, Circumstances(conditions), per_one=True, search_unit=searched
        )
        return
    for key, value in said.items():
        size = _SIZES.get(key)
        if size is None:
            draft.refuse(f"{where}/{key}", "unknown-key", f"{key} is not understood")
            continue
        when = Circumstances({**conditions, "search_context": (size,)})
        draft.price(meter, value, f"{where}/{key}", when, per_one=True, search_unit=searched)


def _factors(draft: Draft, factors: object) -> None:
    """LiteLLM multiplies every token price of some Claude models: by 1.1 for US inference, by 2 for fast mode."""
    for name in ("us", "fast") if isinstance(factors, dict) else ():
        if factors.get(name) is not None:  # type: ignore[attr-defined]
            draft.refuse(f"provider_specific_entry/{name}", "not-expressible", "a factor; a row here has a rate")
