"""Offers of dstack's gpuhunt, from a catalog that is handed over: nothing is imported or fetched here.

gpuhunt has prices per instance in US dollars, as floats, on-demand and spot; no date but its version, no commitment, and one name
for the PCIe and the SXM card of a generation.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Final, Protocol

from economics.errors import PermillionError
from hardware.prices.feeds.names import accelerator_named, doubtful_count, machine_named, slice_named
from hardware.prices.feeds.reading import FeedPrice, RentalReading, read_amount
from hardware.prices.rental import RentalPrice, Unit

LICENSE: Final = "MPL-2.0 package; facts used with attribution"
_PROVIDERS: Final = {"lambdalabs": "lambda", "vastai": "vast.ai"}


class Offer(Protocol):
    """What is read of a `gpuhunt.CatalogItem`."""

    provider: str
    instance_name: str
    location: str
    price: float
    gpu_count: int
    gpu_name: str | None
    gpu_memory: float | None
    spot: bool


def read_offers(offers: Iterable[Offer], version: str, seen_on: str) -> RentalReading:
    """The offers with accelerators as price records: unit instance, coverage whole instance.

    Args:
        offers: of `Catalog(auto_reload=False).query(…)`.
        version: of the catalog, for `source`.
        seen_on: the day of that version.
    """
    reading = RentalReading()
    for offer in offers:
        reading.entries += 1
        if not offer.gpu_count or not offer.gpu_name:
            _without(offer, reading)
            continue
        try:
            amount = read_amount(repr(float(offer.price)))
        except ValueError as bad:
            reading.refuse(_name(offer), str(bad), f"{offer.provider} {offer.location}"[:100])
            continue
        if amount is None:  # a float that is no number
            reading.refuse(_name(offer), "missing-price", f"{offer.provider} {offer.location}"[:100])
            continue
        _add(offer, amount, version, seen_on, reading)
    return reading.settle()


def _without(offer: Offer, reading: RentalReading) -> None:
    provider = _PROVIDERS.get(offer.provider, offer.provider)
    if machine_named(provider, offer.instance_name) is not None:
        reading.refuse(_name(offer), "host-only", "a machine that has accelerators, listed without any")
    else:
        reading.without_accelerator += 1


def _add(offer: Offer, amount: Decimal, version: str, seen_on: str, reading: RentalReading) -> None:
    provider = _PROVIDERS.get(offer.provider, offer.provider)
    name, count = offer.gpu_name or "", offer.gpu_count
    accelerator = accelerator_named(name, provider, offer.instance_name)
    unit: Unit = "instance"
    sliced = slice_named(name) or slice_named(offer.instance_name)
    if sliced is not None:
        unit, accelerator = "slice", sliced.accelerator
        if count == 1 and sliced.chips > 1:
            reading.correct(_name(offer), "slice-counted-as-one", f"{sliced.chips} chips, listed as 1")
        if sliced.counts_cores:
            reading.correct(_name(offer), "cores-counted-as-chips", f"{sliced.chips} chips of 2 cores each")
        count = sliced.chips
    elif (doubt := doubtful_count(provider, offer.instance_name, Fraction(count))) is not None:
        reading.refuse(_name(offer), *doubt)
        return
    machine = machine_named(provider, offer.instance_name)
    try:
        price = RentalPrice(
            provider=provider,
            sku=offer.instance_name.replace(" ", "_"),
            accelerator=accelerator if machine is None else machine.accelerator,
            accelerator_as_named=name,
            accelerator_count=count,
            unit=unit,
            coverage="accelerator_only" if unit == "slice" else "whole_instance",
            purchase_model="spot" if offer.spot else "on_demand",
            amount=amount,
            currency="USD",
            source=f"gpuhunt/{offer.provider}/{version}",
            source_version=version,
            license=LICENSE,
            region=offer.location or None,
            as_of=seen_on,
        )
    except PermillionError as error:
        reading.refuse(_name(offer), "malformed", f"{error.pointer.strip('/')}: {error.detail}")
        return
    reading.prices.append(FeedPrice(f"{_name(offer)} {offer.location}"[:200], price))


def _name(offer: Offer) -> str:
    return f"{offer.provider}/{offer.instance_name}"[:120]
