"""The parts a snapshot is put together from: one shelf a provider, one a private book. None is changed once it stands."""

from __future__ import annotations

import pickle
import zlib
from collections import namedtuple
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Final

from catalog.near import NearNames, did_you_mean, printable
from catalog.price_tables import StoredPrice
from catalog.records import from_db_price
from catalog.snapshot.facts import BookFacts, ModelFacts, ProviderFacts
from economics.context import ContextKey, Vocabulary
from economics.contracts.contract import Contract
from economics.errors import PermillionError
from economics.periods import Period
from economics.prices import PriceRow, Unpriced, Uplift
from economics.rate_card import OfferPrices
from economics.schedules import Schedules
from providers.content import unpriced_in
from providers.sheet import Source

ROW_COLUMNS: Final = tuple(
    column
    for column in StoredPrice.__table__.c
    if column.name not in {"id", "tenant", "slot", "fingerprint", "recorded_at", "superseded_at", "supersession"}
)
"""What is kept in memory of a believed row."""

_row_class: Any = namedtuple  # noqa: PYI024 - through Any: a type checker wants the field names written out
_StoredRow = _row_class("_StoredRow", [column.name for column in ROW_COLUMNS])


class ShelvedRows:
    """The believed rows of one offer, turned into domain values when they are first asked for.

    Until then they are kept as bytes: a book of a million rows takes some 100 bytes a row instead of a kilobyte.

    Args:
        stored: values of `ROW_COLUMNS`, in recorded order.
        sources: titles by source id.
    """

    def __init__(self, stored: Iterable[Sequence[Any]], sources: Mapping[int, str]) -> None:
        rows = [tuple(row) for row in stored]
        self._packed = zlib.compress(pickle.dumps(rows, pickle.HIGHEST_PROTOCOL), 1)
        self._sources = sources
        self.mentioned: dict[str, set[str]] = {}
        """Context keys and values that the rows name."""
        for row in rows:
            for name, values in row[_CONDITIONS].items():
                self.mentioned.setdefault(name, set()).update(values)
        checks = {day for row in rows if (day := row[_CHECKED_ON]) is not None}
        self.checked_oldest: date | None = min(checks, default=None)
        self.checked_newest: date | None = max(checks, default=None)

    @cached_property
    def rows(self) -> tuple[PriceRow | Uplift, ...]:
        """The rates and uplifts, in recorded order."""
        stored = map(_StoredRow._make, pickle.loads(zlib.decompress(self._packed)))  # noqa: S301 - our own, from memory
        return tuple(from_db_price(row, self._sources[row.source_id]) for row in stored)

    def compiled(
        self,
        vocabulary: Vocabulary,
        schedules: Schedules,
        unpriced: Sequence[Unpriced] = (),
        released_on: date | None = None,
    ) -> OfferPrices:
        """Those rows, ready to be asked for rate cards; one of unknown start answers for no instant before the release."""
        rates = [row for row in self.rows if isinstance(row, PriceRow)]
        if released_on is not None:
            rates = _since_release(rates, datetime(released_on.year, released_on.month, released_on.day, tzinfo=UTC))
        uplifts = [row for row in self.rows if isinstance(row, Uplift)]
        return OfferPrices(rates, uplifts, vocabulary, schedules, unpriced)


_NAMES: Final = [column.name for column in ROW_COLUMNS]
_CHECKED_ON, _CONDITIONS = _NAMES.index("checked_on"), _NAMES.index("conditions")


def _since_release(rows: Sequence[PriceRow], release: datetime) -> list[PriceRow]:
    found: list[PriceRow] = []
    for row in rows:
        if row.period.valid_from is not None:
            found.append(row)
        elif row.period.valid_to is None or row.period.valid_to > release:
            found.append(replace(row, period=Period(release, row.period.valid_to)))
    return found


@dataclass(frozen=True, slots=True)
class DatedAlias:
    """An alias that means the model with `model_key` in `period`."""

    id: str
    period: Period
    model_key: str


