"""`POST /blended-price`: the figures the market quotes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, WithJsonSchema, model_validator

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import (
    Answer,
    ContextIn,
    CountIn,
    Currency,
    DecimalOut,
    InstantIn,
    Name,
    PriceIn,
    Wire,
    numeric_columns,
)
from api.http.schemas.price import RowIdIn


class MixIn(Wire):
    """Weights of a blend; they need not sum to 1."""

    input_tokens: PriceIn = Field("0", validate_default=True)
    cache_read_tokens: PriceIn = Field("0", validate_default=True)
    output_tokens: PriceIn = Field("0", validate_default=True)


class BlendedOfferIn(Wire):
    """An offer to blend."""

    row_id: RowIdIn | None = None
    offer: Name
    price_book: Name | None = None
    context: ContextIn = Field(default_factory=dict)
    as_of: InstantIn | None = None


class BlendedRequest(Wire):
    """Offers and one mix: a quoted one, or weights of the caller's own."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"rows": [{"offer": "openai/gpt-6-sol"}], "mix": "7:2:1"}]}
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/BlendedOfferIn"})]], Field(min_length=1)
    ]
    mix: Literal["3:1", "1:3", "7:2:1"] | None = Field(
        None, description="input:output, or cached:input:output; default 3:1"
    )
    weights: MixIn | None = None
    input_tokens: CountIn = Field(0, description="length of the prompt, which chooses the tier")
    as_of: InstantIn | None = None
    known_at: InstantIn | None = None
    currency: Currency | None = None
    fx: list[FxIn] = []
    output_tokens: CountIn = Field(0, description="length of the answer, where a vendor's tiers depend on it")

    @model_validator(mode="after")
    def _one_mix(self) -> Self:
        if self.mix is not None and self.weights is not None:
            raise ValueError("give mix, or weights instead")
        return self


class BlendedRow(Answer):
    """A blended price per million tokens."""

    row_id: str | int
    offer: str | None
    price_book: str | None
    context: str
    as_of: str
    mix: str
    blended_price_per_mtok: DecimalOut | None
    currency: str | None
    native_blended_price_per_mtok: DecimalOut | None
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


class BlendedAnswer(Answer):
    """Row i answers row i."""

    rows: list[BlendedRow]
    meta: Meta


BLENDED_COLUMNS = tuple(BlendedRow.model_fields)
BLENDED_NUMBERS = numeric_columns(BlendedRow)
