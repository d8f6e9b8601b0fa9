"""What reserved units cost in a month: by the hour or by term, and how runs are rounded for billing.

Sources: Azure prorates an hour by the minute (Microsoft Learn, 2026-04-07); Alibaba's instances bill part hours as hours (billing page,
read 2026-11-30); Together and Hugging Face bill dedicated endpoints by the minute, Hugging Face with the start-up time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from economics.capacity.sizing import round_up
from economics.money import Exact, exact

Per = Literal["hour", "month", "year"]
MINUTES_PER_HOUR: Final = exact(60)
MONTHS_PER_YEAR: Final = exact(12)


@dataclass(frozen=True, slots=True)
class TermPrice:
    """A price of one unit under a term: `hour` (on demand), `month` or `year` (reserved), in the currency of the case."""

    term: str
    price_per_unit: Exact
    per: Per


@dataclass(frozen=True, slots=True)
class Runs:
    """Some runs of the same length, each billed with its start-up."""

    minutes: Exact
    startup_minutes: Exact
    count: Exact


def billed_minutes(runs: Sequence[Runs], increment: Exact | None, least: Exact) -> Exact:
    """Minutes billed: each run with its start-up, at least `least`, rounded up to a multiple of `increment` (None: as it is).

    Worked numbers: 3 runs of 61 minutes by whole hours are 360 minutes; 22 days of 9 h 7 min and 12 min of start-up 12,298.

    >>> billed_minutes([Runs(exact(61), exact(0), exact(3))], exact(60), exact(0)).to_text()
    '360'
    >>> billed_minutes([Runs(exact(547), exact(12), exact(22))], exact(1), exact(0)).to_text()
    '12298'
    """
    total = exact(0)
    for run in runs:
        length = run.minutes + run.startup_minutes
        if length < least:
            length = least
        if increment is not None:
            length = exact(round_up(length / increment)) * increment
        total += length * run.count
    return total


def monthly_cost(price: TermPrice, units: Decimal, hours: Exact) -> Exact:
    """What `units` cost in a month: the hourly price × hours paid, a month's price, or a twelfth of a year's.

    Terms are paid whether the capacity is used or not.

    >>> monthly_cost(TermPrice("hourly", exact(2), "hour"), Decimal(105), exact(730)).to_text()
    '153300'
    """
    if price.per == "hour":
        return price.price_per_unit * units * hours
    cost = price.price_per_unit * units
    return cost / MONTHS_PER_YEAR if price.per == "year" else cost
