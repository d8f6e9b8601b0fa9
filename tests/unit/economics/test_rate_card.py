from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from itertools import permutations

import pytest

from economics.prices import SearchUnit, Unpriced
from economics.rate_card import OfferPrices
from economics.schedules import Schedule
from tests.unit.economics.building import NOON, VOCABULARY, card, cost, offer, period, price, refused, sheet, uplift

M = 1_000_000
# OpenAI: gpt-5.6-sol as of November 2026, above 272,000 ×2 / ×2 / ×1.5, batch half of either
SOL = offer(
    [
        *sheet(inp="4", read="0.4", write="5", out="20"),
        *sheet(inp="8", read="0.8", write="10", out="30", above=272_000),
        *sheet(inp="2", read="0.2", write="2.5", out="10", when={"processing": "batch"}),
        *sheet(inp="4", read="0.4", write="5", out="15", when={"processing": "batch"}, above=272_000),
        price("web_searches", "10", unit=SearchUnit.CALL),
    ]
)


# --- tiers -------------------------------------------------------------------------------------------------------------


def test_openai_272000_tokens_are_still_the_short_price() -> None:
    assert cost(SOL, {"input_tokens": 272_000, "output_tokens": 1_000}) == "1.108"  # 272,000·4/M + 1,000·20/M


def test_openai_one_more_token_moves_the_whole_request_output_too() -> None:
    # 272,001·8/M + 1,000·30/M
    assert cost(SOL, {"input_tokens": 272_001, "output_tokens": 1_000}) == "2.206008"


def test_opencode_44224_between_200000_and_272000_only_the_models_own_threshold_counts() -> None:
    luna = offer([*sheet(inp="0.2", read="0.02", out="1.2"), *sheet(inp="0.4", read="0.04", out="1.8", above=272_000)])
    assert cost(luna, {"input_tokens": 250_000}) == "0.05"  # 250,000·0.2/M


def test_the_threshold_counts_cached_and_written_tokens() -> None:
    """Trap 6: 272,001 in all although only 1 is fresh. 1·8 + 200,000·0.8 + 72,000·10 per M."""
    usage = {"input_tokens": 272_001, "cache_read_tokens": 200_000, "cache_write_tokens": 72_000}
    assert cost(SOL, usage) == "0.880008"


def test_the_threshold_counts_left_out_input_as_the_sum_of_its_parts() -> None:
    assert cost(SOL, {"cache_read_tokens": 200_000, "cache_write_tokens": 72_001}) == "0.88001"


def test_xai_starts_at_200000() -> None:
    grok = offer([*sheet(inp="2", read="0.5", out="6"), *sheet(inp="4", read="1", out="12", at_least=200_000)])
    assert cost(grok, {"input_tokens": 199_999}) == "0.399998"
    assert cost(grok, {"input_tokens": 200_000}) == "0.8"


def test_haiku_55_costs_five_times_as_much_for_one_more_token() -> None:
    haiku = offer([*sheet(inp="0.1", out="0.5"), *sheet(inp="0.5", out="2.5", above=100_000)])
    assert cost(haiku, {"input_tokens": 100_000, "output_tokens": 1_000}) == "0.0105"
    assert cost(haiku, {"input_tokens": 100_001, "output_tokens": 1_000}) == "0.0525005"


QWEN = offer(
    [
        *sheet(inp="1", out="5"),
        *sheet(inp="1.8", out="9", above=32_000),
        *sheet(inp="3", out="15", above=128_000),
        *sheet(inp="6", out="60", above=256_000),
    ]
)


@pytest.mark.parametrize(
    ("tokens", "total"),
    [
        (32_000, "0.032"),
        (32_001, "0.0576018"),
        (128_000, "0.2304"),
        (128_001, "0.384003"),
        (256_000, "0.768"),
        (256_001, "1.536006"),
    ],
)
def test_litellm_34729_qwen_has_one_tier_for_the_whole_request_and_no_slices(tokens: int, total: str) -> None:
    assert cost(QWEN, {"input_tokens": tokens}) == total


