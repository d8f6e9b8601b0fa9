"""`POST /compare.csv`: a sheet of texts and offers, priced line by line."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Controller, Request, post
from litestar.datastructures import State
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.controllers.price import OnError, fail_on_error
from api.http.converters.common import to_api_meta
from api.http.converters.compare_csv import (
    COMPARE_CSV_COLUMNS,
    BadLine,
    Defaults,
    LinesAlike,
    from_csv_compare,
    to_csv_compare_rows,
)
from api.http.converters.query import read_fx
from api.http.csv_in import CsvTable, charset_of, read_csv
from api.http.limits import check_rows, check_texts
from api.http.rendering import (
    BomParameter,
    Csv,
    DecimalParameter,
    ErrorsParameter,
    FormatParameter,
    LangParameter,
    choose_format,
    read_delimiter,
    render_many,
    with_inline_errors,
)
from api.http.schemas.compare import COMPARE_COLUMNS, COMPARE_NUMBERS, CompareRequest
from api.http.state import Service, counter_of, service_of
from api.http.wire import decode_model
from api.http.writing.provenance import question_of
from api.services.comparing.compare import ComparedOffer, compare
from catalog.snapshot import Snapshot

_TEXT_COLUMNS = ("text", "output_text", "system_text")


class CompareCsvController(Controller):
    """The main question from a spreadsheet."""

    tags = ("compare",)

    @post("/compare.csv", operation_id="compareOffersCsv", status_code=200, media_type="text/csv")
    async def compare_csv(
        self,
        request: Request[Any, Any, State],
        offer: Annotated[
            str | None, QueryParameter(name="offer", description="of lines that name none", max_length=300)
        ] = None,
        currency: Annotated[str, QueryParameter(name="currency", description="ISO 4217 code of the answer")] = "USD",
        as_of: Annotated[str | None, QueryParameter(name="as_of", description="RFC 3339; default: now")] = None,
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
        """CSV in, CSV out, line i answers line i: `offer`, `text` or `input_tokens`, `output_tokens` and the like, context keys."""
        service = service_of(request)
        charset = charset_of(request)
        accept = request.headers.get("accept", "*/*")
        chosen = "csv" if format_ is None and accept in ("", "*/*") else choose_format(accept, format_)
        separator = None if delimiter is None else read_delimiter(delimiter)
        table = read_csv(await request.body(), COMPARE_CSV_COLUMNS, separator, charset)
        _check(table, service)
        beside: dict[str, Any] = {"currency": currency, "fx": [read_fx(rate) for rate in (fx or "").split(",") if rate]}
        if as_of is not None:
            beside["as_of"] = as_of
        stated = decode_model(CompareRequest, {**beside, "text": "", "offers": [""]})
        defaults = Defaults(offer, stated.as_of or service.now(), beside, decimal_)
        snapshot = service.catalog.snapshot
        answers, bad = await _answered(table, defaults, service, snapshot)
        refused = {line.line: line.error for line in bad} | {
            line: found.error
            for alike, offers in answers
            for line, found in zip(alike.lines, offers, strict=True)
            if found.error is not None
        }
        for line in sorted(refused):
            fail_on_error(on_error, refused[line], f"/rows/{line}")
        fail_on_error(on_error, None, "")
        codes = [code for _, offers in answers for found in offers for code in found.warnings]
        rows = to_csv_compare_rows(answers, bad, defaults, snapshot.version)
        meta = to_api_meta(defaults.as_of, snapshot.version, codes)
        style = Csv(decimal_, separator or table.delimiter, bom, lang, question_of(request))
        shown = rows if errors is None else with_inline_errors(chosen, rows, "cost_per_query")
        return await render_many(chosen, COMPARE_COLUMNS, shown, {"meta": meta}, style, COMPARE_NUMBERS)


def _check(table: CsvTable, service: Service) -> None:
    check_rows(len(table.lines), service.settings, "/rows")
    places = [(column, table.columns.index(column)) for column in _TEXT_COLUMNS if column in table.columns]
    texts = (
        (f"/rows/{index}/{column}", line[place])
        for index, line in enumerate(table.lines)
        for column, place in places
        if place < len(line)
    )
    check_texts(texts, service.settings)


async def _answered(
    table: CsvTable, defaults: Defaults, service: Service, snapshot: Snapshot
) -> tuple[list[tuple[LinesAlike, list[ComparedOffer]]], list[BadLine]]:
    """Each question with its offers in the order of its lines, and the lines that are none."""
    answers: list[tuple[LinesAlike, list[ComparedOffer]]] = []
    bad: list[BadLine] = []
    counter = counter_of(service, snapshot)
    for asked in from_csv_compare(table, defaults, snapshot):
        if isinstance(asked, BadLine):
            bad.append(asked)
            continue
        ranked = {id(found.prospect.wanted): found for found in await compare(asked.question, snapshot, counter)}
        answers.append((asked, [ranked[id(wanted)] for wanted in asked.question.offers]))
    return answers, bad
