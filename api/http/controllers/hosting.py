"""`POST /hosting-cost`: what a query costs on rented or owned accelerators."""

from __future__ import annotations

from typing import Any

from litestar import Controller, Request, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import from_api_exchange, to_api_meta
from api.http.converters.hosting import from_api_hosting_row
from api.http.converters.hosting_rows import to_api_hosting
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
from api.http.schemas.hosting import HostingRequest
from api.http.schemas.hosting_rows import HOSTING_COLUMNS, HOSTING_NUMBERS, HostingAnswer
from api.http.state import service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.hosting.answering import HostedAnswer, answer_all
from api.services.hosting.machinery import machinery_of

_ROWS_AT_ONCE = 500
"""Estimates of many rows are made together, beside the event loop."""


class HostingController(Controller):
    """Hosting cost."""

    tags = ("hosting",)

    @post(
        "/hosting-cost",
        operation_id="hostingCost",
        status_code=200,
        responses={200: ResponseSpec(HostingAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def hosting_cost(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[HostingRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Cost per query with its prefill, decode and idle lines, per million tokens, and per month by whole replicas."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        as_of = data.as_of or service.now()
        exchange = from_api_exchange(data.currency, data.fx)
        snapshot = await snapshot_of(service, data.known_at)
        machinery = machinery_of(snapshot)
        answers: list[HostedAnswer] = []
        for start in range(0, len(data.rows), _ROWS_AT_ONCE):
            values = data.rows[start : start + _ROWS_AT_ONCE]
            asked = [from_api_hosting_row(value, start + index, as_of) for index, value in enumerate(values)]
            answers += await sync_to_thread(answer_all, asked, machinery, exchange)
        for index, answered in enumerate(answers):
            fail_on_error(on_error, answered.error, f"/rows/{index}")
        rows = [to_api_hosting(answered, data.currency, snapshot.version) for answered in answers]
        meta = to_api_meta(as_of, snapshot.version, [code for answered in answers for code in answered.warnings])
        return await render_many(
            chosen,
            HOSTING_COLUMNS,
            rows,
            {"meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            HOSTING_NUMBERS,
        )
