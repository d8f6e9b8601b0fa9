"""`POST /capacity` and `GET /capacity-rules`: reserved capacity for a load."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import (
    Answer,
    ContextIn,
    Currency,
    DecimalOut,
    InstantIn,
    Name,
    PositiveIn,
    PriceIn,
    ShareIn,
    Wire,
    numeric_columns,
)
from api.http.schemas.price import RowIdIn

_Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _./-]{0,59}$")]
MeasureIn = Literal["tokens", "characters", "images"]


class CapIn(Wire):
    """What one unit carries of one dimension."""

    dimension: _Word = Field(description="input, output, or another: of these two the need follows from the load")
    per_unit: PositiveIn
    need: PriceIn | None = Field(None, description="at the peak, in the same window")


class TermPriceIn(Wire):
    """A price of one unit."""

    term: _Word = Field(description="such as hourly, month, year")
    price_per_unit: PriceIn
    per: Literal["hour", "month", "year"]


class RunsIn(Wire):
    """Runs of the same length in a month."""

    minutes: PriceIn
    startup_minutes: PriceIn = Field("0", validate_default=True, description="billed before each")
    count: PositiveIn = Field("1", validate_default=True)


class LoadPeriodIn(Wire):
    """Hours of the month with one load."""

    hours: PriceIn
    queries: PriceIn = Field(description="per window")


class CapacityRowIn(Wire):
    """A load and the capacity for it."""

    row_id: RowIdIn | None = None
    rule: Name | None = Field(None, description="of GET /capacity-rules", examples=["azure/gpt-4.1/global"])
    unit: _Word | None = Field(None, description="name of the unit, for the answer")
    measure: MeasureIn | None = Field(
        None, description="what input and output are counted in; default: the rule's, or tokens"
    )
    window: Literal["minute", "second"] | None = Field(None, description="of loads and per_unit")
    peak_queries: PositiveIn | None = Field(None, description="per window")
    input_per_query: PriceIn = Field("0", validate_default=True, description="cached input included")
    cached_input_per_query: PriceIn = Field("0", validate_default=True)
    output_per_query: PriceIn = Field("0", validate_default=True)
    per_unit: PositiveIn | None = Field(None, description="weighted load a window that one unit carries")
    input_weight: PriceIn | None = None
    cached_input_weight: PriceIn | None = Field(None, description="0 where it is deducted in full; default: as input")
    output_weight: PriceIn | None = None
    caps: Annotated[list[CapIn], Field(max_length=20)] = []
    units: PositiveIn | None = Field(None, description="that you have or would buy; default: what the load needs")
    minimum_units: PriceIn | None = None
    unit_increment: PositiveIn | None = None
    terms: Annotated[list[TermPriceIn], Field(max_length=20)] = []
    term: _Word | None = Field(None, description="the term to answer for; default: the cheapest")
    hours_per_month: PositiveIn | None = Field(None, description="default 730, or the hours of the profile")
    runs: Annotated[list[RunsIn], Field(max_length=1_000)] = Field([], description="instead of the whole month")
    billing_increment_minutes: PositiveIn | None = Field(None, description="60: part hours are hours; default: as run")
    minimum_minutes: PriceIn = Field("0", validate_default=True, description="billed of each run at least")
    queries_per_month: PositiveIn | None = None
    mean_load_ratio: ShareIn | None = Field(None, description="mean load as a share of the peak")
    profile: Annotated[list[LoadPeriodIn], Field(max_length=1_000)] = []
    payg_price_per_mtok_input: PriceIn | None = None
    payg_price_per_mtok_cached_input: PriceIn | None = Field(None, description="default: the price of input")
    payg_price_per_mtok_output: PriceIn | None = None
    payg_cost_per_query: PriceIn | None = None
    offer: Name | None = Field(None, description="instead: the price by use is of this offer of the catalog")
    price_book: Name | None = None
    context: ContextIn = Field(default_factory=dict)
    as_of: InstantIn | None = None

    @model_validator(mode="after")
    def _whole_prices(self) -> Self:
        if (self.payg_price_per_mtok_input is None) != (self.payg_price_per_mtok_output is None):
            raise ValueError("payg_price_per_mtok_input and payg_price_per_mtok_output belong together")
        if self.payg_price_per_mtok_cached_input is not None and self.payg_price_per_mtok_input is None:
            raise ValueError("payg_price_per_mtok_cached_input needs payg_price_per_mtok_input")
        if self.offer is None and (self.price_book is not None or self.context):
            raise ValueError("price_book and context belong to an offer")
        for name in ("units", "minimum_units", "unit_increment"):
            value = getattr(self, name)
            if value is not None and value != value.to_integral_value():
                raise ValueError(f"{name} is a whole number")
        return self


class CapacityRequest(Wire):
    """Loads and capacities; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "rule": "azure/gpt-4.1/global",
                            "peak_queries": 120,
                            "input_per_query": 1800,
                            "cached_input_per_query": 600,
                            "output_per_query": 350,
                            "terms": [
                                {"term": "hourly", "price_per_unit": "2.00", "per": "hour"},
                                {"term": "reserved month", "price_per_unit": "260", "per": "month"},
                            ],
                            "mean_load_ratio": "0.35",
                            "payg_price_per_mtok_input": "2.00",
                            "payg_price_per_mtok_cached_input": "0.50",
                            "payg_price_per_mtok_output": "8.00",
                        }
                    ],
                    "currency": "USD",
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/CapacityRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = Field(None, description="for rows without an instant of their own; default: now")
    known_at: InstantIn | None = None
    currency: Currency = Field("USD", description="of all amounts, stated and answered")
    fx: list[FxIn] = []
    tax: Literal["as_listed", "excluded"] = Field("as_listed", description="of offers whose prices include tax")


