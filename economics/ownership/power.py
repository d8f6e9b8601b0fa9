"""Power and place: what is drawn on average is paid by the kWh, what may be drawn is contracted.

`kW_IT = nameplate · load`, or `count · tdp · load + host + network`; `power = kW_IT · PUE · price · hours`. PUE multiplies
energy and not contracted kW. Source: `hardware.md` §4, rules 3 and 5 (2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from economics.money import ONE, ZERO, Exact, add, multiply
from economics.ownership.profile import OwnershipProfile, refused

WATTS_PER_KW = Decimal(1000)


@dataclass(frozen=True, slots=True)
class Power:
    """Average draw of the machines, energy and its cost a month; None where a place includes it or a flat rate is paid."""

    it_kw: Exact | None
    energy_kwh_per_month: Exact | None
    cost_per_month: Exact | None


def energy_cost(kw: Exact, pue: Decimal, price_per_kwh: Decimal, hours: Decimal) -> Exact:
    """`kW · PUE · price · hours`.

    Eight 700 W accelerators at PUE 1.4 and 0.10 a kWh are 0.784 an hour, 2 kW of host 0.28, together 1.064 (T04).

    >>> energy_cost(Exact(Decimal("7.6")), Decimal("1.4"), Decimal("0.1"), ONE).to_decimal()
    Decimal('1.064')
    """
    return kw * pue * price_per_kwh * hours


def average_kw(profile: OwnershipProfile, load: Decimal) -> Exact | None:
    """`nameplate · load`, or `count · tdp · load + host + network`; None where neither is stated."""
    if profile.nameplate_kw is not None:
        return Exact(multiply(profile.nameplate_kw, load))
    if profile.tdp_w is None:
        return None
    accelerators = multiply(multiply(profile.accelerators, profile.tdp_w), load)
    return Exact(add(profile.host_kw or ZERO, profile.network_kw or ZERO)) + Exact(accelerators) / WATTS_PER_KW


def contracted_kw(profile: OwnershipProfile, needed_by: str) -> Exact:
    """What is contracted or built for: as stated, else all that may be drawn."""
    if profile.contracted_kw is not None:
        return Exact(profile.contracted_kw)
    kw = average_kw(profile, ONE)
    if kw is None:
        raise refused("contracted_kw", f"required by {needed_by} where neither nameplate_kw nor tdp_w is stated")
    return kw


def power_of(profile: OwnershipProfile) -> Power:
    """Energy of a month and its cost.

    Raises:
        PermillionError: `invalid-fields` where power is stated in no way, or in two.
    """
    ways = {
        "electricity_price_per_kwh": profile.electricity_price_per_kwh is not None,
        "power_cost_per_hour": profile.power_cost_per_hour is not None,
        "colocation_includes_power": profile.colocation_includes_power,
    }
    if sum(ways.values()) != 1:
        raise refused(
            "electricity_price_per_kwh",
            "say power in one way: electricity_price_per_kwh (with kW and pue), power_cost_per_hour, or colocation_includes_power",
        )
    hours = profile.powered_hours_per_month or profile.hours_per_month
    kw = average_kw(profile, profile.load_ratio)
    if profile.electricity_price_per_kwh is not None and kw is None:
        raise refused("nameplate_kw", "required with electricity_price_per_kwh, or tdp_w")
    if profile.electricity_price_per_kwh is not None and profile.pue is None:
        raise refused("pue", "required with electricity_price_per_kwh: 1.1 at the largest sites, 1.25 to 1.4 elsewhere")
    energy = None if kw is None or profile.pue is None else kw * profile.pue * hours
    if profile.power_cost_per_hour is not None:
        return Power(kw, energy, Exact(multiply(profile.power_cost_per_hour, hours)))
    if profile.electricity_price_per_kwh is None:
        return Power(kw, energy, None)
    assert kw is not None
    assert profile.pue is not None
    return Power(kw, energy, energy_cost(kw, profile.pue, profile.electricity_price_per_kwh, hours))


def colocation_per_month(profile: OwnershipProfile) -> Exact | None:
    """Price a kW and month × contracted kW; None where no place is rented."""
    if profile.colocation_price_per_kw_month is None:
        if profile.colocation_includes_power:
            raise refused(
                "colocation_price_per_kw_month", "required: colocation_includes_power says that it pays the power"
            )
        return None
    return contracted_kw(profile, "colocation_price_per_kw_month") * profile.colocation_price_per_kw_month
