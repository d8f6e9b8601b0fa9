"""`terms` of `POST /prices`, and `GET /price-terms`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from api.http.schemas.common import Meta
from api.http.schemas.fields import (
    Answer,
    ContextIn,
    DecimalOut,
    DiscountIn,
    InstantIn,
    Name,
    PositiveIn,
    Wire,
    numeric_columns,
)

Note = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


class TermIn(Wire):
    """A dated term of the contract; which fields it has besides the common ones depends on `kind`."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")] = Field(
        description="what is said of an id replaces all that was believed of it"
    )
    kind: Literal["discount", "free_allowance", "credit", "committed_spend", "cleared"] = Field(
        description="cleared: nothing is believed of this id any more; it has no other field"
    )
    source: Name | None = Field(None, description="who says so; required unless cleared")
    order: Annotated[int, Field(ge=-1_000_000, le=1_000_000, strict=True)] = Field(
        0, description="among terms of one kind the lower comes first"
    )
    valid_from: InstantIn | None = None
    valid_to: InstantIn | None = None
    provider: Name | None = Field(None, description="only of this provider")
    model: Name | None = Field(None, description="only of this model of the provider: its own id")
    note: Note | None = None
    discount_share: DiscountIn | None = Field(
        None, description="discount: off each rate, above 0 to 1, at most 12 decimals"
    )
    meters: Annotated[list[Name], Field(min_length=1, max_length=50)] | None = Field(
        None, description="discount: on the rates of these meters; default: all token meters"
    )
    context: ContextIn | None = Field(None, description="discount: only in this context")
    base_only: Annotated[bool, Field(strict=True)] | None = Field(
        None, description="discount: only on rates that come from the base"
    )
    meter: Name | None = Field(None, description="free_allowance: what is free")
    quantity: PositiveIn | None = Field(None, description="free_allowance: units a calendar month (UTC)")
    amount: PositiveIn | None = Field(None, description="credit, committed_spend: in the currency of the book")
    per: Literal["month", "quarter", "term"] | None = Field(None, description="committed_spend: how often it is due")
    after_credits: Annotated[bool, Field(strict=True)] | None = Field(
        None, description="committed_spend: what credits paid does not count as spent"
    )


class PriceTermOut(Answer):
    """A term as it is believed, or was; of kind `book_period` with id `*` it is the period of the book itself."""

    price_book: str
    id: str
    kind: Literal["discount", "free_allowance", "credit", "committed_spend", "book_period"]
    order: int | None
    valid_from: str | None
    valid_to: str | None
    provider: str | None
    model: str | None
    context: str
    meters: str
    discount_share: DecimalOut | None
    base_only: bool | None
    meter: str | None
    quantity: DecimalOut | None
    amount: DecimalOut | None
    currency: str
    per: Literal["month", "quarter", "term"] | None
    after_credits: bool | None
    source: str | None
    note: str
    recorded_at: str
    superseded_at: str | None


class PriceTermsAnswer(Answer):
    """Dated terms; `next` continues."""

    rows: list[PriceTermOut]
    meta: Meta
    next: str | None


PRICE_TERM_COLUMNS = tuple(PriceTermOut.model_fields)
PRICE_TERM_NUMBERS = numeric_columns(PriceTermOut)
