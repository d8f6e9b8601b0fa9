"""Published and derived costs of owning and renting, `tco_worked_examples.csv`: each row names its source there.

Expected figures are the row's, never ours; `defect` rows are published errors, and the test shows that ours is the correct figure
and not the published one.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from economics.margins.ratios import gross_margin_ratio
from economics.money import Exact
from economics.ownership.capital import annuity_per_month, declining_per_month, monthly_rate
from economics.ownership.cash import cash_plan
from economics.ownership.cost import OwnershipCost, ownership_cost
from economics.ownership.decisions import break_even_hours, decide, payback_months
from economics.ownership.power import energy_cost
from economics.ownership.profile import OwnershipProfile
from economics.rental.cost import RentalCost, rental_cost
from economics.rental.portfolio import RentedTotal, together
from economics.rental.terms import RentalTerms
from hardware.ownership.profiles import shipped_profile

with (Path(__file__).parent / "data" / "tco_worked_examples.csv").open(encoding="utf-8", newline="") as _lines:
    ROWS = {row["id"]: row for row in csv.DictReader(_lines)}
D = Decimal
ZERO = Exact(D(0))
PER_MTOK = ("T18", "T19", "T22", "T23")


def inputs(name: str) -> Any:
    return json.loads(ROWS[name]["inputs_json"], parse_float=Decimal)


def expected(name: str) -> Any:
    return json.loads(ROWS[name]["expected_json"], parse_float=Decimal)


def holds(name: str, got: Mapping[str, Exact | Decimal | None]) -> None:
    """Every figure within the tolerance of the row: a share of the expected figure, or exactly it."""
    wanted = expected(name)
    found = re.match(r"([0-9.]+)%", ROWS[name]["tolerance"])
    tolerance = Fraction(found.group(1)) / 100 if found else Fraction(0)
    for figure, value in got.items():
        assert value is not None, figure
        shown = Fraction(value.to_decimal() if isinstance(value, Exact) else value)
        want = Fraction(wanted[figure])
        assert abs(shown - want) <= tolerance * abs(want), (name, figure, float(shown), float(want))


def owned(**stated: Any) -> OwnershipCost:
    return ownership_cost(OwnershipProfile(**stated))


def rented(**stated: Any) -> RentalCost:
    return rental_cost(RentalTerms(**{"purchase_model": "on_demand", "unit": "accelerator", **stated}))


def test_every_example_is_tried() -> None:
    tried = {match.group(1) for name in globals() if (match := re.match(r"test_(t\d\d)_", name))}
    assert {name.upper() for name in tried} | set(PER_MTOK) == set(ROWS)
    assert len(ROWS) == 29


def test_t01_break_even_hours_against_on_demand() -> None:
    """Lenovo LP2225; 11.9 months are of 720 hours, 11.7 of 730: the hours of a month are part of the answer."""
    case = inputs("T01")
    hours = break_even_hours(*(Exact(D(case[name])) for name in ("capex", "cloud_per_hour", "own_opex_per_hour")))
    assert hours is not None
    months = {f"breakeven_months_{each}h": hours / D(each) for each in (720, 730)}
    holds("T01", {"breakeven_hours": hours, **months})


def test_t01_by_its_shipped_profile() -> None:
    """Power alone is stated; the cloud is billed for all hours."""
    decision = decide(ownership_cost(OwnershipProfile(**shipped_profile("lenovo-8xh100-nvl-list").stated)))
    assert decision is not None
    holds("T01", {"breakeven_hours": decision.break_even_hours, "breakeven_months_730h": decision.payback_months})


def test_t02_against_one_year_reserved() -> None:
    case = inputs("T02")
    hours = break_even_hours(*(Exact(D(case[name])) for name in ("capex", "cloud_per_hour", "own_opex_per_hour")))
    holds("T02", {"breakeven_hours": hours})


def test_t04_power_per_hour_of_a_server() -> None:
    case = inputs("T04")
    parts = {"gpu_part": case["gpus"] * case["tdp_kw"] * case["load_factor"], "host_part": case["host_kw"]}
    costs = {name: energy_cost(Exact(D(kw)), case["pue"], case["kwh"], D(1)) for name, kw in parts.items()}
    server = owned(
        server_price=D(1), accelerator_count=8, useful_life_years=D(4), wacc_ratio=D(0), tdp_w=case["tdp_kw"] * 1000,
        host_kw=case["host_kw"], load_ratio=D(case["load_factor"]), pue=case["pue"], electricity_price_per_kwh=case["kwh"],
        hours_per_month=D(1),
    )  # fmt: skip
    holds("T04", {"power_per_hour": server.power.cost_per_month, **costs})


def test_t05_five_years_of_cash() -> None:
    """The row is labelled amortized, but the purchase is expensed in year one."""
    case = inputs("T05")
    every = [case["power_per_hour"] * 8760, case["staff_fte"] * case["staff_cost"], case["network_storage"]]
    paid = [
        [Exact(D(amount)) for amount in (*every, case["maintenance_y1"] if year == 0 else case["maintenance"])]
        for year in range(case["years"])
    ]
    plan = cash_plan(Exact(D(case["hardware"])), paid)
    hour = plan.per_accelerator_hour(8, D(8760))
    got = {
        "year1": plan.years[0],
        "year_n": plan.years[-1],
        "cumulative": plan.cumulative,
        "usd_per_gpu_hour_100pct": hour,
    }
    holds("T05", got)


def test_t07_tax_schedule() -> None:
    case = inputs("T07")
    cost = owned(
        server_price=D(case["basis"]), accelerator_count=8, useful_life_years=D(5), capital_method="straight_line", power_cost_per_hour=D(1),
        tax_schedule="macrs_5",
    )  # fmt: skip
    assert [amount.to_decimal() for amount in cost.tax_deductions] == expected("T07")["deductions"]


def t09_server() -> OwnershipCost:
    case = inputs("T09")
    return owned(
        server_price=D(case["gpus"] * case["gpu_price"]) * (1 + case["overhead"]), accelerator_count=case["gpus"],
        useful_life_years=D(case["years"]), capital_method="straight_line", tdp_w=case["gpu_kw"] * 1000, pue=case["pue"],
        electricity_price_per_kwh=case["kwh"], other_cost_per_month=D(case["dc_month"]),
        powered_hours_per_month=D(case["hours_month"]), cloud_hours_per_month=D(case["hours_month"]),
        cloud_price_per_accelerator_hour=case["cloud"],
    )  # fmt: skip


def test_t09_payback_is_of_cash_and_not_137_months() -> None:
    """randomcalculators.com divides capex by a saving that already holds amortization, and says the cloud is cheaper."""
    cost = t09_server()
    decision = decide(cost)
    assert decision is not None
    assert decision.payback_months is not None
    holds(
        "T09",
        {
            "capex": cost.capital.paid,
            "amort_month": cost.capital.cost_per_month,
            "power_month": cost.power.cost_per_month,
            "onprem_month": cost.total_per_month,
            "cloud_month": decision.cloud_cost_per_month,
            "correct_breakeven_months": decision.payback_months,
        },
    )
    assert decision.cheaper == "own"
    published = expected("T09")["tool_breakeven_months"]
    assert decision.payback_months < Exact(D(published)) / D(3)
    counted_twice = payback_months(cost.capital.paid, decision.cloud_cost_per_month, cost.total_per_month)
    assert counted_twice is not None
    assert abs(Fraction(counted_twice.to_decimal()) - Fraction(published)) < Fraction(1, 5), "this is how it came about"


def cluster(name: str) -> None:
    case = inputs(name)
    cost = owned(
        server_price=D(case["gpu_price"]), server_count=case["gpus"], accelerator_count=case["gpus"],
        useful_life_years=D(case["years"]), capital_method="straight_line", tdp_w=case["tdp_kw"] * 1000,
        load_ratio=case["utilisation"], pue=case["pue"], electricity_price_per_kwh=case["kwh"], availability_ratio=D(1),
        utilization_ratio=case["utilisation"], dense_tflops_per_accelerator=case["dense_bf16_pflops"] * 1000,
    )  # fmt: skip
    months, million = D(12 * case["years"]), D(1_000_000)
    assert cost.power.cost_per_month is not None
    assert cost.per_used_petaflop_year is not None
    holds(
        name,
        {
            "acquisition_musd": cost.capital.paid / million,
            "power_musd": cost.power.cost_per_month * months / million,
            "total_musd": cost.total_per_month * months / million,
            "kusd_per_effective_pflop_year": cost.per_used_petaflop_year / D(1000),
        },
    )


def test_t10_five_year_cluster_of_h100() -> None:
    cluster("T10")


def test_t12_five_year_cluster_of_h200() -> None:
    cluster("T12")


def test_t13_payback_style_hour() -> None:
    """Capital over three years and a fifth of it on top."""
    case = inputs("T13")
    uplift = D(case["capex_per_gpu"]) / case["years"] * case["opex_uplift"] / 12
    cost = owned(
        server_price=D(case["capex_per_gpu"]), accelerator_count=1, useful_life_years=D(case["years"]), capital_method="straight_line",
        power_cost_per_hour=uplift / 730,
    )  # fmt: skip
    holds("T13", {"per_year": cost.total_per_month * D(12), "per_hour": cost.per_installed_hour})


def test_t15_declining_value() -> None:
    case = inputs("T15")
    cost = ownership_cost(OwnershipProfile(**shipped_profile("epoch-h100-declining-value").stated))
    hours = D(case["hours_per_year"]) / 12
    servers, network = cost.capital.part("servers"), cost.capital.part("network")
    assert servers is not None
    assert network is not None
    assert cost.power.cost_per_month is not None
    holds(
        "T15",
        {
            "amortised": servers.cost_per_month / hours,
            "interconnect": network.cost_per_month / hours,
            "energy": cost.power.cost_per_month / hours,
            "total": cost.per_installed_hour,
        },
    )
    alone = declining_per_month(Exact(D(case["price_per_gpu_in_server"])), case["oom_per_year"], D(0))
    assert alone == servers.cost_per_month


def test_t16_monthly_rental() -> None:
    """Only 720 hours reproduce it: 730 would be 5,980,160."""
    case = inputs("T16")
    hours = D(case["hours_per_month"])
    cost = rented(
        price_per_unit_hour=D(case["per_gpu_hour"]),
        accelerators_used=case["gpus"],
        hours_per_month=hours,
        rented_hours_per_month=hours,
    )
    holds("T16", {"month": cost.total})


def test_t17_gross_margin() -> None:
    case = inputs("T17")
    sides = {f"margin_{side}": [Exact(case[f"{what}_{side}"]) for what in ("price", "cost")] for side in ("in", "out")}
    holds("T17", {name: gross_margin_ratio(*figures) for name, figures in sides.items()})


@pytest.mark.parametrize("name", PER_MTOK)
def test_cost_per_mtok(name: str) -> None:
    """caleta.io (T22, T23) has pounds in the headline and dollars in the text: the figure has the currency of its price."""
    case = inputs(name)
    price = D(case.get("per_gpu_hour", case.get("per_hour")))
    cost = rented(
        price_per_unit_hour=price, accelerators_used=1, rented_hours_per_month=D(730), tokens_per_s=D(case["tokens_per_s"]),
        availability_ratio=D(1), utilization_ratio=D(case.get("utilisation", 1)),
    )  # fmt: skip
    holds(name, {"usd_per_mtok": cost.simple_per_mtok})


def test_t25_blended_price_and_fleet_revenue() -> None:
    case = inputs("T25")
    hours = {"rented_hours_per_month": D(730)}
    parts = [
        rented(price_per_unit_hour=price, accelerators_used=int(case["gpus"] * share), **hours)
        for price, share in zip(case["prices"], case["mix"], strict=True)
    ]
    whole = together([RentedTotal(part.total, part.machine_cost, part.accelerator_hours_billed) for part in parts])
    sold = rented(price_per_unit_hour=D("9.40"), accelerators_used=case["gpus"], **hours).total * D(12 * case["years"])
    holds("T25", {"blended": whole.per_billed_accelerator_hour, "revenue_at_9_40": sold})


def test_t27_billing_increment() -> None:
    case = inputs("T27")
    cost = rented(
        price_per_unit_hour=case["per_gpu_hour"], accelerators_used=case["gpus"], runs_per_month=1,
        seconds_per_run=D(case["minutes"] * 60), billing_increment_s=D(case["increment_minutes"] * 60),
    )  # fmt: skip
    holds("T27", {"billed_gpu_hours": cost.billed_hours, "cost": cost.total})


def test_t28_storage_is_65_thousandths_and_not_15_ten_thousandths() -> None:
    """fptcloud.com prints 1000 × 0.00013 × 0.5 as 0.0015."""
    case = inputs("T28")
    cost = rented(
        price_per_unit_hour=case["per_gpu_hour"], accelerators_used=1, rented_hours_per_month=case["hours"],
        storage_gb=D(case["storage_gb"]), storage_price_per_gb_hour=case["storage_per_gb_hour"],
    )  # fmt: skip
    holds("T28", {"gpu": cost.machine["on_demand"], "storage": cost.extras["storage"], "total": cost.total})
    assert cost.total.to_decimal() - expected("T28")["published_total"] > D("0.05")


def test_t29_a_commitment_is_paid_when_idle() -> None:
    case = inputs("T29")
    hourly = [
        rented(
            unit="instance", accelerators_per_unit=D(1), purchase_model="commit", price_per_unit_hour=case["commit"],
            on_demand_price_per_unit_hour=case["on_demand"], committed_units=1, accelerators_used=instances,
            hours_per_month=D(1), rented_hours_per_month=D(1),
        ).total.to_decimal()
        for instances in case["instances"]
    ]  # fmt: skip
    assert hourly == expected("T29")["hourly"]


def test_t30_instance_to_accelerator() -> None:
    for (price, count), want in zip(inputs("T30")["instances"], expected("T30")["per_accelerator"], strict=True):
        whole = rented(
            unit="instance", accelerators_per_unit=D(count), price_per_unit_hour=price, accelerators_used=count,
            rented_hours_per_month=D(1),
        )  # fmt: skip
        assert whole.per_billed_accelerator_hour is not None
        assert abs(whole.per_billed_accelerator_hour.to_decimal() - want) <= want * D("0.0005")


def test_t33_a_price_per_node_is_not_one_per_accelerator() -> None:
    """disintermediate.global multiplies 24 a node by 64 accelerators: eight times too much."""
    case = inputs("T33")
    cost = rented(
        unit="instance", accelerators_per_unit=D(case["gpus_per_node"]), price_per_unit_hour=D(case["node_per_hour"]),
        accelerators_used=case["gpus"], rented_hours_per_month=D(case["hours"]),
    )  # fmt: skip
    holds("T33", {"correct_day": cost.total})
    assert cost.total * D(8) == Exact(D(expected("T33")["published_day"]))


def test_t34_one_number_of_hours_in_a_table() -> None:
    """gridstackhub.ai uses 8,760 hours in one row and about 8,766 in the other."""
    case, wanted = inputs("T34"), expected("T34")
    month = rented(
        price_per_unit_hour=case["on_demand"],
        accelerators_used=1,
        hours_per_month=D(720),
        rented_hours_per_month=D(720),
    )
    years = {
        name: rented(price_per_unit_hour=case[name], accelerators_used=1, rented_hours_per_month=D(730)).total * D(12)
        for name in ("on_demand", "reserved")
    }
    holds("T34", {"month_720": month.total, **{f"year_8760_{name}": total for name, total in years.items()}})
    assert D(wanted["published_year_on_demand"]) - years["on_demand"].to_decimal() > 12


def test_t35_usage_follows_from_its_inputs() -> None:
    """A buyer's guide prints three times 8 × 3.10 × 16 × 30."""
    case = inputs("T35")
    cost = rented(
        price_per_unit_hour=case["per_gpu_hour"], accelerators_used=case["gpus"],
        rented_hours_per_month=D(case["hours_per_day"] * case["days"]),
    )  # fmt: skip
    holds("T35", {"correct_month": cost.total})
    assert cost.total * D(3) < Exact(D(expected("T35")["published_month"]))


