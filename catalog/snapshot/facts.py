"""What a snapshot answers with: providers, books, models, and an offer with its prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Final, Literal

from catalog.snapshot.witnesses import Witnesses
from economics.context import ResolvedContext, Vocabulary
from economics.contracts.contract import Contract
from economics.periods import Period
from economics.rate_card import OfferPrices, RateCard
from economics.schedules import Schedules
from providers.sheet import Gap, Limit, Source


@dataclass(frozen=True, slots=True)
class BookFacts:
    """A price book.

    Args:
        id: `default`, `intl`, `cn`, or a private id.
        kind: what a vendor publishes, or a tenant's own.
        base: of a private book, the list book that answers where it has no rate.
        currency: ISO 4217 code of all its rates.
        title: for people.
        tax_included: whether its rates include tax, None where unknown.
        tax_rate: a ratio, None where unknown.
        tenant: of a private book.
    """

    id: str
    kind: Literal["list", "private"]
    base: str | None
    currency: str
    title: str | None
    tax_included: bool | None
    tax_rate: Decimal | None
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class AliasFacts:
    """Another id of a model, in `period`."""

    id: str
    period: Period
    source: str | None = None


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model: what is known of it apart from prices.

    Args:
        provider: as it is written.
        model: the vendor's id.
        books: ids of the books that price it, list books first in the sheet's order.
        tokenizer: of a private model, the tokenizer id its rows named.
        private_book: the private book that this model is known in alone, None for a list model.
        limits: dated ones, which stand in place of the undated for their time.
        unpriced: contexts in which it is sold at a price nobody states.
    """

    provider: str
    model: str
    name: str | None = None
    released_on: date | None = None
    retired_on: datetime | None = None
    successor: str | None = None
    max_input_tokens: int | None = None
    max_output_tokens: int | None = None
    note: str | None = None
    aliases: tuple[AliasFacts, ...] = ()
    books: tuple[str, ...] = ()
    tokenizer: str | None = None
    private_book: str | None = None
    limits: tuple[Limit, ...] = ()
    unpriced: tuple[Gap, ...] = ()

    def limits_at(self, as_of: datetime) -> tuple[int | None, int | None]:
        """Most input and most output tokens at `as_of`, None where unknown.

        >>> beta = Limit.model_validate({"to": "2026-04-30", "max_input_tokens": 1_000_000, "source": "page"})
        >>> sonnet = ModelFacts("anthropic", "claude-sonnet-4-5", max_input_tokens=200_000, limits=(beta,))
        >>> [sonnet.limits_at(datetime.fromisoformat(f"2026-04-{day}T00:00Z"))[0] for day in (29, 30)]
        [1000000, 200000]
        """
        for limit in self.limits:
            if Period(limit.valid_from, limit.valid_to).contains(as_of):
                return (
                    limit.max_input_tokens or self.max_input_tokens,
                    limit.max_output_tokens or self.max_output_tokens,
                )
        return self.max_input_tokens, self.max_output_tokens


@dataclass(frozen=True, slots=True)
class ProviderFacts:
    """A vendor with a published sheet.

    `checked_newest` and `checked_oldest` are the latest and the earliest day on which a price believed now was checked.
    """

    name: str
    title: str
    homepage: str | None
    vocabulary: Vocabulary
    schedules: Schedules
    books: Mapping[str, BookFacts]
    sources: Mapping[str, Source]
    checked_newest: date | None
    checked_oldest: date | None


@dataclass(frozen=True, slots=True)
class Offer:
    """A model in a book, with everything needed to price it.

    Args:
        provider: as the vendor is written.
        prices: rows of the book itself; of a private book without any for this model, an `OfferPrices` without rows.
        base_prices: of a private book with a base that prices the model, the base's rows; else None.
        base_book: the book those rows are of.
        contract: of a private book with terms or a period of its own, else None.
        resolved_from_alias: the alias that was asked for, None where the model's own id was.
        witnesses: of a list book, what feeds say of the model in the book's currency.
    """

    provider: str
    model: ModelFacts
    book: BookFacts
    prices: OfferPrices
    base_prices: OfferPrices | None
    vocabulary: Vocabulary
    base_book: BookFacts | None = None
    resolved_from_alias: str | None = None
    schedules: Schedules = field(default_factory=dict)
    contract: Contract | None = None
    witnesses: Witnesses = field(default_factory=Witnesses, compare=False)
    _contexts: dict[tuple[tuple[str, str], ...], ResolvedContext] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _joined: dict[tuple[int, int], tuple[RateCard | None, RateCard, RateCard]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def joined(self, own: RateCard | None, base: RateCard) -> RateCard:
        """The rates of a private book with those of its base where it has none; of the same two cards the same one."""
        key = (id(own), id(base))
        kept = self._joined.get(key)
        if kept is not None and kept[0] is own and kept[1] is base:
            return kept[2]
        made = (
            RateCard(base.rates, base.charges_requests, base.explain, frozenset(base.rates))
            if own is None
            else own.with_base(base)
        )
        if len(self._joined) >= _MOST_JOINED:
            self._joined.clear()
        self._joined[key] = (own, base, made)
        return made

    def resolved(self, given: Mapping[str, str]) -> ResolvedContext:
        """`given` as `Vocabulary.resolve` reads it; what was asked before is kept."""
        key = tuple(given.items())
        found = self._contexts.get(key)
        if found is None:
            found = self.vocabulary.resolve(given)
            if len(self._contexts) >= _MOST_CONTEXTS:
                self._contexts.clear()
            self._contexts[key] = found
        return found


_MOST_JOINED: Final = 1_024
_MOST_CONTEXTS: Final = 256
"""Spellings of contexts kept of one offer."""
