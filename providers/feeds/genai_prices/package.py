"""The installed package genai-prices in the shape of its `data.json`, every number as its text."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from importlib.metadata import version
from typing import Any, Final

from economics.errors import PermillionError

_ABSENT: Final = frozenset(
    {"extractors", "api_pattern", "pricing_urls", "description", "model_match", "provider_match"}
)


def installed() -> tuple[list[Any], str]:
    """The providers it bundles and its version; never what `UpdatePrices` may have fetched.

    Raises:
        PermillionError: `invalid-feed` where it is not installed, or is of another shape than 0.2.3.
    """
    try:
        from genai_prices.data import providers  # noqa: PLC0415 - an extra
    except ImportError:
        raise PermillionError("invalid-feed", "install permillion[feeds], or give the project's data.json") from None
    return [plain(provider) for provider in providers], version("genai-prices")


def plain(value: object) -> Any:
    """A value of the package as `read_json` would leave it.

    >>> plain([Decimal("0.10"), date(2026, 8, 17), None])
    ['0.10', '2026-08-17', None]
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.name not in _ABSENT]
        return {name.rstrip("_"): plain(getattr(value, name)) for name in names}
    if hasattr(value, "__dict__"):
        # A `ModelPrice` keeps its prices as plain attributes, whichever units there are.
        return {key: plain(item) for key, item in vars(value).items() if item is not None}
    return str(value)
