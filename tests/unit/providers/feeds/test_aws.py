"""AWS's price list: usage types of both spellings, ids that are known or refused, prices by region and currency."""

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
from providers.feeds.aws_usage import LONG_CONTEXT, MODELS, UnreadProduct, read_usage
from providers.feeds.reading import FeedReading
from providers.registry import built_in
from tests.unit.providers.feeds.mutating import ANY_JSON, RETRIEVED_ON, places, read_or_refuse, replaced

FEED = feed_named("aws")
DATA = Path(__file__).parent / "data"
BEDROCK: dict[str, Any] = json.loads((DATA / "aws_bedrock.json").read_text(encoding="utf-8"))
FOUNDATION: dict[str, Any] = json.loads((DATA / "aws_foundation_models.json").read_text(encoding="utf-8"))
NOVA = "FIXTURE000000001"
TERM = f"{NOVA}.JRTCKXETXF"
RATE = f"{TERM}.6YS6EN2CT7"


def read(offer: object) -> FeedReading:
    return FEED.read(json.dumps(offer).encode(), RETRIEVED_ON)


def one(attributes: dict[str, object] | None = None, **dimension: object) -> FeedReading:
    """The reading of an offer with Nova Pro's input alone, changed; None takes a field out."""
    product = {"attributes": _changed(BEDROCK["products"][NOVA]["attributes"], attributes or {})}
    term = BEDROCK["terms"]["OnDemand"][NOVA][TERM]
    date = dimension.pop("effectiveDate", term["effectiveDate"])
    term = term | {"effectiveDate": date, "priceDimensions": {RATE: _changed(term["priceDimensions"][RATE], dimension)}}
    return read(BEDROCK | {"products": {NOVA: product}, "terms": {"OnDemand": {NOVA: {TERM: term}}}})


def _changed(whole: dict[str, Any], fields: dict[str, object]) -> dict[str, Any]:
    return {name: value for name, value in (whole | fields).items() if value is not None}


def rates(found: FeedReading) -> dict[tuple[str, str], str]:
    return {(row.model, row.row.slot): f"{row.row.rate:f}" for row in found.rows}


def test_amazons_own_models_by_region_and_globally() -> None:
    found = read(BEDROCK)
    assert rates(found) == {
        ("amazon.nova-pro-v1:0", "input_tokens|region=us-east-1||"): "0.8",
        ("amazon.nova-pro-v1:0", "output_tokens|region=us-east-1||"): "3.2",
        ("amazon.nova-pro-v1:0", "input_tokens|region=us-east-1&service_tier=priority||"): "1.4",
        ("amazon.nova-pro-v1:0", "output_tokens|region=us-east-1&service_tier=latency-optimized||"): "4",
        ("amazon.nova-2-lite-v1:0", "input_tokens|region=us-east-1||"): "0.33",
        ("amazon.nova-2-lite-v1:0", "output_tokens|region=us-east-1||"): "2.75",
        ("global.amazon.nova-2-lite-v1:0", "input_tokens|||"): "0.3",
        ("global.amazon.nova-2-lite-v1:0", "output_tokens|||"): "2.5",
    }
    assert {(row.provider, row.row.currency, row.row.per, row.row.start_known) for row in found.rows} == {
        ("aws", "USD", 1_000_000, True)
    }
    assert found.sources["AWS price list, AmazonBedrock"].version == "20260928000000"


def test_a_global_price_begins_with_its_first_region() -> None:
    (row,) = [
        row
        for row in read(BEDROCK).rows
        if (row.model, row.row.meter) == ("global.amazon.nova-2-lite-v1:0", "input_tokens")
    ]
    assert row.row.period.valid_from == datetime(2026, 7, 1, tzinfo=UTC)


def test_models_of_the_marketplace() -> None:
    haiku, sonnet = "anthropic.claude-haiku-4-5-20251001-v1:0", "anthropic.claude-sonnet-5-5"
    found = read(FOUNDATION)
    assert rates(found) == {
        (haiku, "input_tokens|region=us-east-1||"): "1.1",
        (haiku, "output_tokens|region=us-east-1||"): "5.5",
        (f"global.{haiku}", "input_tokens|||"): "1",
        (haiku, "input_tokens|processing=batch&region=us-east-1||"): "0.55",
        (haiku, "cache_read_tokens|region=us-east-1||"): "0.11",
        (haiku, "cache_write_tokens|region=us-east-1||"): "1.375",
        (sonnet, "input_tokens|region=us-east-1||"): "2.2",
        (sonnet, "output_tokens|region=us-east-1||"): "11",
        (f"global.{sonnet}", "cache_write_1h_tokens|||"): "4",
        ("global.openai.gpt-6-astra", "input_tokens||>272000|"): "20",
    }
    assert {row.row.period.valid_from for row in found.rows} == {datetime(2026, 9, 1, tzinfo=UTC)}


