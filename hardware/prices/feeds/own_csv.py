"""Rental prices in a CSV file of one's own: the columns of `rental_prices.csv`, those that are not needed left out.

A misspelt column is an error of the whole file: it would be a fact that nobody reads.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final, get_args

from economics.errors import PermillionError
from hardware.accelerators.accelerator import shipped_accelerators
from hardware.prices.feeds.names import accelerator_named, doubtful_count
from hardware.prices.feeds.reading import FeedPrice, RentalReading, read_amount
from hardware.prices.feeds.table import read_table
from hardware.prices.rental import COVERAGES, PURCHASE_MODELS, UNITS, Confidence, RentalPrice

REQUIRED: Final = (
    "provider", "sku", "accelerator", "accelerator_count", "unit", "coverage", "purchase_model", "amount", "currency", "as_of",
    "source",
)  # fmt: skip
OPTIONAL: Final = (
    "accelerator_as_named", "term_months", "upfront_share", "region", "zone", "billing_increment_s", "minimum_s",
    "as_of_gap", "source_version", "license", "confidence", "tax_included", "variant", "note",
)  # fmt: skip
_FLAGS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "": None}


class _BadCell(Exception):  # noqa: N818 - a refusal of one row, not an error of the program
    """A cell that keeps its row from being a record: a reason of `REFUSALS`, and what is wrong."""

    def __init__(self, column: str, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = f"{column}: {detail}"


def read_own_csv(content: bytes) -> RentalReading:
    """Read a file of one's own.

    Raises:
        PermillionError: `invalid-feed` where columns are missing or unknown; single bad rows are `refused`.
    """
    header = next(csv.reader(io.StringIO(content[:100_000].decode("utf-8-sig", "replace"), newline="")), [])
    unknown = sorted({name.strip() for name in header} - {*REQUIRED, *OPTIONAL})
    if unknown:
        shown = ", ".join("".join(c for c in name[:40] if c.isascii() and c.isprintable()) for name in unknown[:10])
        raise PermillionError(
            "invalid-feed", f"unknown columns: {shown}; known are {', '.join((*REQUIRED, *OPTIONAL))}"
        )
    rows = read_table(content, REQUIRED)
    reading = RentalReading(entries=len(rows))
    for number, row in enumerate(rows, 2):
        name = f"row {number} {row['provider']}/{row['sku']}"[:120]
        try:
            reading.prices.append(FeedPrice(name, _price(row)))
        except _BadCell as bad:
            reading.refuse(name, bad.reason, bad.detail)
        except PermillionError as error:
            reading.refuse(name, "malformed", f"{error.pointer.strip('/')}: {error.detail}")
    return reading.settle()


def _price(row: Mapping[str, str]) -> RentalPrice:
    try:
        amount = read_amount(row["amount"])
    except ValueError as bad:
        raise _BadCell("amount", str(bad), "a decimal above 0, without exponent or sign") from None
    if amount is None:
        raise _BadCell("amount", "missing-price", "empty; leave the row out where the price is not known")
    if not row["currency"]:
        raise _BadCell("currency", "missing-currency", "empty; write the ISO 4217 code, such as USD")
    named = row.get("accelerator_as_named") or row["accelerator"]
    count = _accelerators(row)
    return RentalPrice(
        provider=row["provider"].casefold(),
        sku=row["sku"].replace(" ", "_"),
        accelerator=accelerator_named(row["accelerator"], row["provider"].casefold(), row["sku"])
        or _known_id(row["accelerator"]),
        accelerator_as_named=named,
        accelerator_count=count,
        unit=_one_of("unit", row["unit"], UNITS),  # type: ignore[arg-type]  # one of the words of the type
        coverage=_one_of("coverage", row["coverage"], COVERAGES),  # type: ignore[arg-type]  # as above
        purchase_model=_one_of("purchase_model", row["purchase_model"], PURCHASE_MODELS),  # type: ignore[arg-type]  # as above
        amount=amount,
        currency=row["currency"],
        source=row["source"],
        source_version=row.get("source_version") or None,
        license=row.get("license") or None,
        term_months=_whole(row, "term_months"),
        upfront_share=_share(row.get("upfront_share", "")),
        region=row.get("region") or None,
        zone=row.get("zone") or None,
        billing_increment_s=_whole(row, "billing_increment_s"),
        minimum_s=_whole(row, "minimum_s"),
        as_of=row["as_of"] or None,
        as_of_gap=None if row["as_of"] else (row.get("as_of_gap") or "not stated"),
        confidence=_one_of("confidence", row.get("confidence") or "medium", get_args(Confidence)),  # type: ignore[arg-type]  # as above
        tax_included=_FLAGS[_one_of("tax_included", row.get("tax_included", "").casefold(), tuple(_FLAGS))],
        variant=row.get("variant", ""),
        note=row.get("note", ""),
    )


def _known_id(name: str) -> str | None:
    return name if name in shipped_accelerators() else None


def _accelerators(row: Mapping[str, str]) -> int:
    try:
        count = Fraction(row["accelerator_count"])
    except (ValueError, ZeroDivisionError):
        raise _BadCell("accelerator_count", "malformed", "a whole number above 0") from None
    if row["unit"] == "instance" and count > 0:
        doubt = doubtful_count(row["provider"].casefold(), row["sku"], count)
        if doubt is not None:
            raise _BadCell("accelerator_count", *doubt)
    if count.denominator != 1 or count < 1:
        raise _BadCell("accelerator_count", "malformed", "a whole number above 0")
    return int(count)


def _whole(row: Mapping[str, str], column: str) -> int | None:
    text = row.get(column, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise _BadCell(column, "malformed", "a whole number in digits")
    return int(text)


def _share(text: str) -> Decimal | None:
    if not text:
        return None
    try:
        share = Decimal(text)
    except ArithmeticError:
        share = Decimal(-1)
    if not share.is_finite() or not 0 <= share <= 1:
        raise _BadCell("upfront_share", "malformed", "a share between 0 and 1")
    return share


def _one_of(column: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise _BadCell(column, "malformed", f"one of {', '.join(word for word in allowed if word)}")
    return text
