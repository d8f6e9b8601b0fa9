from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from economics.billing import Standing, bill, standing
from economics.money import Exact
from economics.periods import parse_instant
from economics.prices import PriceRow, PriceStatus, SearchUnit, Uplift
from economics.rate_card import ApplicableRate, OfferPrices
from tests.unit.economics.building import NOON, billed, card, cost, offer, price, refused, sheet, uplift

M = 1_000_000
SONNET_5 = offer([*sheet(inp="2", read="0.2", write="2.5", write_1h="4", out="10"), price("web_searches", "10")])


def as_fraction(amount: Exact) -> Fraction:
    return Fraction(amount.numerator) / Fraction(amount.denominator)


def lines(prices: OfferPrices, usage: dict[str, int | Decimal], **context: str) -> dict[str, tuple[str, str]]:
    """Quantity and cost by meter, as text."""
    return {line.meter: (str(line.quantity), line.cost.to_text()) for line in billed(prices, usage, **context).lines}


# --- each unit once ----------------------------------------------------------------------------------------------------


def test_openai_prompt_caching_example() -> None:
    """200·4 + 2,000·0.4 + 400·5 per M."""
    sol = offer(sheet(inp="4", read="0.4", write="5", out="20"))
    usage: dict[str, int | Decimal] = {"input_tokens": 2_600, "cache_read_tokens": 2_000, "cache_write_tokens": 400}
    assert cost(sol, usage) == "0.0036"
    assert lines(sol, usage) == {
        "input_tokens": ("200", "0.0008"), "cache_read_tokens": ("2000", "0.0008"), "cache_write_tokens": ("400", "0.002"),
    }  # fmt: skip


def test_litellm_14849_gemini_cached_tokens_once_and_the_tier_from_the_whole_prompt() -> None:
    """5,005·2.5 + 257,955·0.25 + 1,744·15 per M; LiteLLM said 0.7642."""
    gemini = offer(
        [*sheet(inp="1.25", read="0.125", out="10"), *sheet(inp="2.5", read="0.25", out="15", above=200_000)]
    )
    usage = {"input_tokens": 262_960, "cache_read_tokens": 257_955, "output_tokens": 1_744}
    assert cost(gemini, usage) == "0.10316125"


def test_deepseek_reads_cost_a_fiftieth() -> None:
    flash = offer(sheet(inp="0.15", read="0.003", out="0.6"))
    assert cost(flash, {"input_tokens": M, "cache_read_tokens": 900_000, "output_tokens": 10_000}) == "0.0237"


def test_claude_fast_mode_with_cache() -> None:
    """BerriAI/litellm#38378, latitude-llm#4348: 66·10 + 6,034·1 + 100·50 per M."""
    opus = offer([*sheet(inp="5", read="0.5", out="25"), *sheet(inp="10", read="1", out="50", when={"speed": "fast"})])
    usage = {"input_tokens": 6_100, "cache_read_tokens": 6_034, "output_tokens": 100}
    assert cost(opus, usage, speed="fast") == "0.011694"


def test_writes_of_both_lifetimes_and_a_remainder() -> None:
    """30 fresh·2 + 10 default·2.5 + 20 five-minute·2.5 (no rate of its own) + 40 one-hour·4 per M."""
    usage = {
        "input_tokens": 100, "cache_write_tokens": 70, "cache_write_5m_tokens": 20, "cache_write_1h_tokens": 40,
    }  # fmt: skip
    assert lines(SONNET_5, dict(usage)) == {
        "input_tokens": ("30", "0.00006"), "cache_write_tokens": ("30", "0.000075"), "cache_write_1h_tokens": ("40", "0.00016"),
    }  # fmt: skip
    assert cost(SONNET_5, usage) == "0.000295"


def test_reasoning_is_output_where_it_has_no_rate_and_its_own_where_it_has() -> None:
    usage = {"input_tokens": 0, "output_tokens": 500, "reasoning_tokens": 400}
    assert cost(offer(sheet(inp="1", out="8")), usage) == "0.004"
    deep = offer([*sheet(inp="2", out="8"), price("reasoning_tokens", "3"), price("citation_tokens", "2")])
    assert cost(deep, usage) == "0.002"  # 100·8 + 400·3
    assert cost(deep, {**usage, "citation_tokens": 50}) == "0.0017"  # 50·8 + 400·3 + 50·2


