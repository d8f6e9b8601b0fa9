"""Rentals one rule at a time, by hand."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from economics.errors import PermillionError
from economics.money import Exact
from economics.rental.billing import billed_seconds, units_billed
from economics.rental.cost import RentalCost, rental_cost
from economics.rental.extras import egress_cost
from economics.rental.figures import simple_cost_per_mtok
from economics.rental.terms import EgressTier, RentalTerms

D = Decimal


def rented(**stated: Any) -> RentalCost:
    given = {
        "unit": "accelerator", "purchase_model": "on_demand", "price_per_unit_hour": D(2), "accelerators_used": 1,
        "rented_hours_per_month": D(100), **stated,
    }  # fmt: skip
    return rental_cost(RentalTerms(**given))


def test_capacity_blocks_are_steps_of_a_day() -> None:
    block = rented(purchase_model="block", rented_hours_per_month=D(25), billing_increment_s=D(86_400))
    assert block.billed_hours == Exact(D(48))
    assert block.total == Exact(D(96))


def test_nothing_is_billed_for_nothing() -> None:
    assert billed_seconds(D(0), D(60), D(60)) == 0
    none = rented(rented_hours_per_month=None, runs_per_month=0, seconds_per_run=D(5), minimum_s=D(60))
    assert not none.total


def test_whole_instances_of_accelerators_priced_one_by_one() -> None:
    assert units_billed(9, Fraction(1), 8) == 16
    cost = rented(accelerators_per_instance=8, accelerators_used=9)
    assert cost.total == Exact(D(3_200))


def test_egress_by_tiers_and_at_their_bounds() -> None:
    """OCI: 10 TB free, then 0.0085."""
    oci = [EgressTier(D(10_240), D(0)), EgressTier(None, D("0.0085"))]
    assert [egress_cost(D(gb), oci).to_decimal() for gb in (0, 10_240, 10_241)] == [0, 0, D("0.0085")]
    for bad in (
        [EgressTier(None, D(1)), EgressTier(D(5), D(1))],
        [EgressTier(D(5), D(1)), EgressTier(D(5), D(1))],
        [EgressTier(None, D(-1))],
    ):
        with pytest.raises(PermillionError) as refused:
            egress_cost(D(1), bad)
        assert refused.value.pointer.startswith("/egress_tiers/")


def test_storage_is_kept_as_long_as_stated() -> None:
    hourly = {"storage_gb": D(10), "storage_price_per_gb_hour": D("0.01")}
    assert rented(**hourly).extras["storage"] == Exact(D(10)), "as long as the machine is billed"
    assert rented(**hourly, storage_hours_per_month=D(730)).extras["storage"] == Exact(D(73))


def test_tax_is_in_the_price_on_top_or_not_known() -> None:
    assert rented().total_with_tax is None
    assert rented(tax_included=True).total_with_tax == Exact(D(200))
    assert rented(tax_included=False).total_with_tax is None
    assert rented(tax_included=False, tax_ratio=D("0.2")).total_with_tax == Exact(D(240))
    assert rented(tax_included=True, tax_ratio=D("0.2")).tax is None


def test_the_simple_figure_refuses_what_has_no_answer() -> None:
    for tokens, used in ((D(0), D(1)), (D(1), D(0)), (D(1), D("1.1"))):
        with pytest.raises(PermillionError):
            simple_cost_per_mtok(Exact(D(1)), tokens, used)


def test_a_commitment_that_lies_idle_has_a_price_per_billed_hour_alone() -> None:
    idle = rented(purchase_model="commit", committed_units=2, accelerators_used=0)
    assert idle.total == Exact(D(2_920))
    assert idle.per_billed_accelerator_hour == Exact(D(2))
    assert idle.per_busy_accelerator_hour is None