def test_what_is_refused_says_what_it_was() -> None:
    refused = {r.where: (r.reason, r.detail) for r in [*read(BEDROCK).refused, *read(FOUNDATION).refused]}
    assert {where: reason for where, (reason, _) in refused.items()} == {
        "USE1-NovaPro-cache-write-input-token-count-custom-model": "not-expressible",
        "USE1-Nova2.0Pro-input-image-token-count-cross-region-global": "invalid-name",
        "USE1-openai.gpt-oss-120b-mantle-input-tokens-standard": "invalid-name",
        "APN1-MP:APN1_MillionBatchInputTokens-Units": "unknown-key",
        "USE1-MP:USE1_Reserved_1Month_InputTPM_Geo-Units": "not-expressible",
        "USE1-MP:USE1_InputTokenCount-Units": "invalid-name",
    }
    assert "Nova 2.0 Pro" in refused["USE1-Nova2.0Pro-input-image-token-count-cross-region-global"][1]
    assert "million" in refused["APN1-MP:APN1_MillionBatchInputTokens-Units"][1]


@pytest.mark.parametrize(
    ("usage_type", "meter", "is_global", "mode", "is_long"),
    [
        ("USE1-Claude3Sonnet-input-tokens", "input_tokens", False, "standard", False),
        ("USE1-Nova2.0Lite-input-tokens-flex", "input_tokens", False, "flex", False),
        ("USE1-NovaLite-input-tokens-priority-cross-region-global", "input_tokens", True, "priority", False),
        ("USE1-Nova2.0Lite-input-tokens-cross-region-global-batch", "input_tokens", True, "batch", False),
        ("USE1-Claude4.6Opus-cache-read-input-token-count-cross-region-global", "cache_read_tokens", True, "standard", False),
        ("USE1-Claude4.6Opus-cache-write-1h-input-token-count", "cache_write_1h_tokens", False, "standard", False),
        ("USE1-NovaPro-cache-write-input-token-count-1h", "cache_write_1h_tokens", False, "standard", False),
        ("USE1-MP:USE1_OutputTokenCount_Global_Batch-Units", "output_tokens", True, "batch", False),
        ("USE1-MP:USE1_CacheWrite1hInputTokenCount_Global-Units", "cache_write_1h_tokens", True, "standard", False),
        ("USE1-MP:USE1_cached_input_tokens_flex-Units", "cache_read_tokens", False, "flex", False),
        ("USE1-MP:USE1_cache_writes_tokens_global_standard-Units", "cache_write_tokens", True, "standard", False),
        ("USE1-MP:USE1_output_tokens_long_ctx_standard-Units", "output_tokens", False, "standard", True),
    ],
)  # fmt: skip
def test_usage_types(usage_type: str, meter: str, is_global: bool, mode: str, is_long: bool) -> None:
    found = read_usage(usage_type)
    assert (found.meter, found.is_global, found.mode, found.is_long) == (meter, is_global, mode, is_long)


@pytest.mark.parametrize(
    ("usage_type", "reason"),
    [
        ("USE1-NovaPro-input-tokens-ultrafast", "unknown-key"),
        ("USE1-NovaPro-input-tokens-batch-flex", "unknown-context"),
        ("USE1-NovaPro-input-tokens-cross-region", "unknown-key"),
        ("USE1-NovaPro-input-tokens-latency", "unknown-key"),
        ("USE1-NovaPro-input-tokens-long", "unknown-key"),
        ("USE1-NovaPro-input-output-tokens", "unknown-key"),
        ("USE1-NovaPro-input-tokens-1h", "unknown-key"),
        ("USE1-NovaPro-cache-output-tokens", "unknown-key"),
        ("USE1-NovaSonic2.0-text-input-tokens", "not-expressible"),
        ("USE1-NovaSonic2.0-speech-output-tokens", "not-expressible"),
        ("USE1-NovaPro-Customization-Training", "not-expressible"),
        ("USE1-qwen.qwen3-mantle-input-tokens-standard", "not-expressible"),
        ("USE1-Guardrail-AutomatedReasoningPolicyUnitsConsumed", "unknown-key"),
        ("", "unknown-key"),
    ],
)
def test_usage_types_that_are_not_understood(usage_type: str, reason: str) -> None:
    with pytest.raises(UnreadProduct) as caught:
        read_usage(usage_type)
    assert caught.value.reason == reason


def test_every_model_and_long_context_is_the_sheets() -> None:
    (aws,) = [provider.content() for provider in built_in() if provider.provider == "aws"]
    assert set(MODELS.values()) <= set(aws.models)
    tiers = {
        (offer.model, offer.row.tier.min_input_tokens)
        for offer in aws.rows
        if offer.model in set(MODELS.values()) and offer.row.tier != Tier()
    }
    assert tiers == set(LONG_CONTEXT.items())


