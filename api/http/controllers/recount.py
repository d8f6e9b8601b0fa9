"""`POST /recount`: an invoice held against its texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import from_api_exchange, to_api_meta
from api.http.converters.recount import from_api_recount_row, to_api_recount_totals, to_api_recounted_row
from api.http.limits import check_rows, check_texts
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
from api.http.schemas.recount import RECOUNT_COLUMNS, RECOUNT_NUMBERS, RecountAnswer, RecountRequest
from api.http.state import service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.pricing import PricedUsage, RowPricer
from api.services.recounting import BilledText, recount


class RecountController(Controller):
    """Recounts of invoices."""

    tags = ("price",)

    @post(
        "/recount",
        operation_id="recountInvoice",
        status_code=200,
        responses={200: ResponseSpec(RecountAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def recount(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[RecountRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """Count the texts of billed rows anew: the difference, what explains it, and what it costs."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        check_rows(len(data.fx), service.settings, "/fx")
        exchange = from_api_exchange(data.currency, data.fx)
        as_of = data.as_of or service.now()
        rows = [from_api_recount_row(value, index, as_of) for index, value in enumerate(data.rows)]
        check_texts(_places(rows), service.settings)
        snapshot = await snapshot_of(service, data.known_at)
        answers = await recount(rows, RowPricer(snapshot, exchange), service.counter)
        for index, answer in enumerate(answers):
            fail_on_error(on_error, answer.error, f"/rows/{index}")
        meta = to_api_meta(as_of, snapshot.version, [code for answer in answers for code in answer.warnings])
        return render(
            chosen,
            RECOUNT_COLUMNS,
            [to_api_recounted_row(answer) for answer in answers],
            {"totals": to_api_recount_totals(answers), "meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            RECOUNT_NUMBERS,
        )


def _places(rows: Sequence[BilledText | PricedUsage]) -> Iterator[tuple[str, str]]:
    for index, row in enumerate(rows):
        if isinstance(row, BilledText):
            for name, text in (
                ("input_text", row.input_text),
                ("output_text", row.output_text),
                ("system_text", row.system_text),
            ):
                if text is not None:
                    yield f"/rows/{index}/{name}", text
