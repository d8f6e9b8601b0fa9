"""Rows as JSON, CSV, XLSX or NDJSON, by `?format=` or `Accept`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from litestar.concurrency import sync_to_thread
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.writing.labels import Language
from api.http.writing.labels import headers as header_line
from api.http.writing.provenance import Asked
from api.http.writing.xlsx import to_xlsx
from economics.errors import PermillionError

Row = Mapping[str, Any]
Format = Literal["json", "csv", "xlsx", "ndjson"]
FormatParameter = Annotated[
    str | None,
    QueryParameter(name="format", description="json, csv, xlsx or ndjson; stands above Accept", max_length=20),
]
DecimalParameter = Annotated[
    Literal["point", "comma"], QueryParameter(name="decimal", description="decimal sign of numbers in CSV")
]
DelimiterParameter = Annotated[
    str, QueryParameter(name="delimiter", description="one of , ; tab, for CSV", max_length=3)
]
BomParameter = Annotated[bool, QueryParameter(name="bom", description="start CSV with a byte order mark, for Excel")]
LangParameter = Annotated[
    Language | None,
    QueryParameter(name="lang", description="headers of CSV and XLSX for people; left out: the names of the fields"),
]
ErrorsParameter = Annotated[
    Literal["inline"] | None,
    QueryParameter(name="errors", description="inline: in CSV and XLSX the figure's cell says why there is none"),
]

MEDIA_TYPES: dict[str, Format] = {
    "application/json": "json",
    "text/csv": "csv",
    "application/x-ndjson": "ndjson",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
_TYPES: dict[Format, str] = {chosen: media_type for media_type, chosen in MEDIA_TYPES.items()}
_DOWNLOAD = {"content-disposition": 'attachment; filename="permillion.xlsx"'}
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+", re.ASCII)
INLINE_ERROR = "#permillion:"
_SLICE = 500
"""Rows written at once: more would hold up every other request."""
_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the begin of a formula; East Asian ones take the fullwidth signs for the plain ones (CWE-1236)."""


@dataclass(frozen=True, slots=True)
class Csv:
    """How tables are written: CSV in all respects, XLSX with `lang` and what was `asked`."""

    decimal: Literal["point", "comma"] = "point"
    delimiter: str = ","
    bom: bool = False
    lang: Language | None = None
    asked: Asked | None = None


PLAIN = Csv()
"""As nobody asked for anything else."""


def choose_format(accept: str, asked: str | None) -> Format:
    """`?format=` if given, else the first type of `Accept` that we have, else JSON.

    Raises:
        PermillionError: `not-acceptable` for a format we do not write.
    """
    if asked is not None:
        if asked not in MEDIA_TYPES.values():
            raise PermillionError("not-acceptable", "format is json, csv, xlsx or ndjson", pointer="/format")
        return asked  # type: ignore[return-value]
    if accept in ("*/*", "application/json", ""):
        return "json"
    wildcard = named = False
    offers = []
    for index, part in enumerate(accept.split(",")):
        media_type, _, parameters = part.partition(";")
        offers.append((-_quality(parameters), index, media_type.strip().lower()))
    for quality, _, media_type in sorted(offers):
        if quality and media_type in MEDIA_TYPES:
            return MEDIA_TYPES[media_type]
        named = named or (bool(quality) and _MEDIA_TYPE.fullmatch(media_type) is not None)
        wildcard = wildcard or (bool(quality) and media_type in ("*/*", "application/*"))
    if named and not wildcard:
        raise PermillionError("not-acceptable", f"rows are written as {', '.join(MEDIA_TYPES)}")
    return "json"


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.strip().partition("=")
        if name == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0


