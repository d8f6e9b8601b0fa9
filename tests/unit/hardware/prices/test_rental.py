from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any, get_args

import pytest

from economics.errors import PermillionError
from hardware.accelerators.accelerator import shipped_accelerators
from hardware.prices.purchase import shipped_purchase_prices
from hardware.prices.rental import Confidence, Coverage, PurchaseModel, RentalPrice, Unit
from hardware.prices.sanity import PriceSanity
from hardware.prices.shipped import price_sources, shipped_rental_prices

GOOD = RentalPrice(
    "acme", "box-8", "h100-sxm", "H100", 8, "instance", "whole_instance", "on_demand", Decimal(16), "USD", "quotation",
    region="here", as_of="2026-11-29",
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"amount": Decimal(0)}, "/amount"),
        ({"amount": Decimal(-1)}, "/amount"),
        ({"amount": Decimal("NaN")}, "/amount"),
        ({"amount": Decimal("Infinity")}, "/amount"),
        ({"accelerator_count": 0}, "/accelerator_count"),
        ({"accelerator_count": 10**7}, "/accelerator_count"),
        ({"unit": "accelerator"}, "/accelerator_count"),
        ({"term_months": 12}, "/term_months"),
        ({"purchase_model": "commit", "term_months": 0}, "/term_months"),
        ({"upfront_share": Decimal("1.1")}, "/upfront_share"),
        ({"currency": "usd"}, "/currency"),
        ({"as_of": None}, "/as_of"),
        ({"as_of": "2026-02-30"}, "/as_of"),
        ({"as_of_gap": "unknown"}, "/as_of"),
        ({"provider": "Acme"}, "/provider"),
        ({"sku": ""}, "/sku"),
        ({"region": "a\nb"}, "/region"),
        ({"unit": "box"}, "/unit"),
    ],
)
def test_what_is_no_price_is_refused_with_its_field(change: dict[str, Any], pointer: str) -> None:
    with pytest.raises(PermillionError) as caught:
        replace(GOOD, **change)
    assert (caught.value.slug, caught.value.pointer) == ("invalid-fields", pointer)


def test_shipped_prices_are_of_the_words_of_the_types_and_of_accelerators_there_are() -> None:
    prices = shipped_rental_prices().values()
    for price in prices:
        assert price.unit in get_args(Unit)
        assert price.coverage in get_args(Coverage)
        assert price.purchase_model in get_args(PurchaseModel)
        assert price.confidence in get_args(Confidence)
        assert price.accelerator in shipped_accelerators()
        assert price.source
        assert price.license, "terms stand beside every row"
        assert price.currency == "USD"
    assert {price.accelerator for price in shipped_purchase_prices().values()} <= shipped_accelerators().keys()
    assert all(row["license"] for row in price_sources().values())


def test_nothing_shipped_is_a_spot_price_that_is_not_below_on_demand() -> None:
    sanity = PriceSanity(shipped_rental_prices().values())
    found = Counter(code for price in shipped_rental_prices().values() for code in sanity.warnings(price))
    assert found["spot_not_below_on_demand"] == 0


@pytest.mark.parametrize(
    ("record", "amount"),
    [  # domain notes, section 2, of what the vendors' pages said
        ("aws/p5.48xlarge:us-east-1:on_demand:2026-09-06", "55.04"),
        ("azure/ND96isr_H100_v5:eastus:on_demand:2026-09-06", "98.32"),
        ("aws/p6-b200.48xlarge:us-west-2/az1:on_demand:undated-00148f2af3", "113.9328"),
        ("gcp/tpu-v5e:us-central1:on_demand:undated-35841515de", "1.2"),
        ("azure/NC24ads_A100_v4:eastus:commit-36m:2023-01-28", "2.27"),
        ("aws/p4d.24xlarge:us-east-2:block:2024-12", "14.75"),
        ("market-inferencex/3-yr_contract", None),
    ],
)
def test_prices_that_others_quote(record: str, amount: str | None) -> None:
    if amount is None:
        three_years = [p for p in shipped_rental_prices().values() if p.provider == "market-inferencex"]
        assert {p.accelerator: p.amount for p in three_years}["h100-sxm"] == Decimal("1.3")
        assert {(p.term_months, p.upfront_share) for p in three_years} == {(36, Decimal("0.25"))}
        return
    assert shipped_rental_prices()[record].amount == Decimal(amount)


