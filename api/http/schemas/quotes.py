"""`/quotes`: comparisons that are kept, replayed, and held against what a fresh one says."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from api.http.schemas.common import Meta
from api.http.schemas.compare import CompareAnswer, ComparedRow, CompareRequest, PremiumOut
from api.http.schemas.fields import Answer, DecimalOut, InstantIn, Wire, numeric_columns

_PLAIN = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$"
Title = Annotated[str, StringConstraints(max_length=200, pattern=_PLAIN)]
Note = Annotated[str, StringConstraints(max_length=4_000, pattern=_PLAIN)]


class QuoteRequest(CompareRequest):
    """The body of `POST /compare`, and what is to be kept beside the answer."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "title": "Ticket answers, renewal 2027",
                    "text": "Where is my parcel?",
                    "offers": ["openai/gpt-6-sol", {"offer": "deepseek/deepseek-flash", "discount_share": "0.10"}],
                    "workload": {"queries_per_month": 1200000, "output_characters_per_query": 200},
                    "as_of": "2026-11-30T12:00:00Z",
                }
            ]
        }
    )

    title: Title = ""
    note: Note = ""
    retain_text_until: InstantIn | None = Field(
        None,
        description="keep the texts until then, at most 366 days; left out, they are not kept: hashes and lengths are",
    )


class QuoteChange(Wire):
    """Another title or note; what is left out stays."""

    title: Title | None = None
    note: Note | None = None

    @model_validator(mode="before")
    @classmethod
    def _something(cls, value: Any) -> Any:
        if isinstance(value, dict) and not any(value.get(name) is not None for name in ("title", "note")):
            raise ValueError("give title or note")
        return value


class QuoteRow(Answer):
    """A quote in a list."""

    quote_id: str
    title: str
    note: str
    created_at: str
    as_of: str
    currency: str
    catalog_version: str
    method_version: str
    answer_sha256: str
    text_retained_until: str | None
    revision: int


class TokensKept(Answer):
    """How many tokens a text has by one tokenizer, or why that is not known."""

    tokenizer: str
    tokens: int | None
    error_code: str | None


class TextKept(Answer):
    """What is kept of a text."""

    sha256: str
    characters: int
    bytes: int
    tokens: list[TokensKept]


class RateKept(Answer):
    """A price that a figure rests on: `rate` for `per` units, after uplifts and discounts."""

    meter: str
    rate: DecimalOut
    per: int
    currency: str
    valid_from: str | None
    valid_to: str | None
    source: str
    checked_on: str | None
    status: str


class OfferKept(Answer):
    """An offer with its prices; `list_cost_per_query` where a discount or a contract makes it another one."""

    row_id: str | int
    offer: str
    tokenizer: str | None
    list_cost_per_query: DecimalOut | None
    rates: list[RateKept]


class QuoteOut(QuoteRow):
    """A quote beside its answer: what it rests on. In `question` a text is `#n`, the n-th of `texts` from 0."""

    question: dict[str, Any]
    texts: list[TextKept]
    offers: list[OfferKept]


class QuoteAnswer(Answer):
    """The kept answer of `POST /compare`, and the quote."""

    rows: list[ComparedRow]
    premiums: list[PremiumOut]
    meta: Meta
    quote: QuoteOut


class QuotesAnswer(Answer):
    """Quotes, the newest first; `next` continues."""

    rows: list[QuoteRow]
    meta: Meta
    next: str | None


class DifferenceRow(Answer):
    """One thing that a fresh run would change, and why; figures are in `before` and `after`, all else in `…_text`."""

    row_id: str | int | None
    offer: str | None
    price_book: str | None
    cause: Literal["price_change", "sheet_upgrade", "tokenizer_change", "method_version", "fx", "status", "unexplained"]
    field: str
    meter: str | None
    before: DecimalOut | None
    after: DecimalOut | None
    before_text: str | None
    after_text: str | None
    currency: str | None
    per_before: int | None
    per_after: int | None
    source_before: str | None
    source_after: str | None
    since: str | None
    detail: str


class ReplayOut(Answer):
    """How the replay went; `recomputed` is `same` where the catalog of then gives these very bytes today."""

    quote_id: str
    same_bytes: bool
    answer_sha256: str
    recomputed: Literal["same", "differs", "unknown"]
    counts: Literal["recounted", "recounted_differently", "kept"]
    as_of: str
    catalog_version: str
    method_version: str
    fresh_as_of: str
    fresh_catalog_version: str
    fresh_method_version: str
    causes: str


class ReplayAnswer(Answer):
    """`answer` is the quote's answer, byte for byte; `rows` are what a fresh run would change."""

    rows: list[DifferenceRow]
    replay: ReplayOut
    answer: CompareAnswer
    meta: Meta


QUOTE_COLUMNS = tuple(QuoteRow.model_fields)
DIFFERENCE_COLUMNS = tuple(DifferenceRow.model_fields)
DIFFERENCE_NUMBERS = numeric_columns(DifferenceRow)
