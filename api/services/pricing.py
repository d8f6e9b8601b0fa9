"""Use case: the exact cost of stated usage, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from api.services.agreeing import standing_of
from api.services.offers import OfferName, ResolvedOffer, Served, resolve, standing_warnings
from catalog.snapshot import Snapshot
from economics.billing import Bill, Standing, bill
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.money import Exact

RowId = str | int


@dataclass(frozen=True, slots=True)
class UsageToPrice:
    """One row of `POST /price`: what was used, of which offer, when."""

    row_id: RowId
    name: OfferName
    as_of: datetime
    usage: Mapping[str, Decimal | int]
    search_queries: Sequence[str] | None = None
    served: Served | None = None


class PricedUsage(NamedTuple):
    """The bill of one row, or why there is none."""

    row_id: RowId
    name: OfferName
    as_of: datetime
    resolved: ResolvedOffer | None = None
    bill: Bill | None = None
    total: Exact | None = None
    currency: str | None = None
    native_currency: str | None = None
    conversion: Conversion | None = None
    standing: Standing | None = None
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


class RowPricer:
    """Prices the rows of one request: one snapshot, one currency; what rows have in common is found once.

    Args:
        snapshot: the catalog as it is pinned for the whole request.
        exchange: converts totals; None leaves each in the currency of its book.
    """

    def __init__(self, snapshot: Snapshot, exchange: Exchange | None = None) -> None:
        self._snapshot = snapshot
        self._exchange = exchange
        self._resolved: dict[tuple[object, ...], ResolvedOffer] = {}
        self._standings: dict[tuple[object, ...], tuple[Standing, list[str]]] = {}

    def price(self, row: UsageToPrice) -> PricedUsage:
        """The cost of one row; an error becomes part of the answer, so that the other rows are answered."""
        try:
            resolved = self._resolve(row)
            result = bill(resolved.card, row.usage, row.search_queries)
            native = native_currency(resolved)
            conversion = None if self._exchange is None else self._exchange.conversion(native)
        except PermillionError as error:
            return PricedUsage(row.row_id, row.name, row.as_of, error=error)
        stands, warnings = self._standing(result, resolved, row.as_of)
        return _priced(row, resolved, result, native, conversion, self._exchange, stands, warnings)

    def _resolve(self, row: UsageToPrice) -> ResolvedOffer:
        name = row.name
        key: tuple[object, ...] = (name.offer, name.price_book, *name.context.items(), row.as_of)
        if row.served is not None:
            key = (*key, "served", *row.served.stated.items(), None, *row.served.by_vendor.items())
        found = self._resolved.get(key)
        if found is None:
            found = self._resolved[key] = resolve(name, row.as_of, self._snapshot, row.served)
        return found

    def _standing(self, result: Bill, resolved: ResolvedOffer, as_of: datetime) -> tuple[Standing, list[str]]:
        key = (as_of, id(resolved), *[id(line.rate) for line in result.lines])
        found = self._standings.get(key)
        if found is None:
            found = self._standings[key] = _standing_and_warnings(result, resolved, as_of)
        return found


def price_usage(row: UsageToPrice, snapshot: Snapshot, exchange: Exchange | None = None) -> PricedUsage:
    """One row by itself, with nothing kept for others; `RowPricer` for several."""
    try:
        resolved = resolve(row.name, row.as_of, snapshot, row.served)
        result = bill(resolved.card, row.usage, row.search_queries)
        native = native_currency(resolved)
        conversion = None if exchange is None else exchange.conversion(native)
    except PermillionError as error:
        return PricedUsage(row.row_id, row.name, row.as_of, error=error)
    stands, warnings = _standing_and_warnings(result, resolved, row.as_of)
    return _priced(row, resolved, result, native, conversion, exchange, stands, warnings)


def _standing_and_warnings(result: Bill, resolved: ResolvedOffer, as_of: datetime) -> tuple[Standing, list[str]]:
    stands = standing_of([line.rate for line in result.lines], resolved.offer.witnesses, as_of)
    return stands, standing_warnings(stands, resolved, as_of)


def _priced(
    row: UsageToPrice,
    resolved: ResolvedOffer,
    result: Bill,
    native: str,
    conversion: Conversion | None,
    exchange: Exchange | None,
    stands: Standing,
    warnings: list[str],
) -> PricedUsage:
    return PricedUsage(
        row.row_id,
        row.name,
        row.as_of,
        resolved,
        result,
        result.total if conversion is None else result.total * conversion.factor,
        native if exchange is None else exchange.wanted,
        native,
        conversion,
        stands,
        [*result.warnings, *warnings] if result.warnings else warnings,
    )


def native_currency(resolved: ResolvedOffer) -> str:
    """The one currency of an offer's rates."""
    for rates in resolved.card.rates.values():
        return rates[0].row.currency
    return resolved.offer.book.currency
