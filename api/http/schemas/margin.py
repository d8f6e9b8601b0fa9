"""`POST /margin`: a price to the customer and a cost in, margins and what moves them out."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import (
    DECIMAL_PATTERN,
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
    read_amount,
    read_decimal,
)
from api.http.schemas.price import RowIdIn
from economics.meters import METERS

_MeanIn = Annotated[
    Decimal,
    BeforeValidator(read_amount),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": DECIMAL_PATTERN.replace("-?", "")}]}
    ),
]


def _below_one(value: object) -> Decimal:
    ratio = read_decimal(value)
    if ratio >= 1:
        raise ValueError("a gross margin is below 1; mark-up is another figure")
    return ratio


_TargetIn = Annotated[
    Decimal,
    BeforeValidator(_below_one),
    WithJsonSchema({"type": "string", "format": "decimal", "pattern": DECIMAL_PATTERN}),
]
_FIELDS: dict[str, Any] = {
    name: (_MeanIn | None, Field(default=None, description=meter.meaning)) for name, meter in METERS.items()
}
MeanUsageIn = create_model(
    "MeanUsageIn",
    __base__=Wire,
    __doc__="Quantities of one query; means need not be whole with stated prices. Parts of a meter are charged once.",
    **_FIELDS,
)


class MarginRowIn(Wire):
    """One business: prices to the customer, volume, the model's cost, other costs of goods sold."""

    row_id: RowIdIn | None = None
    price_per_seat: PriceIn | None = Field(None, description="a month")
    price_per_query: PriceIn | None = None
    price_per_mtok_input: PriceIn | None = None
    price_per_mtok_cached_input: PriceIn | None = Field(
        None, description="left out: the price of input, with a warning"
    )
    price_per_mtok_output: PriceIn | None = None
    revenue_per_month: PriceIn | None = None
    seats: PriceIn | None = None
    queries_per_seat: PriceIn | None = Field(None, description="a month")
    queries_per_month: PriceIn | None = None
    usage: MeanUsageIn | None = None
    reasoning_tokens_per_query: PriceIn = Field(
        "0", validate_default=True, description="beside output_tokens, where a vendor counts them so; charged as output"
    )
    model_price_per_mtok_input: PriceIn | None = None
    model_price_per_mtok_cached_input: PriceIn | None = Field(
        None, description="left out: the price of input, with a warning"
    )
    model_price_per_mtok_output: PriceIn | None = None
    model_cost_per_query: PriceIn | None = Field(None, description="one attempt at the standard price")
    offer: Name | None = Field(
        None, description="instead: an offer of the catalog, for usage", examples=["openai/gpt-6-sol"]
    )
    price_book: Name | None = None
    context: ContextIn = Field(default_factory=dict)
    as_of: InstantIn | None = None
    price_multiplier: PositiveIn | None = Field(
        None, description="region or residency uplift on the model's prices: 1.1"
    )
    batch_share: ShareIn = Field("0", validate_default=True)
    batch_multiplier: ShareIn | None = Field(None, description="price in batch as a multiple; offers have their own")
    retry_share: PriceIn = Field("0", validate_default=True, description="attempts above one a query: 0.03 is 3 in 100")
    model_discount_share: ShareIn = Field("0", validate_default=True, description="of a contract, on token prices")
    model_fee_share: PriceIn = Field(
        "0", validate_default=True, description="of a gateway, on what is spent after discount"
    )
    commitment_per_month: PriceIn = Field(
        "0", validate_default=True, description="model spend that is due if less is used"
    )
    inference_cost_per_month: PriceIn = Field(
        "0", validate_default=True, description="reserved capacity or own machines, whatever the volume"
    )
    payment_fee_share: ShareIn = Field("0", validate_default=True, description="of revenue")
    payment_fee_per_seat: PriceIn = Field("0", validate_default=True)
    payment_fee_per_transaction: PriceIn = Field("0", validate_default=True)
    transactions_per_month: PriceIn = Field("0", validate_default=True)
    support_per_seat: PriceIn = Field("0", validate_default=True, description="a month")
    support_per_month: PriceIn = Field("0", validate_default=True)
    hosting_per_month: PriceIn = Field("0", validate_default=True)
    accepted_share: ShareIn | None = Field(None, description="queries whose result is accepted")
    target_margin_ratio: _TargetIn | None = None


