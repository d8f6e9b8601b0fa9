"""Exact money: decimals from strings, quotients kept as fractions, rounded only when shown.

One decimal context for the whole project lives here. `EXACT` refuses to round: an operation that would lose a digit
raises `decimal.Inexact`, so a rounding error is a crash in a test and never a wrong cent.

A price times a quantity, an FX factor and a discount are products and stay exact decimals. A division (by
`1 + tax_rate`, by a sum of weights, by an hour's 3,600 seconds) need not end; `Exact` keeps numerator and denominator
apart and divides once, at output, to 28 significant digits, half to even.
"""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, Inexact, InvalidOperation
from fractions import Fraction
from typing import Final

from economics.errors import PermillionError

EXACT: Final = Context(
    prec=1_000_000,
    rounding=ROUND_HALF_EVEN,
    Emax=MAX_EMAX,
    Emin=MIN_EMIN,
    traps=[InvalidOperation, DivisionByZero, Inexact],
)
SIGNIFICANT_DIGITS: Final = 28
"""Digits given of a quotient that does not end."""

_SHOWN: Final = Context(prec=SIGNIFICANT_DIGITS, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LONG: Final = 200
"""Digits of a denominator above which a sum is reduced; no single question of the usual kind comes near."""
_PLAIN: Final = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,30})?", re.ASCII)
ZERO: Final = Decimal(0)
ONE: Final = Decimal(1)


def parse_decimal(text: str, *, pointer: str = "") -> Decimal:
    """A decimal from its plain notation: ASCII digits, one dot, at most 18 digits before and 30 after it.

    No exponent, sign `+`, blank, underscore, NaN or infinity: a price sheet never needs them and each has been used to
    slip a wrong figure (or a gigabyte of digits) past a parser.

    Raises:
        PermillionError: `invalid-fields` for anything else.

    >>> parse_decimal("0.0150")
    Decimal('0.0150')
    >>> parse_decimal("1e3")
    Traceback (most recent call last):
    ...
    economics.errors.PermillionError: not a plain decimal: write digits with at most one dot, such as "0.15"
    """
    if _PLAIN.fullmatch(text) is None:
        raise PermillionError(
            "invalid-fields",
            'not a plain decimal: write digits with at most one dot, such as "0.15"',
            pointer=pointer,
        )
    return Decimal(text)


def format_decimal(value: Decimal) -> str:
    """Fixed notation without trailing zeros, never an exponent.

    >>> format_decimal(Decimal("1.50E-7")), format_decimal(Decimal("1E+3")), format_decimal(Decimal("-0.0"))
    ('0.00000015', '1000', '0')
    """
    if not value:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def add(left: Decimal, right: Decimal) -> Decimal:
    """Left + right, exactly."""
    return EXACT.add(left, right)


def subtract(left: Decimal, right: Decimal) -> Decimal:
    """Left − right, exactly."""
    return EXACT.subtract(left, right)


def multiply(left: Decimal, right: Decimal) -> Decimal:
    """Left × right, exactly."""
    return EXACT.multiply(left, right)


class Exact:
    """A rational number `numerator / denominator` of two decimals, never rounded.

    Sums, products and quotients of these are exact; `to_decimal` gives the decimal that is shown.

    >>> Exact(Decimal(1)) / Exact(Decimal(3)) * Exact(Decimal(3)) == Exact(Decimal(1))
    True
    >>> (Exact(Decimal("16.00")) / Exact(Decimal("1.06")) / Exact(Decimal("7.10"))).to_decimal()
    Decimal('2.125963327132606962529896359')
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: Decimal, denominator: Decimal = ONE) -> None:
        if denominator is not ONE and denominator <= 0:
            if not denominator:
                raise ZeroDivisionError("an exact quotient needs a denominator other than 0")
            numerator, denominator = EXACT.minus(numerator), EXACT.minus(denominator)
        self.numerator = numerator
        self.denominator = denominator

    def __add__(self, other: Exact) -> Exact:
        if self.denominator is other.denominator or self.denominator == other.denominator:
            return Exact(EXACT.add(self.numerator, other.numerator), self.denominator)
        return Exact(
            EXACT.add(
                EXACT.multiply(self.numerator, other.denominator), EXACT.multiply(other.numerator, self.denominator)
            ),
            EXACT.multiply(self.denominator, other.denominator),
        )._kept_short()

    def _kept_short(self) -> Exact:
        """The same number, in lowest terms once sums of many different quotients have made it long."""
        if len(self.denominator.as_tuple().digits) <= _LONG:
            return self
        reduced = Fraction(self.numerator) / Fraction(self.denominator)
        return Exact(Decimal(reduced.numerator), Decimal(reduced.denominator))

    def __neg__(self) -> Exact:
        return Exact(EXACT.minus(self.numerator), self.denominator)

    def __sub__(self, other: Exact) -> Exact:
        return self + -other

    def __mul__(self, other: Exact | Decimal) -> Exact:
        if isinstance(other, Decimal):
            return Exact(EXACT.multiply(self.numerator, other), self.denominator)
        return Exact(
            EXACT.multiply(self.numerator, other.numerator), EXACT.multiply(self.denominator, other.denominator)
        )

    def __truediv__(self, other: Exact | Decimal) -> Exact:
        if isinstance(other, Decimal):
            return Exact(self.numerator, EXACT.multiply(self.denominator, other))
        return Exact(
            EXACT.multiply(self.numerator, other.denominator), EXACT.multiply(self.denominator, other.numerator)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Exact):
            return NotImplemented
        return EXACT.multiply(self.numerator, other.denominator) == EXACT.multiply(other.numerator, self.denominator)

    def __lt__(self, other: Exact) -> bool:
        return EXACT.multiply(self.numerator, other.denominator) < EXACT.multiply(other.numerator, self.denominator)

    def __hash__(self) -> int:
        return hash(Fraction(self.numerator) / Fraction(self.denominator))

    def __bool__(self) -> bool:
        return bool(self.numerator)

    def __repr__(self) -> str:
        return f"Exact({self.numerator!r}, {self.denominator!r})"

    def to_decimal(self) -> Decimal:
        """All digits where the quotient ends, else 28 significant digits, half to even.

        >>> Exact(Decimal(1), Decimal(8)).to_decimal(), Exact(Decimal(2), Decimal(3)).to_decimal()
        (Decimal('0.125'), Decimal('0.6666666666666666666666666667'))
        """
        if self.denominator is ONE or self.denominator == ONE:
            return self.numerator
        shown = _SHOWN.divide(self.numerator, self.denominator)
        if EXACT.multiply(shown, self.denominator) == self.numerator:
            return shown
        return _ending(Fraction(self.numerator) / Fraction(self.denominator)) or shown

    def to_text(self) -> str:
        """`to_decimal` in fixed notation, as answers print it."""
        return format_decimal(self.to_decimal())


def _ending(value: Fraction) -> Decimal | None:
    """The decimal of a fraction whose expansion ends (denominator 2^a·5^b), else None."""
    twos, fives, rest = 0, 0, value.denominator
    while rest % 2 == 0:
        rest //= 2
        twos += 1
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest != 1:
        return None
    places = max(twos, fives)
    return Decimal(value.numerator * 10**places // value.denominator).scaleb(-places, EXACT)


def exact(value: Decimal | int) -> Exact:
    """`value` as an `Exact`."""
    return Exact(Decimal(value))
