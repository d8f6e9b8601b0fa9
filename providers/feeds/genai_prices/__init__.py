"""genai-prices (pydantic, MIT): USD prices of some fifty providers, with dates, tiers and modes.

The installed package and the project's own `data.json` hold the same entries and are read by the same steps. Not every
figure is the project's own reading: what it imports from other feeds has a source with their `lineage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from economics.errors import PermillionError
from providers.feeds.drafting import Draft
from providers.feeds.gathering import gather, one_line
from providers.feeds.genai_prices.entries import read_entry
from providers.feeds.names import GENAI_PRICES, genai_lineage, our_name
from providers.feeds.reading import FeedReading, FeedRow, Refused, read_json
from providers.sheet import Source

_TITLES: Final = {None: "", "openrouter": ", from OpenRouter", "ovhcloud": ", from OVHcloud",
                  "huggingface": ", from Hugging Face", "aws": ", from the AWS price list"}  # fmt: skip
_SCRAPED: Final = frozenset({"openrouter", "huggingface", "ovhcloud"})
"""Feeds without dates: a new price there is dated by the day that it was noticed (207 of 302 dated sheets of 0.2.3)."""

_WHISPER: Final = frozenset({"whisper-large-v3", "whisper-large-v3-turbo"})
_WHISPER_NOTE: Final = "Groq bills at least 10 seconds per request."
"""Only the package's code says so, not its data (0.2.3)."""


class GenaiPrices:
    """The feed; `read` takes the project's `data.json`, `read_package` the installed package."""

    name = "genai-prices"
    title = "genai-prices (pydantic)"
    hosts = ("raw.githubusercontent.com",)
    package = "genai-prices"
    packaged_on: Mapping[str, date] = {
        "0.2.0": date(2026, 10, 29),
        "0.2.1": date(2026, 10, 30),
        "0.2.2": date(2026, 11, 10),
        "0.2.3": date(2026, 11, 10),
    }
    """Version → day of its release: the upload times of its wheels in the package index (read 2026-12-01)."""

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        """As `Feed.read`."""
        return _read(read_json(content), None, retrieved_on)

    def read_package(self, retrieved_on: date) -> FeedReading:
        """Read what the installed package knows.

        Args:
            retrieved_on: the day the rows count as checked, that of the package's release at the latest.

        Raises:
            PermillionError: `invalid-feed` where the package is missing.
        """
        from providers.feeds.genai_prices.package import installed  # noqa: PLC0415 - an extra

        providers, version = installed()
        return _read(providers, version, retrieved_on)


FEED: Final = GenaiPrices()


def _read(providers: object, version: str | None, retrieved_on: date) -> FeedReading:
    if not isinstance(providers, list) or not any(isinstance(p, dict) and "models" in p for p in providers):
        raise PermillionError(
            "invalid-feed", "not the data.json of genai-prices: a list of providers with their models"
        )
    base = "genai-prices" if version is None else f"genai-prices {version}"
    sources = {
        f"{base}{suffix}": Source(
            title=f"{base}{suffix}",
            kind="third_party" if version is None else "package",
            url="https://github.com/pydantic/genai-prices",
            version=version,
            license="MIT",
            retrieved_on=retrieved_on,
            lineage=lineage,
        )
        for lineage, suffix in _TITLES.items()
    }
    rows: list[FeedRow] = []
    refused: list[Refused] = []
    entries = 0
    for position, provider in enumerate(providers):
        if not isinstance(provider, dict) or not isinstance(provider.get("id"), str):
            refused.append(Refused(str(position), "", "malformed", "a provider has an id"))
            continue
        for entry in _models(provider, refused):
            entries += 1
            theirs = provider["id"]
            if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
                refused.append(Refused(theirs, "", "malformed", "a model has an id"))
                continue
            comment = entry.get("price_comments")
            comment = comment if isinstance(comment, str) else ""
            lineage = genai_lineage(theirs, comment)
            if theirs == "groq" and entry["id"] in _WHISPER:
                comment = f"{_WHISPER_NOTE} {comment}"
            draft = Draft(
                our_name(GENAI_PRICES, theirs),
                entry["id"],
                f"{theirs}/{entry['id']}",
                f"{base}{_TITLES[lineage]}",
                retrieved_on,
                one_line(comment),
            )
            read_entry(draft, entry, seen=lineage in _SCRAPED)
            rows += draft.rows
            refused += draft.refused
    return gather(sources, rows, refused, entries)


def _models(provider: Mapping[str, Any], refused: list[Refused]) -> Iterator[object]:
    models = provider.get("models")
    if isinstance(models, list):
        yield from models
    else:
        refused.append(Refused(provider["id"], "models", "malformed", "a provider has a list of models"))
