"""Texts of a column of CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from api.services.corpora.lines import Lines, foreign_encoding, line_bytes
from api.services.corpora.texts import CorpusText, Position, checked_id, checked_text
from economics.errors import PermillionError

_DELIMITERS = (",", ";", "\t")


class _LineTooLong(Exception):  # noqa: N818 - it ends no program
    """A line above the bound: the csv module is not given it."""


def read_csv_texts(
    lines: Lines, start: Position, source: str, field: str, id_field: str | None, max_text_bytes: int
) -> Iterator[CorpusText]:
    """The text of each record; a record may span lines. A bad one is an error with its first line.

    Args:
        lines: from the start of the file, for the header.
        start: where reading goes on behind the header; offset 0 for the first record.
        field, id_field: columns; None for an id takes `id` where there is one, else the line number.
    """
    try:
        delimiter, columns = _header(lines)
        text_at = _column(columns, field)
        id_at = columns.index("id") if id_field is None and "id" in columns else None
        id_at = id_at if id_field is None else _column(columns, id_field)
    except PermillionError as problem:
        yield CorpusText(source, 1, 1, None, problem, Position(start.source + 1))
        return
    if start.offset:
        lines.move_to(start.offset, start.number)
    for line, record, unreadable in _records(lines, delimiter, line_bytes(max_text_bytes)):
        text: str | None = None
        text_id: str | int = line
        error = unreadable
        try:
            if len(record) <= max(text_at, id_at or 0):
                raise unreadable or PermillionError(
                    "malformed-csv", f"{len(record)} cells where the header has {len(columns)}"
                )
            if id_at is not None and (record[id_at] or id_field is not None):
                text_id = checked_id(record[id_at])
            if "\x00" in record[text_at]:
                raise PermillionError("invalid-text", "the text holds NUL; save the file as UTF-8")
            text = checked_text(record[text_at], max_text_bytes)
        except PermillionError as problem:
            error = problem
        yield CorpusText(source, line, text_id, text, error, Position(start.source, lines.offset, lines.number))


def _header(lines: Lines) -> tuple[str, Sequence[str]]:
    first = next(lines, b"")
    if not first:
        raise PermillionError("malformed-csv", "has no header line")
    encoding = foreign_encoding(first)
    if encoding is not None:
        raise PermillionError("invalid-text", f"the file is {encoding}; convert it to UTF-8")
    try:
        text = first.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PermillionError("invalid-text", f"the header is not UTF-8 (byte {error.start})") from None
    delimiter = max(_DELIMITERS, key=text.count)
    try:
        columns = [column.strip() for column in next(csv.reader([text], delimiter=delimiter, strict=True), [])]
    except csv.Error as error:
        raise PermillionError("malformed-csv", f"the header cannot be read as CSV: {error}") from None
    return delimiter, columns


def _column(columns: Sequence[str], name: str) -> int:
    if columns.count(name) != 1:
        found = "no column" if name not in columns else "more than one column"
        raise PermillionError("invalid-fields", f"{found} {name[:100]!r}")
    return columns.index(name)


def _records(
    lines: Lines, delimiter: str, max_cell_characters: int
) -> Iterator[tuple[int, Sequence[str], PermillionError | None]]:
    """Records with the line they begin at, or what is wrong with one."""

    def fed() -> Iterator[str]:
        for line in lines:
            if line is None:
                raise _LineTooLong
            # what is not UTF-8 is told of the cell it is in
            yield line.decode("utf-8", "surrogateescape")

    reader = csv.reader(fed(), delimiter=delimiter, strict=True)
    while True:
        line = lines.number + 1
        try:
            with _cells_up_to(max_cell_characters):
                record = next(reader, None)
        except csv.Error as error:
            yield line, (), PermillionError("malformed-csv", f"cannot be read as CSV: {error}")
            continue
        except _LineTooLong:
            yield line, (), PermillionError("text-too-large", "the line is longer than any text within max_text_bytes")
            reader = csv.reader(fed(), delimiter=delimiter, strict=True)
            continue
        if record is None:
            return
        if record:
            yield line, record, None


@contextmanager
def _cells_up_to(characters: int) -> Iterator[None]:
    """The csv module's limit of a cell, which is one for the whole process: a quote left open must not swallow a file."""
    before = csv.field_size_limit(characters)
    try:
        yield
    finally:
        csv.field_size_limit(before)
