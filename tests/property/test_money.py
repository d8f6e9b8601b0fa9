"""Decimals and exact quotients keep their value through every operation and every notation."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from economics.money import Exact, format_decimal, parse_decimal
from tests.oracle.engine import as_fraction
from tests.oracle.naive import shown

digits = st.integers(0, 10**18 - 1)
plain = st.builds(
    lambda sign, whole, part: f"{sign}{whole}{part}",
    st.sampled_from(["", "-"]),
    digits.map(str),
    st.one_of(st.just(""), st.text("0123456789", min_size=1, max_size=30).map(".{}".format)),
)
decimals = plain.map(Decimal)
exacts = st.builds(Exact, decimals, decimals.filter(bool))


@given(plain)
def test_parsing_keeps_every_digit_and_formatting_gives_a_text_that_parses_back(text: str) -> None:
    value = parse_decimal(text)
    assert Fraction(value) == Fraction(text)
    again = format_decimal(value)
    assert parse_decimal(again) == value
    assert format_decimal(parse_decimal(again)) == again


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value="-1e40", max_value="1e40", places=40))
@example(Decimal("1E-30"))
@example(Decimal("1E+30"))
@example(Decimal("-0E-7"))
def test_formatting_is_fixed_notation_without_trailing_zeros_and_exact(value: Decimal) -> None:
    text = format_decimal(value)
    assert re.fullmatch(r"0|-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", text)
    assert Fraction(text) == Fraction(value)


@given(exacts, exacts)
def test_sums_products_and_quotients_are_those_of_fractions(left: Exact, right: Exact) -> None:
    x, y = as_fraction(left), as_fraction(right)
    assert as_fraction(left + right) == x + y
    assert as_fraction(left - right) == x - y
    assert as_fraction(left * right) == x * y
    if y:
        assert as_fraction(left / right) == x / y
    assert (left == right) == (x == y)
    assert (left < right) == (x < y)
    assert (hash(left) == hash(right)) or x != y


@given(exacts)
@example(Exact(Decimal(1), Decimal(2**90)))
@example(Exact(Decimal(10**28 + 5), Decimal(3)))
@example(Exact(Decimal("2e-30"), Decimal(3)))
def test_an_exact_is_shown_in_full_where_it_ends_and_else_to_28_significant_digits(value: Exact) -> None:
    assert value.to_text() == shown(as_fraction(value))
    assert "e" not in value.to_text().lower()
