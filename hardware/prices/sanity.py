"""What makes a rental price doubtful: beside its accelerator's median, its own spot price, its larger machine, the day.

Nothing here refuses; an importer quarantines on these, an answer warns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from statistics import median
from typing import Final

from hardware.prices.rental import PurchaseModel, RentalPrice, normal_name

STALE_DAYS: Final = 90
LOW: Final = Fraction(3, 10)
HIGH: Final = Fraction(3)
FEWEST: Final = 3
"""Prices of one accelerator, bought one way, below which a median says little."""

WARNINGS: Final[Mapping[str, str]] = {
    "price_far_below_median": "under 0.3 times the median price of this accelerator: a bid floor, a slice or a placeholder?",
    "price_far_above_median": "over 3 times the median price of this accelerator: a placeholder, or a whole machine?",
    "spot_not_below_on_demand": "the spot price is not below the on-demand price of the same machine on the same day",
    "price_falls_with_count": "a larger machine of the same series costs less in all: a price per accelerator?",
    "price_stale": "seen more than 90 days before as_of",
    "price_undated": "when the price was seen is not known",
    "accelerator_unmapped": "the accelerator's name is none that is known here",
    "host_not_in_price": "the price does not cover a whole machine",
    "price_tax_unknown": "whether tax is included is not stated",
    "confidence_low": "press, a hand-curated list or a disputed figure",
}


class PriceSanity:
    """Compares rental prices with others of their kind.

    Args:
        prices: those believed; medians are over the newest of each machine, region and source.
    """

    def __init__(self, prices: Iterable[RentalPrice]) -> None:
        self._prices = list(prices)

    @cached_property
    def _medians(self) -> dict[tuple[str | None, str, str], tuple[int, Fraction]]:
        """How many prices there are of a kind, and their median."""
        rates: dict[tuple[str | None, str, str], list[Fraction]] = {}
        for price in self._prices:
            if price.accelerator is not None and price.coverage != "host_only":
                rates.setdefault(_kind(price), []).append(hourly(price))
        return {kind: (len(some), Fraction(median(some))) for kind, some in rates.items()}

    @cached_property
    def _on_demand(self) -> dict[tuple[str, ...], list[RentalPrice]]:
        found: dict[tuple[str, ...], list[RentalPrice]] = {}
        for price in self._prices:
            if price.purchase_model == "on_demand":
                found.setdefault(_machine(price), []).append(price)
        return found

    def median(
        self, accelerator: str | None, purchase_model: PurchaseModel, currency: str, fewest: int = FEWEST
    ) -> Fraction | None:
        """The median price per accelerator-hour, None where fewer than `fewest` are known."""
        found = self._medians.get((accelerator, purchase_model, currency))
        return found[1] if found is not None and found[0] >= fewest else None

    def on_demand_of(self, price: RentalPrice) -> RentalPrice | None:
        """The on-demand price of the same machine from the same look at it."""
        return next((p for p in self._on_demand.get(_machine(price), ()) if p.currency == price.currency), None)

    def warnings(self, price: RentalPrice, as_of: date | None = None) -> list[str]:
        """Codes of `WARNINGS`; `price_stale` only where `as_of` is given."""
        found = [*self._beside_others(price)]
        if price.seen_on is None:
            found.append("price_undated")
        elif as_of is not None and (as_of - price.seen_on).days > STALE_DAYS:
            found.append("price_stale")
        if price.accelerator is None:
            found.append("accelerator_unmapped")
        if price.coverage != "whole_instance":
            found.append("host_not_in_price")
        if price.tax_included is None:
            found.append("price_tax_unknown")
        if price.confidence == "low":
            found.append("confidence_low")
        return found

    def _beside_others(self, price: RentalPrice) -> Iterable[str]:
        middle = self.median(price.accelerator, price.purchase_model, price.currency)
        if middle is not None and price.coverage != "host_only":
            ratio = hourly(price) / middle
            if ratio < LOW:
                yield "price_far_below_median"
            elif ratio > HIGH:
                yield "price_far_above_median"
        if price.purchase_model == "spot":
            beside = self.on_demand_of(price)
            if beside is not None and hourly(price) >= hourly(beside):
                yield "spot_not_below_on_demand"
        if any(_falls(price, other) for other in self._series.get(_series(price), ())):
            yield "price_falls_with_count"

    @cached_property
    def _series(self) -> dict[tuple[object, ...], list[RentalPrice]]:
        found: dict[tuple[object, ...], list[RentalPrice]] = {}
        for price in self._prices:
            found.setdefault(_series(price), []).append(price)
        return found


def hourly(price: RentalPrice) -> Fraction:
    """Price per accelerator and hour, exact."""
    return Fraction(price.amount) / price.accelerator_count


def _kind(price: RentalPrice) -> tuple[str | None, str, str]:
    return price.accelerator, price.purchase_model, price.currency


def _machine(price: RentalPrice) -> tuple[str, ...]:
    where = (normal_name(price.region or ""), normal_name(price.zone or ""))
    return (normal_name(price.offer), *where, price.as_of or price.source_version or "", price.source)


def _series(price: RentalPrice) -> tuple[object, ...]:
    """Machines of one provider that differ in count alone: same accelerator, place, way of buying and look."""
    where = (price.region, price.zone, price.as_of, price.source)
    return (price.provider, price.accelerator, price.unit, price.purchase_model, price.term_months, *where)


def _falls(price: RentalPrice, larger: RentalPrice) -> bool:
    return larger.accelerator_count > price.accelerator_count and Decimal(larger.amount) < price.amount
