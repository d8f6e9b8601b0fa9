"""`/quotes`: comparisons that are kept."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Controller, Request, delete, get, patch, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.compare import Detail, compared_offers, fail_on_errors
from api.http.controllers.price import OnError
from api.http.converters.common import to_api_meta
from api.http.converters.compare import from_api_compare
from api.http.converters.quotes import answer_writer, from_api_quote, to_api_quote, to_api_quote_row
from api.http.idempotency import IdempotencyKey, Write, write_once
from api.http.limits import check_rows, check_writes
from api.http.preconditions import IfMatch, check_if_match, tag_of, tagged
from api.http.quote_page import PAGE_POLICY, quote_page, wants_page
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    render,
    to_json,
)
from api.http.schemas.compare import COMPARE_COLUMNS, COMPARE_NUMBERS
from api.http.schemas.quotes import QUOTE_COLUMNS, QuoteAnswer, QuoteChange, QuoteRequest, QuotesAnswer
from api.http.state import Service, counter_of, service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.quoting.keeping import make_quote
from catalog.quotes import Quote, change_quote, delete_quote, find_quote, list_quotes, record_quote
from catalog.snapshot.lookup import DEFAULT_TENANT

QuoteId = Annotated[str, PathParameter(description="id of a quote", max_length=100)]
QuoteFormat = Annotated[
    str | None,
    QueryParameter(name="format", description="json, csv, xlsx, ndjson or html; stands above Accept", max_length=20),
]
_ONE = {200: ResponseSpec(QuoteAnswer, description="The quote", generate_examples=False)}


class QuotesController(Controller):
    """Quotes."""

    tags = ("quotes",)

    @post(
        "/quotes",
        operation_id="makeQuote",
        status_code=201,
        responses={201: ResponseSpec(QuoteAnswer, description="The quote", generate_examples=False)},
    )
    async def make(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[QuoteRequest],
        idempotency_key: IdempotencyKey = None,
        detail: Detail = False,
        on_error: OnError = "row",
    ) -> ASGIResponse:
        """Compare as `POST /compare` does and keep it: question, every figure and source, the versions, the answer's bytes."""
        service = service_of(request)

        async def prepare() -> Write[Quote]:
            now = service.now()
            wanted = from_api_quote(data, now)
            check_rows(len(data.fx), service.settings, "/fx")
            snapshot = await snapshot_of(service, data.known_at)
            question = from_api_compare(data, snapshot, now)
            offers = await compared_offers(question, service, snapshot, one_text=data.text is not None)
            fail_on_errors(on_error, question, offers)
            counter = counter_of(service, snapshot)
            quote = await make_quote(wanted, question, offers, snapshot, counter, answer_writer(detail), now)
            return Write(partial(_recorded, service, quote), _created)

        return await write_once(request, await request.json(), prepare)

    @get(
        "/quotes",
        operation_id="listQuotes",
        status_code=200,
        responses={200: ResponseSpec(QuotesAnswer, description="Quotes", generate_examples=False)},
    )
    async def listed(
        self,
        request: Request[Any, Any, State],
        limit: Annotated[int, QueryParameter(name="limit", ge=1, le=1_000, description="rows a page")] = 100,
        cursor: Annotated[
            str | None, QueryParameter(name="cursor", description="`next` of the page before", max_length=100)
        ] = None,
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Quotes, the newest first."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        read = partial(list_quotes, service.catalog.engine, DEFAULT_TENANT, limit=limit, cursor=cursor)
        quotes, after = await sync_to_thread(read)
        meta = to_api_meta(service.now(), service.catalog.snapshot.version, ())
        rows = [to_api_quote_row(quote) for quote in quotes]
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        response = render(chosen, QUOTE_COLUMNS, rows, {"meta": meta, "next": after}, style)
        response.headers["Cache-Control"] = "private, no-cache"
        return response

    @get("/quotes/{quote_id:str}", operation_id="readQuote", status_code=200, responses=_ONE)
    async def read(
        self,
        request: Request[Any, Any, State],
        quote_id: QuoteId,
        format_: QuoteFormat = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """A quote as it was answered: JSON with all it rests on, the rows as CSV, or a page to print."""
        service = service_of(request)
        accept = request.headers.get("accept", "")
        page = wants_page(accept, format_)
        chosen = "json" if page else choose_format(accept, format_)
        quote = await _quote(service, quote_id)
        if page:
            response = ASGIResponse(body=quote_page(quote), media_type="text/html", headers=PAGE_POLICY)
        else:
            answer = msgspec.json.decode(quote.answer)
            document = {"premiums": answer["premiums"], "meta": answer["meta"], "quote": to_api_quote(quote)}
            style = Csv(decimal_, delimiter, bom, lang, question_of(request))
            response = render(chosen, COMPARE_COLUMNS, answer["rows"], document, style, COMPARE_NUMBERS)
        return tagged(request, response, quote.quote, quote.revision)

    @get(
        "/quotes/{quote_id:str}/answer",
        operation_id="readQuoteAnswer",
        status_code=200,
        responses={200: ResponseSpec(dict[str, Any], description="The answer's bytes", generate_examples=False)},
    )
    async def answer(self, request: Request[Any, Any, State], quote_id: QuoteId) -> ASGIResponse:
        """The bytes that were answered, as they were kept; their sha256 is the quote's `answer_sha256`."""
        quote = await _quote(service_of(request), quote_id)
        response = ASGIResponse(body=quote.answer, media_type="application/json")
        return tagged(request, response, quote.quote, quote.revision)

    @patch("/quotes/{quote_id:str}", operation_id="changeQuote", status_code=200, responses=_ONE)
    async def change(
        self,
        request: Request[Any, Any, State],
        quote_id: QuoteId,
        data: JSONBody[QuoteChange],
        if_match: IfMatch = None,
    ) -> ASGIResponse:
        """Give a quote another title or note."""
        return await _changed(request, quote_id, title=data.title, note=data.note)

    @delete("/quotes/{quote_id:str}/text", operation_id="deleteQuoteText", status_code=200, responses=_ONE)
    async def delete_text(
        self, request: Request[Any, Any, State], quote_id: QuoteId, if_match: IfMatch = None
    ) -> ASGIResponse:
        """Delete the kept texts of a quote before their time; hashes, lengths and counts stay."""
        return await _changed(request, quote_id, drop_text=True)

    @delete("/quotes/{quote_id:str}", operation_id="deleteQuote", status_code=204)
    async def remove(self, request: Request[Any, Any, State], quote_id: QuoteId, if_match: IfMatch = None) -> None:
        """Delete a quote with everything in it."""
        service = service_of(request)
        check_writes(service.settings)
        quote = await _quote(service, quote_id)
        check_if_match(request, quote.quote, quote.revision)
        gone = partial(delete_quote, service.catalog.engine, DEFAULT_TENANT, quote_id, quote.revision)
        await sync_to_thread(gone)


async def _quote(service: Service, quote_id: str) -> Quote:
    return await sync_to_thread(find_quote, service.catalog.engine, DEFAULT_TENANT, quote_id, service.now())


async def _changed(request: Request[Any, Any, State], quote_id: str, **changes: Any) -> ASGIResponse:
    service = service_of(request)
    check_writes(service.settings)
    quote = await _quote(service, quote_id)
    check_if_match(request, quote.quote, quote.revision)
    change = partial(
        change_quote, service.catalog.engine, DEFAULT_TENANT, quote_id, quote.revision, service.now(), **changes
    )
    return _whole(await sync_to_thread(change))


def _recorded(service: Service, quote: Quote) -> Quote:
    record_quote(service.catalog.engine, DEFAULT_TENANT, quote)
    return quote


def _created(quote: Quote) -> ASGIResponse:
    response = _whole(quote)
    response.status_code = 201
    response.headers["Location"] = f"/quotes/{quote.quote}"
    return response


def _whole(quote: Quote) -> ASGIResponse:
    answer = msgspec.json.decode(quote.answer)
    document = {"premiums": answer["premiums"], "meta": answer["meta"], "quote": to_api_quote(quote)}
    body = to_json(answer["rows"], document)
    tag = tag_of(quote.quote, quote.revision, "application/json ")
    return ASGIResponse(body=body, media_type="application/json", headers={"ETag": tag})
