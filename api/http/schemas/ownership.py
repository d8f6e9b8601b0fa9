"""`POST /ownership-cost`: what hardware costs its owner."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, WithJsonSchema, create_model

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, InstantIn, Name, Wire, numeric_columns
from api.http.schemas.price import RowIdIn
from api.http.schemas.stated import stated_fields
from economics.ownership.profile import CAPITAL_METHODS, COMPOUNDINGS, TAX_SCHEDULES, OwnershipProfile

_MEANINGS: Final = {
    "server_price": "of one server, with its accelerators; required, or from the profile",
    "server_count": "default 1",
    "accelerator_count": "in all servers; required, or from the profile",
    "network_capex": "amount for all servers; or network_share_ratio",
    "network_share_ratio": "share of the cluster's cost (servers + network + storage)",
    "storage_share_ratio": "share of the cluster's cost (servers + network + storage)",
    "facility_capex_per_kw": "of a building of one's own, a kW of contracted_kw",
    "residual_ratio": "worth of the servers at the end of their life; default 0",
    "useful_life_years": "of the servers, and of all that has no life of its own; required: there is no default",
    "network_life_years": "default: useful_life_years",
    "facility_life_years": "default: useful_life_years",
    "capital_method": "default annuity; the answer names it",
    "wacc_ratio": "cost of capital a year; required by the annuity, by npv and by interest on average capital",
    "monthly_compounding": "effective (1 + wacc)^(1/12) − 1, the default, or nominal wacc / 12",
    "interest_on_average_capital": "with straight_line: (capex + residual) / 2 · wacc / 12 as a line of its own",
    "value_decline_oom_per_year": "with declining_value: orders of magnitude a year; Epoch AI uses 0.14",
    "age_years": "with declining_value: age at the month in question; default 0",
    "nameplate_kw": "of the whole system; or tdp_w",
    "tdp_w": "of one accelerator; host_kw and network_kw of all servers are added",
    "load_ratio": "average load: of nameplate_kw, or of the accelerators alone where tdp_w is given; default 1",
    "pue": "power of the building for 1 of the machines",
    "power_cost_per_hour": "of the whole system, instead of kW, pue and electricity_price_per_kwh",
    "powered_hours_per_month": "default: hours_per_month",
    "contracted_kw": "default: all that may be drawn, not the average",
    "colocation_includes_power": "the place's price pays the electricity",
    "maintenance_ratio_per_year": "of all that was paid",
    "insurance_ratio_per_year": "of all that was paid",
    "property_tax_ratio_per_year": "of all that was paid",
    "staff_fte": "full-time equivalents for this system, with staff_cost_per_fte_year; or servers_per_fte",
    "staff_cost_per_month": "instead of full-time equivalents",
    "availability_ratio": "share of hours that the accelerators work",
    "utilization_ratio": "share of available hours that serve paid work",
    "hours_per_month": "default 730; 720 and 744 are also in use",
    "cloud_price_per_accelerator_hour": "what it is held against; billed when used",
    "cloud_hours_per_month": "of one accelerator; default: hours used, else all hours",
    "dense_tflops_per_accelerator": "for cost_per_used_petaflop_year",
    "tax_schedule": "list deductions for tax: macrs_5 is the United States' schedule of six calendar years",
    "reference_price_per_accelerator": "usual price in a server; default: the shipped one of the accelerator",
}
_Stated = create_model(
    "_Stated",
    __base__=Wire,
    **stated_fields(
        OwnershipProfile,
        _MEANINGS,
        {"capital_method": CAPITAL_METHODS, "monthly_compounding": COMPOUNDINGS, "tax_schedule": TAX_SCHEDULES},
    ),
)


class OwnershipRowIn(_Stated):
    """One system that is owned. Amounts are of the whole system unless the name says what they are per."""

    row_id: RowIdIn | None = None
    profile: Name | None = Field(None, description="id of an ownership profile; what is stated here stands above it")
    accelerator: Name | None = Field(None, description="id of GET /accelerators, for published figures beside yours")


class OwnershipRequest(Wire):
    """Systems that are owned; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "server_price": "280000",
                            "accelerator_count": 8,
                            "residual_ratio": "0.1",
                            "useful_life_years": "4",
                            "wacc_ratio": "0.09",
                            "nameplate_kw": "10.2",
                            "load_ratio": "0.8",
                            "pue": "1.25",
                            "electricity_price_per_kwh": "0.09",
                            "colocation_price_per_kw_month": "110",
                            "maintenance_ratio_per_year": "0.03",
                            "staff_cost_per_month": "600",
                            "availability_ratio": "0.99",
                            "utilization_ratio": "0.65",
                            "cloud_price_per_accelerator_hour": "3.99",
                        },
                        {"profile": "reference-8xh100-colocated", "utilization_ratio": "0.4"},
                    ]
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/OwnershipRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = None