def test_story_2_known_wrong_answers_are_not_ours() -> None:
    """800·1.25 + 1,500·0.125 + 1,320·10 per M; twice the cache would be 0.0162625, without reasoning 0.0053875."""
    vendor = offer(sheet(inp="1.25", read="0.125", out="10"))
    usage = {"input_tokens": 2_300, "cache_read_tokens": 1_500, "output_tokens": 1_320, "reasoning_tokens": 900}
    assert cost(vendor, usage) == "0.0143875"


# --- unknown is never zero ---------------------------------------------------------------------------------------------


def test_litellm_36561_a_meter_without_a_price_is_refused_and_not_free() -> None:
    with refused("missing-price", "output_tokens"):
        cost(offer([price("input_tokens", "0.02")]), {"input_tokens": 5, "output_tokens": 1})


def test_a_used_up_meter_without_a_price_is_no_reason_to_refuse() -> None:
    assert cost(offer([price("input_tokens", "0.02")]), {"input_tokens": M, "output_tokens": 0}) == "0.02"


def test_free_is_a_price_of_zero_and_still_a_line() -> None:
    free = billed(offer(sheet(inp="0", out="0")), {"input_tokens": 5, "output_tokens": 5})
    assert free.total.to_text() == "0"
    assert [line.meter for line in free.lines] == ["input_tokens", "output_tokens"]


def test_cached_tokens_without_a_cached_price_are_full_price_and_that_is_said() -> None:
    found = billed(
        offer(sheet(inp="2", out="10")), {"input_tokens": 100, "cache_read_tokens": 40, "cache_write_tokens": 9}
    )
    assert found.total.to_text() == "0.0002"
    assert list(found.warnings) == ["cache_read_not_priced", "cache_write_not_priced"]
    assert list(billed(SONNET_5, {"input_tokens": 100, "cache_read_tokens": 40}).warnings) == []


def test_writes_that_are_all_charged_at_rates_of_their_lifetime_are_priced() -> None:
    """5m and 1h have rates, the default write has none and nothing left: there is nothing to warn of."""
    some = offer(
        [price("input_tokens", "2"), price("cache_write_5m_tokens", "2.5"), price("cache_write_1h_tokens", "4")]
    )
    found = billed(some, {"input_tokens": 10, "cache_write_5m_tokens": 4, "cache_write_1h_tokens": 6})
    assert found.total.to_text() == "0.000034"
    assert list(found.warnings) == []


def test_an_empty_usage_costs_nothing() -> None:
    assert cost(SONNET_5, {}) == "0"


def test_the_same_card_prices_twice_alike() -> None:
    """The bill keeps nothing: a fee added by default does not stay."""
    fees = card(offer([*sheet(inp="1", out="1"), price("requests", "5")]))
    usage: dict[str, int | Decimal] = {"input_tokens": 1_000}
    assert bill(fees, usage).total == bill(fees, usage).total
    assert usage == {"input_tokens": 1_000}


# --- fees --------------------------------------------------------------------------------------------------------------

SONAR = offer(
    [
        *sheet(inp="1", out="1"),
        price("requests", "5", when={"search_context": "low"}),
        price("requests", "8", when={"search_context": "medium"}),
        price("requests", "12", when={"search_context": "high"}),
    ]
)


@pytest.mark.parametrize(("searched", "total"), [("low", "0.007"), ("medium", "0.01"), ("high", "0.014")])
def test_a_request_fee_is_charged_once_where_the_caller_says_nothing(searched: str, total: str) -> None:
    """1,000·1 + 1,000·1 per M, and 5, 8 or 12 per 1,000 requests."""
    usage = {"input_tokens": 1_000, "output_tokens": 1_000}
    assert cost(SONAR, usage, search_context=searched) == total
    assert cost(SONAR, {**usage, "requests": 1}, search_context=searched) == total


def test_stated_requests_are_what_is_charged_none_included() -> None:
    assert cost(SONAR, {"requests": 1_000}, search_context="high") == "12"
    assert cost(SONAR, {"input_tokens": 1_000, "requests": 0}, search_context="high") == "0.001"


