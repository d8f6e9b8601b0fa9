"""Taking over what other processes publish: an import from the command line, another replica."""

from __future__ import annotations

import asyncio

from litestar.concurrency import sync_to_thread

from catalog.catalog import Catalog


async def follow(catalog: Catalog, every_s: float) -> None:
    """Look every `every_s` seconds whether the catalog changed, by one indexed read, until cancelled.

    A database that does not answer is asked again; meanwhile answers come from what is known, and `/readyz` says so.
    """
    while True:
        await asyncio.sleep(every_s)
        await sync_to_thread(catalog.try_refresh)
