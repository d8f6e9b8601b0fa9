"""Use case: blended prices of offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from api.services.agreeing import standing_of
from api.services.offers import OfferName, ResolvedOffer, resolve, standing_warnings
from api.services.pricing import RowId, native_currency
from catalog.snapshot import Snapshot
from economics.billing import Standing
from economics.blended import Weights, blended_per_mtok
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.money import Exact


@dataclass(frozen=True, slots=True)
class OfferToBlend:
    """An offer at an instant, or (with `error`) why the caller's entry is none."""

    row_id: RowId
    name: OfferName
    as_of: datetime
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class BlendedOffer:
    """The blended price of one offer, native and as asked for, or why there is none."""

    asked: OfferToBlend
    resolved: ResolvedOffer | None = None
    native: Exact | None = None
    native_currency: str | None = None
    conversion: Conversion | None = None
    standing: Standing | None = None
    warnings: Sequence[str] = field(default_factory=tuple)
    error: PermillionError | None = None

    @property
    def converted(self) -> Exact | None:
        """In the currency of the answer."""
        return self.native if self.native is None or self.conversion is None else self.native * self.conversion.factor


def blend(
    asked: OfferToBlend, weights: Weights, lengths: tuple[int, int], snapshot: Snapshot, exchange: Exchange | None
) -> BlendedOffer:
    """One offer's price at the mix `weights` for a prompt and an answer of `lengths`; an error becomes part of the answer."""
    if asked.error is not None:
        return BlendedOffer(asked, error=asked.error)
    try:
        resolved = resolve(asked.name, asked.as_of, snapshot)
        price, used, warnings = blended_per_mtok(resolved.card, weights, *lengths)
        native = native_currency(resolved)
        conversion = None if exchange is None else exchange.conversion(native)
    except PermillionError as error:
        return BlendedOffer(asked, error=error)
    stands = standing_of(used, resolved.offer.witnesses, asked.as_of)
    noted = [*warnings, *standing_warnings(stands, resolved, asked.as_of)]
    return BlendedOffer(asked, resolved, price, native, conversion, stands, noted)
