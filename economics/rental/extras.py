"""What comes on top of the machine, each a line of its own: storage, traffic, addresses."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from economics.money import ZERO, Exact, add, multiply, subtract
from economics.ownership.profile import refused
from economics.rental.terms import EgressTier, RentalTerms, check_tiers


def egress_cost(gb: Decimal, tiers: Sequence[EgressTier]) -> Exact:
    """Σ traffic within a tier × its price; each tier charges only what lies in it.

    AWS: 100 GB free, then 0.09: 1,100 GB are 90. A million tokens are about 4 MB, 0.0004.

    Raises:
        PermillionError: `invalid-fields` where tiers do not rise or end below `gb`.

    >>> aws = [EgressTier(Decimal(100), Decimal(0)), EgressTier(None, Decimal("0.09"))]
    >>> egress_cost(Decimal(1100), aws).to_decimal()
    Decimal('90.00')
    """
    check_tiers(tiers)
    total, before = ZERO, ZERO
    for tier in tiers:
        upper = gb if tier.up_to_gb is None else min(gb, tier.up_to_gb)
        if upper > before:
            total = add(total, multiply(subtract(upper, before), tier.price_per_gb))
            before = upper
    if before < gb:
        raise refused("egress_tiers", "end below egress_gb: the rest would have no price")
    return Exact(total)


def storage_per_month(terms: RentalTerms, billed_hours: Exact) -> Exact | None:
    """Storage by the GB and month, or by the GB and hour: as long as stated, else as the machine is billed.

    1,000 GB at 0.00013 over half an hour are 0.065 (T28; the page says 0.0015).
    """
    prices = (terms.storage_price_per_gb_hour, terms.storage_price_per_gb_month)
    if terms.storage_gb is None and prices == (None, None):
        return None
    if terms.storage_gb is None or prices.count(None) != 1:
        raise refused("storage_gb", "belongs with storage_price_per_gb_hour or storage_price_per_gb_month")
    if prices[1] is not None:
        return Exact(multiply(terms.storage_gb, prices[1]))
    hours = billed_hours if terms.storage_hours_per_month is None else Exact(terms.storage_hours_per_month)
    return hours * terms.storage_gb * (prices[0] or ZERO)


def egress_per_month(terms: RentalTerms) -> Exact | None:
    """Traffic out, by its tiers; None where none is stated."""
    if terms.egress_gb is None:
        if terms.egress_tiers:
            raise refused("egress_gb", "required with egress_tiers")
        return None
    return egress_cost(terms.egress_gb, terms.egress_tiers)


def addresses_per_month(terms: RentalTerms) -> Exact | None:
    """Public addresses are held all month, also while nothing runs."""
    price = terms.public_ip_price_per_hour
    if (terms.public_ips is None) != (price is None):
        raise refused("public_ips", "belongs with public_ip_price_per_hour")
    if terms.public_ips is None or price is None:
        return None
    return Exact(multiply(price, terms.hours_per_month)) * Decimal(terms.public_ips)