def test_a_request_fee_that_depends_on_the_search_context_asks_for_it() -> None:
    with refused("context-required", "search_context; say one of high, low, medium"):
        cost(SONAR, {"input_tokens": 1_000})
    assert cost(SONAR, {"input_tokens": 1_000, "requests": 0}) == "0.001"  # no fee, nothing to ask


def test_an_offer_without_a_request_fee_charges_none_and_refuses_one_that_is_stated() -> None:
    assert cost(SONNET_5, {"input_tokens": M}) == "2"
    with refused("missing-price", "requests"):
        cost(SONNET_5, {"input_tokens": M, "requests": 1})


def test_a_request_fee_that_has_ended_is_not_charged() -> None:
    ended = offer([*sheet(inp="1", out="1"), price("requests", "5", end="2026-01-01")])
    assert cost(ended, {"input_tokens": M}) == "1"
    assert cost(ended, {"input_tokens": M}, "2025-12-31T23:59:59Z") == "1.005"


QUERIES = ["bitcoin price USD", "ethereum price USD", "bitcoin price USD"]


@pytest.mark.parametrize(
    ("unit", "rate", "queries", "total"),
    [
        (SearchUnit.UNIQUE_QUERY, "14", QUERIES, "0.028"),  # litellm#36377: Gemini 3 and later
        (SearchUnit.UNIQUE_QUERY, "14", ["Bitcoin", "bitcoin"], "0.028"),  # another text is another query
        (SearchUnit.PROMPT, "35", QUERIES, "0.035"),  # litellm#36397: Gemini 2.x
        (SearchUnit.PROMPT, "35", [], "0"),
        (SearchUnit.CALL, "10", QUERIES, "0.03"),  # OpenAI, Anthropic
        (SearchUnit.UNIQUE_QUERY, "14", [], "0"),
    ],
)
def test_searches_are_counted_as_the_vendor_counts_them(
    unit: SearchUnit, rate: str, queries: list[str], total: str
) -> None:
    some = offer([*sheet(inp="1", out="1"), price("web_searches", rate, unit=unit)])
    assert cost(some, {}, queries=queries) == total


@pytest.mark.parametrize("unit", SearchUnit)
def test_a_stated_number_of_searches_is_taken_as_it_is(unit: SearchUnit) -> None:
    some = offer([*sheet(inp="1", out="1"), price("web_searches", "10", unit=unit)])
    assert cost(some, {"web_searches": 3}) == "0.03"


def test_searches_and_their_texts_together_are_refused() -> None:
    with refused("invalid-usage", "not both"):
        cost(SONNET_5, {"web_searches": 1}, queries=["a"])


def test_searches_without_a_price_are_refused() -> None:
    with refused("missing-price", "web_searches"):
        cost(offer(sheet(inp="1", out="1")), {"input_tokens": 1}, queries=["a"])
    assert cost(offer(sheet(inp="1", out="1")), {"input_tokens": M}, queries=[]) == "1"


def test_pages_images_and_characters() -> None:
    assert cost(offer([price("pages", "4")]), {"pages": 7}) == "0.028"
    assert cost(offer([price("images", "0.04")]), {"images": 3}) == "0.12"
    assert cost(offer([price("input_characters", "15")]), {"input_characters": 1_000}) == "0.015"  # tts-1


def test_fees_of_an_offer_that_sells_tokens_do_not_save_a_mode_in_which_it_does_not() -> None:
    with refused("not-offered", "processing=batch"):
        cost(SONNET_5, {"web_searches": 1}, processing="batch")


# --- exactness ---------------------------------------------------------------------------------------------------------


def test_audio_by_the_hour_is_exact_although_a_second_has_no_finite_price() -> None:
    """Groq whisper: 0.111 per 3,600 s. 100 s are 11.1/3600 = 37/12,000."""
    whisper = offer([price("audio_seconds", "0.111")])
    assert as_fraction(billed(whisper, {"audio_seconds": 100}).total) == Fraction(37, 12_000)
    assert cost(whisper, {"audio_seconds": 100}) == "0.00308" + "3" * 25
    assert cost(whisper, {"audio_seconds": 3_600}) == "0.111"
    assert cost(whisper, {"audio_seconds": Decimal("36.5")}) == "0.001125416666666666666666666667"  # 0.111·36.5/3600


