"""Spot: cheap hours that can end. What is done twice, what is lost to restarts, what runs on demand instead.

    effective = (1 − fall-back) · spot · (1 + rework) / (1 − downtime) + fall-back · on-demand + stand-by

Notice: 2 minutes at AWS, 30 seconds at GCP and Azure; one operator measured 8 minutes to restore (`hardware.md` §6, 2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass

from economics.money import ONE, ZERO, Exact, add, subtract
from economics.rental.terms import RentalTerms


@dataclass(frozen=True, slots=True)
class SpotPrice:
    """Parts of the price of a useful hour."""

    spot: Exact
    fallback: Exact
    standby: Exact

    @property
    def effective(self) -> Exact:
        """All of it."""
        return self.spot + self.fallback + self.standby


def spot_price(terms: RentalTerms) -> SpotPrice:
    """Price of a useful hour of a unit.

    At 1.00 with 5 % rework, 2 % downtime and a tenth on demand at 3.00: 0.9 · 1.05 / 0.98 + 0.3 = 1.2643.

    >>> from decimal import Decimal as D
    >>> terms = RentalTerms(unit="accelerator", purchase_model="spot", price_per_unit_hour=D(1), accelerators_used=1,
    ...     rented_hours_per_month=D(1), rework_ratio=D("0.05"), downtime_ratio=D("0.02"), fallback_ratio=D("0.1"),
    ...     on_demand_price_per_unit_hour=D(3))
    >>> round(spot_price(terms).effective.to_decimal(), 4)
    Decimal('1.2643')
    """
    assert terms.price_per_unit_hour is not None  # checked with the terms
    kept = Exact(terms.price_per_unit_hour) * subtract(ONE, terms.fallback_ratio)
    return SpotPrice(
        kept * add(ONE, terms.rework_ratio) / subtract(ONE, terms.downtime_ratio),
        Exact(terms.on_demand_price_per_unit_hour or ZERO) * terms.fallback_ratio,
        Exact(terms.standby_price_per_unit_hour),
    )
