"""LiteLLM's `model_prices_and_context_window.json` (BerriAI, MIT): USD per one unit, no dates.

About 180 keys look like prices. Those that a meter, a mode and a tier of ours can say become rows; every other one is
refused by name, and the other prices of its entry stay. `null` is "not said", as is an absent key; 0 is a claim, which
counts only where something calls it free (nothing here does).
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Final

from economics.errors import PermillionError
from economics.meters import is_token_meter
from providers.feeds.drafting import Draft
from providers.feeds.gathering import gather, one_line
from providers.feeds.litellm.entries import read_entry
from providers.feeds.litellm.models import named
from providers.feeds.reading import Feed, FeedReading, FeedRow, Refused, read_json
from providers.sheet import Source

_TITLE: Final = "LiteLLM price map"
_REPEATED: Final = "LiteLLM price map, from OpenRouter"
"""Entries whose own `source` is a page of OpenRouter's (ten of 4,877 in 1.110.2)."""

_Said = dict[tuple[str, str], dict[str, tuple[Decimal, str]]]
"""By vendor and model: slot → rate and the entry that says it."""

_NO_ENTRIES: Final = frozenset({"sample_spec"})


class LiteLlm(Feed):
    """The feed."""

    name = "litellm"
    title = "LiteLLM (BerriAI)"
    hosts = ("raw.githubusercontent.com",)

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        """As `Feed.read`."""
        entries = read_json(content)
        if not isinstance(entries, dict) or not any(_is_entry(entry) for entry in entries.values()):
            raise PermillionError("invalid-feed", "not LiteLLM's map: a mapping of models with their litellm_provider")
        sources = {
            title: Source(
                title=title,
                kind="third_party",
                url="https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json",
                license="MIT",
                retrieved_on=retrieved_on,
                lineage=lineage,
            )
            for title, lineage in ((_TITLE, None), (_REPEATED, "openrouter"))
        }
        rows: list[FeedRow] = []
        refused: list[Refused] = []
        counted = 0
        said: _Said = {}
        for key, entry in entries.items():
            if key in _NO_ENTRIES:
                continue
            counted += 1
            if isinstance(entry, dict) and "alias_of" in entry:
                refused.append(Refused(key, "alias_of", "alias-entry", "another name of another entry"))
                continue
            if not _is_entry(entry):
                refused.append(Refused(key, "", "malformed", "an entry has a litellm_provider"))
                continue
            if entry.get("currency", "USD") != "USD":
                refused.append(
                    Refused(key, "currency", "missing-currency", "LiteLLM's prices are in USD; this says another")
                )
                continue
            model = named(key, entry["litellm_provider"])
            if model.fault is not None:
                refused.append(Refused(key, "", *model.fault))
                continue
            cited = entry.get("source")
            note = one_line(f"LiteLLM cites {cited}") if isinstance(cited, str) else ""
            title = _REPEATED if "//openrouter.ai/" in note else _TITLE
            draft = Draft(model.provider, model.model, key, title, retrieved_on, note)
            read_entry(draft, entry, model.conditions)
            if not draft.rows and not draft.refused:
                draft.refuse("", "missing-price", "the entry has no price")
            _agree(draft, said)
            rows += draft.rows
            refused += draft.refused
        return gather(sources, rows, refused, counted)


def _agree(draft: Draft, said: _Said) -> None:
    """Refuse a second entry of one model whole where it contradicts the first: half of each is nobody's token price.

    `bedrock_mantle/openai.gpt-6-sol` is 2.2, `openai.gpt-6-sol` 2.0 (1.110.2); both are AWS's id.
    """
    known = said.setdefault((draft.provider, draft.model.casefold()), {})
    rates = {row.row.slot: row.row.rate for row in draft.rows if row.row.rate and is_token_meter(row.row.meter)}
    rival = next((known[slot][1] for slot, rate in rates.items() if slot in known and known[slot][0] != rate), None)
    if rival is not None:
        draft.rows.clear()
        draft.refuse("", "overlap", f"{rival} names the same model at other prices")
        return
    for slot, rate in rates.items():
        known.setdefault(slot, (rate, draft.upstream_id))


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("litellm_provider"), str)


FEED: Final = LiteLlm()
