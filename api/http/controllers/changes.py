"""`POST /price-change`: what a new price, version or tokenizer does to the cost of the caller's text."""

from __future__ import annotations

from typing import Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody
from litestar.response.base import ASGIResponse

from api.http.controllers.compare import text_places
from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.changes import from_api_change, to_api_change, warnings_of
from api.http.converters.common import to_api_meta
from api.http.converters.compare import from_api_samples
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
from api.http.schemas.changes import CHANGE_COLUMNS, CHANGE_NUMBERS, PriceChangeAnswer, PriceChangeRequest
from api.http.state import counter_of, service_of, snapshot_of
from api.http.writing.provenance import question_of
from api.services.comparing.changes import measure_changes


class ChangesController(Controller):
    """Effective changes of price."""

    tags = ("compare",)

    @post(
        "/price-change",
        operation_id="measurePriceChange",
        status_code=200,
        responses={200: ResponseSpec(PriceChangeAnswer, description="Row i answers change i", generate_examples=False)},
    )
    async def measure(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[PriceChangeRequest],
        on_error: OnError = "row",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """The same text before and after: how much more it costs, and how much of that is the tokenizer."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.fx), service.settings, "/fx")
        now = service.now()
        question = from_api_samples(data, now)
        turns = question.workload.turns_per_conversation
        work = len(data.changes) * len(question.samples) * turns
        check_rows(work, service.settings, "/changes", "samples times changes times turns")
        check_texts(text_places(question, one_text=data.text is not None), service.settings)
        snapshot = await snapshot_of(service, data.known_at)
        changes = [from_api_change(value, index) for index, value in enumerate(data.changes)]
        measured = await measure_changes(question, changes, snapshot, counter_of(service, snapshot))
        for index, change in enumerate(measured):
            fail_on_error(on_error, change.error, f"/changes/{index}")
        rows = [to_api_change(change, question.currency, snapshot.version) for change in measured]
        meta = to_api_meta(now, snapshot.version, [code for change in measured for code in warnings_of(change)])
        return render(
            chosen,
            CHANGE_COLUMNS,
            rows,
            {"meta": meta},
            Csv(decimal_, delimiter, bom, lang, question_of(request, data)),
            CHANGE_NUMBERS,
        )