def render(
    chosen: Format,
    columns: Sequence[str],
    rows: Sequence[Row],
    document: Mapping[str, Any],
    csv_style: Csv = Csv(),
    numeric: frozenset[str] = frozenset(),
    headers: dict[str, str] | None = None,
) -> ASGIResponse:
    """The response for `rows`, ready to be sent: Litestar's `Response` would only be turned into one at every request.

    Args:
        columns: the columns of CSV and XLSX, in order; JSON and NDJSON carry the rows as they are.
        document: what stands beside `rows` in JSON (`meta`, …).
    """
    if chosen == "csv":
        return ASGIResponse(
            body=to_csv(columns, rows, csv_style, numeric), media_type="text/csv", headers=headers, status_code=200
        )
    if chosen == "xlsx":
        body = to_xlsx(columns, rows, document, numeric, csv_style.lang, csv_style.asked)
        kept = {**_DOWNLOAD, **(headers or {})}
        return ASGIResponse(body=body, media_type=_TYPES["xlsx"], headers=kept, status_code=200)
    if chosen == "ndjson":
        body = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        return ASGIResponse(body=body, media_type="application/x-ndjson", headers=headers, status_code=200)
    return ASGIResponse(body=to_json(rows, document), media_type="application/json", headers=headers, status_code=200)


async def render_many(
    chosen: Format,
    columns: Sequence[str],
    rows: Sequence[Row],
    document: Mapping[str, Any],
    csv_style: Csv = Csv(),
    numeric: frozenset[str] = frozenset(),
    headers: dict[str, str] | None = None,
) -> ASGIResponse:
    """As `render`; many rows are written beside the event loop, so that other requests are answered meanwhile."""
    if len(rows) <= _SLICE:
        return render(chosen, columns, rows, document, csv_style, numeric, headers)
    return await sync_to_thread(render, chosen, columns, rows, document, csv_style, numeric, headers)


def to_json(rows: Sequence[Row], document: Mapping[str, Any]) -> bytes:
    """`{"rows": [...], ...}`; the encoder lets no other thread run, so it gets a slice at a time.

    >>> to_json([{"a": "1"}], {"meta": {}}), to_json([], {})
    (b'{"rows":[{"a":"1"}],"meta":{}}', b'{"rows":[]}')
    """
    if len(rows) <= _SLICE:
        return msgspec.json.encode({"rows": rows, **document})
    slices = [msgspec.json.encode(rows[start : start + _SLICE])[1:-1] for start in range(0, len(rows), _SLICE)]
    beside = msgspec.json.encode(document)
    return b"".join((b'{"rows":[', b",".join(slices), b"]", b"," if document else b"", beside[1:]))


def to_csv(columns: Sequence[str], rows: Iterable[Row], style: Csv, numeric: frozenset[str] = frozenset()) -> bytes:
    r"""`rows` as CSV: CRLF lines, text that a spreadsheet would run as a formula neutralised by an apostrophe.

    Cells of `numeric` columns are never touched but for the decimal sign: a negative margin stays a number.

    >>> to_csv(["a", "b"], [{"a": "=1+1", "b": "-0.5"}], Csv("comma", ";"), frozenset({"b"})).decode()
    "a;b\r\n'=1+1;-0,5\r\n"
    """
    delimiter = read_delimiter(style.delimiter)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(header_line(columns, style.lang))
    for row in rows:
        writer.writerow([_cell(row.get(column), column in numeric, style) for column in columns])
    return (b"\xef\xbb\xbf" if style.bom else b"") + out.getvalue().encode()


def with_inline_errors(chosen: Format, rows: Iterable[Row], column: str) -> list[Row]:
    """For sheets: the cell of `column` of a row that has no figure says why, since its reader may never see the others.

    >>> with_inline_errors("csv", [{"total": None, "error_code": "unknown-model"}], "total")
    [{'total': '#permillion: unknown-model', 'error_code': 'unknown-model'}]
    """
    if chosen not in ("csv", "xlsx"):
        return list(rows)
    return [
        row if row["error_code"] is None else {**row, column: f"{INLINE_ERROR} {row['error_code']}"} for row in rows
    ]


def read_delimiter(text: str) -> str:
    """The delimiter that a parameter names: `,`, `;`, a tab or the word."""
    delimiter = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if delimiter not in (",", ";", "\t"):
        raise PermillionError("invalid-fields", "delimiter is , or ; or tab", pointer="/delimiter")
    return delimiter


def _cell(value: Any, numeric: bool, style: Csv) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if numeric or isinstance(value, int):
        return text.replace(".", ",") if style.decimal == "comma" else text
    return f"'{text}" if text.startswith(_RISKY) else text
