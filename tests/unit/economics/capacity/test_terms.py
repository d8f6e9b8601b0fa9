from __future__ import annotations

from decimal import Decimal

import pytest

from economics.capacity.case import CapacityCase, cost_of_term
from economics.capacity.sizing import Dimension, Sizing, round_up, size_units
from economics.capacity.terms import Runs, TermPrice, billed_minutes, monthly_cost
from economics.money import Exact, exact


def e(text: str) -> Exact:
    return exact(Decimal(text))


@pytest.mark.parametrize(
    ("need", "minimum", "increment", "units"),
    [
        ("312000", 15, 5, 105),
        ("1", 15, 5, 15),
        ("45000", 15, 5, 15),
        ("45000.001", 15, 5, 20),
        ("150001", 50, 50, 100),
        ("30000", 7, 5, 10),
        ("3000", 7, 5, 7),  # a minimum that is no multiple may be bought as it is
    ],
)
def test_units_at_3000_each(need: str, minimum: int, increment: int, units: int) -> None:
    found = size_units([Dimension("load", e(need), e("3000"))], Decimal(minimum), Decimal(increment))
    assert found.units == units


def test_a_remainder_beyond_28_digits_counts() -> None:
    assert round_up(exact(3) + Exact(Decimal(1), Decimal(10) ** 40)) == 4
    assert round_up(Exact(Decimal(9), Decimal(3))) == 3


def test_the_scarcest_dimension_binds() -> None:
    caps = [Dimension("input", e("1"), e("2")), Dimension("output", e("3"), e("4"))]
    found = size_units(caps, Decimal(1), Decimal(1))
    assert (found.binding.name, found.units) == ("output", 1)
    assert found.carried_share == Exact(Decimal(4), Decimal(3))


def test_terms_by_hour_month_and_year() -> None:
    hours = exact(730)
    assert monthly_cost(TermPrice("a", e("2"), "hour"), Decimal(3), hours) == e("4380")
    assert monthly_cost(TermPrice("b", e("260"), "month"), Decimal(3), hours) == e("780")
    assert monthly_cost(TermPrice("c", e("1200"), "year"), Decimal(3), hours) == e("300")


def test_runs_have_a_least_and_an_increment() -> None:
    runs = [Runs(e("0.5"), e("0"), e("2")), Runs(e("61"), e("0"), e("1"))]
    assert billed_minutes(runs, None, e("0")) == e("62")
    assert billed_minutes(runs, None, e("1")) == e("63")
    assert billed_minutes(runs, e("60"), e("1")) == e("240")


def test_what_is_not_known_is_none() -> None:
    sizing = Sizing((), Decimal(2), Decimal(1), Decimal(1))
    case = CapacityCase(sizing, False, None, None, exact(60), exact(730), exact(730))
    found = cost_of_term(case, TermPrice("hourly", e("1"), "hour"))
    assert found.capacity_cost == e("1460")
    assert (found.total_low, found.cost_per_query_low, found.break_even_queries, found.break_even_ratio) == (
        None, None, None, None,
    )  # fmt: skip
