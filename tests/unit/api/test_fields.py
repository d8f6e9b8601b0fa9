from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from api.http.schemas.fields import (
    CountIn,
    Currency,
    DecimalIn,
    InstantIn,
    PositiveIn,
    PriceIn,
    ShareIn,
    read_amount,
    read_flag_text,
)
from tests.http.asking import NO_COUNT, NO_MONEY

NEGATIVE = ("-1", -1, "-0.5")


def takes(kind: Any, value: Any) -> bool:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(("value", "expected"), [
    ("0", "0"), ("0.15", "0.15"), ("1.50", "1.50"), ("007", "7"), (5, "5"), (0, "0"), ("9" * 18, "9" * 18), ("0." + "9" * 30, "0." + "9" * 30),
])  # fmt: skip
def test_decimals(value: Any, expected: str) -> None:
    for kind in (DecimalIn, PriceIn):
        assert TypeAdapter(kind).validate_python(value) == Decimal(expected)


@pytest.mark.parametrize("value", NO_MONEY, ids=lambda value: repr(value)[:30])
def test_what_is_no_price(value: Any) -> None:
    assert not takes(PriceIn, value)
    assert not takes(ShareIn, value)
    assert not takes(PositiveIn, value)


def test_signs_and_bounds() -> None:
    for value in NEGATIVE:
        assert takes(DecimalIn, value)
        assert not takes(PriceIn, value)
    assert not takes(PositiveIn, "0")
    assert takes(PositiveIn, "0." + "0" * 29 + "1")
    assert takes(ShareIn, "1")
    assert takes(ShareIn, 0)
    assert not takes(ShareIn, "1." + "0" * 29 + "1")
    assert not takes(PriceIn, None)


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 0), ("0", 0), ("007", 7), (10**18 - 1, 10**18 - 1), ("9" * 18, 10**18 - 1)]
)
def test_counts(value: Any, expected: int) -> None:
    assert TypeAdapter(CountIn).validate_python(value) == expected


@pytest.mark.parametrize("value", NO_COUNT, ids=lambda value: repr(value)[:30])
def test_what_is_no_count(value: Any) -> None:
    assert not takes(CountIn, value)


def test_messages_say_what_to_write() -> None:
    for kind, value, words in (
        (DecimalIn, 0.1, "string"),
        (DecimalIn, True, "string"),
        (CountIn, 1.5, "whole"),
        (CountIn, -1, "negative"),
        (InstantIn, "soon", "2026"),
    ):
        with pytest.raises(ValidationError, match=words):
            TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(("text", "utc"), [
    ("2026-11-30", "2026-11-30T00:00:00+00:00"), ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00+00:00"),
    ("2026-11-30T12:00:00+08:00", "2026-11-30T04:00:00+00:00"), ("2026-11-30t12:00:00.5z", "2026-11-30T12:00:00.500000+00:00"),
])  # fmt: skip
def test_instants(text: str, utc: str) -> None:
    assert TypeAdapter(InstantIn).validate_python(text).isoformat() == utc


@pytest.mark.parametrize("value", [
    "2026-11-30T12:00:00", "2026-11-30 12:00:00Z", "2026-11", "20261130", "30.11.2026", "2026-02-29", "2026-11-30T24:00:01Z", "2026-W48-1",
    "", "now", 1_796_000_000, 1.5, True, None, "２０２６-11-30", "2026-11-30T12:00:00+25:00", " 2026-11-30",
])  # fmt: skip
def test_what_is_no_instant(value: Any) -> None:
    assert not takes(InstantIn, value)


def test_currencies_and_flags_and_amounts() -> None:
    assert [
        code for code in ("USD", "CNY", "usd", "US", "USDT", "U$D", "ＵＳＤ", "USD\n", "", 840) if takes(Currency, code)
    ] == ["USD", "CNY"]
    assert (read_flag_text(True), read_flag_text(False), read_flag_text("flex")) == ("true", "false", "flex")
    for value in (1, 1.5, None, []):
        with pytest.raises(ValueError, match="text or booleans"):
            read_flag_text(value)
    assert read_amount("1.5") == Decimal("1.5")
    for amount in ("-1", 1.5, True, "1e3"):
        with pytest.raises(ValueError, match=r"."):
            read_amount(amount)
