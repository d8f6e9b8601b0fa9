"""From the name of an offer to the rates in force for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from catalog.snapshot import Offer, Snapshot
from economics.billing import Standing
from economics.context import Vocabulary, format_context
from economics.errors import PermillionError
from economics.periods import format_instant
from economics.prices import PriceStatus
from economics.rate_card import RateCard

CHANGE_NOTICE = timedelta(days=90)
"""How long before its end a price in force is announced to change."""

_STATUS_WARNINGS = {
    PriceStatus.STALE: "price_stale",
    PriceStatus.DISPUTED: "price_disputed",
    PriceStatus.SUSPECT: "price_suspect",
    PriceStatus.UNCONFIRMED_START: "price_start_unconfirmed",
}


@dataclass(frozen=True, slots=True)
class OfferName:
    """What a caller calls an offer: `provider/model`, a book (None for the default one), a context."""

    offer: str
    price_book: str | None
    context: Mapping[str, str]


class ResolvedOffer(NamedTuple):
    """An offer of the catalog with the rates that hold at an instant in a context."""

    offer: Offer
    card: RateCard
    context: Mapping[str, str]
    context_text: str
    served_text: str = ""
    served_differs: bool = False


_NO_NEWS = ("standard", "global")


@dataclass(frozen=True, slots=True)
class Served:
    """What was served, where it may be another context than was asked for.

    Args:
        stated: by the caller, who may know better than the response (one client's echo of the tier was known false).
        by_vendor: in the vendor's usage object; a standard tier, or everywhere as the place, is no news where the provider
            sells no other.
    """

    stated: Mapping[str, str] = field(default_factory=dict)
    by_vendor: Mapping[str, str] = field(default_factory=dict)

    def of(self, vocabulary: Vocabulary) -> dict[str, str]:
        """The keys that were served, the caller's word first."""
        news = {n: value for n, value in self.by_vendor.items() if n in vocabulary.keys or value not in _NO_NEWS}
        return {**news, **self.stated}


def split_compact(text: str, snapshot: Snapshot) -> tuple[str, str | None]:
    """`provider/model@book` as offer and book; the last `@` splits only where a book of that name exists.

    A formula or a CSV cell has room for one text only, hence the compact form.
    """
    offer, at, book = text.rpartition("@")
    return (offer, book) if at and snapshot.has_book(offer.partition("/")[0], book) else (text, None)


def split_offer(offer: str) -> tuple[str, str]:
    """Provider and model, parted at the first `/`.

    Raises:
        PermillionError: `invalid-fields` where one of them is missing.
    """
    provider, slash, model = offer.partition("/")
    if not slash or not provider or not model:
        raise PermillionError("invalid-fields", 'write an offer as "provider/model"', pointer="/offer")
    return provider, model


def resolve(name: OfferName, as_of: datetime, snapshot: Snapshot, served: Served | None = None) -> ResolvedOffer:
    """The rates of `name` at `as_of`, those of what was `served` where that is known.

    Raises:
        PermillionError: `invalid-fields` for a name without `/`, `unknown-…`, `ambiguous-…`, `retired`, `missing-price`
            outside of the book's period, and what `Vocabulary.resolve` and `OfferPrices.rate_card` refuse.
    """
    provider, model = split_offer(name.offer)
    if "price_book" in name.context:
        raise PermillionError(
            "invalid-fields", "price_book stands beside context, not in it", pointer="/context/price_book"
        )
    offer = snapshot.offer(provider, model, name.price_book, as_of)
    if offer.contract is not None:
        offer.contract.check(as_of)
    facts = offer.model
    if facts.retired_on is not None and as_of >= facts.retired_on:
        successor = f"; calls go to {facts.provider}/{facts.successor}" if facts.successor else ""
        raise PermillionError(
            "retired", f"withdrawn at {format_instant(facts.retired_on)}{successor}", pointer="/offer"
        )
    requested = format_context(name.context) if name.context else ""
    instead = {} if served is None else served.of(offer.vocabulary)
    if not instead:
        context = offer.resolved(name.context)
        return ResolvedOffer(offer, rates_in(offer, context, as_of), context, requested)
    context, differs = offer.vocabulary.served(name.context, instead)
    rates = rates_in(offer, context, as_of)
    return ResolvedOffer(offer, rates, context, requested, format_context(instead), differs)


def rates_in(offer: Offer, context: Mapping[str, str], as_of: datetime) -> RateCard:
    """The rate card of `offer`: the base of a private book fills in for meters it has no rate for, its discounts come last."""
    card = _undiscounted(offer, context, as_of)
    if offer.contract is None:
        return card
    return offer.contract.rates_of(card, offer.provider, offer.model.model, context, as_of)


def batch_rates(resolved: ResolvedOffer, as_of: datetime) -> RateCard | None:
    """The rates of the same context with `processing=batch`; None where the model is not sold so."""
    vocabulary = resolved.offer.vocabulary
    key = vocabulary.keys.get("processing")
    if key is None or "batch" not in key.values:
        return None
    try:
        return rates_in(resolved.offer, vocabulary.resolve({**resolved.context, "processing": "batch"}), as_of)
    except PermillionError as error:
        if error.slug in ("not-offered", "contradictory-context"):
            return None
        raise


def list_rates_in(offer: Offer, context: Mapping[str, str], as_of: datetime) -> RateCard | None:
    """The rates of the base of a private book, None where it has none or is in another currency."""
    if offer.base_prices is None or offer.base_book is None or offer.base_book.currency != offer.book.currency:
        return None
    return offer.base_prices.rate_card(as_of, context)


def _undiscounted(offer: Offer, context: Mapping[str, str], as_of: datetime) -> RateCard:
    own, base = offer.prices, offer.base_prices
    if base is None:
        return own.rate_card(as_of, context)
    if offer.base_book is not None and offer.base_book.currency != offer.book.currency:
        return _without_base(offer, context, as_of)
    try:
        base_card = base.rate_card(as_of, context)
    except PermillionError:
        return own.rate_card(as_of, context)
    own_card: RateCard | None = None
    try:
        own_card = own.rate_card(as_of, context) if own.rows else None
    except PermillionError as error:
        if error.slug not in ("missing-price", "not-offered"):
            raise
    return offer.joined(own_card, base_card)


def _without_base(offer: Offer, context: Mapping[str, str], as_of: datetime) -> RateCard:
    """The book's own rates; what it has none for is refused, saying why the base cannot help."""
    assert offer.base_book is not None
    why = f"; its base {offer.base_book.id} is in {offer.base_book.currency} and cannot fill in"

    def explained(error: PermillionError) -> PermillionError:
        return PermillionError(error.slug, error.detail + why, pointer=error.pointer)

    try:
        card = offer.prices.rate_card(as_of, context)
    except PermillionError as error:
        raise explained(error) from None
    return RateCard(card.rates, card.charges_requests, lambda meter: explained(card.explain(meter)))


def standing_warnings(standing: Standing, resolved: ResolvedOffer, as_of: datetime) -> list[str]:
    """What a reader should know of the prices used: status, an announced change, a coming withdrawal, an alias."""
    found: list[str] = []
    if standing.status in _STATUS_WARNINGS:
        found.append(_STATUS_WARNINGS[standing.status])
    if standing.ends_at is not None and standing.ends_at - as_of <= CHANGE_NOTICE:
        found.append(f"price_changes_at={format_instant(standing.ends_at)}")
    retired_on = resolved.offer.model.retired_on
    if retired_on is not None and retired_on - as_of <= CHANGE_NOTICE:
        found.append(f"model_retires_at={format_instant(retired_on)}")
    if resolved.served_differs:
        found.append("served_tier_differs")
    if resolved.offer.resolved_from_alias is not None:
        found.append(f"alias_of={resolved.offer.model.model}")
    return found
