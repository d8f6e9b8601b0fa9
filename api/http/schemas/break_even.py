"""`POST /break-even`: at which volumes which side is cheaper."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from api.http.schemas.common import Meta
from api.http.schemas.fields import (
    Answer,
    CountIn,
    Currency,
    DecimalOut,
    InstantIn,
    Name,
    PositiveIn,
    PriceIn,
    Wire,
    numeric_columns,
)
from api.http.schemas.price import RowIdIn

Side = Literal["api", "hosting", "rent", "own", "equal"]


class BreakEvenRowIn(Wire):
    """An API against hosting in whole replicas (volumes are queries), or renting against owning (accelerator-hours)."""

    row_id: RowIdIn | None = None
    compare: Literal["api_or_hosting", "rent_or_own"] = "api_or_hosting"
    currency: Currency | None = Field(None, description="of all figures; default USD")
    capital_method: Literal["annuity", "straight_line", "declining_value", "rental"] | None = Field(
        None, description="how capital entered the cost of a replica or system: repeated in the answer"
    )
    volume_from_per_month: PriceIn | None = Field(None, description="default 0; crossings lie above it")
    volume_to_per_month: PriceIn | None = Field(None, description="required")
    hours_per_month: PositiveIn | None = Field(None, description="default 730")
    api_cost_per_query: PriceIn | None = Field(None, description="as POST /compare gives it (cost_per_query)")
    api_fixed_cost_per_month: PriceIn | None = None
    hosting_cost_per_replica_month: PriceIn | None = Field(
        None, description="busy or not; or cost_per_accelerator_hour with accelerators_per_replica"
    )
    cost_per_accelerator_hour: PriceIn | None = Field(
        None,
        description="of an installed accelerator: rent, or cost_per_installed_accelerator_hour of POST /ownership-cost",
    )
    accelerators_per_replica: CountIn | None = None
    queries_per_replica_month: PriceIn | None = Field(
        None, description="that one replica can hold; or queries_per_s_per_replica"
    )
    queries_per_s_per_replica: PriceIn | None = None
    usable_utilization_ratio: PriceIn | None = Field(None, description="share of that which can be used; default 1")
    minimum_replicas: CountIn | None = Field(None, description="default 1")
    maximum_replicas: CountIn | None = Field(None, description="default: as many as are needed")
    hosting_fixed_cost_per_month: PriceIn | None = Field(None, description="staff, platform")
    hosting_cost_per_query: PriceIn | None = Field(None, description="what each query adds, such as energy or traffic")
    rent_price_per_accelerator_hour: PriceIn | None = Field(None, description="billed when used")
    rent_fixed_cost_per_month: PriceIn | None = None
    profile: Name | None = Field(None, description="ownership profile, instead of the next three fields")
    own_cost_per_system_month: PriceIn | None = Field(None, description="total_cost_per_month of POST /ownership-cost")
    accelerators_per_system: CountIn | None = None
    availability_ratio: PriceIn | None = Field(None, description="default 1")
    minimum_systems: CountIn | None = Field(None, description="default 1")
    maximum_systems: CountIn | None = None


class BreakEvenRequest(Wire):
    """Questions; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "api_cost_per_query": "0.01",
                            "hosting_cost_per_replica_month": "9000",
                            "queries_per_replica_month": "1000000",
                            "capital_method": "annuity",
                            "volume_to_per_month": "2000000",
                        },
                        {
                            "compare": "rent_or_own",
                            "profile": "reference-8xh100-colocated",
                            "rent_price_per_accelerator_hour": "3.99",
                            "volume_to_per_month": "20000",
                        },
                    ]
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/BreakEvenRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = None


class BreakEvenRow(Answer):
    """One question: `use_side` is paid by use, `step_side` in whole replicas or systems."""

    row_id: str | int
    compare: Literal["api_or_hosting", "rent_or_own"]
    volume_unit: Literal["queries", "accelerator_hours"]
    currency: str | None
    capital_method: str | None
    volume_from_per_month: DecimalOut | None
    volume_to_per_month: DecimalOut | None
    use_side: Literal["api", "rent"]
    step_side: Literal["hosting", "own"]
    use_cost_per_unit: DecimalOut | None
    use_fixed_cost_per_month: DecimalOut | None
    step_cost_per_month: DecimalOut | None
    step_fixed_cost_per_month: DecimalOut | None
    step_variable_cost_per_unit: DecimalOut | None
    step_capacity_per_month: DecimalOut | None
    minimum_steps: int | None
    maximum_steps: int | None
    largest_volume_per_month: DecimalOut | None
    full_step_cost_per_unit: DecimalOut | None
    break_even_utilization_ratio: DecimalOut | None
    crossing_count: int | None
    first_crossing_volume_per_month: DecimalOut | None
    last_crossing_volume_per_month: DecimalOut | None
    cheaper_at_from: Side | None
    cheaper_at_to: Side | None
    assumptions: str
    method_version: str
    error_code: str | None
    error_detail: str | None
    warnings: str


class CrossingRow(Answer):
    """A volume at which the cheaper side changes (`touch`: both cost the same, and it does not).

    `at_step`: the next replica makes the jump, just above the volume; `capacity`: the replicas hold no more.
    """

    row_id: str | int
    volume_per_month: DecimalOut
    kind: Literal["within_step", "at_step", "touch", "capacity"]
    cheaper_below: Side
    cheaper_above: Side
    first_whole_volume_per_month: int | None
    steps: int
    use_cost_per_month: DecimalOut
    step_cost_per_month: DecimalOut
    step_cost_above_per_month: DecimalOut | None
    currency: str


class IntervalRow(Answer):
    """Volumes between which one side is cheaper throughout."""

    row_id: str | int
    volume_from_per_month: DecimalOut
    volume_to_per_month: DecimalOut
    cheaper: Side
    within_capacity: bool


class CurveRow(Answer):
    """One step: above `volume_from` up to and with `volume_to`; both sides are straight lines in it."""

    row_id: str | int
    steps: int
    volume_from_per_month: DecimalOut
    volume_to_per_month: DecimalOut
    step_cost_from_per_month: DecimalOut
    step_cost_to_per_month: DecimalOut
    use_cost_from_per_month: DecimalOut
    use_cost_to_per_month: DecimalOut
    step_cost_to_per_unit: DecimalOut
    use_cost_to_per_unit: DecimalOut
    currency: str


class BreakEvenAnswer(Answer):
    """Row i answers row i; the other tables carry its `row_id`."""

    rows: list[BreakEvenRow]
    crossings: list[CrossingRow]
    intervals: list[IntervalRow]
    curve: list[CurveRow]
    meta: Meta


TABLES = {
    "rows": (tuple(BreakEvenRow.model_fields), numeric_columns(BreakEvenRow)),
    "crossings": (tuple(CrossingRow.model_fields), numeric_columns(CrossingRow)),
    "intervals": (tuple(IntervalRow.model_fields), numeric_columns(IntervalRow)),
    "curve": (tuple(CurveRow.model_fields), numeric_columns(CurveRow)),
}