def test_litellm_34729_the_output_follows_the_input_tier() -> None:
    assert cost(QWEN, {"input_tokens": 32_001, "output_tokens": 1_000}) == "0.0666018"


def test_genai_prices_241_gemini_one_token_over_200000() -> None:
    gemini = offer(
        [*sheet(inp="1.25", read="0.125", out="10"), *sheet(inp="2.5", read="0.25", out="15", above=200_000)]
    )
    assert cost(gemini, {"input_tokens": 200_000, "output_tokens": 1_000}) == "0.26"
    assert cost(gemini, {"input_tokens": 200_001, "output_tokens": 1_000}) == "0.5150025"


GLM_47 = offer(
    [
        row
        for meter, (short, long_answer, long) in {
            "input_tokens": ("2", "3", "4"),
            "output_tokens": ("8", "14", "16"),
        }.items()
        for row in (
            price(meter, short),
            price(meter, long_answer, output_at_least=200),
            price(meter, long, at_least=32_000),
        )
    ]
)


@pytest.mark.parametrize(
    ("prompt", "answer", "total"),
    [
        (31_999, 199, "0.06559"),  # 31,999 x 2 + 199 x 8 per M
        (31_999, 200, "0.098797"),  # 31,999 x 3 + 200 x 14
        (32_000, 199, "0.131184"),  # 32,000 x 4 + 199 x 16: beyond 32k the answer's length does not matter
        (32_000, 200, "0.1312"),
        (1_000, 0, "0.002"),
    ],
)
def test_zhipu_tiers_depend_on_the_length_of_the_answer_too(prompt: int, answer: int, total: str) -> None:
    assert cost(GLM_47, {"input_tokens": prompt, "output_tokens": answer}) == total


def test_an_answer_too_short_for_every_output_tier_is_not_offered() -> None:
    talker = offer([price("input_tokens", "1"), price("input_tokens", "9", at_least=100, output_at_least=50)])
    with refused("not-offered", "answer of this length"):
        cost(talker, {"input_tokens": 100})
    assert cost(talker, {"input_tokens": 99}) == "0.000099"


def test_a_meter_may_have_fewer_tiers_than_another() -> None:
    """Output 10 whatever the length; input 1 and, above 100, 2."""
    some = offer([price("input_tokens", "1"), price("input_tokens", "2", above=100), price("output_tokens", "10")])
    assert cost(some, {"input_tokens": 101 * M, "output_tokens": M}) == "212"


def test_priority_that_is_not_sold_beyond_a_length_is_not_offered_there() -> None:
    """gpt-5.4: priority 5 / 30 up to 272,000 tokens; longer is neither the priority nor the standard price."""
    gpt = offer(
        [
            *sheet(inp="2.5", out="15"),
            *sheet(inp="5", out="22.5", above=272_000),
            *sheet(inp="5", out="30", when={"service_tier": "priority"}, up_to=272_000),
        ]
    )
    assert cost(gpt, {"input_tokens": 272_000}, service_tier="priority") == "1.36"
    with refused("not-offered", "length"):
        cost(gpt, {"input_tokens": 272_001}, service_tier="priority")
    assert cost(gpt, {"input_tokens": 272_001}) == "1.360005"


def test_beyond_the_upper_bound_of_the_highest_tier_no_lower_tier_answers() -> None:
    """qwen3-max is sold up to 252,000 tokens: 252,001 at the price of 32,001 would be a third too cheap, and is not sold."""
    qwen = offer(
        [
            *sheet(inp="1.2", out="6"),
            *sheet(inp="2.4", out="12", above=32_000),
            *sheet(inp="3", out="15", above=128_000, up_to=252_000),
        ]
    )
    assert cost(qwen, {"input_tokens": 252_000}) == "0.756"
    with refused("not-offered", "length"):
        cost(qwen, {"input_tokens": 252_001})


# --- modes -------------------------------------------------------------------------------------------------------------


