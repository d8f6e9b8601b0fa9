"""Expected numbers of story 1 and 2 are the finance people's (`user_stories.json`), or fractions worked out beside them."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest

from economics.exchange import FxRate, find_conversion
from economics.money import Exact, exact, multiply
from economics.prices import PriceRow
from economics.rate_card import OfferPrices, RateCard
from economics.text_costs import SampleCost, Terms, per_million_characters, price_sample, weighted_mean
from tests.unit.economics.building import card, offer, price, refused, sheet

M = 1_000_000


def as_fraction(amount: Exact) -> Fraction:
    return Fraction(amount.numerator) / Fraction(amount.denominator)


def rounded(amount: Exact, places: str) -> str:
    return str(amount.to_decimal().quantize(Decimal(places), ROUND_HALF_EVEN))


def total(
    prices: OfferPrices, usage: dict[str, int | Decimal], terms: Terms, batch: RateCard | None = None
) -> Fraction:
    return as_fraction(price_sample(card(prices), batch, usage, terms).total)


# --- story 1: eight vendors --------------------------------------------------------------------------------------------


def vendor(inp: str, out: str, currency: str = "USD", tax_rate: str | None = None) -> OfferPrices:
    def row(meter: str, rate: str) -> PriceRow:
        return price(meter, rate, currency=currency, tax_included=tax_rate is not None, tax_rate=tax_rate)

    return offer([row("input_tokens", inp), row("output_tokens", out)])


D = vendor("16.00", "64.00", "CNY", "0.06")
E = vendor("18.00", "70.00", "CNY", "0.06")
# tokens of the Chinese and the English ticket (in, out), discount, and what one ticket costs in the 60/40 mix
STORY_1 = {
    "A": (vendor("2.50", "10.00"), (101, 76), (100, 69), "0", "0.000983500", "1180.20"),
    "B": (vendor("1.90", "7.60"), (133, 102), (102, 69), "0", "0.000904020", "1084.82"),
    "C": (vendor("2.20", "8.80"), (131, 98), (101, 67), "0.10", "0.000913572", "1096.29"),
    "D": (D, (82, 58), (102, 69), "0", "0.000721977", "866.37"),
    "E": (E, (91, 64), (110, 71), "0.05", "0.000814279", "977.13"),
    "F": (vendor("2.40", "9.50"), (135, 100), (110, 71), "0", "0.001139800", "1367.76"),
    "G": (vendor("1.80", "7.20"), (152, 109), (116, 76), "0", "0.000937440", "1124.93"),
    "H": (vendor("1.00", "4.00"), (284, 197), (101, 67), "0", "0.000790800", "948.96"),
}


def ticket(name: str, tokens: tuple[int, int]) -> SampleCost:
    prices, _, _, discount, _, _ = STORY_1[name]
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    return price_sample(card(prices), None, usage, Terms(discount_share=Decimal(discount), tax_excluded=True))


def in_usd(name: str, amount: Exact) -> Exact:
    native = STORY_1[name][0].rows[0].currency
    conversion = find_conversion(native, "USD", [FxRate("USD", "CNY", Decimal("7.10"), "2026-11-01", "story 1")])
    return amount if conversion is None else amount * conversion.factor


@pytest.mark.parametrize("name", STORY_1)
def test_story_1_a_ticket_and_a_month(name: str) -> None:
    _, zh, en, _, per_ticket, per_month = STORY_1[name]
    costs = [in_usd(name, ticket(name, tokens).total) for tokens in (zh, en)]
    mix = weighted_mean(costs, [Decimal("0.6"), Decimal("0.4")])
    assert rounded(mix, "0.000000001") == per_ticket
    assert rounded(mix * Decimal(1_200_000), "0.01") == per_month


def test_story_1_the_cheapest_token_is_not_the_cheapest_ticket() -> None:
    def month(name: str) -> Fraction:
        _, zh, en, _, _, _ = STORY_1[name]
        costs = [in_usd(name, ticket(name, tokens).total) for tokens in (zh, en)]
        return as_fraction(weighted_mean(costs, [Decimal("0.6"), Decimal("0.4")]))

    assert sorted(STORY_1, key=month) == ["D", "H", "E", "B", "C", "G", "A", "F"]


@pytest.mark.parametrize(
    ("name", "zh_in", "zh_out", "en_in", "en_out"),
    [
        ("A", "1.753472", "8.085106", "0.578704", "2.233010"),
        ("C", "1.801250", "8.257021", "0.462917", "1.717282"),
        ("D", "1.210618", "5.247058", "0.501964", "1.898919"),
        ("E", "1.435856", "6.016024", "0.578550", "2.030286"),
    ],
)
def test_story_1_per_million_characters(name: str, zh_in: str, zh_out: str, en_in: str, en_out: str) -> None:
    """144 and 94 characters of Chinese, 432 and 309 of English."""
    found = []
    for tokens, (characters_in, characters_out) in zip(STORY_1[name][1:3], ((144, 94), (432, 309)), strict=True):
        sample = ticket(name, tokens)
        for amount, characters in ((sample.input_cost, characters_in), (sample.output_cost, characters_out)):
            figure = per_million_characters(in_usd(name, amount), exact(characters))
            assert figure is not None
            found.append(rounded(figure, "0.000001"))
    assert found == [zh_in, zh_out, en_in, en_out]


def test_story_1_vendor_e_takes_the_discount_before_tax_and_currency_exactly() -> None:
    """91·18 + 64·70 per M, less 5 %, without 6 % tax, at 7.10."""
    expected = (Fraction(91 * 18 + 64 * 70, M)) * Fraction(95, 100) / Fraction(106, 100) / Fraction(71, 10)
    assert as_fraction(in_usd("E", ticket("E", (91, 64)).total)) == expected


# --- story 2: the CFO's query ------------------------------------------------------------------------------------------

CFO = offer(
    [
        *sheet(inp="1.25", read="0.125", out="10"),
        *sheet(inp="0.625", read="0.0625", out="5", when={"processing": "batch"}),
    ]
)
QUERY: dict[str, int | Decimal] = {"input_tokens": 2_300, "cache_read_tokens": 1_500, "output_tokens": 1_320}


def test_story_2_base_case() -> None:
    """0.0143875 · (1 − 0.12·0.5) · 1.03 = 0.013929977…5"""
    plain = Fraction("0.0143875")
    assert total(CFO, QUERY, Terms()) == plain
    terms = Terms(batch_share=Decimal("0.12"), retry_share=Decimal("0.03"))
    assert total(CFO, QUERY, terms, card(CFO, processing="batch")) == plain * Fraction(94, 100) * Fraction(103, 100)


def test_story_2_a_tokenizer_that_makes_a_third_more_tokens() -> None:
    """All counts × 1.35, unrounded: 0.019423125, then 0.018805470 to 9 places."""
    usage = {name: Decimal(quantity) * Decimal("1.35") for name, quantity in QUERY.items()}
    assert total(CFO, dict(usage), Terms()) == Fraction("0.019423125")
    terms = Terms(batch_share=Decimal("0.12"), retry_share=Decimal("0.03"))
    found = price_sample(card(CFO), card(CFO, processing="batch"), usage, terms).total
    assert rounded(found, "0.000000001") == "0.018805470"


# --- shares ------------------------------------------------------------------------------------------------------------


def test_batch_is_mixed_in_meter_by_meter() -> None:
    """Input half in batch, output not sold in batch: 0.5·(1·2) + 0.5·(1·1) + 8."""
    some = offer([*sheet(inp="2", out="8"), price("input_tokens", "1", when={"processing": "batch"})])
    usage: dict[str, int | Decimal] = {"input_tokens": M, "output_tokens": M}
    assert total(some, usage, Terms(batch_share=Decimal("0.5")), card(some, processing="batch")) == Fraction(19, 2)


def test_a_quarter_in_batch_at_a_fifth_off_is_a_twentieth_less() -> None:
    """xAI's batch is −20 %, not −50 %: 1 − 0.25·0.2."""
    grok = offer([*sheet(inp="1.25", out="2.5"), *sheet(inp="1", out="2", when={"processing": "batch"})])
    terms = Terms(batch_share=Decimal("0.25"))
    assert total(grok, {"input_tokens": M, "output_tokens": M}, terms, card(grok, processing="batch")) == Fraction(
        "3.5625"
    )


