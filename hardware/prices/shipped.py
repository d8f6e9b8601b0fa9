"""The rental prices of this package: facts of public collections, one record a price, each under its source's terms."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from hardware.prices.rental import RentalPrice

TABLE: Final = Path(__file__).with_name("rental_prices.csv")
SOURCES: Final = Path(__file__).with_name("sources.csv")


@cache
def price_sources() -> Mapping[str, Mapping[str, str]]:
    """Sources of rental and purchase prices by key: title, version, license, attribution."""
    with SOURCES.open(encoding="utf-8", newline="") as lines:
        return MappingProxyType({row["source"]: row for row in csv.DictReader(lines)})


def _price(row: Mapping[str, str]) -> RentalPrice:
    source = price_sources()[row["source"]]
    said: dict[str, Any] = {name: row[name] or None for name in ("accelerator", "region", "zone", "as_of", "as_of_gap")}
    return RentalPrice(
        provider=row["provider"],
        sku=row["sku"],
        accelerator_as_named=row["accelerator_as_named"],
        accelerator_count=int(row["accelerator_count"]),
        unit=row["unit"],  # type: ignore[arg-type]  # the table is ours; a test holds it to the allowed values
        coverage=row["coverage"],  # type: ignore[arg-type]  # as above
        purchase_model=row["purchase_model"],  # type: ignore[arg-type]  # as above
        amount=Decimal(row["amount"]),
        currency=row["currency"],
        source=source["title"],
        source_version=source["version"] or None,
        license=source["license"] or None,
        term_months=_whole(row["term_months"]),
        upfront_share=Decimal(row["upfront_share"]) if row["upfront_share"] else None,
        billing_increment_s=_whole(row["billing_increment_s"]),
        minimum_s=_whole(row["minimum_s"]),
        confidence=row["confidence"],  # type: ignore[arg-type]  # as above
        tax_included=row["tax_included"] == "true" if row["tax_included"] else None,
        variant=row["variant"],
        note=row["note"],
        **said,
    )


def _whole(text: str) -> int | None:
    return int(text) if text else None


@cache
def shipped_rental_prices() -> Mapping[str, RentalPrice]:
    """The rental prices of this package by id.

    >>> price = shipped_rental_prices()["aws/p5.48xlarge:us-east-1:on_demand:2026-09-06"]
    >>> price.amount, price.accelerator_count, price.unit
    (Decimal('55.04'), 8, 'instance')
    """
    with TABLE.open(encoding="utf-8", newline="") as lines:
        found = [_price(row) for row in csv.DictReader(lines)]
    return MappingProxyType({price.id: price for price in found})
