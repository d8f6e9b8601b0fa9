"""Finding the rental price in force: of one machine in one region, bought one way, at one day."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from functools import cached_property
from typing import Final

from catalog.near import NearNames, did_you_mean
from economics.errors import PermillionError
from hardware.prices.rental import RentalPrice, normal_name

_MAX_NAMED: Final = 3


class RentalOffers:
    """Rental prices by `provider/instance`.

    Args:
        prices: all that are believed.
        own: ids of those that the tenant wrote down: they stand above what anybody else says.
    """

    def __init__(self, prices: Iterable[RentalPrice], own: Collection[str] = ()) -> None:
        self._own = own
        self._by_offer: dict[str, list[RentalPrice]] = {}
        for price in prices:
            self._by_offer.setdefault(normal_name(price.offer), []).append(price)

    def find(
        self, offer: str, region: str | None, as_of: date | None, purchase_model: str, term_months: int | None
    ) -> RentalPrice:
        """The newest price seen by `as_of`.

        The tenant's own price, where there is one by then, stands above shipped and imported ones. A record without a region is of
        all of the provider's. Undated records answer only where no dated one does. Prices
        of zones or regions that differ are not chosen among: the caller says which.

        Args:
            offer: `provider/instance`, without regard to case, blanks and underscores alike.
            region: None for any, if they agree.
            as_of: None for the newest.
            purchase_model: `on_demand`, `spot`, `commit`, `reserved` or `block`.
            term_months: of a commitment, None for any if there is one only.

        Raises:
            PermillionError: `unknown-rental-price` saying what there is, `ambiguous-price` naming the records.
        """
        prices = self._by_offer.get(normal_name(offer))
        if prices is None:
            near = did_you_mean(self._near.near(offer))
            raise _unknown(f"no such machine has a rental price; GET /rental-prices lists them{near}")
        bought = [p for p in prices if p.purchase_model == purchase_model]
        if not bought:
            raise _unknown(f"not known as {purchase_model}; known are {_named({p.purchase_model for p in prices})}")
        if term_months is not None:
            termed = [p for p in bought if p.term_months == term_months]
            if not termed:
                terms = _named({str(p.term_months) for p in bought if p.term_months is not None})
                raise _unknown(f"no commitment of {term_months} months is known; known are {terms}")
            bought = termed
        placed = bought if region is None else [p for p in bought if p.region is None or _in(p, region)]
        if not placed:
            raise _unknown(f"not known in that region; known are {_named({p.region or 'any' for p in bought})}")
        own = [p for p in placed if p.id in self._own and (as_of is None or (p.seen_on or as_of) <= as_of)]
        return _newest(own or placed, as_of)

    @cached_property
    def _near(self) -> NearNames:
        return NearNames(some[0].offer for some in self._by_offer.values())


def _in(price: RentalPrice, region: str) -> bool:
    key = normal_name(region)
    return price.region is not None and key in (
        normal_name(price.region),
        normal_name(price.zone or price.region),
        normal_name(f"{price.region}/{price.zone}"),
    )


def _newest(prices: list[RentalPrice], as_of: date | None) -> RentalPrice:
    dated = [(seen, p) for p in prices if (seen := p.seen_on) is not None and (as_of is None or seen <= as_of)]
    if dated:
        latest = max(seen for seen, _ in dated)
        found = [p for seen, p in dated if seen == latest]
    else:
        found = [p for p in prices if p.seen_on is None]
    if not found:
        first = min(seen for p in prices if (seen := p.seen_on) is not None)
        raise _unknown(f"nothing was seen of it by then; the first price is of {first}")
    priced = {(p.per_accelerator.to_text(), p.currency, p.unit, p.accelerator_count) for p in found}
    if len(priced) > 1:
        ids = _named({p.id for p in found})
        raise PermillionError(
            "ambiguous-price", f"{len(found)} prices fit; say the region, or one of the ids: {ids}", pointer="/region"
        )
    return min(found, key=lambda p: p.id)


def _named(names: Iterable[str]) -> str:
    known = sorted(names)
    return ", ".join(known[:_MAX_NAMED]) + (f" and {len(known) - _MAX_NAMED} more" if len(known) > _MAX_NAMED else "")


def _unknown(detail: str) -> PermillionError:
    return PermillionError("unknown-rental-price", detail)
