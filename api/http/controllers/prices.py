"""`/prices`: the dated rows, their history, and private price books."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from litestar import Controller, Request, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.caching import conditional
from api.http.converters.common import to_api_meta
from api.http.converters.prices import from_api_publish, to_api_price_record
from api.http.idempotency import IdempotencyKey, Write, write_once
from api.http.limits import check_rows
from api.http.preconditions import IfMatch, book_tag, check_book
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    render,
)
from api.http.schemas.prices import (
    PRICE_RECORD_COLUMNS,
    PRICE_RECORD_NUMBERS,
    PricesAnswer,
    PublishAnswer,
    PublishRequest,
)
from api.http.state import counter_of, service_of
from api.http.writing.provenance import question_of
from catalog.catalog import Catalog
from catalog.history import PriceRecord, list_prices
from catalog.publishing import Publication, PublishReport
from catalog.snapshot.lookup import DEFAULT_TENANT
from economics.periods import parse_instant

_ROWS = {200: ResponseSpec(PricesAnswer, description="Dated rows", generate_examples=False)}
DEFAULT_PAGE = 500


class Filters:
    """Query parameters that choose rows."""

    Provider = Annotated[str | None, QueryParameter(name="provider", max_length=100)]
    Model = Annotated[str | None, QueryParameter(name="model", max_length=300)]
    Book = Annotated[str | None, QueryParameter(name="price_book", max_length=100)]
    KnownAt = Annotated[
        str | None, QueryParameter(name="known_at", description="as was believed at this instant", max_length=40)
    ]
    Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=10_000, description="rows a page")]
    Cursor = Annotated[
        str | None, QueryParameter(name="cursor", description="`next` of the page before", max_length=300)
    ]


@dataclass(frozen=True, slots=True)
class Page:
    """Which rows: those in force at `as_of`, or with None all that were ever recorded."""

    provider: str | None
    model: str | None
    price_book: str | None
    as_of: datetime | None
    known_at: datetime | None
    limit: int
    cursor: str | None

    def read(self, catalog: Catalog) -> tuple[Sequence[PriceRecord], str | None]:
        """The rows and the cursor of the next page."""
        return list_prices(
            catalog.engine,
            tenant=DEFAULT_TENANT,
            provider=self.provider,
            model=self.model,
            book=self.price_book,
            as_of=self.as_of,
            known_at=self.known_at,
            superseded=self.as_of is None,
            limit=self.limit,
            cursor=self.cursor,
        )


class PricesController(Controller):
    """Price rows."""

    tags = ("prices",)

    @get("/prices", operation_id="listPrices", status_code=200, responses=_ROWS)
    async def in_force(
        self,
        request: Request[Any, Any, State],
        provider: Filters.Provider = None,
        model: Filters.Model = None,
        price_book: Filters.Book = None,
        as_of: Annotated[str | None, QueryParameter(name="as_of", description="default: now", max_length=40)] = None,
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """The rows in force at an instant, each with source, day of checking and status."""
        instant = service_of(request).now() if as_of is None else parse_instant(as_of, pointer="/as_of")
        known = None if known_at is None else parse_instant(known_at, pointer="/known_at")
        page = Page(provider, model, price_book, instant, known, limit, cursor)
        return await _listed(request, page, format_, Csv(decimal_, delimiter, bom, lang, question_of(request)))

    @get("/prices/history", operation_id="listPriceHistory", status_code=200, responses=_ROWS)
    async def history(
        self,
        request: Request[Any, Any, State],
        provider: Filters.Provider = None,
        model: Filters.Model = None,
        price_book: Filters.Book = None,
        known_at: Filters.KnownAt = None,
        limit: Filters.Limit = DEFAULT_PAGE,
        cursor: Filters.Cursor = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Every row ever recorded, superseded ones included."""
        known = None if known_at is None else parse_instant(known_at, pointer="/known_at")
        page = Page(provider, model, price_book, None, known, limit, cursor)
        return await _listed(request, page, format_, Csv(decimal_, delimiter, bom, lang, question_of(request)))

    @post(
        "/prices",
        operation_id="publishPrices",
        status_code=201,
        responses={201: ResponseSpec(PublishAnswer, description="What was recorded", generate_examples=False)},
    )
    async def publish(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[PublishRequest],
        idempotency_key: IdempotencyKey = None,
        if_match: IfMatch = None,
    ) -> ASGIResponse:
        """Record rows and terms of a private price book, all or none; a correction supersedes, nothing is overwritten."""
        service = service_of(request)

        async def prepare() -> Write[list[PublishReport]]:
            check_rows(len(data.rows), service.settings, "/rows")
            tokenizers = counter_of(service, service.catalog.snapshot).registry.in_use()
            now = service.now()
            publication = from_api_publish(data, tokenizers, now)
            effect = partial(_publish, service.catalog, publication, if_match)
            return Write(effect, partial(_published, now, service.catalog))

        return await write_once(request, await request.json(), prepare)


def _publish(catalog: Catalog, publication: Publication, if_match: str | None) -> list[PublishReport]:
    check_book(if_match, publication.book.id, catalog.book_digest(publication.book.id))
    return catalog.publish_all([publication])


def _published(now: datetime, catalog: Catalog, reports: list[PublishReport]) -> ASGIResponse:
    (report,) = reports
    published = {
        "price_book": report.price_book,
        "added": report.added,
        "superseded": report.superseded,
        "unchanged": report.unchanged,
    }
    response = render("json", tuple(published), [published], {"meta": to_api_meta(now, report.version, ())})
    response.status_code = 201
    response.headers["ETag"] = book_tag(report.price_book, catalog.book_digest(report.price_book) or "", response.body)
    return response


async def _listed(request: Request[Any, Any, State], page: Page, format_: str | None, style: Csv) -> ASGIResponse:
    service = service_of(request)
    chosen = choose_format(request.headers.get("accept", ""), format_)
    records, after = await sync_to_thread(page.read, service.catalog)
    version = service.catalog.snapshot.version
    as_of = page.as_of or service.now()
    document = {"meta": to_api_meta(as_of, version, ()), "next": after}
    rows = [to_api_price_record(record) for record in records]
    headers = {"Link": f'<?{_next_page(request, after)}>; rel="next"'} if after is not None else None
    response = render(chosen, PRICE_RECORD_COLUMNS, rows, document, style, PRICE_RECORD_NUMBERS, headers)
    pinned = page.as_of is None or "as_of" in request.query_params
    return conditional(request, response, version) if pinned else response


def _next_page(request: Request[Any, Any, State], after: str) -> str:
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    return urlencode([*kept, ("cursor", after)])
