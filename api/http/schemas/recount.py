"""`POST /recount`: what was billed and the texts it was billed for in, differences and their reasons out."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, WithJsonSchema, model_validator

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import Answer, Currency, DecimalOut, InstantIn, Wire, numeric_columns
from api.http.schemas.price import PriceRowIn, UsageIn

ExplainedBy = Literal["equal", "frame", "estimate_range", "reasoning", "cache", "unexplained"]


class RecountRowIn(PriceRowIn):
    """One row of an invoice: `billed`, or `usage_format` with `vendor_usage`, and the texts."""

    usage: UsageIn | None = Field(None, alias="billed")
    input_text: str
    output_text: str | None = None
    system_text: str | None = Field(None, description="stands before the input in a message of its own")

    @model_validator(mode="after")
    def _one_usage(self) -> Self:
        if (self.usage is None) == (self.vendor_usage is None):
            raise ValueError("give billed, or usage_format and vendor_usage instead")
        if (self.vendor_usage is None) != (self.usage_format is None):
            raise ValueError("vendor_usage and usage_format belong together")
        return self


class RecountRequest(Wire):
    """Rows of an invoice; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "offer": "openai/gpt-4o",
                            "input_text": "Where is my parcel?",
                            "billed": {"input_tokens": 12, "output_tokens": 40},
                        }
                    ],
                    "as_of": "2026-11-30T12:00:00Z",
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/RecountRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = Field(None, description="for rows without an instant of their own; default: now")
    known_at: InstantIn | None = Field(None, description="price with what was believed then; default: now")
    currency: Currency | None = Field(None, description="convert costs to this; default: each book's own")
    fx: list[FxIn] = []


class RecountedRow(Answer):
    """What was billed against what was counted; differences are billed − counted."""

    row_id: str | int
    offer: str | None
    price_book: str | None
    context: str
    as_of: str | None
    tokenizer: str | None
    count_method: Literal["exact", "estimate", "unavailable"] | None
    counted_input_tokens: int | None
    billed_input_tokens: int | None
    difference: int | None
    difference_ratio: DecimalOut | None
    explained_by: ExplainedBy | None
    frame_tokens: int | None
    tokens_low: int | None
    tokens_high: int | None
    counted_output_tokens: int | None
    billed_output_tokens: int | None
    output_difference: int | None
    output_difference_ratio: DecimalOut | None
    output_explained_by: ExplainedBy | None
    status: Literal["explained", "unexplained"] | None
    billed_cost: DecimalOut | None
    recounted_cost: DecimalOut | None
    cost_difference: DecimalOut | None
    currency: str | None
    price_checked_on: str | None
    price_source: str | None
    error_code: str | None
    error_detail: str | None
    warnings: str


class RecountTotals(Answer):
    """Sums over the rows that were recounted; money only of those whose recount has a price, all in one currency.

    `cost_difference = explained_cost_difference + unexplained_cost_difference`; null where the rows are in several currencies.
    `complete` says whether every row is in all sums.
    """

    recounted_rows: int
    unexplained_rows: int
    error_rows: int
    counted_input_tokens: int
    billed_input_tokens: int
    difference: int
    counted_output_tokens: int
    billed_output_tokens: int
    output_difference: int
    priced_rows: int
    billed_cost: DecimalOut | None
    recounted_cost: DecimalOut | None
    cost_difference: DecimalOut | None
    explained_cost_difference: DecimalOut | None
    unexplained_cost_difference: DecimalOut | None
    currency: str | None
    complete: bool


class RecountAnswer(Answer):
    """Row i answers row i."""

    rows: list[RecountedRow]
    totals: RecountTotals
    meta: Meta


RECOUNT_COLUMNS = tuple(RecountedRow.model_fields)
RECOUNT_NUMBERS = numeric_columns(RecountedRow)
