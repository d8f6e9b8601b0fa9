"""In which unit a meter is priced and named in FOCUS, so that quantity x unit price is the cost, exactly."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Final

from economics.meters import is_token_meter
from economics.money import EXACT, Exact

_MTOK: Final = 1_000_000
_UNITS: Final = {
    "input_characters": "Characters",
    "audio_seconds": "Seconds",
    "images": "Images",
    "pages": "Pages",
    "annotated_pages": "Pages",
    "requests": "Requests",
    "web_searches": "Searches",
    "file_searches": "Searches",
    "storage_token_hours": "Token-Hours",
}
_SPANS: Final = {"5m": "5 Minutes", "1h": "1 Hour", "12h": "12 Hours"}


def consumed_unit(meter: str) -> str:
    """The unit in which a meter counts.

    >>> consumed_unit("cache_read_tokens"), consumed_unit("web_searches")
    ('Tokens', 'Searches')
    """
    return "Tokens" if is_token_meter(meter) else _UNITS[meter]


@cache
def sku_meter(meter: str) -> str:
    """The name of what is counted.

    >>> sku_meter("input_tokens"), sku_meter("cache_write_1h_tokens")
    ('Input Tokens', 'Cache Write 1 Hour Tokens')
    """
    return " ".join(_SPANS.get(word, word.title()) for word in meter.split("_"))


def pricing_size(meter: str, rate: Decimal, per: int) -> int:
    """How many units a unit price is for: 1,000,000 tokens where that price is finite, else what the rate is for.

    >>> pricing_size("input_tokens", Decimal("0.002"), 1_000), pricing_size("audio_seconds", Decimal("0.111"), 3_600)
    (1000000, 3600)
    """
    return _MTOK if is_token_meter(meter) and is_finite(Exact(rate, Decimal(per))) else per


def is_finite(value: Exact) -> bool:
    """Whether `value` is a decimal of at most 28 digits."""
    return EXACT.multiply(value.to_decimal(), value.denominator) == value.numerator


def pricing_unit(meter: str, size: int) -> str:
    """The unit a unit price is for, in the form of FOCUS.

    >>> pricing_unit("output_tokens", 1_000_000), pricing_unit("images", 1)
    ('1000000 Tokens', 'Images')
    """
    return consumed_unit(meter) if size == 1 else f"{size} {consumed_unit(meter)}"
