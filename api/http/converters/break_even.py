"""`POST /break-even`."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none
from api.http.converters.price import row_id_of
from api.http.schemas.break_even import TABLES, BreakEvenRowIn
from api.http.wire import decode_row
from api.services.breaking_even import SIDES, UNITS, Answered, VolumeQuestion
from economics.errors import PermillionError
from economics.method import METHOD_VERSION

_ROW: TypeAdapter[BreakEvenRowIn] = TypeAdapter(BreakEvenRowIn)
_NOT_FIGURES = ("row_id", "compare")


def from_api_volume_question(value: Any, index: int) -> VolumeQuestion:
    """One row of the request, or what is wrong with it."""
    try:
        row: BreakEvenRowIn = decode_row(_ROW, value)
    except PermillionError as error:
        return VolumeQuestion(row_id_of(value, index), error=error)
    stated = {name: figure for name, figure in row.__dict__.items() if figure is not None and name not in _NOT_FIGURES}
    return VolumeQuestion(index if row.row_id is None else row.row_id, row.compare, stated)


def to_api_break_even(answered: Answered) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(TABLES["rows"][0])
    asked, use, side, found = answered.asked, answered.use, answered.stepped, answered.found
    row["row_id"], row["compare"], row["volume_unit"] = asked.row_id, asked.compare, UNITS[asked.compare]
    row["use_side"], row["step_side"] = SIDES[asked.compare]
    row["method_version"] = METHOD_VERSION
    row["assumptions"], row["warnings"] = ";".join(answered.assumptions), ";".join(answered.warnings)
    if answered.error is not None:
        row["error_code"], row["error_detail"] = answered.error.slug, answered.error.detail
    if use is None or side is None or found is None:
        return row
    changes = [crossing for crossing in found.crossings if crossing.kind != "touch"]
    names = _names(answered)
    return row | {
        "currency": answered.currency,
        "capital_method": answered.capital_method,
        "volume_from_per_month": text_or_none(answered.low),
        "volume_to_per_month": text_or_none(answered.high),
        "use_cost_per_unit": use.price.to_text(),
        "use_fixed_cost_per_month": use.fixed_per_month.to_text(),
        "step_cost_per_month": side.cost_per_replica.to_text(),
        "step_fixed_cost_per_month": side.fixed_per_month.to_text(),
        "step_variable_cost_per_unit": side.variable.to_text(),
        "step_capacity_per_month": side.capacity.to_text(),
        "minimum_steps": side.minimum_replicas,
        "maximum_steps": side.maximum_replicas,
        "largest_volume_per_month": text_or_none(side.most),
        "full_step_cost_per_unit": text_or_none(answered.full_step_cost_per_unit),
        "break_even_utilization_ratio": text_or_none(answered.break_even_utilization),
        "crossing_count": len(changes),
        "first_crossing_volume_per_month": changes[0].volume.to_text() if changes else None,
        "last_crossing_volume_per_month": changes[-1].volume.to_text() if changes else None,
        "cheaper_at_from": names[found.intervals[0].cheaper],
        "cheaper_at_to": names[found.intervals[-1].cheaper],
    }


def to_api_tables(answered: Answered) -> dict[str, list[dict[str, Any]]]:
    """Crossings, intervals and curve of one question; none where it has an error."""
    found, row_id, currency = answered.found, answered.asked.row_id, answered.currency
    if found is None:
        return {"crossings": [], "intervals": [], "curve": []}
    names = _names(answered)
    return {
        "crossings": [
            {
                "row_id": row_id,
                "volume_per_month": crossing.volume.to_text(),
                "kind": crossing.kind,
                "cheaper_below": names[crossing.before],
                "cheaper_above": names[crossing.after],
                "first_whole_volume_per_month": crossing.first_whole_volume,
                "steps": crossing.replicas,
                "use_cost_per_month": crossing.use_cost.to_text(),
                "step_cost_per_month": crossing.stepped_cost.to_text(),
                "step_cost_above_per_month": text_or_none(crossing.stepped_cost_above),
                "currency": currency,
            }
            for crossing in found.crossings
        ],
        "intervals": [
            {
                "row_id": row_id,
                "volume_from_per_month": interval.volume_from.to_text(),
                "volume_to_per_month": interval.volume_to.to_text(),
                "cheaper": names[interval.cheaper],
                "within_capacity": interval.possible,
            }
            for interval in found.intervals
        ],
        "curve": [
            {
                "row_id": row_id,
                "steps": step.replicas,
                "volume_from_per_month": step.volume_from.to_text(),
                "volume_to_per_month": step.volume_to.to_text(),
                "step_cost_from_per_month": step.stepped_cost_from.to_text(),
                "step_cost_to_per_month": step.stepped_cost_to.to_text(),
                "use_cost_from_per_month": step.use_cost_from.to_text(),
                "use_cost_to_per_month": step.use_cost_to.to_text(),
                "step_cost_to_per_unit": (step.stepped_cost_to / step.volume_to).to_text(),
                "use_cost_to_per_unit": (step.use_cost_to / step.volume_to).to_text(),
                "currency": currency,
            }
            for step in found.steps
        ],
    }


def _names(answered: Answered) -> dict[str, str]:
    use, stepped = SIDES[answered.asked.compare]
    return {"use": use, "stepped": stepped, "equal": "equal"}
