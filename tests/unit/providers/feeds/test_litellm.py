"""LiteLLM's map: what of its price keys becomes a row, and that everything else is refused by name."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from catalog.publishing.checks import NewBook, NewRow, check_rows
from economics.errors import PermillionError
from economics.prices import SearchUnit, Tier
from providers.feeds.litellm import FEED
from providers.feeds.reading import FeedReading, FeedRow

DAY = date(2026, 11, 30)
FIXTURE = json.loads(Path(__file__).with_name("litellm.json").read_text(encoding="utf-8"))
READING = FEED.read(json.dumps(FIXTURE).encode(), DAY)


def read(entry: dict[str, Any], key: str = "acme/rocket") -> FeedReading:
    return FEED.read(json.dumps({key: {"litellm_provider": "acme", "mode": "chat"} | entry}).encode(), DAY)


def rates(rows: list[FeedRow]) -> dict[str, tuple[str, int]]:
    return {row.row.slot: (format(row.row.rate, "f"), row.row.per) for row in rows}


def of(upstream_id: str, reading: FeedReading = READING) -> list[FeedRow]:
    return [row for row in reading.rows if row.upstream_id == upstream_id]


def refused(reading: FeedReading) -> dict[str, str]:
    return {each.where: each.reason for each in reading.refused}


def refused_of(upstream_id: str) -> dict[str, str]:
    return {each.where: each.reason for each in READING.refused if each.upstream_id == upstream_id}


def test_a_long_context_in_every_mode_that_a_context_can_say() -> None:
    # OpenAI's list price of gpt-6-luna (2026-10-14): 0.1 / 0.01 / 0.125 / 0.5, above 272,000: 0.2 / 0.02 / - / 0.75.
    found = rates(of("gpt-6-luna"))
    assert found["input_tokens|||"] == ("0.1", 1_000_000)
    assert found["cache_read_tokens||>272000|"][0] == "0.02"
    assert found["output_tokens||>272000|"][0] == "0.75"
    assert found["output_tokens|processing=batch|>272000|"][0] == "0.375"
    assert found["input_tokens|service_tier=priority||"][0] == "0.2"
    assert found["cache_write_tokens|service_tier=flex||"][0] == "0.0625"
    assert {key: reason for key, reason in refused_of("gpt-6-luna").items() if key.startswith("input")} == {
        "input_cost_per_token_decisions": "unknown-key",
        "input_cost_per_token_above_272k_tokens_decisions": "unknown-key",
    }


def test_the_hour_of_a_cache_write_and_the_cliff_of_haiku() -> None:
    # Anthropic's Haiku 5.5: writes 0.125 / 0.2, above 100,000: 0.625 / 1.
    found = rates(of("claude-haiku-5-5"))
    assert [found[f"cache_write_{slot}"][0] for slot in ("tokens|||", "1h_tokens|||")] == ["0.125", "0.2"]
    assert [found[f"cache_write_{slot}"][0] for slot in ("tokens||>100000|", "1h_tokens||>100000|")] == ["0.625", "1"]
    assert refused_of("claude-haiku-5-5") == {"provider_specific_entry/us": "not-expressible"}


def test_only_the_tier_of_xai_includes_its_threshold() -> None:
    tiers = {row.row.tier for row in of("xai/grok-4.7")}
    assert tiers == {Tier(), Tier(200_000, min_inclusive=True)}
    assert {row.row.tier.min_inclusive for row in READING.rows if row.provider != "xai"} == {False}


def test_ranges_are_tiers_of_the_whole_request_and_the_last_one_ends() -> None:
    # Alibaba international, qwen3-max: 1.2/6 up to 32k, 2.4/12 up to 128k, 3/15 up to 252k.
    rows = of("dashscope/qwen3-max-preview")
    assert {(row.row.meter, row.row.tier, format(row.row.rate, "f")) for row in rows} == {
        ("input_tokens", Tier(), "1.2"),
        ("output_tokens", Tier(), "6"),
        ("input_tokens", Tier(32_000), "2.4"),
        ("output_tokens", Tier(32_000), "12"),
        ("input_tokens", Tier(128_000, max_input_tokens=252_000), "3"),
        ("output_tokens", Tier(128_000, max_input_tokens=252_000), "15"),
    }
    assert {(row.provider, row.model) for row in rows} == {("alibaba", "qwen3-max-preview")}


@pytest.mark.parametrize(
    "ranges",
    [
        [[0, 32_000], [64_000, 128_000]],
        [[0, 32_000], [16_000, 64_000]],
        [[1, 32_000]],
        [[0, 0.5]],
        [[0, None]],
        [[32_000, 0]],
        [["a", "b"]],
        [None],
        [],
    ],
)
def test_ranges_that_are_no_tiers_are_refused(ranges: list[Any]) -> None:
    tiers = [{"range": each, "input_cost_per_token": 1e-06} for each in ranges]
    reading = read({"tiered_pricing": tiers, "output_cost_per_token": 2e-06})
    assert set(rates(list(reading.rows))) == {"output_tokens|||"}
    assert refused(reading) == {"tiered_pricing": "not-expressible"}


def test_prices_that_other_hours_change_are_refused_on_both_sides() -> None:
    assert of("deepseek-flash") == []
    found = refused_of("deepseek-flash")
    keys = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
    assert {found[key] for key in keys} | {found[f"off_peak_pricing/{key}"] for key in keys} == {"not-expressible"}
    assert found["cache_write_tokens|||"] == "zero-price"


def test_a_search_costs_by_context_where_the_three_differ() -> None:
    # Perplexity's request fee of Sonar: 5 / 8 / 12 per 1,000 by search context.
    found = rates(of("perplexity/sonar"))
    assert {found[f"requests|search_context={size}||"] for size in ("low", "medium", "high")} == {
        ("5", 1_000), ("8", 1_000), ("12", 1_000),
    }  # fmt: skip
    assert rates(of("gpt-6-luna"))["web_searches|||"] == ("10", 1_000)


def test_what_one_search_is() -> None:
    units = {row.upstream_id: row.row.search_unit for row in READING.rows if row.row.meter == "web_searches"}
    assert units["gpt-6-luna"] is SearchUnit.CALL
    assert units["gemini-3-pro-image"] is SearchUnit.UNIQUE_QUERY


def test_reasoning_and_citations_of_deep_research() -> None:
    found = rates(of("perplexity/sonar-deep-research"))
    assert [found[f"{meter}|||"][0] for meter in ("output_tokens", "reasoning_tokens", "citation_tokens")] == [
        "8",
        "3",
        "2",
    ]


def test_seconds_characters_and_pages() -> None:
    # OpenAI: Whisper 0.36 per hour, tts-1 15 per 1M characters; Mistral OCR 4 and annotated 5 per 1,000 pages, batch half.
    assert rates(of("whisper-1")) == {"audio_seconds|||": ("0.36", 3_600)}
    assert refused_of("whisper-1") == {}
    assert rates(of("tts-1")) == {"input_characters|||": ("15", 1_000_000)}
    assert {rate for rate, per in rates(of("mistral/mistral-ocr-latest")).values() if per == 1_000} == {
        "4",
        "5",
        "2",
        "2.5",
    }
    assert of("openai/sora-2") == []
    assert refused_of("openai/sora-2") == {"output_cost_per_video_per_second": "unknown-key"}


def test_whose_model_it_is() -> None:
    found = {row.upstream_id: (row.provider, row.model, row.row.conditions.get("region")) for row in READING.rows}
    assert found["bedrock/us-east-1/meta.llama3-70b-instruct-v1:0"] == (
        "aws", "meta.llama3-70b-instruct-v1:0", ("us-east-1",),
    )  # fmt: skip
    assert found["us.anthropic.claude-opus-4-7"] == ("aws", "us.anthropic.claude-opus-4-7", None)
    assert found["gemini-2.5-flash"][:2] == ("vertex", "gemini-2.5-flash")
    zones = {row.row.conditions["zone"] for row in of("azure/eu/gpt-5-2025-08-07")}
    assert zones == {("eu",)}
    assert set(refused_of("azure/us-gov/o3-mini").values()) == {"unknown-context"}
    assert set(refused_of("zai/glm-latest").values()) == {"alias-entry"}
    assert set(refused_of("low/1024-x-1024/gpt-image-1.5").values()) == {"alias-entry"}


def test_an_entry_that_cites_openrouter_repeats_it() -> None:
    lineages = {
        cited: next(iter(read({"input_cost_per_token": 1e-06, "source": cited}).sources.values())).lineage
        for cited in ("https://openrouter.ai/acme/rocket", "https://acme.example/prices", None)
    }
    assert list(lineages.values()) == ["openrouter", None, None]


def test_of_two_entries_of_one_model_that_contradict_each_other_the_first_stays_whole() -> None:
    first = {"litellm_provider": "bedrock_mantle", "input_cost_per_token": 2.2e-06, "output_cost_per_token": 1.1e-05}
    entries = {
        "bedrock_mantle/openai.gpt-6-sol": first,
        "openai.gpt-6-sol": {"litellm_provider": "bedrock", "input_cost_per_token": 2e-06, "input_cost_per_token_batches": 1e-06},
        "bedrock/openai.gpt-6-sol": {"litellm_provider": "bedrock", "input_cost_per_token": 2.2e-06,
                                     "cache_read_input_token_cost": 2.2e-07},
    }  # fmt: skip
    reading = FEED.read(json.dumps(entries).encode(), DAY)
    assert {slot: rate for slot, (rate, _) in rates(list(reading.rows)).items()} == {
        "input_tokens|||": "2.2", "output_tokens|||": "11", "cache_read_tokens|||": "0.22",
    }  # fmt: skip
    (refusal,) = reading.refused
    assert (refusal.upstream_id, refusal.reason) == ("openai.gpt-6-sol", "overlap")
    assert "bedrock_mantle/openai.gpt-6-sol" in refusal.detail


def test_the_sample_is_no_entry() -> None:
    assert READING.entries == len(FIXTURE) - 1
    assert not [each for each in READING.refused if each.upstream_id == "sample_spec"]


def test_zeros_are_claims_that_nothing_calls_free() -> None:
    assert of("gemini/gemini-exp-1114") == []
    assert set(refused_of("gemini/gemini-exp-1114").values()) == {"zero-price"}


def test_null_is_not_said_absent_is_the_same_and_zero_is_a_claim() -> None:
    """BerriAI/litellm#40741: a key that is there with null must neither block the others nor become 0."""
    absent = read({"output_cost_per_token": 2e-06})
    null = read({"output_cost_per_token": 2e-06, "input_cost_per_token": None, "off_peak_pricing": None,
                 "tiered_pricing": None, "search_context_cost_per_query": None, "provider_specific_entry": None,
                 "some_future_cost": None})  # fmt: skip
    zero = read({"output_cost_per_token": 2e-06, "input_cost_per_token": 0})
    assert rates(list(absent.rows)) == rates(list(null.rows)) == rates(list(zero.rows)) == {
        "output_tokens|||": ("2", 1_000_000)
    }  # fmt: skip
    assert (refused(absent), refused(null), refused(zero)) == ({}, {}, {"input_tokens|||": "zero-price"})


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (-1e-06, "sentinel"),
        (True, "not-a-number"),
        (False, "not-a-number"),
        (" 0.1", "not-a-number"),
        ("0.1\ud800", "not-a-number"),
        ("NaN", "not-a-number"),
        (float("inf"), "not-a-number"),
        ([], "not-a-number"),
        ({}, "not-a-number"),
        ("1e999999", "not-a-number"),
        ("1" * 61, "not-a-number"),
        (1e-29, "not-a-number"),
    ],
)
def test_what_is_no_price_is_refused_and_the_rest_stays(value: object, reason: str) -> None:
    content = json.dumps(
        {"a/b": {"litellm_provider": "a", "input_cost_per_token": value, "output_cost_per_token": 2e-06}}
    )
    reading = FEED.read(content.encode(), DAY)
    if value == 1e-29:  # 10^-29 per token is 10^-23 per million: small, and exact
        assert format(next(iter(reading.rows)).row.rate, "f").endswith("1")
        return
    assert refused(reading) == {"input_cost_per_token": reason}
    assert [row.row.rate for row in reading.rows] == [Decimal(2)]


