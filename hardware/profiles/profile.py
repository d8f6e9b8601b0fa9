"""An ownership profile as it is kept: the inputs that somebody states of a system of his own, by name, exact and typed.

The names are those of `POST /ownership-cost`, which computes with them; units stand at their ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from economics.errors import PermillionError
from economics.money import parse_decimal
from hardware.prices.rental import first_day

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
    "reference_price_per_accelerator": "amount",
}
REQUIRED: Final = ("server_price", "accelerator_count", "useful_life_years")
"""There is no default of these that would be right for others."""
_POSITIVE: Final = frozenset({*REQUIRED, "server_count", "pue", "utilization_ratio", "availability_ratio", "load_ratio",
                              "hours_per_month"})  # fmt: skip
_WORDS: Final = {
    "capital_method": ("annuity", "straight_line", "declining_value"),
    "monthly_compounding": ("effective", "nominal"),
}
_CURRENCY: Final = re.compile(r"[A-Z]{3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class OwnershipProfileRecord:
    """Inputs of a cost of ownership, as they were stated on a day.

    Attributes:
        accelerator: our id, None where the profile is of none that we know.
        inputs: by the names of `INPUTS`: decimals as plain text, counts as integers, flags as booleans, words.

    Raises:
        PermillionError: `invalid-fields` with the pointer of the input; missing `REQUIRED` ones too.

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
        for name, value in self.inputs.items():
            kind = INPUTS.get(name)
            if kind is None:
                raise PermillionError("invalid-fields", "no such input; see POST /ownership-cost", pointer="/inputs")
            _check(name, kind, value)
        for name in REQUIRED:
            if name not in self.inputs:
                raise _refused(name, "required: there is no default that would be right for others")


def _check(name: str, kind: Kind, value: str | int | bool) -> None:
    if kind == "flag":
        if not isinstance(value, bool):
            raise _refused(name, "true or false")
    elif kind == "word":
        _check_word(name, value)
    elif kind == "count":
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10_000_000:
            raise _refused(name, "a whole number from 1 to 10,000,000")
    else:
        _check_amount(name, kind, value)


def _check_word(name: str, value: str | int | bool) -> None:
    allowed = _WORDS.get(name)
    if allowed is not None and value not in allowed:
        raise _refused(name, f"is {', '.join(allowed)}")
    if allowed is None and (not isinstance(value, str) or _CURRENCY.fullmatch(value) is None):
        raise _refused(name, "an ISO 4217 code, such as USD")


def _check_amount(name: str, kind: Kind, value: str | int | bool) -> None:
    if isinstance(value, bool):
        raise _refused(name, 'write decimals as strings, such as "0.15"')
    amount = Decimal(value) if isinstance(value, int) else parse_decimal(value, pointer=f"/inputs/{name}")
    if amount < 0 or (not amount and name in _POSITIVE):
        raise _refused(name, "is above 0" if name in _POSITIVE else "is 0 or more")
    if kind == "share" and amount > 1:
        raise _refused(name, "a share lies between 0 and 1")
    if name == "pue" and amount < 1:
        raise _refused(name, "is 1 or more: all power of the building for 1 of the machines")


def _refused(name: str, why: str) -> PermillionError:
    return PermillionError("invalid-fields", f"{name}: {why}", pointer=f"/inputs/{name}")
