"""`POST /ownership-cost`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none
from api.http.converters.price import row_id_of
from api.http.schemas.ownership import OWNERSHIP_COLUMNS, OwnershipRowIn
from api.http.schemas.stated import stated
from api.http.wire import decode_row
from api.services.owning import HardwareToOwn, OwnedHardware
from economics.errors import PermillionError
from economics.method import METHOD_VERSION
from economics.money import format_decimal
from economics.ownership.cost import OwnershipCost
from economics.ownership.decisions import CRITERION, Decision
from economics.ownership.profile import OwnershipProfile

_ROW: TypeAdapter[OwnershipRowIn] = TypeAdapter(OwnershipRowIn)
_PARTS = ("servers", "network", "storage", "install", "spares", "facility")


def from_api_hardware_to_own(value: Any, index: int) -> HardwareToOwn:
    """One row of the request, or what is wrong with it."""
    try:
        row: OwnershipRowIn = decode_row(_ROW, value)
    except PermillionError as error:
        return HardwareToOwn(row_id_of(value, index), error=error)
    row_id = index if row.row_id is None else row.row_id
    return HardwareToOwn(row_id, row.profile, row.accelerator, stated(row, OwnershipProfile))


def to_api_owned(owned: OwnedHardware) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(OWNERSHIP_COLUMNS)
    asked, sourced = owned.asked, owned.sourced
    row["row_id"], row["profile"] = asked.row_id, None if sourced is None else sourced.id
    row["accelerator"], row["method_version"] = owned.accelerator, METHOD_VERSION
    row["not_stated"] = "" if owned.cost is None else ";".join(owned.cost.not_stated)
    row["assumptions"], row["overrides"] = ";".join(owned.assumptions), ";".join(owned.overrides)
    row["warnings"] = ";".join(owned.warnings)
    row["source"] = "stated by the caller" if sourced is None else sourced.source
    row["source_as_of"] = None if sourced is None else sourced.as_of
    if owned.error is not None:
        row["error_code"], row["error_detail"] = owned.error.slug, owned.error.detail
    if owned.cost is not None:
        row |= _to_api_cost(owned.cost)
    if owned.decision is not None:
        row |= _to_api_decision(owned.decision)
    if owned.anchor is not None:
        row["published_hyperscaler_cost_per_accelerator_hour"] = _text(owned.anchor.hyperscaler_per_hour)
        row["published_neocloud_cost_per_accelerator_hour"] = _text(owned.anchor.neocloud_per_hour)
        row["published_source"] = owned.anchor.cost_source
    return row


def _to_api_cost(cost: OwnershipCost) -> dict[str, Any]:
    profile, capital, cash = cost.profile, cost.capital, cost.cash
    parts = {name: capital.part(name) for name in _PARTS}
    return {
        "accelerator_count": profile.accelerator_count,
        "currency": profile.currency,
        "capital_method": profile.capital_method,
        "monthly_compounding": profile.monthly_compounding if profile.capital_method == "annuity" else None,
        "wacc_ratio": _text(profile.wacc_ratio),
        "monthly_wacc_ratio": text_or_none(capital.rate_per_month),
        "useful_life_months": capital.parts[0].life_months,
        "hours_per_month": _text(profile.hours_per_month),
        **{f"{name}_capex": None if part is None else part.paid.to_text() for name, part in parts.items()},
        "capex": capital.paid.to_text(),
        "residual_value": capital.residual.to_text(),
        **{
            f"{name}_cost_per_month": None if part is None else part.cost_per_month.to_text()
            for name, part in parts.items()
        },
        "interest_cost_per_month": text_or_none(capital.interest_per_month),
        "capital_cost_per_month": capital.cost_per_month.to_text(),
        "it_kw": text_or_none(cost.power.it_kw),
        "energy_kwh_per_month": text_or_none(cost.power.energy_kwh_per_month),
        **{f"{name}_cost_per_month": text_or_none(amount) for name, amount in cost.running.items()},
        "cash_opex_cost_per_month": cost.cash_opex_per_month.to_text(),
        "total_cost_per_month": cost.total_per_month.to_text(),
        "availability_ratio": _text(profile.availability_ratio),
        "utilization_ratio": _text(profile.utilization_ratio),
        "cost_per_installed_accelerator_hour": cost.per_installed_hour.to_text(),
        "cost_per_available_accelerator_hour": text_or_none(cost.per_available_hour),
        "cost_per_used_accelerator_hour": text_or_none(cost.per_used_hour),
        "cost_per_used_petaflop_year": text_or_none(cost.per_used_petaflop_year),
        "energy_cost_share": text_or_none(cost.energy_share),
        "cash_first_year_cost": None if cash is None else cash.years[0].to_text(),
        "cash_later_year_cost": None if cash is None or len(cash.years) == 1 else cash.years[1].to_text(),
        "cash_total_cost": None if cash is None else cash.cumulative.to_text(),
        "tax_deductions_by_year": ";".join(amount.to_text() for amount in cost.tax_deductions) or None,
        "cloud_price_per_accelerator_hour": _text(profile.cloud_price_per_accelerator_hour),
    }


def _to_api_decision(decision: Decision) -> dict[str, Any]:
    return {
        "cloud_hours_per_month": _text(decision.cloud_hours_per_month),
        "cloud_cost_per_month": decision.cloud_cost_per_month.to_text(),
        "saving_per_month": decision.saving_per_month.to_text(),
        "payback_months": text_or_none(decision.payback_months),
        "break_even_hours": text_or_none(decision.break_even_hours),
        "break_even_utilization_ratio": decision.break_even_utilization.to_text(),
        "npv": text_or_none(decision.npv),
        "roi_ratio": decision.roi.to_text(),
        "irr_ratio": _text(decision.irr),
        "cheaper": decision.cheaper,
        "criterion": CRITERION,
    }


def _text(value: Decimal | None) -> str | None:
    return None if value is None else format_decimal(value)
