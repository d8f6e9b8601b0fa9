"""Reference records as questions read them: immutable, found by exact id, decoded when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final, Literal

from catalog.near import NearNames, did_you_mean
from catalog.reference.kinds import (
    ACCELERATOR,
    ARCHITECTURE,
    ENGINE,
    MEASUREMENT,
    OWNERSHIP_PROFILE,
    PURCHASE_PRICE,
    RENTAL_PRICE,
    Kind,
    Measurement,
)
from catalog.reference.offers import RentalOffers
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.engines.engine import Engine, engine_named
from hardware.prices.purchase import PurchasePrice
from hardware.prices.rental import RentalPrice
from hardware.prices.sanity import PriceSanity
from hardware.profiles.profile import OwnershipProfileRecord

Origin = Literal["shipped", "private", "import"]


@dataclass(frozen=True, slots=True)
class Reference:
    """One believed record as it is stored: whose word it is and since when it is believed; `text` is its JSON."""

    key: str
    origin: Origin
    recorded_at: datetime
    text: str


class Shelf:
    """The believed records of one kind; private ones stand in front of shipped ones of the same key."""

    def __init__(self, kind: Kind, stored: Iterable[Reference]) -> None:
        self.kind = kind
        self.stored: dict[str, Reference] = {}
        for reference in sorted(stored, key=lambda r: r.origin != "shipped"):
            self.stored[reference.key] = reference
        self._decoded: dict[str, Any] = {}

    def get(self, key: str) -> Any | None:
        """The record of exactly that key, None where there is none."""
        found = self._decoded.get(key)
        if found is None and (reference := self.stored.get(key)) is not None:
            found = self._decoded[key] = self.kind.decode(reference.text)
        return found

    def one(self, key: str) -> Any:
        """The record of that key.

        Raises:
            PermillionError: the kind's `unknown-…`, naming up to three near keys.
        """
        found = self.get(key)
        if found is None:
            raise self.unknown(key)
        return found

    def unknown(self, key: str) -> PermillionError:
        """That there is no such record, with near keys."""
        near = did_you_mean(self.near.near(key))
        what = self.kind.name.replace("_", " ")
        return PermillionError(self.kind.unknown, f"no such {what}; GET {self.kind.where} lists them{near}")

    def all(self) -> Iterator[tuple[Reference, Any]]:
        """Every record in the order of the keys, with how it is stored."""
        for key in sorted(self.stored):
            yield self.stored[key], self.get(key)

    @cached_property
    def near(self) -> NearNames:
        """For messages."""
        return NearNames(self.stored)


EMPTY: Final[Mapping[str, Shelf]] = {}


class Hardware:
    """What is believed of machines at one catalog version, for one tenant.

    Lookups are by exact id; records are shared and never changed.
    """

    def __init__(self, shelves: Mapping[str, Shelf] = EMPTY) -> None:
        self._shelves = dict(shelves)

    def shelf(self, kind: Kind) -> Shelf:
        """The records of a kind."""
        found = self._shelves.get(kind.name)
        if found is None:
            found = self._shelves[kind.name] = Shelf(kind, ())
        return found

    def accelerator(self, name: str) -> Accelerator:
        """An accelerator.

        Raises:
            PermillionError: `unknown-accelerator`, naming near ones.
        """
        found: Accelerator = self.shelf(ACCELERATOR).one(name)
        return found

    def architecture(self, name: str) -> Architecture:
        """A model architecture.

        Raises:
            PermillionError: `unknown-architecture`, naming near ones.
        """
        found: Architecture = self.shelf(ARCHITECTURE).one(name)
        return found

    def engine(self, name: str) -> Engine:
        """An engine by id, name or alias.

        Raises:
            PermillionError: `invalid-fields`, naming near ones.
        """
        shelf = self.shelf(ENGINE)
        found: Engine | None = shelf.get(name) or engine_named(name, (record for _, record in shelf.all()))
        if found is None:
            raise shelf.unknown(name)
        return found

    def rental_price(
        self,
        name: str,
        *,
        region: str | None = None,
        as_of: datetime | date | None = None,
        purchase_model: str = "on_demand",
        term_months: int | None = None,
    ) -> RentalPrice:
        """A rental price by record id, or the newest one of `provider/instance`; see `RentalOffers.find`.

        Raises:
            PermillionError: `unknown-rental-price`, `ambiguous-price`.
        """
        found: RentalPrice | None = self.shelf(RENTAL_PRICE).get(name)
        if found is not None:
            return found
        day = as_of.date() if isinstance(as_of, datetime) else as_of
        return self.rental_offers.find(name, region, day, purchase_model, term_months)

    def ownership_profile(self, name: str) -> OwnershipProfileRecord:
        """An ownership profile.

        Raises:
            PermillionError: `unknown-ownership-profile`, naming near ones.
        """
        found: OwnershipProfileRecord = self.shelf(OWNERSHIP_PROFILE).one(name)
        return found

    @property
    def accelerators(self) -> list[Accelerator]:
        """All of them by id."""
        return [record for _, record in self.shelf(ACCELERATOR).all()]

    @property
    def architectures(self) -> list[Architecture]:
        """All of them by id."""
        return [record for _, record in self.shelf(ARCHITECTURE).all()]

    @property
    def engines(self) -> list[Engine]:
        """All of them by id."""
        return [record for _, record in self.shelf(ENGINE).all()]

    @property
    def rental_prices(self) -> list[RentalPrice]:
        """All of them by id."""
        return [record for _, record in self.shelf(RENTAL_PRICE).all()]

    @property
    def purchase_prices(self) -> list[PurchasePrice]:
        """All of them by id."""
        return [record for _, record in self.shelf(PURCHASE_PRICE).all()]

    @property
    def measurements(self) -> list[Measurement]:
        """The tenant's own ones by id."""
        return [record for _, record in self.shelf(MEASUREMENT).all()]

    @cached_property
    def rental_offers(self) -> RentalOffers:
        """The rental prices by what is rented."""
        stored = self.shelf(RENTAL_PRICE).stored
        own = frozenset(key for key, reference in stored.items() if reference.origin == "private")
        return RentalOffers(self.rental_prices, own)

    @cached_property
    def price_sanity(self) -> PriceSanity:
        """What to doubt in a rental price, beside all others."""
        return PriceSanity(self.rental_prices)
