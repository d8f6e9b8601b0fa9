"""Taking over what other processes recorded: prices, terms and tokenizers published there are seen here without a restart."""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy.exc import SQLAlchemyError

from catalog.catalog import Catalog
from economics.errors import PermillionError

_log = logging.getLogger("permillion")


async def keep_fresh(catalog: Catalog, every_s: float) -> None:
    """Look for a newer catalog version every `every_s` seconds, until cancelled; one indexed read where there is none.

    A database that cannot be reached for a while costs nothing but the news: questions are answered from memory.
    """
    while True:
        await asyncio.sleep(every_s)
        try:
            await asyncio.to_thread(catalog.refresh_if_changed)
        except (PermillionError, SQLAlchemyError) as problem:
            _log.warning("the catalog could not be refreshed (%s)", type(problem).__name__)
