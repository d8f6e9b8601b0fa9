"""`POST /price`: the exact cost of stated usage."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Annotated, Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.converters.common import from_api_exchange, to_api_meta
from api.http.converters.price import from_api_price_row, to_api_price_row
from api.http.converters.price_csv import PRICE_CSV_COLUMNS, from_csv_price_rows
from api.http.converters.query import read_fx
from api.http.csv_in import charset_of, read_csv
from api.http.limits import check_rows
from api.http.problems import InvalidFieldsError
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    ErrorsParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    read_delimiter,
    render_many,
    with_inline_errors,
)
from api.http.schemas.price import PRICE_COLUMNS, PRICE_NUMBERS, PriceAnswer, PriceRequest
from api.http.state import service_of, snapshot_of
from api.http.wire import decode_model
from api.http.writing.provenance import question_of
from api.services.pricing import PricedUsage, RowPricer, UsageToPrice
from economics.errors import PermillionError

OnError = Annotated[
    str,
    QueryParameter(name="on_error", description="row (default): a bad row is a row; fail: it is a 422", max_length=10),
]
IN_LOOP_ROWS = 100
"""Up to so many rows are priced at once; more are priced in slices, so that other requests get their turn."""


def fail_on_error(on_error: str, error: PermillionError | None, pointer: str) -> None:
    """With `?on_error=fail` the first bad row is the answer; else the error is a row's, and no longer an exception's."""
    if on_error not in ("row", "fail"):
        raise PermillionError("invalid-fields", "on_error is row or fail", pointer="/on_error")
    if error is not None:
        error.forget_frames()
    if error is not None and on_error == "fail":
        raise InvalidRowError(error, pointer)


class InvalidRowError(InvalidFieldsError):
    """A bad row that its caller wants to fail the request."""

    def __init__(self, error: PermillionError, pointer: str) -> None:
        super().__init__([(pointer + error.pointer, f"{error.slug}: {error.detail}")])


class PriceController(Controller):
    """Pricing of stated usage."""

    tags = ("price",)

    @post(
        "/price",
        operation_id="priceUsage",
        status_code=200,
        responses={200: ResponseSpec(PriceAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def price(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[PriceRequest],
        lines: Annotated[bool, QueryParameter(name="lines", description="with the charged meters; JSON only")] = False,
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """The exact cost of each row of usage, with source, date and status of the prices used."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        exchange = from_api_exchange(data.currency, data.fx)
        snapshot = await snapshot_of(service, data.known_at)
        as_of = data.as_of or service.now()
        questions = (from_api_price_row(value, index, as_of) for index, value in enumerate(data.rows))
        rows, codes = await _priced(questions, RowPricer(snapshot, exchange), on_error, lines and chosen == "json")
        meta = to_api_meta(as_of, snapshot.version, codes)
        return await render_many(
            chosen,
            PRICE_COLUMNS,
            rows,
            {"meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            PRICE_NUMBERS,
        )

    @post("/price.csv", operation_id="priceUsageCsv", status_code=200, media_type="text/csv")
    async def price_csv(
        self,
        request: Request[Any, Any, State],
        as_of: Annotated[
            str | None, QueryParameter(name="as_of", description="for rows without one; default: now")
        ] = None,
        currency: Annotated[str | None, QueryParameter(name="currency", description="convert totals to this")] = None,
        fx: Annotated[
            str | None, QueryParameter(name="fx", description="a rate FROM:TO:RATE:DATE; several parted by a comma")
        ] = None,
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: Annotated[
            str | None, QueryParameter(name="delimiter", description="one of , ; tab; default: found in the header")
        ] = None,
        bom: BomParameter = False,
        lang: LangParameter = None,
        errors: ErrorsParameter = None,
    ) -> ASGIResponse:
        """CSV in, CSV out: columns `offer`, `row_id`, `price_book`, `as_of`, one a meter, one a context key, `served_…` of each."""
        service = service_of(request)
        charset = charset_of(request)
        accept = request.headers.get("accept", "*/*")
        chosen = "csv" if format_ is None and accept in ("", "*/*") else choose_format(accept, format_)
        separator = None if delimiter is None else read_delimiter(delimiter)
        table = read_csv(await request.body(), PRICE_CSV_COLUMNS, separator, charset)
        check_rows(len(table.lines), service.settings, "/rows")
        asked: dict[str, Any] = {
            "rows": [{}],
            "as_of": as_of,
            "currency": currency,
            "fx": [read_fx(rate) for rate in (fx or "").split(",") if rate],
        }
        stated = decode_model(PriceRequest, {name: value for name, value in asked.items() if value is not None})
        exchange = from_api_exchange(stated.currency, stated.fx)
        snapshot = service.catalog.snapshot
        instant = stated.as_of or service.now()
        questions = from_csv_price_rows(table, instant, decimal_, snapshot)
        rows, codes = await _priced(questions, RowPricer(snapshot, exchange), on_error, lines=False)
        meta = to_api_meta(instant, snapshot.version, codes)
        style = Csv(decimal_, separator or table.delimiter, bom, lang, question_of(request))
        shown = rows if errors is None else with_inline_errors(chosen, rows, "total")
        return await render_many(chosen, PRICE_COLUMNS, shown, {"meta": meta}, style, PRICE_NUMBERS)


async def _priced(
    questions: Iterable[UsageToPrice | PricedUsage], pricer: RowPricer, on_error: str, lines: bool
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of the answer and the codes of all warnings in them."""
    rows: list[dict[str, Any]] = []
    codes: dict[str, None] = {}
    for index, row in enumerate(questions):
        answer = row if isinstance(row, PricedUsage) else pricer.price(row)
        fail_on_error(on_error, answer.error, f"/rows/{index}")
        codes.update(dict.fromkeys(answer.warnings))
        rows.append(to_api_price_row(answer, lines))
        if index % IN_LOOP_ROWS == IN_LOOP_ROWS - 1:
            await asyncio.sleep(0)
    return rows, list(codes)
