"""What the service does without being asked: take over what other processes publish, delete kept texts when their time is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final

from litestar.concurrency import sync_to_thread

from catalog.catalog import Catalog

FORGETTING_EVERY_S: Final = 30.0
"""Seconds between looks for texts whose time is over; they are not shown from that instant on."""


async def follow(catalog: Catalog, every_s: float) -> None:
    """Look every `every_s` seconds whether the catalog changed, by one indexed read, until cancelled.

    A database that does not answer is asked again; meanwhile answers come from what is known, and `/readyz` says so.
    """
    while True:
        await asyncio.sleep(every_s)
        await sync_to_thread(catalog.try_refresh)


async def forget(catalog: Catalog, now: Callable[[], datetime], every_s: float = FORGETTING_EVERY_S) -> None:
    """Delete the texts of quotes whose time is over, at the start and every `every_s` seconds, until cancelled."""
    while True:
        await sync_to_thread(catalog.try_to_forget, now())
        await asyncio.sleep(every_s)
