"""Where the figures of a file come from: what was asked, when, of which catalog and method, by which sources.

A spreadsheet is mailed around without the request that made it, so it says it itself. Texts stay out: length and SHA-256 tell
whether a text is the one that was counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from litestar import Request
from pydantic import BaseModel

_TEXTS: Final = frozenset({"text", "input_text", "output_text", "system_text"})
_LONG: Final = 200
_MOST_ENTRIES: Final = 50
"""Longer lists of the question are named by their length: their rows are the other sheet."""

Line = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the route with its method, the query string, the body as it was read."""

    route: str
    query: bytes = b""
    body: BaseModel | None = None

    @property
    def parameters(self) -> Sequence[Line]:
        """Names and values of the query string."""
        return parse_qsl(self.query.decode(), keep_blank_values=True)


def question_of(request: Request[Any, Any, Any], body: BaseModel | None = None) -> Asked:
    """What `request` asks."""
    return Asked(f"{request.method} {request.scope['path_template']}", request.scope["query_string"], body)


def provenance(
    document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], question: Asked | None
) -> Iterator[Line]:
    """Name and text of each line of the provenance sheet, in reading order."""
    meta = document.get("meta", {})
    for name in ("as_of", "catalog_version", "method_version"):
        if name in meta:
            yield name, str(meta[name])
    yield "rows", str(len(rows))
    yield (
        "numbers",
        "at most 15 significant digits, what a cell holds; format=csv and json give all digits; instants are UTC",
    )
    for warning in meta.get("warnings", ()):
        yield "warning", f"{warning['code']}: {warning['text']}"
    for column in ("price_source", "source", "tokenizer_source"):
        for source in dict.fromkeys(str(row[column]) for row in rows if row.get(column)):
            yield column, source
    if question is None:
        return
    yield "question", question.route
    for name, value in question.parameters:
        yield f"question ?{name}", _shown(name, value)
    if question.body is not None:
        yield from _fields("question ", question.body.model_dump(mode="json", by_alias=True, exclude_unset=True))


def _fields(name: str, value: Any) -> Iterator[Line]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _fields(f"{name}/{key}", inner)
    elif isinstance(value, list):
        if len(value) > _MOST_ENTRIES:
            yield name, f"{len(value)} entries"
            return
        for index, inner in enumerate(value):
            yield from _fields(f"{name}/{index}", inner)
    else:
        yield name, _shown(name.rpartition("/")[2], value)


def _shown(name: str, value: Any) -> str:
    """A field's value; of a text its length and hash.

    >>> _shown("text", "您好"), _shown("currency", "USD"), _shown("include_frame", True)
    ('2 characters, sha256 609bc0751d56eb467961e2bc6f798f7d44627696248e52315e1d6d091bdf502a', 'USD', 'true')
    """
    if isinstance(value, str) and (name in _TEXTS or len(value) > _LONG):
        return f"{len(value)} characters, sha256 {hashlib.sha256(value.encode()).hexdigest()}"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
