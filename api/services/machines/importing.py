"""Use case: import a feed of rental prices. What it would change is worked out first, then recorded as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.catalog import Catalog
from catalog.reference.kinds import RENTAL_PRICE
from economics.errors import PermillionError
from hardware.prices.doubts import PriceDoubts
from hardware.prices.feeds.reading import FeedPrice, Finding, RentalReading
from hardware.prices.rental import RentalPrice

Fate = Literal["added", "changed", "confirmed", "unchanged"]


@dataclass(frozen=True, slots=True)
class PlannedPrice:
    """A price of the feed, what becomes of it, and what is believed of the same thing, None where nothing is."""

    upstream_id: str
    price: RentalPrice
    fate: Fate
    before: RentalPrice | None


@dataclass(frozen=True, slots=True)
class RentalImportPlan:
    """All of an import, nothing of it written.

    Attributes:
        quarantined: prices that need a person, with the reason; they are not recorded.
        unmapped: names of no accelerator known here, with the number of prices kept under each.
    """

    planned: Sequence[PlannedPrice]
    refused: Sequence[Finding]
    corrected: Sequence[Finding]
    quarantined: Sequence[Finding]
    unmapped: Mapping[str, int]
    entries: int
    without_accelerator: int

    def counts(self) -> dict[str, int]:
        """How many rows the feed has and what becomes of its prices."""
        fates = Counter(planned.fate for planned in self.planned)
        return {
            "entries": self.entries,
            "no accelerator": self.without_accelerator,
            **{fate: fates[fate] for fate in ("added", "changed", "confirmed", "unchanged")},
            "corrected": len(self.corrected),
            "refused": len(self.refused),
            "quarantined": len(self.quarantined),
            "unmapped": sum(self.unmapped.values()),
        }

    def records(self) -> list[RentalPrice]:
        """The prices to record."""
        return [planned.price for planned in self.planned if planned.fate != "unchanged"]


def plan_rental_import(
    catalog: Catalog, reading: RentalReading, *, accept_quarantined: bool = False
) -> RentalImportPlan:
    """Work out what importing `reading` would do.

    `added` is a price of something of which nothing is believed, `changed` one that differs from what is, `confirmed` the
    same price seen on another day, `unchanged` a record that is believed already.

    Raises:
        PermillionError: `invalid-feed` where there is nothing to import at all.
    """
    if not (reading.prices or reading.refused or reading.without_accelerator):
        raise PermillionError("invalid-feed", "the file has no entry")
    hardware = catalog.snapshot.hardware
    believed = {price.id: price for price in hardware.rental_prices}
    doubts = PriceDoubts(believed.values(), (row.price for row in reading.prices))
    planned: list[PlannedPrice] = []
    quarantined: list[Finding] = []
    for row in reading.prices:
        before = doubts.before(row.price)
        fate = _fate(row, believed.get(row.price.id), before)
        doubt = None if fate == "unchanged" or accept_quarantined else doubts.about(row.price)
        if doubt is None:
            planned.append(PlannedPrice(row.upstream_id, row.price, fate, before))
        else:
            quarantined.append(Finding(row.upstream_id, *doubt))
    return RentalImportPlan(
        planned,
        reading.refused,
        reading.corrected,
        quarantined,
        reading.unmapped,
        reading.entries,
        reading.without_accelerator,
    )


def _fate(row: FeedPrice, same: RentalPrice | None, before: RentalPrice | None) -> Fate:
    if same == row.price:
        return "unchanged"
    if before is None:
        return "added"
    equal = before.currency == row.price.currency and before.amount == row.price.amount
    return "confirmed" if equal and before.accelerator_count == row.price.accelerator_count else "changed"


def publish_rental_import(catalog: Catalog, plan: RentalImportPlan) -> str:
    """Record what is planned, all of it or nothing; the catalog version after it.

    Raises:
        PermillionError: as `catalog.reference.writing.record_private`.
    """
    records = plan.records()
    if records:
        catalog.record_reference(RENTAL_PRICE, records, imported=True)
    return catalog.snapshot.version
