"""Crossings really cross: held against both costs, worked out by the test itself at volumes around and between them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from economics.breakeven.crossings import BreakEven, break_even
from economics.breakeven.sides import SteppedSide, UseSide
from economics.money import Exact


class Case(NamedTuple):
    price: int
    fixed: int
    replica: int
    capacity: int
    least: int
    most: int | None
    step_fixed: int
    variable: int
    low: int
    high: int


CASES = st.builds(
    Case,
    st.integers(1, 12), st.integers(0, 40), st.integers(1, 60), st.integers(1, 12), st.integers(0, 3),
    st.none() | st.integers(3, 9), st.integers(0, 40), st.integers(0, 6), st.integers(0, 30), st.integers(31, 80),
)  # fmt: skip


def sides(case: Case) -> tuple[UseSide, SteppedSide]:
    price, fixed, replica, capacity, step_fixed, variable = (
        Exact(Decimal(each))
        for each in (case.price, case.fixed, case.replica, case.capacity, case.step_fixed, case.variable)
    )
    stepped = SteppedSide(
        cost_per_replica=replica, capacity=capacity, minimum_replicas=case.least, maximum_replicas=case.most,
        fixed_per_month=step_fixed, variable=variable,
    )  # fmt: skip
    return UseSide(price, fixed), stepped


def found(case: Case) -> BreakEven:
    return break_even(*sides(case), Exact(Decimal(case.low)), Exact(Decimal(case.high)))


def cheaper(case: Case, volume: Fraction) -> str:
    """Which side is cheaper at one volume, without the product."""
    if case.most is not None and volume > case.most * case.capacity:
        return "use"
    use = case.fixed + case.price * volume
    stepped = case.step_fixed + max(case.least, ceil(volume / case.capacity)) * case.replica + case.variable * volume
    return "equal" if use == stepped else "use" if use < stepped else "stepped"


def fraction(value: Exact) -> Fraction:
    return Fraction(value.numerator) / Fraction(value.denominator)


@given(CASES)
@example(Case(1, 0, 9, 10, 1, None, 0, 0, 0, 40))  # crosses in every step
@example(Case(1, 0, 10, 10, 1, None, 0, 0, 0, 40))  # touches at every step
@example(Case(2, 0, 10, 10, 0, None, 0, 2, 0, 40))  # never crosses: parallel
@example(Case(2, 10, 10, 40, 1, None, 0, 2, 0, 40))  # equal throughout
def test_every_change_is_a_crossing_and_every_crossing_a_change(case: Case) -> None:
    answer = found(case)
    changes = [crossing for crossing in answer.crossings if crossing.kind != "touch"]
    points = sorted({fraction(crossing.volume) for crossing in answer.crossings})
    assert len(points) == len(answer.crossings), "each volume once, in order"
    tiny = Fraction(1, 10**9)  # less than any two volumes at which something happens are apart
    for crossing in answer.crossings:
        at = fraction(crossing.volume)
        assert case.low < at <= case.high
        assert cheaper(case, at - tiny) == crossing.before
        if at < case.high:
            assert cheaper(case, at + tiny) == crossing.after
        assert (crossing.before == crossing.after) == (crossing.kind == "touch")
        if crossing.kind == "within_step":
            assert cheaper(case, at) == "equal"
        if crossing.first_whole_volume is not None:
            assert cheaper(case, Fraction(crossing.first_whole_volume)) == crossing.after
            assert crossing.first_whole_volume > at >= crossing.first_whole_volume - 1
    edges = [Fraction(case.low), *(fraction(crossing.volume) for crossing in changes), Fraction(case.high)]
    for before, after in pairwise(edges):
        if before == after:
            continue
        inside = {cheaper(case, before + (after - before) * Fraction(share, 97)) for share in range(1, 97)}
        assert len(inside - {"equal"}) <= 1, "nothing changes between two crossings"


@given(CASES)
def test_intervals_cover_the_range_and_say_who_is_cheaper(case: Case) -> None:
    intervals = found(case).intervals
    assert (fraction(intervals[0].volume_from), fraction(intervals[-1].volume_to)) == (case.low, case.high)
    for one, other in pairwise(intervals):
        assert one.volume_to == other.volume_from
    for interval in intervals:
        middle = (fraction(interval.volume_from) + fraction(interval.volume_to)) / 2
        assert cheaper(case, middle) in (interval.cheaper, "equal")
        assert interval.possible == (case.most is None or middle <= case.most * case.capacity)


@given(CASES)
def test_the_curve_is_the_cost_with_whole_replicas(case: Case) -> None:
    steps = found(case).steps
    use, side = sides(case)
    for one, other in pairwise(steps):
        assert one.volume_to == other.volume_from
        assert other.replicas == one.replicas + 1
        jump = fraction(other.stepped_cost_from) - fraction(one.stepped_cost_to)
        assert jump == case.replica
    for step in steps:
        assert step.stepped_cost_to == side.cost(step.volume_to)
        assert step.use_cost_to == use.cost(step.volume_to)
        assert fraction(step.volume_to) <= step.replicas * case.capacity
