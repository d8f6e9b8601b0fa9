"""Reading CSV bodies as spreadsheets save them; every cell is text until its field reads it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from litestar import Request

from api.http.wire import check_media_type
from api.http.writing.labels import columns_by_label
from economics.errors import PermillionError

CSV_TYPES = ("text/csv", "application/csv", "text/plain")
_CHARSETS: Final = {
    "utf-8": "utf-8-sig", "utf8": "utf-8-sig", "us-ascii": "utf-8-sig",
    "utf-16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be",
    "gb18030": "gb18030", "gbk": "gb18030", "gb2312": "gb18030", "cp936": "gb18030",
    "windows-1252": "cp1252", "iso-8859-1": "cp1252",
}  # fmt: skip
"""Charset of Content-Type → codec; GB 18030 contains the two before it. Browsers, too, read Latin 1 as Windows' page."""

_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_STATED: Final = re.compile(r"sep=([,;\t])(?:\r\n|\r|\n)")
_END: Final = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class CsvTable:
    """Columns and the cells of each line; a line may be shorter or longer than the header."""

    delimiter: str
    columns: Sequence[str]
    lines: Sequence[Sequence[str]]


def charset_of(request: Request[Any, Any, Any]) -> str | None:
    """The charset that Content-Type names, if it names one.

    Raises:
        PermillionError: `unsupported-media-type` for another type than CSV, or a charset that is not read.
    """
    check_media_type(request, CSV_TYPES)
    for parameter in request.headers.get("content-type", "").split(";")[1:]:
        name, _, value = parameter.strip().partition("=")
        if name.lower() == "charset":
            charset = value.strip('" ').lower()
            if charset not in _CHARSETS:
                raise PermillionError("unsupported-media-type", f"charsets that are read: {', '.join(_CHARSETS)}")
            return charset
    return None


def read_csv(body: bytes, known: Collection[str], delimiter: str | None, charset: str | None = None) -> CsvTable:
    r"""The table in `body`.

    Args:
        known: columns that may occur, by their names or by their labels in any language.
        delimiter: `,`, `;` or a tab; None takes the one of these that the header has most of.
        charset: as the caller states it; None reads UTF-8, or UTF-16 with a byte order mark. Nothing is guessed: the bytes of
            one Chinese name are five letters of Latin 1.

    Raises:
        PermillionError: `malformed-csv` for text that is not in the charset, a missing header, a repeated column, quotes
            that do not end; `invalid-fields` for an unknown column, naming it.

    >>> read_csv(b"offer;input_tokens\r\nopenai/gpt-6-sol;5\r\n", {"offer", "input_tokens"}, None).lines
    [['openai/gpt-6-sol', '5']]
    >>> read_csv("报价项,输入token数\nopenai/gpt-6-sol,5".encode("gbk"), {"offer", "input_tokens"}, None, "gbk").columns
    ['offer', 'input_tokens']
    """
    text = _decoded(body, charset)
    if stated := _STATED.match(text):  # Excel's own first line
        text, delimiter = text[stated.end() :], delimiter or stated[1]
    chosen = delimiter or max((",", ";", "\t"), key=_END.split(text, maxsplit=1)[0].count)
    lines = _lines(text, chosen)
    if not lines:
        raise PermillionError("malformed-csv", "has no header line")
    columns = [_column(cell.strip(), known) for cell in lines[0]]
    while columns and not columns[-1] and not any("".join(line[len(columns) - 1 :]).strip() for line in lines[1:]):
        columns.pop()  # a spreadsheet writes columns that were once used; empty ones say nothing
    lines = [line if any(line[len(columns) :]) else line[: len(columns)] for line in lines]
    for column in columns:
        if columns.count(column) > 1:
            raise PermillionError("malformed-csv", f"the column {_shown(column)} stands twice")
        if column not in known:
            raise PermillionError(
                "invalid-fields", f"unknown column {_shown(column)}; known are {', '.join(known)}", pointer="/0"
            )
    return CsvTable(chosen, columns, lines[1:])


def _decoded(body: bytes, charset: str | None) -> str:
    """The text of `body`, without its byte order mark."""
    codec = "utf-16" if charset is None and body.startswith(_UTF_16) else _CHARSETS[charset or "utf-8"]
    try:
        text = body.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        named = "UTF-8" if charset is None else charset
        advice = "save the file as CSV UTF-8, or name its charset: Content-Type: text/csv; charset=gb18030"
        raise PermillionError("malformed-csv", f"not {named} at byte {error.start}; {advice}") from None
    if "\x00" in text:
        raise PermillionError("malformed-csv", "contains NUL characters; save the file as CSV UTF-8")
    return text


def _lines(text: str, delimiter: str) -> list[list[str]]:
    """The cells of each line, those of empty lines at the end left out: between others they keep their place.

    The size of a cell is bounded by the body and then by its field.
    """
    before = csv.field_size_limit(len(text) + 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [line for line in reader if line]
    except csv.Error as error:
        raise PermillionError("malformed-csv", f"line {reader.line_num} cannot be read as CSV: {error}") from None
    finally:
        csv.field_size_limit(before)
    while lines and not any(lines[-1]):
        lines.pop()
    return lines


def _column(cell: str, known: Collection[str]) -> str:
    return cell if cell in known else columns_by_label().get(cell, cell)


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() and c.isascii() else "?" for c in text[:100])
