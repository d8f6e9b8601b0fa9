"""What is stated of owned hardware: one system of servers, its capital, power, place, people and use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Final, Literal

from economics.errors import PermillionError
from economics.money import ONE, ZERO, multiply

CapitalMethod = Literal["annuity", "straight_line", "declining_value"]
Compounding = Literal["effective", "nominal"]

TAX_SCHEDULES: Final = ("macrs_5",)
CAPITAL_METHODS: Final = ("annuity", "straight_line", "declining_value")
COMPOUNDINGS: Final = ("effective", "nominal")
DEFAULT_CURRENCY: Final = "USD"
HOURS_PER_MONTH: Final = Decimal(730)
"""8,760 / 12; calculators in the field also use 720 and 744, which moves a monthly rent by up to 2 %."""
LONGEST_LIFE_YEARS: Final = Decimal(50)

_SHARES: Final = frozenset(
    {
        "network_share_ratio", "storage_share_ratio", "residual_ratio", "load_ratio", "maintenance_ratio_per_year",
        "insurance_ratio_per_year", "property_tax_ratio_per_year", "availability_ratio", "utilization_ratio",
    }
)  # fmt: skip
_ABOVE_ZERO: Final = frozenset(
    {
        "server_price", "server_count", "accelerator_count", "useful_life_years", "network_life_years", "facility_life_years",
        "load_ratio", "pue", "nameplate_kw", "tdp_w", "electricity_price_per_kwh", "power_cost_per_hour", "powered_hours_per_month",
        "contracted_kw", "colocation_price_per_kw_month", "servers_per_fte", "availability_ratio", "utilization_ratio",
        "hours_per_month", "cloud_price_per_accelerator_hour", "cloud_hours_per_month", "dense_tflops_per_accelerator",
        "reference_price_per_accelerator",
    }
)  # fmt: skip
_AT_MOST: Final = {
    "useful_life_years": LONGEST_LIFE_YEARS,
    "network_life_years": LONGEST_LIFE_YEARS,
    "facility_life_years": LONGEST_LIFE_YEARS,
    "wacc_ratio": Decimal(10),
    "value_decline_oom_per_year": Decimal(10),
    "age_years": LONGEST_LIFE_YEARS,
    "pue": Decimal(5),
    "hours_per_month": Decimal(744),
    "powered_hours_per_month": Decimal(744),
    "cloud_hours_per_month": Decimal(744),
    "accelerator_count": Decimal(10_000_000),
    "server_count": Decimal(10_000_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnershipProfile:
    """One system that is owned. None is "not stated": such a component is left out of the sum, and the answer says so.

    Amounts are of the whole system in one currency, unless the name says what they are per; ratios are 0–1.

    Attributes:
        accelerator_count: accelerators in all servers; servers without any count themselves.
        network_capex, network_share_ratio: the amount, or the share of the cluster's cost (servers + network + storage).
        residual_ratio: worth at the end of life, of servers (with `residual_includes_network`: and network).
        network_life_years, facility_life_years: where they differ from the servers' `useful_life_years`.
        wacc_ratio: cost of capital a year. `monthly_compounding`: `effective` `(1 + wacc)^(1/12) − 1`, `nominal` `wacc / 12`.
        interest_on_average_capital: with straight line, whether `(capex + residual) / 2 · wacc / 12` is added as a line.
        value_decline_oom_per_year: for `declining_value`, orders of magnitude that the value falls a year; Epoch AI: 0.14.
        nameplate_kw: of the whole system; or `tdp_w` an accelerator with `host_kw` and `network_kw` of all servers.
        load_ratio: with `nameplate_kw` its average load; with `tdp_w` that of the accelerators alone.
        contracted_kw: what a place is paid for; default the nameplate, which a contract is written on, not the average.
        powered_hours_per_month, cloud_hours_per_month: hours that it draws power, and that the cloud would be billed for.
        tax_schedule: deductions for tax to be listed beside the cost; they are no part of it.
        reference_price_per_accelerator: usual price in a server, for the check of the price alone.
    """

    currency: str = DEFAULT_CURRENCY
    server_price: Decimal | None = None
    server_count: int = 1
    accelerator_count: int | None = None
    network_capex: Decimal | None = None
    network_share_ratio: Decimal | None = None
    storage_capex: Decimal | None = None
    storage_share_ratio: Decimal | None = None
    install_capex: Decimal | None = None
    spares_capex: Decimal | None = None
    facility_capex_per_kw: Decimal | None = None
    residual_ratio: Decimal = ZERO
    residual_includes_network: bool = False
    useful_life_years: Decimal | None = None
    network_life_years: Decimal | None = None
    facility_life_years: Decimal | None = None
    capital_method: str = "annuity"
    wacc_ratio: Decimal | None = None
    monthly_compounding: str = "effective"
    interest_on_average_capital: bool = False
    value_decline_oom_per_year: Decimal | None = None
    age_years: Decimal = ZERO
    nameplate_kw: Decimal | None = None
    tdp_w: Decimal | None = None
    host_kw: Decimal | None = None
    network_kw: Decimal | None = None
    load_ratio: Decimal = ONE
    pue: Decimal | None = None
    electricity_price_per_kwh: Decimal | None = None
    power_cost_per_hour: Decimal | None = None
    powered_hours_per_month: Decimal | None = None
    colocation_price_per_kw_month: Decimal | None = None
    contracted_kw: Decimal | None = None
    colocation_includes_power: bool = False
    maintenance_ratio_per_year: Decimal | None = None
    staff_fte: Decimal | None = None
    servers_per_fte: Decimal | None = None
    staff_cost_per_fte_year: Decimal | None = None
    staff_cost_per_month: Decimal | None = None
    license_price_per_accelerator_year: Decimal | None = None
    remote_hands_cost_per_month: Decimal | None = None
    insurance_ratio_per_year: Decimal | None = None
    property_tax_ratio_per_year: Decimal | None = None
    other_cost_per_month: Decimal | None = None
    availability_ratio: Decimal | None = None
    utilization_ratio: Decimal | None = None
    hours_per_month: Decimal = HOURS_PER_MONTH
    cloud_price_per_accelerator_hour: Decimal | None = None
    cloud_hours_per_month: Decimal | None = None
    dense_tflops_per_accelerator: Decimal | None = None
    tax_schedule: str | None = None
    reference_price_per_accelerator: Decimal | None = None

    def __post_init__(self) -> None:
        """Refuse what no system can be.

        Raises:
            PermillionError: `invalid-fields` with the field's pointer.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Decimal | int) and not isinstance(value, bool):
                _check_number(field.name, Decimal(value))
        if self.capital_method not in CAPITAL_METHODS:
            raise refused("capital_method", f"is {', '.join(CAPITAL_METHODS)}")
        if self.monthly_compounding not in COMPOUNDINGS:
            raise refused("monthly_compounding", f"is {' or '.join(COMPOUNDINGS)}")
        if self.tax_schedule is not None and self.tax_schedule not in TAX_SCHEDULES:
            raise refused("tax_schedule", f"is {', '.join(TAX_SCHEDULES)}")
        for name in ("server_price", "accelerator_count", "useful_life_years"):
            if getattr(self, name) is None:
                raise refused(name, "required: there is no default that would be right for others")
        for one, other in (
            ("network_capex", "network_share_ratio"),
            ("storage_capex", "storage_share_ratio"),
            ("nameplate_kw", "tdp_w"),
            ("staff_fte", "servers_per_fte"),
        ):
            if getattr(self, one) is not None and getattr(self, other) is not None:
                raise refused(other, f"give {one} or {other}, not both")
        if self.pue is not None and self.pue < 1:
            raise refused("pue", "is 1 or more: all power of the building for 1 of the machines")

    @property
    def accelerators(self) -> Decimal:
        """Their count."""
        return Decimal(self.accelerator_count or 0)

    def months(self, years: Decimal | None, name: str) -> int:
        """A life in whole months.

        Raises:
            PermillionError: `invalid-fields` where it is none.
        """
        assert years is not None  # required
        months = multiply(years, Decimal(12))
        if months != months.to_integral_value():
            raise refused(name, "is a whole number of months, such as 4 or 4.5 years")
        return int(months)


def refused(name: str, why: str) -> PermillionError:
    """What is wrong with a field."""
    return PermillionError("invalid-fields", f"{name}: {why}", pointer=f"/{name}")


def _check_number(name: str, value: Decimal) -> None:
    if not value.is_finite():
        raise refused(name, "is a finite number")
    if value < 0 or (not value and name in _ABOVE_ZERO):
        raise refused(name, "is above 0" if name in _ABOVE_ZERO else "is 0 or more")
    most = ONE if name in _SHARES else _AT_MOST.get(name)
    if most is not None and value > most:
        raise refused(name, f"is at most {most:f}")
