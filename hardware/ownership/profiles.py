"""The profiles of this package, and what others publish to hold a figure against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import yaml

from economics.errors import PermillionError
from economics.money import parse_decimal
from economics.ownership.profile import OwnershipProfile

FILE: Final = Path(__file__).with_name("profiles.yaml")
_KINDS: Final = {field.name: str(field.type).removesuffix(" | None") for field in fields(OwnershipProfile)}


@dataclass(frozen=True, slots=True)
class SourcedProfile:
    """Fields of an `OwnershipProfile` with the source that states them.

    Attributes:
        stated: by field name, as the dataclass takes them.
        as_of: day of the figures.
    """

    id: str
    title: str
    accelerator: str | None
    as_of: str
    source: str
    notes: str
    stated: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Cost of an owned accelerator-hour as somebody publishes it, and a usual purchase price; None where not known."""

    hyperscaler_per_hour: Decimal | None = None
    neocloud_per_hour: Decimal | None = None
    cost_source: str | None = None
    purchase_price: Decimal | None = None
    purchase_source: str | None = None
    currency: str = "USD"


def read_fields(texts: Mapping[str, str]) -> dict[str, Any]:
    """Fields as text in the types of `OwnershipProfile`.

    >>> read_fields({"pue": "1.25", "accelerator_count": "8", "capital_method": "annuity"})
    {'pue': Decimal('1.25'), 'accelerator_count': 8, 'capital_method': 'annuity'}
    """
    return {name: _READERS[_KINDS[name]](text) for name, text in texts.items()}


_READERS: Final[Mapping[str, Any]] = {
    "Decimal": parse_decimal,
    "int": int,
    "str": str,
    "bool": lambda text: text == "true",
}


@cache
def _document() -> Mapping[str, Any]:
    # the base loader leaves every scalar text: 0.09 would be a float, 2024-12-17 a date
    loaded = yaml.load(FILE.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - it builds text alone
    return MappingProxyType(loaded)


@cache
def shipped_profiles() -> Mapping[str, SourcedProfile]:
    """The profiles of this package by id."""
    return MappingProxyType(
        {
            row["id"]: SourcedProfile(
                id=row["id"],
                title=row["title"],
                accelerator=row.get("accelerator"),
                as_of=row["as_of"],
                source=row["source"],
                notes=row.get("notes", ""),
                stated=MappingProxyType(read_fields(row["fields"])),
            )
            for row in _document()["profiles"]
        }
    )


def shipped_profile(name: str) -> SourcedProfile:
    """One profile of this package.

    Raises:
        PermillionError: `unknown-ownership-profile`, naming up to three near ones.

    >>> shipped_profile("reference-8xh100-colocated").stated["server_price"]
    Decimal('280000')
    """
    found = shipped_profiles().get(name)
    if found is None:
        near = get_close_matches(name[:100], shipped_profiles(), 3, 0.4)
        raise PermillionError(
            "unknown-ownership-profile",
            "no profile of this id" + (f"; near ones: {', '.join(near)}" if near else ""),
            pointer="/profile",
        )
    return found


@cache
def anchors() -> Mapping[str, Anchor]:
    """By accelerator id, what is published of its cost and its price; all in USD.

    H100: 1.30 an hour for a hyperscaler, 1.69 for a neocloud (InferenceX, 2026-04).

    >>> anchors()["h100-sxm"].neocloud_per_hour
    Decimal('1.69')
    """
    costs, prices = _document()["anchors"], _document()["purchase_prices"]
    cost_rows = {row["accelerator"]: row for row in costs["rows"]}
    price_rows = {row["accelerator"]: row for row in prices["rows"]}
    found = {}
    for name in sorted({*cost_rows, *price_rows}):
        cost, price = cost_rows.get(name), price_rows.get(name)
        found[name] = Anchor(
            hyperscaler_per_hour=None if cost is None else parse_decimal(cost["hyperscaler"]),
            neocloud_per_hour=None if cost is None else parse_decimal(cost["neocloud"]),
            cost_source=None if cost is None else f"{costs['source']}, {costs['as_of']}",
            purchase_price=None if price is None else parse_decimal(price["price"]),
            purchase_source=None if price is None else f"{prices['source']}, {price['as_of']}",
        )
    return MappingProxyType(found)
