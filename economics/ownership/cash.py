"""Cash by year: the purchase in the first year, then what is paid each year. No amortization, no interest.

A table of such outlays is often labelled "amortized", which it is not: 318,621 in year one and 70,621 after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from economics.money import Exact, multiply
from economics.ownership.precision import sum_of


@dataclass(frozen=True, slots=True)
class CashPlan:
    """Outlays by year and their sum."""

    years: tuple[Exact, ...]

    @property
    def cumulative(self) -> Exact:
        """All years together."""
        return sum_of(self.years)

    def per_accelerator_hour(self, accelerators: int, hours_per_year: Decimal) -> Exact:
        """The sum over all hours of all accelerators, used or not."""
        return self.cumulative / multiply(Decimal(accelerators), hours_per_year) / Decimal(len(self.years))


def cash_plan(capex: Exact, paid_by_year: Sequence[Sequence[Exact]]) -> CashPlan:
    """The purchase and, for each year, what is paid in it.

    Eight H100 at 250,000; power 0.87 an hour, staff 50,000, network and storage 8,000 a year, maintenance 3,000 in the
    first of five years and 5,000 after it: 601,105 (T05).

    >>> each = [Exact(Decimal("0.87")) * Decimal(8760), Exact(Decimal(50_000)), Exact(Decimal(8_000))]
    >>> plan = cash_plan(Exact(Decimal(250_000)), [[*each, Exact(Decimal(3_000 if year == 0 else 5_000))] for year in range(5)])
    >>> plan.years[0].to_decimal(), plan.cumulative.to_decimal()
    (Decimal('318621.20'), Decimal('601106.00'))
    """
    return CashPlan(tuple(sum_of([capex if year == 0 else None, *paid]) for year, paid in enumerate(paid_by_year)))
