"""`POST /capacity`, `GET /capacity-rules`: reserved capacity."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from litestar import Controller, Request, get, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.controllers.reference import listed
from api.http.converters.capacity import (
    from_api_capacity_row,
    to_api_capacity_row,
    to_api_rule,
    to_api_sizing,
    to_api_term,
)
from api.http.converters.common import from_api_fx, to_api_meta
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
from api.http.schemas.capacity import (
    CAPACITY_COLUMNS,
    CAPACITY_NUMBERS,
    CapacityAnswer,
    CapacityRequest,
    CapacityRuleOut,
    CapacityRulesAnswer,
)
from api.http.state import service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.reserving.capacity import capacity_of
from economics.exchange import Exchange
from providers.capacity_rules import capacity_rules

_IN_LOOP_ROWS: Final = 10
"""A row may have a thousand periods and runs."""


class CapacityController(Controller):
    """Reserved capacity."""

    tags = ("margin",)

    @post(
        "/capacity",
        operation_id="sizeCapacity",
        status_code=200,
        responses={200: ResponseSpec(CapacityAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def capacity(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[CapacityRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Units of reserved capacity for a load, their cost by term and per query, overflow, and the load at which they pay."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        exchange = Exchange(data.currency, from_api_fx(data.fx))
        snapshot = await snapshot_of(service, data.known_at)
        as_of = data.as_of or service.now()
        rows: list[dict[str, Any]] = []
        sizing: list[dict[str, Any]] = []
        terms: list[dict[str, Any]] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            result = capacity_of(from_api_capacity_row(value, index, as_of, data.tax), snapshot, exchange)
            fail_on_error(on_error, result.error, f"/rows/{index}")
            codes.update(dict.fromkeys([*result.warnings, *result.reasons]))
            rows.append(to_api_capacity_row(result, data.currency, as_of, snapshot.version))
            sizing += to_api_sizing(result)
            terms += [{"row_id": result.asked.row_id} | to_api_term(term) for term in result.terms]
            if index % _IN_LOOP_ROWS == _IN_LOOP_ROWS - 1:
                await asyncio.sleep(0)
        beside = {"sizing": sizing, "terms": terms, "meta": to_api_meta(as_of, snapshot.version, codes)}
        return await render_many(
            chosen,
            CAPACITY_COLUMNS,
            rows,
            beside,
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            CAPACITY_NUMBERS,
        )

    @get(
        "/capacity-rules",
        operation_id="listCapacityRules",
        status_code=200,
        responses={200: ResponseSpec(CapacityRulesAnswer, description="All published rules", generate_examples=False)},
    )
    async def rules(
        self,
        request: Request[Any, Any, State],
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """How vendors say that reserved capacity is sized: weights, throughput of a unit, minimum and increment; no prices."""
        rows = [to_api_rule(rule) for rule in capacity_rules().values()]
        style = Csv(decimal_, delimiter, bom, lang, question_of(request))
        return listed(request, tuple(CapacityRuleOut.model_fields), rows, format_, style=style)