class MarginRequest(Wire):
    """Businesses or scenarios side by side; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "row_id": "real time",
                            "price_per_seat": "12.00",
                            "seats": 8000,
                            "queries_per_seat": 45,
                            "usage": {"input_tokens": 2300, "cache_read_tokens": 1500, "output_tokens": 1320},
                            "offer": "openai/gpt-6-sol",
                            "retry_share": "0.03",
                            "payment_fee_share": "0.029",
                            "payment_fee_per_seat": "0.30",
                            "target_margin_ratio": "0.7",
                        }
                    ],
                    "as_of": "2026-11-30T12:00:00Z",
                    "currency": "USD",
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/MarginRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = Field(None, description="for rows without an instant of their own; default: now")
    known_at: InstantIn | None = Field(None, description="price with what was believed then; default: now")
    currency: Currency = Field("USD", description="of all amounts, stated and answered")
    fx: list[FxIn] = []
    tax: Literal["as_listed", "excluded"] = Field("as_listed", description="of offers whose prices include tax")
    swing_share: ShareIn = Field("0.1", validate_default=True, description="how far sensitivity moves each input")


class SwingOut(Answer):
    """What one input does to the gross margin, greatest first."""

    row_id: str | int
    place: int
    input: str
    value: DecimalOut
    low_value: DecimalOut
    high_value: DecimalOut
    gross_margin_ratio_at_low: DecimalOut | None
    gross_margin_ratio_at_high: DecimalOut | None
    swing: DecimalOut


class QueryLineOut(Answer):
    """What one query costs under one meter, with batch, discount, retries and fee."""

    row_id: str | int
    meter: str
    cost_per_query: DecimalOut
    cost_share: DecimalOut | None


class MarginRow(Answer):
    """Figures of a month, or of one query where no volume was given (`period`)."""

    row_id: str | int
    period: Literal["month", "query"] | None
    currency: str
    queries: DecimalOut | None
    seats: DecimalOut | None
    revenue: DecimalOut | None
    inference_cost: DecimalOut | None
    commitment_shortfall_cost: DecimalOut | None
    payment_fees: DecimalOut | None
    support: DecimalOut | None
    hosting: DecimalOut | None
    cogs: DecimalOut | None
    gross_profit: DecimalOut | None
    gross_margin_ratio: DecimalOut | None
    markup_ratio: DecimalOut | None
    revenue_per_query: DecimalOut | None
    list_cost_per_query: DecimalOut | None
    contracted_cost_per_query: DecimalOut | None
    cost_per_query: DecimalOut | None
    cogs_per_query: DecimalOut | None
    inference_cost_per_accepted: DecimalOut | None
    cogs_per_accepted: DecimalOut | None
    inference_efficiency_ratio: DecimalOut | None
    inference_share: DecimalOut | None
    commitment_multiplier: DecimalOut | None
    input_margin_ratio: DecimalOut | None
    cached_input_margin_ratio: DecimalOut | None
    output_margin_ratio: DecimalOut | None
    target_margin_ratio: DecimalOut | None
    target_price: DecimalOut | None
    target_unit: Literal["seat", "query", "month"] | None
    target_price_multiplier: DecimalOut | None
    target_revenue: DecimalOut | None
    break_even_min_queries: DecimalOut | None
    break_even_max_queries: DecimalOut | None
    break_even_queries_per_seat: DecimalOut | None
    target_min_queries: DecimalOut | None
    target_max_queries: DecimalOut | None
    max_queries_per_seat: DecimalOut | None
    most_sensitive_input: str | None
    most_sensitive_swing: DecimalOut | None
    swing_share: DecimalOut
    reasons: str
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


class MarginAnswer(Answer):
    """Row i answers row i; `sensitivity` and `lines` name their row by its id."""

    rows: list[MarginRow]
    sensitivity: list[SwingOut]
    lines: list[QueryLineOut]
    meta: Meta


MARGIN_COLUMNS = tuple(MarginRow.model_fields)
MARGIN_NUMBERS = numeric_columns(MarginRow)
