"""Quotes and price books for finance systems: flat, or FOCUS-shaped estimates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Controller, Request, get
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import PathParameter, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.quotes import QuoteId
from api.http.converters.common import to_api_meta
from api.http.converters.focus import FOCUS_NAMES, FOCUS_NUMBERS, to_api_focus_row, to_csv_focus_row
from api.http.converters.prices import to_api_price_record
from api.http.preconditions import book_tag
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    LangParameter,
    choose_format,
    render_many,
)
from api.http.schemas.exports import ExportAnswer
from api.http.schemas.prices import PRICE_RECORD_COLUMNS, PRICE_RECORD_NUMBERS
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.focus.exports import (
    BOOK_COLUMNS,
    BOOK_NUMBERS,
    FLAT_QUOTE_COLUMNS,
    FLAT_QUOTE_NUMBERS,
    flat_quote_rows,
    focus_book_rows,
    focus_quote_rows,
)
from catalog.catalog import Catalog
from catalog.history import PriceRecord, list_prices
from catalog.quotes import find_quote
from catalog.snapshot import Snapshot
from catalog.snapshot.lookup import DEFAULT_TENANT
from economics.periods import parse_instant

_PAGE: Final = 5_000

Shape = Annotated[
    Literal["flat", "focus"],
    QueryParameter(name="shape", description="flat: our own columns; focus: a FOCUS-shaped estimate"),
]
ExportFormat = Annotated[
    str | None,
    QueryParameter(
        name="format", description="csv (default), xlsx, json or ndjson; stands above Accept", max_length=20
    ),
]
_ANSWER = {200: ResponseSpec(ExportAnswer, description="Rows of that shape", generate_examples=False)}


class ExportsController(Controller):
    """Exports for finance systems."""

    @get(
        "/quotes/{quote_id:str}/export",
        operation_id="exportQuote",
        status_code=200,
        responses=_ANSWER,
        tags=("quotes",),
    )
    async def quote(
        self,
        request: Request[Any, Any, State],
        quote_id: QuoteId,
        shape: Shape = "flat",
        row_id: Annotated[
            str | None, QueryParameter(name="row_id", description="of this offer only", max_length=300)
        ] = None,
        format_: ExportFormat = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """A quote for a finance system, a row an offer. Offers are alternatives: their costs do not add up."""
        service = service_of(request)
        chosen = _format(request, format_)
        quote = await sync_to_thread(find_quote, service.catalog.engine, DEFAULT_TENANT, quote_id, service.now())
        answered = [row for row in msgspec.json.decode(quote.answer)["rows"] if row["sample"] == "*"]
        rows: list[dict[str, Any]] = []
        if shape == "flat":
            rows += flat_quote_rows(quote, answered)
        else:
            write: Callable[[Mapping[str, Any]], dict[str, Any]] = (
                to_csv_focus_row if chosen not in ("json", "ndjson") else to_api_focus_row
            )
            vendors = _vendors(service.catalog.snapshot)
            rows += [write(row) for row in focus_quote_rows(quote, answered, vendors)]
        named = "row_id" if shape == "flat" else "x_RowId"
        if row_id is not None:
            rows = [row for row in rows if str(row[named]) == row_id]
        meta = to_api_meta(quote.as_of, quote.catalog_version, ())
        meta["method_version"] = quote.method_version
        columns = FLAT_QUOTE_COLUMNS if shape == "flat" else FOCUS_NAMES
        numbers = FLAT_QUOTE_NUMBERS if shape == "flat" else FOCUS_NUMBERS
        headers = _file_headers(chosen, f"{quote.quote}-{_NAMES[shape]}")
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return await render_many(chosen, columns, rows, {"meta": meta}, style, numbers, headers)

    @get(
        "/price-books/{price_book:str}/export",
        operation_id="exportPriceBook",
        status_code=200,
        responses=_ANSWER,
        tags=("prices",),
    )
    async def price_book(
        self,
        request: Request[Any, Any, State],
        price_book: Annotated[str, PathParameter(description="id of a list or private book", max_length=100)],
        shape: Shape = "flat",
        provider: Annotated[
            str | None, QueryParameter(name="provider", description="of this provider only", max_length=100)
        ] = None,
        as_of: Annotated[str | None, QueryParameter(name="as_of", description="default: now", max_length=40)] = None,
        format_: ExportFormat = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """The prices of a book in force at an instant, for a finance system; in FOCUS's columns the list price beside them."""
        service = service_of(request)
        chosen = _format(request, format_)
        instant = service.now() if as_of is None else parse_instant(as_of, pointer="/as_of")
        snapshot = service.catalog.snapshot
        digest = await sync_to_thread(service.catalog.book_digest, price_book)
        records = await sync_to_thread(_in_force, service.catalog, price_book, provider, instant)
        base: Sequence[PriceRecord] = ()
        shelf = snapshot.private_shelf(price_book)
        if shelf is None and not any(price_book in facts.books for facts in snapshot.providers.values()):
            snapshot.private_book(price_book)  # says which there are
        if shelf is not None and shelf.book.base is not None and shape == "focus":
            base = await sync_to_thread(_in_force, service.catalog, shelf.book.base, provider, instant)
        rows: list[dict[str, Any]]
        if shape == "flat":
            rows = [to_api_price_record(record) for record in records]
        else:
            rows = list(focus_book_rows(records, base, _vendors(snapshot)))
            if chosen not in ("json", "ndjson"):
                for row in rows:
                    row["SkuPriceDetails"] = json.dumps(row["SkuPriceDetails"], ensure_ascii=False)
        columns = PRICE_RECORD_COLUMNS if shape == "flat" else BOOK_COLUMNS
        rows = [{name: row[name] for name in columns} for row in rows]
        meta = to_api_meta(instant, snapshot.version, ())
        numbers = PRICE_RECORD_NUMBERS if shape == "flat" else BOOK_NUMBERS
        headers = _file_headers(chosen, f"price-book-{_NAMES[shape]}")
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        response = await render_many(chosen, columns, rows, {"meta": meta}, style, numbers, headers)
        if digest is not None:
            response.headers["ETag"] = book_tag(price_book, digest, response.body)
        return response


_NAMES: Final = {"flat": "flat", "focus": "focus-shaped-estimate"}


def _format(request: Request[Any, Any, State], asked: str | None) -> Any:
    """CSV unless another format is asked for: that is what finance systems load."""
    accept = request.headers.get("accept", "")
    return choose_format(accept, "csv" if asked is None and accept in ("", "*/*") else asked)


def _file_headers(chosen: str, name: str) -> dict[str, str]:
    headers = {"Cache-Control": "private, no-cache"}
    if chosen == "csv":
        headers["content-disposition"] = f'attachment; filename="{name}.csv"'
    return headers


def _vendors(snapshot: Snapshot) -> dict[str, str]:
    return {name: facts.title for name, facts in snapshot.providers.items()}


def _in_force(catalog: Catalog, book: str, provider: str | None, as_of: datetime) -> list[PriceRecord]:
    """All rows of a book in force, page by page."""
    found: list[PriceRecord] = []
    cursor: str | None = None
    while True:
        page, cursor = list_prices(
            catalog.engine,
            tenant=DEFAULT_TENANT,
            provider=provider,
            book=book,
            as_of=as_of,
            limit=_PAGE,
            cursor=cursor,
        )
        found += page
        if cursor is None:
            return found
