"""`build_app`: wires routes and handlers, nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from litestar import Litestar
from litestar.datastructures import State
from litestar.types import ASGIApp

from api.counting import counter_for
from api.http.access_log import AccessLog, write_to_stdout
from api.http.draining import DrainsBodies
from api.http.following import follow, forget
from api.http.head import AnswersHead, methods_by_route
from api.http.openapi import specification
from api.http.problems import EXCEPTION_HANDLERS
from api.http.routes import ROUTES
from api.http.state import Service, utc_now
from api.http.wire import JsonRequest, check_parameters, wire_plugins
from api.settings import Settings
from catalog.catalog import Catalog
from tokenizers_registry.registered.checker import Checker, CheckSettings


def build_litestar(settings: Settings, catalog: Catalog, now: Callable[[], datetime] = utc_now) -> Litestar:
    """The Litestar application; `build_app` wraps it with the access log."""
    counter = counter_for(settings, catalog)
    checker = Checker(CheckSettings(settings.tokenizer_check_timeout_s, settings.tokenizer_memory_mib))

    @asynccontextmanager
    async def following(_: Litestar) -> AsyncIterator[None]:
        tasks = [
            asyncio.create_task(follow(catalog, settings.catalog_refresh_s)),
            asyncio.create_task(forget(catalog, now)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def counting(_: Litestar) -> AsyncIterator[None]:
        await counter.start()
        try:
            yield
        finally:
            await counter.close()

    return Litestar(
        route_handlers=ROUTES,
        plugins=wire_plugins(),
        request_class=JsonRequest,
        before_request=check_parameters,
        exception_handlers=EXCEPTION_HANDLERS,
        lifespan=[counting, following],
        state=State(
            {
                "service": Service(settings, catalog, counter, checker, now),
                "describe": lambda: specification(ROUTES),
            }
        ),
        request_max_body_size=settings.max_body_bytes,
        openapi_config=None,
        logging_config=None,
    )


def build_app(settings: Settings, catalog: Catalog, now: Callable[[], datetime] = utc_now) -> ASGIApp:
    """The whole service as an ASGI application.

    Args:
        settings: as the environment states them.
        catalog: open, migrated and loaded.
        now: the clock.
    """
    litestar = build_litestar(settings, catalog, now)
    app = AnswersHead(DrainsBodies(litestar), methods_by_route(litestar))
    return AccessLog(app, write_to_stdout if settings.request_log else None)
