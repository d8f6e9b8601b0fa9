"""`POST /price`: the exact cost of stated usage."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.converters.common import from_api_fx, to_api_meta
from api.http.converters.price import from_api_price_row, to_api_price_row
from api.http.limits import check_rows
from api.http.problems import InvalidFieldsError
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    DelimiterParameter,
    FormatParameter,
    choose_format,
    render,
)
from api.http.schemas.price import PRICE_COLUMNS, PRICE_NUMBERS, PriceAnswer, PriceRequest
from api.http.state import service_of, snapshot_of
from api.services.pricing import PricedUsage, RowPricer
from economics.errors import PermillionError
from economics.exchange import Exchange

OnError = Annotated[
    str,
    QueryParameter(name="on_error", description="row (default): a bad row is a row; fail: it is a 422", max_length=10),
]
IN_LOOP_ROWS = 100
"""Up to so many rows are priced at once; more are priced in slices, so that other requests get their turn."""


def fail_on_error(on_error: str, error: PermillionError | None, pointer: str) -> None:
    """With `?on_error=fail` the first bad row is the answer."""
    if on_error not in ("row", "fail"):
        raise PermillionError("invalid-fields", "on_error is row or fail", pointer="/on_error")
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
    ) -> ASGIResponse:
        """The exact cost of each row of usage, with source, date and status of the prices used."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        snapshot = await snapshot_of(service, data.known_at)
        as_of = data.as_of or service.now()
        check_rows(len(data.fx), service.settings, "/fx")
        exchange = None if data.currency is None else Exchange(data.currency, from_api_fx(data.fx))
        pricer = RowPricer(snapshot, exchange)
        with_lines = lines and chosen == "json"
        rows: list[dict[str, Any]] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            row = from_api_price_row(value, index, as_of)
            answer = row if isinstance(row, PricedUsage) else pricer.price(row)
            fail_on_error(on_error, answer.error, f"/rows/{index}")
            codes.update(dict.fromkeys(answer.warnings))
            rows.append(to_api_price_row(answer, with_lines))
            if index % IN_LOOP_ROWS == IN_LOOP_ROWS - 1:
                await asyncio.sleep(0)
        meta = to_api_meta(as_of, snapshot.version, codes)
        return render(chosen, PRICE_COLUMNS, rows, {"meta": meta}, Csv(decimal_, delimiter, bom), PRICE_NUMBERS)
