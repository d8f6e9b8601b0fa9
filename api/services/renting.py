"""Use case: what rented accelerators cost in a month, in the currency asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from api.services.pricing import RowId
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.money import Exact, format_decimal
from economics.rental.cost import RentalCost, rental_cost
from economics.rental.terms import RentalTerms

_ASSUMED: Final = ("currency", "billing_increment_s", "minimum_s", "hours_per_month", "discount_ratio")
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


def rent(asked: HardwareToRent, exchange: Exchange | None) -> RentedHardware:
    """The bill of one rental; an error becomes part of the answer."""
    if asked.error is not None:
        return RentedHardware(asked, error=asked.error)
    try:
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
    return RentedHardware(asked, cost, implied, conversion, assumptions, warnings)


def _shown(value: Decimal | str) -> str:
    return format_decimal(value) if isinstance(value, Decimal) else value
