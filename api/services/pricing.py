"""Use case: the exact cost of stated usage, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from api.services.offers import OfferName, ResolvedOffer, resolve, standing_warnings
from catalog.snapshot import Snapshot
from economics.billing import Bill, Standing, bill, standing
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


@dataclass(frozen=True, slots=True)
class PricedUsage:
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


def price_usage(row: UsageToPrice, snapshot: Snapshot, exchange: Exchange | None = None) -> PricedUsage:
    """The cost of one row; an error becomes part of the answer, so that the other rows are answered.

    Args:
        row: the usage.
        snapshot: the catalog as it is pinned for the whole request.
        exchange: converts the total; None leaves it in the currency of its book.
    """
    answer = PricedUsage(row.row_id, row.name, row.as_of)
    try:
        resolved = resolve(row.name, row.as_of, snapshot)
        result = bill(resolved.card, row.usage, row.search_queries)
        native = native_currency(resolved)
        conversion = None if exchange is None else exchange.conversion(native)
    except PermillionError as error:
        return replace(answer, error=error)
    stands = standing([line.rate for line in result.lines], row.as_of)
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
        [*result.warnings, *standing_warnings(stands, resolved, row.as_of)],
    )


def native_currency(resolved: ResolvedOffer) -> str:
    """The one currency of an offer's rates."""
    for rates in resolved.card.rates.values():
        return rates[0].row.currency
    return resolved.offer.book.currency