def test_where_batch_is_not_sold_everything_stays_standard_and_that_is_said() -> None:
    found = price_sample(card(CFO), None, QUERY, Terms(batch_share=Decimal("0.5")))
    assert as_fraction(found.total) == Fraction("0.0143875")
    assert "batch_not_offered" in found.warnings
    assert list(price_sample(card(CFO), None, QUERY, Terms()).warnings) == []


def test_the_batch_tier_is_the_tier_of_the_whole_input() -> None:
    """300,000 tokens in all, all of them cached: above 272,000 in batch as in standard, though input_tokens is left out."""
    some = offer(
        [
            *sheet(inp="2", read="1", out="8"),
            *sheet(inp="4", read="2", out="12", above=272_000),
            *sheet(inp="1", read="0.5", out="4", when={"processing": "batch"}),
            *sheet(inp="2", read="1", out="6", when={"processing": "batch"}, above=272_000),
        ]
    )
    batch, terms = card(some, processing="batch"), Terms(batch_share=Decimal(1))
    assert total(some, {"input_tokens": 300_000, "cache_read_tokens": 300_000}, terms, batch) == Fraction("0.3")
    assert total(some, {"cache_read_tokens": 300_000}, terms, batch) == Fraction("0.3")


def test_fees_are_the_same_in_batch_and_are_not_discounted_but_are_retried() -> None:
    some = offer(
        [
            *sheet(inp="2", out="8"),
            *sheet(inp="1", out="4", when={"processing": "batch"}),
            price("requests", "5"),
        ]
    )
    terms = Terms(discount_share=Decimal("0.1"), batch_share=Decimal(1), retry_share=Decimal("0.5"))
    # (1·0.9 + 0.005) · 1.5
    assert total(some, {"input_tokens": M}, terms, card(some, processing="batch")) == Fraction("1.3575")


