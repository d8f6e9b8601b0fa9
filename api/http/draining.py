"""A refused body is read to its end before it is answered: a client that is still sending would not see why."""

from __future__ import annotations

from typing import cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPReceiveMessage, Message, Receive, Scope, Send

MAX_DRAINED_BYTES = 64 * 1024 * 1024
"""Beyond this the connection is given up with whatever is on its way."""


class DrainsBodies:
    """Reads what the application left of a request body before its answer goes out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != ScopeType.HTTP or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        more = True

        async def receive_on() -> HTTPReceiveMessage:
            nonlocal more
            message = cast("HTTPReceiveMessage", await receive())
            more = message["type"] == "http.request" and message.get("more_body", False)
            return message

        async def send_after_reading(message: Message) -> None:
            drained = 0
            while message["type"] == "http.response.start" and more and drained < MAX_DRAINED_BYTES:
                received = await receive_on()
                drained += len(received["body"]) if received["type"] == "http.request" else 0
            await send(message)

        await self._app(scope, receive_on, send_after_reading)


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )
