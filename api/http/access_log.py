"""One structured line a request, with the route's template instead of its URL: never a query string, never a text."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

_GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


def write_to_stdout(line: bytes) -> None:
    """One line on standard output."""
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


class AccessLog:
    """The outermost layer: gives the request its id (the caller's, if it is a plain one) and logs it when answered."""

    def __init__(self, app: ASGIApp, write: Callable[[bytes], None] | None) -> None:
        self._app = app
        self._write = write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == ScopeType.HTTP:
            await self._serve(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            if self._write is not None:
                self._write(
                    msgspec.json.encode(
                        {
                            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                            "request_id": request_id,
                            "method": scope["method"],
                            "route": scope.get("path_template") or "unmatched",
                            "status": status,
                            "ms": round((time.perf_counter() - started) * 1_000, 3),
                        }
                    )
                )


def _request_id(scope: HTTPScope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _GIVEN_ID.fullmatch(value):
            return value.decode()
    return os.urandom(16).hex()
