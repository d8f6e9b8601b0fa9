"""`POST /tokenize`."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import Any

from api.http.schemas.tokenize import TOKENIZE_COLUMNS
from api.services.pricing import RowId
from api.services.tokenizing import CountedText
from economics.errors import PermillionError
from economics.money import Exact, multiply


def to_api_tokenized_row(counted: CountedText) -> dict[str, Any]:
    """A row of the answer."""
    chosen, measure, tokens, error = counted.tokenizer, counted.measure, counted.tokens, counted.error
    low = high = None
    if chosen is not None and tokens is not None and chosen.low_ratio is not None and chosen.high_ratio is not None:
        low = int(multiply(Decimal(tokens), chosen.low_ratio))
        high = int(multiply(Decimal(tokens), chosen.high_ratio).to_integral_value(ROUND_CEILING))
    characters = measure.characters
    return {
        "text_id": counted.text_id,
        "tokenizer": None if chosen is None else chosen.tokenizer,
        "count_method": "unavailable" if chosen is None or tokens is None else chosen.method,
        "tokens": tokens,
        "frame_tokens": None if chosen is None else chosen.frame_tokens,
        "characters": characters,
        "bytes": measure.bytes,
        "utf16_units": measure.utf16_units,
        "graphemes": measure.graphemes,
        "non_whitespace_characters": measure.non_whitespace_characters,
        "tokens_per_character": None
        if tokens is None or not characters
        else Exact(Decimal(tokens), Decimal(characters)).to_text(),
        "tokens_low": low,
        "tokens_high": high,
        "offer": counted.offer,
        "error_code": None if error is None else error.slug,
        "error_detail": None if error is None else error.detail,
        "warnings": "" if chosen is None else ";".join(chosen.warnings),
    }


def to_api_unread_row(text_id: RowId, error: PermillionError) -> dict[str, Any]:
    """The row of a line of NDJSON that holds no text: it has no length, and no tokenizer was asked."""
    return {
        **dict.fromkeys(TOKENIZE_COLUMNS),
        "text_id": text_id,
        "count_method": "unavailable",
        "error_code": error.slug,
        "error_detail": error.detail,
        "warnings": "",
    }
