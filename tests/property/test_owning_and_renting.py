"""What must hold of any cost of owning or renting, by exact fractions of the test's own."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from economics.money import Exact
from economics.ownership.capital import annuity_per_month, monthly_rate
from economics.ownership.cost import OwnershipCost, ownership_cost
from economics.ownership.decisions import internal_rate, net_present_value
from economics.ownership.precision import sum_of
from economics.ownership.profile import OwnershipProfile
from economics.rental.billing import billed_seconds
from economics.rental.cost import rental_cost
from economics.rental.terms import RentalTerms

D = Decimal
CLOSE = Fraction(1, 10**24)


def amounts(least: str, most: str, places: int = 4) -> st.SearchStrategy[Decimal]:
    return st.decimals(D(least), D(most), places=places, allow_nan=False, allow_infinity=False)


def fraction(value: Exact | None) -> Fraction:
    assert value is not None
    return Fraction(value.numerator) / Fraction(value.denominator)


PROFILES = st.fixed_dictionaries(
    {
        "server_price": amounts("1", "1000000", 2),
        "server_count": st.integers(1, 100),
        "accelerator_count": st.integers(1, 800),
        "useful_life_years": st.integers(1, 10).map(D),
        "wacc_ratio": amounts("0", "0.5"),
        "residual_ratio": amounts("0", "1"),
        "capital_method": st.sampled_from(["annuity", "straight_line", "declining_value"]),
        "monthly_compounding": st.sampled_from(["effective", "nominal"]),
        "value_decline_oom_per_year": amounts("0.01", "1"),
        "nameplate_kw": amounts("0.1", "1000", 2),
        "load_ratio": amounts("0.1", "1", 2),
        "pue": amounts("1", "2", 2),
        "electricity_price_per_kwh": amounts("0.01", "0.5"),
        "colocation_price_per_kw_month": amounts("1", "300", 2),
        "maintenance_ratio_per_year": amounts("0", "0.2"),
        "license_price_per_accelerator_year": amounts("0", "5000", 2),
        "availability_ratio": amounts("0.01", "1", 2),
        "utilization_ratio": amounts("0.01", "1", 2),
    },
    optional={
        "network_share_ratio": amounts("0", "0.4", 2),
        "storage_capex": amounts("0", "100000", 2),
        "facility_capex_per_kw": amounts("0", "10000", 2),
        "facility_life_years": st.integers(1, 20).map(D),
        "insurance_ratio_per_year": amounts("0", "0.1"),
        "staff_cost_per_month": amounts("0", "10000", 2),
    },
)


def cost_of(stated: dict[str, Any]) -> OwnershipCost:
    return ownership_cost(OwnershipProfile(**stated))


@given(PROFILES)
def test_lines_sum_to_the_total_and_denominators_are_in_order(stated: dict[str, Any]) -> None:
    cost = cost_of(stated)
    lines = [*(part.cost_per_month for part in cost.capital.parts), *cost.running.values()]
    assert cost.total_per_month == sum_of(lines)
    installed, available, used = (
        fraction(hour) for hour in (cost.per_installed_hour, cost.per_available_hour, cost.per_used_hour)
    )
    assert 0 <= installed <= available <= used
    assert fraction(cost.total_per_month) == installed * stated["accelerator_count"] * 730


@given(
    PROFILES,
    st.sampled_from(["load_ratio", "pue", "electricity_price_per_kwh", "server_price", "wacc_ratio"]),
    amounts("1", "2", 2),
)
def test_more_of_what_costs_never_costs_less(stated: dict[str, Any], name: str, factor: Decimal) -> None:
    more = {**stated, name: min(stated[name] * factor, D(1)) if name == "load_ratio" else stated[name] * factor}
    assert not cost_of(more).total_per_month < cost_of(stated).total_per_month


@given(PROFILES, amounts("0.01", "1", 2))
def test_utilization_moves_the_used_hour_alone(stated: dict[str, Any], other: Decimal) -> None:
    one, two = cost_of(stated), cost_of({**stated, "utilization_ratio": other})
    assert (one.total_per_month, one.per_available_hour) == (two.total_per_month, two.per_available_hour)
    assert fraction(one.per_used_hour) * Fraction(stated["utilization_ratio"]) == fraction(
        two.per_used_hour
    ) * Fraction(other)


@given(
    amounts("1", "1000000", 2), amounts("0", "1", 2), amounts("0.000001", "1", 6), st.integers(1, 120),
    st.sampled_from(["effective", "nominal"]),
)  # fmt: skip
def test_an_annuity_pays_the_debt_back_to_the_residual(
    paid: Decimal, share: Decimal, wacc: Decimal, months: int, compounding: str
) -> None:
    """The oracle is the debt itself, month by month: it grows by the rate, falls by the payment, ends at the residual."""
    rate = monthly_rate(wacc, compounding)
    payment = annuity_per_month(Exact(paid), Exact(paid * share), rate, months).to_decimal()
    with localcontext(prec=60):
        balance, growth = paid, 1 + rate
        for _ in range(months):
            balance = balance * growth - payment
        assert abs(balance - paid * share) <= D("1e-24") * paid * growth**months


@given(amounts("0.000001", "2", 6))
def test_twelve_effective_months_are_a_year_and_a_nominal_rate_is_above_it(wacc: Decimal) -> None:
    effective, nominal = (monthly_rate(wacc, name) for name in ("effective", "nominal"))
    assert abs((1 + Fraction(effective)) ** 12 - (1 + Fraction(wacc))) < CLOSE
    assert nominal > effective


@given(amounts("1", "1000000", 2), amounts("0.01", "1000000", 2), amounts("0", "100000", 2), st.integers(1, 30))
def test_npv_is_0_at_the_internal_rate(capex: Decimal, yearly: Decimal, residual: Decimal, years: int) -> None:
    rate = internal_rate(Exact(capex), Exact(yearly), Exact(residual), years)
    assert rate is not None
    assert rate > -1
    growth = 1 + Fraction(rate)
    flows = sum(Fraction(yearly) / growth**year for year in range(1, years + 1)) + Fraction(residual) / growth**years
    assert abs(flows - Fraction(capex)) <= Fraction(capex) * CLOSE * 10**4


@given(
    amounts("1", "1000000", 2), amounts("-1000", "1000000", 2), amounts("0", "100000", 2), amounts("0", "1"), st.integers(1, 30)
)  # fmt: skip
def test_npv_by_fractions(capex: Decimal, yearly: Decimal, residual: Decimal, wacc: Decimal, years: int) -> None:
    growth = 1 + Fraction(wacc)
    want = -Fraction(capex) + Fraction(residual) / growth**years
    want += sum(Fraction(yearly) / growth**year for year in range(1, years + 1))
    got = fraction(net_present_value(Exact(capex), Exact(yearly), Exact(residual), wacc, years))
    assert abs(got - want) <= abs(want) * Fraction(1, 10**26)


@given(amounts("0", "1000000", 3), amounts("0.001", "100000", 3), amounts("0", "100000", 3))
def test_what_is_billed_is_never_less_than_used_nor_a_broken_increment(
    seconds: Decimal, increment: Decimal, minimum: Decimal
) -> None:
    billed = billed_seconds(seconds, increment, minimum)
    if not seconds:
        assert not billed
        return
    assert billed >= max(seconds, minimum)
    assert billed == minimum or (Fraction(billed) / Fraction(increment)).denominator == 1
    assert billed == minimum or billed - seconds < increment


TERMS = st.fixed_dictionaries(
    {
        "price_per_unit_hour": amounts("0.01", "200"),
        "accelerators_per_unit": st.sampled_from([D(1), D(4), D(8)]),
        "accelerators_used": st.integers(0, 100),
        "runs_per_month": st.integers(0, 1000),
        "seconds_per_run": amounts("0", "10000", 2),
        "idle_seconds_per_run": amounts("0", "600", 1),
        "billing_increment_s": st.sampled_from([D(1), D(60), D(900), D(3600)]),
        "minimum_s": st.sampled_from([D(0), D(60)]),
        "discount_ratio": amounts("0", "0.9", 2),
        "support_ratio": amounts("0", "0.1", 2),
        "storage_gb": amounts("0", "1000", 1),
        "storage_price_per_gb_month": amounts("0", "1"),
    }
)


@given(TERMS, st.sampled_from(["on_demand", "spot", "commit"]))
def test_bills_of_rentals(stated: dict[str, Any], model: str) -> None:
    more: dict[str, Any] = {"commit": {"committed_units": 2, "on_demand_price_per_unit_hour": D(300)}}.get(model, {})
    terms = RentalTerms(unit="instance", purchase_model=model, **stated, **more)
    cost = rental_cost(terms)
    assert cost.total == sum_of([*cost.machine.values(), *cost.extras.values()])
    assert cost.units == ceil(stated["accelerators_used"] / stated["accelerators_per_unit"])
    assert not fraction(cost.billed_hours) < fraction(cost.busy_hours)
    for name in ("accelerators_used", "runs_per_month", "seconds_per_run", "idle_seconds_per_run"):
        assert not rental_cost(replace(terms, **{name: getattr(terms, name) * 2})).total < cost.total
    if model == "on_demand":
        paid = Fraction(stated["price_per_unit_hour"]) * cost.units * fraction(cost.billed_hours)
        assert fraction(cost.machine_cost) == paid * (1 - Fraction(stated["discount_ratio"]))
