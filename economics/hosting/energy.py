"""Energy of a query and of a million tokens, from a named power."""

from __future__ import annotations

from decimal import Decimal

from economics.hosting.query_time import QueryTime
from economics.money import Exact

_PER_HOUR = Decimal(3600)


def energy_wh_per_query(power_w: Exact, time: QueryTime) -> Exact:
    """`power_w · t / 3600`: watt-hours of the replica-seconds a query takes; idle draw is in no query.

    Args:
        power_w: of the whole replica. The thermal design power of accelerators is neither a server's nor a facility's power
            (2.5 times as much in one public set), so answers name which it is.

    Worked number: 5,600 W and 0.5 replica-seconds are 0.7778 Wh.

    >>> from economics.money import exact
    >>> round(energy_wh_per_query(exact(5600), QueryTime(Exact(Decimal("0.5")))).to_decimal(), 4)
    Decimal('0.7778')
    """
    return power_w * time.total / _PER_HOUR


def energy_kwh_per_mtok(power_w: Exact, tokens_per_s: Exact) -> Exact:
    """`power_w / tokens_per_s` joules a token, times 10⁶ and over 3.6·10⁶: kilowatt-hours per million tokens.

    Worked number: 700 W at 350 tokens a second are 2 J a token and 0.5556 kWh per million.

    >>> from economics.money import exact
    >>> round(energy_kwh_per_mtok(exact(700), exact(350)).to_decimal(), 4)
    Decimal('0.5556')
    """
    return power_w / tokens_per_s / Decimal("3.6")
