"""ETag, If-Match and If-None-Match of what can change (RFC 9110, section 13): nobody overwrites what they have not seen.

A tag names the thing, its revision and the representation: `"q-1f…-r2-9c0d…"`. Tags are strong; each representation has
its own, and any tag of the current revision is good for a change.
"""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any, Final

from litestar import Request
from litestar.params import HeaderParameter
from litestar.response.base import ASGIResponse

from economics.errors import PermillionError

IfMatch = Annotated[
    str | None, HeaderParameter(name="If-Match", description="the ETag you have seen, or *", max_length=2_000)
]
_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e]*)"', re.ASCII)


def tag_of(thing: str, revision: int, representation: str) -> str:
    """The strong tag of one representation.

    >>> tag_of("q-1", 2, "application/json")
    '"q-1-r2-bacb769b"'
    """
    return f'"{thing}-r{revision}-{hashlib.sha256(representation.encode()).hexdigest()[:8]}"'


def tagged(request: Request[Any, Any, Any], response: ASGIResponse, thing: str, revision: int) -> ASGIResponse:
    """`response` with its tag, or 304 where the caller has it already."""
    tag = tag_of(thing, revision, f"{response.headers['content-type']} {request.url.query}")
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept"}
    wanted = request.headers.get("if-none-match", "")
    if wanted.strip() == "*" or tag[1:-1] in {found[2] for found in _TAG.finditer(wanted)}:
        return ASGIResponse(status_code=304, headers=headers)
    for name, value in headers.items():
        response.headers[name] = value
    return response


def book_tag(book: str, digest: str, body: bytes = b"") -> str:
    """The strong tag of a state of a private price book, as `body` shows it.

    >>> book_tag("ours", "9f86d081884c7d65")
    '"book-ours-9f86d081884c7d65-e3b0c442"'
    """
    return f'"book-{book}-{digest[:32]}-{hashlib.sha256(body).hexdigest()[:8]}"'


def check_book(given: str | None, book: str, digest: str | None) -> None:
    """Refuse to write to another state of a book than the caller has seen, where they say which.

    Raises:
        PermillionError: `precondition-failed`, also for `*` where there is no such book.
    """
    if given is None:
        return
    if digest is not None:
        state = book_tag(book, digest).rpartition("-")[0]
        if given.strip() == "*" or any(tag.rpartition("-")[0] == state for tag in _strong(given)):
            return
    raise PermillionError("precondition-failed", "the price book is not in the state you have seen; read it again")


def _strong(given: str) -> set[str]:
    """The strong tags of a header; weak ones never match (RFC 9110, section 13.1.1)."""
    return {f'"{found[2]}"' for found in _TAG.finditer(given) if found[1] is None}


def check_if_match(request: Request[Any, Any, Any], thing: str, revision: int) -> None:
    """Refuse a change by somebody who has not seen the current revision.

    Raises:
        PermillionError: `precondition-required` without If-Match, `precondition-failed` where no tag in it is of the current
            revision; weak tags never are (strong comparison, RFC 9110, section 13.1.1).
    """
    given = ",".join(request.headers.getall("if-match", [])).strip()
    if not given:
        raise PermillionError("precondition-required", "send If-Match with the ETag of what you have seen")
    if given == "*":
        return
    current = f"{thing}-r{revision}-"
    if not any(tag[1:].startswith(current) for tag in _strong(given)):
        raise PermillionError("precondition-failed", "it was changed since; read it again and decide anew")