def test_t37_energy_of_a_megawatt_year() -> None:
    case, wanted = inputs("T37"), expected("T37")
    costs = [energy_cost(Exact(D(1000 * case["mw"])), D(1), price, D(case["hours"])) for price in case["kwh"]]
    assert [cost.to_decimal() for cost in costs] == wanted["cost"]
    assert energy_cost(Exact(D(1000 * case["mw"])), D(1), D(1), D(case["hours"])).to_decimal() == wanted["kwh_total"]


def test_t38_reference_model() -> None:
    case = inputs("T38")
    stated = {
        "server_price": D(case["capex"]), "accelerator_count": 8, "residual_ratio": D(case["res"]) / case["capex"],
        "useful_life_years": D(case["years"]), "wacc_ratio": case["wacc"], "nameplate_kw": case["kw"], "load_ratio": case["load"],
        "pue": case["pue"], "electricity_price_per_kwh": case["kwh"], "colocation_price_per_kw_month": D(case["colo"]),
        "maintenance_ratio_per_year": case["maint"], "staff_cost_per_month": D(case["staff"]),
        "license_price_per_accelerator_year": D(case["lic"]), "availability_ratio": case["avail"], "utilization_ratio": case["util"],
    }  # fmt: skip
    for cost in (owned(**stated), owned(**shipped_profile("reference-8xh100-colocated").stated)):
        running = {f"{name}_month": cost.running[name] for name in ("power", "maintenance", "staff")}
        holds(
            "T38",
            {
                **running,
                "capital_month": cost.capital.cost_per_month,
                "colo_month": cost.running["colocation"],
                "licence_month": cost.running["license"],
                "total_month": cost.total_per_month,
                "per_installed_hour": cost.per_installed_hour,
                "per_available_hour": cost.per_available_hour,
                "per_used_hour": cost.per_used_hour,
            },
        )


