"""Adding a tenant's own records: what they refer to has to exist, and what looks wrong is said."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import isclose
from typing import Any

from api.services.machines.measurements import shipped_cells
from catalog.catalog import Catalog
from catalog.reference import Hardware, Kind
from catalog.reference.kinds import ACCELERATOR, ARCHITECTURE, MEASUREMENT, OWNERSHIP_PROFILE, RENTAL_PRICE
from catalog.reference.writing import RecordReport
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.prices.rental import RentalPrice, first_day
from hardware.prices.sanity import PriceSanity

_TWICE_TOLERANCE = 0.002


@dataclass(frozen=True, slots=True)
class Added:
    """What was recorded, and codes of what a reader should doubt."""

    report: RecordReport
    warnings: Sequence[str]


def add_records(
    catalog: Catalog, kind: Kind, records: Sequence[Any], today: date, tokenizers: Collection[str] = ()
) -> Added:
    """Record all of `records`, or none.

    Args:
        catalog: prepared.
        kind: of the records.
        records: as they were sent.
        today: nothing was seen on a later day (a day of grace, since it is tomorrow already east of Greenwich).
        tokenizers: ids an architecture may name.

    Raises:
        PermillionError: with the pointer of the row: `unknown-accelerator`, `unknown-architecture`, `unknown-tokenizer`,
            `invalid-fields` for a date in the future or an id that stands twice, `read-only-record` for a shipped id.
    """
    hardware = catalog.snapshot.hardware
    taken = {cells["row_id"] for cells in shipped_cells()} if kind is MEASUREMENT else ()
    seen: dict[str, Any] = {}
    for index, record in enumerate(records):
        try:
            if seen.setdefault(record.id, record) != record:
                raise PermillionError("invalid-fields", "another row has the same id and says something else")
            if record.id in taken:
                raise PermillionError("read-only-record", "a shipped measurement has this id", pointer="/row_id")
            as_of = getattr(record, "as_of", None)
            if as_of is not None and first_day(as_of) > today + timedelta(days=1):
                raise PermillionError("invalid-fields", "nothing was seen yet on that day", pointer="/as_of")
            _check_references(kind, record, hardware, tokenizers)
        except PermillionError as error:
            raise PermillionError(error.slug, error.detail, pointer=f"/rows/{index}{error.pointer}") from None
    warnings = dict.fromkeys(_warnings(kind, records, hardware))
    return Added(catalog.record_reference(kind, records), list(warnings))


def _check_references(kind: Kind, record: Any, hardware: Hardware, tokenizers: Collection[str]) -> None:
    try:
        if kind in (RENTAL_PRICE, OWNERSHIP_PROFILE) and record.accelerator is not None:
            hardware.accelerator(record.accelerator)
    except PermillionError as error:
        raise PermillionError(error.slug, error.detail, pointer="/accelerator") from None
    if kind is ARCHITECTURE and record.tokenizer is not None and record.tokenizer not in tokenizers:
        raise PermillionError("unknown-tokenizer", "no such tokenizer; see GET /tokenizers", pointer="/tokenizer")
    if kind is MEASUREMENT:
        for column, find in (
            ("arch_key", hardware.architecture),
            ("hardware", hardware.accelerator),
            ("engine", hardware.engine),
        ):
            try:
                find(record.cells[column])
            except PermillionError as error:
                raise PermillionError(error.slug, error.detail, pointer=f"/{column}") from None


def _warnings(kind: Kind, records: Sequence[Any], hardware: Hardware) -> Iterator[str]:
    if kind is ACCELERATOR:
        for record in records:
            yield from _sparse(record, hardware.accelerators)
    if kind is RENTAL_PRICE:
        prices: list[RentalPrice] = [*hardware.rental_prices, *records]
        sanity = PriceSanity(prices)
        for record in records:
            yield from sanity.warnings(record)


def _sparse(mine: Accelerator, known: Sequence[Accelerator]) -> Iterator[str]:
    """Vendors print peaks "with sparsity", twice the dense ones: a figure of twice a known dense one of the vendor."""
    for other in known:
        if other.vendor.casefold() != mine.vendor.casefold() or other.memory_gib != mine.memory_gib:
            continue
        for form, peak in mine.dense_tflops.items():
            dense = other.dense_tflops.get(form)
            if dense is not None and isclose(peak, 2 * dense, rel_tol=_TWICE_TOLERANCE):
                yield f"peak_twice_known_dense={other.id}:{form}"
