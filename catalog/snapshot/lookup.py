"""Finding an offer: exact id without regard to case, then dated alias; never prefix or substring.

A snapshot is immutable and shared by all requests. What it works out (compiled prices, offers) it keeps; keys of those
caches are ids that exist, so no caller can make them grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Final

from catalog.near import NearNames, did_you_mean, printable
from catalog.reference.view import Hardware
from catalog.snapshot.facts import BookFacts, ModelFacts, Offer, ProviderFacts
from catalog.snapshot.shelves import ListShelf, PrivateShelf
from catalog.snapshot.witnesses import Witness, Witnesses
from catalog.versions import Version
from economics.contracts.contract import Contract
from economics.errors import PermillionError
from economics.prices import PriceRow
from economics.rate_card import OfferPrices
from economics.schedules import Schedules
from tokenizers_registry.registered.files import RegisteredFile

DEFAULT_TENANT: Final = "default"
DEFAULT_BOOK: Final = "default"
_MAX_NAMED: Final = 10
_NO_SCHEDULES: Schedules = MappingProxyType({})


class Snapshot:
    """Everything believed at one catalog version.

    Args:
        version: of the catalog.
        lists: published shelves by case-folded provider.
        private: private shelves by tenant and book id.
        tokenizers: registered tokenizer files by tenant.
        reference: what is known of machines by tenant, and under `""` for everybody else.
    """

    def __init__(
        self,
        version: Version,
        lists: Mapping[str, ListShelf],
        private: Mapping[tuple[str, str], PrivateShelf],
        tokenizers: Mapping[str, Sequence[RegisteredFile]],
        reference: Mapping[str, Hardware],
    ) -> None:
        self.number = version.number
        self.version = str(version)
        self._lists = {key: lists[key] for key in sorted(lists)}
        self._private = {key: private[key] for key in sorted(private)}
        self._tokenizers = tokenizers
        self.reference = reference
        self._offers: dict[tuple[str, str, str, str | None], Offer] = {}

    def with_changes(
        self,
        version: Version,
        lists: Mapping[str, ListShelf],
        private: Mapping[tuple[str, str], PrivateShelf],
        tokenizers: Mapping[str, Sequence[RegisteredFile]],
        reference: Mapping[str, Hardware],
        withdrawn: Iterable[str] = (),
    ) -> Snapshot:
        """The next snapshot: these shelves in place of their former ones, all others as they are; all files and records."""
        gone = set(withdrawn)
        kept = {key: shelf for key, shelf in self._lists.items() if key not in gone}
        return Snapshot(version, kept | dict(lists), self._private | dict(private), tokenizers, reference)

    def tokenizer_files(self, tenant: str = DEFAULT_TENANT) -> Sequence[RegisteredFile]:
        """What the tenant registered, in the order of the ids; withdrawn ones say so."""
        return self._tokenizers.get(tenant, ())

    @property
    def hardware(self) -> Hardware:
        """What is known of machines, with what the default tenant added."""
        return self.hardware_of(DEFAULT_TENANT)

    def hardware_of(self, tenant: str) -> Hardware:
        """What is known of machines, with what the tenant added."""
        return self.reference.get(tenant) or self.reference[""]

    @cached_property
    def providers(self) -> Mapping[str, ProviderFacts]:
        """The vendors with a published sheet, by name, in alphabetical order."""
        return {shelf.facts.name: shelf.facts for shelf in self._lists.values()}

    def books(self, tenant: str = DEFAULT_TENANT) -> Iterator[BookFacts]:
        """The tenant's private books."""
        return (shelf.book for (owner, _), shelf in self._private.items() if owner == tenant)

    def models(self, tenant: str = DEFAULT_TENANT) -> Iterator[ModelFacts]:
        """All list models by provider and id, then those of the tenant's private books (`private_book` names it)."""
        for shelf in self._lists.values():
            yield from shelf.models.values()
        for (owner, _), private in self._private.items():
            if owner == tenant:
                yield from private.models.values()

    def private_shelf(self, book: str, tenant: str = DEFAULT_TENANT) -> PrivateShelf | None:
        """The shelf of a private book, None where there is none."""
        return self._private.get((tenant, book))

    def private_rows(self, book: str, tenant: str = DEFAULT_TENANT) -> Iterator[tuple[tuple[str, str], PriceRow]]:
        """The rates believed of a private book, each with its case-folded provider and model; none where there is none."""
        shelf = self._private.get((tenant, book))
        for key, rows in () if shelf is None else shelf.rows.items():
            yield from ((key, row) for row in rows.rows if isinstance(row, PriceRow))

    def private_book(self, book: str, tenant: str = DEFAULT_TENANT) -> tuple[BookFacts, Contract | None]:
        """A private book, and its contract where it has terms or a period.

        Raises:
            PermillionError: `unknown-price-book` where the tenant has no such book.
        """
        shelf = self._private.get((tenant, book))
        if shelf is None:
            named = ", ".join(sorted(book.id for book in self.books(tenant))[:_MAX_NAMED]) or "none"
            raise PermillionError(
                "unknown-price-book", f"no such private price book; there are {named}", pointer="/price_book"
            )
        return shelf.book, shelf.contract

    def witnesses(self, provider: str, model: str, tenant: str = DEFAULT_TENANT) -> list[Witness]:
        """What imported feeds say of exactly this model, in the order of their books."""
        key = (provider.casefold(), model.casefold())
        return [
            Witness(shelf.book.id, row, shelf.feeds[row.provenance.source])
            for shelf in self._feeds(tenant)
            if key in shelf.rows
            for row in shelf.rows[key].rows
            if isinstance(row, PriceRow) and row.provenance.source in shelf.feeds
        ]

    def witnessed(self, tenant: str = DEFAULT_TENANT) -> list[tuple[str, str]]:
        """Provider and model, as they are written, of everything imported feeds price, in alphabetical order."""
        found = {key: (m.provider, m.model) for shelf in self._feeds(tenant) for key, m in shelf.models.items()}
        return [found[key] for key in sorted(found)]

    def _feeds(self, tenant: str) -> list[PrivateShelf]:
        return [shelf for (owner, _), shelf in self._private.items() if owner == tenant and shelf.feeds]

    def has_book(self, provider: str, book: str, tenant: str = DEFAULT_TENANT) -> bool:
        """Whether `book` is one: a private book of the tenant, or a list book of the provider."""
        shelf = self._lists.get(provider.casefold())
        return (tenant, book) in self._private or (shelf is not None and book in shelf.facts.books)

    def offer(
        self,
        provider: str,
        model: str,
        price_book: str | None,
        as_of: datetime,
        tenant: str = DEFAULT_TENANT,
    ) -> Offer:
        """The offer of a model in a book.

        Args:
            provider: name, in any case.
            model: the vendor's id or an alias, in any case.
            price_book: list or private book; None for the provider's `default`, or its only one.
            as_of: decides what an alias means.
            tenant: whose private books are seen.

        Raises:
            PermillionError: `unknown-provider`, `unknown-model`, `ambiguous-alias`, `unknown-price-book`,
                `ambiguous-price-book`, `missing-price` where the book does not price the model.
        """
        key = (tenant, provider.casefold(), model.casefold(), price_book)
        found = self._offers.get(key)
        if found is None:
            private = self._private.get((tenant, price_book)) if price_book is not None else None
            if private is not None:
                found = self._private_offer(private, provider, model, as_of)
            else:
                found = self._list_offer(provider, model, price_book, as_of, tenant)
            if found.resolved_from_alias is None:  # what an alias means depends on the instant
                self._offers[key] = found
        return found

    def _list_offer(self, provider: str, model: str, price_book: str | None, as_of: datetime, tenant: str) -> Offer:
        shelf = self._lists.get(provider.casefold())
        if shelf is None:
            raise self._unknown_provider(provider, model, tenant)
        resolved = shelf.resolve(model, as_of)
        if resolved is None:
            raise self._elsewhere(shelf.unknown_model(model), provider, model, tenant)
        model_key, alias = resolved
        facts, books = shelf.models[model_key], shelf.facts.books
        name = self._choose_book(shelf, facts, price_book, tenant)
        prices = shelf.prices(model_key, name)
        if prices is None:
            where = f"; it is priced in {', '.join(facts.books)}" if facts.books else ""
            raise PermillionError("missing-price", f"no price of this model is known in the book {name}{where}")
        vocabulary, schedules = shelf.facts.vocabulary, shelf.facts.schedules
        currency = books[name].currency
        said = self.witnesses(shelf.facts.name, facts.model, tenant)
        return Offer(
            shelf.facts.name,
            facts,
            books[name],
            prices,
            None,
            vocabulary,
            resolved_from_alias=alias,
            schedules=schedules,
            witnesses=Witnesses([witness for witness in said if witness.row.currency == currency]),
        )

    def _choose_book(self, shelf: ListShelf, facts: ModelFacts, price_book: str | None, tenant: str) -> str:
        books = shelf.facts.books
        if price_book is None:
            if DEFAULT_BOOK in books:
                return DEFAULT_BOOK
            if len(books) == 1:
                return next(iter(books))
            raise PermillionError(
                "ambiguous-price-book",
                f"{shelf.facts.name} sells in several markets; say price_book: {' or '.join(facts.books or books)}",
                pointer="/price_book",
            )
        if price_book not in books:
            raise self._unknown_book([*books], tenant)
        return price_book

    def _private_offer(self, private: PrivateShelf, provider: str, model: str, as_of: datetime) -> Offer:
        provider_key, model_key, alias = provider.casefold(), model.casefold(), None
        shelf = self._lists.get(provider_key)
        own = private.models.get((provider_key, model_key))
        listed = None if shelf is None else shelf.models.get(model_key)
        if own is None and listed is None and shelf is not None:
            resolved = shelf.resolve(model, as_of)
            if resolved is not None:
                model_key, alias = resolved
                own, listed = private.models.get((provider_key, model_key)), shelf.models[model_key]
        facts = listed or own
        if facts is None:
            near = did_you_mean(private.near_offers.near(f"{provider}/{model}"))
            detail = f'neither the book {private.book.id} nor a list knows "{printable(f"{provider}/{model}")}"{near}'
            raise PermillionError("unknown-provider" if shelf is None else "unknown-model", detail)
        rows = private.rows.get((provider_key, model_key))
        base_book, base_prices = self._base(private, shelf, listed, model_key)
        if rows is None and base_prices is None:
            raise self._not_in_book(private, shelf)
        vocabulary = private.vocabulary(provider_key) if shelf is None else shelf.facts.vocabulary
        schedules = _NO_SCHEDULES if shelf is None else shelf.facts.schedules
        if listed is not None and own is not None:
            facts = replace(listed, tokenizer=own.tokenizer)
        return Offer(
            facts.provider,
            facts,
            private.book,
            OfferPrices((), (), vocabulary, schedules)
            if rows is None
            else rows.compiled(vocabulary, schedules, released_on=facts.released_on),
            base_prices,
            vocabulary,
            base_book,
            alias,
            schedules,
            contract=private.contract,
        )

    def _base(
        self, private: PrivateShelf, shelf: ListShelf | None, listed: ModelFacts | None, model_key: str
    ) -> tuple[BookFacts | None, OfferPrices | None]:
        base = private.book.base
        if base is None or shelf is None or listed is None:
            return None, None
        prices = shelf.prices(model_key, base)
        return (shelf.facts.books[base], prices) if prices is not None else (None, None)

    def _not_in_book(self, private: PrivateShelf, shelf: ListShelf | None) -> PermillionError:
        book = private.book
        why = "it has no base to fall back on" if book.base is None else f"nor does its base {book.base}"
        if shelf is not None and book.base is not None and book.base not in shelf.facts.books:
            return PermillionError(
                "unknown-price-book",
                f"the base {book.base} of the book {book.id} is no book of {shelf.facts.name}, which has "
                + ", ".join(shelf.facts.books),
                pointer="/price_book",
            )
        return PermillionError("missing-price", f"the book {book.id} has no price of this model, and {why}")

    def _unknown_book(self, books: list[str], tenant: str) -> PermillionError:
        named = ", ".join([*books, *sorted(book.id for book in self.books(tenant))[:_MAX_NAMED]])
        return PermillionError("unknown-price-book", f"no such price book; there are {named}", pointer="/price_book")

    def _unknown_provider(self, provider: str, model: str, tenant: str) -> PermillionError:
        near = did_you_mean(self._near_providers.near(provider))
        error = PermillionError("unknown-provider", f'no provider is named "{printable(provider)}"{near}')
        return self._elsewhere(error, provider, model, tenant)

    def _elsewhere(self, error: PermillionError, provider: str, model: str, tenant: str) -> PermillionError:
        """`error`, with the private books that do know the offer."""
        key = (provider.casefold(), model.casefold())
        books = [book for (owner, book), shelf in self._private.items() if owner == tenant and key in shelf.models]
        if not books:
            return error
        named = " or ".join(books[:_MAX_NAMED])
        return PermillionError(error.slug, f"{error.detail}; a private book knows it: say price_book: {named}")

    @cached_property
    def _near_providers(self) -> NearNames:
        return NearNames(self.providers)
