"""`POST /break-even`: at which volumes which side is cheaper."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from litestar import Controller, Request, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.break_even import from_api_volume_question, to_api_break_even, to_api_tables
from api.http.converters.common import to_api_meta
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
from api.http.schemas.break_even import TABLES, BreakEvenAnswer, BreakEvenRequest
from api.http.state import service_of
from api.http.writing.provenance import question_of
from api.services.breaking_even import Answered, VolumeQuestion, answer_volumes
from api.services.machines.profiles import profile_lookup
from api.services.owning import ProfileLookup

_Tables = dict[str, list[dict[str, Any]]]


class BreakEvenController(Controller):
    """Break-evens."""

    tags = ("hardware",)

    @post(
        "/break-even",
        operation_id="findBreakEven",
        status_code=200,
        responses={200: ResponseSpec(BreakEvenAnswer, description="Row i answers row i", generate_examples=False)},
    )
    async def break_even(
        self,
        request: Request[Any, Any, State],
        data: JSONBody[BreakEvenRequest],
        on_error: OnError = "row",
        table: Annotated[
            Literal["rows", "crossings", "intervals", "curve"],
            QueryParameter(name="table", description="which of the four CSV and NDJSON carry; JSON has all"),
        ] = "rows",
        format_: FormatParameter = None,
        decimal_: DecimalParameter = "point",
        delimiter: DelimiterParameter = ",",
        bom: BomParameter = False,
        lang: LangParameter = None,
    ) -> ASGIResponse:
        """An API against hosting, or renting against owning, over a range of volumes: the stepped curve and every crossing."""
        service = service_of(request)
        chosen = choose_format(request.headers.get("accept", ""), format_)
        check_rows(len(data.rows), service.settings, "/rows")
        tables: _Tables = {name: [] for name in TABLES}
        codes: dict[str, None] = {}
        lookup = profile_lookup(service.catalog.snapshot.hardware)
        for index, value in enumerate(data.rows):
            answered, row, beside = await sync_to_thread(_answer, from_api_volume_question(value, index), lookup)
            fail_on_error(on_error, answered.error, f"/rows/{index}")
            codes.update(dict.fromkeys(answered.warnings))
            tables["rows"].append(row)
            for name, lines in beside.items():
                tables[name] += lines
            check_rows(len(tables["curve"]), service.settings, "/rows", "steps of a replica in all curves")
        meta = to_api_meta(data.as_of or service.now(), service.catalog.snapshot.version, codes)
        if chosen == "json":
            beside = {name: lines for name, lines in tables.items() if name != "rows"}
            return await render_many(chosen, (), tables["rows"], {**beside, "meta": meta})
        columns, numbers = TABLES[table]
        return await render_many(
            chosen, columns, tables[table], {}, Csv(decimal_, delimiter, bom, lang, question_of(request, data)), numbers
        )


def _answer(asked: VolumeQuestion, lookup: ProfileLookup) -> tuple[Answered, dict[str, Any], _Tables]:
    """A question worked out and written: thousands of steps would keep the event loop."""
    answered = answer_volumes(asked, lookup)
    return answered, to_api_break_even(answered), to_api_tables(answered)
