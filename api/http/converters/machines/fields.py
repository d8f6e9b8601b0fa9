"""Figures between physics and the wire."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from catalog.reference import Reference
from economics.money import format_decimal
from economics.periods import format_instant


def to_api_figure(value: float | None) -> str | None:
    """A physical figure as a decimal string: the shortest that gives the same float.

    >>> to_api_figure(3350.0), to_api_figure(0.23), to_api_figure(None)
    ('3350', '0.23', None)
    """
    return None if value is None else format_decimal(Decimal(repr(value)))


def from_api_figure(value: Decimal | None) -> float | None:
    """A physical figure as a float."""
    return None if value is None else float(value)


def to_api_origin(reference: Reference) -> dict[str, Any]:
    """Whose word a record is, and since when it is believed."""
    return {"origin": reference.origin, "recorded_at": format_instant(reference.recorded_at)}