class OwnershipRow(Answer):
    """Every component a month; a component that is null was not stated and is not in the total."""

    row_id: str | int
    profile: str | None
    accelerator: str | None
    accelerator_count: int | None
    currency: str | None
    capital_method: Literal["annuity", "straight_line", "declining_value"] | None
    monthly_compounding: Literal["effective", "nominal"] | None
    wacc_ratio: DecimalOut | None
    monthly_wacc_ratio: DecimalOut | None
    useful_life_months: int | None
    hours_per_month: DecimalOut | None
    servers_capex: DecimalOut | None
    network_capex: DecimalOut | None
    storage_capex: DecimalOut | None
    install_capex: DecimalOut | None
    spares_capex: DecimalOut | None
    facility_capex: DecimalOut | None
    capex: DecimalOut | None
    residual_value: DecimalOut | None
    servers_cost_per_month: DecimalOut | None
    network_cost_per_month: DecimalOut | None
    storage_cost_per_month: DecimalOut | None
    install_cost_per_month: DecimalOut | None
    spares_cost_per_month: DecimalOut | None
    facility_cost_per_month: DecimalOut | None
    interest_cost_per_month: DecimalOut | None
    capital_cost_per_month: DecimalOut | None
    it_kw: DecimalOut | None
    energy_kwh_per_month: DecimalOut | None
    power_cost_per_month: DecimalOut | None
    colocation_cost_per_month: DecimalOut | None
    maintenance_cost_per_month: DecimalOut | None
    staff_cost_per_month: DecimalOut | None
    license_cost_per_month: DecimalOut | None
    remote_hands_cost_per_month: DecimalOut | None
    insurance_cost_per_month: DecimalOut | None
    property_tax_cost_per_month: DecimalOut | None
    other_cost_per_month: DecimalOut | None
    cash_opex_cost_per_month: DecimalOut | None
    total_cost_per_month: DecimalOut | None
    availability_ratio: DecimalOut | None
    utilization_ratio: DecimalOut | None
    cost_per_installed_accelerator_hour: DecimalOut | None
    cost_per_available_accelerator_hour: DecimalOut | None
    cost_per_used_accelerator_hour: DecimalOut | None
    cost_per_used_petaflop_year: DecimalOut | None
    energy_cost_share: DecimalOut | None
    cloud_price_per_accelerator_hour: DecimalOut | None
    cloud_hours_per_month: DecimalOut | None
    cloud_cost_per_month: DecimalOut | None
    saving_per_month: DecimalOut | None
    payback_months: DecimalOut | None
    break_even_hours: DecimalOut | None
    break_even_utilization_ratio: DecimalOut | None
    npv: DecimalOut | None
    roi_ratio: DecimalOut | None
    irr_ratio: DecimalOut | None
    cheaper: Literal["own", "rent", "equal"] | None
    criterion: str | None
    cash_first_year_cost: DecimalOut | None
    cash_later_year_cost: DecimalOut | None
    cash_total_cost: DecimalOut | None
    tax_deductions_by_year: str | None
    published_hyperscaler_cost_per_accelerator_hour: DecimalOut | None
    published_neocloud_cost_per_accelerator_hour: DecimalOut | None
    published_source: str | None
    not_stated: str
    assumptions: str
    overrides: str
    source: str | None
    source_as_of: str | None
    method_version: str
    error_code: str | None
    error_detail: str | None
    warnings: str


class OwnershipAnswer(Answer):
    """Row i answers row i."""

    rows: list[OwnershipRow]
    meta: Meta


OWNERSHIP_COLUMNS = tuple(OwnershipRow.model_fields)
OWNERSHIP_NUMBERS = numeric_columns(OwnershipRow)
