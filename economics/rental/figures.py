"""Small figures people quote of rented accelerators, each by its own name.

`per mtok = price per hour / (tokens/s · 3600) · 10⁶ / utilization` is the simple figure of users' tables (`users.md` §2): it
knows no prompt, no batch, no limit of latency. `POST /hosting-cost` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from economics.money import Exact, multiply
from economics.ownership.precision import sum_of
from economics.ownership.profile import refused

SECONDS_PER_HOUR = Decimal(3600)
MTOK = Decimal(1_000_000)


def simple_cost_per_mtok(per_hour: Decimal, tokens_per_s: Decimal, utilization: Decimal) -> Exact:
    """Cost of a million tokens at a stated rate of them and a stated use of the hour.

    2.00 an hour at 85 tokens/s is 6.54 (T18).

    Raises:
        PermillionError: `invalid-fields` for a rate or a utilization of 0.

    >>> round(simple_cost_per_mtok(Decimal(2), Decimal(85), Decimal(1)).to_decimal(), 2)
    Decimal('6.54')
    """
    if tokens_per_s <= 0:
        raise refused("tokens_per_s", "is above 0")
    if not 0 < utilization <= 1:
        raise refused("utilization_ratio", "is above 0 and at most 1")
    return Exact(per_hour) * MTOK / multiply(tokens_per_s, SECONDS_PER_HOUR) / utilization


def mixed_price(prices: Sequence[Decimal], shares: Sequence[Decimal]) -> Exact:
    """`Σ share · price / Σ share`: one price of a fleet that is rented out, or bought, in several ways.

    Half on demand at 12.29, 0.3 reserved at 7.20, 0.2 at 5.40 is 9.385 (T25).

    Raises:
        PermillionError: `invalid-fields` where the shares are negative or sum to 0.

    >>> mixed_price([Decimal("12.29"), Decimal("7.2"), Decimal("5.4")], [Decimal("0.5"), Decimal("0.3"), Decimal("0.2")]).to_decimal()
    Decimal('9.385')
    """
    if any(share < 0 for share in shares) or not any(shares):
        raise refused("shares", "are 0 or more and not all 0")
    paid = sum_of(Exact(price) * share for price, share in zip(prices, shares, strict=True))
    return paid / sum_of(Exact(share) for share in shares)


def fleet_total(accelerators: int, per_accelerator_hour: Decimal, hours: Decimal) -> Exact:
    """`count · price · hours`: what a fleet costs its customers, or earns its owner, if every hour is sold.

    16,000 at 9.40 over four years of 8,760 hours are 5,270,016,000 (T25).

    >>> fleet_total(16_000, Decimal("9.4"), Decimal(4 * 8760)).to_text()
    '5270016000'
    """
    return Exact(per_accelerator_hour) * hours * Decimal(accelerators)
