"""`POST /tokenize`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from api.services.tokenizing import CountedText
from economics.money import Exact


def to_api_tokenized_row(counted: CountedText) -> dict[str, Any]:
    """A row of the answer."""
    chosen, measure, tokens, error = counted.tokenizer, counted.measure, counted.tokens, counted.error
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
        "tokens_low": counted.low,
        "tokens_high": counted.high,
        "offer": counted.offer,
        "error_code": None if error is None else error.slug,
        "error_detail": None if error is None else error.detail,
        "warnings": ";".join(counted.warnings),
    }
