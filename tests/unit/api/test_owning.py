"""A profile and what is stated beside it: who answers which field, and what is said of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from api.services.breaking_even import VolumeQuestion, answer_volumes
from api.services.owning import HardwareToOwn, OwnedHardware, own
from economics.errors import PermillionError
from economics.money import Exact
from hardware.ownership.profiles import SourcedProfile

D = Decimal
REFERENCE = "reference-8xh100-colocated"


def owned(profile: str | None = REFERENCE, **stated: Any) -> OwnedHardware:
    return own(HardwareToOwn(0, profile, None, stated))


def test_another_way_of_saying_one_thing_replaces_the_profiles() -> None:
    """The profile states kW, PUE and a price per kWh, and staff by the month."""
    metered = owned(power_cost_per_hour=D(1))
    assert metered.error is None
    assert metered.cost is not None
    assert metered.cost.running["power"] == Exact(D(730))
    people = owned(staff_fte=D("0.1"), staff_cost_per_fte_year=D(120_000))
    assert people.cost is not None
    assert people.cost.running["staff"] == Exact(D(1_000))
    chips = owned(tdp_w=D(700))
    assert chips.cost is not None
    assert chips.cost.power.it_kw == Exact(D("4.48")), "8 · 0.7 kW at the profile's load of 0.8"


def test_what_equals_the_profile_is_no_override() -> None:
    assert owned(pue=D("1.25"), utilization_ratio=D("0.5")).overrides == ["utilization_ratio"]


def test_profiles_come_from_where_the_caller_says() -> None:
    mine = SourcedProfile("mine", "one of my own", None, "2026-11-30", "contract 4711", "", {
        "server_price": D(1_200), "accelerator_count": 1, "useful_life_years": D(1), "capital_method": "straight_line",
        "power_cost_per_hour": D("0.01"), "availability_ratio": D(1),
    })  # fmt: skip
    found = own(HardwareToOwn(0, "mine"), lambda _: mine)
    assert found.cost is not None
    assert found.cost.total_per_month == Exact(D("107.3"))
    question = {"profile": "mine", "rent_price_per_accelerator_hour": D(1), "volume_to_per_month": D(730)}
    answered = answer_volumes(VolumeQuestion(0, "rent_or_own", question), lambda _: mine)
    assert answered.found is not None
    assert [crossing.volume.to_decimal() for crossing in answered.found.crossings] == [D("107.3")]
    assert answered.capital_method == "straight_line"

    def nothing(_: str) -> SourcedProfile:
        raise PermillionError("unknown-ownership-profile", "none", pointer="/profile")

    assert own(HardwareToOwn(0, "mine"), nothing).error is not None


def test_a_usual_price_in_another_currency_is_not_used() -> None:
    dollars, euros = (owned(currency=currency) for currency in ("USD", "EUR"))
    assert any(each.startswith("reference_price_per_accelerator=") for each in dollars.assumptions)
    assert not any(each.startswith("reference_price") for each in euros.assumptions)
    assert euros.anchor is None


@pytest.mark.parametrize(
    ("stated", "assumed"),
    [
        ({"network_capex": D(1)}, "network_life_years=4"),
        ({"facility_capex_per_kw": D(1)}, "facility_life_years=4"),
        ({"capital_method": "declining_value", "value_decline_oom_per_year": D("0.14")}, "age_years=0"),
        ({"cloud_price_per_accelerator_hour": D(1)}, "cloud_hours_per_month=469.755"),
    ],
)
def test_defaults_that_were_used_are_said(stated: dict[str, Any], assumed: str) -> None:
    assert assumed in owned(**stated).assumptions
