"""Quantities of physics as text."""

from __future__ import annotations

import math
from decimal import Decimal

from economics.money import format_decimal

DIGITS = 10
"""Significant digits shown: far more than anything here is known to."""


def to_api_figure(value: float | None) -> str | None:
    """A float in fixed notation to 10 significant digits; what is not known or not finite is null, never 0.

    >>> to_api_figure(20.48), to_api_figure(1 / 3), to_api_figure(1.5e16), to_api_figure(float("inf")), to_api_figure(0.0)
    ('20.48', '0.3333333333', '15000000000000000', None, '0')
    """
    if value is None or not math.isfinite(value):
        return None
    return format_decimal(Decimal(f"{value:.{DIGITS}g}"))
