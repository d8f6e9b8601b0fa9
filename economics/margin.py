"""Gross margin of a query."""

from __future__ import annotations

from economics.money import Exact


def gross_margin_ratio(revenue: Exact, cost: Exact) -> Exact | None:
    """`(revenue − cost) / revenue`, 0–1 or negative at a loss; None where there is no revenue (a ratio to 0 is none).

    Not mark-up, which divides by cost.

    >>> from decimal import Decimal
    >>> gross_margin_ratio(Exact(Decimal("0.02")), Exact(Decimal("0.0143875"))).to_decimal()
    Decimal('0.280625')
    """
    return (revenue - cost) / revenue if revenue else None
