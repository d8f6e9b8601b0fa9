"""What keeps a price of a feed from being believed without a person: it is far from all others, or from what was believed.

A figure ten times off is far more often a mistaken unit, a placeholder or a least bid than a price. Such rows are quarantined:
reported, not recorded, until somebody accepts them.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from hardware.prices.rental import RentalPrice, normal_name
from hardware.prices.sanity import HIGH, LOW, PriceSanity, hourly

JUMP: Final = Fraction(3)
FAR: Final = Fraction(10)
_NEAR_SPOT: Final = Fraction(1, 4)
_HALF: Final = Fraction(1, 2)


class PriceDoubts:
    """Compares a feed's prices with what is believed; where too little is, with each other.

    Args:
        believed: rental prices, of all sources.
        feed: the prices of the feed.
    """

    def __init__(self, believed: Iterable[RentalPrice], feed: Iterable[RentalPrice]) -> None:
        known = list(believed)
        self._believed = PriceSanity(known)
        self._siblings = PriceSanity([*known, *feed])
        self._of_thing: dict[tuple[object, ...], RentalPrice] = {}
        self._of_machine: dict[tuple[str, str], list[RentalPrice]] = {}
        for price in sorted(known, key=lambda p: p.as_of or ""):
            self._of_thing[thing(price)] = price
            self._of_machine.setdefault((normal_name(price.offer), price.purchase_model), []).append(price)

    def before(self, price: RentalPrice) -> RentalPrice | None:
        """What is believed of the same thing: the newest record, None where there is none."""
        return self._of_thing.get(thing(price))

    def about(self, price: RentalPrice) -> tuple[str, str] | None:
        """Reason (of `feeds.reading.QUARANTINES`) and detail why a person should look, None where nothing is odd."""
        before = self.before(price)
        if before is not None and before.currency == price.currency and _factor(before, price) > JUMP:
            return "jump", f"was {before.amount:f}, would be {price.amount:f} {price.currency} an hour"
        if price.purchase_model == "on_demand" and (spot := self._like_spot(price)) is not None:
            return "spot-labelled-on-demand", f"{price.amount:f}, where spot is {spot.amount:f}"
        middle = self._median(price)
        if middle is None or before is not None:
            return None
        ratio = hourly(price) / middle
        shown = f"{float(ratio):.3g} times the usual {float(middle):.4g} {price.currency} per accelerator-hour"
        if ratio >= FAR:
            return "placeholder-price", shown
        if ratio <= 1 / FAR:
            return "bid-floor", shown
        return ("off-median", shown) if not LOW <= ratio <= HIGH else None

    def _median(self, price: RentalPrice) -> Fraction | None:
        kind = (price.accelerator, price.purchase_model, price.currency)
        return self._believed.median(*kind, fewest=1) or self._siblings.median(*kind)

    def _like_spot(self, price: RentalPrice) -> RentalPrice | None:
        machine = normal_name(price.offer)
        listed = [p for p in self._of_machine.get((machine, "on_demand"), ()) if p.currency == price.currency]
        if not listed or hourly(price) >= _HALF * min(map(hourly, listed)):
            return None
        spots = (p for p in self._of_machine.get((machine, "spot"), ()) if p.currency == price.currency)
        return next((p for p in spots if abs(hourly(price) / hourly(p) - 1) <= _NEAR_SPOT), None)


def thing(price: RentalPrice) -> tuple[object, ...]:
    """What a price is of, whoever says so and when: machine, place, way of buying, unit."""
    where = (normal_name(price.region or ""), normal_name(price.zone or ""))
    return (normal_name(price.offer), *where, price.purchase_model, price.term_months, price.unit)


def _factor(one: RentalPrice, other: RentalPrice) -> Fraction:
    ratio = hourly(one) / hourly(other)
    return max(ratio, 1 / ratio)
