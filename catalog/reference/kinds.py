"""The kinds of reference records: their type, their key, what the package ships, and how they are written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

import hardware
from catalog.records import FINGERPRINT_DIGITS
from hardware.accelerators.accelerator import Accelerator, shipped_accelerators
from hardware.architectures.architecture import Architecture, shipped_architectures
from hardware.engines.engine import Engine, shipped_engines
from hardware.prices.purchase import PurchasePrice, shipped_purchase_prices
from hardware.prices.rental import RentalPrice
from hardware.prices.shipped import shipped_rental_prices
from hardware.profiles.profile import OwnershipProfileRecord, shipped_profile_records

FORMAT: Final = 1
"""Part of every digest: raise it when a record's meaning changes, and all shipped records are compared again."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind.

    Attributes:
        name: in the database and in ids.
        record: the type of its records; each has an `id`, which is the key.
        shipped: the package's own records by id.
        files: folder below `hardware/` whose tables they are read from: unchanged files need no comparison.
        unknown: problem slug of an id that does not exist.
        field: in which a request has the id, "" where it follows from other fields.
        where: route that lists them.
    """

    name: str
    record: type[Any]
    shipped: Callable[[], Mapping[str, Any]]
    files: tuple[str, ...]
    unknown: str
    where: str
    field: str = ""

    def encode(self, record: Any) -> Any:
        """The record as a JSON value."""
        return msgspec.to_builtins(record, enc_hook=_plain)

    def decode(self, text: str) -> Any:
        """The record of its JSON text."""
        return msgspec.json.decode(text, type=self.record)

    def digest(self) -> str:
        """Of the tables it ships: the same in every database."""
        digest = sha256(f"{FORMAT} {self.name}".encode())
        root = Path(hardware.__file__).parent
        for folder in self.files:
            for path in sorted((root / folder).glob("*.*")):
                if path.suffix in (".csv", ".yaml", ".gz"):
                    digest.update(path.read_bytes())
        return digest.hexdigest()[:FINGERPRINT_DIGITS]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(type(value).__name__)  # what msgspec asks of a hook for a type without a JSON form


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured row of throughput: cells by the columns of the measured file, what is not known left out."""

    id: str
    cells: Mapping[str, str]
    source: str
    as_of: str | None


def _none() -> Mapping[str, Any]:
    return {}


ACCELERATOR: Final = Kind(
    "accelerator",
    Accelerator,
    shipped_accelerators,
    ("accelerators",),
    "unknown-accelerator",
    "/accelerators",
    "accelerator",
)
ARCHITECTURE: Final = Kind(
    "architecture",
    Architecture,
    shipped_architectures,
    ("architectures",),
    "unknown-architecture",
    "/architectures",
    "architecture",
)
ENGINE: Final = Kind("engine", Engine, shipped_engines, ("engines",), "invalid-fields", "/engines")
RENTAL_PRICE: Final = Kind(
    "rental_price", RentalPrice, shipped_rental_prices, ("prices",), "unknown-rental-price", "/rental-prices"
)
PURCHASE_PRICE: Final = Kind(
    "purchase_price", PurchasePrice, shipped_purchase_prices, ("prices",), "unknown-rental-price", "/purchase-prices"
)
OWNERSHIP_PROFILE: Final = Kind(
    "ownership_profile",
    OwnershipProfileRecord,
    shipped_profile_records,
    ("ownership",),
    "unknown-ownership-profile",
    "/ownership-profiles",
    "ownership_profile",
)
MEASUREMENT: Final = Kind(
    "measurement", Measurement, _none, ("throughput/measurements",), "invalid-fields", "/throughput", "row_id"
)

KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        ACCELERATOR,
        ARCHITECTURE,
        ENGINE,
        RENTAL_PRICE,
        PURCHASE_PRICE,
        OWNERSHIP_PROFILE,
        MEASUREMENT,
    )
}


@cache
def shipped_digests() -> Mapping[str, str]:
    """Digest of what is shipped, by kind."""
    return {kind.name: kind.digest() for kind in KINDS.values()}
