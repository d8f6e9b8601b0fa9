"""models.dev's file: prices per million tokens, tiers, modes, and keys that its schema does not know."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from catalog.publishing.checks import NewBook, NewRow, check_rows
from economics.errors import PermillionError
from economics.prices import Tier
from providers.feeds.models_dev import FEED
from providers.feeds.reading import FeedRow

DAY = date(2026, 11, 30)
READING = FEED.read(Path(__file__).with_name("models_dev.json").read_bytes(), DAY)


def of(upstream_id: str) -> list[FeedRow]:
    return [row for row in READING.rows if row.upstream_id == upstream_id]


def rates(upstream_id: str) -> dict[str, str]:
    return {row.row.slot: format(row.row.rate, "f") for row in of(upstream_id)}


def refused(upstream_id: str) -> dict[str, str]:
    return {each.where: each.reason for each in READING.refused if each.upstream_id == upstream_id}


def test_the_tier_is_the_model_s_own_and_not_the_older_field() -> None:
    """anomalyco/opencode#44224: the older field priced 200,001 to 272,000 tokens of gpt-5.4 at the long rate."""
    assert {row.row.tier for row in of("openai/gpt-5.4")} == {Tier(), Tier(272_000)}
    # OpenAI's list price of gpt-5.4: 2.5 / 0.25 / 15, above 272,000: 5 / 0.5 / 22.5; priority (fast) 5 / 0.5 / 30.
    assert rates("openai/gpt-5.4") == {
        "input_tokens|||": "2.5", "cache_read_tokens|||": "0.25", "output_tokens|||": "15",
        "input_tokens||>272000|": "5", "cache_read_tokens||>272000|": "0.5", "output_tokens||>272000|": "22.5",
        "input_tokens|service_tier=priority||": "5", "cache_read_tokens|service_tier=priority||": "0.5",
        "output_tokens|service_tier=priority||": "30",
    }  # fmt: skip
    assert refused("openai/gpt-5.4") == {}


def test_a_mode_is_the_context_that_a_request_asks_for_it_with() -> None:
    assert rates("anthropic/claude-opus-4-6")["output_tokens|speed=fast||"] == "150"
    assert refused("acme/skates")["experimental/modes/fast/cost"] == "unknown-context"


def test_the_older_field_counts_where_there_are_no_tiers() -> None:
    assert rates("acme/sled") == {
        "input_tokens|||": "2", "output_tokens|||": "8", "input_tokens||>200000|": "4", "output_tokens||>200000|": "12",
    }  # fmt: skip
    assert refused("acme/skates") == {
        "cost/tiers/1": "not-expressible",
        "cost/context_over_200k": "overlap",
        "experimental/modes/fast/cost": "unknown-context",
    }


def test_the_tier_of_xai_includes_its_threshold() -> None:
    tiers = {row.row.tier for row in of("xai/grok-4.20-0309-non-reasoning")}
    assert tiers == {Tier(), Tier(200_000, min_inclusive=True)}


def test_keys_outside_of_the_schema_are_refused_by_name() -> None:
    assert refused("acme/rocket") == {
        f"cost/{key}": "unknown-key"
        for key in ("cached_input", "cache_input", "cached_write", "image", "citation", "request")
    }
    assert rates("acme/rocket") == {"input_tokens|||": "1", "output_tokens|||": "4"}


def test_reasoning_and_audio() -> None:
    assert rates("alibaba/qwen-plus")["reasoning_tokens|||"] == "4"
    assert rates("alibaba/qwen-omni-turbo")["output_audio_tokens|||"] == "8.89"


def test_no_cost_and_zeros_are_no_prices() -> None:
    assert refused("openai/chatgpt-image-latest") == {"cost": "missing-price"}
    assert set(refused("aihubmix/coding-glm-5.1-free").values()) == {"zero-price"}


def test_names_and_markets() -> None:
    assert {(row.provider, row.model) for row in of("amazon-bedrock/amazon.nova-lite-v1:0")} == {
        ("aws", "amazon.nova-lite-v1:0")
    }
    assert {row.provider for row in of("google-vertex/gemini-2.5-pro")} == {"vertex"}
    assert {(row.provider, row.row.provenance.source) for row in of("zhipuai/glm-4.6")} == {
        ("zhipuai", "models.dev, Chinese markets")
    }
    assert READING.sources["models.dev, Chinese markets"].note


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"a": 1}', b'{"a": {"models": []}}'])
def test_another_file_is_said(content: bytes) -> None:
    with pytest.raises(PermillionError) as caught:
        FEED.read(content, DAY)
    assert caught.value.slug == "invalid-feed"


def test_null_is_not_said() -> None:
    content = {"a": {"models": {"b": {"cost": {"input": 1, "output": None, "tiers": None, "context_over_200k": None}}}}}
    reading = FEED.read(json.dumps(content).encode(), DAY)
    assert [row.row.meter for row in reading.rows] == ["input_tokens"]
    assert not reading.refused


def test_all_rows_can_be_published() -> None:
    rows = [NewRow(row.provider, row.model, None, row.row) for row in READING.rows]
    assert len(check_rows(NewBook("imported", None, "USD"), rows, {})) == len(rows) > 30
