"""What every request can reach: the catalog, the counter, the checker of files, the settings, the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from litestar import Request
from litestar.concurrency import sync_to_thread

from api.settings import Settings
from catalog.catalog import Catalog
from catalog.snapshot import Snapshot
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.registered.checker import Checker


def utc_now() -> datetime:
    """The instant of a question that names none, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True, slots=True)
class Service:
    """Made once at start; `running_keys` are tenant and idempotency key of the writes under way in this process."""

    settings: Settings
    catalog: Catalog
    counter: TokenCounter
    checker: Checker
    now: Callable[[], datetime] = utc_now
    running_keys: set[tuple[str, str]] = field(default_factory=set)


async def snapshot_of(service: Service, known_at: datetime | None) -> Snapshot:
    """The catalog as it is believed now, or was at `known_at` (read from the database, then kept)."""
    if known_at is None:
        return service.catalog.snapshot
    return await sync_to_thread(service.catalog.snapshot_at, known_at)


def counter_of(service: Service, snapshot: Snapshot) -> TokenCounter:
    """The counter with the tokenizers that were registered, as `snapshot` has them."""
    return service.counter.with_files(snapshot.tokenizer_files())


def service_of(request: Request[Any, Any, Any]) -> Service:
    """The service that answers `request`."""
    service: Service = request.app.state.service
    return service
