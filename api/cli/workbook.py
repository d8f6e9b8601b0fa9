"""`permillion workbook`: a workbook that asks the service by formulas, with the four usual questions.

Formulas are WEBSERVICE over `GET /cell/{figure}`: no macro, so that it opens where macros are forbidden. A URL may have 2,048
characters in Excel; longer texts need Power Query or a macro, which POST. Dates are text and decimal commas are replaced before they go
into a URL: both would otherwise depend on the reader's locale.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

DEFAULT_SERVICE = "http://127.0.0.1:8000"
_AS_OF = "2026-11-30"
_TEXT = "Where is my parcel? It reached your hub in Hangzhou three days ago and has not moved since."
_OFFERS = (
    "openai/gpt-6-sol",
    "anthropic/claude-opus-5",
    "google/gemini-2.5-pro",
    "mistral/mistral-large-2512",
    "deepseek/deepseek-v4-pro",
)
_HEAD, _FIRST = 6, 7
"""Lines of a sheet, from 0: the header of the table and its first line."""

Cell = str | int | float


@dataclass(frozen=True, slots=True)
class _Question:
    """A sheet: what is stated above the table, the columns of the table, its lines; text that begins with = is a formula.

    `{row}` in a formula is the number of its line.
    """

    name: str
    purpose: str
    stated: Sequence[tuple[str, Cell]]
    columns: Sequence[str]
    lines: Sequence[Sequence[Cell]]
    total: str | None = None


def _figure(name: str, offer: str = "$A{row}", **parameters: str) -> str:
    """A formula that asks for one figure; `parameters` are references to cells.

    The answer has a point as decimal sign in every locale; a refusal is shown as its text.

    >>> _figure("cost_per_query", input_tokens="B{row}")[:76]
    '=IFERROR(_xlfn.NUMBERVALUE(_xlfn.WEBSERVICE(start!$B$2&"/cell/cost_per_query'
    """
    url = f'start!$B$2&"/cell/{name}?errors=inline&as_of="&start!$B$3&"&currency="&start!$B$4&"&offer="&_xlfn.ENCODEURL({offer})'
    for parameter, cell in parameters.items():
        value = f"_xlfn.ENCODEURL({cell})" if parameter == "text" else f'SUBSTITUTE({cell},",",".")'
        url += f'&"&{parameter}="&{value}'
    asked = f"_xlfn.WEBSERVICE({url})"
    return f'=IFERROR(_xlfn.NUMBERVALUE({asked},"."),{asked})'


def _questions() -> Sequence[_Question]:
    on_text: Mapping[str, str] = {"text": "$B$3", "output_tokens": "$B$4", "queries_per_month": "$B$5"}
    usage: Mapping[str, str] = {"input_tokens": "$B{row}", "output_tokens": "$C{row}", "queries_per_month": "$D{row}"}
    return (
        _Question(
            "compare",
            "What my own text costs at each offer, counted with each model's tokenizer.",
            (("text", _TEXT), ("output tokens per query", 200), ("queries per month", 100_000)),
            ("offer", "input tokens", "cost per query", "cost per month", "rank"),
            [
                (
                    offer,
                    _figure("input_tokens", **on_text),
                    _figure("cost_per_query", **on_text),
                    _figure("cost_per_month", **on_text),
                    f"=RANK(C{{row}},C${_FIRST + 1}:C${_FIRST + len(_OFFERS)},1)",
                )
                for offer in _OFFERS
            ],
        ),
        _Question(
            "monthly bill",
            "What stated usage costs a month; tokens are per query.",
            (),
            ("offer", "input tokens", "output tokens", "queries per month", "cost per month"),
            [
                ("openai/gpt-6-sol", 1_200, 300, 500_000, _figure("cost_per_month", **usage)),
                ("anthropic/claude-opus-5", 4_000, 800, 20_000, _figure("cost_per_month", **usage)),
                ("mistral/mistral-large-2512", 900, 150, 1_000_000, _figure("cost_per_month", **usage)),
            ],
            f"=SUM(E{_FIRST + 1}:E{_FIRST + 3})",
        ),
        _Question(
            "margin",
            "What is left of what my customer pays a query, and the price that leaves the margin I want.",
            (("price to the customer per query", 0.02), ("wanted gross margin (0 to 1)", 0.7)),
            ("offer", "input tokens", "output tokens", "cost per query", "gross margin", "price for the wanted margin"),
            [
                (
                    offer, 1_200, 300,
                    _figure("cost_per_query", input_tokens="$B{row}", output_tokens="$C{row}"),
                    _figure("gross_margin_ratio", input_tokens="$B{row}", output_tokens="$C{row}", revenue_per_query="$B$3"),
                    "=D{row}/(1-$B$4)",
                )
                for offer in _OFFERS
            ],
        ),
        _Question(
            "break-even",
            "From which volume on a fixed cost of my own (machines, staff) is cheaper than an offer. POST /break-even knows steps.",
            (("own fixed cost per month", 25_000), ("own variable cost per query", 0.0001), ("queries the machines can take", 60_000_000)),
            ("offer", "input tokens", "output tokens", "cost per query", "break-even queries per month", "within my machines"),
            [
                (
                    offer, 1_200, 300,
                    _figure("cost_per_query", input_tokens="$B{row}", output_tokens="$C{row}"),
                    '=IF(D{row}>$B$4,$B$3/(D{row}-$B$4),"never")',
                    "=AND(ISNUMBER(E{row}),E{row}<=$B$5)",
                )
                for offer in _OFFERS
            ],
        ),
    )  # fmt: skip


def build_workbook(service: str) -> bytes:
    """The workbook; the same service gives the same bytes."""
    out = io.BytesIO()
    with Workbook(out) as book:
        book.set_properties({"title": "permillion", "created": datetime(2026, 12, 1, tzinfo=UTC)})
        start = book.add_worksheet("start")
        start.set_column(0, 1, 44)
        for line, (name, value) in enumerate(
            (
                (
                    "permillion",
                    "Allow links when asked; formulas ask the service, your text goes there and is not kept.",
                ),
                ("service", service),
                ("prices as of (text, not a date)", _AS_OF),
                ("currency", "USD"),
            )
        ):
            start.write_string(line, 0, name)
            start.write_string(line, 1, value)
        for question in _questions():
            _write(book.add_worksheet(question.name), question)
    return out.getvalue()


def _write(sheet: Worksheet, question: _Question) -> None:
    sheet.set_column(0, len(question.columns), 26)
    sheet.write_string(0, 0, question.purpose)
    for line, (name, value) in enumerate(question.stated, start=2):
        sheet.write_string(line, 0, name)
        _write_cell(sheet, line, 1, value)
    for place, name in enumerate(question.columns):
        sheet.write_string(_HEAD, place, name)
    for line, cells in enumerate(question.lines, start=_FIRST):
        for place, value in enumerate(cells):
            _write_cell(sheet, line, place, value)
    if question.total is not None:
        last = _FIRST + len(question.lines)
        sheet.write_string(last, 0, "total")
        sheet.write_formula(last, len(question.columns) - 1, question.total)


def _write_cell(sheet: Worksheet, line: int, place: int, value: Cell) -> None:
    if isinstance(value, str):
        if value.startswith("="):
            sheet.write_formula(line, place, value.replace("{row}", str(line + 1)), value="")
        else:
            sheet.write_string(line, place, value)
    else:
        sheet.write_number(line, place, value)


@click.command(name="workbook")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--service", default=DEFAULT_SERVICE, show_default=True, help="address that the formulas ask")
def command(file: Path, service: str) -> None:
    """Write FILE, an .xlsx that asks by formulas: compare on my text, monthly bill, margin, break-even."""
    file.write_bytes(build_workbook(service.rstrip("/")))
    click.echo(f"{file}: open it in Excel for Windows or LibreOffice and allow its links; texts go to {service}")
