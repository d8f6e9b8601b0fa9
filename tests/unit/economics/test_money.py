from __future__ import annotations

import pickle
from decimal import Decimal, Inexact
from fractions import Fraction

import pytest

from economics.errors import PermillionError
from economics.money import EXACT, Exact, add, exact, format_decimal, multiply, parse_decimal
from tests.unit.economics.building import refused


def quotient(top: str, bottom: str) -> Exact:
    return Exact(Decimal(top), Decimal(bottom))


@pytest.mark.parametrize(
    "text",
    [
        "1e999999", "1E5", "1e-7", "NaN", "nan", "sNaN", "Infinity", "-inf", "+1", " 1", "1 ", "1\n", "\t1", "1_0", "1,5",
        "1.000,5", ".5", "5.", "", "-", "--1", "- 1", "0x10", "１", "１.５", "٣", "1２", "1.2.3", "$1", "1%", "½", "−1", "True",
        "9" * 19, "0." + "1" * 31, "1\x00",
    ],
)  # fmt: skip
def test_what_is_not_a_plain_decimal_is_refused(text: str) -> None:
    with refused("invalid-fields"):
        parse_decimal(text, pointer="/rate")


def test_a_refused_decimal_points_at_its_field_and_does_not_repeat_the_text() -> None:
    with pytest.raises(PermillionError) as caught:
        parse_decimal("hush-hush", pointer="/rows/0/rate")
    assert caught.value.pointer == "/rows/0/rate"
    assert "hush" not in caught.value.detail


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("-0", Fraction(0)),
        ("007", Fraction(7)),
        ("0.0150", Fraction(3, 200)),
        ("-12.5", Fraction(-25, 2)),
        ("9" * 18 + "." + "9" * 30, Fraction(10**48 - 1, 10**30)),  # the longest: 18 digits before, 30 after
    ],
)
def test_a_plain_decimal_keeps_its_value(text: str, value: Fraction) -> None:
    assert Fraction(parse_decimal(text)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1E-7"), "0.0000001"),
        (Decimal("7.500000000000001E-6"), "0.000007500000000000001"),
        (Decimal("1E+21"), "1000000000000000000000"),
        (Decimal(100), "100"),  # zeros before the dot are digits
        (Decimal("100.00"), "100"),
        (Decimal("0.50"), "0.5"),
        (Decimal("-0.0"), "0"),
        (Decimal("0E+5"), "0"),
        (Decimal("-1.10"), "-1.1"),
    ],
)
def test_money_is_printed_in_fixed_notation_without_trailing_zeros(value: Decimal, text: str) -> None:
    assert format_decimal(value) == text


def test_a_third_of_a_dollar_is_given_to_28_significant_digits() -> None:
    assert quotient("1", "3").to_text() == "0." + "3" * 28
    assert quotient("100", "3").to_text() == "33." + "3" * 26
    # leading zeros are not significant: 1/3,000,000
    assert quotient("1", "3000000").to_text() == "0.000000" + "3" * 28


def test_the_last_of_28_digits_is_rounded_half_to_even() -> None:
    """A quotient that does not end can lie as near to a half as one likes, and not on it: both neighbours are checked."""
    assert quotient("2", "3").to_text() == "0." + "6" * 27 + "7"
    tie = 10**28 + 5  # 29 digits; the next digit decides
    assert quotient(str(3 * tie + 1), "3").to_text() == "1" + "0" * 26 + "10"  # …05.33: up
    assert quotient(str(3 * tie - 1), "3").to_text() == "1" + "0" * 28  # …04.66: down


def test_a_quotient_that_ends_is_printed_in_full_however_long() -> None:
    # 1 / 2**40 = 5**40 / 10**40
    assert quotient("1", str(2**40)).to_text() == "0." + str(5**40).rjust(40, "0")
    # 40 digits: more than 28, and every one is printed
    assert (
        quotient("1234567890123456789012345678901234567890", "1").to_text()
        == "1234567890123456789012345678901234567890"
    )
    # 10**30 + 1 over 8: 125 at the end
    assert quotient(str(10**30 + 1), "8").to_text() == str(10**30 // 8) + ".125"


def test_a_quotient_that_ends_only_after_reduction_is_recognised() -> None:
    # 3 / 24 = 1/8; 0.111 * 3600 / 3600
    assert quotient("3", "24").to_text() == "0.125"
    assert quotient("399.6", "3600").to_text() == "0.111"


def test_story_1_vendor_d_removes_tax_and_converts_without_rounding_between() -> None:
    """16.00 CNY per Mtok with 6 % VAT at 7.10: 1,600,000 / 752,600 = 8000/3763 = 2.12596332713260696…"""
    found = exact(Decimal("16.00")) / Decimal("1.06") / Decimal("7.10")
    assert Fraction(found.numerator) / Fraction(found.denominator) == Fraction(8000, 3763)
    assert found.to_text() == "2.125963327132606962529896359"


def test_a_negative_denominator_moves_its_sign_to_the_numerator() -> None:
    assert quotient("1", "-4").to_text() == "-0.25"
    assert quotient("1", "-3") < quotient("1", "3")


def test_nothing_is_divided_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        quotient("1", "0")
    with pytest.raises(ZeroDivisionError):
        _ = exact(1) / Decimal(0)
    with pytest.raises(ZeroDivisionError):
        _ = exact(1) / exact(0)


def test_equal_amounts_are_equal_and_hash_alike_however_they_are_written() -> None:
    assert quotient("1", "3") == quotient("2", "6")
    assert len({quotient("1", "3"), quotient("2", "6"), quotient("0.5", "1.5")}) == 1
    assert quotient("1", "3") != quotient("1", "4")
    assert quotient("1", "3") != Decimal("0.3333333333333333333333333333")
    assert not exact(0)
    assert exact(1)


def test_a_million_tiny_requests_add_up_exactly() -> None:
    """Langfuse#1041: 3 tokens at 0.05 per Mtok are 0.00000015; a million of them are 0.15."""
    one = Exact(multiply(Decimal(3), Decimal("0.05")), Decimal(1_000_000))
    assert one.to_text() == "0.00000015"
    assert (one * Decimal(1_000_000)).to_text() == "0.15"


def test_litellm_8867_three_dimes_are_thirty_cents() -> None:
    assert add(add(Decimal("0.1"), Decimal("0.1")), Decimal("0.1")) == Decimal("0.3")
    assert format_decimal(Decimal("0.001615")) == "0.001615"


def test_the_exact_context_refuses_to_lose_a_digit() -> None:
    with pytest.raises(Inexact):
        EXACT.divide(Decimal(1), Decimal(3))
    assert multiply(Decimal("9" * 1_000), Decimal("9" * 1_000)) == Decimal((10**1000 - 1) ** 2)


def test_a_refusal_survives_the_way_through_a_worker_process() -> None:
    error = PermillionError("missing-price", "no price", pointer="/offer")
    again = pickle.loads(pickle.dumps(error))
    assert (again.slug, again.detail, again.pointer, str(again)) == ("missing-price", "no price", "/offer", "no price")
