"""A CSV file as people's spreadsheets write it, cut into named cells; what is not plain text in it is refused.

Nothing here knows what a price is. A misspelt column is an error of the whole file: it would be a price nobody charges.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from economics.errors import PermillionError
from providers.feeds.reading import MAX_FEED_BYTES, Refused

MAX_CELL: Final = 2_000
_DELIMITERS: Final = (",", ";", "\t")
_FORMULA: Final = ("=", "+", "@", "＝", "＋", "＠")
"""What a spreadsheet would calculate instead of show, fullwidth forms included (CWE-1236)."""

_UTF_16: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_UTF_32: Final = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")


@dataclass(frozen=True, slots=True)
class Line:
    """One line's cells by column, blanks around them removed; `number` is where it starts in the file, from 1."""

    number: int
    cells: Mapping[str, str]

    @property
    def name(self) -> str:
        """How refusals name it."""
        return f"line {self.number}"


@dataclass(frozen=True, slots=True)
class Table:
    """A file's delimiter, its good lines and what was refused."""

    delimiter: str
    lines: Sequence[Line]
    refused: Sequence[Refused]
    entries: int


def read_table(content: bytes, known: Collection[str], required: Collection[str]) -> Table:
    r"""The table in `content`, UTF-8 (with or without a byte order mark) or UTF-16 with one.

    The delimiter is the one of `,`, `;` and tab that the header has most of. Column names may differ in case and blanks.

    Raises:
        PermillionError: `invalid-feed` for another encoding, no header, unknown, repeated or missing columns (named), and
            for quotes that do not end: after them nobody knows where a cell is.

    >>> read_table(b"Model;Rate\r\nrocket;1,5\r\n", {"model", "rate"}, ()).lines[0].cells
    {'model': 'rocket', 'rate': '1,5'}
    """
    text = _decoded(content)
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    delimiter = max(_DELIMITERS, key=header.count)
    records = _records(text, delimiter)
    _, names = next(records, (1, []))
    columns = _columns(names, known, required)
    lines: list[Line] = []
    refused: list[Refused] = []
    entries = 0
    for number, cells in records:
        if not any(cell.strip() for cell in cells):
            continue
        entries += 1
        problem = _problem(cells, columns)
        if problem is None:
            filled = [*(cell.strip() for cell in cells), *[""] * (len(columns) - len(cells))]
            lines.append(Line(number, dict(zip(columns, filled, strict=False))))
        else:
            refused.append(Refused(f"line {number}", problem[0], "malformed", problem[1]))
    return Table(delimiter, lines, refused, entries)


def _decoded(content: bytes) -> str:
    if len(content) > MAX_FEED_BYTES:
        raise PermillionError("invalid-feed", f"the file is larger than {MAX_FEED_BYTES} bytes")
    encoding = "utf-8-sig" if content.startswith(_UTF_32) else _UTF_16.get(content[:2], "utf-8-sig")
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise PermillionError(
            "invalid-feed",
            f"neither UTF-8 nor UTF-16 with a byte order mark, at byte {error.start}; save the file as CSV UTF-8",
        ) from None


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it starts on; a quoted cell may run over several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    start = 1
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise PermillionError("invalid-feed", f"line {start} cannot be read as CSV: {error}") from None
        yield start, record
        start = reader.line_num + 1


def _columns(names: Sequence[str], known: Collection[str], required: Collection[str]) -> list[str]:
    columns = [re.sub(r"[\s-]+", "_", name.strip()).lower() for name in names]
    if not any(columns):
        raise PermillionError("invalid-feed", "the file has no header line")
    unknown = [_shown(column) for column in dict.fromkeys(columns) if column not in known]
    if unknown:
        raise PermillionError(
            "invalid-feed", f"unknown columns: {', '.join(unknown[:20])}; known are {', '.join(known)}"
        )
    repeated = [column for column in dict.fromkeys(columns) if columns.count(column) > 1]
    if repeated:
        raise PermillionError("invalid-feed", f"columns stand twice: {', '.join(repeated)}")
    missing = [column for column in required if column not in columns]
    if missing:
        raise PermillionError("invalid-feed", f"columns are missing: {', '.join(missing)}")
    return columns


def _problem(cells: Sequence[str], columns: Sequence[str]) -> tuple[str, str] | None:
    """Column and what is wrong with its cell, or None."""
    for index, cell in enumerate(cells):
        column = columns[index] if index < len(columns) else f"cell {index + 1}"
        bare = cell.strip()
        if index >= len(columns) and bare:
            return column, "more cells than the header has columns; quote cells that hold the delimiter"
        if len(cell) > MAX_CELL:
            return column, f"a cell of more than {MAX_CELL} characters"
        if "\x00" in cell:
            return column, "a NUL byte"
        if cell.startswith("\t") or bare.startswith(_FORMULA):
            return column, "a formula; save the file with values"
        if any(ord(character) < 32 for character in bare):
            return column, "a control character or a line break inside a cell"
    return None


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() and c.isascii() else "?" for c in text[:60]) or "(empty)"
