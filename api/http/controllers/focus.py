"""`POST /focus`: priced usage as rows that tools for cloud bills read."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import IN_LOOP_ROWS, InvalidRowError
from api.http.converters.common import from_api_exchange, to_api_meta
from api.http.converters.focus import (
    FOCUS_NAMES,
    FOCUS_NUMBERS,
    from_api_billing_period,
    to_api_focus_row,
    to_csv_focus_row,
)
from api.http.converters.price import from_api_price_row
from api.http.limits import check_rows
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
from api.http.schemas.focus import FocusAnswer, FocusRequest
from api.http.state import service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.focus import FocusLines
from api.services.pricing import PricedUsage, RowPricer
from economics.errors import PermillionError

_HEADERS = {"content-disposition": 'attachment; filename="focus-shaped-estimate.csv"'}


class FocusController(Controller):
    """FOCUS-shaped estimates."""

    tags = ("price",)

    @post(
        "/focus",
        operation_id="focusEstimate",
        status_code=200,
        responses={200: ResponseSpec(FocusAnswer, description="A row a charged meter", generate_examples=False)},
    )
    async def focus(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[FocusRequest],
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """A FOCUS-shaped estimate: list, contracted and billed cost of each charged meter. It is no invoice."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        exchange = from_api_exchange(data.currency, data.fx)
        snapshot = await snapshot_of(service, data.known_at)
        as_of = data.as_of or service.now()
        pricer = RowPricer(snapshot, exchange)
        lines = FocusLines(snapshot, from_api_billing_period(data), data.billing_account_id)
        rows: list[dict[str, Any]] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            question = from_api_price_row(value, index, as_of)
            answer = question if isinstance(question, PricedUsage) else pricer.price(question)
            try:
                charged = lines.of(answer, {} if isinstance(question, PricedUsage) else question.usage)
            except PermillionError as error:  # a bill that lacks a row is a cost that nobody sees
                raise InvalidRowError(error, f"/rows/{index}") from None
            for row in charged:
                codes.update(dict.fromkeys(filter(None, (row["x_Warnings"] or "").split(";"))))
                rows.append(to_api_focus_row(row) if chosen not in ("csv", "xlsx") else to_csv_focus_row(row))
            if index % IN_LOOP_ROWS == IN_LOOP_ROWS - 1:
                await asyncio.sleep(0)
        meta = to_api_meta(as_of, snapshot.version, codes)
        style = Csv(decimal_, delimiter, bom, lang, question_of(request, data))
        headers = _HEADERS if chosen == "csv" else None
        return await render_many(chosen, FOCUS_NAMES, rows, {"meta": meta}, style, FOCUS_NUMBERS, headers)
