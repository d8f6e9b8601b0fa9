"""What reserved capacity cannot carry: the load above it, hour by hour, paid by use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from economics.money import Exact, exact

NOTHING = exact(0)


@dataclass(frozen=True, slots=True)
class LoadPeriod:
    """Hours of a month with one load, in queries per window."""

    hours: Exact
    queries: Exact


@dataclass(frozen=True, slots=True)
class Served:
    """Queries of a month: all of them, and those above the capacity, at least and at most.

    Least and most are equal where the load is known hour by hour, or where nothing can overflow.
    """

    queries: Exact
    overflow_low: Exact
    overflow_high: Exact


def served_by_profile(profile: Sequence[LoadPeriod], capacity: Exact | None, windows_per_hour: Exact) -> Served:
    """`Σ hours · windows · max(0, load − capacity)` overflows; unused capacity of one hour is no use to another.

    Args:
        capacity: queries per window that the units carry; None without bound.
        windows_per_hour: 60 for loads per minute.

    Worked number: 100 hours at 150 a minute on a capacity of 120 overflow 100 · 60 · 30 = 180,000 of 900,000.

    >>> found = served_by_profile([LoadPeriod(exact(100), exact(150))], exact(120), exact(60))
    >>> found.queries.to_text(), found.overflow_low.to_text()
    ('900000', '180000')
    """
    queries = overflow = NOTHING
    for period in profile:
        windows = period.hours * windows_per_hour
        queries += period.queries * windows
        if capacity is not None and capacity < period.queries:
            overflow += (period.queries - capacity) * windows
    return Served(queries, overflow, overflow)


def served_by_mean(mean: Exact, peak: Exact, capacity: Exact | None, windows: Exact) -> Served:
    """Overflow of a load of which only mean and peak are known: two bounds.

    The excess `max(0, load − c)` is convex in the load, so its mean lies between that of a flat load, `max(0, mean − c)`, and that
    of a load that is either 0 or at its peak, `mean / peak · max(0, peak − c)`.

    Worked number: a mean of 60 with a peak of 120 on a capacity of 100 overflows between 0 and 60/120 · 20 = 10 a window.

    >>> found = served_by_mean(exact(60), exact(120), exact(100), exact(1))
    >>> found.overflow_low.to_text(), found.overflow_high.to_text()
    ('0', '10')
    """
    queries = mean * windows
    if capacity is None or not capacity < peak:
        return Served(queries, NOTHING, NOTHING)
    low = (mean - capacity) * windows if capacity < mean else NOTHING
    return Served(queries, low, (peak - capacity) * mean / peak * windows)
