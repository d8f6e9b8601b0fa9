"""The few figures that are no ratio of decimals: powers with a broken exponent, and the logarithm of 10.

They are worked out with 100 significant digits, so that a very small rate, whose annuity factor loses digits in
`1 − (1 + r)^−n`, still has more than 28. Amounts that rest on them are rounded once, to 28 significant digits, where they
are made; sums and quotients of what is shown are then exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation
from typing import Final

from economics.money import ONE, SIGNIFICANT_DIGITS, ZERO, Exact

WORKING_DIGITS: Final = 100
"""Digits of a power or a logarithm before the amount that rests on it is rounded."""

WORKING: Final = Context(
    prec=WORKING_DIGITS,
    rounding=ROUND_HALF_EVEN,
    Emax=MAX_EMAX,
    Emin=MIN_EMIN,
    traps=[InvalidOperation, DivisionByZero],
)
SHOWN: Final = Context(prec=SIGNIFICANT_DIGITS, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN)
LN_10: Final = WORKING.ln(Decimal(10))


def rounded(value: Exact) -> Exact:
    """`value` to 28 significant digits, half to even: for amounts that rest on a power."""
    return Exact(SHOWN.divide(value.numerator, value.denominator))


def power(base: Decimal, exponent: Decimal) -> Decimal:
    """`base ** exponent` to 100 significant digits.

    >>> SHOWN.plus(power(Decimal("1.21"), Decimal("0.5")))
    Decimal('1.100000000000000000000000000')
    """
    return WORKING.power(base, exponent)


def discount_factor(rate: Decimal, periods: int) -> Decimal:
    """`(1 + rate)^−periods`, what 1 is worth that is paid after so many periods, to 100 significant digits.

    >>> discount_factor(Decimal("0.25"), 2)
    Decimal('0.64')
    """
    return WORKING.divide(ONE, WORKING.power(WORKING.add(ONE, rate), Decimal(periods)))


def capital_recovery_factor(rate: Decimal, periods: int) -> Exact:
    """`r / (1 − (1 + r)^−n)`, the level payment a period that pays 1 back with interest; `1 / n` at a rate of 0.

    Args:
        rate: interest a period, 0 or more.
        periods: 1 or more.

    >>> capital_recovery_factor(Decimal(0), 4).to_decimal(), capital_recovery_factor(Decimal(1), 1).to_decimal()
    (Decimal('0.25'), Decimal('2'))
    """
    if not rate:
        return Exact(ONE, Decimal(periods))
    return Exact(rate, WORKING.subtract(ONE, discount_factor(rate, periods)))


def sum_of(amounts: Iterable[Exact | None]) -> Exact:
    """The exact sum of the amounts that are stated, 0 for none.

    >>> sum_of([Exact(ONE), None, Exact(ONE, Decimal(4))]).to_decimal()
    Decimal('1.25')
    """
    total = Exact(ZERO)
    for amount in amounts:
        if amount is not None:
            total += amount
    return total
