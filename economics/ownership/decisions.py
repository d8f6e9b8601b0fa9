"""Owning beside renting: payback, break-even, net present value, internal rate of return, each by its own criterion.

What was paid for the hardware is set against what it saves in cash. A saving that already holds amortization counts the
purchase twice: a published calculator divides 392,000 by 14,400 − 11,543 and finds 137 months instead of
392,000 / (14,400 − 3,376) = 35.6 (T09).

    payback months   = capex / (cloud − cash opex), a month
    break-even hours = capex / (cloud per hour − cash opex per hour), of the whole system, all of it rented
    break-even use   = total per installed hour / cloud price per hour      (total, with capital; the cloud billed when used)
    NPV              = −capex + Σ_t (cloud − cash opex) / (1 + wacc)^t + residual / (1 + wacc)^N, years, at their ends
    ROI              = Σ (cloud − cash opex) / capex, neither discounted nor less the capex
    IRR              = the rate at which the NPV is 0

Source: `hardware.md` §4 and rule 8 (2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from economics.money import ONE, ZERO, Exact, add
from economics.ownership.cost import MONTHS, OwnershipCost
from economics.ownership.precision import SHOWN, WORKING, rounded
from economics.ownership.profile import refused

CRITERION: Final = (
    "payback, break-even hours, NPV, ROI and IRR set capex against cash saved (cloud less cash opex, no amortization); "
    "break-even utilization and cheaper set the total with capital against the cloud billed when used"
)
_ROUNDS: Final = 200


@dataclass(frozen=True, slots=True)
class Decision:
    """Owning against renting; None where a figure does not exist, for which `reasons` has a code."""

    cloud_hours_per_month: Decimal
    cloud_cost_per_month: Exact
    saving_per_month: Exact
    payback_months: Exact | None
    break_even_hours: Exact | None
    break_even_utilization: Exact
    npv: Exact | None
    roi: Exact
    irr: Decimal | None
    cheaper: Literal["own", "rent", "equal"]
    reasons: tuple[str, ...]


def payback_months(capex: Exact, cloud_per_month: Exact, cash_opex_per_month: Exact) -> Exact | None:
    """`capex / (cloud − cash opex)`; None where nothing is saved.

    A server of 4,000 EUR with 95 a month against a bill of 280 pays back in 21.62 months (T40).

    >>> round(payback_months(Exact(Decimal(4000)), Exact(Decimal(280)), Exact(Decimal(95))).to_decimal(), 2)
    Decimal('21.62')
    """
    saving = cloud_per_month - cash_opex_per_month
    return capex / saving if saving > Exact(ZERO) else None


def break_even_hours(capex: Exact, cloud_per_hour: Exact, cash_opex_per_hour: Exact) -> Exact | None:
    """`capex / (cloud per hour − cash opex per hour)`; None where an hour saves nothing.

    Eight H100 at 833,806 with 0.87 an hour against 98.32 are 8,556.2 hours (T01: Lenovo LP2225).

    >>> round(break_even_hours(Exact(Decimal(833_806)), Exact(Decimal("98.32")), Exact(Decimal("0.87"))).to_decimal(), 1)
    Decimal('8556.2')
    """
    return payback_months(capex, cloud_per_hour, cash_opex_per_hour)


def net_present_value(capex: Exact, yearly: Exact, residual: Exact, wacc: Decimal, years: int) -> Exact:
    """`−capex + Σ yearly / (1 + wacc)^t + residual / (1 + wacc)^years`, flows at the end of each year, to 28 digits.

    1,000 that save 600 a year for two years at 25 % lose 136.

    >>> net_present_value(Exact(Decimal(1000)), Exact(Decimal(600)), Exact(ZERO), Decimal("0.25"), 2).to_decimal()
    Decimal('-136')
    """
    saved, value = (WORKING.divide(flow.numerator, flow.denominator) for flow in (yearly, residual))
    growth = add(ONE, wacc)
    for _ in range(years):  # Horner's scheme from the last year back
        value = WORKING.divide(WORKING.add(value, saved), growth)
    return rounded(Exact(value) - capex)


def internal_rate(capex: Exact, yearly: Exact, residual: Exact, years: int) -> Decimal | None:
    """The yearly rate at which `net_present_value` is 0, to 28 significant digits; None where no year saves anything.

    Newton's method on the discount factor v: `capex = yearly · (v + … + v^N) + residual · v^N` rises and is convex, and
    `v = (capex / (N · yearly))^(2 / (N + 1))` lies at or above the root (means of v … v^N), so each step comes nearer.

    >>> internal_rate(Exact(Decimal(1000)), Exact(Decimal(600)), Exact(Decimal(0)), 2)
    Decimal('0.1306623862918074852584262745')
    """
    if not Exact(ZERO) < yearly:
        return None
    paid, saved, left = (WORKING.divide(flow.numerator, flow.denominator) for flow in (capex, yearly, residual))
    spread = WORKING.divide(paid, WORKING.multiply(saved, Decimal(years)))
    factor = WORKING.power(spread, WORKING.divide(Decimal(2), Decimal(years + 1)))
    for _ in range(_ROUNDS):
        value, slope = left, ZERO
        for _ in range(years):
            value = WORKING.add(value, saved)
            slope = WORKING.add(WORKING.multiply(slope, factor), value)
            value = WORKING.multiply(value, factor)
        step = WORKING.divide(WORKING.subtract(value, paid), slope)
        factor = WORKING.subtract(factor, step)
        if abs(step) <= WORKING.scaleb(abs(factor), Decimal(-60)):
            break
    return SHOWN.plus(WORKING.subtract(WORKING.divide(ONE, factor), ONE))


def decide(cost: OwnershipCost) -> Decision | None:
    """Owning at `cost` against the stated cloud price; None where there is none.

    The cloud is billed for `cloud_hours_per_month` an accelerator: as stated, else the hours used, else all hours.
    """
    profile, capex = cost.profile, cost.capital.paid
    price = profile.cloud_price_per_accelerator_hour
    if price is None:
        if profile.cloud_hours_per_month is not None:
            raise refused("cloud_price_per_accelerator_hour", "required with cloud_hours_per_month")
        return None
    hours = profile.cloud_hours_per_month
    if hours is None:
        used = (profile.availability_ratio, profile.utilization_ratio)
        share = ONE if None in used else Exact(used[0] or ONE) * (used[1] or ONE)
        hours = (Exact(profile.hours_per_month) * share).to_decimal()
    cloud_per_hour = Exact(price) * profile.accelerators
    cloud = cloud_per_hour * hours
    cash = cost.cash_opex_per_month
    saving, total = cloud - cash, cost.total_per_month
    months = profile.months(profile.useful_life_years, "useful_life_years")
    years, rest = divmod(months, 12)
    reasons = [] if Exact(ZERO) < saving else ["no_saving"]
    if len({part.life_months for part in cost.capital.parts}) > 1:
        reasons.append("lives_differ")
    npv = irr = None
    if rest:
        reasons.append("npv_needs_whole_years")
    else:
        irr = internal_rate(capex, saving * MONTHS, cost.capital.residual, years)
        if profile.wacc_ratio is None:
            reasons.append("npv_needs_wacc")
        else:
            npv = net_present_value(capex, saving * MONTHS, cost.capital.residual, profile.wacc_ratio, years)
    return Decision(
        cloud_hours_per_month=hours,
        cloud_cost_per_month=cloud,
        saving_per_month=saving,
        payback_months=payback_months(capex, cloud, cash),
        break_even_hours=break_even_hours(capex, cloud_per_hour, cash / profile.hours_per_month),
        break_even_utilization=cost.per_installed_hour / price,
        npv=npv,
        roi=saving * Decimal(months) / capex,
        irr=irr,
        cheaper="equal" if total == cloud else "own" if total < cloud else "rent",
        reasons=tuple(reasons),
    )
