"""The entries of genai-prices as rows: dated sheets, tiers of the whole request, and the prices of other modes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from economics.context import CONTEXT_KEYS
from economics.errors import PermillionError
from economics.meters import is_token_meter
from economics.periods import Period
from economics.prices import BASE_TIER, Tier
from providers.feeds.drafting import Circumstances, Draft, whole
from providers.feeds.genai_prices.history import Dated, dated_sheets, is_daily, start_of
from providers.feeds.genai_prices.units import METER_OF
from providers.feeds.searching import search_unit

Mode = tuple[tuple[str, tuple[str, ...]], ...]
"""Conditions that can be a key."""

_UNDATED_BEDROCK: Final = re.compile(r"global\.anthropic\.claude-[a-z]+-[0-9]{1,2}(?:-[0-9]{1,2})?-v1:0", re.ASCII)
_MAX_DEPTH: Final = 20
_SYNONYMS: Final = {("openai", "service_tier", "fast"): "priority", ("openai", "service_tier", "default"): None}
"""OpenAI renamed priority to fast in 2026, and a response calls the standard tier default: one product each."""


def read_entry(draft: Draft, entry: Mapping[str, Any], *, seen: bool) -> None:
    """Fill `draft` from a model's entry.

    A price that holds only some hours of the day cannot be a row here, as it has no dates (pydantic/genai-prices#582);
    then the price of the other hours is refused with it, for it does not hold always either.

    Args:
        draft: of the entry.
        entry: as in `data.json`.
        seen: its dates are days on which an importer saw a new price, not days the vendor said.
    """
    if not answers_to(entry.get("match"), draft.model):
        draft.refuse("", "alias-entry", "the entry does not match its own id: it is no id of the vendor")
        return
    if draft.provider == "aws" and _UNDATED_BEDROCK.fullmatch(draft.model):
        draft.refuse("", "alias-entry", "AWS has no such id: with -v1:0, its Claude ids have a date")
        return
    if draft.model.startswith("~"):
        draft.refuse("", "alias-entry", "OpenRouter sends such an id to another model, the latest of a family")
        return
    try:
        sheets = dated_sheets(entry.get("prices"))
    except PermillionError as error:
        draft.refuse("prices", "malformed", error.detail)
        sheets = []
    hourly = _daily_keys(sheets)
    for position, sheet in enumerate(sheets):
        where = f"prices/{position}"
        if not sheet.prices:
            draft.refuse(where, "missing-price", "an empty price object: free or unknown")
        when = Circumstances(period=sheet.period, start_known=not (seen and sheet.period.valid_from))
        for key, value in sheet.prices.items():
            if key in hourly and value is not None:
                draft.refuse(f"{where}/{key}", "not-expressible", "holds some hours of the day only")
            else:
                _price(draft, key, value, f"{where}/{key}", when)
    said = _variants(draft, entry.get("price_variants"))
    for conditions, (start, keys) in said.items():
        for sheet in sheets:
            if not sheet.daily:
                _inherit(draft, sheet, conditions, start, keys | hourly)


def _inherit(draft: Draft, sheet: Dated, mode: Mode, start: datetime | None, keys: set[str]) -> None:
    """The token prices of a sheet that a mode has too: a variant only says what differs from the standard price.

    Gemini 2.5 in batches halves input and output and leaves cached input at its standard price.
    """
    since = max((each for each in (sheet.period.valid_from, start) if each is not None), default=None)
    if not mode or (since is not None and sheet.period.valid_to is not None and since >= sheet.period.valid_to):
        return
    when = Circumstances(dict(mode), period=Period(since, sheet.period.valid_to), start_known=False)
    for key, value in sheet.prices.items():
        if key not in keys and is_token_meter(METER_OF.get(key, "requests")):
            _price(draft, key, value, f"price_variants/{key}", when)


def _daily_keys(sheets: Sequence[Dated]) -> set[str]:
    """The keys of every meter whose price depends on the hour: two keys can be one meter."""
    meters = {METER_OF.get(key) for sheet in sheets if sheet.daily for key in sheet.prices}
    return {key for key, meter in METER_OF.items() if meter in meters}


def answers_to(match: object, text: str, depth: int = 0) -> bool:
    """Whether an id is one the entry's own matcher accepts, without regard to case.

    A regular expression of a file is not run (it could take for ever) and counts as a match, as do conditions nested deeper
    than twenty times.

    >>> answers_to({"or": [{"equals": "a"}, {"starts_with": "gpt"}]}, "GPT-6"), answers_to({"ends_with": "x"}, "regional.y")
    (True, False)
    """
    text = text.lower()
    if not isinstance(match, dict) or depth > _MAX_DEPTH:
        return True
    for kind, operand in match.items():
        if kind in ("or", "and") and isinstance(operand, list):
            found = [answers_to(part, text, depth + 1) for part in operand]
            return any(found) if kind == "or" else all(found)
        if isinstance(operand, str):
            other = operand.lower()
            tests = {"equals": text == other, "starts_with": text.startswith(other), "ends_with": text.endswith(other)}
            return tests.get(kind, other in text if kind == "contains" else True)
    return True


def _price(draft: Draft, key: str, value: object, where: str, when: Circumstances) -> None:
    if value is None:
        return
    meter = METER_OF.get(key)
    if meter is None:
        draft.refuse(where, "unknown-key", f"no meter counts {key}")
        return
    conditions = when.conditions
    if meter == "requests" and draft.provider == "perplexity":
        # The feed takes the highest of the vendor's three fees, that of the most search context (its provider comment).
        conditions = {**conditions, "search_context": ("high",)}
    unit = search_unit(draft.provider, draft.model) if meter == "web_searches" else None
    for tier, rate in _tiers(draft, value, where):
        circumstances = Circumstances(conditions, tier, when.period, when.start_known)
        draft.price(meter, rate, where, circumstances, search_unit=unit)


def _tiers(draft: Draft, value: object, where: str) -> Iterator[tuple[Tier, object]]:
    """A price by total input tokens: the base and what holds above each threshold, for the whole request."""
    if not isinstance(value, dict):
        yield BASE_TIER, value
        return
    tiers = value.get("tiers")
    starts = [_threshold(tier) for tier in tiers] if isinstance(tiers, list) else [None]
    if set(value) != {"base", "tiers"} or not isinstance(tiers, list) or None in starts or value["base"] is None:
        draft.refuse(where, "malformed", "a tiered price has a base and tiers with start and price")
        return
    yield BASE_TIER, value["base"]
    for start, tier in zip(starts, tiers, strict=True):
        if start is not None:
            yield start, tier["price"]


def _threshold(tier: object) -> Tier | None:
    """The feed only knows "more than"; 199,999 is how it writes the tier that starts at 200,000 (xAI's)."""
    if not isinstance(tier, dict) or set(tier) != {"start", "price"} or tier["price"] is None:
        return None
    start = whole(tier["start"])
    if start is None:
        return None
    return Tier(start + 1, min_inclusive=True) if start % 1_000 == 999 else Tier(start)


def _variants(draft: Draft, variants: object) -> dict[Mode, tuple[datetime | None, set[str]]]:
    """Prices of other modes. The first that has begun counts, and a date says since when it was verified, not valid.

    Returns:
        By mode, since when there is something said of it, and of which keys.
    """
    said: dict[Mode, tuple[datetime | None, set[str]]] = {}
    if variants is None:
        return said
    if not isinstance(variants, list):
        draft.refuse("price_variants", "malformed", "variants are a list")
        return said
    ends: dict[tuple[Mode, str], datetime | None] = {}
    for position, variant in enumerate(variants):
        where = f"price_variants/{position}"
        prices = variant.get("prices") if isinstance(variant, dict) else None
        if not isinstance(prices, dict) or not isinstance(variant.get("when"), dict):
            draft.refuse(where, "malformed", "a variant has when and prices")
            continue
        constraint = variant.get("constraint")
        conditions = _conditions(draft, variant["when"], where)
        if conditions is None:
            continue
        if is_daily(constraint):
            draft.refuse(where, "not-expressible", "holds some hours of the day only")
            continue
        try:
            start = start_of(constraint)
        except PermillionError as error:
            draft.refuse(where, "malformed", error.detail)
            continue
        mode = tuple(sorted(conditions.items()))
        since, keys = said.get(mode, (start, set()))
        said[mode] = (None if since is None or start is None else min(since, start), keys | set(prices))
        for key, value in prices.items():
            slot = (mode, key)
            end = ends.get(slot)
            if slot in ends and (end is None or (start is not None and start >= end)):
                continue
            ends[slot] = start
            when = Circumstances(conditions, period=Period(start, end), start_known=False)
            _price(draft, key, value, f"{where}/{key}", when)
    return said


def _conditions(draft: Draft, when: Mapping[str, Any], where: str) -> dict[str, tuple[str, ...]] | None:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in when.items():
        if name not in CONTEXT_KEYS or not isinstance(value, str):
            shown = value if isinstance(value, str) else "…"
            draft.refuse(where, "unknown-context", f"no context key says {name}={shown}")
            return None
        spelled = _SYNONYMS.get((draft.provider, name, value), value)
        if spelled is not None:
            found[name] = (spelled,)
    return found
