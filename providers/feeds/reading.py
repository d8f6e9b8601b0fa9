"""What every feed yields, and the few steps all of them share: strict JSON with exact numbers, and rates per unit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final, Protocol, runtime_checkable

from economics.errors import PermillionError
from economics.meters import METERS
from economics.money import multiply
from economics.prices import PriceRow
from providers.sheet import Source

MAX_FEED_BYTES: Final = 256 * 2**20
_MAX_NUMBER_LENGTH: Final = 60
_MAX_EXPONENT: Final = 30


@dataclass(frozen=True, slots=True)
class FeedRow:
    """A rate as a feed says it, under our names.

    Args:
        provider: our name of the vendor, or the feed's where we have none.
        model: the vendor's own id.
        row: `provenance.source` is the title of one of the reading's sources; `period.valid_from` is set only where the
            feed says when the price began (`start_known`), or since when it was seen (not `start_known`).
        upstream_id: the key under which the feed has it, for people to look it up.
        free: the feed declares a rate of 0 to be free; without it a 0 is refused.
        tokenizer: how the model's tokens are counted, an id of `GET /tokenizers`, where the feed names it.
    """

    provider: str
    model: str
    row: PriceRow
    upstream_id: str
    free: bool = False
    tokenizer: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Something of the feed that becomes no row: where it stands, a short reason for counting, and what is wrong.

    `reason` is one of `REASONS`.
    """

    upstream_id: str
    where: str
    reason: str
    detail: str


REASONS: Final = {
    "unknown-key": "a key that looks like a price and is not understood: its charge would be lost",
    "not-a-number": "a price that is not a plain non-negative decimal",
    "sentinel": "a negative or placeholder price that stands for something else",
    "zero-price": "0 without the feed's word that it is free",
    "missing-currency": "no currency is stated",
    "missing-price": "no price at all: free or unknown, the feed does not say",
    "unknown-unit": "a unit or denominator that is not understood",
    "not-expressible": "a rule this catalog has no row for",
    "unknown-context": "a mode the vendor's sheet does not know",
    "invalid-name": "a provider or model name that cannot be one",
    "overlap": "two prices of the feed hold at the same time for the same usage",
    "older": "checked before what is believed already",
    "quarantined": "a jump or a value that needs a person",
    "alias-entry": "an entry that repeats another one under a made-up id",
    "malformed": "not of the shape the feed has",
}


@dataclass(frozen=True, slots=True)
class FeedReading:
    """A feed's file, read: its sources by title, the rows, what was refused, and how many entries it had."""

    sources: Mapping[str, Source]
    rows: Sequence[FeedRow]
    refused: Sequence[Refused]
    entries: int


class Feed(Protocol):
    """A reader of one kind of file."""

    name: str
    title: str
    hosts: tuple[str, ...]
    """From where `permillion import --url` may fetch it."""

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        """Read a file.

        Args:
            content: of the file.
            retrieved_on: the day it was taken from its source; rows are checked on that day.

        Raises:
            PermillionError: `invalid-feed` where it is not that kind of file at all; single bad entries are `refused`.
        """
        ...


@runtime_checkable
class PackagedFeed(Feed, Protocol):
    """A feed whose figures are also in a package that can be installed."""

    package: str
    packaged_on: Mapping[str, date]
    """Days on which its versions were published, where known."""

    def read_package(self, retrieved_on: date) -> FeedReading:
        """Read the installed package.

        Raises:
            PermillionError: `invalid-feed` where it is not installed.
        """
        ...


def read_json(content: bytes) -> Any:
    """JSON with every number as its text, so that no price goes through a float; repeated keys are refused.

    Raises:
        PermillionError: `invalid-feed`.

    >>> read_json(b'{"input": 3e-06, "n": 12}')
    {'input': '3e-06', 'n': '12'}
    """
    if len(content) > MAX_FEED_BYTES:
        raise PermillionError("invalid-feed", f"the file is larger than {MAX_FEED_BYTES} bytes")
    try:
        return json.loads(
            content.decode("utf-8-sig"),
            parse_float=str,
            parse_int=str,
            parse_constant=str,
            object_pairs_hook=_without_repeats,
        )
    except (ValueError, RecursionError):
        raise PermillionError("invalid-feed", "the file is not JSON in UTF-8") from None


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise PermillionError("invalid-feed", "an object of the file has a key twice; which one holds is unknown")
    return found


def read_number(text: object) -> Decimal | None:
    """The exact value of a number as `read_json` leaves it (or of a decimal string); None where it is none.

    >>> read_number("3e-06"), read_number("NaN"), read_number("1e999999")
    (Decimal('0.000003'), None, None)
    """
    if not isinstance(text, str) or not text.isascii() or len(text) > _MAX_NUMBER_LENGTH or "_" in text:
        return None
    try:
        value = Decimal(text.strip())
    except ArithmeticError:
        return None
    if not value.is_finite() or (value and abs(value.adjusted()) > _MAX_EXPONENT):
        return None
    return Decimal(f"{value:f}")


def per_usual_unit(rate: Decimal, meter: str) -> tuple[Decimal, int]:
    """A rate for one unit as rate and denominator in which the meter is usually published, exact.

    >>> per_usual_unit(Decimal("0.000003"), "input_tokens")
    (Decimal('3'), 1000000)
    """
    per = METERS[meter].per
    scaled = multiply(rate, Decimal(per))
    return Decimal(f"{scaled.normalize():f}"), per
