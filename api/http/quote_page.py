"""A quote as a page to print: no script, no request to anywhere, every text escaped (Jinja2 with autoescape)."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from api.http.converters.quotes import to_api_quote
from catalog.quotes import Quote

_FOLDER: Final = files("api.http").joinpath("pages")
_STYLE: Final = _FOLDER.joinpath("quote.css").read_text(encoding="utf-8")
_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
PAGE_POLICY: Final = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""Nothing may be loaded but the style that is in the page."""


def wants_page(accept: str, asked: str | None) -> bool:
    """Whether the caller wants the page: `?format=html`, or a browser's Accept.

    >>> wants_page("text/html,application/xhtml+xml,*/*;q=0.8", None), wants_page("text/html", "json"), wants_page("*/*", None)
    (True, False, False)
    """
    return asked == "html" or (asked is None and accept.partition(",")[0].partition(";")[0].strip() == "text/html")


def quote_page(quote: Quote) -> bytes:
    """The page, in UTF-8."""
    answer = msgspec.json.decode(quote.answer)
    page = _template().render(quote=to_api_quote(quote), rows=answer["rows"], meta=answer["meta"], style=Markup(_STYLE))  # noqa: S704 - our own file
    return page.encode()


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, auto_reload=False)
    environment.globals["shown"] = _shown
    return environment.from_string(_FOLDER.joinpath("quote.html").read_text(encoding="utf-8"))


def _shown(value: Any) -> str:
    """A figure, or a dash where there is none."""
    return "–" if value is None else str(value)
