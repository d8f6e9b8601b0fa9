"""Every error becomes problem+json from one catalog; nothing of the request is echoed."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from pydantic import ValidationError

from api.http.problem_types import PROBLEM_TYPES
from economics.errors import PermillionError

PROBLEM_JSON = "application/problem+json"
_BY_STATUS = {
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    413: "body-too-large",
    415: "unsupported-media-type",
    422: "invalid-fields",
    503: "not-ready",
}
MAX_ERRORS = 100
_log = logging.getLogger("permillion")


class InvalidFieldsError(PermillionError):
    """Several fields are wrong; each with its pointer."""

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        super().__init__("invalid-fields", summary(errors))
        self.errors = errors


def summary(errors: Sequence[tuple[str, str]]) -> str:
    """The first error in words, and how many more there are."""
    pointer, detail = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{pointer or 'the body'}: {detail}{more}"


def from_validation(error: ValidationError, prefix: str = "") -> list[tuple[str, str]]:
    """Pointer and message of each error of pydantic, without the input."""
    found: list[tuple[str, str]] = []
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    for item in sorted(
        errors, key=lambda item: item["type"] != "extra_forbidden"
    ):  # a misspelt field explains the rest
        message = item["msg"].removeprefix("Value error, ")
        found.append((prefix + pointer_of(item["loc"]), _PLAIN_WORDS.get(item["type"], message)))
    return found[:MAX_ERRORS]


_PLAIN_WORDS = {
    "extra_forbidden": "unknown field",
    "missing": "required",
    "string_unicode": "not Unicode: contains a lone surrogate",
}
_MISSING = re.compile(r"Missing required query parameter '([a-z_]{1,40})'")


_VALIDATOR = re.compile(r"function-(after|before|plain|wrap)\[.*\]|form:.*")


def pointer_of(loc: Sequence[int | str]) -> str:
    """RFC 6901 pointer of a place in the body; pydantic's names for validators and forms of a value are left out."""
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in loc if not _VALIDATOR.fullmatch(str(part))]
    return "".join(f"/{_printable(part)}" for part in parts)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() and c.isascii() else "?" for c in text[:100])


def problem(
    slug: str,
    detail: str,
    request_id: str,
    errors: Sequence[tuple[str, str]] = (),
    headers: dict[str, str] | None = None,
) -> Response[bytes]:
    """The response for a problem."""
    kind = PROBLEM_TYPES.get(slug) or PROBLEM_TYPES["internal-error"]
    body = {
        "type": f"/problems/{kind.slug}",
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "error_code": kind.slug,
        "advice": kind.advice,
        "request_id": request_id,
        "errors": [{"pointer": pointer, "detail": text} for pointer, text in errors],
    }
    kept = {"Cache-Control": "private, no-store", **(headers or {})}
    if kind.retry_after_s is not None:
        kept["Retry-After"] = str(kind.retry_after_s)
    return Response(msgspec.json.encode(body), status_code=kind.status, media_type=PROBLEM_JSON, headers=kept)


def request_id_of(request: Request[Any, Any, Any]) -> str:
    """The id the access log gave the request."""
    return str(request.scope.get("state", {}).get("request_id", ""))


def handle_domain_error(request: Request[Any, Any, Any], error: PermillionError) -> Response[bytes]:
    """A refusal of ours."""
    if isinstance(error, InvalidFieldsError):
        return problem(error.slug, error.detail, request_id_of(request), error.errors)
    errors = [(error.pointer, error.detail)] if error.pointer else []
    return problem(error.slug, error.detail, request_id_of(request), errors)


def handle_http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """A refusal of the framework: unknown route, wrong method, body too large, unreadable parameter."""
    status = error.status_code
    if status == 400 and isinstance(error.extra, list):
        names = [str(item.get("key", "")).removesuffix("_") for item in error.extra if isinstance(item, dict)]
        if names == ["data"]:
            return problem("malformed-json", "the body is empty; send one JSON object", request_id_of(request))
        errors = [(pointer_of((name,)), "not a value this parameter takes") for name in names]
        return problem("invalid-fields", summary(errors), request_id_of(request), errors)
    if missing := _MISSING.match(str(error.detail)):
        errors = [(f"/{missing[1]}", "required")]
        return problem("invalid-fields", summary(errors), request_id_of(request), errors)
    slug = _BY_STATUS.get(status, "bad-request" if status < 500 else "internal-error")
    kind = PROBLEM_TYPES[slug]
    headers = {k: v for k, v in (error.headers or {}).items() if k.lower() == "allow"}
    return problem(slug, f"{kind.title}. {kind.advice}", request_id_of(request), headers=headers)


def handle_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """A defect of ours. Its message may hold the caller's text, so only its kind and place are logged."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "?"
    _log.error("unexpected %s at %s, request %s", type(error).__name__, place, request_id_of(request))
    kind = PROBLEM_TYPES["internal-error"]
    return problem(kind.slug, f"{kind.title}. {kind.advice}", request_id_of(request))


EXCEPTION_HANDLERS: dict[type[Exception] | int, Any] = {
    PermillionError: handle_domain_error,
    HTTPException: handle_http_error,
    Exception: handle_unexpected,
}
