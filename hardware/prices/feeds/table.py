"""A CSV file of a feed by header name: columns may stand in any order and number."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping, Sequence

from economics.errors import PermillionError
from hardware.prices.feeds.reading import MAX_FEED_BYTES

_MAX_CELL = 20_000


def read_table(content: bytes, required: Collection[str]) -> Sequence[Mapping[str, str]]:
    r"""The rows of a UTF-8 file, cells by column, blanks around them removed; short rows are filled up.

    Raises:
        PermillionError: `invalid-feed` for another encoding, no header, repeated or missing columns (named), quotes that do
            not end, a cell of more than 20,000 characters, a row with more cells than columns.

    >>> read_table(b"a,b\n1, x\n", ["b"])
    [{'a': '1', 'b': 'x'}]
    """
    if len(content) > MAX_FEED_BYTES:
        raise PermillionError("invalid-feed", f"the file is larger than {MAX_FEED_BYTES} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PermillionError("invalid-feed", f"not UTF-8 at byte {error.start}") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[Mapping[str, str]] = []
    try:
        columns = [name.strip() for name in next(reader, [])]
        _check_columns(columns, required)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(columns) or any(len(cell) > _MAX_CELL for cell in cells):
                raise PermillionError(
                    "invalid-feed", f"line {reader.line_num} has more cells than the header has columns, or a huge one"
                )
            filled = [*(cell.strip() for cell in cells), *[""] * (len(columns) - len(cells))]
            rows.append(dict(zip(columns, filled, strict=True)))
    except csv.Error as error:
        raise PermillionError("invalid-feed", f"line {reader.line_num} cannot be read as CSV: {error}") from None
    return rows


def _check_columns(columns: Sequence[str], required: Collection[str]) -> None:
    if not any(columns):
        raise PermillionError("invalid-feed", "the file has no header line")
    if len(set(columns)) < len(columns):
        raise PermillionError("invalid-feed", "a column stands twice; which one holds is not known")
    missing = [name for name in required if name not in columns]
    if missing:
        raise PermillionError("invalid-feed", f"columns are missing: {', '.join(missing)}")