def test_retries_multiply_and_may_exceed_one() -> None:
    assert total(CFO, QUERY, Terms(retry_share=Decimal("1.5"))) == Fraction("0.0143875") * Fraction(5, 2)


def test_parts_of_a_sample_add_up_to_it_where_there_are_no_fees() -> None:
    found = price_sample(card(CFO), None, QUERY, Terms(retry_share=Decimal("0.03")))
    assert as_fraction(found.input_cost) == Fraction("0.0011875") * Fraction(103, 100)  # 800·1.25 + 1,500·0.125
    assert as_fraction(found.output_cost) == Fraction("0.0132") * Fraction(103, 100)
    assert found.input_cost + found.output_cost == found.total


def test_request_fees_are_in_the_total_and_in_neither_part() -> None:
    fees = offer([*sheet(inp="1", out="1"), price("requests", "5")])
    found = price_sample(card(fees), None, {"input_tokens": M, "output_tokens": M}, Terms())
    assert [as_fraction(x) for x in (found.input_cost, found.output_cost, found.total)] == [1, 1, Fraction("2.005")]


def test_characters_of_speech_are_input() -> None:
    speech = offer([price("input_characters", "15")])
    found = price_sample(card(speech), None, {"input_characters": 1_000}, Terms())
    assert found.input_cost.to_text() == "0.015"


def test_all_rates_that_were_used_are_named_batch_ones_too() -> None:
    terms = Terms(batch_share=Decimal("0.5"))
    found = price_sample(card(CFO), card(CFO, processing="batch"), {"input_tokens": 1, "output_tokens": 1}, terms)
    assert sorted(str(rate.rate) for rate in found.rates) == ["0.625", "1.25", "10", "5"]


