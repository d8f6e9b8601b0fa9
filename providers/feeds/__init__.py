"""Feeds: other people's price collections, read into rows of ours. Nothing here writes, fetches or knows a database.

A feed module has `FEED`, a `Feed`. `feed_named` finds it; modules are imported when they are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from economics.errors import PermillionError
from providers.feeds.reading import Feed, FeedReading, FeedRow, PackagedFeed, Refused

FEED_MODULES: Final = {
    "genai-prices": "providers.feeds.genai_prices",
    "litellm": "providers.feeds.litellm",
    "models.dev": "providers.feeds.models_dev",
    "openrouter": "providers.feeds.openrouter",
    "aws": "providers.feeds.aws",
    "azure": "providers.feeds.azure",
    "csv": "providers.feeds.csv_rows",
}


def feed_named(name: str) -> Feed:
    """The feed of that name.

    Raises:
        PermillionError: `invalid-fields` naming the feeds there are.
    """
    module = FEED_MODULES.get(name)
    if module is None:
        raise PermillionError("invalid-fields", f"no feed has that name; there are {', '.join(FEED_MODULES)}")
    feed: Feed = import_module(module).FEED
    return feed


__all__ = ["FEED_MODULES", "Feed", "FeedReading", "FeedRow", "PackagedFeed", "Refused", "feed_named"]