@pytest.mark.parametrize(
    ("attributes", "dimension", "reason"),
    [
        ({"model": "Nova Premier"}, {}, "invalid-name"),
        ({"model": "nova pro"}, {}, "invalid-name"),
        ({"model": None, "servicename": None}, {}, "invalid-name"),
        ({"usagetype": None}, {}, "malformed"),
        ({"regionCode": None}, {}, "malformed"),
        ({"regionCode": "us-gov-west-1"}, {}, "not-expressible"),
        ({"feature": "Model Customization"}, {}, "not-expressible"),
        ({"inferenceType": "Output tokens"}, {}, "malformed"),
        ({"service_tier": "flex", "inferenceType": "Input tokens priority"}, {}, "unknown-context"),
        ({"service_tier": "global-standard"}, {}, "unknown-context"),
        ({"usagetype": "USE1-NovaPro-input-tokens-long-context"}, {}, "not-expressible"),
        ({}, {"unit": "Units"}, "unknown-unit"),
        ({}, {"unit": "hour"}, "unknown-unit"),
        ({}, {"unit": None}, "malformed"),
        ({}, {"endRange": "1000000"}, "not-expressible"),
        ({}, {"beginRange": "1000000"}, "not-expressible"),
        ({}, {"pricePerUnit": {}}, "missing-currency"),
        ({}, {"pricePerUnit": None}, "missing-currency"),
        ({}, {"pricePerUnit": {"usd": "1"}}, "missing-currency"),
        ({}, {"pricePerUnit": {"USD": "0.0000000000"}}, "zero-price"),
        ({}, {"pricePerUnit": {"USD": "-1"}}, "sentinel"),
        ({}, {"pricePerUnit": {"USD": "n/a"}}, "not-a-number"),
        ({}, {"effectiveDate": "July"}, "malformed"),
        ({}, {"effectiveDate": None}, "malformed"),
    ],
)  # fmt: skip
def test_refused_products(attributes: dict[str, object], dimension: dict[str, object], reason: str) -> None:
    found = one(attributes, **dimension)
    assert not found.rows
    assert [refusal.reason for refusal in found.refused] == [reason]


@pytest.mark.parametrize(
    ("unit", "price"), [("1K tokens", "0.0008"), ("1k tokens", "0.0008"), ("1M tokens", "0.8"), ("Tokens", "0.0000008")]
)
def test_units(unit: str, price: str) -> None:
    (row,) = one(unit=unit, pricePerUnit={"USD": price}).rows
    assert (row.row.rate, row.row.per) == (Decimal("0.8"), 1_000_000)


def test_each_currency_is_a_row_of_its_own() -> None:
    found = one(pricePerUnit={"USD": "0.0008", "CNY": "0.0056"})
    assert {row.row.currency: row.row.rate for row in found.rows} == {"USD": Decimal("0.8"), "CNY": Decimal("5.6")}


def test_the_mode_may_stand_in_another_attribute() -> None:
    (row,) = one({"feature": "Batch Inference"}).rows
    assert row.row.conditions == {"region": ("us-east-1",), "processing": ("batch",)}
    (row,) = one({"service_tier": "flex"}).rows
    assert row.row.conditions == {"region": ("us-east-1",), "service_tier": ("flex",)}


def test_products_without_a_price_and_commitments_are_reported() -> None:
    found = read(BEDROCK | {"terms": {"OnDemand": {}, "Reserved": {}}})
    assert {refusal.reason for refusal in found.refused if refusal.where == "terms"} == {
        "missing-price",
        "not-expressible",
    }
    assert not found.rows


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"offerCode": "AmazonEC2", "products": {}, "terms": {}}', b'{"offerCode": "AmazonBedrock"}']
)  # fmt: skip
def test_files_of_another_kind(content: bytes) -> None:
    with pytest.raises(PermillionError) as caught:
        FEED.read(content, RETRIEVED_ON)
    assert caught.value.slug == "invalid-feed"


@given(st.sampled_from(places(BEDROCK)), ANY_JSON)
def test_any_value_anywhere_is_read_or_refused(place: tuple[Any, ...], new: Any) -> None:
    read_or_refuse(FEED, json.dumps(replaced(BEDROCK, place, new)).encode())


@given(st.text(max_size=60))
def test_any_usage_type_is_read_or_refused(usage_type: str) -> None:
    for text in (usage_type, f"USE1-NovaPro-input-tokens-{usage_type}", f"USE1-MP:USE1_{usage_type}-Units"):
        try:
            read_usage(text)
        except UnreadProduct as unread:
            assert unread.detail


def test_deep_values_are_read_or_refused() -> None:
    deep = b"[" * 900 + b"]" * 900
    for name in [*BEDROCK["products"][NOVA]["attributes"], "service_tier"]:
        product = {"attributes": BEDROCK["products"][NOVA]["attributes"] | {name: "HERE"}}
        offer = BEDROCK | {"products": {NOVA: product}}
        read_or_refuse(FEED, json.dumps(offer).encode().replace(b'"HERE"', deep))
