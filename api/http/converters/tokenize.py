"""`POST /tokenize`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from api.http.schemas.tokenize import TOKENIZE_COLUMNS
from api.services.pricing import RowId
from api.services.tokenizing import CountedText
from economics.errors import PermillionError
from economics.money import Exact


def to_api_tokenized_row(counted: CountedText) -> dict[str, Any]:
    """A row of the answer."""
    chosen, measure, tokens, error = counted.tokenizer, counted.measure, counted.tokens, counted.error
    return {
        "text_id": counted.text_id,
        "tokenizer": None if chosen is None else chosen.tokenizer,
        "count_method": "unavailable" if chosen is None or tokens is None else chosen.method,
        "tokens": tokens,
        "frame_tokens": None if chosen is None else chosen.frame_tokens,
        "characters": measure.characters,
        "bytes": measure.bytes,
        "utf16_units": measure.utf16_units,
        "graphemes": measure.graphemes,
        "non_whitespace_characters": measure.non_whitespace_characters,
        "tokens_per_character": _ratio(tokens, measure.characters),
        "tokens_low": counted.low,
        "tokens_high": counted.high,
        "offer": counted.offer,
        "error_code": None if error is None else error.slug,
        "error_detail": None if error is None else error.detail,
        "warnings": ";".join(counted.warnings),
        "words": measure.words,
        "tokens_per_word": _ratio(tokens, measure.words),
        "bytes_per_token": _ratio(measure.bytes, tokens),
    }


def _ratio(count: int | None, whole: int | None) -> str | None:
    """A quotient of counts; None where there is nothing to divide, or to divide by."""
    return None if count is None or not whole else Exact(Decimal(count), Decimal(whole)).to_text()


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
