"""ETag and 304 for reads of the catalog."""

from __future__ import annotations

import hashlib
from typing import Any

from litestar import Request
from litestar.response.base import ASGIResponse


def conditional(request: Request[Any, Any, Any], response: ASGIResponse, version: str) -> ASGIResponse:
    """`response` with an ETag, or 304 where the caller has it already.

    The tag follows from the catalog's version and the question (path, query, format), not from the answer, which also
    carries the instant it was given at. It is weak for that reason: the rows are the same, `meta.as_of` is not.
    """
    question = f"{version} {request.url.path}?{request.url.query} {response.headers['content-type']}"
    tag = f'W/"{hashlib.sha256(question.encode("utf-8", "surrogateescape")).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept"}
    known = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return ASGIResponse(status_code=304, headers=headers)
    for name, value in headers.items():
        response.headers[name] = value
    return response
