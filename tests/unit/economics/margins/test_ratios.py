from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from economics.margins.ratios import gross_margin_ratio
from economics.money import Exact, exact


def ratio(revenue: Exact, cost: Exact) -> Fraction:
    found = gross_margin_ratio(revenue, cost)
    assert found is not None
    return Fraction(found.numerator) / Fraction(found.denominator)


@pytest.mark.parametrize(
    ("revenue", "cost", "margin"),
    [
        ("100", "60", Fraction(2, 5)),  # mark-up would be 2/3
        ("100", "100", Fraction(0)),
        ("100", "150", Fraction(-1, 2)),  # a loss
        ("100", "0", Fraction(1)),
        ("0.02", "0.0143875", Fraction(56125, 200000)),  # (0.02 − 0.0143875) / 0.02
    ],
)
def test_margin_is_of_revenue_and_not_of_cost(revenue: str, cost: str, margin: Fraction) -> None:
    assert ratio(exact(Decimal(revenue)), exact(Decimal(cost))) == margin


def test_there_is_no_margin_on_no_revenue() -> None:
    assert gross_margin_ratio(exact(0), exact(1)) is None
    assert gross_margin_ratio(exact(0), exact(0)) is None


def test_the_margin_is_exact_where_cost_does_not_end() -> None:
    third = Exact(Decimal(1), Decimal(3))
    assert ratio(exact(1), third) == Fraction(2, 3)


def test_story_2_the_cfos_month() -> None:
    """8,000 seats at 12.00; cogs = 360,000 queries · 0.0143875 · 0.94 · 1.03 + fees 5,184 + support 3,200 + hosting 6,500."""
    inference = exact(360_000) * Decimal("0.0143875") * Decimal("0.94") * Decimal("1.03")
    cogs = inference + exact(Decimal("14884.00"))
    assert inference.to_text() == "5014.7919"  # 360,000 · 0.0139299775
    assert ratio(exact(96_000), cogs) == (96_000 - Fraction("19898.7919")) / 96_000  # 0.792721 at 6 places
