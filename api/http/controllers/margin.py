"""`POST /margin`: what is left of a price."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import from_api_fx, to_api_meta
from api.http.converters.margin import (
    from_api_margin_row,
    to_api_margin_row,
    to_api_query_lines,
    to_api_swings,
)
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
from api.http.schemas.margin import MARGIN_COLUMNS, MARGIN_NUMBERS, MarginAnswer, MarginRequest
from api.http.state import service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.margins import margin_of
from economics.exchange import Exchange
from economics.money import Exact


class MarginController(Controller):
    """Margins."""

    tags = ("margin",)

    @post(
        "/margin",
        operation_id="workOutMargin",
        status_code=200,
        responses={200: ResponseSpec(MarginAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def margin(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[MarginRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Gross margin and mark-up of a price against every cost, the price of a wanted margin, and what moves it most."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        exchange = Exchange(data.currency, from_api_fx(data.fx))
        snapshot = await snapshot_of(service, data.known_at)
        as_of = data.as_of or service.now()
        swing = Exact(data.swing_share)
        rows: list[dict[str, Any]] = []
        swings: list[dict[str, Any]] = []
        lines: list[dict[str, Any]] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            result = margin_of(from_api_margin_row(value, index, as_of, data.tax), snapshot, exchange, swing)
            fail_on_error(on_error, result.error, f"/rows/{index}")
            codes.update(dict.fromkeys([*result.warnings, *result.reasons]))
            rows.append(to_api_margin_row(result, data.currency, as_of, swing, snapshot.version))
            if chosen == "json":
                swings += to_api_swings(result)
                lines += to_api_query_lines(result)
            await asyncio.sleep(0)  # a row is worked out some forty times for its sensitivity, which takes 5 ms
        beside = {"sensitivity": swings, "lines": lines, "meta": to_api_meta(as_of, snapshot.version, codes)}
        return await render_many(
            chosen,
            MARGIN_COLUMNS,
            rows,
            beside,
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            MARGIN_NUMBERS,
        )
