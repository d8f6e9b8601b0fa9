from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from economics.exchange import FxRate, find_conversion
from economics.money import Exact
from tests.unit.economics.building import refused


def fx(pair: str, rate: str, source: str = "bank") -> FxRate:
    return FxRate(pair[:3], pair[3:], Decimal(rate), "2026-11-01", source)


def factor(native: str, wanted: str, *rates: FxRate) -> Fraction:
    conversion = find_conversion(native, wanted, rates)
    assert conversion is not None
    return Fraction(conversion.factor.numerator) / Fraction(conversion.factor.denominator)


def test_the_same_currency_uses_no_rate() -> None:
    """R19: a CNY sheet in a CNY report is the official price whatever the FX rate."""
    assert find_conversion("CNY", "CNY", [fx("CNYUSD", "0.1408")]) is None
    assert find_conversion("CNY", "CNY", []) is None


def test_a_stated_pair_multiplies_and_the_other_way_round_divides_exactly() -> None:
    assert factor("CNY", "USD", fx("CNYUSD", "0.1408")) == Fraction(1408, 10_000)
    assert factor("CNY", "USD", fx("USDCNY", "7.10")) == Fraction(10, 71)


def test_the_pair_as_asked_for_is_preferred_over_the_inverse_wherever_it_stands() -> None:
    assert factor("CNY", "USD", fx("USDCNY", "7.10"), fx("CNYUSD", "0.1408")) == Fraction(1408, 10_000)


def test_rate_day_and_source_come_with_the_factor() -> None:
    conversion = find_conversion("CNY", "USD", [fx("USDCNY", "7.10", "story 1")])
    assert conversion is not None
    assert (conversion.as_of, conversion.source) == ("2026-11-01", "story 1")


def test_there_is_no_way_through_a_third_currency() -> None:
    with refused("missing-fx-rate", "from CNY to EUR"):
        find_conversion("CNY", "EUR", [fx("CNYUSD", "0.1408"), fx("USDEUR", "0.92")])


def test_no_constant_stands_in_for_a_missing_rate() -> None:
    """genai-prices converts CNY at 7.25, LiteLLM at 7.0: two USD prices of one native 8 / 28."""
    with refused("missing-fx-rate"):
        find_conversion("CNY", "USD", [])


@pytest.mark.parametrize(("rate", "usd"), [("7.25", Fraction(800, 725)), ("7.0", Fraction(8, 7))])
def test_glm_53_in_usd_depends_on_the_stated_rate(rate: str, usd: Fraction) -> None:
    assert 8 * factor("CNY", "USD", fx("USDCNY", rate)) == usd


def test_deepseeks_two_books_imply_two_rates_so_neither_is_made_from_the_other() -> None:
    """1 CNY / 0.15 USD = 6.67 for flash, 4.5 / 0.66 = 6.82 for pro."""
    flash, pro = Exact(Decimal(1)) / Decimal("0.15"), Exact(Decimal("4.5")) / Decimal("0.66")
    assert (flash.to_text()[:4], pro.to_text()[:4]) == ("6.66", "6.81")
    assert flash != pro
