"""`POST /tokenize`: texts in, token counts out."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, Name, Wire, numeric_columns


class TextIn(Wire):
    """A text with the caller's id."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    text: str


class TokenizeRequest(Wire):
    """Texts, and tokenizers by id or by the offers that use them."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"texts": [{"id": "hello", "text": "Hello, world"}], "tokenizers": ["o200k_base", "gemma3"]}]
        }
    )

    texts: Annotated[list[TextIn], Field(min_length=1)]
    tokenizers: list[Name] | None = None
    offers: list[Name] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if not self.tokenizers and not self.offers:
            raise ValueError("name tokenizers, or offers")
        if self.tokenizers and self.offers:
            raise ValueError("name tokenizers or offers, not both")
        return self


class TokenizedRow(Answer):
    """One text by one tokenizer."""

    text_id: str | int
    tokenizer: str | None
    count_method: Literal["exact", "estimate", "unavailable"]
    tokens: int | None
    frame_tokens: int | None
    characters: int
    bytes: int
    utf16_units: int
    graphemes: int
    non_whitespace_characters: int
    tokens_per_character: DecimalOut | None
    tokens_low: int | None
    tokens_high: int | None
    offer: str | None
    error_code: str | None
    error_detail: str | None
    warnings: str
    words: int | None
    tokens_per_word: DecimalOut | None
    bytes_per_token: DecimalOut | None


class TokenizeAnswer(Answer):
    """One row per text and tokenizer, texts outermost."""

    rows: list[TokenizedRow]
    meta: Meta


TOKENIZE_COLUMNS = tuple(TokenizedRow.model_fields)
TOKENIZE_NUMBERS = numeric_columns(TokenizedRow)
