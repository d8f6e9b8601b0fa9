"""Figures that are possible and probably wrong: `hardware.md` §7.4 (2026-11)."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from economics.money import Exact
from economics.ownership.cost import OwnershipCost
from economics.ownership.decisions import Decision

MOST_ENERGY: Final = Decimal("0.40")
"""Colocation and electricity together are under 20 % (SemiAnalysis), energy alone 2–6 % of training studies (Epoch AI)."""
LONGEST_LIFE_MONTHS: Final = 72
MOST_UTILIZATION: Final = Decimal("0.9")
LOWEST_OF_REFERENCE: Final = Decimal("0.3")
HIGHEST_OF_REFERENCE: Final = Decimal(3)


def price_warning(price: Exact, reference: Decimal | None) -> list[str]:
    """Whether a price is outside of 0.3 to 3 times the usual one: units and counts go wrong by 8, lists are 2.5 × street.

    >>> price_warning(Exact(Decimal("0.01")), Decimal(5)), price_warning(Exact(Decimal(8)), Decimal(5)), price_warning(Exact(Decimal(1)), None)
    (['price_far_from_reference'], [], [])
    """
    if reference is None:
        return []
    low, high = Exact(reference) * LOWEST_OF_REFERENCE, Exact(reference) * HIGHEST_OF_REFERENCE
    return ["price_far_from_reference"] if price < low or high < price else []


def ownership_warnings(cost: OwnershipCost, decision: Decision | None) -> list[str]:
    """Codes of what a reader should look at twice, and of figures that could not be given."""
    profile, share = cost.profile, cost.energy_share
    servers = cost.capital.part("servers")
    assert servers is not None  # always there
    codes = []
    if share is not None and Exact(MOST_ENERGY) < share:
        codes.append("energy_share_over_40_percent")
    if servers.life_months > LONGEST_LIFE_MONTHS:
        codes.append("life_over_6_years")
    if profile.utilization_ratio is not None and profile.utilization_ratio > MOST_UTILIZATION:
        codes.append("utilization_over_0.9")
    codes += price_warning(servers.paid / profile.accelerators, profile.reference_price_per_accelerator)
    if profile.availability_ratio is None:
        codes.append("availability_not_stated")
    if profile.utilization_ratio is None:
        codes.append("utilization_not_stated")
    if profile.capital_method == "declining_value" and profile.residual_ratio:
        codes.append("residual_not_used")
    if decision is not None:
        codes += decision.reasons
        if Exact(Decimal(1)) < decision.break_even_utilization:
            codes.append("break_even_utilization_above_1")
    return codes