@pytest.mark.parametrize(
    ("usage", "charged", "total"),
    [
        ({"audio_seconds": 4}, "10", Fraction(1_110, 3_600_000)),  # 10 s at 0.111 an hour
        ({"audio_seconds": 10}, "10", Fraction(1_110, 3_600_000)),
        ({"audio_seconds": Decimal("10.5")}, "10.5", Fraction(11_655, 36_000_000)),
        ({"audio_seconds": 25, "requests": 3}, "30", Fraction(3_330, 3_600_000)),  # three clips, each of at least 10 s
        ({"audio_seconds": 25, "requests": 0}, "25", Fraction(2_775, 3_600_000)),
    ],
)
def test_groq_charges_at_least_ten_seconds_of_audio_a_request(
    usage: dict[str, int | Decimal], charged: str, total: Fraction
) -> None:
    whisper = offer([price("audio_seconds", "0.111", least="10"), price("requests", "0")])
    found = billed(whisper, usage)
    (line,) = [line for line in found.lines if line.meter == "audio_seconds"]
    assert (str(line.quantity), as_fraction(found.total)) == (charged, total)
    assert found.warnings == (["minimum_charged"] if Decimal(charged) > usage["audio_seconds"] else [])


def test_requests_without_a_fee_say_how_often_the_least_is_charged_and_are_no_line() -> None:
    whisper = offer([price("audio_seconds", "0.111", least="10")])
    found = billed(whisper, {"audio_seconds": 25, "requests": 3})
    assert [(line.meter, str(line.quantity)) for line in found.lines] == [("audio_seconds", "30")]
    with refused("missing-price"):
        cost(offer([price("audio_seconds", "0.111")]), {"audio_seconds": 25, "requests": 3})


def test_nothing_used_is_not_charged_at_the_least() -> None:
    whisper = offer([price("audio_seconds", "0.111", least="10")])
    assert cost(whisper, {"audio_seconds": 0}) == "0"


def test_whisper_and_tokens_add_up_exactly() -> None:
    """1/3 hour at 0.36 is 0.12; 100 s at 0.36 are exactly 0.01; with tokens 1·3/M."""
    some = offer([price("audio_seconds", "0.36"), price("input_tokens", "3")])
    assert cost(some, {"audio_seconds": 100, "input_tokens": 1}) == "0.010003"
    hourly = offer([price("audio_seconds", "0.111"), price("input_tokens", "3")])
    found = billed(hourly, {"audio_seconds": 100, "input_tokens": 1_000})
    assert as_fraction(found.total) == Fraction(37, 12_000) + Fraction(3, 1_000)
    thirds = offer([price("audio_seconds", "1", per=3), price("pages", "1", per=3), price("input_tokens", "1", per=7)])
    found = billed(thirds, {"audio_seconds": 1, "pages": 1, "input_tokens": 1})
    assert as_fraction(found.total) == Fraction(2, 3) + Fraction(1, 7)
    assert sum(as_fraction(line.cost) for line in found.lines) == as_fraction(found.total)


def test_a_request_of_five_tokens_is_not_rounded_away() -> None:
    """Trap 18: 2·0.1 + 1·0.01 + 1·0.5 per M = 0.00000071; six places are 41 % off."""
    luna = offer(sheet(inp="0.1", read="0.01", out="0.5"))
    assert cost(luna, {"input_tokens": 3, "cache_read_tokens": 1, "output_tokens": 1}) == "0.00000071"


def test_the_smallest_amount_is_printed_without_an_exponent() -> None:
    assert cost(offer([price("input_tokens", "0.000000000001")]), {"input_tokens": 1}) == "0.000000000000000001"


def test_the_largest_amount_is_printed_without_an_exponent() -> None:
    total = cost(offer([price("input_tokens", "9" * 18, per=1)]), {"input_tokens": 10**18})
    assert total == "9" * 18 + "0" * 18


def test_posthog_71065_thoughts_are_charged_once() -> None:
    """9·0.3 + 22·2.5 per M."""
    usage = {"input_tokens": 9, "output_tokens": 22, "reasoning_tokens": 21}
    assert cost(offer(sheet(inp="0.3", out="2.5")), usage) == "0.0000577"