def test_a_rate_that_is_the_same_in_batch_is_named_once() -> None:
    some = offer(
        [*sheet(inp="2", out="8"), *sheet(inp="1", out="4", when={"processing": "batch"}), price("requests", "5")]
    )
    found = price_sample(card(some), card(some, processing="batch"), {"requests": 1}, Terms(batch_share=Decimal("0.5")))
    assert [str(rate.rate) for rate in found.rates] == ["5"]


def test_an_unrounded_cached_share_is_priced_unrounded() -> None:
    """A third of 101 tokens does not exist; 0.25 of 101 is 25.25. 75.75·1.25 + 25.25·0.125 per M."""
    cached = multiply(Decimal(101), Decimal("0.25"))
    assert cached == Decimal("25.25")
    expected = Fraction("75.75") * Fraction("1.25") / M + Fraction("25.25") * Fraction("0.125") / M
    assert total(CFO, {"input_tokens": 101, "cache_read_tokens": cached}, Terms()) == expected


# --- tax ---------------------------------------------------------------------------------------------------------------


def test_tax_is_removed_where_the_book_includes_it_and_only_if_asked() -> None:
    usage: dict[str, int | Decimal] = {"input_tokens": M}
    assert total(D, usage, Terms()) == 16
    assert total(D, usage, Terms(tax_excluded=True)) == Fraction(1600, 106)
    assert total(vendor("16", "64"), usage, Terms(tax_excluded=True)) == 16


def test_a_tax_nobody_states_the_rate_of_cannot_be_removed() -> None:
    unknown = offer([price("input_tokens", "16", currency="CNY", tax_included=True)])
    assert total(unknown, {"input_tokens": M}, Terms()) == 16
    with refused("unknown-tax-rate"):
        total(unknown, {"input_tokens": M}, Terms(tax_excluded=True))


def test_a_book_that_says_nothing_of_tax_is_taken_to_include_none() -> None:
    silent = offer([price("input_tokens", "16", tax_included=None)])
    assert total(silent, {"input_tokens": M}, Terms(tax_excluded=True)) == 16


def test_tax_at_zero_is_known_and_removes_nothing() -> None:
    assert total(vendor("16", "64", tax_rate="0"), {"input_tokens": M}, Terms(tax_excluded=True)) == 16


# --- means -------------------------------------------------------------------------------------------------------------


def test_weights_need_not_sum_to_one() -> None:
    values = [exact(1), exact(4)]
    assert as_fraction(weighted_mean(values, [Decimal(2), Decimal(1)])) == 2
    assert as_fraction(weighted_mean(values, [Decimal(200), Decimal(100)])) == 2
    assert as_fraction(weighted_mean(values, [Decimal(0), Decimal(1)])) == 4
    assert as_fraction(weighted_mean([exact(7)], [Decimal(3)])) == 7


def test_every_value_has_a_weight() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        weighted_mean([exact(1), exact(2)], [Decimal(1)])


def test_a_mean_of_many_costs_that_do_not_end_is_exact() -> None:
    """Ten thousand rows are allowed; half of them per 3, half per 7, is (1/3 + 1/7)/2."""
    values = [Exact(Decimal(1), Decimal(3 if index % 2 else 7)) for index in range(10_000)]
    assert as_fraction(weighted_mean(values, [Decimal(1)] * 10_000)) == Fraction(5, 21)


def test_there_is_no_price_of_no_characters() -> None:
    assert per_million_characters(exact(1), exact(0)) is None
    assert per_million_characters(exact(0), exact(5)) == exact(0)


def test_priced_each_on_its_own_and_never_on_averages() -> None:
    """A short and a long text: the mean of 1 and 400,000 tokens would be in the lower tier of 272,000."""
    some = offer([*sheet(inp="1", out="1"), *sheet(inp="2", out="2", above=272_000)])
    costs = [price_sample(card(some), None, {"input_tokens": n}, Terms()).total for n in (0, 400_000)]
    assert as_fraction(weighted_mean(costs, [Decimal(1), Decimal(1)])) == Fraction("0.4")
