"""HEAD on every GET route: spreadsheets and monitors send it before they fetch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send


class AnswersHead:
    """Answers HEAD as GET without the body; length and tag stay those of the body."""

    def __init__(self, app: ASGIApp, methods: Mapping[str, frozenset[str]]) -> None:
        """`methods` by route template: what `Allow` names, HEAD included."""
        self._app = app
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = self._methods.get(str(inner.get("path_template")), frozenset())
                message["headers"] = [_allowing(name, value, known) for name, value in message["headers"]]
            elif head and message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        inner = cast("HTTPScope", {**scope, "method": "GET"} if head else scope)
        await self._app(inner, receive, send_on)
        cast("dict[str, object]", scope)["path_template"] = inner.get("path_template")  # the access log reads it there


def _allowing(name: bytes, value: bytes, known: frozenset[str]) -> tuple[bytes, bytes]:
    """`Allow` with all methods of the route; Litestar's lists those of one handler, and no HEAD."""
    if name.lower() != b"allow":
        return name, value
    methods = known | {method.strip() for method in value.decode().split(",")}
    return name, ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods)).encode()


def methods_by_route(app: Litestar) -> dict[str, frozenset[str]]:
    """What each route answers to: its own methods, OPTIONS, and HEAD where it answers GET."""
    found: dict[str, frozenset[str]] = {}
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            known = found.get(route.path_format, frozenset()) | {str(method) for method in route.methods}
            found[route.path_format] = known | {"HEAD"} if "GET" in known else known
    return found
