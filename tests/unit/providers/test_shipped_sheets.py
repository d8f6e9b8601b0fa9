"""The shipped price sheets: whole, without overlaps, and equal to figures typed from the vendors' tables.

The expected rates below were typed from the research note on vendor prices (its tables, history and cautions), not from the
sheets; the lookup is a naive one of its own and shares nothing with `economics.rate_card`.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, time
from decimal import Decimal
from functools import cache
from itertools import combinations
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from economics.context import MODE_KEYS
from economics.meters import METERS, MeterKind
from economics.periods import Period, parse_instant
from economics.prices import Tier, slot_text
from providers.content import content_of
from providers.registry import parse_sheet
from providers.sheet import Block, Model, Sheet

FOLDER = Path(__file__).parents[3] / "providers"
NAMES = tuple(sorted(path.parent.name for path in FOLDER.glob("*/sheet.yaml")))

# provider → models of the price seed (genai-prices 0.2.3, October and November 2026); Bedrock under AWS's own ids
SEED = {
    "alibaba": "qwen-plus",
    "anthropic": "claude-fable-5-1 claude-fable-5-2 claude-haiku-4-5 claude-haiku-5-5 claude-opus-4-6 claude-opus-4-7"
    " claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5",
    "aws": "amazon.nova-lite-v1:0 amazon.nova-micro-v1:0 amazon.nova-pro-v1:0 global.amazon.nova-2-lite-v1:0"
    " us.amazon.nova-2-lite-v1:0 amazon.nova-2-lite-v1:0"
    + "".join(
        f" {prefix}anthropic.{model}"
        for model in ("claude-opus-5", "claude-opus-5-5", "claude-sonnet-4-6", "claude-sonnet-5-5", "claude-sonnet-5")
        for prefix in ("global.", "us.", "eu.", "jp.", "au.", "")
    )
    + "".join(
        f" {prefix}openai.{model}"
        for model in ("gpt-6-astra", "gpt-6-luna", "gpt-6-sol", "gpt-6.1-sol", "gpt-6.1-terra")
        for prefix in ("global.", "us.", "")
    ),
    "azure": "o3-2025-04-16 o3-mini o4-mini text-embedding-3-large text-embedding-3-small",
    "cerebras": "gemma-4-31b gpt-oss-120b llama-3.3-70b llama3.1-8b qwen-3-32b qwen-3.8-27b zai-glm-4.7",
    "cohere": "command-a command-r command-r-plus command-r7b embed-v4.0",
    "deepseek": "deepseek-flash deepseek-v4-flash deepseek-v4-pro",
    "fireworks": "deepseek-v4-flash deepseek-v4-pro deepseek-v4p1-flash deepseek-v4p1-flash-1017"
    " deepseek-v4p1-flash-1017-ultrafast deepseek-v4p1-flash-1017-us deepseek-v4p1-flash-us glm-5p3 glm-5p3-fast"
    " glm-5p3-flash glm-5p3-flash-us glm-5p3-us gpt-oss-120b gpt-oss-20b kimi-k3 kimi-k3-fast kimi-k3-us kimi-k3p1-pro",
    "google": "gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro gemini-3-flash-preview gemini-3.1-pro-preview"
    " gemini-3.8-flash gemini-4-argon",
    "groq": "canopylabs/orpheus-arabic-saudi canopylabs/orpheus-v1-english openai/gpt-oss-120b openai/gpt-oss-20b"
    " openai/gpt-oss-safeguard-20b qwen/qwen3-32b qwen/qwen3.8-27b whisper-large-v3 whisper-large-v3-turbo",
    "minimax": "minimax-m2.7 minimax-m2.7-highspeed minimax-m3.1-flash minimax-m3",
    "mistral": "mistral-large-2512 mistral-large-4 mistral-medium-3-5 mistral-ocr-latest mistral-small-2603",
    "moonshot": "kimi-k2.6 kimi-k2.7-code kimi-k2.7-code-highspeed kimi-k3 kimi-k3.1-pro kimi-k3.1-pro-highspeed",
    "openai": "gpt-4.1 gpt-4o gpt-4o-mini gpt-5 gpt-5-mini gpt-5.4 gpt-5.5 gpt-5.6-cyber gpt-5.6-luna gpt-5.6-sol"
    " gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6-sol gpt-6.1-sol gpt-6.1-terra o3 o4-mini text-embedding-3-small tts-1"
    " whisper-1",
    "perplexity": "llama-3.1-sonar-large-128k-online llama-3.1-sonar-small-128k-online perplexity/sonar sonar"
    " sonar-deep-research sonar-pro sonar-pro-search sonar-reasoning sonar-reasoning-pro",
    "together": "deepseek-ai/deepseek-v4-pro-0813 deepseek-ai/deepseek-v4.1-flash openai/gpt-oss-120b",
    "xai": "grok-4.20 grok-4.3 grok-4.5 grok-4.6 grok-4.7",
    "zhipu": "glm-4.7 glm-4.7-flashx glm-5 glm-5.1 glm-5.2 glm-5.3 glm-5.3-flash glm-5.3-flashx",
}


@cache
def sheet(name: str) -> Sheet:
    return parse_sheet((FOLDER / name / "sheet.yaml").read_text(encoding="utf-8"), name)


def find(name: str, model: str) -> Model:
    return next(found for known, found in sheet(name).models.items() if known.lower() == model.lower())


def blocks(name: str) -> list[tuple[str, Model, Block]]:
    """Those that hold at some time: what was taken back before it held is no price."""
    models = sheet(name).models
    return [
        (model_id, model, block) for model_id, model in models.items() for block in model.prices if not block.revoked
    ]


def book_of(name: str, block: Block) -> str:
    return block.book or next(iter(sheet(name).price_books))


def tier_of(block: Block) -> Tier:
    return Tier(
        block.above if block.at_least is None else block.at_least,
        block.at_least is not None,
        block.up_to,
        block.output_above if block.output_at_least is None else block.output_at_least,
        block.output_at_least is not None,
    )


def start_of(model: Model, block: Block) -> datetime | None:
    if block.valid_from is None and model.released_on is not None:
        return datetime.combine(model.released_on, time(), UTC)
    return block.valid_from


# --- each sheet for itself -------------------------------------------------------------------------------------------


def test_every_provider_of_the_contract_but_the_feed_has_a_sheet() -> None:
    assert {*SEED, "vertex", "sambanova"} <= set(NAMES)
    assert len(SEED) == 18


@pytest.mark.parametrize("name", NAMES)
def test_sheet_is_whole(name: str) -> None:
    content = content_of(sheet(name))
    assert sheet(name).provider == name
    assert content.rows
    assert (FOLDER / name / "SOURCES.md").read_text(encoding="utf-8").startswith("# ")
    assert (FOLDER / name / "__init__.py").read_text(encoding="utf-8").startswith('"""')
    first = (FOLDER / name / "sheet.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=../sheet.schema.json"


@pytest.mark.parametrize("name", NAMES)
def test_no_two_rows_of_one_slot_overlap_in_time(name: str) -> None:
    periods: dict[tuple[str, str, str], list[Period]] = defaultdict(list)
    for model_id, model, block in blocks(name):
        period = Period(start_of(model, block), block.valid_to)  # refuses an end that is not after its start
        for meter in block.rates:
            slot = slot_text(meter, block.when, tier_of(block), block.schedule)
            periods[book_of(name, block), model_id, slot].append(period)
    for uplift in sheet(name).uplifts:
        for model_id in uplift.models or sheet(name).models:
            slot = slot_text("*", uplift.when, Tier(), None)
            periods[uplift.book or "", model_id, slot].append(Period(uplift.valid_from, uplift.valid_to))
    overlapping = [slot for slot, found in periods.items() if any(a.overlaps(b) for a, b in combinations(found, 2))]
    assert overlapping == []


@pytest.mark.parametrize("name", NAMES)
def test_every_source_named_is_described(name: str) -> None:
    here = sheet(name)
    named = {block.source for _, _, block in blocks(name)} | {uplift.source for uplift in here.uplifts}
    named |= {alias.source for model in here.models.values() for alias in model.aliases if alias.source is not None}
    named |= {days.source for days in here.calendars.values()}
    assert named <= set(here.sources)


@pytest.mark.parametrize("name", NAMES)
def test_conditions_use_the_vocabulary(name: str) -> None:
    here = sheet(name)
    conditions = [block.when for _, _, block in blocks(name)] + [uplift.when for uplift in here.uplifts]
    for when in [*conditions, *here.contradictions]:
        for key, values in when.items():
            assert set(values) <= set(here.context[key].values), (key, values)
    for key in here.context.values():
        assert key.default is None or key.default in key.values
        assert set(key.synonyms.values()) <= set(key.values)


@pytest.mark.parametrize("name", NAMES)
def test_every_book_of_a_model_has_a_price_to_start_from(name: str) -> None:
    """In each book something is sold in the default modes, and no part is priced without its whole."""
    here = sheet(name)
    sold: dict[tuple[str, str], set[str]] = defaultdict(set)
    base: dict[tuple[str, str], set[str]] = defaultdict(set)
    for model_id, _, block in blocks(name):
        sold[model_id, book_of(name, block)] |= set(block.rates)
        if all(here.context[key].default is None or here.context[key].default in v for key, v in block.when.items()):
            base[model_id, book_of(name, block)] |= set(block.rates)
    for offer, meters in sold.items():
        assert "input_tokens" in base[offer] or any(METERS[m].kind is MeterKind.FEE for m in base[offer]), offer
        assert all(METERS[m].parent is None or METERS[m].parent in meters for m in meters), offer


@pytest.mark.parametrize("name", NAMES)
def test_batch_costs_less_than_standard(name: str) -> None:
    for model in sheet(name).models.values():
        for batch, standard in ((b, s) for b in model.prices for s in model.prices):
            if batch.when.get("processing") != ("batch",):
                continue
            rest = {key: value for key, value in batch.when.items() if key != "processing"}
            same = (batch.book, batch.above, batch.at_least, rest)
            if same != (standard.book, standard.above, standard.at_least, standard.when):
                continue
            if not Period(batch.valid_from, batch.valid_to).overlaps(Period(standard.valid_from, standard.valid_to)):
                continue
            for meter in (
                {"input_tokens", "output_tokens", "audio_seconds", "pages"} & set(batch.rates) & set(standard.rates)
            ):
                assert batch.rates[meter].rate < standard.rates[meter].rate


@pytest.mark.parametrize("name", NAMES)
def test_names_are_unambiguous(name: str) -> None:
    here = sheet(name)
    ids = [model_id.lower() for model_id in here.models]
    assert len(ids) == len(set(ids))
    periods: dict[str, list[Period]] = defaultdict(list)
    for model in here.models.values():
        assert model.successor is None or model.successor in here.models
        for alias in model.aliases:
            assert alias.id.lower() not in ids
            periods[alias.id.lower()].append(Period(alias.valid_from, alias.valid_to))
    assert not [alias for alias, found in periods.items() if any(a.overlaps(b) for a, b in combinations(found, 2))]


@pytest.mark.parametrize("name", sorted(SEED))
def test_every_model_of_the_seed_is_covered(name: str) -> None:
    known = {model_id.lower() for model_id in sheet(name).models}
    assert {model for model in SEED[name].split() if model not in known} == set()


# --- figures ---------------------------------------------------------------------------------------------------------


def in_hours(here: Sheet, name: str, at: datetime) -> bool:
    hours = here.schedules[name]
    local = at.astimezone(ZoneInfo(hours.timezone))
    if hours.weekdays and ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[local.weekday()] not in hours.weekdays:
        return False
    if hours.calendar and local.date() in here.calendars[hours.calendar].dates:
        return False
    return any(start <= f"{local:%H:%M}" < end for start, end in (window.split("-") for window in hours.windows))


def rate_at(name: str, model_id: str, meter: str, when: str, ctx: dict[str, str], tokens: int) -> Decimal | None:
    """The published rate, or None; `ctx` may name the book. No uplift: those have tests of their own."""
    here, model, at = sheet(name), find(name, model_id), parse_instant(when)
    context = {key: k.default for key, k in here.context.items() if k.default is not None}
    context |= {key: value for key, value in ctx.items() if key != "book"}
    found: list[tuple[tuple[int, bool], tuple[int, bool], Decimal]] = []
    for block in model.prices:
        modes = {key for key in context if key in MODE_KEYS and context[key] != here.context[key].default}
        if (
            meter in block.rates
            and book_of(name, block) == ctx.get("book", next(iter(here.price_books)))
            and Period(start_of(model, block), block.valid_to).contains(at)
            and all(context.get(key) in values for key, values in block.when.items())
            and (METERS[meter].kind is MeterKind.FEE or modes <= set(block.when))
            and (block.schedule is None or in_hours(here, block.schedule, at))
            and tier_of(block).holds(tokens)
        ):
            specific = (len(block.when), block.schedule is not None)
            found.append((tier_of(block).rank, specific, block.rates[meter].rate))
    return max(found)[2] if found else None


IN, OUT, READ, WRITE = "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"
NOW = "2026-11-30T12:00:00Z"
BATCH, FLEX, FIRST = {"processing": "batch"}, {"service_tier": "flex"}, {"service_tier": "priority"}
CN, INTL = {"book": "cn"}, {"book": "intl"}
US, EU, APAC = ({"deployment": "data_zone", "zone": zone} for zone in ("us", "eu", "apac"))
THINK, PLAIN = {"thinking_mode": "true"}, {"thinking_mode": "false"}

# provider, model, meter, instant, context, input tokens, rate (None: no price is known or sold)
FIGURES = [
    ("openai", "gpt-6.1-terra", WRITE, NOW, {}, 1, "1.25"),
    ("openai", "gpt-6.1-sol", READ, NOW, {}, 272_001, "0.2"),
    ("openai", "gpt-6-astra", OUT, NOW, {}, 272_000, "50"),
    ("openai", "gpt-5.6-luna", IN, "2026-07-29T23:59:59Z", {}, 1, "1"),
    ("openai", "gpt-5.6-luna", IN, "2026-07-30T00:00:00Z", {}, 1, "0.2"),
    ("openai", "gpt-5.6-luna", IN, "2026-07-08T23:59:59Z", {}, 1, None),
    ("openai", "gpt-5.6-luna", OUT, "2026-07-29T23:59:59Z", {}, 272_001, "9"),
    ("openai", "gpt-5.6-sol", OUT, "2026-08-20T23:59:59Z", {}, 1, "30"),
    ("openai", "gpt-5.6-sol", OUT, "2026-08-21T00:00:00Z", {}, 1, "20"),
    ("openai", "gpt-5.6-sol", IN, "2026-08-20T00:00:00Z", BATCH, 1, None),
    ("openai", "gpt-5.6-sol", IN, "2026-09-01T00:00:00Z", BATCH, 300_000, "4"),
    ("openai", "gpt-5.4", READ, NOW, FLEX, 1, "0.13"),
    ("openai", "gpt-5.4", IN, NOW, FIRST, 272_000, "5"),
    ("openai", "gpt-5.4", IN, NOW, FIRST, 272_001, None),
    ("openai", "gpt-4.1", IN, NOW, FLEX, 1, None),
    ("openai", "gpt-4.1", READ, NOW, BATCH, 1, "0.5"),
    ("openai", "gpt-4o", IN, "2026-09-01T00:00:00Z", BATCH, 1, "1.25"),
    ("openai", "o3", READ, "2025-06-09T23:59:59Z", {}, 1, "2.5"),
    ("openai", "o3", OUT, "2025-06-10T00:00:00Z", {}, 1, "8"),
    ("openai", "gpt-5", "web_searches", NOW, BATCH, 1, "10"),
    ("anthropic", "claude-haiku-5-5", OUT, NOW, {}, 100_000, "0.5"),
    ("anthropic", "claude-haiku-5-5", OUT, NOW, {}, 100_001, "2.5"),
    ("anthropic", "claude-haiku-5-5", "cache_write_1h_tokens", NOW, {}, 100_001, "1"),
    ("anthropic", "claude-opus-4-6", IN, "2026-03-12T23:59:59Z", {}, 200_001, "10"),
    ("anthropic", "claude-opus-4-6", IN, "2026-03-13T00:00:00Z", {}, 200_001, "5"),
    ("anthropic", "claude-opus-4-6", IN, "2026-03-12T23:59:59Z", BATCH, 1, None),
    ("anthropic", "claude-sonnet-4-5", OUT, "2026-04-29T23:59:59Z", {}, 200_001, "22.5"),
    ("anthropic", "claude-sonnet-4-5", OUT, "2026-04-30T00:00:00Z", {}, 200_001, None),
    ("anthropic", "claude-sonnet-5-5", READ, "2026-10-06T23:59:59Z", {}, 1, "0.2"),
    ("anthropic", "claude-sonnet-5-5", READ, "2026-10-07T00:00:00Z", {}, 1, "0.1"),
    ("anthropic", "claude-opus-5-5", IN, NOW, {"speed": "fast"}, 1, "8"),
    ("anthropic", "claude-opus-4-7", IN, NOW, {"speed": "fast"}, 1, None),
    ("anthropic", "claude-3-7-sonnet-20250219", WRITE, NOW, {}, 1, "3.75"),
    ("google", "gemini-2.5-pro", OUT, NOW, {}, 200_001, "15"),
    ("google", "gemini-2.5-flash", READ, NOW, BATCH, 1, "0.03"),
    ("google", "gemini-3.5-flash", OUT, NOW, FLEX, 1, "4.5"),
    ("google", "gemini-3.5-flash-lite", READ, NOW, BATCH, 1, "0.02"),
    ("google", "gemini-4-argon", IN, "2026-11-30T23:59:59Z", {}, 1, "2"),
    ("google", "gemini-4-argon", IN, "2026-12-01T00:00:00Z", {}, 1, "4"),
    ("google", "gemini-3.8-flash", OUT, "2027-01-01T00:00:00Z", {}, 1, "7.5"),
    ("google", "gemini-3-flash-preview", "web_searches", "2026-01-04T23:59:59Z", {}, 1, None),
    ("google", "gemini-2.5-flash", "web_searches", NOW, {}, 1, "35"),
    ("deepseek", "deepseek-v4-pro", IN, "2026-08-16T15:59:59Z", {}, 1, "0.435"),
    ("deepseek", "deepseek-v4-pro", IN, "2026-08-16T16:00:00Z", {}, 1, "0.66"),
    ("deepseek", "deepseek-v4-pro", OUT, "2026-08-22T02:00:00Z", {}, 1, "3.96"),  # a Saturday, peak hours still daily
    ("deepseek", "deepseek-v4-pro", OUT, "2026-08-29T02:00:00Z", {}, 1, "1.98"),  # a Saturday, off-peak since 08-23
    ("deepseek", "deepseek-v4-pro", OUT, "2026-09-25T02:00:00Z", {}, 1, "1.98"),  # Mid-Autumn, a Friday
    ("deepseek", "deepseek-v4-pro", OUT, "2026-11-30T09:59:59Z", CN, 1, "27"),
    ("deepseek", "deepseek-v4-pro", READ, "2026-08-01T02:00:00Z", CN, 1, "0.025"),
    ("deepseek", "deepseek-v4-flash", IN, "2026-09-01T02:00:00Z", {}, 1, "0.44"),
    ("deepseek", "deepseek-v4-flash", IN, "2026-09-10T02:00:00Z", {}, 1, "0.3"),
    ("deepseek", "deepseek-flash", IN, "2026-09-09T12:00:00Z", {}, 1, None),
    ("deepseek", "deepseek-flash", OUT, NOW, CN, 1, "4"),
    ("alibaba", "qwen3-coder-plus", IN, NOW, INTL, 32_000, "1"),
    ("alibaba", "qwen3-coder-plus", OUT, NOW, INTL, 256_001, "60"),
    ("alibaba", "qwen3-coder-plus", READ, NOW, INTL, 32_001, "0.18"),
    ("alibaba", "qwen3-max", OUT, NOW, INTL, 128_001, "15"),
    ("alibaba", "qwen3-max", IN, NOW, CN, 33_000, "4"),
    ("alibaba", "qwen-plus", OUT, NOW, {**CN, **PLAIN}, 128_001, "20"),
    ("alibaba", "qwen-plus", OUT, NOW, {**CN, **THINK}, 256_001, "64"),
    ("alibaba", "qwen-plus", OUT, NOW, {**INTL, **THINK}, 256_001, "12"),
    ("alibaba", "qwen-plus", OUT, NOW, CN, 1, None),
    ("alibaba", "qwen-flash", OUT, NOW, CN, 128_001, "6"),
    ("alibaba", "qwen-flash", IN, NOW, INTL, 256_001, "0.25"),
    ("alibaba", "qwen-plus", READ, NOW, {**CN, "cache_kind": "implicit"}, 1, "0.16"),
    ("zhipu", "glm-5.3-flash", OUT, "2026-09-09T15:59:59Z", INTL, 1, "0.25"),
    ("zhipu", "glm-5.3-flash", OUT, "2026-09-09T16:00:00Z", INTL, 1, "0.5"),
    ("zhipu", "glm-5.3-flash", READ, NOW, CN, 1, "0.23"),
    ("zhipu", "glm-5.3", OUT, NOW, CN, 1, "28"),
    ("moonshot", "kimi-k3", WRITE, "2026-10-14T23:59:59Z", {}, 1, None),
    ("moonshot", "kimi-k3", "cache_write_1h_tokens", "2026-10-15T00:00:00Z", {}, 1, "6"),
    ("moonshot", "kimi-k3.1-pro-highspeed", READ, NOW, {}, 1, "0.2"),
    ("moonshot", "kimi-k3", OUT, NOW, CN, 1, "100"),
    ("mistral", "mistral-large-4", OUT, "2026-10-19T23:59:59Z", {}, 1, "2.09"),
    ("mistral", "mistral-large-4", OUT, "2026-10-28T23:59:59Z", {}, 1, "4.18"),
    ("mistral", "mistral-large-4", OUT, "2026-10-29T00:00:00Z", {}, 1, "2.1"),
    ("mistral", "mistral-ocr-latest", "annotated_pages", NOW, {}, 0, "5"),
    ("xai", "grok-4.6", IN, NOW, {}, 199_999, "2"),
    ("xai", "grok-4.6", IN, NOW, {}, 200_000, "4"),
    ("xai", "grok-4.7", OUT, NOW, BATCH, 200_000, "9.6"),
    ("xai", "grok-4.20", OUT, "2026-04-29T23:59:59Z", {}, 1, "6"),
    ("azure", "gpt-5.6-luna", IN, "2026-07-31T23:59:59Z", {}, 1, "1"),
    ("azure", "gpt-5.6-luna", IN, "2026-08-01T00:00:00Z", {}, 1, "0.2"),
    ("azure", "gpt-5.6-luna", IN, NOW, BATCH, 1, None),
    ("azure", "gpt-5.6-sol", OUT, "2026-08-31T23:59:59Z", {}, 1, "30"),
    ("azure", "gpt-5.6-sol", OUT, "2026-09-01T00:00:00Z", {}, 1, "20"),
    ("azure", "gpt-6.1-sol", IN, NOW, US, 1, "2.2"),
    ("azure", "gpt-6.1-sol", IN, NOW, APAC, 1, "2.4"),
    ("azure", "gpt-5", IN, NOW, EU, 1, "1.375"),
    ("azure", "gpt-6.1-sol", IN, NOW, {"deployment": "data_zone"}, 1, None),
    ("aws", "global.anthropic.claude-sonnet-4-6", IN, NOW, {}, 1, "3"),
    ("aws", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", IN, NOW, {}, 1, "3.3"),
    ("aws", "anthropic.claude-sonnet-4-6", IN, NOW, {}, 1, "3.3"),
    ("aws", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", IN, NOW, {}, 1, "3"),
    ("aws", "meta.llama3-70b-instruct-v1:0", IN, NOW, {"region": "sa-east-1"}, 1, "4.45"),
    ("aws", "us.openai.gpt-6-sol", OUT, NOW, {}, 272_001, "16.5"),
    ("groq", "openai/gpt-oss-120b", READ, NOW, BATCH, 1, "0.075"),
    ("groq", "whisper-large-v3", "audio_seconds", NOW, BATCH, 0, "0.0555"),
    ("minimax", "minimax-m3", OUT, NOW, {}, 512_001, "2.4"),
    ("fireworks", "kimi-k3-us", IN, "2026-08-31T23:59:59Z", {}, 1, "3.3"),
    ("fireworks", "kimi-k3-us", IN, "2026-09-01T00:00:00Z", {}, 1, "4.5"),
    ("perplexity", "sonar-pro", "requests", "2026-09-01", {"search_context": "medium"}, 1, "10"),
    ("perplexity", "sonar", "requests", "2026-09-01", {}, 1, None),
    ("perplexity", "sonar-deep-research", "reasoning_tokens", "2026-09-01", {}, 1, "3"),
    ("sambanova", "deepseek-v3.2", OUT, NOW, {}, 1, "4.5"),
    ("vertex", "gemini-2.0-flash", IN, NOW, {}, 1, "0.15"),
]


@pytest.mark.parametrize(("name", "model", "meter", "when", "context", "tokens", "expected"), FIGURES)
def test_figure(
    name: str, model: str, meter: str, when: str, context: dict[str, str], tokens: int, expected: str | None
) -> None:
    assert rate_at(name, model, meter, when, context, tokens) == (None if expected is None else Decimal(expected))


@pytest.mark.parametrize(
    ("name", "model", "context", "factor"),
    [
        ("openai", "gpt-6-sol", {"data_residency": "eu"}, "1.1"),
        ("openai", "gpt-5.4", {"data_residency": "us"}, "1.1"),  # released on the first day of the rule
        ("openai", "gpt-4o", {"data_residency": "eu"}, "1"),  # older models are sold at the standard price
        ("anthropic", "claude-opus-4-6", {"inference_geo": "us"}, "1.1"),
        ("anthropic", "claude-haiku-4-5", {"inference_geo": "us"}, None),
        ("xai", "grok-4.3", {"region": "us"}, "1.1"),
        ("mistral", "mistral-large-4", {"region": "eu"}, "1.1"),
        ("vertex", "gemini-3.5-flash", {"deployment": "regional"}, "1.1"),
    ],
)
def test_uplift(name: str, model: str, context: dict[str, str], factor: str | None) -> None:
    factors = [
        uplift.factor
        for uplift in sheet(name).uplifts
        if all(context.get(key) in values for key, values in uplift.when.items())
        and model in (uplift.models or (model,))
    ]
    assert factors == ([] if factor is None else [Decimal(factor)])


def test_retired_models_name_their_successor() -> None:
    retired = {i: (m.retired_on, m.successor) for i, m in sheet("google").models.items() if m.retired_on is not None}
    assert retired == {
        "gemini-2.5-pro": (parse_instant("2026-12-01"), "gemini-3.8-flash"),
        "gemini-2.5-flash": (parse_instant("2026-12-01"), "gemini-3.5-flash-lite"),
    }
    assert find("perplexity", "sonar").retired_on == parse_instant("2026-09-27")
    assert find("perplexity", "perplexity/sonar").retired_on is None


def test_disagreements_are_marked() -> None:
    marked = {
        (name, i): block.status.value for name in NAMES for i, _, block in blocks(name) if block.status.value != "ok"
    }
    assert marked["aws", "anthropic.claude-sonnet-4-6"] == "disputed"
    assert marked["together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"] == "disputed"
    assert marked["azure", "text-embedding-3-large"] == "disputed"
    assert marked["fireworks", "deepseek-v4-pro"] == "suspect"
    assert not [i for name, i in marked if name == "aws" and i.startswith(("us.anthropic", "global."))]
