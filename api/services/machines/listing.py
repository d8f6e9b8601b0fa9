"""Reference records as they are listed: chosen by a few fields, the ones in force at a day, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from catalog.reference import Hardware, Kind, Reference
from catalog.reference.kinds import RENTAL_PRICE
from hardware.prices.rental import RentalPrice, normal_name

Row = tuple[Reference, Any]
ListedRow = tuple[Reference | None, Any]
"""A record with how it is stored; None where it is read from the package and not from the catalog."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of records and the key to go on after, None on the last."""

    rows: Sequence[ListedRow]
    after: str | None


def list_records(
    hardware: Hardware, kind: Kind, limit: int, after: str | None, chosen: Callable[[Any], bool] = lambda _: True
) -> Page:
    """Records of a kind in the order of their keys, those `chosen`, after a key."""
    return _page(((ref, record) for ref, record in hardware.shelf(kind).all() if chosen(record)), limit, after)


@dataclass(frozen=True, slots=True)
class RentalFilter:
    """Which rental prices: None is any. With `as_of`, of each thing only what was newest by then."""

    provider: str | None = None
    sku: str | None = None
    accelerator: str | None = None
    region: str | None = None
    purchase_model: str | None = None
    as_of: date | None = None

    def fits(self, price: RentalPrice) -> bool:
        """Whether the fields fit; `as_of` apart."""
        return (
            self.provider in (None, price.provider)
            and self.accelerator in (None, price.accelerator)
            and self.purchase_model in (None, price.purchase_model)
            and (self.sku is None or normal_name(self.sku) == normal_name(price.sku))
            and (self.region is None or normal_name(self.region) == normal_name(price.region or ""))
        )


def list_rental_prices(hardware: Hardware, asked: RentalFilter, limit: int, after: str | None) -> Page:
    """Rental prices by id."""
    rows: list[Row] = [(ref, price) for ref, price in hardware.shelf(RENTAL_PRICE).all() if asked.fits(price)]
    if asked.as_of is not None:
        rows = _in_force(rows, asked.as_of)
    return _page(rows, limit, after)


def _in_force(rows: Iterable[Row], as_of: date) -> list[Row]:
    """Of each machine, place and way of buying the newest dated record by then; undated ones where there is none."""
    newest: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        price: RentalPrice = row[1]
        seen = price.seen_on
        if seen is not None and seen > as_of:
            continue
        key = (normal_name(price.offer), price.region, price.zone, price.purchase_model, price.term_months, price.unit)
        kept = newest.setdefault(key, [])
        best = kept[0][1].seen_on or date.min if kept else date.min
        if (seen or date.min) > best:
            newest[key] = [row]
        elif (seen or date.min) == best:
            kept.append(row)
    return sorted((row for some in newest.values() for row in some), key=lambda row: row[0].key)


def _page(rows: Iterable[Row], limit: int, after: str | None) -> Page:
    found: list[Row] = []
    for row in rows:
        if after is not None and row[0].key <= after:
            continue
        if len(found) == limit:
            return Page(found, found[-1][0].key)
        found.append(row)
    return Page(found, None)
