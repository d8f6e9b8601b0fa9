"""gpuhunt's offers: from its own reader over a folder of ours, without a network."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from hardware.prices.feeds.gpuhunt import read_offers
from hardware.prices.feeds.reading import RentalReading


@dataclass
class Offer:
    provider: str = "aws"
    instance_name: str = "p5.48xlarge"
    location: str = "us-east-1"
    price: float = 55.04
    gpu_count: int = 8
    gpu_name: str | None = "H100"
    gpu_memory: float | None = 80.0
    spot: bool = False


def read(*offers: Offer) -> RentalReading:
    return read_offers(offers, "20261012-1", "2026-10-12")


def test_an_offer_is_a_price_of_a_whole_instance() -> None:
    (row,) = read(Offer()).prices
    price = row.price
    assert (price.amount, price.unit, price.coverage, price.currency) == (
        Decimal("55.04"),
        "instance",
        "whole_instance",
        "USD",
    )
    assert (price.source, price.source_version, price.as_of) == ("gpuhunt/aws/20261012-1", "20261012-1", "2026-10-12")
    assert price.id == "aws/p5.48xlarge:us-east-1:on_demand:2026-10-12"
    assert price.license is not None
    assert "MPL-2.0" in price.license


def test_one_name_for_two_cards_is_told_apart_by_the_machine_or_not_at_all() -> None:
    reading = read(Offer(), Offer(provider="vastai", instance_name="12345", gpu_count=1, price=2.5))
    assert [row.price.accelerator for row in reading.prices] == ["h100-sxm", None]
    assert reading.unmapped == {"H100": 1}


def test_what_is_no_offer_has_a_reason() -> None:
    reading = read(
        Offer(price=0.0),
        Offer(price=float("nan"), location="b"),
        Offer(price=float("inf"), location="c"),
        Offer(price=-1.0, location="d"),
        Offer(location="e", gpu_count=4),
        Offer(provider="azure", instance_name="Standard_NV6ads_A10_v5", gpu_name="A10", gpu_count=1, price=0.45),
        Offer(location="f", gpu_count=0, gpu_name=None),
        Offer(location="g", instance_name="m7i.large", gpu_count=0, gpu_name=None, price=0.1),
        Offer(location="h", spot=True, price=60.0),
        Offer(location="h"),
    )
    assert Counter(finding.reason for finding in reading.refused) == {
        "zero-price": 1, "missing-price": 1, "not-a-number": 2, "unlikely-count": 1, "fractional-accelerator": 1,
        "host-only": 1, "spot-not-below-on-demand": 1,
    }  # fmt: skip
    assert [row.price.region for row in reading.prices] == ["h"]
    assert (reading.entries, reading.without_accelerator) == (10, 1)


def test_slices_count_chips() -> None:
    reading = read(Offer(provider="gcp", instance_name="v5p-8", gpu_name="v5p-8", gpu_count=1, price=16.8))
    (row,) = reading.prices
    assert (row.price.unit, row.price.accelerator_count, row.price.per_accelerator.to_text()) == ("slice", 4, "4.2")
    assert [finding.reason for finding in reading.corrected] == ["slice-counted-as-one", "cores-counted-as-chips"]
