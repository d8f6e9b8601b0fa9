"""An ownership profile as it is kept: the inputs that somebody states of a system of his own, by name, exact and typed.

The names are those of `POST /ownership-cost`, which computes with them; units stand at their ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal

from economics.errors import PermillionError
from economics.money import format_decimal, parse_decimal
from economics.ownership.profile import OwnershipProfile
from hardware.ownership.profiles import SourcedProfile, shipped_profiles
from hardware.prices.rental import first_day

_CURRENCY: Final = re.compile(r"[A-Z]{3}", re.ASCII)
Kind = Literal["amount", "share", "count", "flag", "word"]

INPUTS: Final[Mapping[str, Kind]] = {
    "currency": "word",
    "server_price": "amount",
    "server_count": "count",
    "accelerator_count": "count",
    "network_capex": "amount",
    "network_share_ratio": "share",
    "storage_capex": "amount",
    "storage_share_ratio": "share",
    "install_capex": "amount",
    "spares_capex": "amount",
    "facility_capex_per_kw": "amount",
    "residual_ratio": "share",
    "residual_includes_network": "flag",
    "useful_life_years": "amount",
    "network_life_years": "amount",
    "facility_life_years": "amount",
    "capital_method": "word",
    "wacc_ratio": "amount",
    "monthly_compounding": "word",
    "interest_on_average_capital": "flag",
    "value_decline_oom_per_year": "amount",
    "age_years": "amount",
    "nameplate_kw": "amount",
    "tdp_w": "amount",
    "host_kw": "amount",
    "network_kw": "amount",
    "load_ratio": "share",
    "pue": "amount",
    "electricity_price_per_kwh": "amount",
    "power_cost_per_hour": "amount",
    "powered_hours_per_month": "amount",
    "colocation_price_per_kw_month": "amount",
    "contracted_kw": "amount",
    "colocation_includes_power": "flag",
    "maintenance_ratio_per_year": "share",
    "staff_fte": "amount",
    "servers_per_fte": "amount",
    "staff_cost_per_fte_year": "amount",
    "staff_cost_per_month": "amount",
    "license_price_per_accelerator_year": "amount",
    "remote_hands_cost_per_month": "amount",
    "insurance_ratio_per_year": "share",
    "property_tax_ratio_per_year": "share",
    "other_cost_per_month": "amount",
    "availability_ratio": "share",
    "utilization_ratio": "share",
    "hours_per_month": "amount",
    "cloud_price_per_accelerator_hour": "amount",
    "cloud_hours_per_month": "amount",
    "dense_tflops_per_accelerator": "amount",
    "tax_schedule": "word",
    "reference_price_per_accelerator": "amount",
}


@dataclass(frozen=True, slots=True)
class OwnershipProfileRecord:
    """Inputs of a cost of ownership, as they were stated on a day.

    Attributes:
        accelerator: our id, None where the profile is of none that we know.
        inputs: by the names of `INPUTS`: decimals as plain text, counts as integers, flags as booleans, words.

    Raises:
        PermillionError: `invalid-fields` with the pointer of the input: what `OwnershipProfile` refuses, missing ones too.

    >>> OwnershipProfileRecord("rack", "", "h100-sxm", {"server_price": "280000", "accelerator_count": 8,
    ...                        "useful_life_years": "4"}, "quotation", "2026-11-30", "").inputs["server_price"]
    '280000'
    """

    id: str
    name: str
    accelerator: str | None
    inputs: Mapping[str, str | int | bool]
    source: str
    as_of: str
    note: str

    def __post_init__(self) -> None:
        first_day(self.as_of)
        stated = self.stated
        try:
            OwnershipProfile(**stated)
        except PermillionError as error:
            raise PermillionError(error.slug, error.detail, pointer=f"/inputs{error.pointer}") from None

    @property
    def stated(self) -> dict[str, Any]:
        """The inputs in the types of `OwnershipProfile`.

        Raises:
            PermillionError: `invalid-fields` for an input that there is not, or of another type.
        """
        return {name: _typed(name, value) for name, value in self.inputs.items()}

    @property
    def sourced(self) -> SourcedProfile:
        """The record as `POST /ownership-cost` reads it."""
        return SourcedProfile(self.id, self.name, self.accelerator, self.as_of, self.source, self.note, self.stated)


def _typed(name: str, value: str | int | bool) -> str | int | bool | Decimal:
    kind = INPUTS.get(name)
    if kind is None:
        raise PermillionError("invalid-fields", "no such input; see POST /ownership-cost", pointer="/inputs")
    if kind == "flag":
        if not isinstance(value, bool):
            raise _refused(name, "true or false")
        return value
    if kind == "word":
        if not isinstance(value, str) or (name == "currency" and _CURRENCY.fullmatch(value) is None):
            raise _refused(name, "a word; of currency an ISO 4217 code, such as USD")
        return value
    if isinstance(value, bool) or (kind == "count" and not isinstance(value, int)):
        raise _refused(name, "a whole number" if kind == "count" else 'write decimals as strings, such as "0.15"')
    if kind == "count":
        return value
    return Decimal(value) if isinstance(value, int) else parse_decimal(value, pointer=f"/inputs/{name}")


def _refused(name: str, why: str) -> PermillionError:
    return PermillionError("invalid-fields", f"{name}: {why}", pointer=f"/inputs/{name}")


@cache
def shipped_profile_records() -> Mapping[str, OwnershipProfileRecord]:
    """The profiles of this package as records, by id.

    >>> shipped_profile_records()["reference-8xh100-colocated"].inputs["pue"]
    '1.25'
    """
    return MappingProxyType({name: _record(profile) for name, profile in shipped_profiles().items()})


def _record(profile: SourcedProfile) -> OwnershipProfileRecord:
    inputs = {
        name: format_decimal(value) if isinstance(value, Decimal) else value for name, value in profile.stated.items()
    }
    return OwnershipProfileRecord(
        profile.id, profile.title, profile.accelerator, inputs, profile.source, profile.as_of, profile.notes
    )
