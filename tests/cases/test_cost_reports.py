"""Public reports about costs and billing of machines, each tried with the product: `owner/repository#number` in the docstring.

Symptoms and figures are of the reports, 2023 to 2026, as collected for this project on 2026-11-30.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from api.services.breaking_even import VolumeQuestion, answer_volumes
from api.services.owning import HardwareToOwn, own
from api.services.renting import HardwareToRent, rent
from economics.errors import PermillionError
from economics.money import Exact
from economics.rental.cost import RentalCost, rental_cost
from economics.rental.terms import RentalTerms

D = Decimal
TODAY = date(2026, 11, 30)


def rented(**stated: Any) -> RentalCost:
    given = {
        "purchase_model": "on_demand",
        "unit": "accelerator",
        "accelerators_used": 1,
        "rented_hours_per_month": D(730),
    }
    return rental_cost(RentalTerms(**{**given, **stated}))


def instance(**stated: Any) -> RentalCost:
    return rented(**{"unit": "instance", "accelerators_per_unit": D(8), "accelerators_used": 8, **stated})


def test_a_price_of_zero_is_no_price() -> None:
    """skypilot-org/skypilot#3615: an H100 of Azure at 0; infracost/infracost#2437: no price found, 0.00 used."""
    with pytest.raises(PermillionError) as refused:
        rented(price_per_unit_hour=D(0))
    assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", "/price_per_unit_hour")


def test_spot_above_on_demand_is_flagged() -> None:
    """skypilot-org/skypilot#4914: spot billed at 0.49 beside 0.44 on demand."""
    flagged = rented(purchase_model="spot", price_per_unit_hour=D("0.49"), on_demand_price_per_unit_hour=D("0.44"))
    assert "spot_not_below_on_demand" in flagged.warnings
    fine = rented(purchase_model="spot", price_per_unit_hour=D("0.28"), on_demand_price_per_unit_hour=D("0.44"))
    assert "spot_not_below_on_demand" not in fine.warnings


def test_a_bid_floor_is_no_price_of_a_b200() -> None:
    """skypilot-org/skypilot#9156: a B200 at 0.01 an hour, its spot price a copy of it."""
    cost = rented(
        purchase_model="spot", price_per_unit_hour=D("0.01"), on_demand_price_per_unit_hour=D("0.01"),
        reference_price_per_accelerator_hour=D("5.97"),
    )  # fmt: skip
    assert {"price_far_from_reference", "spot_not_below_on_demand"} <= set(cost.warnings)


def test_per_instance_and_per_accelerator_give_one_bill() -> None:
    """dstackai/dstack#1890: a bid eight times too high, since a price an accelerator was multiplied twice."""
    whole = instance(price_per_unit_hour=D("1.28"))
    each = rented(price_per_unit_hour=D("0.16"), accelerators_used=8, accelerators_per_instance=8)
    assert whole.total == each.total == Exact(D("934.4"))


def test_the_parts_of_a_price_are_lines() -> None:
    """dstackai/gpuhunt#242: a spot price without its disk; dstackai/dstack#1355: one to two per cent low without local SSD."""
    cost = rented(
        purchase_model="spot", price_per_unit_hour=D("1.5"), storage_gb=D(100), storage_price_per_gb_month=D("0.1")
    )
    assert cost.extras["storage"] == Exact(D(10))
    assert cost.total == cost.machine["spot"] + Exact(D(10))


def test_a_price_of_one_part_leaves_the_others() -> None:
    """opencost/opencost#2029: adding a GPU made CPU and RAM 20 to 37 times smaller."""
    stated = {"storage_gb": D(10), "storage_price_per_gb_month": D(1), "egress_gb": D(0)}
    cheap, dear = (rented(price_per_unit_hour=D(price), **stated) for price in ("1", "37"))
    assert {name: cheap.extras[name] for name in cheap.extras} == {name: dear.extras[name] for name in dear.extras}


def test_a_stated_price_stands_above_the_profile_and_is_named() -> None:
    """opencost/opencost#3160: custom pricing ignored on GPU nodes."""
    by_profile, by_user = (
        own(HardwareToOwn(0, "reference-8xh100-colocated", None, stated))
        for stated in ({}, {"server_price": D(300_000)})
    )
    assert by_user.overrides == ["server_price"]
    assert by_profile.overrides == []
    assert by_user.cost is not None
    assert by_user.cost.capital.paid == Exact(D(300_000))


def test_no_accelerators_cost_nothing_and_are_no_error() -> None:
    """kubecost/kubecost#1389: a GPU cost shown where the GPU count is 0."""
    cost = rented(price_per_unit_hour=D(3), accelerators_used=0)
    assert not cost.total
    assert cost.per_used_accelerator_hour is None
    assert cost.per_busy_accelerator_hour is None
    assert "nothing_used" in cost.warnings


