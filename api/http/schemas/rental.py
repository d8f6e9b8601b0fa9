"""`POST /rental-cost`: what rented accelerators cost in a month."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, WithJsonSchema, create_model

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import (
    Answer,
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
from api.http.schemas.stated import stated_fields
from economics.rental.terms import PURCHASE_MODELS, UNITS, RentalTerms

_MEANINGS: Final = {
    "unit": "what the price is of; required",
    "purchase_model": "required; commit and reserved_rental are paid when idle, block is on demand in large increments",
    "price_per_unit_hour": "at the purchase_model, without tax unless tax_included",
    "accelerators_per_unit": "of an instance or a slice; or units_per_accelerator",
    "units_per_accelerator": "slices that make one accelerator",
    "accelerators_per_instance": "where accelerators are priced one by one and rented in whole instances",
    "on_demand_price_per_unit_hour": "for what exceeds a commitment, for the fall-back of spot, for the break-even",
    "discount_ratio": "negotiated, on the machines alone; default 0",
    "accelerators_used": "that do work; required. Whole units are billed",
    "rented_hours_per_month": "one stretch; or runs_per_month with seconds_per_run",
    "runs_per_month": "each is rounded to whole increments by itself",
    "idle_seconds_per_run": "kept warm after each run, and billed",
    "minimum_s": "of a run; default 0",
    "billing_increment_s": "default 1",
    "hours_per_month": "default 730; a commitment is paid for all of them",
    "committed_units": "paid for every hour",
    "term_months": "of the commitment",
    "upfront_per_unit": "of a commitment, with monthly_price_per_unit, instead of price_per_unit_hour",
    "upfront_ratio": "share of a commitment's price_per_unit_hour that is paid for the whole term in advance",
    "wacc_ratio": "cost of capital a year, for what is paid upfront",
    "shorter_price_per_unit_hour": "of a shorter commitment of the same: the price that the longer one implies for the rest",
    "rework_ratio": "of spot: work that is done twice",
    "downtime_ratio": "of spot: hours lost to restarts",
    "fallback_ratio": "of spot: share of hours on demand",
    "standby_price_per_unit_hour": "of spot: what is kept ready beside it",
    "availability_ratio": "share of rented hours that the accelerators work",
    "utilization_ratio": "share of available hours that serve paid work",
    "accelerator_share_ratio": "share of the machines' cost that is the accelerators', the rest is the host's",
    "tokens_per_s": "of all accelerators_used together, for simple_cost_per_mtok alone",
    "storage_hours_per_month": "with storage_price_per_gb_hour; default: billed hours",
    "support_ratio": "uplift on all other lines",
    "tax_included": "in the prices",
    "tax_ratio": "added as a line where the prices are without",
    "reference_price_per_accelerator_hour": "usual price, for the check of this one",
}
_Terms = create_model(
    "_Terms",
    __base__=Wire,
    **stated_fields(RentalTerms, _MEANINGS, {"unit": UNITS, "purchase_model": PURCHASE_MODELS}),
)


class EgressTierIn(Wire):
    """Traffic up to a monthly total at a price a GB; the last tier may be open."""

    up_to_gb: PositiveIn | None = None
    price_per_gb: PriceIn


class RentalRowIn(_Terms):
    """One rental over one month: terms, use, and what comes on top."""

    row_id: RowIdIn | None = None
    rental: Name | None = Field(None, description="what is rented, such as aws/p5.48xlarge; repeated in the answer")
    source: Name | None = Field(None, description="who says the price")
    listed_on: Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){0,2}$")] | None = Field(
        None, description="day, month or year of the price"
    )
    egress_tiers: Annotated[list[EgressTierIn], Field(max_length=50)] = []


class RentalRequest(Wire):
    """Rentals; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "rental": "aws/p5.48xlarge",
                            "source": "AWS price list",
                            "listed_on": "2025-06",
                            "unit": "instance",
                            "accelerators_per_unit": "8",
                            "purchase_model": "on_demand",
                            "price_per_unit_hour": "55.04",
                            "accelerators_used": 5,
                            "rented_hours_per_month": "730",
                            "billing_increment_s": "1",
                            "minimum_s": "60",
                            "availability_ratio": "0.99",
                            "utilization_ratio": "0.5",
                        }
                    ]
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/RentalRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = None
    currency: Currency | None = Field(None, description="convert to this; default: the row's own")
    fx: list[FxIn] = []


class RentalRow(Answer):
    """A month's bill; a line that is null was not stated and is not in the total."""

    row_id: str | int
    rental: str | None
    unit: Literal["instance", "accelerator", "slice"] | None
    purchase_model: Literal["on_demand", "spot", "commit", "block", "reserved_rental"] | None
    currency: str | None
    hours_per_month: DecimalOut | None
    units_billed: int | None
    committed_units: int | None
    accelerators_used: int | None
    accelerators_billed: DecimalOut | None
    busy_hours_per_month: DecimalOut | None
    billed_hours_per_month: DecimalOut | None
    on_demand_cost_per_month: DecimalOut | None
    commitment_cost_per_month: DecimalOut | None
    upfront_interest_cost_per_month: DecimalOut | None
    spot_cost_per_month: DecimalOut | None
    fallback_cost_per_month: DecimalOut | None
    standby_cost_per_month: DecimalOut | None
    discount_cost_per_month: DecimalOut | None
    machine_cost_per_month: DecimalOut | None
    accelerator_part_cost_per_month: DecimalOut | None
    host_part_cost_per_month: DecimalOut | None
    storage_cost_per_month: DecimalOut | None
    egress_cost_per_month: DecimalOut | None
    public_ip_cost_per_month: DecimalOut | None
    support_cost_per_month: DecimalOut | None
    total_cost_per_month: DecimalOut | None
    tax_included: bool | None
    tax_cost_per_month: DecimalOut | None
    total_with_tax_cost_per_month: DecimalOut | None
    total_cost_per_year: DecimalOut | None
    cost_per_billed_accelerator_hour: DecimalOut | None
    cost_per_busy_accelerator_hour: DecimalOut | None
    availability_ratio: DecimalOut | None
    utilization_ratio: DecimalOut | None
    cost_per_used_accelerator_hour: DecimalOut | None
    simple_cost_per_mtok: DecimalOut | None
    commitment_price_per_unit_hour: DecimalOut | None
    break_even_utilization_ratio: DecimalOut | None
    implied_extra_price_per_unit_hour: DecimalOut | None
    native_currency: str | None
    native_total_cost_per_month: DecimalOut | None
    fx_rate: DecimalOut | None
    fx_as_of: str | None
    source: str | None
    listed_on: str | None
    assumptions: str
    method_version: str
    error_code: str | None
    error_detail: str | None
    warnings: str


class RentalTotals(Answer):
    """All rows that have a bill, where they are in one currency (else null: ask for a `currency`)."""

    rows: int
    complete: bool
    currency: str | None
    total_cost_per_month: DecimalOut | None
    machine_cost_per_month: DecimalOut | None
    billed_accelerator_hours: DecimalOut | None
    mean_cost_per_billed_accelerator_hour: DecimalOut | None


class RentalAnswer(Answer):
    """Row i answers row i."""

    rows: list[RentalRow]
    totals: RentalTotals
    meta: Meta


RENTAL_COLUMNS = tuple(RentalRow.model_fields)
RENTAL_NUMBERS = numeric_columns(RentalRow)
