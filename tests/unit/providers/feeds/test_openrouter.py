"""OpenRouter's answer: decimal strings per token, overrides, sentinels, free models and discounts."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from catalog.publishing.checks import NewBook, NewRow, check_rows
from economics.errors import PermillionError
from providers.feeds.openrouter import FEED
from providers.feeds.reading import FeedRow

DAY = date(2026, 11, 30)
READING = FEED.read(Path(__file__).with_name("openrouter.json").read_bytes(), DAY)


def of(model: str) -> list[FeedRow]:
    return [row for row in READING.rows if row.model == model]


def rates(model: str) -> dict[str, tuple[str, int]]:
    return {row.row.slot: (format(row.row.rate, "f"), row.row.per) for row in of(model)}


def refused(model: str) -> dict[str, str]:
    return {each.where: each.reason for each in READING.refused if each.upstream_id == model}


def test_strings_per_token_are_rates_per_million() -> None:
    # Anthropic's list price of Opus 5: 5 / 25, cache read 0.5, write 6.25 and 10; search 10 per 1,000.
    assert rates("anthropic/claude-opus-5") == {
        "input_tokens|||": ("5", 1_000_000),
        "output_tokens|||": ("25", 1_000_000),
        "web_searches|||": ("10", 1_000),
        "cache_read_tokens|||": ("0.5", 1_000_000),
        "cache_write_tokens|||": ("6.25", 1_000_000),
        "cache_write_1h_tokens|||": ("10", 1_000_000),
    }
    assert {row.provider for row in READING.rows} == {"openrouter"}


def test_reasoning_and_audio_have_rates_of_their_own() -> None:
    assert rates("perplexity/sonar-deep-research")["reasoning_tokens|||"][0] == "3"
    assert rates("openai/gpt-audio")["output_audio_tokens|||"][0] == "64"


def test_an_image_s_price_is_not_guessed() -> None:
    assert refused("google/gemini-3-pro-image") == {
        "pricing/image": "unknown-unit",
        "pricing/image_output": "unknown-unit",
        "pricing/input_audio_cache": "unknown-key",
    }


def test_overrides_by_length_are_tiers() -> None:
    found = rates("google/gemini-3.1-pro-preview")
    assert [found[f"{meter}||>=200000|"][0] for meter in ("input_tokens", "output_tokens", "cache_read_tokens")] == [
        "4", "18", "0.4",
    ]  # fmt: skip


def test_a_later_override_wins_wherever_it_applies() -> None:
    assert rates("acme/steps") == {
        "input_tokens|||": ("1", 1_000_000),
        "output_tokens|||": ("2", 1_000_000),
        "input_tokens||>=100000|": ("2", 1_000_000),
        "output_tokens||>=300000|": ("4", 1_000_000),
    }
    assert refused("acme/steps") == {"pricing/overrides/0/prompt": "overlap"}


def test_a_price_that_the_hour_changes_is_refused_with_its_override() -> None:
    assert set(rates("acme/night")) == {"output_tokens|||", "cache_read_tokens|||"}
    assert refused("acme/night") == {"pricing/prompt": "not-expressible", "pricing/overrides/0": "not-expressible"}


def test_a_discount_is_not_guessed() -> None:
    assert refused("acme/sale") == {"pricing/discount": "not-expressible"}
    assert of("acme/sale") == []
    assert of("openai/gpt-audio")


def test_minus_one_is_no_price() -> None:
    assert refused("openrouter/auto-beta") == {"pricing/prompt": "sentinel", "pricing/completion": "sentinel"}


def test_zero_is_free_only_under_a_free_id() -> None:
    assert {row.row.rate for row in of("acme/rocket:free")} == {0}
    assert all(row.free for row in of("acme/rocket:free"))
    assert refused("acme/rocket") == {"output_tokens|||": "zero-price", "pricing/surcharge": "unknown-key"}
    assert rates("acme/rocket")["requests|||"] == ("2", 1_000)


def test_an_id_that_is_sent_elsewhere_is_no_model() -> None:
    assert refused("~google/gemini-pro-latest") == {"": "alias-entry"}


def test_the_vendor_itself_is_the_source() -> None:
    (source,) = READING.sources.values()
    assert (source.kind, source.lineage) == ("vendor_api", None)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"data": []}', b'{"data": [{"id": "a"}]}', b'{"data": {}}'])
def test_another_file_is_said(content: bytes) -> None:
    with pytest.raises(PermillionError) as caught:
        FEED.read(content, DAY)
    assert caught.value.slug == "invalid-feed"


def test_all_rows_can_be_published() -> None:
    rows = [NewRow(row.provider, row.model, None, row.row) for row in READING.rows]
    assert len(check_rows(NewBook("imported", None, "USD"), rows, {})) == len(rows)
