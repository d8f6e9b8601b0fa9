"""Components of ownership one by one, by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from economics.errors import PermillionError
from economics.money import Exact
from economics.ownership.capital import annuity_per_month, monthly_rate
from economics.ownership.cost import OwnershipCost, ownership_cost
from economics.ownership.decisions import decide, internal_rate
from economics.ownership.profile import OwnershipProfile

D = Decimal
BASE: dict[str, Any] = {
    "server_price": D(100_000), "server_count": 2, "accelerator_count": 16, "useful_life_years": D(5),
    "capital_method": "straight_line", "power_cost_per_hour": D(1),
}  # fmt: skip


def cost(**stated: Any) -> OwnershipCost:
    given = {**BASE, **stated}
    return ownership_cost(OwnershipProfile(**{name: value for name, value in given.items() if value is not None}))


def month(name: str, **stated: Any) -> Exact | None:
    return cost(**stated).running[name]


def test_staff_in_three_ways() -> None:
    assert month("staff") is None
    assert month("staff", staff_cost_per_month=D(600)) == Exact(D(600))
    assert month("staff", staff_fte=D("0.25"), staff_cost_per_fte_year=D(240_000)) == Exact(D(5_000))
    assert month("staff", servers_per_fte=D(100), staff_cost_per_fte_year=D(240_000)) == Exact(D(400)), (
        "2 of 100 servers"
    )


def test_shares_of_all_that_was_paid_and_licenses() -> None:
    """Nvidia AI Enterprise: 4,500 an accelerator and year."""
    stated = {
        "network_capex": D(40_000),
        "maintenance_ratio_per_year": D("0.03"),
        "insurance_ratio_per_year": D("0.005"),
        "property_tax_ratio_per_year": D("0.01"),
    }
    assert month("maintenance", **stated) == Exact(D(600))
    assert month("insurance", **stated) == Exact(D(100))
    assert month("property_tax", **stated) == Exact(D(200))
    assert month("license", license_price_per_accelerator_year=D(4_500)) == Exact(D(6_000))


def test_shares_of_the_cluster() -> None:
    """Network 19 % and storage 6 % of a cluster whose servers are 200,000: 75 % of 266,666.67."""
    parts = cost(network_share_ratio=D("0.19"), storage_share_ratio=D("0.06")).capital
    assert parts.paid == Exact(D(200_000)) / D("0.75")
    network = parts.part("network")
    assert network is not None
    assert network.paid == parts.paid * D("0.19")


def test_residual_of_servers_or_with_the_network() -> None:
    stated = {"network_capex": D(50_000), "residual_ratio": D("0.2")}
    assert cost(**stated).capital.residual == Exact(D(40_000))
    assert cost(**stated, residual_includes_network=True).capital.residual == Exact(D(50_000))


def test_place_is_paid_by_contracted_kw_and_may_include_power() -> None:
    drawn = {
        "power_cost_per_hour": None,
        "nameplate_kw": D(20),
        "load_ratio": D("0.5"),
        "pue": D("1.2"),
        "electricity_price_per_kwh": D("0.1"),
    }
    assert month("power", **drawn) == Exact(D(20)) * D("0.5") * D("1.2") * D("0.1") * D(730)
    assert month("colocation", **drawn, colocation_price_per_kw_month=D(100)) == Exact(D(2_000)), (
        "the nameplate, not the average"
    )
    assert month("colocation", **drawn, colocation_price_per_kw_month=D(100), contracted_kw=D(25)) == Exact(D(2_500))
    included = cost(
        power_cost_per_hour=None,
        nameplate_kw=D(20),
        colocation_includes_power=True,
        colocation_price_per_kw_month=D(150),
    )
    assert included.running["power"] is None
    assert included.energy_share is None
    assert "power" not in included.not_stated
    with pytest.raises(PermillionError, match="contracted_kw"):
        cost(colocation_price_per_kw_month=D(100))
    with pytest.raises(PermillionError, match="colocation_price_per_kw_month"):
        cost(power_cost_per_hour=None, colocation_includes_power=True, nameplate_kw=D(20))


def test_tdp_is_of_the_accelerators_and_the_host_runs_beside_them() -> None:
    """16 · 700 W at 0.8 and 4 + 1 kW of hosts and network."""
    drawn = {
        "power_cost_per_hour": None,
        "tdp_w": D(700),
        "host_kw": D(4),
        "network_kw": D(1),
        "load_ratio": D("0.8"),
        "pue": D(1),
    }
    power = cost(**drawn, electricity_price_per_kwh=D("0.1"), powered_hours_per_month=D(100)).power
    assert power.it_kw == Exact(D("13.96"))
    assert power.energy_kwh_per_month == Exact(D(1_396))


def test_a_rate_too_small_for_28_digits_still_counts() -> None:
    """At a rate of 0 a month is an nth; at 10⁻³⁰ it is that and 10⁻³⁰ · (n + 1) / 2 of it more."""
    paid, none = Exact(D(4_800)), Exact(D(0))
    assert annuity_per_month(paid, none, D(0), 48) == Exact(D(100))
    tiny = annuity_per_month(paid, none, monthly_rate(D("1e-25"), "nominal"), 48).to_decimal()
    assert D(0) < tiny - 100 < D("1e-22")


def test_figures_from_powers_have_28_digits_and_lines_still_sum() -> None:
    case = cost(capital_method="annuity", wacc_ratio=D("0.09"), network_capex=D(50_000))
    for part in case.capital.parts:
        assert len(part.cost_per_month.to_decimal().as_tuple().digits) <= 28
    assert case.total_per_month == case.capital.parts[0].cost_per_month + case.capital.parts[1].cost_per_month + Exact(
        D(730)
    )


def test_internal_rate_by_hand() -> None:
    """1,000 for 1,100 after a year is 10 %; an annuity that just pays the price is 0 %; less is negative; none is none."""
    one = Exact(D(1_000))
    assert internal_rate(one, Exact(D(1_100)), Exact(D(0)), 1) == D("0.1")
    assert internal_rate(one, Exact(D(250)), Exact(D(0)), 4) == 0
    assert internal_rate(one, Exact(D(500)), Exact(D(0)), 1) == D("-0.5")
    assert internal_rate(one, Exact(D(0)), one, 4) is None


def test_what_the_cloud_is_billed_for() -> None:
    """Stated hours, else hours used, else all of them."""
    rent = {"cloud_price_per_accelerator_hour": D(2)}
    used = {"availability_ratio": D("0.9"), "utilization_ratio": D("0.5")}
    hours = [decide(cost(**rent, **more)) for more in ({"cloud_hours_per_month": D(100)}, used, {})]
    assert [each.cloud_hours_per_month for each in hours if each is not None] == [100, D("328.5"), 730]
    assert decide(cost()) is None


def test_a_life_that_is_no_whole_years_has_no_npv() -> None:
    decision = decide(cost(useful_life_years=D("4.5"), wacc_ratio=D("0.1"), cloud_price_per_accelerator_hour=D(2)))
    assert decision is not None
    assert (decision.npv, decision.irr) == (None, None)
    assert "npv_needs_whole_years" in decision.reasons


def test_numbers_that_are_none() -> None:
    for bad in (D("NaN"), D("Infinity"), D(-1)):
        with pytest.raises(PermillionError) as refused:
            cost(server_price=bad)
        assert refused.value.slug == "invalid-fields"