def test_an_undated_price_says_why_and_is_known_by_its_source() -> None:
    undated = [p for p in shipped_rental_prices().values() if p.as_of is None]
    assert len(undated) > 100
    assert all((p.as_of_gap and p.id.rpartition(":")[2].startswith("undated-")) or p.variant for p in undated)


def test_terms_that_the_pages_state() -> None:
    prices = shipped_rental_prices()
    block = prices["aws/p5.48xlarge:us-east-1:block:2024-12"]
    assert (block.billing_increment_s, block.upfront_share) == (86_400, Decimal(1))
    increments = {
        (p.billing_increment_s, p.minimum_s)
        for p in prices.values()
        if p.provider == "aws" and p.purchase_model == "spot"
    }
    assert increments == {(1, 60)}
    assert {p.billing_increment_s for p in prices.values() if p.provider == "fpt-cloud"} == {900}


def test_purchase_prices_are_those_of_the_source() -> None:
    prices = shipped_purchase_prices()
    assert len(prices) == 35
    assert prices["b200-sxm:2024-12-17"].amount == Decimal("47409.13")
    assert prices["mi300x:2025-02-10"].amount == Decimal("25733.71")
    assert {p.id for p in prices.values() if p.estimated} == {
        "tpu-v5e:2023-08-15", "tpu-v5p:2023-12-06", "a100-pcie-80:2023-09-23", "a100-pcie-80:2025-03-04",
    }  # fmt: skip


def some(*amounts: str, **change: Any) -> list[RentalPrice]:
    return [replace(GOOD, sku=f"box-{index}", amount=Decimal(amount), **change) for index, amount in enumerate(amounts)]


def test_what_is_doubtful_is_said() -> None:
    sanity = PriceSanity(some("16", "20", "24"))
    usual = replace(GOOD, tax_included=False)
    assert sanity.warnings(usual) == []
    assert sanity.warnings(replace(usual, amount=Decimal("5.9"))) == ["price_far_below_median"]
    assert sanity.warnings(replace(usual, amount=Decimal("60.1"))) == ["price_far_above_median"]
    assert sanity.warnings(usual, date(2027, 2, 27)) == []
    assert sanity.warnings(usual, date(2027, 2, 28)) == ["price_stale"]
    assert sanity.warnings(replace(usual, as_of=None, as_of_gap="unknown")) == ["price_undated"]
    assert sanity.warnings(replace(usual, accelerator=None)) == ["accelerator_unmapped"]
    assert sanity.warnings(replace(usual, coverage="host_only")) == ["host_not_in_price"]
    assert sanity.warnings(replace(usual, tax_included=None)) == ["price_tax_unknown"]
    assert sanity.warnings(replace(usual, confidence="low")) == ["confidence_low"]


def test_two_prices_are_no_median() -> None:
    assert PriceSanity(some("16", "20")).warnings(replace(GOOD, amount=Decimal(1), tax_included=False)) == []


def test_a_spot_price_beside_its_on_demand_price() -> None:
    spot = replace(GOOD, purchase_model="spot", amount=Decimal(16), tax_included=False)
    assert PriceSanity([GOOD, spot]).warnings(spot) == ["spot_not_below_on_demand"]
    assert PriceSanity([GOOD]).warnings(replace(spot, amount=Decimal("15.99"))) == []
    assert PriceSanity([GOOD]).warnings(replace(spot, as_of="2026-11-28")) == [], "another day is another price"


def test_a_larger_machine_that_costs_less_in_all() -> None:
    four = replace(GOOD, sku="box-4", accelerator_count=4, amount=Decimal(17), tax_included=False)
    assert PriceSanity([GOOD, four]).warnings(four) == ["price_falls_with_count"]
    assert PriceSanity([GOOD, four]).warnings(replace(GOOD, tax_included=False)) == []
