"""Depreciation for tax in the United States: what may be deducted each year. It is no cost of ownership.

Source: IRS, MACRS, property of five years, half-year convention: six calendar years, since the first counts half.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from economics.money import multiply

MACRS_5_YEARS: Final = tuple(Decimal(rate) for rate in ("0.20", "0.32", "0.192", "0.1152", "0.1152", "0.0576"))


def macrs_deductions(basis: Decimal) -> tuple[Decimal, ...]:
    """Deductions of six calendar years; they sum to the basis.

    >>> [str(amount.normalize()) for amount in macrs_deductions(Decimal(250_000))][2:]
    ['4.8E+4', '2.88E+4', '2.88E+4', '1.44E+4']
    >>> sum(macrs_deductions(Decimal(250_000))) == 250_000
    True
    """
    return tuple(multiply(basis, rate) for rate in MACRS_5_YEARS)
