"""Use case: what hardware costs its owner, from a sourced profile, from stated figures, or from both."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, Final

from api.services.pricing import RowId
from economics.errors import PermillionError
from economics.money import format_decimal
from economics.ownership.cost import OwnershipCost, ownership_cost
from economics.ownership.decisions import Decision, decide
from economics.ownership.profile import DEFAULT_CURRENCY, OwnershipProfile
from economics.ownership.sanity import ownership_warnings
from hardware.accelerators.accelerator import shipped_accelerators
from hardware.ownership.profiles import Anchor, SourcedProfile, anchors, shipped_profile

ProfileLookup = Callable[[str], SourcedProfile]

_ALWAYS_ASSUMED: Final = ("currency", "server_count", "residual_ratio", "capital_method", "hours_per_month")
"""Defaults that enter every cost."""


@dataclass(frozen=True, slots=True)
class HardwareToOwn:
    """What was stated of a system, or (with `error`) why the caller's entry is none.

    Attributes:
        profile: id of a sourced profile that answers what is not stated.
        stated: fields of an `OwnershipProfile`; they stand above the profile's.
    """

    row_id: RowId
    profile: str | None = None
    accelerator: str | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class OwnedHardware:
    """Its cost, and how it stands beside renting, or why there is none.

    Attributes:
        overrides: fields whose stated value stood above the profile's.
        assumptions: defaults that were used, as `field=value`.
    """

    asked: HardwareToOwn
    sourced: SourcedProfile | None = None
    accelerator: str | None = None
    cost: OwnershipCost | None = None
    decision: Decision | None = None
    anchor: Anchor | None = None
    overrides: Sequence[str] = ()
    assumptions: Sequence[str] = ()
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


def own(
    asked: HardwareToOwn, lookup: ProfileLookup = shipped_profile, accelerators: Container[str] | None = None
) -> OwnedHardware:
    """The cost of one system; an error becomes part of the answer.

    Args:
        lookup: finds a profile by its id, or raises `unknown-ownership-profile`.
        accelerators: ids that are known; default: the shipped ones.
    """
    if asked.error is not None:
        return OwnedHardware(asked, error=asked.error)
    sourced: SourcedProfile | None = None
    try:
        sourced = None if asked.profile is None else lookup(asked.profile)
        of_profile = {} if sourced is None else dict(sourced.stated)
        accelerator = asked.accelerator or (None if sourced is None else sourced.accelerator)
        _check_accelerator(accelerator, shipped_accelerators() if accelerators is None else accelerators)
        anchor = anchors().get(accelerator or "")
        assumptions: list[str] = []
        stated = _without_rivals(of_profile, asked.stated) | dict(asked.stated)
        if _uses_reference(stated, anchor):
            assert anchor is not None
            stated["reference_price_per_accelerator"] = anchor.purchase_price
            assumptions.append(_assumed("reference_price_per_accelerator", anchor.purchase_price))
        profile = OwnershipProfile(**stated)
        cost = ownership_cost(profile)
        decision = decide(cost)
    except PermillionError as error:
        return OwnedHardware(asked, sourced, error=error)
    return OwnedHardware(
        asked,
        sourced,
        accelerator,
        cost,
        decision,
        anchor if anchor is not None and anchor.currency == profile.currency else None,
        sorted(name for name in asked.stated if name in of_profile and of_profile[name] != asked.stated[name]),
        _defaults(profile, stated, decision) + assumptions,
        [
            *ownership_warnings(cost, decision),
            *([] if accelerator is None or anchor else ["accelerator_without_reference"]),
        ],
    )


def _check_accelerator(accelerator: str | None, known: Container[str]) -> None:
    if accelerator is None or accelerator in known:
        return
    near = get_close_matches(accelerator[:100], shipped_accelerators(), 3, 0.5)
    hint = f"; near ones: {', '.join(near)}" if near else ""
    raise PermillionError("unknown-accelerator", f"no accelerator of this id{hint}", pointer="/accelerator")


_RIVALS: Final[tuple[frozenset[str], ...]] = (
    frozenset({"network_capex", "network_share_ratio"}),
    frozenset({"storage_capex", "storage_share_ratio"}),
    frozenset({"nameplate_kw", "tdp_w"}),
    frozenset({"electricity_price_per_kwh", "power_cost_per_hour", "colocation_includes_power"}),
    frozenset({"staff_cost_per_month", "staff_fte", "servers_per_fte"}),
)
"""Fields that say one thing in different ways: the caller's replaces the profile's instead of contradicting it."""


def _without_rivals(of_profile: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    replaced = frozenset[str]().union(*(rivals for rivals in _RIVALS if rivals & stated.keys()))
    return {name: value for name, value in of_profile.items() if name not in replaced}


def _uses_reference(stated: Mapping[str, Any], anchor: Anchor | None) -> bool:
    return (
        anchor is not None
        and anchor.purchase_price is not None
        and "reference_price_per_accelerator" not in stated
        and stated.get("currency", DEFAULT_CURRENCY) == anchor.currency
    )


def _defaults(profile: OwnershipProfile, stated: Mapping[str, Any], decision: Decision | None) -> list[str]:
    """Defaults of the profile that its cost rests on."""
    relevant = list(_ALWAYS_ASSUMED)
    if profile.capital_method == "annuity":
        relevant.append("monthly_compounding")
    if profile.capital_method == "declining_value":
        relevant.append("age_years")
    if profile.electricity_price_per_kwh is not None:
        relevant += ["load_ratio", "powered_hours_per_month"]
    if profile.colocation_price_per_kw_month is not None or profile.facility_capex_per_kw is not None:
        relevant.append("contracted_kw")
    for name in ("network", "facility"):
        bought = (
            (profile.network_capex, profile.network_share_ratio)
            if name == "network"
            else (profile.facility_capex_per_kw,)
        )
        if any(amount is not None for amount in bought):
            relevant.append(f"{name}_life_years")
    if decision is not None:
        relevant.append("cloud_hours_per_month")
    instead = {
        "contracted_kw": "nameplate",
        "network_life_years": profile.useful_life_years,
        "facility_life_years": profile.useful_life_years,
        "powered_hours_per_month": profile.hours_per_month,
        "cloud_hours_per_month": None if decision is None else decision.cloud_hours_per_month,
    }
    return [_assumed(name, instead.get(name, getattr(profile, name))) for name in relevant if name not in stated]


def _assumed(name: str, value: Any) -> str:
    return f"{name}={format_decimal(value) if isinstance(value, Decimal) else value}"
