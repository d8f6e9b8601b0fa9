"""Use case: what rented accelerators cost in a month, in the currency asked for."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from api.services.pricing import RowId
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.money import Exact, format_decimal
from economics.rental.cost import RentalCost, rental_cost
from economics.rental.terms import RentalTerms

_ASSUMED: Final = ("currency", "billing_increment_s", "minimum_s", "hours_per_month", "discount_ratio")
STALE: Final = timedelta(days=90)
_ASSUMED_OF_SPOT: Final = ("rework_ratio", "downtime_ratio", "fallback_ratio", "standby_price_per_unit_hour")


@dataclass(frozen=True, slots=True)
class HardwareToRent:
    """Terms of a rental, or (with `error`) why the caller's entry is none.

    Attributes:
        stated: fields of `RentalTerms`.
        rental, source, listed_on: what was rented, who says the price, and of which day it is, in the caller's words.
    """

    row_id: RowId
    rental: str | None = None
    source: str | None = None
    listed_on: str | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class RentedHardware:
    """The bill, or why there is none; `assumptions` are defaults that were used, as `field=value`."""

    asked: HardwareToRent
    cost: RentalCost | None = None
    implied_extra_price: Exact | None = None
    conversion: Conversion | None = None
    assumptions: Sequence[str] = ()
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


def rent(asked: HardwareToRent, exchange: Exchange | None, today: date) -> RentedHardware:
    """The bill of one rental; an error becomes part of the answer."""
    if asked.error is not None:
        return RentedHardware(asked, error=asked.error)
    try:
        if asked.listed_on is not None:
            last_day(asked.listed_on)
        missing = [name for name in ("unit", "purchase_model", "accelerators_used") if name not in asked.stated]
        if missing:
            raise PermillionError("invalid-fields", f"{missing[0]}: required", pointer=f"/{missing[0]}")
        terms = RentalTerms(**asked.stated)
        cost = rental_cost(terms)
        implied = cost.implied_extra_price
        conversion = None if exchange is None else exchange.conversion(terms.currency)
    except PermillionError as error:
        return RentedHardware(asked, error=error)
    assumed = [*_ASSUMED, *(_ASSUMED_OF_SPOT if terms.purchase_model == "spot" else ())]
    assumptions = [f"{name}={_shown(getattr(terms, name))}" for name in assumed if name not in asked.stated]
    if terms.storage_price_per_gb_hour is not None and terms.storage_hours_per_month is None:
        assumptions.append(f"storage_hours_per_month={cost.billed_hours.to_text()}")
    warnings = cost.warnings
    if asked.source is None or asked.listed_on is None:
        warnings.append("source_not_stated")
    if asked.listed_on is not None and is_stale(asked.listed_on, today):
        warnings.append("price_stale")
    return RentedHardware(asked, cost, implied, conversion, assumptions, warnings)


def last_day(listed_on: str) -> date:
    """The last day of a stated day, month or year.

    Raises:
        PermillionError: `invalid-fields` where there is no such day.

    >>> last_day("2025-06"), last_day("2024")
    (datetime.date(2025, 6, 30), datetime.date(2024, 12, 31))
    """
    parts = [int(part) for part in listed_on.split("-")]
    try:
        if len(parts) == 3:
            return date(*parts)
        year, month = parts[0], parts[1] if len(parts) == 2 else 12
        return date(year, month, monthrange(year, month)[1])
    except ValueError:
        raise PermillionError("invalid-fields", "listed_on: no such day", pointer="/listed_on") from None


def is_stale(listed_on: str, today: date) -> bool:
    """Whether a price is more than 90 days old.

    >>> is_stale("2026-09", date(2026, 11, 30)), is_stale("2026-08", date(2026, 11, 30))
    (False, True)
    """
    return today - last_day(listed_on) > STALE


def _shown(value: Decimal | str) -> str:
    return format_decimal(value) if isinstance(value, Decimal) else value
