"""Fields that every schema shares: decimals, counts, instants, currency codes.

Money and rates travel as decimal strings. A JSON integer is accepted; a float has already lost digits and a boolean is
no number, so both are refused with a pointer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema

from economics.contracts.terms import SHARE_DECIMALS, check_share_decimals
from economics.errors import PermillionError
from economics.money import parse_decimal
from economics.periods import parse_instant

DECIMAL_PATTERN = r"^-?[0-9]{1,18}(\.[0-9]{1,30})?$"
_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)
MAX_COUNT = 10**18 - 1


def _plain(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except PermillionError as error:
        raise ValueError(error.detail) from None


def read_decimal(value: object) -> Decimal:
    """A decimal from a string or a JSON integer."""
    if isinstance(value, str):
        return _plain(parse_decimal, value)  # type: ignore[no-any-return]
    if isinstance(value, int) and not isinstance(value, bool):
        return _plain(parse_decimal, str(value) if abs(value) <= MAX_COUNT else "")  # type: ignore[no-any-return]
    if isinstance(value, Decimal):
        return value
    raise ValueError('write decimals as strings, such as "0.15"')


def read_count(value: object) -> int:
    """A count from a JSON integer or a string of digits."""
    if isinstance(value, str) and _COUNT.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise ValueError("a count cannot be negative")
        if value <= MAX_COUNT:
            return value
    raise ValueError("write counts as whole numbers, at most 18 digits")


def read_amount(value: object) -> Decimal:
    """A measured quantity (seconds, token-hours): a count or a decimal string, not negative."""
    amount = read_decimal(value)
    if amount.is_signed():
        raise ValueError("a quantity cannot be negative")
    return amount


def unicode_text(text: str) -> str:
    """`text`, unless half a surrogate pair in it keeps it from being written in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("not Unicode: contains a lone surrogate") from None
    return text


def read_flag_text(value: object) -> str:
    """A context value: text, or a boolean as `true` / `false`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return unicode_text(value)
    raise ValueError("write context values as text or booleans")


def _instant(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise ValueError('write instants as strings, such as "2026-11-30T00:00:00Z"')
    return _plain(parse_instant, value)  # type: ignore[no-any-return]


def _not_negative(value: Decimal) -> Decimal:
    if value.is_signed():
        raise ValueError("cannot be negative")
    return value


def _share(value: Decimal) -> Decimal:
    if value.is_signed() or value > 1:
        raise ValueError("a share lies between 0 and 1")
    return value


def _discount(value: Decimal) -> Decimal:
    try:
        check_share_decimals(_share(value))
    except PermillionError as error:
        raise ValueError(error.detail) from None
    return value


def _positive(value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("must be above 0")
    return value


_DECIMAL_IN = WithJsonSchema(
    {"anyOf": [{"type": "string", "format": "decimal", "pattern": DECIMAL_PATTERN}, {"type": "integer"}]}
)
_DISCOUNT_IN = WithJsonSchema(
    {
        "anyOf": [
            {"type": "string", "format": "decimal", "pattern": rf"^[0-9]{{1,18}}(\.[0-9]{{1,{SHARE_DECIMALS}}})?$"},
            {"type": "integer", "minimum": 0, "maximum": 1},
        ]
    }
)
_COUNT_IN = WithJsonSchema(
    {
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": MAX_COUNT},
            {"type": "string", "pattern": "^[0-9]{1,18}$"},
        ]
    }
)


def _after(check: Callable[[Decimal], Decimal]) -> BeforeValidator:
    return BeforeValidator(lambda value: check(read_decimal(value)))


DecimalIn = Annotated[Decimal, _after(lambda value: value), _DECIMAL_IN]
PriceIn = Annotated[Decimal, _after(_not_negative), _DECIMAL_IN]
PositiveIn = Annotated[Decimal, _after(_positive), _DECIMAL_IN]
ShareIn = Annotated[Decimal, _after(_share), _DECIMAL_IN]
DiscountIn = Annotated[Decimal, _after(_discount), _DISCOUNT_IN]
CountIn = Annotated[int, BeforeValidator(read_count), _COUNT_IN]
InstantIn = Annotated[
    datetime,
    BeforeValidator(_instant),
    WithJsonSchema({"type": "string", "description": "RFC 3339 with an offset, or a date (00:00Z)"}),
]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=300)]
ContextIn = dict[
    Annotated[str, StringConstraints(max_length=100)],
    Annotated[
        str,
        BeforeValidator(read_flag_text),
        StringConstraints(max_length=100),
        WithJsonSchema({"anyOf": [{"type": "string", "maxLength": 100}, {"type": "boolean"}]}),
    ],
]
DecimalOut = Annotated[str, Field(json_schema_extra={"format": "decimal"})]


def numeric_columns(model: type[BaseModel]) -> frozenset[str]:
    """The columns of a row that hold numbers: decimals and counts, not ids or dates."""
    fields = model.model_json_schema()["properties"]
    return frozenset(
        name
        for name, field in fields.items()
        if name not in ("row_id", "text_id")
        and any(
            part.get("format") == "decimal" or part.get("type") == "integer" for part in field.get("anyOf", [field])
        )
    )


class Wire(BaseModel):
    """What callers send: unknown fields are refused, because a misspelt one would be silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Answer(BaseModel):
    """What callers get: every field always present, none with a default."""

    model_config = ConfigDict(extra="forbid", frozen=True)
