"""The simple figure that people quote of rented accelerators.

`per mtok = price per hour / (tokens/s · 3600) · 10⁶ / utilization` is that of users' tables (`users.md` §2): it
knows no prompt, no batch, no limit of latency. `POST /hosting-cost` does.
"""

from __future__ import annotations

from decimal import Decimal

from economics.money import Exact, multiply
from economics.ownership.profile import refused

SECONDS_PER_HOUR = Decimal(3600)
MTOK = Decimal(1_000_000)


def simple_cost_per_mtok(per_hour: Exact, tokens_per_s: Decimal, utilization: Decimal) -> Exact:
    """Cost of a million tokens at a stated rate of them and a stated use of the hour.

    2.00 an hour at 85 tokens/s is 6.54 (T18).

    Raises:
        PermillionError: `invalid-fields` for a rate or a utilization of 0.

    >>> round(simple_cost_per_mtok(Exact(Decimal(2)), Decimal(85), Decimal(1)).to_decimal(), 2)
    Decimal('6.54')
    """
    if tokens_per_s <= 0:
        raise refused("tokens_per_s", "is above 0")
    if not 0 < utilization <= 1:
        raise refused("utilization_ratio", "is above 0 and at most 1")
    return per_hour * MTOK / multiply(tokens_per_s, SECONDS_PER_HOUR) / utilization
