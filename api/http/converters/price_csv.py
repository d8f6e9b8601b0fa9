"""`POST /price.csv`: one column a meter and context key, and `served_…` beside each key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal

from api.http.converters.price import from_api_price_row
from api.http.csv_in import CsvTable
from api.services.offers import split_compact
from api.services.pricing import PricedUsage, UsageToPrice
from catalog.snapshot import Snapshot
from economics.context import CONTEXT_KEYS
from economics.errors import PermillionError
from economics.meters import METERS

_OWN: Final = ("row_id", "offer", "price_book", "as_of")
_SERVED: Final = {f"served_{name}": name for name in CONTEXT_KEYS}
PRICE_CSV_COLUMNS: Final = (*_OWN, *METERS, *CONTEXT_KEYS, *_SERVED)


def from_csv_price_rows(
    table: CsvTable, as_of: datetime, decimal: Literal["point", "comma"], snapshot: Snapshot
) -> list[UsageToPrice | PricedUsage]:
    """The rows of a table; an empty cell is a count that is not given, a bad row its own answer."""
    return [_row(table.columns, line, index, as_of, decimal, snapshot) for index, line in enumerate(table.lines)]


def _row(
    columns: Sequence[str],
    line: Sequence[str],
    index: int,
    as_of: datetime,
    decimal: Literal["point", "comma"],
    snapshot: Snapshot,
) -> UsageToPrice | PricedUsage:
    cells = {column: cell for column, cell in zip(columns, line, strict=False) if cell != ""}
    value: dict[str, Any] = {name: cells[name] for name in _OWN if name in cells}
    value["context"] = {name: cells[name] for name in CONTEXT_KEYS if name in cells}
    value["served_context"] = {name: cells[column] for column, name in _SERVED.items() if column in cells}
    value["usage"] = {name: _number(cells[name], decimal) for name in METERS if name in cells}
    if "offer" in value:
        offer, book = split_compact(value["offer"], snapshot)
        if book is not None:
            value["offer"] = offer
            value.setdefault("price_book", book)
    row = from_api_price_row(value, index, as_of)
    if len(line) != len(columns):
        error = PermillionError("invalid-fields", f"{len(line)} cells; the header has {len(columns)}")
        return PricedUsage(row.row_id, row.name, row.as_of, error=error)
    return row


def _number(cell: str, decimal: Literal["point", "comma"]) -> str:
    return cell.replace(",", ".", 1) if decimal == "comma" and "." not in cell else cell
