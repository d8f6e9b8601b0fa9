"""What is billed: whole units, whole increments, at least the minimum.

Sources: AWS 60 s, then each second; GCP one minute; CoreWeave by the minute; FPT 15 minutes; Alibaba's model units part
hours as hours; AWS capacity blocks in steps of 24 hours (`hardware.md` §6, 2026-11).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil

from economics.money import ONE, Exact, add, multiply
from economics.rental.terms import RentalTerms

SECONDS_PER_HOUR = Decimal(3600)


def billed_seconds(seconds: Decimal, increment: Decimal, minimum: Decimal) -> Decimal:
    """`max(minimum, ceil(seconds / increment) · increment)`; nothing for nothing.

    8 minutes in steps of 15 are 15 (T27); 61 minutes in whole hours are two; 10 seconds at AWS are 60.

    >>> quarter, hour = Decimal(900), Decimal(3600)
    >>> billed_seconds(Decimal(480), quarter, Decimal(0)), billed_seconds(Decimal(3660), hour, Decimal(0))
    (Decimal('900'), Decimal('7200'))
    >>> billed_seconds(Decimal(10), Decimal(1), Decimal(60))
    Decimal('60')
    """
    if not seconds:
        return seconds
    steps = ceil(Fraction(seconds) / Fraction(increment))
    return max(minimum, multiply(increment, Decimal(steps)))


def units_billed(accelerators: int, per_unit: Fraction, whole: int | None = None) -> int:
    """Whole units that hold so many accelerators.

    Args:
        per_unit: accelerators in a unit: 8, or 1/7 of a slice.
        whole: accelerators an instance, where units are accelerators rented only in whole instances.

    Five accelerators need one instance of eight, or eight of what is rented by eight.

    >>> units_billed(5, Fraction(8)), units_billed(5, Fraction(1), 8), units_billed(1, Fraction(1, 7)), units_billed(0, Fraction(8))
    (1, 8, 7, 0)
    """
    units = ceil(accelerators / per_unit)
    return units if whole is None else ceil(Fraction(units, whole)) * whole


def accelerators_per_unit(terms: RentalTerms) -> Fraction:
    """As stated, or the inverse of what is stated."""
    if terms.units_per_accelerator is not None:
        return 1 / Fraction(terms.units_per_accelerator)
    return Fraction(terms.accelerators_per_unit or ONE)


def busy_hours(terms: RentalTerms) -> Exact:
    """Hours of work a month, before rounding and keeping warm."""
    if terms.rented_hours_per_month is not None:
        return Exact(terms.rented_hours_per_month)
    assert terms.runs_per_month is not None
    assert terms.seconds_per_run is not None
    return Exact(terms.seconds_per_run) * Decimal(terms.runs_per_month) / SECONDS_PER_HOUR


def billed_hours(terms: RentalTerms) -> Exact:
    """Hours a month that a unit is billed for: each run, kept warm, by itself."""
    runs, seconds = terms.runs_per_month or 1, terms.seconds_per_run
    if terms.rented_hours_per_month is not None:
        seconds = multiply(terms.rented_hours_per_month, SECONDS_PER_HOUR)
    elif terms.runs_per_month == 0:
        runs = 0
    assert seconds is not None
    each = billed_seconds(add(seconds, terms.idle_seconds_per_run), terms.billing_increment_s, terms.minimum_s)
    return Exact(each) * Decimal(runs) / SECONDS_PER_HOUR
