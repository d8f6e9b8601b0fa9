"""Purchase prices: what one accelerator inside a server was sold or listed for on one day."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hardware.prices.rental import first_day

TABLE: Final = Path(__file__).with_name("purchase_prices.csv")


@dataclass(frozen=True, slots=True)
class PurchasePrice:
    """One dated price of one accelerator as part of a system: list, street or estimate, as `note` says.

    Attributes:
        id: `h100-sxm:2025-01-31`, with a number where one day has several.
        accelerator: our id.
        amount: per accelerator, host share included where `system_accelerators` is above 1.
        system_accelerators: accelerators of the system it was part of, None where not stated.
        estimated: the source says that it is no price anybody paid or asked.

    An H100 inside an 8-GPU HGX was 31,904.63 USD on 2025-01-31 (Epoch); a list price can be 2.5 times that.
    """

    id: str
    accelerator: str
    accelerator_as_named: str
    amount: Decimal
    currency: str
    system_accelerators: int | None
    estimated: bool
    as_of: str
    source: str
    source_version: str
    license: str
    note: str


def _price(row: Mapping[str, str]) -> PurchasePrice:
    first_day(row["as_of"])
    return PurchasePrice(
        id=row["id"],
        accelerator=row["accelerator"],
        accelerator_as_named=row["accelerator_as_named"],
        amount=Decimal(row["amount"]),
        currency=row["currency"],
        system_accelerators=int(row["system_accelerators"]) if row["system_accelerators"] else None,
        estimated=row["estimated"] == "true",
        as_of=row["as_of"],
        source=row["source"],
        source_version=row["source_version"],
        license=row["license"],
        note=row["note"],
    )


@cache
def shipped_purchase_prices() -> Mapping[str, PurchasePrice]:
    """The purchase prices of this package by id.

    >>> shipped_purchase_prices()["h100-sxm:2025-01-31"].amount
    Decimal('31904.63')
    """
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return MappingProxyType({row["id"]: _price(row) for row in csv.DictReader(lines)})
