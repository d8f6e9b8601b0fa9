"""Public reports of wrong prices, tried here: the number a reporter, a vendor's console or a vendor's table says is right.

Reports and rates are those of the domain note on prices (section 5). A sum in a comment is worked by hand from the rates
named beside it, in USD per million tokens unless said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from api.services.offers import OfferName, Served
from api.services.pricing import PricedUsage, UsageToPrice, price_usage
from catalog.catalog import Catalog
from catalog.history import list_prices
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from economics.exchange import Exchange, FxRate
from economics.periods import parse_instant
from economics.prices import PriceRow, Provenance
from economics.vendor_usage import served_by_vendor, usage_from_vendor
from providers.content import ProviderContent, content_of
from providers.registry import all_providers, parse_sheet
from providers.sheet import Block, Gap, Rate, Sheet
from tokenizers_registry.text import measure

NOON = "2026-11-30T12:00:00Z"
MILLION = {"input_tokens": 1_000_000}
PROVIDERS = Path(__file__).parents[2] / "providers"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    catalog = Catalog.open(f"sqlite:///{tmp_path_factory.mktemp('reports') / 'catalog.sqlite3'}")
    catalog.prepare([provider.content() for provider in all_providers()])
    yield catalog.snapshot
    catalog.close()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(f"sqlite:///{tmp_path / 'catalog.sqlite3'}")
    yield opened
    opened.close()


def ask(
    snapshot: Snapshot,
    offer: str,
    usage: Mapping[str, Decimal | int],
    as_of: str = NOON,
    *,
    book: str | None = None,
    context: Mapping[str, str] | None = None,
    queries: Sequence[str] | None = None,
    exchange: Exchange | None = None,
    served: Served | None = None,
) -> PricedUsage:
    name = OfferName(offer, book, context or {})
    return price_usage(UsageToPrice(0, name, parse_instant(as_of), usage, queries, served), snapshot, exchange)


def cost(answer: PricedUsage) -> str:
    assert answer.error is None, answer.error
    assert answer.total is not None
    return f"{answer.total.to_text()} {answer.currency}"


def refusal(answer: PricedUsage) -> str:
    """The slug of a refused row, which has no amount of any kind beside it."""
    assert answer.error is not None, answer.total
    assert (answer.bill, answer.total, answer.currency) == (None, None, None)
    return answer.error.slug


def charged(answer: PricedUsage) -> dict[str, Decimal | int]:
    assert answer.bill is not None, answer.error
    return {line.meter: line.quantity for line in answer.bill.lines}


def shipped(provider: str) -> Sheet:
    return parse_sheet((PROVIDERS / provider / "sheet.yaml").read_text(encoding="utf-8"), provider)


def with_prices(sheet: Sheet, model: str, prices: Sequence[Block]) -> ProviderContent:
    changed = sheet.models[model].model_copy(update={"prices": tuple(prices)})
    return content_of(sheet.model_copy(update={"models": {**sheet.models, model: changed}}))


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-08-01T02:00:00Z", "0.435 USD"),  # a Saturday in the flat era, at an hour that is peak later
        ("2026-08-16T02:00:00Z", "0.435 USD"),
        ("2026-08-22T02:00:00Z", "1.32 USD"),  # Saturday, peak every day until 2026-08-22T16:00Z
        ("2026-11-28T02:00:00Z", "0.66 USD"),  # Saturday, peak on weekdays only
        ("2026-09-25T02:00:00Z", "0.66 USD"),  # Friday, a public holiday
        ("2026-11-27T02:00:00Z", "1.32 USD"),  # Friday, a working day
    ],
)
def test_genai_prices_582_date_weekday_and_window_hold_together(snapshot: Snapshot, as_of: str, expected: str) -> None:
    assert cost(ask(snapshot, "deepseek/deepseek-v4-pro", MILLION, as_of)) == expected


def test_genai_prices_539_instants_are_compared_not_local_dates(snapshot: Snapshot) -> None:
    # 00:00+10:00 is 14:00Z of the day before the cut; a million tokens are long context: 2 before, 0.4 after.
    luna = "openai/gpt-5.6-luna"
    assert cost(ask(snapshot, luna, MILLION, "2026-07-30T00:00:00+10:00")) == "2 USD"
    assert cost(ask(snapshot, luna, MILLION, "2026-07-29T14:00:00Z")) == "2 USD"
    assert cost(ask(snapshot, luna, MILLION, "2026-07-29T19:00:00-05:00")) == "0.4 USD"


def test_litellm_14849_cached_tokens_billed_once(snapshot: Snapshot) -> None:
    # above 200k: 5,005 x 2.5 + 257,955 x 0.25 + 1,744 x 15 = 12,512.5 + 64,488.75 + 26,160; the report had 0.7642
    usage = {"input_tokens": 262_960, "cache_read_tokens": 257_955, "output_tokens": 1_744}
    answer = ask(snapshot, "google/gemini-2.5-pro", usage)
    assert charged(answer) == {"input_tokens": 5_005, "cache_read_tokens": 257_955, "output_tokens": 1_744}
    assert cost(answer) == "0.10316125 USD"


def test_litellm_9812_cache_creation_billed_once(snapshot: Snapshot) -> None:
    # the report's own usage and console: 3 x 3 + 12,304 x 3.75 (cents 4.614) + 550 x 15 (cents 0.825); litellm 0.091311
    usage = usage_from_vendor(
        "anthropic",
        {
            "input_tokens": 3,
            "cache_creation_input_tokens": 12_304,
            "cache_read_input_tokens": 0,
            "output_tokens": 550,
        },
    )
    answer = ask(snapshot, "anthropic/claude-3-7-sonnet-20250219", usage, "2025-04-08T12:00:00Z")
    assert charged(answer) == {"input_tokens": 3, "cache_write_tokens": 12_304, "output_tokens": 550}
    assert cost(answer) == "0.054399 USD"


def test_litellm_34729_one_tier_for_every_token(snapshot: Snapshot) -> None:
    coder = "alibaba/qwen3-coder-plus"
    # 32,001 x 1.8 + 1,000 x 9, not 32,000 x 1 + 1 x 1.8 + 1,000 x 5
    usage = {"input_tokens": 32_001, "output_tokens": 1_000}
    assert cost(ask(snapshot, coder, usage, book="intl")) == "0.0666018 USD"
    # neither 10,000 fresh nor 30,000 cached exceed 32k; together they do: 10,000 x 1.8 + 30,000 x 0.18 + 1,000 x 9
    cached = {"input_tokens": 40_000, "cache_read_tokens": 30_000, "output_tokens": 1_000}
    assert cost(ask(snapshot, coder, cached, book="intl", context={"cache_kind": "explicit"})) == "0.0324 USD"


def test_genai_prices_241_the_whole_request_moves(snapshot: Snapshot) -> None:
    # 200,001 x 2.5 + 1,000 x 15; marginal tiers would give 200,000 x 1.25 + 1 x 2.5 + 1,000 x 10 = 0.2600025
    usage = {"input_tokens": 200_001, "output_tokens": 1_000}
    assert cost(ask(snapshot, "google/gemini-2.5-pro", usage)) == "0.5150025 USD"


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [(200_001, "0.0400002 USD"), (250_000, "0.05 USD"), (272_000, "0.0544 USD"), (272_001, "0.1088004 USD")],
)
def test_opencode_44224_only_the_threshold_of_the_model(snapshot: Snapshot, tokens: int, expected: str) -> None:
    # 0.2 up to 272,000, 0.4 above
    assert cost(ask(snapshot, "openai/gpt-5.6-luna", {"input_tokens": tokens})) == expected


@pytest.mark.parametrize(
    ("model", "searches", "expected"),
    [
        ("gemini-3-flash-preview", 2, "0.028 USD"),  # 14 per 1,000 unique queries
        ("gemini-2.5-flash", 1, "0.035 USD"),  # 35 per 1,000 prompts
    ],
)
def test_litellm_36377_grounding_counted_as_the_vendor_does(
    snapshot: Snapshot, model: str, searches: int, expected: str
) -> None:
    emitted = ["bitcoin price USD", "ethereum price USD", "bitcoin price USD"]
    answer = ask(snapshot, f"google/{model}", {}, queries=emitted)
    assert charged(answer) == {"web_searches": searches}
    assert cost(answer) == expected


@pytest.mark.parametrize(
    "candidates",
    [pytest.param(1, id="thoughts beside candidates"), pytest.param(22, id="thoughts inside candidates")],
)
def test_posthog_71065_thoughts_counted_once(snapshot: Snapshot, candidates: int) -> None:
    # 9 x 0.3 + 22 x 2.5 = 57.7 millionths
    said = {
        "promptTokenCount": 9,
        "candidatesTokenCount": candidates,
        "thoughtsTokenCount": 21,
        "totalTokenCount": 31,
    }
    answer = ask(snapshot, "google/gemini-2.5-flash", usage_from_vendor("google", said))
    assert charged(answer) == {"input_tokens": 9, "output_tokens": 22}
    assert cost(answer) == "0.0000577 USD"


def test_litellm_34526_us_geo_lifts_cache_tokens_too(snapshot: Snapshot) -> None:
    # 1.1 x (2,000 x 2 + 8,000 x 0.1 + 1,000 x 10) = 1.1 x 14,800
    usage = {"input_tokens": 10_000, "cache_read_tokens": 8_000, "output_tokens": 1_000}
    answer = ask(snapshot, "anthropic/claude-sonnet-5-5", usage, context={"inference_geo": "us"})
    assert cost(answer) == "0.01628 USD"
    # the written ones as well: 1.1 x (1,000 x 2.5 + 1,000 x 4)
    written = {"input_tokens": 2_000, "cache_write_5m_tokens": 1_000, "cache_write_1h_tokens": 1_000}
    answer = ask(snapshot, "anthropic/claude-sonnet-5-5", written, context={"inference_geo": "us"})
    assert cost(answer) == "0.00715 USD"


def test_litellm_38378_fast_is_twice_and_the_served_speed_counts(snapshot: Snapshot) -> None:
    # fast: 66 x 10 + 6,034 x 1 + 100 x 50 = 660 + 6,034 + 5,000; served at standard speed: the half
    usage = {"input_tokens": 6_100, "cache_read_tokens": 6_034, "output_tokens": 100}
    opus = "anthropic/claude-opus-5"
    assert cost(ask(snapshot, opus, usage, context={"speed": "fast"})) == "0.011694 USD"
    assert cost(ask(snapshot, opus, usage, context={"speed": "standard"})) == "0.005847 USD"


def test_litellm_39861_batch_of_a_long_context_is_half_of_the_long_rate(snapshot: Snapshot) -> None:
    sol, when = "openai/gpt-5.6-sol", "2026-11-15T12:00:00Z"
    batch = {"processing": "batch"}
    assert cost(ask(snapshot, sol, {"input_tokens": 300_000}, when, context=batch)) == "1.2 USD"  # 300,000 x 8 / 2
    # 200,000 x 4 + 100,000 x 0.4; at the full cached rate of 0.8 it would be 0.88
    cached = {"input_tokens": 300_000, "cache_read_tokens": 100_000}
    assert cost(ask(snapshot, sol, cached, when, context=batch)) == "0.84 USD"


def test_litellm_31837_the_served_tier_is_billed(snapshot: Snapshot) -> None:
    # priority was asked for, the response says "default": 1,000 x 4, not 1,000 x 8
    usage, sol = {"input_tokens": 1_000, "output_tokens": 0}, "openai/gpt-5.6-sol"
    priority = {"service_tier": "priority"}
    served = ask(snapshot, sol, usage, context=priority, served=Served({"service_tier": "default"}))
    assert cost(served) == "0.004 USD"
    assert "served_tier_differs" in served.warnings
    assert served.resolved is not None
    assert served.resolved.context["service_tier"] == "standard"
    assert (served.resolved.context_text, served.resolved.served_text) == (
        "service_tier=priority",
        "service_tier=default",
    )
    kept = ask(snapshot, sol, usage, context=priority, served=Served({"service_tier": "fast"}))
    assert cost(kept) == "0.008 USD"
    assert "served_tier_differs" not in kept.warnings
    # "auto" is settled by the response alone
    auto = {"service_tier": "auto"}
    assert refusal(ask(snapshot, sol, usage, context=auto)) == "context-required"
    assert cost(ask(snapshot, sol, usage, context=auto, served=Served({"service_tier": "default"}))) == "0.004 USD"
    assert refusal(ask(snapshot, sol, usage, context=priority, served=Served(auto))) == "context-required"


@pytest.mark.parametrize(
    ("offer", "usage", "as_of", "slug"),
    [
        ("openai/gpt-7-nova", MILLION, NOON, "unknown-model"),
        ("nobody/gpt-5", MILLION, NOON, "unknown-provider"),
        ("openai/gpt-4o", {"pages": 3}, NOON, "missing-price"),
        ("openai/gpt-5.6-sol", MILLION, "2026-07-08T23:59:59Z", "missing-price"),
    ],
)
def test_litellm_36561_a_missing_price_is_an_error_and_never_0(
    snapshot: Snapshot, offer: str, usage: Mapping[str, int], as_of: str, slug: str
) -> None:
    assert refusal(ask(snapshot, offer, usage, as_of)) == slug


def test_litellm_35914_one_meter_without_a_price_leaves_no_partial_sum(snapshot: Snapshot) -> None:
    usage = {"input_tokens": 1_000, "output_tokens": 1_000, "pages": 1}
    assert refusal(ask(snapshot, "openai/gpt-4o", usage)) == "missing-price"


def test_genai_prices_703_a_cancelled_rise_is_withdrawn_and_stays_on_record(catalog: Catalog) -> None:
    sheet, model = shipped("anthropic"), "claude-sonnet-5"
    rise = parse_instant("2026-09-01")
    blocks = sheet.models[model].prices
    base = next(b for b in blocks if not b.when and "input_tokens" in b.rates)
    dearer = {"input_tokens": Rate.model_validate({"rate": "3"}), "output_tokens": Rate.model_validate({"rate": "15"})}
    blocks = [b for b in blocks if not b.revoked]
    announced = [
        base.model_copy(update={"valid_to": rise}),
        base.model_copy(update={"valid_from": rise, "rates": dearer}),
        *(b for b in blocks if b is not base),
    ]
    usage = {"input_tokens": 1_000_000, "output_tokens": 1_000_000}
    offer, later = f"anthropic/{model}", "2026-10-01T00:00:00Z"
    catalog.prepare([with_prices(sheet, model, announced)], datetime(2026, 8, 1, tzinfo=UTC))
    assert cost(ask(catalog.snapshot, offer, usage, later)) == "18 USD"
    catalog.prepare([content_of(sheet)], datetime(2026, 8, 25, tzinfo=UTC))
    assert cost(ask(catalog.snapshot, offer, usage, later)) == "12 USD"
    then = catalog.snapshot_at(datetime(2026, 8, 2, tzinfo=UTC))
    assert cost(ask(then, offer, usage, later)) == "18 USD", "what was believed then is still told"
    records, _ = list_prices(
        catalog.engine,
        tenant="default",
        limit=100,
        provider="anthropic",
        model=model,
        superseded=True,
    )
    rises = [r for r in records if r.meter == "input_tokens" and r.rate == 3]
    (believed,) = [r for r in rises if r.status != "revoked"]
    assert (believed.valid_from, believed.superseded_at) == (rise, datetime(2026, 8, 25, tzinfo=UTC))
    (revoked,) = [r for r in rises if r.status == "revoked"]  # as the shipped sheet says it
    assert (revoked.valid_from, "cancelled" in revoked.note) == (rise, True)


def test_ccusage_1636_an_imported_cut_changes_no_earlier_cost(catalog: Catalog) -> None:
    sheet, model = shipped("openai"), "gpt-5.6-sol"
    cut = parse_instant("2026-08-21")
    before = [
        b.model_copy(update={"valid_to": None}) if b.valid_to == cut else b
        for b in sheet.models[model].prices
        if b.valid_from != cut
    ]
    usage = {"input_tokens": 100_000, "output_tokens": 10_000}
    offer, earlier, later = f"openai/{model}", "2026-08-20T12:00:00Z", "2026-08-22T12:00:00Z"
    catalog.prepare([with_prices(sheet, model, before)], datetime(2026, 8, 20, tzinfo=UTC))
    # 100,000 x 5 + 10,000 x 30, after the cut 100,000 x 4 + 10,000 x 20
    assert cost(ask(catalog.snapshot, offer, usage, earlier)) == "0.8 USD"
    assert cost(ask(catalog.snapshot, offer, usage, later)) == "0.8 USD"
    catalog.prepare([content_of(sheet)], datetime(2026, 8, 21, tzinfo=UTC))
    assert cost(ask(catalog.snapshot, offer, usage, earlier)) == "0.8 USD"
    assert cost(ask(catalog.snapshot, offer, usage, later)) == "0.6 USD"
    then = catalog.snapshot_at(datetime(2026, 8, 20, 12, tzinfo=UTC))
    assert cost(ask(then, offer, usage, later)) == "0.8 USD", "the answer given then is given again"


def test_genai_prices_471_no_price_by_prefix(snapshot: Snapshot) -> None:
    usage = {"input_tokens": 1_000, "output_tokens": 1_000}
    assert cost(ask(snapshot, "cohere/command-a", usage)) == "0.0125 USD"
    assert refusal(ask(snapshot, "cohere/command-a-plus-05-2026", usage)) == "missing-price"
    assert refusal(ask(snapshot, "cohere/command-a-translate", usage)) == "unknown-model"


def test_genai_prices_334_exclusive_and_inclusive_input_cost_the_same(snapshot: Snapshot) -> None:
    exclusive = usage_from_vendor(
        "anthropic", {"input_tokens": 5, "cache_creation_input_tokens": 4_735, "output_tokens": 10}
    )
    inclusive = {"input_tokens": 4_740, "cache_write_tokens": 4_735, "output_tokens": 10}
    assert exclusive == inclusive
    # Sonnet 5: 5 x 2 + 4,735 x 2.5 + 10 x 10 = 10 + 11,837.5 + 100
    assert cost(ask(snapshot, "anthropic/claude-sonnet-5", exclusive)) == "0.0119475 USD"
    # exclusive counts given as inclusive are refused, not turned into a negative number of fresh tokens
    wrong = {"input_tokens": 5, "cache_write_tokens": 4_735}
    assert refusal(ask(snapshot, "anthropic/claude-sonnet-5", wrong)) == "invalid-usage"


@pytest.mark.parametrize(("tokens", "expected"), [(199_999, "0.399998 USD"), (200_000, "0.8 USD")])
def test_genai_prices_583_the_boundary_of_xai_is_inclusive(snapshot: Snapshot, tokens: int, expected: str) -> None:
    assert cost(ask(snapshot, "xai/grok-4.6", {"input_tokens": tokens})) == expected


@pytest.mark.parametrize("model", ["gpt-4o-mini", "gpt-4o-mini-2024-07-18"])
def test_litellm_37046_the_snapshot_id_has_the_alias_priority_price(snapshot: Snapshot, model: str) -> None:
    # 9 x 0.25 + 2 x 1 = 4.25 millionths; at the standard price 2.55
    usage = {"input_tokens": 9, "output_tokens": 2}
    answer = ask(snapshot, f"openai/{model}", usage, context={"service_tier": "priority"})
    assert cost(answer) == "0.00000425 USD"


@pytest.mark.parametrize("provider", ["vertex", "google"])
def test_litellm_37724_flex_is_billed_as_flex(snapshot: Snapshot, provider: str) -> None:
    # 7 x 0.75 + 205 x 4.5 = 5.25 + 922.5 millionths
    usage, offer = {"input_tokens": 7, "output_tokens": 205}, f"{provider}/gemini-3.5-flash"
    assert cost(ask(snapshot, offer, usage, context={"service_tier": "flex"})) == "0.00092775 USD"
    raw = {"promptTokenCount": 7, "candidatesTokenCount": 205, "trafficType": "ON_DEMAND_FLEX"}
    served = Served(by_vendor=served_by_vendor("google", raw))
    assert cost(ask(snapshot, offer, usage_from_vendor("google", raw), served=served)) == "0.00092775 USD"
    # a traffic type nobody knows is refused and never the standard price
    with pytest.raises(PermillionError, match="trafficType"):
        served_by_vendor("google", raw | {"trafficType": "ON_DEMAND_SLOW"})
    answer = ask(snapshot, offer, usage, context={"service_tier": "ON_DEMAND_SLOW"})
    assert refusal(answer) == "unknown-context"


def test_litellm_30331_the_region_prefix_keeps_its_premium(snapshot: Snapshot) -> None:
    claude = "anthropic.claude-sonnet-4-6"
    assert cost(ask(snapshot, f"aws/us.{claude}", MILLION)) == "3.3 USD"
    assert cost(ask(snapshot, f"aws/global.{claude}", MILLION)) == "3 USD"
    assert refusal(ask(snapshot, f"aws/us-gov.{claude}", MILLION)) == "unknown-model"


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-11-30T00:59:59Z", "0.66 USD"),
        ("2026-11-30T01:00:00Z", "1.32 USD"),
        ("2026-11-30T02:00:00Z", "1.32 USD"),
        ("2026-11-30T04:00:00Z", "0.66 USD"),
        ("2026-11-30T06:00:00Z", "1.32 USD"),
        ("2026-11-30T10:00:00Z", "0.66 USD"),
    ],
)
def test_models_dev_5913_peak_hours_cost_twice(snapshot: Snapshot, as_of: str, expected: str) -> None:
    assert cost(ask(snapshot, "deepseek/deepseek-v4-pro", MILLION, as_of)) == expected


def test_codeburn_457_a_sentinel_is_no_price_and_a_zero_stub_is_not_free(snapshot: Snapshot) -> None:
    with pytest.raises(PermillionError, match="cannot be negative"):
        PriceRow("input_tokens", Decimal(-1), 1_000_000, "USD", Provenance("feed", None))
    sheet = shipped("cohere")
    base = sheet.models["command-a"].prices[0]
    negative = base.model_copy(update={"rates": {"input_tokens": Rate.model_validate({"rate": "-1"})}})
    with pytest.raises(PermillionError, match="cohere/command-a: a rate cannot be negative"):
        with_prices(sheet, "command-a", [negative])
    assert refusal(ask(snapshot, "cohere/command-a-plus-05-2026", MILLION)) == "missing-price"


def test_codex_observability_plugin_22_cached_is_part_of_input(snapshot: Snapshot) -> None:
    usage = usage_from_vendor(
        "openai",
        {
            "input_tokens": 117_231,
            "input_tokens_details": {"cached_tokens": 115_584},
            "output_tokens": 0,
        },
    )
    answer = ask(snapshot, "openai/gpt-5", usage)
    assert charged(answer) == {"input_tokens": 1_647, "cache_read_tokens": 115_584}
    # 1,647 x 1.25 + 115,584 x 0.125 = 2,058.75 + 14,448
    assert cost(answer) == "0.01650675 USD"


def test_conductor_427_written_tokens_are_not_charged_again_as_input(snapshot: Snapshot) -> None:
    answer = ask(snapshot, "anthropic/claude-opus-5", {"input_tokens": 18_973, "cache_write_tokens": 18_971})
    assert charged(answer) == {"input_tokens": 2, "cache_write_tokens": 18_971}
    # 2 x 5 + 18,971 x 6.25 = 10 + 118,568.75
    assert cost(answer) == "0.11857875 USD"


def test_mission_control_164_every_rate_has_its_denominator(snapshot: Snapshot) -> None:
    # a price per million taken as one per thousand is 1,000 times too much
    answer = ask(snapshot, "openai/gpt-4o", {"input_tokens": 1_000, "web_searches": 1})
    assert answer.bill is not None
    lines = {line.meter: (line.rate.row.per, line.cost.to_text()) for line in answer.bill.lines}
    assert lines == {"input_tokens": (1_000_000, "0.0025"), "web_searches": (1_000, "0.01")}
    with pytest.raises(PermillionError, match="per must be at least 1"):
        PriceRow("input_tokens", Decimal("2.5"), 0, "USD", Provenance("feed", None))


def test_litellm_rs_1156_characters_are_not_bytes() -> None:
    measured = measure("é你")
    assert (measured.characters, measured.bytes) == (2, 5)


@pytest.mark.parametrize("model", ["agent_x8kz", "my-o1-agent", "gpt-4o-clone", "xgpt-4o"])
def test_librechat_11978_a_part_of_an_id_matches_nothing(snapshot: Snapshot, model: str) -> None:
    assert refusal(ask(snapshot, f"openai/{model}", MILLION)) == "unknown-model"


def test_pi_6138_a_price_in_yuan_stays_in_yuan(snapshot: Snapshot) -> None:
    pro, peak = "deepseek/deepseek-v4-pro", "2026-11-30T02:00:00Z"
    native = ask(snapshot, pro, MILLION, peak, book="cn")
    assert (cost(native), native.native_currency) == ("9 CNY", "CNY")
    assert refusal(ask(snapshot, pro, MILLION, peak, book="cn", exchange=Exchange("USD"))) == "missing-fx-rate"
    rate = FxRate("USD", "CNY", Decimal("7.2"), "2026-11-30", "bank")
    converted = ask(snapshot, pro, MILLION, peak, book="cn", exchange=Exchange("USD", [rate]))
    assert cost(converted) == "1.25 USD"  # 9 / 7.2, not the 1.32 of the dollar book
    assert converted.native_currency == "CNY"
    assert converted.conversion is not None
    assert (converted.conversion.as_of, converted.conversion.source) == ("2026-11-30", "bank")


def test_groq_clips_are_billed_for_ten_seconds_at_least(snapshot: Snapshot) -> None:
    # Groq's model page, as the domain note has it: 0.111 an hour, ten-second minimum; a peer keeps that in its code only
    answer = ask(snapshot, "groq/whisper-large-v3", {"audio_seconds": 4})
    assert charged(answer) == {"audio_seconds": 10}
    assert "minimum_charged" in answer.warnings
    assert cost(answer) == "0.0003083333333333333333333333333 USD"  # 10 x 0.111 / 3600
    # three clips of 25 s in all are at least 30 s, 30 x 0.111 / 3600; how long each is takes a row each
    clips = {"audio_seconds": 25, "requests": 3}
    assert cost(ask(snapshot, "groq/whisper-large-v3", clips)) == "0.000925 USD"
    batch = {"processing": "batch"}
    assert cost(ask(snapshot, "groq/whisper-large-v3", {"audio_seconds": 4}, context=batch)) == (
        "0.0001541666666666666666666666667 USD"
    )


def test_glm_47_at_home_costs_by_the_length_of_the_answer_too(snapshot: Snapshot) -> None:
    # genai-prices keeps only the cheapest cell, [0, 32k) in and [0, 0.2k) out: 2 and 8 yuan; 1,000 x 3 + 500 x 14 per M
    usage = {"input_tokens": 1_000, "output_tokens": 500}
    assert cost(ask(snapshot, "zhipu/glm-4.7", usage, book="cn")) == "0.01 CNY"
    short = {"input_tokens": 1_000, "output_tokens": 100}
    assert cost(ask(snapshot, "zhipu/glm-4.7", short, book="cn")) == "0.0028 CNY"


def test_genai_prices_142_cached_audio_has_its_own_price(snapshot: Snapshot) -> None:
    # gemini-2.5-flash: 75 fresh text x 0.3 + 125 cached text x 0.03 + 129 cached audio x 0.1 + 71 fresh audio x 1
    usage = usage_from_vendor(
        "google",
        {
            "promptTokenCount": 400,
            "cachedContentTokenCount": 254,
            "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 200}],
            "cacheTokensDetails": [{"modality": "AUDIO", "tokenCount": 129}],
        },
    )
    answer = ask(snapshot, "google/gemini-2.5-flash", usage)
    assert charged(answer)["cache_read_audio_tokens"] == 129
    assert cost(answer) == "0.00011015 USD"
    # no source has a rate at flex: cached audio is a cache read there, 75 x 0.15 + 254 x 0.03 + 71 x 0.5
    flex = ask(snapshot, "google/gemini-2.5-flash", usage, context={"service_tier": "flex"})
    assert charged(flex) == {"input_tokens": 75, "cache_read_tokens": 254, "input_audio_tokens": 71}
    assert cost(flex) == "0.00005437 USD"


def test_openai_writes_kept_for_twelve_hours_cost_twice_the_default(snapshot: Snapshot) -> None:
    # gpt-6.1-terra: 1,000 fresh x 1 + 400 for 30 minutes x 1.25 + 600 for 12 hours x 2.5
    usage = {"input_tokens": 2_000, "cache_write_tokens": 1_000, "cache_write_12h_tokens": 600}
    answer = ask(snapshot, "openai/gpt-6.1-terra", usage)
    assert cost(answer) == "0.003 USD"
    assert "cache_write_12h_not_priced" not in answer.warnings
    flex = ask(snapshot, "openai/gpt-6.1-terra", usage, context={"service_tier": "flex"})
    assert cost(flex) == "0.001125 USD"  # no rate of their own is known: 1,000 x 0.5 + 1,000 x 0.625
    assert "cache_write_12h_not_priced" in flex.warnings


def test_a_mode_sold_at_an_unknown_price_is_told_from_one_that_is_not_sold(catalog: Catalog) -> None:
    # "not offered" sends a buyer away; "the price is unknown" sends them to the vendor's page
    sheet = shipped("moonshot")
    model = next(iter(sheet.models))
    batch, usage = {"processing": "batch"}, {"input_tokens": 1}
    book = next(iter(sheet.price_books))
    catalog.prepare([content_of(sheet)])
    assert refusal(ask(catalog.snapshot, f"moonshot/{model}", usage, context=batch, book=book)) == "not-offered"
    source = next(iter(sheet.sources))
    gap = Gap.model_validate({"when": {"processing": "batch"}, "from": "2026-11-01", "source": source})
    changed = sheet.models[model].model_copy(update={"unpriced": (gap,)})
    catalog.prepare([content_of(sheet.model_copy(update={"models": {**sheet.models, model: changed}}))])
    answer = ask(catalog.snapshot, f"moonshot/{model}", usage, context=batch, book=book)
    assert refusal(answer) == "missing-price"
    assert answer.error is not None
    assert sheet.sources[source].title in answer.error.detail
    october = ask(catalog.snapshot, f"moonshot/{model}", usage, "2026-10-31", context=batch, book=book)
    assert refusal(october) == "not-offered"
