"""`POST /price-change`: the effective change of price on the caller's text."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from api.http.schemas.common import Meta
from api.http.schemas.compare import ComparedSamples, CompareOfferIn
from api.http.schemas.fields import Answer, DecimalOut, InstantIn, Wire, numeric_columns
from api.http.schemas.price import RowIdIn


class OfferAtIn(CompareOfferIn):
    """An offer at an instant."""

    as_of: InstantIn


class ChangeIn(Wire):
    """Two sides: the same model at two instants, or two versions, or two vendors."""

    row_id: RowIdIn | None = None
    before: OfferAtIn
    after: OfferAtIn


class PriceChangeRequest(ComparedSamples):
    """Samples as in `POST /compare`, and the changes to measure on them."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": "Where is my parcel?",
                    "changes": [
                        {
                            "before": {"offer": "anthropic/claude-opus-4-6", "as_of": "2026-11-30"},
                            "after": {"offer": "anthropic/claude-opus-4-8", "as_of": "2026-11-30"},
                        }
                    ],
                }
            ]
        }
    )

    changes: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/ChangeIn"})]], Field(min_length=1)
    ]


class ChangeRow(Answer):
    """A change: ratios are `after / before − 1`, so 0.3 is 30 % more."""

    row_id: str | int
    before_offer: str | None
    before_as_of: str | None
    after_offer: str | None
    after_as_of: str | None
    cost_change_ratio: DecimalOut | None
    input_tokens_change_ratio: DecimalOut | None
    output_tokens_change_ratio: DecimalOut | None
    input_price_change_ratio: DecimalOut | None
    output_price_change_ratio: DecimalOut | None
    before_cost_per_query: DecimalOut | None
    after_cost_per_query: DecimalOut | None
    currency: str | None
    before_tokenizer: str | None
    after_tokenizer: str | None
    before_count_method: Literal["exact", "estimate"] | None
    after_count_method: Literal["exact", "estimate"] | None
    before_price_source: str | None
    after_price_source: str | None
    catalog_version: str
    method_version: str
    error_code: str | None
    error_detail: str | None
    warnings: str


class PriceChangeAnswer(Answer):
    """Row i answers change i."""

    rows: list[ChangeRow]
    meta: Meta


CHANGE_COLUMNS = tuple(ChangeRow.model_fields)
CHANGE_NUMBERS = numeric_columns(ChangeRow)
