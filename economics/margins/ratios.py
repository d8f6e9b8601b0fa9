"""Gross margin, mark-up and the ratios of inference cost to revenue: four numbers that are often taken for each other.

Sources: DeepSeek's open-infra-index, day 6 (2025-03-01), whose 545 % is a mark-up and whose gross margin is 84.5 %; the inference
efficiency ratio (revenue ÷ inference cost) as ICONIQ uses it (2026-01, read at second hand).
"""

from __future__ import annotations

from economics.money import Exact


def gross_margin_ratio(revenue: Exact, cost: Exact) -> Exact | None:
    """`(revenue − cost) / revenue`, at most 1, negative at a loss; None where there is no revenue (a ratio to 0 is none).

    Not mark-up, which divides by cost.

    >>> from decimal import Decimal
    >>> gross_margin_ratio(Exact(Decimal("0.02")), Exact(Decimal("0.0143875"))).to_decimal()
    Decimal('0.280625')
    """
    return (revenue - cost) / revenue if revenue else None


def markup_ratio(revenue: Exact, cost: Exact) -> Exact | None:
    """`(revenue − cost) / cost`, without upper bound; None where there is no cost.

    With margin m it is m / (1 − m). DeepSeek's day: 562,027 of revenue on 87,072 of cost is 5.4547…, "545 %".

    >>> from decimal import Decimal
    >>> day = Exact(Decimal(562_027)), Exact(Decimal(87_072))
    >>> markup_ratio(*day).to_text()[:6], gross_margin_ratio(*day).to_text()[:6]
    ('5.4547', '0.8450')
    """
    return (revenue - cost) / cost if cost else None


def inference_efficiency_ratio(revenue: Exact, inference_cost: Exact) -> Exact | None:
    """`revenue / inference cost`; None where inference costs nothing.

    >>> from decimal import Decimal
    >>> inference_efficiency_ratio(Exact(Decimal(96_000)), Exact(Decimal("5014.7919"))).to_text()[:7]
    '19.1433'
    """
    return revenue / inference_cost if inference_cost else None


def inference_share(revenue: Exact, inference_cost: Exact) -> Exact | None:
    """`inference cost / revenue`, the inverse of the efficiency ratio; None where there is no revenue.

    >>> from decimal import Decimal
    >>> inference_share(Exact(Decimal(96_000)), Exact(Decimal("4800"))).to_decimal()
    Decimal('0.05')
    """
    return inference_cost / revenue if revenue else None