@dataclass(frozen=True)
class ListShelf:
    """What one vendor publishes; models and aliases by case-folded id, rows by model key and book."""

    facts: ProviderFacts
    models: Mapping[str, ModelFacts]
    aliases: Mapping[str, Sequence[DatedAlias]]
    rows: Mapping[tuple[str, str], ShelvedRows]

    @cached_property
    def _prices(self) -> dict[tuple[str, str], OfferPrices]:
        return {}

    @cached_property
    def near_models(self) -> NearNames:
        """For messages."""
        return NearNames([model.model for model in self.models.values()])

    def prices(self, model_key: str, book: str) -> OfferPrices | None:
        """The compiled prices of a model in a book, None where the book does not price it."""
        found = self._prices.get((model_key, book))
        if found is None and (rows := self.rows.get((model_key, book))) is not None:
            facts = self.facts
            gaps = unpriced_in(self.models[model_key].unpriced, book, facts.sources)
            found = self._prices[model_key, book] = rows.compiled(facts.vocabulary, facts.schedules, gaps)
        return found

    def resolve(self, model: str, as_of: datetime) -> tuple[str, str | None] | None:
        """Key of the model with that id, or of the one an alias means at `as_of`; and that alias.

        Raises:
            PermillionError: `ambiguous-alias` where it means two models at that instant.
        """
        key = model.casefold()
        if key in self.models:
            return key, None
        meant = {alias.model_key: alias.id for alias in self.aliases.get(key, ()) if alias.period.contains(as_of)}
        if len(meant) > 1:
            named = " and ".join(sorted(self.models[found].model for found in meant))
            raise PermillionError("ambiguous-alias", f"this alias means {named} at that instant; name one of them")
        return next(iter(meant.items()), None)

    def unknown_model(self, model: str) -> PermillionError:
        """That there is no such model here, naming near ones."""
        if model.casefold() in self.aliases:
            return PermillionError("unknown-model", f'the alias "{printable(model)}" means no model at this instant')
        near = did_you_mean(f"{self.facts.name}/{name}" for name in self.near_models.near(model))
        return PermillionError("unknown-model", f'{self.facts.name} has no model "{printable(model)}"{near}')


@dataclass(frozen=True)
class PrivateShelf:
    """A private book: its own models and rows by case-folded provider and model; `feeds` are imported sources by title.

    `contract` is None where the book has neither terms nor a period: its prices then cost no more to find.
    """

    book: BookFacts
    models: Mapping[tuple[str, str], ModelFacts]
    rows: Mapping[tuple[str, str], ShelvedRows]
    feeds: Mapping[str, Source] = field(default_factory=dict)
    contract: Contract | None = None

    @cached_property
    def near_offers(self) -> NearNames:
        """For messages."""
        return NearNames([f"{model.provider}/{model.model}" for model in self.models.values()])

    def vocabulary(self, provider_key: str) -> Vocabulary:
        """The context keys of a vendor that publishes no sheet here: what this book's rows of it mention.

        Only `processing`, `service_tier` and `speed` have a default, `standard`; every other key must be said.
        """
        found = self._vocabularies.get(provider_key)
        if found is None:
            shelves = (rows.mentioned for (provider, _), rows in self.rows.items() if provider == provider_key)
            found = self._vocabularies[provider_key] = mentioned_vocabulary(shelves)
        return found

    @cached_property
    def _vocabularies(self) -> dict[str, Vocabulary]:
        return {}


_STANDARD = ("processing", "service_tier", "speed")


def mentioned_vocabulary(mentioned: Iterable[Mapping[str, Collection[str]]]) -> Vocabulary:
    """A vocabulary of the context keys and values that rows mention, each key's values in alphabetical order.

    >>> mentioned_vocabulary([]).defaults
    {'processing': 'standard'}
    """
    values: dict[str, set[str]] = {"processing": {"batch"}}
    for of_rows in mentioned:
        for name, some in of_rows.items():
            values.setdefault(name, set()).update(some)
    return Vocabulary(
        {
            name: ContextKey(("standard", *sorted(some - {"standard"})), "standard")
            if name in _STANDARD
            else ContextKey(tuple(sorted(some)))
            for name, some in values.items()
        }
    )
