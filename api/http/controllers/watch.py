"""`GET /changes` and `/changes.atom`: a price watch."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from litestar import Controller, Request, get
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.caching import conditional
from api.http.converters.common import to_api_meta
from api.http.converters.quotes import answer_writer
from api.http.converters.watch import ATOM_TYPE, page_of, to_api_change, to_atom
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    render_many,
)
from api.http.schemas.watch import WATCH_COLUMNS, WATCH_NUMBERS, ChangesAnswer
from api.http.state import Service, counter_of, service_of
from api.http.writing.provenance import question_of
from api.services.quoting.replaying import fresh_answer, recorded_answer
from api.services.watching import STALE_AFTER, Change, QuoteCosts, catalog_changes, disputes, in_order, quote_effects
from catalog.quotes import find_quote
from catalog.snapshot.lookup import DEFAULT_TENANT
from catalog.watching import Watched, read_watched
from economics.errors import PermillionError
from economics.periods import format_instant, parse_instant

_DEFAULT_SPAN: Final = timedelta(days=30)
_FEED_ENTRIES: Final = 200


class Watch:
    """Query parameters of a watch."""

    Since = Annotated[
        str | None,
        QueryParameter(
            name="since",
            description="an instant (RFC 3339) or a catalog version, as answers name it; default: 30 days ago",
            max_length=60,
        ),
    ]
    Within = Annotated[
        int, QueryParameter(name="within_days", ge=0, le=3_660, description="how far ahead announced changes are told")
    ]
    Quote = Annotated[
        str | None,
        QueryParameter(name="quote", description="id of a quote: what its offers cost now and will", max_length=100),
    ]


class WatchController(Controller):
    """A price watch."""

    tags = ("prices",)

    @get(
        "/changes",
        operation_id="listChanges",
        status_code=200,
        responses={200: ResponseSpec(ChangesAnswer, description="Changes", generate_examples=False)},
    )
    async def changes(
        self,
        request: Request[Any, Any, State],
        since: Watch.Since = None,
        within_days: Watch.Within = 30,
        quote: Watch.Quote = None,
        limit: Annotated[int, QueryParameter(name="limit", ge=1, le=10_000, description="rows a page")] = 500,
        cursor: Annotated[
            str | None, QueryParameter(name="cursor", description="`next` of the page before", max_length=100)
        ] = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """What changed in the catalog since, what will within the days ahead, what became stale or disputed."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        told = await _told(service, since, within_days, quote)
        page, after = page_of(told.changes, limit, cursor)
        document = {
            "since": format_instant(told.watched.since.recorded_at),
            "since_catalog_version": str(told.watched.since),
            "until": format_instant(told.until),
            "meta": to_api_meta(told.now, str(told.watched.version), ()),
            "next": after,
        }
        rows = [to_api_change(change) for change in page]
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        response = await render_many(chosen, WATCH_COLUMNS, rows, document, style, WATCH_NUMBERS)
        return conditional(request, response, _digest(page))

    @get(
        "/changes.atom",
        operation_id="readChangesFeed",
        status_code=200,
        media_type=ATOM_TYPE,
        responses={200: ResponseSpec(str, description="Atom 1.0", generate_examples=False, media_type=ATOM_TYPE)},
    )
    async def feed(
        self,
        request: Request[Any, Any, State],
        since: Watch.Since = None,
        within_days: Watch.Within = 30,
        quote: Watch.Quote = None,
    ) -> ASGIResponse:
        """The same as an Atom feed, the newest 200, for feed readers, chat tools and spreadsheets."""
        service = service_of(request)
        told = await _told(service, since, within_days, quote)
        newest = told.changes[:_FEED_ENTRIES]
        home = str(request.base_url)
        asked = {"since": since, "within_days": str(within_days), "quote": quote}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        begun = told.watched.first
        identity = f"{begun.digest} {format_instant(begun.recorded_at)} {query}"
        body = to_atom(
            newest, f"{home.rstrip('/')}/changes.atom?{query}", home, identity, told.watched.since.recorded_at
        )
        response = ASGIResponse(body=body, media_type=ATOM_TYPE)
        return conditional(request, response, _digest(newest))


@dataclass(frozen=True, slots=True)
class _Told:
    watched: Watched
    changes: list[Change]
    now: datetime
    until: datetime


async def _told(service: Service, since: str | None, within_days: int, quote: str | None) -> _Told:
    now = service.now()
    ahead = timedelta(days=within_days)
    start = _since(since, now)
    catalog = service.catalog
    watched = await sync_to_thread(read_watched, catalog.engine, DEFAULT_TENANT, start, now, ahead, STALE_AFTER)
    changes = await sync_to_thread(catalog_changes, watched, now, ahead)
    snapshot = catalog.snapshot
    if snapshot.witnessed() and watched.since.number:
        then = await sync_to_thread(catalog.snapshot_numbered, watched.since.number)
        known_at = watched.version.recorded_at
        found = partial(disputes, then, snapshot, watched.since.recorded_at, now, known_at)
        changes += await sync_to_thread(lambda: list(found()))
    if quote is not None:
        kept = await sync_to_thread(find_quote, catalog.engine, DEFAULT_TENANT, quote, now)
        counter, write = counter_of(service, snapshot), answer_writer(False)
        fresh = await fresh_answer(kept, snapshot, counter, now, write)
        coming = await fresh_answer(kept, snapshot, counter, now + ahead, write)
        costs = QuoteCosts(recorded_answer(kept), fresh, coming, now, now + ahead, watched.version.recorded_at)
        changes += quote_effects(kept, costs)
    return _Told(watched, in_order(changes), now, now + ahead)


def _since(since: str | None, now: datetime) -> datetime | str:
    """An instant, or what may name a version.

    Raises:
        PermillionError: `invalid-fields` for a day or instant that is none.
    """
    if since is None:
        return now - _DEFAULT_SPAN
    try:
        return parse_instant(since, pointer="/since")
    except PermillionError:
        if since[4:5] == "-" and len(since) >= 10 and since[7:8] == "-":
            raise
        return since


def _digest(changes: list[Change] | Any) -> str:
    return hashlib.sha256(repr([(c.change_id, c.noticed_at) for c in changes]).encode()).hexdigest()