def test_batch_and_long_context_combine() -> None:
    """BerriAI/litellm#39861: half of the long rate, cached tokens too. 300,000·4/M; 100,000·4 + 200,000·0.4 per M."""
    assert cost(SOL, {"input_tokens": 300_000}, processing="batch") == "1.2"
    assert cost(SOL, {"input_tokens": 300_000, "cache_read_tokens": 200_000}, processing="batch") == "0.48"


def test_fees_hold_in_every_mode() -> None:
    assert cost(SOL, {"web_searches": 3}) == "0.03"
    assert cost(SOL, {"web_searches": 3}, processing="batch") == "0.03"


def test_a_fee_may_have_a_price_of_its_own_in_a_mode() -> None:
    """Mistral OCR: 4 per 1,000 pages, half in batch."""
    ocr = offer([price("pages", "4"), price("pages", "2", when={"processing": "batch"})])
    assert cost(ocr, {"pages": 250}) == "1"
    assert cost(ocr, {"pages": 250}, processing="batch") == "0.5"


def test_a_mode_that_is_not_sold_is_not_the_standard_price() -> None:
    """Azure has no batch meter for luna; genai-prices answers full price for batch on fallback providers."""
    luna = offer(sheet(inp="0.1", out="0.5"))
    with refused("not-offered", "processing=batch"):
        card(luna, processing="batch")


def test_a_mode_that_is_sold_at_an_unknown_price_is_missing_and_not_refused_as_not_sold() -> None:
    since = Unpriced({"processing": ("batch",)}, "the batch guide", period("2026-07-01"))
    prices = OfferPrices(sheet(inp="1", out="2"), (), VOCABULARY, {}, [since])
    with refused("missing-price", "the batch guide"):
        cost(prices, {"input_tokens": 1}, processing="batch")
    with refused("not-offered"):
        cost(prices, {"input_tokens": 1}, "2026-06-30", processing="batch")
    with refused("not-offered"):
        cost(prices, {"input_tokens": 1}, service_tier="flex")
    assert cost(prices, {"input_tokens": 1}) == "0.000001"


def test_litellm_37046_a_snapshot_without_priority_rates_is_not_offered() -> None:
    """gpt-4o-mini 0.15 / 0.6, priority 0.25 / 1: 9 in and 2 out are 0.00000425 at priority, under every name of the sheet."""
    mini = offer([*sheet(inp="0.15", out="0.6"), *sheet(inp="0.25", out="1", when={"service_tier": "priority"})])
    assert cost(mini, {"input_tokens": 9, "output_tokens": 2}, service_tier="priority") == "0.00000425"
    assert cost(mini, {"input_tokens": 9, "output_tokens": 2}, service_tier="fast") == "0.00000425"
    with refused("not-offered"):
        card(offer(sheet(inp="0.15", out="0.6")), service_tier="priority")


def test_litellm_31837_the_served_tier_is_billed() -> None:
    """Requested priority, served default: the caller says what was served. 1,000·4/M."""
    assert cost(SOL, {"input_tokens": 1_000}, service_tier="standard") == "0.004"


def test_litellm_37724_flex_on_vertex() -> None:
    """gemini-3.5-flash flex 0.75 / 4.5, half of 1.5 / 9: 7·0.75/M + 205·4.5/M."""
    flash = offer([*sheet(inp="1.5", out="9"), *sheet(inp="0.75", out="4.5", when={"service_tier": "flex"})])
    assert cost(flash, {"input_tokens": 7, "output_tokens": 205}, service_tier="flex") == "0.00092775"


def test_a_batch_price_that_starts_later_is_not_known_yet_rather_than_not_sold() -> None:
    later = offer(
        [*sheet(inp="2", out="8"), *sheet(inp="1", out="4", when={"processing": "batch"}, start="2026-10-14")]
    )
    with refused("missing-price", "2026-10-14T00:00:00Z"):
        card(later, "2026-10-13T23:59:59Z", processing="batch")
    assert cost(later, {"input_tokens": M}, "2026-10-14T00:00:00Z", processing="batch") == "1"
    assert cost(later, {"input_tokens": M}, "2026-10-13T23:59:59Z") == "2"


