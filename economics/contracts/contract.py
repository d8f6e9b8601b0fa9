"""A private book as a contract: when it holds, its terms, and what its discounts make of a rate card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from economics.context import Context
from economics.contracts.terms import CommittedSpend, Credit, Discount, Term
from economics.errors import PermillionError
from economics.periods import Period, format_instant
from economics.prices import ALWAYS
from economics.rate_card import ApplicableRate, RateCard

_CARDS_KEPT: Final = 4_096


@dataclass(frozen=True)
class Contract:
    """What a private book says beyond its rates: when the book holds, and its terms.

    Args:
        book: its id.
        period: outside of which the book answers nothing.
        terms: of any time, one version of an id at an instant.
    """

    book: str
    period: Period = ALWAYS
    terms: tuple[Term, ...] = ()

    @cached_property
    def discounts(self) -> tuple[Discount, ...]:
        """Its discounts, in the order they are applied."""
        return tuple(sorted((t for t in self.terms if isinstance(t, Discount)), key=lambda term: term.rank))

    def rates_of(self, card: RateCard, provider: str, model: str, context: Context, as_of: datetime) -> RateCard:
        """`card` with the discounts in it that hold for that offer, in that context, at that instant.

        >>> Contract("acme").rates_of(RateCard({}, False, KeyError), "p", "m", {}, datetime.now()).discounted
        False
        """
        holding = [d for d in self._discounts_of(provider, model) if d.holds(context, as_of)]
        if not holding:
            return card
        key = (id(card), *map(id, holding))
        kept = self._cards.get(key)
        if kept is not None and kept[0] is card:
            return kept[1]
        rates = dict(card.rates)
        for meter, tiers in card.rates.items():
            touching = tuple(discount for discount in holding if discount.touches(meter, meter in card.base_meters))
            if touching:
                rates[meter] = tuple(ApplicableRate(rate.row, rate.uplift, touching) for rate in tiers)
        # a card of its own: plans of bills kept with `card` are of its rates
        made = RateCard(rates, card.charges_requests, card.explain, card.base_meters, discounted=True)
        if len(self._cards) >= _CARDS_KEPT:
            self._cards.clear()
        self._cards[key] = (card, made)
        return made

    @cached_property
    def _cards(self) -> dict[tuple[int, ...], tuple[RateCard, RateCard]]:
        return {}

    def _discounts_of(self, provider: str, model: str) -> tuple[Discount, ...]:
        """Those that are about the offer; there are as many keys as offers."""
        found = self._by_offer.get((provider, model))
        if found is None:
            found = tuple(discount for discount in self.discounts if discount.scope.covers(provider, model))
            self._by_offer[provider, model] = found
        return found

    @cached_property
    def _by_offer(self) -> dict[tuple[str, str], tuple[Discount, ...]]:
        return {}

    def check(self, as_of: datetime) -> None:
        """Refuse an instant outside of the book's period: the list price is not what was agreed for it.

        Raises:
            PermillionError: `missing-price`, naming the period.
        """
        if not self.period.contains(as_of):
            raise PermillionError(
                "missing-price", f"the book {self.book} holds {period_text(self.period)}, not at this instant"
            )


def period_text(period: Period) -> str:
    """A period in words.

    >>> from economics.periods import parse_instant
    >>> period_text(Period(parse_instant("2026-01-01"), None))
    'from 2026-01-01T00:00:00Z'
    """
    parts = [
        f"{word} {format_instant(instant)}"
        for word, instant in (("from", period.valid_from), ("until", period.valid_to))
        if instant is not None
    ]
    return " ".join(parts) or "always"


def check_terms(terms: Mapping[int, Term]) -> None:
    """Refuse two versions of one term that hold at once, and two versions of a balance.

    Args:
        terms: by position in the request.

    Raises:
        PermillionError: `overlapping-prices`, `invalid-fields`; the pointer is `/<position>/…`.
    """
    versions: dict[str, list[tuple[int, Term]]] = {}
    for position, term in terms.items():
        others = versions.setdefault(term.id, [])
        for earlier, other in others:
            if other.kind is not term.kind:
                raise PermillionError(
                    "invalid-fields", f"term {earlier} has this id and another kind", pointer=f"/{position}/kind"
                )
            if isinstance(term, Credit | CommittedSpend):
                raise PermillionError(
                    "invalid-fields",
                    f"term {earlier} has this id; a balance is one, give each its own id",
                    pointer=f"/{position}/id",
                )
            if term.period.overlaps(other.period):
                raise PermillionError(
                    "overlapping-prices",
                    f"this term holds at the same time as term {earlier} of the same id; end one before the other starts",
                    pointer=f"/{position}/valid_from",
                )
        others.append((position, term))
