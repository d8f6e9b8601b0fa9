"""What keeps a feed's price from being believed without a person: jumps, and outliers among a model's siblings.

A figure ten times off is far more often a mistaken unit than a price: per thousand for per million, cents for dollars, a
missing digit. Such rows are quarantined: reported, not published, until somebody accepts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from statistics import median_low
from typing import Final

from api.services.importing.outcome import Outcome
from catalog.publishing import NewRow
from catalog.snapshot import Snapshot
from economics.agreement import Comparable, comparables, compare_prices, price_of_unit, worst
from economics.errors import PermillionError
from economics.prices import PriceRow, PriceStatus
from providers.feeds import FeedRow

JUMP: Final = 10
"""A change by this factor is not believed without a person."""
OUTLIER: Final = 100
"""So many times its siblings' price is not believed where no other source says so."""
_SIBLINGS: Final = 3


class Doubts:
    """Compares a feed's rows with the vendors' list prices, with what was believed, and among themselves.

    Args:
        snapshot: with the list books.
        rows: of the feed.
        seen_on: the day the feed was taken: list prices of that day are compared.
    """

    def __init__(self, snapshot: Snapshot, rows: Sequence[FeedRow], seen_on: date) -> None:
        self._snapshot = snapshot
        self._at = datetime(seen_on.year, seen_on.month, seen_on.day, 12, tzinfo=UTC)
        self._listed: dict[tuple[str, str, str], dict[Comparable, PriceRow]] = {}
        prices: dict[tuple[str, str, str, Comparable], dict[str, Fraction]] = {}
        for row in rows:
            for key in _families(row.provider, row.model, row.row):
                prices.setdefault(key, {})[row.model.casefold()] = price_of_unit(row.row)
        self._siblings = {key: sorted(some.values()) for key, some in prices.items() if len(some) > _SIBLINGS}

    def about(self, new: NewRow, outcome: Outcome) -> str:
        """Why a person should look at the row before it is believed, or ""."""
        before = outcome.before
        if outcome.kind == "changed" and before is not None and _jumps(before, new.row):
            return f"was {before.rate:f} per {before.per}, would be {new.row.rate:f} per {new.row.per}"
        if outcome.kind not in ("added", "changed"):
            return ""
        listed = self._list_price(new)
        if listed is not None:
            if _jumps(listed, new.row):
                return f"the list has {listed.rate:f} per {listed.per}, this says {new.row.rate:f} per {new.row.per}"
            return ""
        price = price_of_unit(new.row)
        for key in _families(new.provider, new.model, new.row):
            siblings = self._siblings.get(key)
            if siblings and price and (middle := median_low(siblings)) and price / middle >= OUTLIER:
                times = int(price / middle)
                return f"{times} times the usual price of {new.provider}/{key[1]}…; no list price speaks for it"
        return ""

    def status(self, new: NewRow) -> PriceStatus:
        """What the vendor's list makes of the price: `OK` where it agrees or does not know."""
        listed = self._list_price(new)
        return worst([] if listed is None else [compare_prices(listed, new.row).status])

    def _list_price(self, new: NewRow) -> PriceRow | None:
        if not new.row.period.contains(self._at):
            return None
        key = (*new.model_key, new.row.currency)
        listed = self._listed.get(key)
        if listed is None:
            listed = self._listed[key] = self._list_prices(new)
        return next((listed[about] for about in comparables(new.row) if about in listed), None)

    def _list_prices(self, new: NewRow) -> dict[Comparable, PriceRow]:
        facts = next((f for n, f in self._snapshot.providers.items() if n.casefold() == new.model_key[0]), None)
        for book in () if facts is None else facts.books.values():
            if book.currency != new.row.currency:
                continue
            try:
                offer = self._snapshot.offer(new.provider, new.model, book.id, self._at)
            except PermillionError:
                continue
            rows = (row for row in offer.prices.rows if row.period.contains(self._at))
            return {about: row for row in rows for about in comparables(row)}
        return {}


def _jumps(before: PriceRow, after: PriceRow) -> bool:
    one, other = price_of_unit(before), price_of_unit(after)
    if not one or not other:
        return one != other  # from free to charged, or back, is no usual change of price
    return max(one / other, other / one) >= JUMP


def _families(provider: str, model: str, row: PriceRow) -> list[tuple[str, str, str, Comparable]]:
    """Under which keys a price has siblings: its vendor's models whose ids begin with the same word."""
    word = model.casefold().replace("/", "-").partition("-")[0]
    return [(provider.casefold(), word, row.currency, about) for about in comparables(row)]
