"""Each unit of a usage is charged exactly once, whatever the offer has prices for."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from economics.usage import billed_quantities, complete_usage
from tests.oracle.naive import PARENT_OF, complete, slices
from tests.property.books import usages

ROOTS = ("input_tokens", "output_tokens")


def root(meter: str) -> str:
    parent = PARENT_OF.get(meter)
    return meter if parent is None else root(parent)


priced_meters = st.sets(st.sampled_from(sorted(PARENT_OF)))


@given(usages(), priced_meters)
def test_billed_quantities_of_a_family_add_up_to_its_parent(usage: dict[str, int], priced: set[str]) -> None:
    whole = complete_usage(usage)
    billed = billed_quantities(whole, priced)
    for family in ROOTS:
        assert sum(quantity for meter, quantity in billed.items() if root(meter) == family) == whole.get(family, 0)


@given(usages(), priced_meters)
def test_nothing_negative_and_nothing_empty_is_billed(usage: dict[str, int], priced: set[str]) -> None:
    assert all(quantity > 0 for quantity in billed_quantities(complete_usage(usage), priced).values())


@given(usages(), priced_meters)
def test_only_priced_meters_and_roots_are_billed(usage: dict[str, int], priced: set[str]) -> None:
    for meter in billed_quantities(complete_usage(usage), priced):
        assert meter in priced or PARENT_OF.get(meter) is None


@given(usages())
def test_with_every_meter_priced_each_one_is_billed_for_what_none_of_its_children_is(usage: dict[str, int]) -> None:
    billed = billed_quantities(complete_usage(usage), {*PARENT_OF, *usage})
    assert {meter: Fraction(quantity) for meter, quantity in billed.items()} == slices(complete(usage))


@given(usages())
def test_completing_twice_is_completing_once(usage: dict[str, int]) -> None:
    once = complete_usage(usage)
    assert complete_usage(once) == once
    assert usage.items() <= once.items()
