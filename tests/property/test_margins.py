"""What must hold of any margin, target price, volume and capacity."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from economics.capacity.overflow import LoadPeriod, served_by_mean, served_by_profile
from economics.capacity.sizing import Dimension, size_units
from economics.margins.case import MarginCase, check_case
from economics.margins.ratios import gross_margin_ratio, markup_ratio
from economics.margins.sensitivity import sensitivity_of
from economics.margins.statement import statement_of
from economics.margins.targets import target_price, volumes_for
from economics.money import Exact, exact

amounts = st.decimals(min_value="0.001", max_value="100000", places=3).map(exact)
costs = st.decimals(min_value="0", max_value="100000", places=3).map(exact)
shares = st.decimals(min_value="0", max_value="1", places=3).map(exact)
fees = st.decimals(min_value="0", max_value="0.3", places=3).map(exact)


@st.composite
def cases(draw: st.DrawFn) -> MarginCase:
    """A business with seats or a price per query or both, any other cost."""
    found: dict[str, Any] = {"seats": draw(amounts), "queries_per_seat": draw(amounts)}
    kinds = draw(st.sampled_from([("price_per_seat",), ("price_per_query",), ("price_per_seat", "price_per_query")]))
    for name in kinds:
        found[name] = draw(amounts)
    found["model_cost_per_query"] = draw(st.decimals(min_value="0.001", max_value="10", places=3).map(exact))
    for name in ("payment_fee_per_seat", "support_per_seat", "hosting_per_month", "commitment_per_month"):
        found[name] = draw(costs)
    found["payment_fee_share"] = draw(fees)
    found["retry_share"], found["batch_share"] = draw(shares), draw(shares)
    found["batch_multiplier"], found["model_discount_share"] = draw(shares), draw(fees)
    case = MarginCase(**found)
    check_case(case)
    return case


def fraction(value: Exact) -> Fraction:
    return Fraction(value.numerator) / Fraction(value.denominator)


@given(amounts, costs)
def test_a_margin_is_at_most_1_and_belongs_to_one_markup(revenue: Exact, cost: Exact) -> None:
    margin, markup = gross_margin_ratio(revenue, cost), markup_ratio(revenue, cost)
    assert margin is not None
    assert fraction(margin) <= 1
    if not cost:
        assert markup is None
        return
    assert markup is not None
    assert fraction(markup) == fraction(margin) / (1 - fraction(margin))
    assert (fraction(margin) > 0) == (fraction(markup) > 0)


@given(cases())
def test_lines_add_up(case: MarginCase) -> None:
    found = statement_of(case)
    assert found.cogs == found.inference_cost + found.payment_fees + found.support + found.hosting
    assert found.gross_profit + found.cogs == found.revenue
    assert sum((fraction(cost) for _, cost in found.query.lines), Fraction(0)) == fraction(found.query.effective)
    assert not found.inference_cost < case.commitment_per_month


@given(cases(), st.decimals(min_value="-1", max_value="0.69", places=3).map(exact))
def test_the_target_price_gives_the_margin_exactly(case: MarginCase, margin: Exact) -> None:
    target = target_price(statement_of(case), margin)
    assert target is not None, "margin and fees stay below 1"
    assert target.multiplier is not None
    moved = {
        name: getattr(case, name) * target.multiplier
        for name in ("price_per_seat", "price_per_query")
        if getattr(case, name) is not None
    }
    again = statement_of(replace(case, **moved))
    assert again.gross_margin_ratio == margin
    if target.price is not None:
        name = f"price_per_{target.unit}"
        assert statement_of(replace(case, **{name: target.price})).gross_margin_ratio == margin


@given(cases(), st.decimals(min_value="0", max_value="0.6", places=3).map(exact), st.data())
def test_the_margin_holds_between_the_volumes_and_nowhere_else(
    case: MarginCase, margin: Exact, data: st.DataObject
) -> None:
    assert case.seats is not None
    volumes = volumes_for(case, margin)

    def reaches(queries: Exact) -> bool:
        assert case.seats is not None
        found = statement_of(replace(case, queries_per_seat=queries / case.seats))
        return not found.gross_profit < found.revenue * margin

    tried = exact(data.draw(st.integers(min_value=0, max_value=10**9)))
    inside = not volumes.never
    if volumes.least is not None:
        inside = inside and not tried < volumes.least
        assert reaches(volumes.least)
    if volumes.most is not None:
        inside = inside and not volumes.most < tried
        assert reaches(volumes.most)
        assert not reaches(volumes.most + exact(1))
    assert reaches(tried) == inside


@given(cases())
def test_signs_and_order_of_the_sensitivity(case: MarginCase) -> None:
    found = sensitivity_of(case)
    assert found, "the price always moves the margin"
    swings = [fraction(moved.swing) for moved in found]
    assert swings == sorted(swings, reverse=True)
    for moved in found:
        assert moved.margin_at_low is not None
        assert moved.margin_at_high is not None
        up = fraction(moved.margin_at_high) - fraction(moved.margin_at_low)
        assert abs(up) == fraction(moved.swing) > 0
        if moved.name.startswith("price_per"):
            assert up > 0, moved.name
        if moved.name.endswith(("cost_per_query", "per_month", "fee_per_seat", "support_per_seat", "fee_share")):
            assert up < 0, moved.name
        if moved.name in ("retry_share", "batch_multiplier"):
            assert up < 0, moved.name
        if moved.name in ("batch_share", "model_discount_share"):
            assert up > 0, moved.name


@given(st.lists(st.tuples(amounts, amounts), min_size=1, max_size=4), st.integers(0, 50), st.integers(1, 50))
def test_units_carry_the_load_and_no_step_fewer_would(
    needs: list[tuple[Exact, Exact]], minimum: int, increment: int
) -> None:
    sizing = size_units([Dimension("d", *pair) for pair in needs], Decimal(minimum), Decimal(increment))
    assert sizing.units >= minimum
    assert sizing.units == minimum or sizing.units % increment == 0
    assert all(fraction(need) <= Fraction(sizing.units) * fraction(each) for need, each in needs)
    fewer = Fraction(sizing.units) - increment
    if fewer >= minimum:
        assert any(fraction(need) > fewer * fraction(each) for need, each in needs)
    assert fraction(sizing.carried_share) >= 1


@given(
    st.lists(st.tuples(st.integers(1, 200), st.integers(0, 500)), min_size=1, max_size=6), st.integers(0, 500)
)  # fmt: skip
def test_overflow_lies_between_the_bounds_of_mean_and_peak(periods: list[tuple[int, int]], capacity: int) -> None:
    peak = max(load for _, load in periods)
    assume(peak)
    profile = [LoadPeriod(exact(hours), exact(load)) for hours, load in periods]
    hours = sum(each for each, _ in periods)
    known = served_by_profile(profile, exact(capacity), exact(60))
    mean = exact(sum(each * load for each, load in periods)) / exact(hours)
    bounds = served_by_mean(mean, exact(peak), exact(capacity), exact(60 * hours))
    assert known.queries == bounds.queries
    assert fraction(bounds.overflow_low) <= fraction(known.overflow_low) <= fraction(bounds.overflow_high)
