"""`POST /rental-cost`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none
from api.http.converters.price import row_id_of
from api.http.schemas.rental import RENTAL_COLUMNS, RentalRowIn
from api.http.schemas.stated import stated
from api.http.wire import decode_row
from api.services.renting import HardwareToRent, RentedHardware
from economics.errors import PermillionError
from economics.exchange import Conversion
from economics.method import METHOD_VERSION
from economics.money import Exact, format_decimal
from economics.ownership.cost import MONTHS
from economics.rental.cost import RentalCost
from economics.rental.portfolio import RentedTotal, together
from economics.rental.terms import EgressTier, RentalTerms

_ROW: TypeAdapter[RentalRowIn] = TypeAdapter(RentalRowIn)


def from_api_hardware_to_rent(value: Any, index: int) -> HardwareToRent:
    """One row of the request, or what is wrong with it."""
    try:
        row: RentalRowIn = decode_row(_ROW, value)
    except PermillionError as error:
        return HardwareToRent(row_id_of(value, index), error=error)
    terms = stated(row, RentalTerms)
    terms["egress_tiers"] = tuple(EgressTier(tier.up_to_gb, tier.price_per_gb) for tier in row.egress_tiers)
    row_id = index if row.row_id is None else row.row_id
    return HardwareToRent(row_id, row.rental, row.source, row.listed_on, terms)


def to_api_rented(rented: RentedHardware, currency: str | None) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(RENTAL_COLUMNS)
    asked, conversion = rented.asked, rented.conversion
    row["row_id"], row["rental"], row["method_version"] = asked.row_id, asked.rental, METHOD_VERSION
    row["source"], row["listed_on"] = asked.source, asked.listed_on
    row["assumptions"], row["warnings"] = ";".join(rented.assumptions), ";".join(rented.warnings)
    if rented.error is not None:
        row["error_code"], row["error_detail"] = rented.error.slug, rented.error.detail
        return row
    assert rented.cost is not None  # there is a bill where nothing is wrong
    money = _money(rented.cost, rented.implied_extra_price)
    row |= {name: text_or_none(_converted(amount, conversion)) for name, amount in money.items()}
    row |= _quantities(rented.cost)
    row["currency"] = currency or rented.cost.terms.currency
    row["native_currency"] = rented.cost.terms.currency
    row["native_total_cost_per_month"] = rented.cost.total.to_text()
    if conversion is not None:
        row["fx_rate"], row["fx_as_of"] = conversion.factor.to_text(), conversion.as_of
    return row


def to_api_rental_totals(rented: Sequence[RentedHardware], currency: str | None) -> dict[str, Any]:
    """`totals` of the answer."""
    bills = [(each.cost, each.conversion) for each in rented if each.cost is not None]
    currencies = {currency or cost.terms.currency for cost, _ in bills}
    whole = None
    if len(currencies) == 1:
        whole = together(
            [
                RentedTotal(
                    cost.total if conversion is None else cost.total * conversion.factor,
                    cost.machine_cost if conversion is None else cost.machine_cost * conversion.factor,
                    cost.accelerator_hours_billed,
                )
                for cost, conversion in bills
            ]
        )
    return {
        "rows": len(bills),
        "complete": len(bills) == len(rented),
        "currency": None if whole is None else currencies.pop(),
        "total_cost_per_month": None if whole is None else whole.total.to_text(),
        "machine_cost_per_month": None if whole is None else whole.machine_cost.to_text(),
        "billed_accelerator_hours": None if whole is None else whole.accelerator_hours.to_text(),
        "mean_cost_per_billed_accelerator_hour": None
        if whole is None
        else text_or_none(whole.per_billed_accelerator_hour),
    }


def _money(cost: RentalCost, implied: Exact | None) -> dict[str, Exact | None]:
    part = cost.accelerator_part
    return {
        **{f"{name}_cost_per_month": amount for name, amount in cost.machine.items()},
        "machine_cost_per_month": cost.machine_cost,
        "accelerator_part_cost_per_month": part,
        "host_part_cost_per_month": None if part is None else cost.machine_cost - part,
        **{f"{name}_cost_per_month": amount for name, amount in cost.extras.items()},
        "total_cost_per_month": cost.total,
        "tax_cost_per_month": cost.tax,
        "total_with_tax_cost_per_month": cost.total_with_tax,
        "total_cost_per_year": cost.total * MONTHS,
        "cost_per_billed_accelerator_hour": cost.per_billed_accelerator_hour,
        "cost_per_busy_accelerator_hour": cost.per_busy_accelerator_hour,
        "cost_per_used_accelerator_hour": cost.per_used_accelerator_hour,
        "simple_cost_per_mtok": cost.simple_per_mtok,
        "commitment_price_per_unit_hour": cost.commitment_price,
        "implied_extra_price_per_unit_hour": implied,
    }


def _quantities(cost: RentalCost) -> dict[str, Any]:
    terms = cost.terms
    return {
        "unit": terms.unit,
        "purchase_model": terms.purchase_model,
        "hours_per_month": format_decimal(terms.hours_per_month),
        "units_billed": cost.units,
        "committed_units": terms.committed_units,
        "accelerators_used": terms.accelerators_used,
        "accelerators_billed": cost.accelerators_billed.to_text(),
        "busy_hours_per_month": cost.busy_hours.to_text(),
        "billed_hours_per_month": cost.billed_hours.to_text(),
        "tax_included": terms.tax_included,
        "availability_ratio": None if terms.availability_ratio is None else format_decimal(terms.availability_ratio),
        "utilization_ratio": None if terms.utilization_ratio is None else format_decimal(terms.utilization_ratio),
        "break_even_utilization_ratio": text_or_none(cost.break_even_utilization),
    }


def _converted(amount: Exact | None, conversion: Conversion | None) -> Exact | None:
    return amount if amount is None or conversion is None else amount * conversion.factor
