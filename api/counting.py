"""The counter that settings and catalog ask for: the server's and the command line's."""

from __future__ import annotations

from api.settings import Settings
from catalog.catalog import Catalog
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.workers import WorkerSettings


def counter_for(settings: Settings, catalog: Catalog) -> TokenCounter:
    """A counter, not yet started; files that users registered come from the catalog."""
    return TokenCounter(
        settings=WorkerSettings(
            workers=settings.counting_workers,
            timeout_s=settings.counting_timeout_s,
            registered_limit_mib=settings.tokenizer_memory_mib,
            memory_mib=settings.counting_memory_mib,
            priority=settings.counting_priority,
        ),
        cache_entries=settings.count_cache_entries,
        read_file=catalog.tokenizer_content,
    )
