"""`Idempotency-Key` on what writes: the same request sent again has its effect once and gets the same answer.

A handler says what the request says, and how to write and answer; `write_once` does the rest:

    return await write_once(request, data, prepare)

`prepare` checks and works out whatever may take time, and returns a `Write`. Its effect and the record of the key are one
transaction (RFC draft-ietf-httpapi-idempotency-key-header-07 leaves the store open): after a kill both are there or
neither. A refused request leaves no key behind: it is judged anew when it is sent again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, TypeVar

from litestar import Request
from litestar.concurrency import sync_to_thread
from litestar.params import HeaderParameter
from litestar.response.base import ASGIResponse

from api.http.limits import check_writes
from api.http.state import Service, service_of
from catalog.engine import one_transaction
from catalog.idempotency import KeptAnswer, RequestKey, keep_answer, kept_answer, kept_meanwhile
from catalog.snapshot.lookup import DEFAULT_TENANT
from economics.errors import PermillionError

Result = TypeVar("Result")

HEADER: Final = "Idempotency-Key"
MAX_KEY: Final = 255
IdempotencyKey = Annotated[
    str | None,
    HeaderParameter(
        name=HEADER,
        max_length=MAX_KEY,
        description="a key of yours, up to 255 visible characters: the same request sent again within 24 hours is done once",
    ),
]
_KEY: Final = re.compile(r"[!-~]{1,255}", re.ASCII)
_KEPT_HEADERS: Final = ("content-type", "location", "etag")


@dataclass(frozen=True, slots=True)
class Write(Generic[Result]):
    """What is to be written, and how it is answered.

    Args:
        effect: writes to the catalog's database, in a thread; its transactions join one.
        answer: the response for what `effect` returned; it must not read the catalog's snapshot, which is older until all is
            committed.
    """

    effect: Callable[[], Result]
    answer: Callable[[Result], ASGIResponse]


async def write_once(
    request: Request[Any, Any, Any], said: object, prepare: Callable[[], Awaitable[Write[Result]]]
) -> ASGIResponse:
    """Write and answer, or give the answer that was given before.

    Args:
        request: with or without a key.
        said: what the body says, as JSON's values: two requests with equal ones say the same.
        prepare: works out what is to be written; not called where the answer is known.

    Raises:
        PermillionError: `writes-refused`, `invalid-fields` for a key that is none, `idempotency-key-reused` where it came with
            another request, `idempotency-key-running` while the first one is under way.
    """
    service = service_of(request)
    check_writes(service.settings)
    key = _key_of(request, said)
    if key is None:
        return await sync_to_thread(_commit, service, None, await prepare())
    place = (key.tenant, key.key)
    if place in service.running_keys:
        raise PermillionError("idempotency-key-running", "the first request with this key is still under way")
    service.running_keys.add(place)
    try:
        kept = await sync_to_thread(kept_answer, service.catalog.engine, key, service.now())
        if kept is not None:
            return _replayed(kept)
        return await sync_to_thread(_commit, service, key, await prepare())
    finally:
        service.running_keys.discard(place)


def _commit(service: Service, key: RequestKey | None, write: Write[Result]) -> ASGIResponse:
    """Effect and key in one transaction; afterwards the snapshot has what was written."""
    engine = service.catalog.engine
    with one_transaction(engine):
        kept = None if key is None else kept_meanwhile(engine, key, service.now())
        if kept is not None:
            return _replayed(kept)
        response = write.answer(write.effect())
        if key is not None:
            headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
            keep_answer(engine, key, KeptAnswer(response.status_code, headers, response.body), service.now())
    service.catalog.refresh_if_changed()
    return response


def _replayed(kept: KeptAnswer) -> ASGIResponse:
    headers = {**kept.headers, "Idempotency-Replayed": "true"}
    return ASGIResponse(body=kept.body, status_code=kept.status, headers=headers)


def _key_of(request: Request[Any, Any, Any], said: object) -> RequestKey | None:
    """The key with the hash of the operation and all that is said; None where there is none."""
    given = request.headers.getall(HEADER.lower(), [])
    if not given:
        return None
    if len(given) > 1 or _KEY.fullmatch(given[0]) is None:
        raise PermillionError("invalid-fields", f"{HEADER} is one text of 1 to {MAX_KEY} visible ASCII characters")
    asked = [request.method, request.url.path, sorted(request.query_params.multi_items())]
    text = json.dumps([*asked, said], sort_keys=True, ensure_ascii=True, default=str)
    return RequestKey(DEFAULT_TENANT, given[0], hashlib.sha256(text.encode()).hexdigest())