@pytest.mark.parametrize(
    "key",
    ["input_cost_per_token_ultrafast", "future_price", "input_dbu_cost_per_token", "new_pricing_table",
     "cache_creation_input_audio_token_cost", "input_cost_per_token_flex_above_1k_tokens_flex", "input_cost_per_tokens"],
)  # fmt: skip
def test_a_key_that_looks_like_a_price_and_is_not_understood_is_named(key: str) -> None:
    assert refused(read({key: 1, "output_cost_per_token": 2e-06})) == {key: "unknown-key"}


def test_a_factor_is_no_rate() -> None:
    reading = read({"regional_processing_uplift_multiplier_eu": 1.1, "provider_specific_entry": {"fast": 2.0, "x": 1}})
    assert set(refused(reading).values()) == {"not-expressible"}


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"a": 1}', b'{"a": {"mode": "chat"}}', b'"x"', b"\xff"])
def test_another_file_is_said(content: bytes) -> None:
    with pytest.raises(PermillionError) as caught:
        FEED.read(content, DAY)
    assert caught.value.slug == "invalid-feed"


def test_all_rows_can_be_published() -> None:
    rows = [NewRow(row.provider, row.model, None, row.row) for row in READING.rows]
    assert len(check_rows(NewBook("imported", None, "USD"), rows, {})) == len(rows) > 100
