"""`POST /compare.csv`: a sheet of texts and offers, priced line by line."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
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
    to_csv_bad_row,
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
from api.services.comparing.compare import compare
from catalog.snapshot import Snapshot
from economics.errors import PermillionError

_AT_ONCE = 32
"""Questions whose texts are on their way to the counting processes together: one after the other would wait for each."""
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
        answered = await _answered(table, defaults, service, snapshot)
        fail_on_error(on_error, None, "")
        for line in sorted(answered.errors):
            fail_on_error(on_error, answered.errors[line], f"/rows/{line}")
        rows = [answered.rows[line] for line in range(len(table.lines))]
        meta = to_api_meta(defaults.as_of, snapshot.version, answered.codes)
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


@dataclass(slots=True)
class _Answered:
    """Rows and errors by line, and the codes of all warnings."""

    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    errors: dict[int, PermillionError] = field(default_factory=dict)
    codes: dict[str, None] = field(default_factory=dict)


async def _answered(table: CsvTable, defaults: Defaults, service: Service, snapshot: Snapshot) -> _Answered:
    """Every line answered, some questions at a time, so that other requests get their turn."""
    answered, together = _Answered(), list[LinesAlike]()
    counter = counter_of(service, snapshot)

    async def ask() -> None:
        ranked = await asyncio.gather(*(compare(lines.question, snapshot, counter) for lines in together))
        for lines, offers in zip(together, ranked, strict=True):
            found = {id(offer.prospect.wanted): offer for offer in offers}
            ordered = [found[id(wanted)] for wanted in lines.question.offers]
            answered.rows |= to_csv_compare_rows(lines, ordered, snapshot.version)
            for line, offer in zip(lines.lines, ordered, strict=True):
                answered.codes.update(dict.fromkeys(offer.warnings))
                if offer.error is not None:
                    answered.errors[line] = offer.error
        together.clear()
        await asyncio.sleep(0)

    for asked in from_csv_compare(table, defaults, snapshot):
        if isinstance(asked, BadLine):
            answered.rows[asked.line] = to_csv_bad_row(asked, defaults.as_of, snapshot.version)
            answered.errors[asked.line] = asked.error
            continue
        together.append(asked)
        if len(together) == _AT_ONCE:
            await ask()
    await ask()
    return answered
