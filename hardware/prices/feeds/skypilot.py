"""The catalogue files of skypilot-org/skypilot-catalog (`catalogs/v8/<provider>/vms.csv`), read by header name.

Column order and the spelling of `GpuInfo` differ by provider (Python's repr, JSON, a bare name): it is text of somebody else, in
which two numbers are looked for and which is never evaluated. A file has no currency, no date and no commitment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Final

from economics.errors import PermillionError
from economics.money import add
from hardware.accelerators.accelerator import shipped_accelerators
from hardware.prices.feeds.names import Machine, accelerator_named, doubtful_count, machine_named, slice_named
from hardware.prices.feeds.reading import FeedPrice, FeedSource, RentalReading, Rows, read_amount
from hardware.prices.feeds.table import read_table
from hardware.prices.rental import Coverage, PurchaseModel, RentalPrice, Unit

TITLE: Final = "skypilot-org/skypilot-catalog"
LICENSE: Final = "Apache-2.0 repository; facts used with attribution"
REQUIRED: Final = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
NOT_IN_USD: Final[Mapping[str, str]] = {"scaleway": "EUR", "ovh": "EUR", "seeweb": "EUR"}
"""Providers whose prices stand in the files in their own currency, without a word."""
_GPU_MACHINES: Final = re.compile(r"(a2|a3|a4|a4x|g2)-.*gpu.*|g2-standard-\d+", re.ASCII)
_SIZE: Final = re.compile(r"[\"']?SizeInMiB[\"']?\s*:\s*(\d{1,9})", re.IGNORECASE | re.ASCII)
_TOTAL: Final = re.compile(r"[\"']?TotalGpuMemoryInMiB[\"']?\s*:\s*(\d{1,9})", re.IGNORECASE | re.ASCII)
_MIB_AT_LEAST: Final = 1_024
_MEMORY_TOLERANCE: Final = 0.25


@dataclass(frozen=True, slots=True)
class Host:
    """Prices of a machine or of its accelerators, in one place."""

    price: Decimal | None
    spot: Decimal | None


def read_skypilot(content: bytes, provider: str, source: FeedSource, currency: str | None = None) -> RentalReading:
    """Read one provider's file.

    Args:
        content: of the file.
        provider: our name of it, which the file does not say.
        source: title, version and day.
        currency: of the file; US dollars where left out, unless the provider is one of `NOT_IN_USD`.

    Raises:
        PermillionError: `invalid-feed` where it is not such a file.
    """
    rows = read_table(content, REQUIRED)
    reading = RentalReading(entries=len(rows))
    if currency is None and provider in NOT_IN_USD:
        reading.refuse(
            "all rows",
            "missing-currency",
            f"{provider} bills in {NOT_IN_USD[provider]}, the file names no currency: say --currency",
        )
        return reading
    drafts = _Drafts(reading, provider, source, currency or "USD", _parts(rows, reading))
    for row in rows:
        drafts.read(row)
    for zone, name, count in drafts.parts.keys() - drafts.used:
        reading.refuse(name[:100], "part-missing", f"{count} priced without a machine in {zone[:60]}")
    return reading.settle()


def _parts(rows: Rows, reading: RentalReading) -> dict[tuple[str, str, int], Host]:
    """Accelerators that are priced without a machine, by zone, name and count: one half of a GCP price."""
    found: dict[tuple[str, str, int], Host] = {}
    for row in rows:
        if row["InstanceType"] or not row["AcceleratorName"] or slice_named(row["AcceleratorName"]) is not None:
            continue
        count = _count(row["AcceleratorCount"])
        prices = _prices(row, reading)
        if count is not None and count.denominator == 1 and prices is not None:
            found[_zone(row), row["AcceleratorName"], int(count)] = prices
    return found


def _zone(row: Mapping[str, str]) -> str:
    return row.get("AvailabilityZone") or row["Region"]


def _count(text: str) -> Fraction | None:
    """Accelerators as the column has them (`8.0`, `0.25`), None where it is no number above 0."""
    try:
        count = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
    return count if 0 < count < 10**6 else None


def _prices(row: Mapping[str, str], reading: RentalReading) -> Host | None:
    """On-demand and spot price, each None where empty; None and a refusal where one is no price."""
    found: list[Decimal | None] = []
    for column in ("Price", "SpotPrice"):
        try:
            found.append(read_amount(row.get(column, "")))
        except ValueError as bad:
            reading.refuse(_name(row), str(bad), f"{column} at {row['Region'][:60]}")
            found.append(None)
            if column == "Price":
                return None
    return Host(*found)


def _name(row: Mapping[str, str]) -> str:
    return (row["InstanceType"] or row["AcceleratorName"])[:100]


@dataclass(frozen=True, slots=True)
class _Drafts:
    reading: RentalReading
    provider: str
    source: FeedSource
    currency: str
    parts: Mapping[tuple[str, str, int], Host]
    used: set[tuple[str, str, int]] = field(default_factory=set)

    def read(self, row: Mapping[str, str]) -> None:
        """One row: prices, or why there are none."""
        machine = machine_named(self.provider, row["InstanceType"])
        sliced = slice_named(row["AcceleratorName"])
        if sliced is not None:
            self._slice(row)
        elif not row["InstanceType"]:
            return  # the other half of a machine's price: `_parts` has it
        elif not row["AcceleratorName"]:
            self._host(row, machine)
        else:
            self._machine(row, machine)

    def _slice(self, row: Mapping[str, str]) -> None:
        sliced = slice_named(row["AcceleratorName"])
        assert sliced is not None  # asked before
        name, listed = row["AcceleratorName"], _count(row["AcceleratorCount"])
        if listed == 1 and sliced.chips > 1:
            self.reading.correct(name, "slice-counted-as-one", f"{sliced.chips} chips, listed as 1")
        if sliced.counts_cores:
            self.reading.correct(name, "cores-counted-as-chips", f"{sliced.chips} chips of 2 cores each")
        prices = _prices(row, self.reading)
        if prices is not None:
            self._add(row, name, sliced.accelerator, sliced.chips, prices, "slice", "accelerator_only")

    def _host(self, row: Mapping[str, str], machine: Machine | None) -> None:
        sku = row["InstanceType"]
        if machine is None and not (self.provider == "gcp" and _GPU_MACHINES.fullmatch(sku)):
            self.reading.without_accelerator += 1
            return
        prices = _prices(row, self.reading)
        if machine is None or prices is None:
            if prices is not None:
                self.reading.refuse(sku, "host-only", "a machine for accelerators, listed without any")
            return
        part = self._part(sku, _zone(row), machine)
        if part is None:
            self.reading.refuse(
                sku, "host-only", f"its {machine.count} {machine.accelerator} are not priced in {_zone(row)[:60]}"
            )
            return
        joined = Host(_sum(prices.price, part.price), _sum(prices.spot, part.spot))
        if joined.price is None and joined.spot is None:
            self.reading.refuse(sku, "part-missing", "the host or its accelerators have no price of this kind")
            return
        self.reading.correct(sku, "parts-joined", f"host and {machine.count} {machine.accelerator}")
        self._add(row, sku, machine.accelerator, int(machine.count), joined, "instance", "whole_instance")

    def _part(self, sku: str, zone: str, machine: Machine) -> Host | None:
        """The price of a machine's accelerators; `a3-megagpu` takes those named `H100-MEGA` alone."""
        for key, host in self.parts.items():
            where, name, count = key
            named = accelerator_named(name, self.provider, sku) == machine.accelerator
            mega = ("mega" in sku.casefold()) == ("mega" in name.casefold())
            if where == zone and count == machine.count and named and (mega or sku.startswith("a2-")):
                self.used.add(key)
                return host
        return None

    def _machine(self, row: Mapping[str, str], machine: Machine | None) -> None:
        sku, listed = row["InstanceType"], _count(row["AcceleratorCount"])
        if listed is None:
            self.reading.refuse(sku, "unlikely-count", "AcceleratorCount is no number above 0")
            return
        doubt = doubtful_count(self.provider, sku, listed)
        if doubt is not None:
            self.reading.refuse(sku, *doubt)
            return
        count = int(listed)
        prices = _prices(row, self.reading)
        if prices is None:
            return
        memory = self._memory(row, count)
        accelerator = accelerator_named(row["AcceleratorName"], self.provider, sku)
        if machine is not None:
            accelerator = machine.accelerator
        elif accelerator is not None and not _memory_fits(accelerator, memory):
            accelerator = None
        self._add(row, sku, accelerator, count, prices, "instance", "whole_instance")

    def _memory(self, row: Mapping[str, str], count: int) -> float | None:
        """GiB of one accelerator, None where the row does not say."""
        text = row.get("GpuInfo", "")
        size, total = _SIZE.search(text), _TOTAL.search(text)
        if size is None or not int(size[1]):
            return None
        mib = int(size[1])
        if mib < _MIB_AT_LEAST:
            self.reading.correct(_name(row), "memory-unit", f"{mib} MiB are {mib} GiB")
            mib *= _MIB_AT_LEAST
        elif total is not None and count > 1 and int(total[1]) == mib:
            self.reading.correct(
                _name(row), "memory-not-multiplied", f"{count} accelerators have {count} times {mib} MiB"
            )
        return mib / 1_024

    def _add(
        self,
        row: Mapping[str, str],
        sku: str,
        accelerator: str | None,
        count: int,
        prices: Host,
        unit: Unit,
        coverage: Coverage,
    ) -> None:
        if prices.price is None and prices.spot is None:
            self.reading.refuse(sku, "missing-price", f"neither Price nor SpotPrice in {row['Region'][:60]}")
            return
        for model, amount in (("on_demand", prices.price), ("spot", prices.spot)):
            if amount is not None:
                self._price(row, sku, accelerator, count, model, amount, unit, coverage)

    def _price(
        self,
        row: Mapping[str, str],
        sku: str,
        accelerator: str | None,
        count: int,
        model: str,
        amount: Decimal,
        unit: Unit,
        coverage: Coverage,
    ) -> None:
        zone = row.get("AvailabilityZone") or None
        bought: PurchaseModel = "spot" if model == "spot" else "on_demand"
        try:
            price = RentalPrice(
                provider=self.provider,
                sku=sku.replace(" ", "_"),
                accelerator=accelerator,
                accelerator_as_named=row["AcceleratorName"] or sku,
                accelerator_count=count,
                unit=unit,
                coverage=coverage,
                purchase_model=bought,
                amount=amount,
                currency=self.currency,
                source=self.source.title,
                source_version=self.source.version or None,
                license=self.source.license,
                region=row["Region"] or None,
                zone=None if zone == row["Region"] else zone,
                as_of=self.source.seen_on,
                confidence="medium",
                note="host and accelerators added up" if unit == "instance" and not row["AcceleratorName"] else "",
            )
        except PermillionError as error:
            self.reading.refuse(sku[:100], "malformed", f"{error.pointer.strip('/')}: {error.detail}")
            return
        self.reading.prices.append(FeedPrice(f"{sku} {zone or row['Region']}"[:200], price))


def _sum(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else add(one, other)


def _memory_fits(accelerator: str, gib: float | None) -> bool:
    known = shipped_accelerators()[accelerator]
    held = known.memory_gib or known.memory_gb_marketed
    return gib is None or held is None or abs(gib / held - 1) <= _MEMORY_TOLERANCE