class SizingOut(Answer):
    """How one dimension led to units."""

    row_id: str | int
    dimension: str
    need: DecimalOut
    per_unit: DecimalOut
    raw_units: DecimalOut
    whole_units: DecimalOut
    explanation: str


class TermCostOut(Answer):
    """A month under one term."""

    row_id: str | int
    term: str
    per: Literal["hour", "month", "year"]
    price_per_unit: DecimalOut
    capacity_cost: DecimalOut
    total_cost_low: DecimalOut | None
    total_cost_high: DecimalOut | None
    cost_per_query_low: DecimalOut | None
    cost_per_query_high: DecimalOut | None
    cost_per_million_at_peak: DecimalOut | None
    break_even_queries: DecimalOut | None
    break_even_ratio: DecimalOut | None


class CapacityRow(Answer):
    """A month of reserved capacity under one term."""

    row_id: str | int
    rule: str | None
    unit: str | None
    measure: MeasureIn | None
    window: Literal["minute", "second"] | None
    currency: str
    peak_queries: DecimalOut | None
    weighted_per_query: DecimalOut | None
    weighted_at_peak: DecimalOut | None
    binding_dimension: str | None
    raw_units: DecimalOut | None
    required_units: DecimalOut | None
    units: DecimalOut | None
    minimum_units: DecimalOut | None
    unit_increment: DecimalOut | None
    input_weight: DecimalOut | None
    cached_input_weight: DecimalOut | None
    output_weight: DecimalOut | None
    capacity_queries: DecimalOut | None
    hours_per_month: DecimalOut | None
    billed_minutes: DecimalOut | None
    paid_hours: DecimalOut | None
    term: str | None
    per: Literal["hour", "month", "year"] | None
    price_per_unit: DecimalOut | None
    capacity_cost: DecimalOut | None
    unrounded_cost: DecimalOut | None
    queries: DecimalOut | None
    peak_month_queries: DecimalOut | None
    overflow_queries_low: DecimalOut | None
    overflow_queries_high: DecimalOut | None
    total_cost: DecimalOut | None
    total_cost_low: DecimalOut | None
    total_cost_high: DecimalOut | None
    cost_per_query: DecimalOut | None
    cost_per_query_low: DecimalOut | None
    cost_per_query_high: DecimalOut | None
    cost_per_million_at_peak: DecimalOut | None
    payg_cost_per_query: DecimalOut | None
    payg_cost: DecimalOut | None
    cheaper: Literal["capacity", "payg", "equal"] | None
    break_even_queries: DecimalOut | None
    break_even_ratio: DecimalOut | None
    reasons: str
    rule_source: str | None
    rule_checked_on: str | None
    rule_note: str | None
    offer: str | None
    price_book: str | None
    context: str
    as_of: str
    native_currency: str | None
    fx_rate: DecimalOut | None
    fx_as_of: str | None
    price_valid_from: str | None
    price_checked_on: str | None
    price_source: str | None
    price_status: Literal["ok", "unconfirmed_start", "stale", "disputed", "suspect"] | None
    catalog_version: str
    method_version: str
    error_code: str | None
    error_detail: str | None
    warnings: str


class CapacityAnswer(Answer):
    """Row i answers row i; `sizing` and `terms` name their row by its id."""

    rows: list[CapacityRow]
    sizing: list[SizingOut]
    terms: list[TermCostOut]
    meta: Meta


class CapacityRuleOut(Answer):
    """A published rule, without prices."""

    rule: str
    unit: str
    measure: MeasureIn
    window: Literal["minute", "second"]
    per_unit: DecimalOut
    input_weight: DecimalOut
    cached_input_weight: DecimalOut | None
    output_weight: DecimalOut
    minimum_units: DecimalOut
    unit_increment: DecimalOut
    source: str
    url: str
    checked_on: str
    note: str


class CapacityRulesAnswer(Answer):
    """All published rules."""

    rows: list[CapacityRuleOut]
    meta: Meta
    next: str | None


CAPACITY_COLUMNS = tuple(CapacityRow.model_fields)
CAPACITY_NUMBERS = numeric_columns(CapacityRow)
