"""`POST /price`: stated usage in, exact cost out."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    create_model,
    model_validator,
)

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import (
    DECIMAL_PATTERN,
    Answer,
    ContextIn,
    CountIn,
    Currency,
    DecimalOut,
    InstantIn,
    Name,
    Wire,
    numeric_columns,
    read_amount,
    unicode_text,
)
from economics.meters import METERS
from economics.vendor_usage import USAGE_FORMATS

MEASURED_METERS = ("audio_seconds", "storage_token_hours")
"""Meters whose quantity need not be whole."""

_AmountIn = Annotated[
    Decimal | int,
    BeforeValidator(read_amount),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": DECIMAL_PATTERN.replace("-?", "")}]}
    ),
]


def _row_id(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("a row_id is text or a whole number")
    if len(str(value)) > 200:
        raise ValueError("a row_id has at most 200 characters")
    return unicode_text(value) if isinstance(value, str) else value


RowIdIn = Annotated[
    str | int,
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": 200}, {"type": "integer"}]}),
    BeforeValidator(_row_id),
]


class _Usage(Wire):
    web_search_queries: (
        Annotated[list[Annotated[str, StringConstraints(max_length=2_000)]], Field(max_length=1_000)] | None
    ) = None


_FIELDS: dict[str, Any] = {
    name: ((_AmountIn if name in MEASURED_METERS else CountIn) | None, Field(default=None, description=meter.meaning))
    for name, meter in METERS.items()
}
UsageIn = create_model(
    "UsageIn",
    __base__=_Usage,
    __doc__="Quantity of each meter; children are parts of their parents and are charged once.",
    **_FIELDS,
)


class UsageRowIn(Wire):
    """One usage of an offer."""

    row_id: RowIdIn | None = None
    offer: Annotated[Name, Field(examples=["openai/gpt-5.6-sol"])]
    context: ContextIn = Field(default_factory=dict)
    usage: UsageIn | None = None
    usage_format: Annotated[str, Field(json_schema_extra={"enum": list(USAGE_FORMATS)})] | None = Field(
        None, description="with vendor_usage, instead of usage: whose usage object it is"
    )
    vendor_usage: dict[str, Any] | None = Field(None, description="a usage object as the vendor's API returned it")
    served_context: ContextIn | None = Field(
        None, description="what was served where that is another context than was asked for: it decides the bill"
    )

    @model_validator(mode="after")
    def _one_usage(self) -> Self:
        if (self.usage is None) == (self.vendor_usage is None):
            raise ValueError("give usage, or usage_format and vendor_usage instead")
        if (self.vendor_usage is None) != (self.usage_format is None):
            raise ValueError("vendor_usage and usage_format belong together")
        return self


class PriceRowIn(UsageRowIn):
    """One usage to price."""

    price_book: Name | None = None
    as_of: InstantIn | None = None


class PriceRequest(Wire):
    """Rows to price; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "offer": "anthropic/claude-opus-5",
                            "usage": {"input_tokens": 6100, "cache_read_tokens": 6034, "output_tokens": 100},
                        }
                    ]
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/PriceRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = Field(None, description="for rows without an instant of their own; default: now")
    known_at: InstantIn | None = Field(None, description="price with what was believed then; default: now")
    currency: Currency | None = Field(None, description="convert totals to this; default: each book's own")
    fx: list[FxIn] = []


class CostLineOut(Answer):
    """One charged meter."""

    meter: str
    quantity: str
    rate: DecimalOut
    per: int
    cost: DecimalOut


class PricedRow(Answer):
    """The cost of one row, or why there is none."""

    row_id: str | int
    offer: str | None
    price_book: str | None
    context: str
    as_of: str | None
    total: DecimalOut | None
    currency: str | None
    price_valid_from: str | None
    price_checked_on: str | None
    price_source: str | None
    price_status: Literal["ok", "unconfirmed_start", "stale", "disputed", "suspect"] | None
    error_code: str | None
    error_detail: str | None
    warnings: str
    native_total: DecimalOut | None
    native_currency: str | None
    fx_rate: DecimalOut | None
    fx_as_of: str | None
    served_context: str


class PricedRowWithLines(PricedRow):
    """With `?lines=1`: each charged meter."""

    lines: list[CostLineOut] | None


class PriceAnswer(Answer):
    """Row i answers row i."""

    rows: list[PricedRowWithLines | PricedRow]
    meta: Meta


PRICE_COLUMNS = tuple(PricedRow.model_fields)
PRICE_NUMBERS = numeric_columns(PricedRow)
