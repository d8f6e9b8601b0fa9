"""Rows as a workbook: typed cells, and a second sheet that says where they come from.

A cell holds 15 significant digits, so decimals are rounded to that, half to even. Whole numbers that need more stay text, as
ids do: 12345678901234567890 would be shown as 1.23456789012346E+19. Text is always written as text, whatever it begins with:
there is no cell that a spreadsheet would run (CWE-1236).
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Any, Final

import msgspec
from xlsxwriter import Workbook
from xlsxwriter.format import Format as CellFormat
from xlsxwriter.worksheet import Worksheet

from api.http.writing.labels import Language, headers
from api.http.writing.provenance import Asked, provenance

DIGITS: Final = 15
MOST_CHARACTERS: Final = 32_767
"""Characters of a cell; XLSX has no longer ones."""

_ROUNDED: Final = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)
_DATE_COLUMN: Final = re.compile(r"(.*_)?(as_of|on|from|to|at)|.*Period(Start|End)")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_FIRST_YEAR: Final = 1901
"""The calendars of spreadsheets begin in 1900, with a leap day that never was."""


def to_xlsx(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    document: Mapping[str, Any],
    numeric: frozenset[str],
    language: Language | None = None,
    question: Asked | None = None,
) -> bytes:
    """The workbook: sheet `rows` with one header line, sheet `provenance` with names and texts.

    The same arguments give the same bytes: the day it was made is that of the answer.
    """
    out = io.BytesIO()
    with Workbook(out, {"constant_memory": True}) as book:
        book.set_properties({"title": "permillion", "created": _created(document)})
        bold, day, instant = (book.add_format(style) for style in _STYLES)
        sheet = book.add_worksheet("rows")
        sheet.freeze_panes(1, 0)
        sheet.set_column(0, max(len(columns) - 1, 0), 18)
        for place, header in enumerate(headers(columns, language)):
            sheet.write_string(0, place, header, bold)
        kinds = [(name, name in numeric, _DATE_COLUMN.fullmatch(name) is not None) for name in columns]
        for line, row in enumerate(rows, start=1):
            for place, (name, is_number, is_date) in enumerate(kinds):
                value = row.get(name)
                if value is None or value == "":
                    continue
                if is_number:
                    _write_number(sheet, line, place, value)
                elif is_date and isinstance(value, str):
                    _write_date(sheet, line, place, value, day, instant)
                else:
                    _write_text(sheet, line, place, value)
        said = book.add_worksheet("provenance")
        said.set_column(0, 0, 32)
        said.set_column(1, 1, 100)
        for line, (name, text) in enumerate(provenance(document, rows, question)):
            said.write_string(line, 0, name, bold)
            _write_text(said, line, 1, text)
    return out.getvalue()


_STYLES: Final = ({"bold": True}, {"num_format": "yyyy-mm-dd"}, {"num_format": "yyyy-mm-dd hh:mm:ss"})


def to_cell_number(text: str) -> Decimal | None:
    """The number that a cell shows for `text`, or None where it can only be kept as text.

    >>> to_cell_number("2.125963327132606962529896359"), to_cell_number("0.00375")
    (Decimal('2.12596332713261'), Decimal('0.00375'))
    >>> to_cell_number("1234567890123456") is None, to_cell_number("1000000000000000")
    (True, Decimal('1.00000000000000E+15'))
    >>> to_cell_number("#permillion: unknown-model") is None
    True
    """
    try:
        exact = Decimal(text)
    except InvalidOperation:  # an error that was asked for inline
        return None
    rounded = _ROUNDED.create_decimal(exact)
    return None if "." not in text and rounded != exact else rounded


def _write_number(sheet: Worksheet, line: int, place: int, value: Any) -> None:
    number = to_cell_number(str(value))
    if number is None:
        sheet.write_string(line, place, str(value))
    else:
        sheet.write_number(line, place, float(number))


def _write_date(sheet: Worksheet, line: int, place: int, text: str, day: CellFormat, instant: CellFormat) -> None:
    """Days and instants as dates, instants in UTC; anything else, and what no calendar of a spreadsheet has, as text."""
    is_day = _DAY.fullmatch(text) is not None
    if (is_day or _INSTANT.fullmatch(text)) and int(text[:4]) >= _FIRST_YEAR:
        at = datetime.fromisoformat(text)
        at = at if is_day else at.astimezone(UTC).replace(tzinfo=None)
        sheet.write_datetime(line, place, at, day if is_day else instant)
    else:
        _write_text(sheet, line, place, text)


def _write_text(sheet: Worksheet, line: int, place: int, value: Any) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(line, place, value)
        return
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    sheet.write_string(line, place, shortened(text))


def shortened(text: str) -> str:
    """`text` as far as a cell holds it, with `…` where it does not; a cell counts UTF-16 units, an emoji is two.

    >>> len(shortened("a" * 32_767)), len(shortened("a" * 32_768)), len(shortened("😀" * 32_767))
    (32767, 32767, 16384)
    """
    if 2 * len(text) <= MOST_CHARACTERS or len(units := text.encode("utf-16-le")) <= 2 * MOST_CHARACTERS:
        return text
    return units[: 2 * (MOST_CHARACTERS - 1)].decode("utf-16-le", "ignore") + "…"


def _created(document: Mapping[str, Any]) -> datetime:
    """The instant of the answer; a file has no business with the clock of the machine."""
    stated = document.get("meta", {}).get("as_of")
    return datetime(2026, 1, 1, tzinfo=UTC) if stated is None else datetime.fromisoformat(stated).astimezone(UTC)
