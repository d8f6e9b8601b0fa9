"""Shipped profiles and anchors: complete, sourced, dated, of accelerators that exist."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from economics.errors import PermillionError
from economics.ownership.cost import ownership_cost
from economics.ownership.profile import OwnershipProfile
from hardware.accelerators.accelerator import shipped_accelerator
from hardware.ownership.profiles import anchors, shipped_profile, shipped_profiles


@pytest.mark.parametrize("name", list(shipped_profiles()))
def test_a_profile_has_a_cost_a_source_and_a_day(name: str) -> None:
    profile = shipped_profile(name)
    assert ownership_cost(OwnershipProfile(**profile.stated)).total_per_month.to_decimal() > 0
    assert len(profile.source) > 20
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", profile.as_of)
    assert "capital_method" in profile.stated, "never by default"
    if profile.accelerator is not None:
        shipped_accelerator(profile.accelerator)


def test_anchors_are_of_accelerators_that_exist() -> None:
    """InferenceX, 2026-04: the 1.41 that is quoted as an H100 is the H200 of a hyperscaler; an H100 is 1.30."""
    for name in anchors():
        shipped_accelerator(name)
    assert (anchors()["h100-sxm"].hyperscaler_per_hour, anchors()["h200-sxm"].hyperscaler_per_hour) == (
        Decimal("1.30"),
        Decimal("1.41"),
    )
    assert "b300-sxm" not in anchors(), "a placeholder of 1.2 times the B200 is no figure"


def test_an_unknown_profile_names_near_ones() -> None:
    with pytest.raises(PermillionError, match="hamilton-data-center-2010") as refused:
        shipped_profile("hamilton-datacenter")
    assert refused.value.slug == "unknown-ownership-profile"
