"""Total cost of ownership: every component a month, and the cost of an accelerator-hour by three denominators.

`installed = total / (count · hours)`, `available = installed / availability`, `used = available / utilization`. Utilization
lowers the hours that the cost is spread over, never the cost. A component that is not stated is None, is not in the total
and is named in `not_stated`.

Source: `hardware.md` §4 (2026-11), whose reference case T38 is 9,523.03 a month and 1.6307 installed, 1.6471 available,
2.5340 used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from economics.money import ONE, Exact, multiply
from economics.ownership.capital import Capital, capital_of
from economics.ownership.cash import CashPlan, cash_plan
from economics.ownership.power import Power, colocation_per_month, power_of
from economics.ownership.precision import sum_of
from economics.ownership.profile import OwnershipProfile, refused
from economics.ownership.tax_schedule import macrs_deductions

MONTHS = Decimal(12)


@dataclass(frozen=True, slots=True)
class OwnershipCost:
    """What one system costs a month.

    Attributes:
        running: cash components a month by name: power, colocation, maintenance, staff, license, remote_hands, insurance,
            property_tax, other.
    """

    profile: OwnershipProfile
    capital: Capital
    power: Power
    running: Mapping[str, Exact | None]

    @property
    def cash_opex_per_month(self) -> Exact:
        """What is paid out each month; amortization and interest are not."""
        return sum_of(self.running.values())

    @property
    def total_per_month(self) -> Exact:
        """Capital and cash components."""
        return self.capital.cost_per_month + self.cash_opex_per_month

    @property
    def installed_hours(self) -> Decimal:
        """Accelerator-hours that are paid for a month."""
        return multiply(self.profile.accelerators, self.profile.hours_per_month)

    @property
    def per_installed_hour(self) -> Exact:
        """Total over all hours of all accelerators."""
        return self.total_per_month / self.installed_hours

    @property
    def per_available_hour(self) -> Exact | None:
        """Over the hours that they work; None where availability is not stated."""
        available = self.profile.availability_ratio
        return None if available is None else self.per_installed_hour / available

    @property
    def per_used_hour(self) -> Exact | None:
        """Over the hours that do paid work; None where availability or utilization is not stated."""
        available, used = self.per_available_hour, self.profile.utilization_ratio
        return None if available is None or used is None else available / used

    @property
    def energy_share(self) -> Exact | None:
        """Power of the total; None where the place includes it."""
        return None if self.power.cost_per_month is None else self.power.cost_per_month / self.total_per_month

    @property
    def per_used_petaflop_year(self) -> Exact | None:
        """Cost of a year of one petaflop/s of dense peak, while used: `per used hour · 12 · hours / (TFLOPS / 1000)`."""
        peak, hour = self.profile.dense_tflops_per_accelerator, self.per_used_hour
        if peak is None or hour is None:
            return None
        return hour * MONTHS * self.profile.hours_per_month * Decimal(1000) / peak

    @property
    def cash(self) -> CashPlan | None:
        """Cash by year of the servers' life; None where it is no whole years."""
        years, rest = divmod(self.capital.parts[0].life_months, int(MONTHS))
        return None if rest else cash_plan(self.capital.paid, [[self.cash_opex_per_month * MONTHS]] * years)

    @property
    def tax_deductions(self) -> tuple[Exact, ...]:
        """Deductions by calendar year under the stated schedule; none without one."""
        return () if self.profile.tax_schedule is None else macrs_deductions(self.capital.paid)

    @property
    def not_stated(self) -> tuple[str, ...]:
        """Components that are not in the total because nothing was said of them."""
        bought = [
            name for name in ("network", "storage", "install", "spares", "facility") if not self.capital.part(name)
        ]
        included = ("power",) if self.profile.colocation_includes_power else ()
        return (*bought, *(name for name, cost in self.running.items() if cost is None and name not in included))


def ownership_cost(profile: OwnershipProfile) -> OwnershipCost:
    """What the system of `profile` costs a month.

    Raises:
        PermillionError: `invalid-fields` naming the field that is missing or contradicts another.

    >>> d = Decimal
    >>> case = ownership_cost(OwnershipProfile(
    ...     server_price=d(280_000), accelerator_count=8, residual_ratio=d("0.1"), useful_life_years=d(4), wacc_ratio=d("0.09"),
    ...     nameplate_kw=d("10.2"), load_ratio=d("0.8"), pue=d("1.25"), electricity_price_per_kwh=d("0.09"),
    ...     colocation_price_per_kw_month=d(110), maintenance_ratio_per_year=d("0.03"), staff_cost_per_month=d(600),
    ...     availability_ratio=d("0.99"), utilization_ratio=d("0.65")))
    >>> round(case.total_per_month.to_decimal(), 2), round(case.per_used_hour.to_decimal(), 3)
    (Decimal('9523.03'), Decimal('2.534'))
    """
    capital, power = capital_of(profile), power_of(profile)
    paid = capital.paid
    running = {
        "power": power.cost_per_month,
        "colocation": colocation_per_month(profile),
        "maintenance": _yearly_share(paid, profile.maintenance_ratio_per_year),
        "staff": _staff(profile),
        "license": _license(profile),
        "remote_hands": _stated(profile.remote_hands_cost_per_month),
        "insurance": _yearly_share(paid, profile.insurance_ratio_per_year),
        "property_tax": _yearly_share(paid, profile.property_tax_ratio_per_year),
        "other": _stated(profile.other_cost_per_month),
    }
    return OwnershipCost(profile, capital, power, running)


def _stated(amount: Decimal | None) -> Exact | None:
    return None if amount is None else Exact(amount)


def _yearly_share(paid: Exact, ratio: Decimal | None) -> Exact | None:
    return None if ratio is None else paid * ratio / MONTHS


def _license(profile: OwnershipProfile) -> Exact | None:
    price = profile.license_price_per_accelerator_year
    return None if price is None else Exact(price) * profile.accelerators / MONTHS


def _staff(profile: OwnershipProfile) -> Exact | None:
    """Full-time equivalents, stated or one for so many servers, at their cost a year; or an amount a month."""
    if profile.staff_cost_per_month is not None:
        if (profile.staff_fte, profile.servers_per_fte, profile.staff_cost_per_fte_year) != (None, None, None):
            raise refused("staff_cost_per_month", "give it, or full-time equivalents with staff_cost_per_fte_year")
        return Exact(profile.staff_cost_per_month)
    if profile.staff_cost_per_fte_year is None:
        if profile.staff_fte is not None or profile.servers_per_fte is not None:
            raise refused("staff_cost_per_fte_year", "required with full-time equivalents")
        return None
    if profile.staff_fte is None and profile.servers_per_fte is None:
        raise refused("staff_fte", "required with staff_cost_per_fte_year, or servers_per_fte")
    people = (
        Exact(profile.staff_fte)
        if profile.staff_fte is not None
        else Exact(Decimal(profile.server_count), profile.servers_per_fte or ONE)
    )
    return people * profile.staff_cost_per_fte_year / MONTHS
