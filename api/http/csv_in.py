"""Reading CSV bodies: UTF-8 with one header line; every cell is text until its field reads it."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from economics.errors import PermillionError

CSV_TYPES = ("text/csv", "application/csv", "text/plain")
_MAX_CELL = 32_767
"""Characters a spreadsheet's cell holds."""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """Columns and the cells of each line; a line may be shorter or longer than the header."""

    delimiter: str
    columns: Sequence[str]
    lines: Sequence[Sequence[str]]


def read_csv(body: bytes, known: Collection[str], delimiter: str | None) -> CsvTable:
    r"""The table in `body`.

    Args:
        known: columns that may occur.
        delimiter: `,`, `;` or a tab; None takes the one of these that the header has most of.

    Raises:
        PermillionError: `malformed-csv` for text that is not UTF-8, a missing header, a repeated column, cells over 32,767
            characters; `invalid-fields` for an unknown column, naming it.

    >>> read_csv(b"offer;input_tokens\r\nopenai/gpt-6-sol;5\r\n", {"offer", "input_tokens"}, None).lines
    [['openai/gpt-6-sol', '5']]
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PermillionError("malformed-csv", f"not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    if "\x00" in text:
        raise PermillionError("malformed-csv", "contains NUL characters; save the file as UTF-8")
    header = text.partition("\n")[0]
    chosen = delimiter or max((",", ";", "\t"), key=header.count)
    before = csv.field_size_limit(_MAX_CELL)
    try:
        lines = [line for line in csv.reader(io.StringIO(text), delimiter=chosen, strict=True) if line]
    except csv.Error as error:
        raise PermillionError("malformed-csv", f"cannot be read as CSV: {error}") from None
    finally:
        csv.field_size_limit(before)
    if not lines:
        raise PermillionError("malformed-csv", "has no header line")
    columns = [column.strip() for column in lines[0]]
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


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() and c.isascii() else "?" for c in text[:100])