def test_t40_break_even_months_against_a_bill() -> None:
    """In euros: a ratio of two amounts has no currency."""
    case = inputs("T40")
    months = payback_months(*(Exact(D(case[name])) for name in ("capex", "cloud_month", "onprem_month")))
    holds("T40", {"months": months})


def test_t42_a_data_center_with_three_lifetimes() -> None:
    case, wanted = inputs("T42"), expected("T42")
    cost = ownership_cost(OwnershipProfile(**shipped_profile("hamilton-data-center-2010").stated))
    parts = {name: cost.capital.part(name) for name in ("servers", "network", "facility")}
    monthly = {name: part.cost_per_month for name, part in parts.items() if part is not None}
    power = cost.power.cost_per_month
    assert power is not None
    holds("T42", {**monthly, "power": power, "total": cost.total_per_month})
    plant = monthly["facility"] * case["power_cooling_share"]
    lines = [monthly["servers"], monthly["network"], plant, power, monthly["facility"] - plant]
    for line, own, published in zip(lines, wanted["shares"], wanted["published_shares"], strict=True):
        share = (line / cost.total_per_month).to_decimal()
        assert abs(share - own) <= D("0.0006")
        assert abs(share - published) <= D("0.006")


def test_t44_the_convention_of_the_monthly_rate() -> None:
    case = inputs("T44")
    got = {
        f"{name}_monthly": annuity_per_month(
            Exact(D(case["principal"])), ZERO, monthly_rate(case["annual"], name), case["months"]
        )
        for name in ("nominal", "effective")
    }
    holds("T44", got)
    assert 1 + D("0.0016") < (got["nominal_monthly"] / got["effective_monthly"]).to_decimal() < 1 + D("0.0018")
