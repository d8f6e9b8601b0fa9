"""genai-prices: the project's file and the installed package, against the vendor's prices and the package's own engine."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from genai_prices import data_snapshot
from genai_prices.types import TieredPrices

from catalog.publishing.checks import NewBook, NewRow, check_rows
from economics.context import MODE_KEYS
from economics.errors import PermillionError
from economics.meters import METERS
from economics.prices import PriceRow, SearchUnit, Tier
from providers.feeds.genai_prices import FEED
from providers.feeds.genai_prices.units import METER_OF
from providers.feeds.reading import FeedReading

DAY = date(2026, 11, 30)
FIXTURE = Path(__file__).with_name("genai_prices.json").read_bytes()


@pytest.fixture(scope="module")
def packaged() -> FeedReading:
    return FEED.read_package(DAY)


@pytest.fixture(scope="module")
def filed() -> FeedReading:
    return FEED.read(FIXTURE, DAY)


def of(reading: FeedReading, provider: str, model: str) -> list[PriceRow]:
    return [row.row for row in reading.rows if (row.provider, row.model) == (provider, model)]


def said(rows: list[PriceRow], at: str, **conditions: str) -> dict[tuple[str, int | None], str]:
    """Rates by meter and threshold that hold at an instant under exactly these conditions."""
    instant = datetime.fromisoformat(at).replace(tzinfo=UTC)
    wanted = {name: (value,) for name, value in conditions.items()}
    return {
        (row.meter, row.tier.min_input_tokens): format(row.rate, "f")
        for row in rows
        if row.conditions == wanted and row.period.contains(instant)
    }


def refused(reading: FeedReading, upstream_id: str) -> set[tuple[str, str]]:
    return {(each.where, each.reason) for each in reading.refused if each.upstream_id == upstream_id}


def test_the_file_and_the_package_say_the_same(filed: FeedReading, packaged: FeedReading) -> None:
    def shown(reading: FeedReading, model: str) -> set[str]:
        rows = [row for row in reading.rows if row.upstream_id == model]
        return {f"{r.row.slot} {r.row.rate} {r.row.period} {r.row.start_known}" for r in rows}

    models = {row.upstream_id for row in filed.rows}
    assert len(models) > 15
    assert all(shown(filed, model) == shown(packaged, model) for model in models)


def test_dated_prices_end_where_the_next_begin(filed: FeedReading) -> None:
    # OpenAI's cut of 2026-07-30: gpt-5.6-luna from 1 / 0.1 / 1.25 / 6 to 0.2 / 0.02 / 0.25 / 1.2.
    rows = of(filed, "openai", "gpt-5.6-luna")
    before, after = said(rows, "2026-07-29T23:59:59"), said(rows, "2026-07-30T00:00:00")
    assert [before[meter, None] for meter in ("input_tokens", "output_tokens")] == ["1", "6"]
    assert [after[meter, None] for meter in ("input_tokens", "cache_read_tokens", "output_tokens")] == [
        "0.2",
        "0.02",
        "1.2",
    ]
    assert all(row.start_known == (row.period.valid_from is not None) for row in rows if not row.conditions)


def test_a_tier_that_a_newer_sheet_drops_ends_with_the_older(filed: FeedReading) -> None:
    # Anthropic's flat price for the long context of Opus 4.6 since 2026-03-13; before, 10 above 200,000.
    rows = of(filed, "anthropic", "claude-opus-4-6")
    assert said(rows, "2026-03-12")["input_tokens", 200_000] == "10"
    assert ("input_tokens", 200_000) not in said(rows, "2026-03-13")


def test_the_tier_that_xai_starts_at_200000_includes_200000(filed: FeedReading) -> None:
    tiers = {row.tier for row in of(filed, "xai", "grok-4.7")}
    assert tiers == {Tier(), Tier(200_000, min_inclusive=True)}
    assert said(of(filed, "xai", "grok-4.7"), "2026-11-30")["output_tokens", 200_000] == "12"


def test_modes_are_conditions_seen_since_a_day(filed: FeedReading) -> None:
    rows = of(filed, "anthropic", "claude-opus-5-5")
    assert said(rows, "2026-11-30", speed="fast")["output_tokens", None] == "40"
    batch = [row for row in rows if row.conditions == {"processing": ("batch",)}]
    assert {row.meter for row in batch} == {
        "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens",
    }  # fmt: skip
    assert not any(row.start_known for row in batch)
    assert {row.period.valid_from for row in batch} == {datetime(2026, 10, 14, tzinfo=UTC)}


def test_what_a_mode_does_not_mention_it_has_at_the_standard_price(filed: FeedReading) -> None:
    # Google halves input (0.3) and output (2.5) of Gemini 2.5 Flash in batches, not cached input (0.03).
    batch = said(of(filed, "google", "gemini-2.5-flash"), "2026-11-30", processing="batch")
    assert [batch[m, None] for m in ("input_tokens", "output_tokens", "cache_read_tokens")] == ["0.15", "1.25", "0.03"]
    assert not any(METERS[meter].kind.value == "fee" for meter, _ in batch)


def test_two_names_of_one_tier_are_one(filed: FeedReading) -> None:
    tiers = {
        row.conditions["service_tier"] for row in of(filed, "openai", "gpt-6.1-sol") if "service_tier" in row.conditions
    }
    assert tiers == {("priority",), ("flex",)}
    assert not refused(filed, "openai/gpt-6.1-sol")


def test_prices_of_some_hours_are_refused_on_both_sides(filed: FeedReading) -> None:
    assert not of(filed, "deepseek", "deepseek-v4-pro")
    found = refused(filed, "deepseek/deepseek-v4-pro")
    assert {reason for _, reason in found} == {"not-expressible"}
    assert {where.split("/")[1] for where, _ in found} == {"0", "1", "2", "3"}


@pytest.mark.parametrize(
    ("upstream_id", "reason"),
    [
        ("aws/regional.anthropic.claude-opus-5-5", "alias-entry"),
        ("aws/global.anthropic.claude-sonnet-4-6-v1:0", "alias-entry"),
        ("openai/ft:gpt-4o", "alias-entry"),
        ("openrouter/~anthropic/claude-haiku-latest", "alias-entry"),
        ("google/gemma-4-31b-it", "missing-price"),
    ],
)
def test_entries_without_a_price_of_their_own_are_refused(filed: FeedReading, upstream_id: str, reason: str) -> None:
    assert {each for _, each in refused(filed, upstream_id)} == {reason}
    assert not [row for row in filed.rows if row.upstream_id == upstream_id]


def test_units_without_a_meter_are_refused_by_name(filed: FeedReading) -> None:
    where = {where for where, reason in refused(filed, "openai/gpt-realtime-2") if reason == "unknown-key"}
    assert where == {"prices/0/cache_image_read_mtok"}
    assert ("price_variants/0", "unknown-context") in refused(filed, "openrouter/mistralai/mistral-large-4-0")


def test_every_unit_of_the_package_is_a_meter_or_refused_by_name() -> None:
    from genai_prices.data_units import unit_data

    assert len(unit_data) == 59
    keys = {unit["price_key"]: unit["per"] for unit in unit_data.values()}
    assert set(METER_OF) <= set(keys)
    assert {key: METERS[meter].per for key, meter in METER_OF.items()} == {key: keys[key] for key in METER_OF}


def test_the_request_fee_of_perplexity_is_that_of_the_most_search_context(filed: FeedReading) -> None:
    assert said(of(filed, "perplexity", "sonar"), "2026-09-01", search_context="high") == {("requests", None): "12"}


def test_what_one_search_is_follows_the_vendor(filed: FeedReading) -> None:
    units = {(row.provider, row.model): row.row.search_unit for row in filed.rows if row.row.meter == "web_searches"}
    assert units["google", "gemini-2.5-flash"] is SearchUnit.PROMPT
    assert units["google", "gemini-4-argon"] is SearchUnit.UNIQUE_QUERY
    assert units["anthropic", "claude-opus-5-5"] is SearchUnit.CALL


def test_the_minimum_of_a_transcription_is_a_note(filed: FeedReading) -> None:
    rows = of(filed, "groq", "whisper-large-v3")
    assert {(row.meter, str(row.rate), row.per) for row in rows if not row.conditions} == {
        ("audio_seconds", "0.111", 3_600)
    }
    assert all(row.provenance.note.startswith("Groq bills at least 10 seconds") for row in rows)


def test_figures_of_another_feed_have_its_lineage(filed: FeedReading) -> None:
    lineages = {row.upstream_id: filed.sources[row.row.provenance.source].lineage for row in filed.rows}
    assert lineages["openai/gpt-6.1-sol"] is None
    assert lineages["openai/gpt-oss-120b"] == "openrouter"
    assert lineages["openrouter/mistralai/mistral-large-4-0"] == "openrouter"
    assert lineages["aws/global.anthropic.claude-opus-5-5"] == "aws"


def test_the_date_of_an_import_is_when_the_price_was_seen(packaged: FeedReading) -> None:
    imported = [row.row for row in packaged.rows if row.provider == "openrouter" and row.row.period.valid_from]
    assert len(imported) > 200
    assert not any(row.start_known for row in imported)


def test_the_package_is_a_source_with_its_version(packaged: FeedReading) -> None:
    source = packaged.sources["genai-prices 0.2.3"]
    assert (source.kind, source.version, source.license, source.lineage) == ("package", "0.2.3", "MIT", None)


def test_nothing_of_the_package_is_lost_without_a_word(packaged: FeedReading) -> None:
    known = {row.upstream_id for row in packaged.rows} | {each.upstream_id for each in packaged.refused}
    assert packaged.entries == 2_330
    assert known == {f"{p.id}/{m.id}" for p in data_snapshot.get_snapshot().providers for m in p.models}


def test_the_whole_package_can_be_published(packaged: FeedReading) -> None:
    rows = [NewRow(row.provider, row.model, None, row.row) for row in packaged.rows]
    assert len(check_rows(NewBook("imported", None, "USD"), rows, {})) == len(packaged.rows) > 7_000


def test_rates_agree_with_the_engine_of_the_package(packaged: FeedReading) -> None:
    """Every row against `get_prices` at the ends of its time, in its mode, at the ends of its tier."""
    models = {f"{p.id}/{m.id}": m for p in data_snapshot.get_snapshot().providers for m in p.models}
    keys: dict[str, list[str]] = {}
    for key, meter in METER_OF.items():
        keys.setdefault(meter, []).append(key)
    for given in packaged.rows:
        row, model = given.row, models[given.upstream_id]
        context = {name: values[0] for name, values in row.conditions.items() if name in MODE_KEYS}
        first = row.period.valid_from or datetime(2020, 1, 1, tzinfo=UTC)
        last = (row.period.valid_to or datetime(2030, 1, 1, tzinfo=UTC)) - timedelta(seconds=1)
        for instant in (first, last):
            prices = model.get_prices(instant, context or None)
            found = {_at_tier(getattr(prices, key), row.tier) for key in keys[row.meter]} - {None}
            assert found == {row.rate}, (given.upstream_id, row.slot, instant)


def _at_tier(price: Decimal | TieredPrices | None, tier: Tier) -> Decimal | None:
    if not isinstance(price, TieredPrices):
        return price if tier == Tier() else None
    smallest = 0 if tier.min_input_tokens is None else tier.min_input_tokens + (not tier.min_inclusive)
    return next((each.price for each in reversed(price.tiers) if smallest > each.start), price.base)


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices.data", None)
    with pytest.raises(PermillionError) as caught:
        FEED.read_package(DAY)
    assert caught.value.slug == "invalid-feed"
    assert "permillion[feeds]" in caught.value.detail
