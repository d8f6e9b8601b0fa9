"""`GET /prices` and `POST /prices`: dated price rows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from api.http.schemas.common import Meta
from api.http.schemas.fields import (
    Answer,
    ContextIn,
    CountIn,
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
from api.http.schemas.terms import TermIn

ProviderName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]


class PriceBookIn(Wire):
    """A private price book: created with its first rows or terms."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    base: Name | None = Field(None, description="the list book that answers where this one has no rate")
    currency: Currency
    valid_from: InstantIn | None = Field(
        None, description="before it the book answers nothing; null: no bound, left out: as it is"
    )
    valid_to: InstantIn | None = Field(
        None, description="from it on the book answers nothing; null: no bound, left out: as it is"
    )
    terms: Annotated[list[TermIn], Field(max_length=1_000)] = Field(
        [], description="discounts, free allowances, credits, committed spend"
    )


class PriceRowToPublish(Wire):
    """One dated rate."""

    provider: ProviderName
    model: Name
    tokenizer: Name | None = Field(None, description="how this model's tokens are counted: an id of GET /tokenizers")
    meter: Name
    rate: PriceIn | None = Field(description="null clears what is believed of this rate for the period; never 0")
    per: Annotated[int, Field(ge=1, le=10**12, strict=True)] = Field(1_000_000, description="units the rate is for")
    currency: Currency | None = Field(None, description="the book's, if given")
    unit: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = Field(
        None,
        description="instead of per, as price pages write it: USD per 1M tokens, 元/百万tokens, 元/千tokens, 元/千次; kept in note",
    )
    context: ContextIn = Field(default_factory=dict)
    min_input_tokens: CountIn | None = None
    min_inclusive: Annotated[bool, Field(strict=True)] = False
    valid_from: InstantIn | None = Field(None, description="unknown start if left out")
    valid_to: InstantIn | None = None
    tax_included: Annotated[bool, Field(strict=True)] | None = None
    tax_rate: ShareIn | None = None
    source: Name
    checked_on: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] | None = None
    min_quantity: PositiveIn | None = Field(
        None, description="what one request with any of the meter is charged for at least, in units of the meter"
    )
    min_output_tokens: CountIn | None = Field(None, description="for answers longer than this only")
    output_inclusive: Annotated[bool, Field(strict=True)] = False
    max_input_tokens: CountIn | None = Field(None, description="not sold for prompts longer than this")


class PublishRequest(Wire):
    """Rows and terms to record, all or none; rows may be empty where terms or a period of the book are given."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "price_book": {
                        "id": "acme-2026",
                        "base": "default",
                        "currency": "USD",
                        "terms": [
                            {
                                "id": "framework",
                                "kind": "discount",
                                "discount_share": "0.12",
                                "base_only": True,
                                "source": "contract 4711, clause 3",
                            }
                        ],
                    },
                    "rows": [
                        {
                            "provider": "openai",
                            "model": "gpt-6-sol",
                            "meter": "input_tokens",
                            "rate": "1.80",
                            "valid_from": "2026-11-01",
                            "source": "contract 4711",
                        }
                    ],
                }
            ]
        }
    )

    price_book: PriceBookIn
    rows: list[PriceRowToPublish] = []


class PublishedBook(Answer):
    """What was recorded: rows and terms, the period of the book counted as a term."""

    price_book: str
    added: int
    superseded: int
    unchanged: int


class PublishAnswer(Answer):
    """One row: the book."""

    rows: list[PublishedBook]
    meta: Meta


class PriceRecordOut(Answer):
    """One dated price as it is believed, or was."""

    provider: str
    model: str
    price_book: str
    kind: Literal["rate", "uplift"]
    meter: str
    rate: DecimalOut
    per: int
    currency: str
    context: str
    min_input_tokens: int | None
    min_inclusive: bool
    max_input_tokens: int | None
    schedule: str | None
    valid_from: str | None
    valid_to: str | None
    start_known: bool
    tax_included: bool | None
    tax_rate: DecimalOut | None
    status: str
    source: str
    source_url: str | None
    checked_on: str | None
    recorded_at: str
    superseded_at: str | None
    note: str
    min_quantity: DecimalOut | None
    min_output_tokens: int | None
    output_inclusive: bool


class PricesAnswer(Answer):
    """Dated rows; `next` continues."""

    rows: list[PriceRecordOut]
    meta: Meta
    next: str | None


PRICE_RECORD_COLUMNS = tuple(PriceRecordOut.model_fields)
PRICE_RECORD_NUMBERS = numeric_columns(PriceRecordOut)
