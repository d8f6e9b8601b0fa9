"""What every feed of rental prices yields: prices, what was refused, what was put right, names that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from hardware.prices.rental import RentalPrice

MAX_FEED_BYTES: Final = 256 * 2**20

REFUSALS: Final[Mapping[str, str]] = {
    "host-only": "a machine that has accelerators, priced without them",
    "part-missing": "host and accelerators are priced apart, and one part is not there",
    "fractional-accelerator": "a part of an accelerator, listed as a whole one",
    "unlikely-count": "a count of accelerators that this machine does not have",
    "zero-price": "0 is no price",
    "missing-price": "no price at all",
    "not-a-number": "a price that is not a plain decimal",
    "spot-not-below-on-demand": "a spot price that copies the on-demand price or is above it",
    "missing-currency": "no currency, from a provider that does not bill in US dollars",
    "duplicate": "the same thing again at another price: which one holds is not known",
    "malformed": "not of the shape the feed has",
}
"""What becomes no record, whoever looks at it."""

QUARANTINES: Final[Mapping[str, str]] = {
    "placeholder-price": "10 times the usual price of this accelerator, or more",
    "bid-floor": "under a tenth of the usual price of this accelerator: the least bid, or a test value",
    "off-median": "not within 0.3 to 3 times the usual price of this accelerator",
    "spot-labelled-on-demand": "under half of the on-demand price known of this machine, and near its spot price",
    "jump": "over 3 times, or under a third of, what was believed before",
}
"""What a person may accept after a look."""

CORRECTIONS: Final[Mapping[str, str]] = {
    "slice-counted-as-one": "the accelerators of a slice were listed as one",
    "cores-counted-as-chips": "the name counts cores; two are one chip",
    "memory-unit": "GiB stood in a column of MiB",
    "memory-not-multiplied": "the memory of all accelerators was that of one",
    "parts-joined": "host and accelerators were priced apart and are one price here",
    "repeated": "the same row again; counted once",
}
"""What was put right, and is said."""


@dataclass(frozen=True, slots=True)
class FeedPrice:
    """A price of a feed under our names; `upstream_id` is how the feed has it."""

    upstream_id: str
    price: RentalPrice


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a row of a feed: where, what kind, and what exactly."""

    upstream_id: str
    reason: str
    detail: str


@dataclass
class RentalReading:
    """A feed's file, read.

    Attributes:
        entries: rows of the file; `without_accelerator` of them are machines that have none.
        unmapped: names that are no accelerator known here, with the number of prices kept under them.
    """

    prices: list[FeedPrice] = field(default_factory=list)
    refused: list[Finding] = field(default_factory=list)
    corrected: list[Finding] = field(default_factory=list)
    unmapped: dict[str, int] = field(default_factory=dict)
    entries: int = 0
    without_accelerator: int = 0

    def refuse(self, upstream_id: str, reason: str, detail: str) -> None:
        """Note what becomes no record."""
        assert reason in REFUSALS
        self.refused.append(Finding(upstream_id, reason, detail))

    def correct(self, upstream_id: str, reason: str, detail: str) -> None:
        """Note what was put right."""
        assert reason in CORRECTIONS
        self.corrected.append(Finding(upstream_id, reason, detail))

    def settle(self) -> RentalReading:
        """The reading without repeated prices: equal ones once, contradicting ones not at all.

        Spot prices that are not below the on-demand price of the same machine in the same file are refused too: they copy it,
        or are something else. Names that are not known are counted.
        """
        by_id: dict[str, list[FeedPrice]] = {}
        for row in self.prices:
            by_id.setdefault(row.price.id, []).append(row)
        self.prices = []
        for record_id, rows in by_id.items():
            amounts = {(row.price.amount, row.price.currency, row.price.accelerator_count) for row in rows}
            if len(amounts) > 1:
                said = " and ".join(sorted(f"{amount:f}" for amount, _, _ in amounts))
                self.refuse(rows[0].upstream_id, "duplicate", f"{len(rows)} rows of {record_id} say {said}")
                continue
            if len(rows) > 1:
                self.correct(rows[0].upstream_id, "repeated", f"{len(rows)} equal rows of {record_id}")
            self.prices.append(rows[0])
        self._refuse_high_spots()
        for row in self.prices:
            if row.price.accelerator is None:
                name = row.price.accelerator_as_named
                self.unmapped[name] = self.unmapped.get(name, 0) + 1
        return self

    def _refuse_high_spots(self) -> None:
        listed = {_machine(row.price): row.price for row in self.prices if row.price.purchase_model == "on_demand"}
        kept: list[FeedPrice] = []
        for row in self.prices:
            beside = listed.get(_machine(row.price))
            if row.price.purchase_model == "spot" and beside is not None and row.price.amount >= beside.amount:
                detail = f"{row.price.amount:f} against {beside.amount:f} on demand"
                self.refuse(row.upstream_id, "spot-not-below-on-demand", detail)
            else:
                kept.append(row)
        self.prices = kept


def _machine(price: RentalPrice) -> tuple[str | int | None, ...]:
    what = (price.offer, price.accelerator_count, price.unit, price.currency)
    return (*what, price.region, price.zone, price.as_of, price.source)


def read_amount(text: str) -> Decimal | None:
    """A price as a feed writes it; None where the cell is empty.

    Raises:
        ValueError: a reason of `REFUSALS`.

    >>> read_amount("98.3200"), read_amount("")
    (Decimal('98.3200'), None)
    """
    bare = text.strip()
    if bare.lower() in ("", "nan", "none", "null"):
        return None
    if _FLOAT.fullmatch(bare) is None:  # plain, or as some writer printed a float: 1e-05
        raise ValueError("not-a-number")
    amount = Decimal(bare)
    if amount and abs(amount.adjusted()) > _MAX_MAGNITUDE:
        raise ValueError("not-a-number")
    if amount == 0:
        raise ValueError("zero-price")
    if amount < 0:
        raise ValueError("not-a-number")
    return Decimal(f"{amount:f}")


_FLOAT: Final = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
_MAX_MAGNITUDE: Final = 12


@dataclass(frozen=True, slots=True)
class FeedSource:
    """Where a feed's file is from: title and version for every record, the day it was taken, its license."""

    title: str
    version: str
    seen_on: str
    license: str


Rows = Sequence[Mapping[str, str]]