def test_a_batch_price_that_ended_is_missing_and_no_start_is_promised() -> None:
    ended = offer([*sheet(inp="2", out="8"), *sheet(inp="1", out="4", when={"processing": "batch"}, end="2026-10-14")])
    with refused("missing-price"):
        card(ended, processing="batch")


def test_before_the_first_known_price_the_first_known_start_is_named() -> None:
    sol = offer(
        [*sheet(inp="5", out="30", start="2026-07-09", end="2026-08-21"), *sheet(inp="4", out="20", start="2026-08-21")]
    )
    with refused("missing-price", "starts at 2026-07-09T00:00:00Z"):
        card(sol, "2026-07-08T23:59:59Z")


def test_a_fee_that_is_not_known_yet_is_missing_in_every_mode() -> None:
    """Fees hold in all modes, so batch is never the reason."""
    whisper = offer([price("audio_seconds", "0.111", start="2025-01-01")])
    with refused("missing-price", "2025-01-01"):
        card(whisper, "2024-12-31T00:00:00Z")
    with refused("missing-price", "2025-01-01"):
        card(whisper, "2024-12-31T00:00:00Z", processing="batch")


def test_what_a_model_has_no_price_of_at_all_is_missing_in_every_mode() -> None:
    """The model is sold in batch; pictures are what nobody knows the price of."""
    with refused("missing-price", "images"):
        cost(SOL, {"images": 1})
    with refused("missing-price", "images"):
        cost(SOL, {"images": 1}, processing="batch")


# --- details a price may depend on -------------------------------------------------------------------------------------

QWEN_CN = offer(
    [
        price("input_tokens", "0.8", currency="CNY"),
        price("output_tokens", "8", currency="CNY", when={"thinking_mode": "true"}),
        price("output_tokens", "2", currency="CNY", when={"thinking_mode": "false"}),
    ]
)


def test_qwen_output_costs_four_times_as_much_in_thinking_mode() -> None:
    assert cost(QWEN_CN, {"input_tokens": 1_000, "output_tokens": 500}, thinking_mode="true") == "0.0048"
    assert cost(QWEN_CN, {"input_tokens": 1_000, "output_tokens": 500}, thinking_mode="false") == "0.0018"


def test_without_the_key_that_decides_the_price_it_is_asked_for() -> None:
    with refused("context-required", "thinking_mode; say one of false, true"):
        cost(QWEN_CN, {"input_tokens": 1_000, "output_tokens": 500})


def test_the_key_is_not_asked_for_where_no_line_depends_on_it() -> None:
    assert cost(QWEN_CN, {"input_tokens": 1_000}) == "0.0008"


def test_the_missing_key_of_an_azure_data_zone_is_asked_for() -> None:
    """gpt-6.1-sol: Global 2, Data Zone US 2.2, EU and APAC 2.4."""
    azure = offer(
        [
            price("input_tokens", "2"),
            price("input_tokens", "2.2", when={"deployment": "data_zone", "zone": "us"}),
            price("input_tokens", "2.4", when={"deployment": "data_zone", "zone": ("eu", "apac")}),
        ]
    )
    assert cost(azure, {"input_tokens": 100_000}) == "0.2"
    assert cost(azure, {"input_tokens": 100_000}, deployment="data_zone", zone="us") == "0.22"
    assert cost(azure, {"input_tokens": 100_000}, deployment="data_zone", zone="eu") == "0.24"
    assert cost(azure, {"input_tokens": 100_000}, deployment="data_zone", zone="apac") == "0.24"
    with refused("context-required", "zone; say one of apac, eu, us"):
        card(azure, deployment="data_zone")
    with refused("not-offered", "deployment=regional"):
        card(azure, deployment="regional")


