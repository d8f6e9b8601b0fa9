"""`POST /focus`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from api.http.schemas.focus import FocusRequest
from api.services.focus import FOCUS_COLUMNS, billing_month
from economics.periods import Period

FOCUS_NAMES: Final = tuple(column.name for column in FOCUS_COLUMNS)
FOCUS_NUMBERS: Final = frozenset(column.name for column in FOCUS_COLUMNS if column.kind == "decimal")
_OBJECTS: Final = tuple(column.name for column in FOCUS_COLUMNS if column.kind == "json")


def from_api_billing_period(request: FocusRequest) -> Period | None:
    """The month that the estimate is for, None for that of each row.

    Raises:
        PermillionError: `invalid-fields`.
    """
    if request.billing_period is None:
        return None
    year, _, month = request.billing_period.partition("-")
    return billing_month(int(year), int(month), pointer="/billing_period")


def to_api_focus_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the answer, in the order of the columns."""
    return {name: row[name] for name in FOCUS_NAMES}


def to_csv_focus_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same with JSON as text, for a cell."""
    written = {name: json.dumps(row[name], ensure_ascii=False) for name in _OBJECTS if row[name] is not None}
    return {**row, **written}
