"""Azure's retail prices: what its abbreviations mean, and that a word nobody knows is never skipped."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from economics.errors import PermillionError
from economics.prices import Tier
from providers.feeds import feed_named
from providers.feeds.azure_meters import MODELS, UnreadMeter, read_meter
from providers.feeds.reading import FeedReading, FeedRow
from providers.registry import built_in
from tests.unit.providers.feeds.mutating import ANY_JSON, RETRIEVED_ON, places, read_or_refuse, replaced

FEED = feed_named("azure")
PAGES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "azure_retail.json").read_text(encoding="utf-8")
)
ITEM = PAGES[0]["Items"][0]


def read(pages: object) -> FeedReading:
    return FEED.read(json.dumps(pages).encode(), RETRIEVED_ON)


def one(**fields: object) -> FeedReading:
    """The reading of a page with the first item of the fixture, changed; None takes a field out."""
    item = {name: value for name, value in (ITEM | fields).items() if value is not None}
    return read({"BillingCurrency": None, "Items": [item], "NextPageLink": None})


def row_of(found: FeedReading, meter_name: str) -> FeedRow:
    (row,) = [row for row in found.rows if row.upstream_id.startswith(meter_name)]
    return row


@pytest.fixture(scope="module")
def found() -> FeedReading:
    return read(PAGES)


@pytest.mark.parametrize(
    ("name", "model", "meter", "rate", "conditions", "tier"),
    [
        # OpenAI's list prices, which Azure's global deployments follow: 0.15 for gpt-4o-mini input, 0.02 for the small embedding.
        ("gpt-4o-mini-0718-Inp-glbl", "gpt-4o-mini", "input_tokens", "0.15", {}, Tier()),
        ("text-embedding-3-small-glbl", "text-embedding-3-small", "input_tokens", "0.02", {}, Tier()),
        # Half of 0.60.
        ("gpt-4o-mini-0718-Batch-Outp-glbl", "gpt-4o-mini", "output_tokens", "0.3", {"processing": ("batch",)}, Tier()),
        # Half of 0.15, and the 10 % of a European data zone, as Azure rounds it per 1,000 tokens.
        (
            "gpt 4o mini 0718 cached Inp Data Zone", "gpt-4o-mini", "cache_read_tokens", "0.083",
            {"deployment": ("data_zone",), "zone": ("eu",)}, Tier(),
        ),
        (
            "o4-mini 0416 cached Inp DataZone", "o4-mini", "cache_read_tokens", "0.303",
            {"deployment": ("data_zone",), "zone": ("us",)}, Tier(),
        ),
        # Half of a tenth of 0.25, + 10 %.
        (
            "GPT 5 Mini Batch Inpt cchd Dzone", "gpt-5-mini", "cache_read_tokens", "0.01375",
            {"processing": ("batch",), "deployment": ("data_zone",), "zone": ("eu",)}, Tier(),
        ),
        # Luna at the price before the cut of 2026-08: 1, written 1.25 x 2 (long context) x 1.1; Sol's output 30, priority 2 x.
        ("5.6 luna ShortCo Inp Std Gl", "gpt-5.6-luna", "input_tokens", "1", {}, Tier(max_input_tokens=272_000)),
        (
            "5.6 luna LongCo Cd Wr Std DZ", "gpt-5.6-luna", "cache_write_tokens", "2.75",
            {"deployment": ("data_zone",), "zone": ("us",)}, Tier(272_000),
        ),
        (
            "5.6 sol ShortCo Opt PP Gl", "gpt-5.6-sol", "output_tokens", "60", {"service_tier": ("priority",)},
            Tier(max_input_tokens=272_000),
        ),
    ],
)  # fmt: skip
def test_meters_of_several_generations(
    found: FeedReading, name: str, model: str, meter: str, rate: str, conditions: dict[str, tuple[str, ...]], tier: Tier
) -> None:
    row = row_of(found, name)
    assert (row.provider, row.model, row.row.meter, row.row.tier) == ("azure", model, meter, tier)
    assert (row.row.rate, row.row.per, row.row.currency) == (Decimal(rate), 1_000_000, "USD")
    assert row.row.conditions == conditions
    assert row.row.start_known


def test_a_start_is_the_vendors_and_the_first_of_its_regions(found: FeedReading) -> None:
    row = row_of(found, "gpt-4o-mini-0718-Inp-glbl")
    assert row.row.period.valid_from == datetime(2024, 7, 1, tzinfo=UTC)
    assert row.row.provenance.checked_on == RETRIEVED_ON


def test_one_data_zone_meter_has_a_price_for_each_zone(found: FeedReading) -> None:
    rates = {row.row.conditions["zone"]: row.row.rate for row in found.rows if row.model == "text-embedding-3-large"}
    assert rates == {("us",): Decimal("0.143"), ("apac",): Decimal("0.156")}


def test_regional_prices_are_of_a_region(found: FeedReading) -> None:
    rates = {row.row.conditions["region"]: row.row.rate for row in found.rows if row.model == "gpt-4.1"}
    assert rates == {("eastus",): Decimal("2.2"), ("swedencentral",): Decimal("2.42")}


def test_what_is_refused_says_which_word(found: FeedReading) -> None:
    assert found.entries == 20
    assert {r.upstream_id.partition(",")[0]: (r.reason, r.detail.partition(":")[0]) for r in found.refused} == {
        "gpt 4.1 Inp regnl Tokens": ("not-expressible", "a government cloud, which the sheet does not have"),
        "gpt 4.1 nano Inp glbl Tokens": ("unknown-key", "unknown word nano"),
        "5.4 opt Gl 1M Tokens": ("unknown-key", "unknown word 5.4"),
        "gpt-4o-0806-FT-inp-glbl Tokens": ("not-expressible", "ft"),
        "Provisioned Managed Global Unit": ("not-expressible", "charged by time, not by the token"),
        "gpt-realtime-2.1 Audio inp Gl 1M Tokens": ("unknown-key", "unknown word realtime"),
    }


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gpt-4o-mini-0718-Flex-Inp-glbl Tokens", "unknown-key"),
        ("gpt-4o-mini-0718-Inp-glbl-regnl Tokens", "unknown-key"),
        ("gpt-4o-mini-0718-Inp-Outp-glbl Tokens", "unknown-key"),
        ("gpt-4o-mini-0718-Batch-pp-Inp-glbl Tokens", "unknown-key"),
        ("gpt-4o-mini-0718-glbl Tokens", "unknown-key"),
        ("gpt-4o-mini-0718-cached-Outp-glbl Tokens", "unknown-key"),
        ("gpt-4o-mini-0718-Inp Tokens", "unknown-context"),
        ("gpt-4o-mini Inp glbl Tokens", "invalid-name"),
        ("gpt-4o-0513 Inp glbl Tokens", "unknown-key"),
        ("sol 5.6 Inp glbl Tokens", "invalid-name"),
        ("gpt 4.1 LongCo Inp glbl Tokens", "not-expressible"),
        ("Inp glbl Tokens", "invalid-name"),
        ("", "invalid-name"),
        ("gpt-4o-mini-0718-Trng-glbl Tokens", "not-expressible"),
    ],
)
def test_names_that_are_not_understood(name: str, reason: str) -> None:
    with pytest.raises(UnreadMeter) as caught:
        read_meter(name)
    assert caught.value.reason == reason


def test_every_model_is_sold_by_the_sheet() -> None:
    (azure,) = [provider.content() for provider in built_in() if provider.provider == "azure"]
    assert set(MODELS.values()) <= set(azure.models)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"type": "Reservation"}, "not-expressible"),
        ({"type": "DevTestConsumption"}, "not-expressible"),
        ({"type": None}, "malformed"),
        ({"reservationTerm": "1 Year"}, "not-expressible"),
        ({"skuName": "gpt-4o-mini Spot"}, "not-expressible"),
        ({"unitOfMeasure": "1/Hour"}, "not-expressible"),
        ({"unitOfMeasure": "1 Hour"}, "not-expressible"),
        ({"unitOfMeasure": "100"}, "unknown-unit"),
        ({"meterName": "gpt-4o-mini-0718-Inp-glbl 1M Tokens"}, "unknown-unit"),
        ({"tierMinimumUnits": 1000}, "not-expressible"),
        ({"retailPrice": None}, "missing-price"),
        ({"retailPrice": "free"}, "not-a-number"),
        ({"retailPrice": -1}, "sentinel"),
        ({"retailPrice": 0, "unitPrice": 0}, "zero-price"),
        ({"unitPrice": 0.0002}, "malformed"),
        ({"currencyCode": None}, "missing-currency"),
        ({"currencyCode": "Dollar"}, "missing-currency"),
        ({"meterName": ["gpt"]}, "malformed"),
        ({"armRegionName": ""}, "malformed"),
        ({"armRegionName": "usgovtexas"}, "not-expressible"),
        ({"meterName": "gpt 4.1 Inp Data Zone Tokens", "armRegionName": "norwayeast"}, "unknown-context"),
        ({"effectiveStartDate": "July 2024"}, "malformed"),
        ({"effectiveStartDate": None}, "malformed"),
        ({"effectiveEndDate": "2024-07-01T00:00:00Z"}, "malformed"),
        ({"productName": "Virtual Machines"}, "invalid-name"),
    ],
)  # fmt: skip
def test_refused_items(fields: dict[str, object], reason: str) -> None:
    found = one(**fields)
    assert not found.rows
    assert [refusal.reason for refusal in found.refused] == [reason]


def test_an_end_written_as_the_last_second_is_the_next_day() -> None:
    (row,) = one(effectiveEndDate="2026-08-31T23:59:59Z").rows
    assert row.row.period.valid_to == datetime(2026, 9, 1, tzinfo=UTC)


def test_converted_prices_say_so() -> None:
    (row,) = one(currencyCode="EUR", retailPrice=0.0001, unitPrice=0.0001).rows
    assert row.row.currency == "EUR"
    assert "rounded" in row.row.provenance.note


def test_different_prices_of_one_usage_are_not_believed() -> None:
    other = ITEM | {"retailPrice": 0.0002, "unitPrice": 0.0002, "armRegionName": "eastus"}
    found = read({"BillingCurrency": "USD", "Items": [ITEM, other], "NextPageLink": None})
    assert len(found.rows) == 1
    assert [refusal.reason for refusal in found.refused] == ["overlap"]


def test_a_missing_page_is_noticed() -> None:
    found = read(PAGES[0])
    assert [(r.reason, r.where) for r in found.refused if r.where == "NextPageLink"] == [("malformed", "NextPageLink")]
    assert found.rows
    short = PAGES[1] | {"Items": PAGES[1]["Items"][:-1]}
    assert [r.where for r in read([PAGES[0], short]).refused if r.upstream_id == "page 2"] == ["Count"]


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b'{"Items": 1}', b"\xff", b'{"Items": [], "Items": []}', b"[" * 9]
)
def test_files_of_another_kind(content: bytes) -> None:
    with pytest.raises(PermillionError) as caught:
        FEED.read(content, RETRIEVED_ON)
    assert caught.value.slug == "invalid-feed"


@given(st.sampled_from(places(PAGES)), ANY_JSON)
def test_any_value_anywhere_is_read_or_refused(place: tuple[Any, ...], new: Any) -> None:
    read_or_refuse(FEED, json.dumps(replaced(PAGES, place, new)).encode())


@given(st.text(max_size=40))
def test_any_name_is_read_or_refused(name: str) -> None:
    try:
        read_meter(name)
    except UnreadMeter as unread:
        assert unread.detail


def test_deep_values_are_read_or_refused() -> None:
    deep = b"[" * 900 + b"]" * 900
    for name in ITEM:
        item = {**ITEM, name: "HERE"}
        read_or_refuse(FEED, json.dumps({"Items": [item]}).encode().replace(b'"HERE"', deep))
