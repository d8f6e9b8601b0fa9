"""`POST /statement`: the bill of a month under a contract."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from litestar import Controller, Request, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.price import IN_LOOP_ROWS, OnError, fail_on_error
from api.http.converters.common import from_api_exchange, to_api_meta
from api.http.converters.price import to_api_price_row
from api.http.converters.statement import from_api_statement_row, to_api_statement_line, to_api_totals
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
from api.http.schemas.price import PRICE_COLUMNS, PRICE_NUMBERS
from api.http.schemas.statement import (
    LINE_COLUMNS,
    LINE_NUMBERS,
    TOTALS_COLUMNS,
    TOTALS_NUMBERS,
    StatementAnswer,
    StatementRequest,
)
from api.http.state import service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.pricing import PricedUsage
from api.services.statement import MonthOfUsage
from economics.contracts.months import parse_month
from economics.errors import PermillionError

_TABLES: Final = {
    "rows": (PRICE_COLUMNS, PRICE_NUMBERS),
    "lines": (LINE_COLUMNS, LINE_NUMBERS),
    "totals": (TOTALS_COLUMNS, TOTALS_NUMBERS),
}
_TERMS_A_ROW: Final = 100
"""Rows times terms that hold in the month are at most so many times the most rows: each term looks at each row."""


class StatementController(Controller):
    """Statements."""

    tags = ("price",)

    @post(
        "/statement",
        operation_id="makeStatement",
        status_code=200,
        responses={200: ResponseSpec(StatementAnswer, description="The month's bill", generate_examples=False)},
    )
    async def statement(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[StatementRequest],
        lines: Annotated[bool, QueryParameter(name="lines", description="with the charged meters; JSON only")] = False,
        on_error: OnError = "row",
        table: Annotated[
            Literal["rows", "lines", "totals"],
            QueryParameter(name="table", description="which of the three CSV, XLSX and NDJSON carry; JSON has all"),
        ] = "rows",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """The bill of a month under a private book: rows at its rates, each effect of its terms as a line, what is payable."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        period = parse_month(data.month, pointer="/month")
        assert period.valid_from is not None
        assert period.valid_to is not None
        exchange = from_api_exchange(data.currency, data.fx)
        snapshot = await snapshot_of(service, data.known_at)
        month = MonthOfUsage(snapshot, data.price_book, period, exchange)
        looked_at = len(data.rows) * sum(term.period.overlaps(period) for term in month.terms)
        if looked_at > service.settings.max_rows * _TERMS_A_ROW:
            raise PermillionError("too-many-rows", f"{looked_at} rows times terms of the month", pointer="/rows")
        rows: list[dict[str, Any]] = []
        codes: dict[str, None] = {}
        for index, value in enumerate(data.rows):
            asked = from_api_statement_row(value, index, data.price_book, period.valid_from)
            answer = month.price(asked)
            fail_on_error(on_error, answer.error, f"/rows/{index}")
            codes.update(dict.fromkeys(answer.warnings))
            row = to_api_price_row(answer, lines and chosen == "json")
            rows.append(row | {"as_of": None} if isinstance(asked, PricedUsage) else row)
            if index % IN_LOOP_ROWS == IN_LOOP_ROWS - 1:
                await asyncio.sleep(0)
        effects, totals = await sync_to_thread(_settled, month, data.opening)
        document = {"lines": effects, "totals": totals, "meta": to_api_meta(period.valid_to, snapshot.version, codes)}
        if chosen == "json":
            return await render_many(chosen, PRICE_COLUMNS, rows, document)
        columns, numbers = _TABLES[table]
        shown = {"rows": rows, "lines": effects, "totals": [totals]}[table]
        return await render_many(
            chosen,
            columns,
            shown,
            {"meta": document["meta"]},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            numbers,
        )


def _settled(month: MonthOfUsage, opening: Mapping[str, Decimal]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Lines and totals of the answer."""
    statement = month.settle(opening)
    lines = [to_api_statement_line(line, month) for line in statement.settlement.lines]
    return lines, to_api_totals(statement, month)