def test_a_key_that_is_missing_under_an_uplift_is_asked_for_too() -> None:
    lifted = offer(
        [
            price("output_tokens", "8", when={"thinking_mode": "true"}),
            price("output_tokens", "2", when={"thinking_mode": "false"}),
            price("input_tokens", "1"),
        ],
        uplift("1.1", data_residency="eu"),
    )
    assert cost(lifted, {"output_tokens": M}, data_residency="eu", thinking_mode="true") == "8.8"
    with refused("context-required", "thinking_mode"):
        cost(lifted, {"output_tokens": M}, data_residency="eu")


def test_a_detail_key_does_not_matter_where_no_row_mentions_it() -> None:
    assert cost(SOL, {"input_tokens": M // 10}, thinking_mode="true", search_context="high") == "0.4"


def test_the_more_specific_row_wins_in_whatever_order_the_rows_stand() -> None:
    rows = [
        price("input_tokens", "1"),
        price("input_tokens", "2", when={"cache_kind": "explicit"}),
        price("input_tokens", "3", when={"cache_kind": "explicit", "thinking_mode": "true"}),
    ]
    for order in permutations(rows):
        assert cost(offer(order), {"input_tokens": M}) == "2"
        assert cost(offer(order), {"input_tokens": M}, thinking_mode="true") == "3"
        assert cost(offer(order), {"input_tokens": M}, cache_kind="implicit") == "1"


def test_two_equally_specific_rows_are_ambiguous() -> None:
    two = [
        price("input_tokens", "1"),
        price("input_tokens", "2", when={"cache_kind": "explicit"}),
        price("input_tokens", "3", when={"thinking_mode": "true"}),
    ]
    for order in permutations(two):
        assert cost(offer(order), {"input_tokens": M}) == "2"
        with refused("ambiguous-price", "input_tokens"):
            card(offer(order), thinking_mode="true")


def test_a_tie_below_the_most_specific_row_is_no_ambiguity_in_any_order() -> None:
    rows = [
        price("input_tokens", "1", when={"cache_kind": "explicit"}),
        price("input_tokens", "2", when={"thinking_mode": "true"}),
        price("input_tokens", "3", when={"cache_kind": "explicit", "thinking_mode": "true"}),
    ]
    for order in permutations(rows):
        assert cost(offer(order), {"input_tokens": M}, thinking_mode="true") == "3"


# --- uplifts -----------------------------------------------------------------------------------------------------------


def test_openai_data_residency_is_a_tenth_more() -> None:
    sol = offer(sheet(inp="2", read="0.2", write="2.5", out="10"), uplift("1.1", data_residency=("us", "eu")))
    assert cost(sol, {"input_tokens": 100_000}, data_residency="eu") == "0.22"
    assert cost(sol, {"input_tokens": 100_000}) == "0.2"


def test_openai_models_before_2026_03_05_are_sold_with_residency_at_the_standard_price() -> None:
    old = offer(sheet(inp="2", out="8"), uplift("1", data_residency=("us", "eu")))
    assert cost(old, {"input_tokens": 100_000}, data_residency="eu") == "0.2"


def test_litellm_34526_the_us_factor_reaches_every_token_class_cache_included() -> None:
    """Sonnet 5.5, inference_geo=us: 2,000·2.2 + 8,000·0.11 + 1,000·11 per M."""
    sonnet = offer(
        [*sheet(inp="2", read="0.1", write="2.5", out="10", write_1h="4"), price("web_searches", "10")],
        uplift("1.1", inference_geo="us"),
    )
    usage = {"input_tokens": 10_000, "cache_read_tokens": 8_000, "output_tokens": 1_000}
    assert cost(sonnet, usage, inference_geo="us") == "0.01628"
    writes = {"cache_write_tokens": M, "cache_write_1h_tokens": 500_000}
    assert cost(sonnet, writes, inference_geo="us") == "3.575"  # (0.5·2.5 + 0.5·4)·1.1


def test_an_uplift_does_not_touch_fees() -> None:
    sonnet = offer([*sheet(inp="2", out="10"), price("web_searches", "10")], uplift("1.1", inference_geo="us"))
    assert cost(sonnet, {"web_searches": 100}, inference_geo="us") == "1"


def test_a_fee_that_is_only_for_the_default_place_is_not_lifted_elsewhere() -> None:
    some = offer(
        [*sheet(inp="2", out="10"), price("web_searches", "10", when={"inference_geo": "global"})],
        uplift("1.1", inference_geo="us"),
    )
    assert cost(some, {"web_searches": 100}) == "1"
    with refused("not-offered", "inference_geo=us"):
        cost(some, {"web_searches": 100}, inference_geo="us")


def test_rows_that_name_the_default_mode_are_lifted_like_rows_that_do_not() -> None:
    some = offer(sheet(inp="2", out="10", when={"inference_geo": "global"}), uplift("1.1", inference_geo="us"))
    assert cost(some, {"input_tokens": M}, inference_geo="us") == "2.2"


def test_an_uplift_composes_with_batch_tiers_and_fast_mode() -> None:
    some = offer(
        [
            *sheet(inp="4", out="20"),
            *sheet(inp="8", out="30", above=272_000),
            *sheet(inp="2", out="10", when={"processing": "batch"}),
            *sheet(inp="4", out="15", when={"processing": "batch"}, above=272_000),
            *sheet(inp="8", out="40", when={"speed": "fast"}),
        ],
        uplift("1.1", data_residency="eu"),
    )
    assert cost(some, {"input_tokens": 100_000}, data_residency="eu", processing="batch") == "0.22"
    assert cost(some, {"input_tokens": 300_000}, data_residency="eu") == "2.64"
    assert cost(some, {"input_tokens": 300_000}, data_residency="eu", processing="batch") == "1.32"
    assert cost(some, {"input_tokens": 100_000}, data_residency="eu", speed="fast") == "0.88"
    with refused("not-offered"):
        card(some, data_residency="eu", service_tier="flex")


def test_published_rates_of_a_context_stand_before_the_factor() -> None:
    """A rate the vendor published rounded is not recomputed; a meter without one is lifted."""
    some = offer(
        [*sheet(inp="2", out="10"), price("input_tokens", "2.3", when={"data_residency": "eu"})],
        uplift("1.1", data_residency="eu"),
    )
    assert cost(some, {"input_tokens": M}, data_residency="eu") == "2.3"
    assert cost(some, {"output_tokens": M}, data_residency="eu") == "11"


def test_an_uplift_holds_for_its_period() -> None:
    """Fireworks' kimi-k3 in the US: 1.1 until 2026-08-31, then 1.5, on 3 / 15."""
    kimi = offer(
        sheet(inp="3", out="15"),
        uplift("1.1", end="2026-09-01", data_residency="us"),
        uplift("1.5", start="2026-09-01", data_residency="us"),
    )
    assert cost(kimi, {"input_tokens": M}, "2026-08-31T23:59:59Z", data_residency="us") == "3.3"
    assert cost(kimi, {"input_tokens": M}, "2026-09-01T00:00:00Z", data_residency="us") == "4.5"


def test_what_is_sold_through_an_uplift_is_missing_and_not_unsold_before_its_first_price() -> None:
    """gpt-6-sol with EU residency the second before its release: not known yet, as without residency."""
    sol = offer(sheet(inp="2", out="10", start="2026-09-22"), uplift("1.1", data_residency="eu"))
    with refused("missing-price", "2026-09-22"):
        card(sol, "2026-09-21T23:59:59Z")
    with refused("missing-price", "2026-09-22"):
        card(sol, "2026-09-21T23:59:59Z", data_residency="eu")


def test_what_is_sold_through_an_uplift_but_not_for_that_length_says_so() -> None:
    short = offer(sheet(inp="2", out="10", up_to=200_000), uplift("1.1", data_residency="eu"))
    with refused("not-offered", "length"):
        cost(short, {"input_tokens": 200_001}, data_residency="eu")


# --- time --------------------------------------------------------------------------------------------------------------

HOURS = ((time(9), time(12)), (time(14), time(18)))
DAILY = Schedule("peak_daily", "Asia/Shanghai", HOURS)
WEEKDAYS = Schedule("peak_weekdays", "Asia/Shanghai", HOURS, ("mon", "tue", "wed", "thu", "fri"))
WORKDAYS = Schedule(
    "peak_workdays", "Asia/Shanghai", HOURS, WEEKDAYS.weekdays, frozenset(date(2026, 10, day) for day in range(1, 8))
)


def deepseek_pro() -> OfferPrices:
    """v4-pro: flat 0.435 until 2026-08-16T16:00Z; then 0.66, peak twice: daily, from 08-22 weekdays, from 09-18 workdays."""
    a, b, c = "2026-08-16T16:00:00Z", "2026-08-22T16:00:00Z", "2026-09-18T16:00:00Z"
    return offer(
        [
            price("input_tokens", "0.435", end=a),
            price("input_tokens", "0.66", start=a),
            price("input_tokens", "1.32", start=a, end=b, schedule="peak_daily"),
            price("input_tokens", "1.32", start=b, end=c, schedule="peak_weekdays"),
            price("input_tokens", "1.32", start=c, schedule="peak_workdays"),
        ],
        schedules=(DAILY, WEEKDAYS, WORKDAYS),
    )


@pytest.mark.parametrize(
    ("as_of", "total"),
    [
        ("2026-08-01T02:00:00Z", "0.435"),  # genai-prices#582: no peak windows yet, a peak hour of today
        ("2026-08-16T15:59:59Z", "0.435"),
        ("2026-08-16T16:00:00Z", "0.66"),  # Beijing midnight, off-peak
        ("2026-08-17T00:00:00Z", "0.66"),  # a UTC date start would be here
        ("2026-08-17T01:00:00Z", "1.32"),  # Monday
        ("2026-08-22T02:00:00Z", "1.32"),  # Saturday while peak was daily
        ("2026-08-22T15:59:59Z", "0.66"),
        ("2026-08-23T02:00:00Z", "0.66"),  # Sunday, weekends exempt
        ("2026-08-29T02:00:00Z", "0.66"),  # Saturday
        ("2026-08-24T02:00:00Z", "1.32"),  # Monday
        ("2026-10-01T02:00:00Z", "0.66"),  # National Day, Thursday
        ("2026-10-08T02:00:00Z", "1.32"),
        ("2026-11-28T02:00:00Z", "0.66"),  # ds-saturday
        ("2026-11-30T02:00:00Z", "1.32"),  # ds-peak-mon
        ("2026-11-30T04:00:00Z", "0.66"),  # ds-peak-end
        ("2026-11-30T09:59:59Z", "1.32"),
        ("2026-11-30T10:00:00+08:00", "1.32"),
    ],
)
def test_genai_prices_582_date_hour_weekday_and_day_off_hold_together(as_of: str, total: str) -> None:
    assert cost(deepseek_pro(), {"input_tokens": M}, as_of) == total


def test_one_catalog_answers_peak_and_off_peak_one_after_the_other() -> None:
    pro = deepseek_pro()
    instants = ("2026-11-30T02:00:00Z", "2026-11-30T04:00:00Z", "2026-11-30T06:00:00Z", "2026-08-01")
    assert [cost(pro, {"input_tokens": M}, as_of) for as_of in instants] == ["1.32", "0.66", "1.32", "0.435"]


def luna() -> OfferPrices:
    cut = "2026-07-30"
    return offer(
        [
            *sheet(inp="1", out="6", end=cut),
            *sheet(inp="2", out="9", end=cut, above=272_000),
            *sheet(inp="0.2", out="1.2", start=cut),
            *sheet(inp="0.4", out="1.8", start=cut, above=272_000),
        ]
    )


def test_a_price_holds_from_its_first_instant_until_before_its_last() -> None:
    assert cost(luna(), {"input_tokens": M}, "2026-07-29T23:59:59Z") == "2"
    assert cost(luna(), {"input_tokens": M}, "2026-07-30T00:00:00Z") == "0.4"


def test_genai_prices_539_instants_are_compared_and_not_local_dates() -> None:
    """2026-07-30T00:00+10:00 is 2026-07-29T14:00Z, before the cut."""
    assert cost(luna(), {"input_tokens": M}, "2026-07-30T00:00:00+10:00") == "2"
    assert cost(luna(), {"input_tokens": M}, "2026-07-29T17:00:00-07:00") == "0.4"


def test_mistral_large_4_doubles_for_nine_days() -> None:
    large = offer(
        [
            *sheet(inp="0.68", out="2.09", end="2026-10-20"),
            *sheet(inp="1.36", out="4.18", start="2026-10-20", end="2026-10-29"),
            *sheet(inp="0.70", out="2.10", start="2026-10-29"),
        ]
    )
    usage = {"input_tokens": M, "output_tokens": M}
    assert [cost(large, usage, f"2026-10-{day}") for day in (19, 20, 28, 29)] == ["2.77", "5.54", "5.54", "2.8"]


def test_ccusage_1636_a_later_cut_does_not_change_what_was_used_before() -> None:
    """2026-08-20 on gpt-5.6-sol, before and after the row of 08-21 is known."""
    old = sheet(inp="5", out="30", start="2026-07-09", end="2026-08-21")
    cut = sheet(inp="4", out="20", start="2026-08-21")
    usage = {"input_tokens": 1_000, "output_tokens": 100}
    assert cost(offer(old), usage, "2026-08-20") == cost(offer([*old, *cut]), usage, "2026-08-20") == "0.008"


def test_genai_prices_703_a_rise_that_was_withdrawn_charges_nothing() -> None:
    """Sonnet 5's rise to 3 / 15 on 2026-09-01 was cancelled: without that row 2 / 10 goes on."""
    assert cost(offer(sheet(inp="2", out="10", start="2026-06-30")), {"input_tokens": M}, "2026-09-01") == "2"


def test_gaps_between_periods_have_no_price() -> None:
    gap = offer([*sheet(inp="1", out="2", end="2026-01-01"), *sheet(inp="3", out="4", start="2026-02-01")])
    with refused("missing-price", "2026-02-01"):
        card(gap, "2026-01-15")


def test_the_same_question_twice_gives_the_same_card() -> None:
    assert card(SOL, NOON) is card(SOL, NOON, processing="standard")


# --- private books over a base -----------------------------------------------------------------------------------------


def test_a_private_book_takes_from_its_base_only_what_it_has_no_rate_for() -> None:
    own, base = card(offer(sheet(inp="1.5"))), card(offer(sheet(inp="2", read="0.2", out="10")))
    both = own.with_base(base)
    assert both.base_meters == {"output_tokens", "cache_read_tokens"}
    found = both.find("input_tokens", 1)
    assert found is not None
    assert found.rate == Decimal("1.5")


def test_a_base_in_another_currency_is_not_mixed_in() -> None:
    own, base = card(offer(sheet(inp="1.5"))), card(offer([price("output_tokens", "70", currency="CNY")]))
    assert own.with_base(base) is own


def test_nothing_is_taken_from_a_base_that_has_nothing_more() -> None:
    own = card(offer(sheet(inp="1.5", out="9")))
    assert own.with_base(card(offer(sheet(inp="2")))) is own


# --- rates -------------------------------------------------------------------------------------------------------------


def test_an_hourly_rate_has_no_finite_price_per_second_and_a_daily_one_may() -> None:
    whisper = card(offer([price("audio_seconds", "0.111"), price("input_tokens", "3")]))
    hourly, tokens = whisper.find("audio_seconds", 0), whisper.find("input_tokens", 0)
    assert hourly is not None
    assert tokens is not None
    assert hourly.unit_price is None  # 0.111/3600 = 37/1,200,000
    assert tokens.unit_price == Decimal("0.000003")
    assert hourly.per_mtok().to_text() == "30." + "8" + "3" * 25  # 10⁶·0.111/3600 = 30.8333…: 28 digits
