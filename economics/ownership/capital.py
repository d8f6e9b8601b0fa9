"""Capital: what was paid, and what a month of it costs by one of three named methods.

`annuity` (economists' view, `hardware.md` §4): `(paid − residual · (1 + r)^−n) · CRF(r, n)`, interest included.
`straight_line` (book view): `(paid − residual) / n`; interest on the average capital is a line of its own where asked for.
`declining_value` (Epoch AI, arXiv 2405.21015): `paid · 10^(−k·age) · k · ln 10 / 12`, what the value falls by a month as
newer hardware appears; it has neither residual nor interest.

Sources: J. Hamilton's data center model of 2010 (lives of servers, network and building differ); Epoch AI,
training-cost-trends, 2026-04-01 (k = 0.14, −27.6 % a year).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from economics.money import ONE, ZERO, Exact, subtract
from economics.ownership.power import contracted_kw
from economics.ownership.precision import (
    LN_10,
    WORKING,
    capital_recovery_factor,
    discount_factor,
    power,
    rounded,
    sum_of,
)
from economics.ownership.profile import OwnershipProfile, refused


@dataclass(frozen=True, slots=True)
class CapitalPart:
    """One thing that was bought: its price, worth at the end, life, and its cost a month (interest apart)."""

    name: str
    paid: Exact
    residual: Exact
    life_months: int
    cost_per_month: Exact


@dataclass(frozen=True, slots=True)
class Capital:
    """All of it.

    Attributes:
        rate_per_month: the monthly rate used, None where the method has none.
        interest_per_month: the line of its own, None where not asked for.
    """

    parts: tuple[CapitalPart, ...]
    rate_per_month: Exact | None
    interest_per_month: Exact | None

    @property
    def paid(self) -> Exact:
        """Capital expenditure."""
        return sum_of(part.paid for part in self.parts)

    @property
    def residual(self) -> Exact:
        """Worth at the end of life."""
        return sum_of(part.residual for part in self.parts)

    @property
    def cost_per_month(self) -> Exact:
        """Sum of the parts, and interest where it is a line."""
        return sum_of([*(part.cost_per_month for part in self.parts), self.interest_per_month])

    def part(self, name: str) -> CapitalPart | None:
        """One of `servers network storage install spares facility`."""
        return next((part for part in self.parts if part.name == name), None)


def monthly_rate(wacc: Decimal, compounding: str) -> Decimal:
    """Rate a month of a rate a year: `(1 + wacc)^(1/12) − 1` effective (100 digits), or `wacc / 12` nominal.

    Over 36 months at 5 % the two differ by 0.17 % of the payment (T44): the convention is part of the answer.

    >>> round(monthly_rate(Decimal("0.09"), "effective"), 10), monthly_rate(Decimal("0.09"), "nominal")
    (Decimal('0.0072073233'), Decimal('0.0075'))
    """
    if compounding == "nominal":
        return WORKING.divide(wacc, Decimal(12))
    return WORKING.subtract(power(WORKING.add(ONE, wacc), WORKING.divide(ONE, Decimal(12))), ONE)


def annuity_per_month(paid: Exact, residual: Exact, rate: Decimal, months: int) -> Exact:
    """`(paid − residual · (1 + r)^−n) · r / (1 − (1 + r)^−n)`, rounded to 28 significant digits unless r is 0.

    Args:
        paid, residual: now, and after `months`.
        rate: a month, 0 or more.

    Hamilton's servers: 45,978 at 1,450 over 36 months at 5 % / 12 are 1,998,103 a month (T42).

    >>> rate = monthly_rate(Decimal("0.05"), "nominal")
    >>> round(annuity_per_month(Exact(Decimal(66_668_100)), Exact(ZERO), rate, 36).to_decimal(), 2)
    Decimal('1998102.77')
    """
    if not rate:
        return (paid - residual) / Decimal(months)
    return rounded((paid - residual * discount_factor(rate, months)) * capital_recovery_factor(rate, months))


def declining_per_month(paid: Exact, orders_of_magnitude_per_year: Decimal, age_years: Decimal) -> Exact:
    """`paid · 10^(−k·age) · k · ln 10 / 12`: what the value falls by in the month at `age_years`, to 28 digits.

    33,750 for an H100 in a server at k = 0.14 is 1.2411 an hour of 8,766 a year (T15).

    >>> round((declining_per_month(Exact(Decimal(33_750)), Decimal("0.14"), ZERO) * Decimal(12) / Decimal(8766)).to_decimal(), 4)
    Decimal('1.2411')
    """
    worth = power(Decimal(10), WORKING.minus(WORKING.multiply(orders_of_magnitude_per_year, age_years)))
    fall = WORKING.multiply(WORKING.multiply(worth, orders_of_magnitude_per_year), LN_10)
    return rounded(paid * fall / Decimal(12))


def capital_of(profile: OwnershipProfile) -> Capital:
    """What the profile's capital costs a month by its method.

    Raises:
        PermillionError: `invalid-fields` where the method's rate is not stated or a life is not whole months.
    """
    method = profile.capital_method
    rate: Decimal | None = None
    if method == "annuity":
        if profile.wacc_ratio is None:
            raise refused("wacc_ratio", "required by the annuity; 0 if capital costs nothing")
        rate = monthly_rate(profile.wacc_ratio, profile.monthly_compounding)
    if method == "declining_value" and not profile.value_decline_oom_per_year:
        raise refused("value_decline_oom_per_year", "required by declining_value and above 0; Epoch AI uses 0.14")
    parts = tuple(_part(profile, name, paid, rate) for name, paid in _purchases(profile) if paid is not None)
    capital = Capital(parts, None if rate is None else rounded(Exact(rate)), None)
    if not profile.interest_on_average_capital:
        return capital
    if method != "straight_line" or profile.wacc_ratio is None:
        raise refused("interest_on_average_capital", "belongs to straight_line and needs wacc_ratio; an annuity has it")
    average = (capital.paid + capital.residual) / Decimal(2)
    return Capital(parts, None, average * profile.wacc_ratio / Decimal(12))


def _purchases(profile: OwnershipProfile) -> list[tuple[str, Exact | None]]:
    assert profile.server_price is not None
    servers = Exact(profile.server_price) * Decimal(profile.server_count)
    shares = (profile.network_share_ratio, profile.storage_share_ratio)
    rest = subtract(subtract(ONE, shares[0] or ZERO), shares[1] or ZERO)
    if rest <= 0:
        raise refused("network_share_ratio", "the shares of network and storage leave something for the servers")
    # shares are of the cluster, of which servers are what is left: 19 % interconnect is 0.19 / 0.81 of the servers
    network, storage = (None if share is None else servers * share / rest for share in shares)
    facility = profile.facility_capex_per_kw
    return [
        ("servers", servers),
        ("network", network if profile.network_capex is None else Exact(profile.network_capex)),
        ("storage", storage if profile.storage_capex is None else Exact(profile.storage_capex)),
        ("install", None if profile.install_capex is None else Exact(profile.install_capex)),
        ("spares", None if profile.spares_capex is None else Exact(profile.spares_capex)),
        # a building is built for what may be drawn, not for the average
        ("facility", None if facility is None else Exact(facility) * contracted_kw(profile, "facility_capex_per_kw")),
    ]


def _part(profile: OwnershipProfile, name: str, paid: Exact, rate: Decimal | None) -> CapitalPart:
    years, field = profile.useful_life_years, "useful_life_years"
    if name in ("network", "facility") and getattr(profile, f"{name}_life_years") is not None:
        field = f"{name}_life_years"
        years = getattr(profile, field)
    months = profile.months(years, field)
    keeps_worth = name == "servers" or (name == "network" and profile.residual_includes_network)
    residual = paid * (profile.residual_ratio if keeps_worth else ZERO)
    if profile.capital_method == "declining_value":
        assert profile.value_decline_oom_per_year is not None
        cost = declining_per_month(paid, profile.value_decline_oom_per_year, profile.age_years)
    elif rate is not None:
        cost = annuity_per_month(paid, residual, rate, months)
    else:
        cost = (paid - residual) / Decimal(months)
    return CapitalPart(name, paid, residual, months, cost)
