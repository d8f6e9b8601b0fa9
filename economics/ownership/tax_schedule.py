"""Depreciation for tax in the United States: what may be deducted each year. It is no cost of ownership.

Source: IRS, MACRS, property of five years, half-year convention: six calendar years, since the first counts half.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from economics.money import Exact

MACRS_5_YEARS: Final = tuple(Decimal(rate) for rate in ("0.20", "0.32", "0.192", "0.1152", "0.1152", "0.0576"))


def macrs_deductions(basis: Exact) -> tuple[Exact, ...]:
    """Deductions of six calendar years; they sum to the basis.

    >>> [amount.to_text() for amount in macrs_deductions(Exact(Decimal(250_000)))]
    ['50000', '80000', '48000', '28800', '28800', '14400']
    """
    return tuple(basis * rate for rate in MACRS_5_YEARS)