def test_mission_control_164_a_rate_names_what_it_is_per() -> None:
    """3 per million is not 3 per thousand."""
    assert cost(offer([price("input_tokens", "3")]), {"input_tokens": 200_000}) == "0.6"
    assert cost(offer([price("input_tokens", "3", per=1_000)]), {"input_tokens": 200_000}) == "600"


# --- private books -----------------------------------------------------------------------------------------------------


def test_a_line_from_the_base_of_a_private_book_is_said_and_others_are_not() -> None:
    both = card(offer(sheet(inp="1.5"))).with_base(card(offer(sheet(inp="2", out="10"))))
    assert list(bill(both, {"input_tokens": 5}).warnings) == []
    found = bill(both, {"input_tokens": M, "output_tokens": M})
    assert (found.total.to_text(), list(found.warnings)) == ("11.5", ["base_price_used"])


# --- how far a price can be relied on ----------------------------------------------------------------------------------


def stands(*rows: PriceRow, as_of: str = NOON, lift: Uplift | None = None) -> Standing:
    return standing([ApplicableRate(row, lift) for row in rows], parse_instant(as_of))


@pytest.mark.parametrize(
    ("as_of", "status"),
    [
        ("2026-10-14T00:00:00Z", PriceStatus.OK),
        ("2027-01-12T23:59:59Z", PriceStatus.OK),  # 90 days later
        ("2027-01-13T00:00:00Z", PriceStatus.STALE),  # 91: more than 90
    ],
)
def test_a_price_checked_more_than_90_days_ago_is_stale(as_of: str, status: PriceStatus) -> None:
    assert stands(price("input_tokens", "1", checked=date(2026, 10, 14)), as_of=as_of).status is status


def test_a_price_with_an_unknown_start_is_unconfirmed_only_before_it_was_seen() -> None:
    row = price("input_tokens", "1", start_known=False, checked=date(2026, 10, 14))
    assert stands(row, as_of="2026-10-13T23:59:59Z").status is PriceStatus.UNCONFIRMED_START
    assert stands(row, as_of="2026-10-14T00:00:00Z").status is PriceStatus.OK
    known = price("input_tokens", "1", start="2026-01-01", checked=date(2026, 10, 14))
    assert stands(known, as_of="2026-02-01").status is PriceStatus.OK


def test_a_price_that_nobody_checked_and_nobody_dated_is_unconfirmed() -> None:
    assert stands(price("input_tokens", "1", start_known=False, checked=None)).status is PriceStatus.UNCONFIRMED_START


def test_the_worst_of_the_rows_counts() -> None:
    ok, disputed = price("input_tokens", "1"), price("output_tokens", "1", status=PriceStatus.DISPUTED)
    suspect = price("cache_read_tokens", "1", status=PriceStatus.SUSPECT)
    assert stands(ok).status is PriceStatus.OK
    assert stands(ok, disputed).status is PriceStatus.DISPUTED
    assert stands(suspect, disputed, ok).status is PriceStatus.SUSPECT
    assert stands(disputed, as_of="2027-06-01").status is PriceStatus.DISPUTED  # stale as well, but that is milder


def test_dates_and_sources_over_the_rows() -> None:
    found = stands(
        price("input_tokens", "1", start="2026-07-01", end="2026-12-31", checked=date(2026, 11, 1), source="page"),
        price("output_tokens", "1", start="2026-09-01", end="2026-12-01", checked=date(2026, 10, 1), source="package"),
        price(
            "cache_read_tokens", "1", start="2026-10-01", start_known=False, checked=date(2026, 11, 2), source="page"
        ),
    )
    assert found.valid_from == parse_instant("2026-09-01")  # the latest start that is known
    assert found.ends_at == parse_instant("2026-12-01")
    assert found.checked_on == date(2026, 10, 1)
    assert list(found.sources) == ["page", "package"]


def test_an_uplift_is_a_row_that_was_used() -> None:
    found = stands(
        price("input_tokens", "1", source="page"), lift=uplift("1.1", start="2026-11-01", end="2026-12-15", zone="eu")
    )
    assert found.valid_from == parse_instant("2026-11-01")
    assert found.ends_at == parse_instant("2026-12-15")
    assert list(found.sources) == ["page", "vendor page"]


def test_nothing_used_is_nothing_to_doubt() -> None:
    assert stands() == Standing(None, None, None, [], PriceStatus.OK)