def test_where_a_price_comes_from_is_in_the_answer() -> None:
    """kubecost/kubecost#2069: the cost of an a2-highgpu-1g blown up by a fall-back that nobody saw."""
    stated = {
        "unit": "instance", "accelerators_per_unit": D(1), "purchase_model": "on_demand", "price_per_unit_hour": D("4.05"),
        "accelerators_used": 1, "rented_hours_per_month": D(1),
    }  # fmt: skip
    silent, told = (
        rent(HardwareToRent(0, "gcp/a2-highgpu-1g", *source, stated), None, TODAY)
        for source in ((None, None), ("list", "2026-11"))
    )
    assert "source_not_stated" in silent.warnings
    assert "source_not_stated" not in told.warnings
    owned = own(HardwareToOwn(0, "lenovo-8xh100-nvl-list"))
    assert owned.sourced is not None
    assert "LP2225" in owned.sourced.source


def test_a_missing_part_is_named() -> None:
    """Cyclenerd/google-cloud-pricing-cost-calculator#249: an instance vanishes where one of its prices is missing."""
    owned = own(HardwareToOwn(0, "lenovo-8xh100-nvl-list"))
    assert owned.cost is not None
    assert {"network", "colocation", "maintenance", "staff", "license"} <= set(owned.cost.not_stated)
    assert owned.cost.running["staff"] is None


def test_the_way_of_buying_is_stated_and_kept() -> None:
    """infracost/infracost#2359: a spot node pool priced on demand."""
    cost = rented(purchase_model="spot", price_per_unit_hour=D("1.38"))
    assert set(cost.machine) == {"spot", "fallback", "standby", "discount"}
    without = rent(
        HardwareToRent(0, stated={"unit": "accelerator", "accelerators_used": 1, "price_per_unit_hour": D(1)}),
        None,
        TODAY,
    )
    assert without.error is not None
    assert without.error.pointer == "/purchase_model"


def test_the_share_of_the_accelerators_splits_to_the_last_digit() -> None:
    """grafana/cloudcost-exporter#1097: GPU cost booked on CPU and memory, then by a fixed 70 per cent."""
    cost = instance(price_per_unit_hour=D("98.32"), accelerator_share_ratio=D("0.7"))
    part = cost.accelerator_part
    assert part == cost.machine_cost * D("0.7")
    assert part + (cost.machine_cost - part) == cost.machine_cost


def test_idle_time_is_billed() -> None:
    """the-full-stack/the-full-stack-website#76: serverless GPUs charge what is kept warm, too."""
    runs = {
        "rented_hours_per_month": None,
        "runs_per_month": 1000,
        "seconds_per_run": D(4),
        "price_per_unit_hour": D("3.6"),
    }
    busy, warm = rented(**runs), rented(**runs, idle_seconds_per_run=D(60))
    assert (busy.total, warm.total) == (Exact(D(4)), Exact(D(64)))
    assert warm.busy_hours == busy.busy_hours


def test_an_unknown_accelerator_is_refused_and_never_costs_0() -> None:
    """opencost/opencost#2215: new GPU families cost 0."""
    stated = {
        "server_price": D(100_000), "accelerator_count": 8, "useful_life_years": D(4), "wacc_ratio": D("0.1"),
        "power_cost_per_hour": D(1),
    }  # fmt: skip
    unknown = own(HardwareToOwn(0, None, "b200-smx", stated))
    assert unknown.cost is None
    assert unknown.error is not None
    assert unknown.error.slug == "unknown-accelerator"
    assert "b200-sxm" in unknown.error.detail
    unpriced = own(HardwareToOwn(0, None, "maia-100", stated))
    assert "accelerator_without_reference" in unpriced.warnings
    assert unpriced.cost is not None


def test_rent_is_never_scaled_by_utilization() -> None:
    """Break-even pages of dreaming.press, deploycue, llmtco: one multiplies the rent by utilization."""
    busy, half = (
        instance(price_per_unit_hour=D(80), availability_ratio=D(1), utilization_ratio=D(share))
        for share in ("1", "0.5")
    )
    assert busy.total == half.total
    assert busy.per_used_accelerator_hour is not None
    assert half.per_used_accelerator_hour == busy.per_used_accelerator_hour * D(2)


def test_720_and_730_hours_are_told_apart() -> None:
    """The same pages use 24 × 30 or 730 hours: the answer changes by 730 / 720, and both are in it."""
    question = {
        "api_cost_per_query": D("0.01"), "cost_per_accelerator_hour": D(2), "accelerators_per_replica": 8,
        "queries_per_replica_month": D(10**7), "volume_to_per_month": D(10**7),
    }  # fmt: skip
    crossings = []
    for hours in (720, 730):
        found = answer_volumes(VolumeQuestion(0, stated={**question, "hours_per_month": D(hours)})).found
        assert found is not None
        crossings.append(found.crossings[0].volume.to_decimal())
    assert crossings == [1_152_000, 1_168_000]
