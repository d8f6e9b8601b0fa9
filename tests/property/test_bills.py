"""What must hold of any bill under any book."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from economics.billing import Bill, bill
from economics.errors import PermillionError
from economics.exchange import FxRate, find_conversion
from economics.money import Exact
from economics.rate_card import OfferPrices, RateCard
from economics.text_costs import Terms, price_sample, weighted_mean
from tests.oracle.engine import as_fraction, engine_offer
from tests.oracle.naive import NaiveRow
from tests.property.books import SELLER, books, plain_row, usages
from tests.property.books import rates as any_rate

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")


@st.composite
def tiered_offers(draw: st.DrawFn) -> OfferPrices:
    """All the common meters, each in a base tier and in one above 200 input tokens; some of them in batch."""
    found: list[NaiveRow] = []
    for meter in (*TOKENS, "web_searches", "audio_seconds"):
        for low in (None, 200) if meter in TOKENS else (None,):
            for when in ({}, {"processing": ("batch",)}) if meter != "reasoning_tokens" else ({},):
                row = plain_row(meter, draw(any_rate), draw(st.sampled_from([1_000_000, 3_600, 7])), when)
                row["min_input"] = low
                found.append(row)
    return engine_offer(found, [], SELLER)


@st.composite
def tier_usages(draw: st.DrawFn) -> dict[str, int]:
    """At most 100 input tokens, so that two of them stay in the base tier."""
    read, written, fresh = draw(st.integers(0, 30)), draw(st.integers(0, 30)), draw(st.integers(0, 40))
    reasoning, said = draw(st.integers(0, 500)), draw(st.integers(0, 500))
    return {
        "input_tokens": read + written + fresh,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "output_tokens": reasoning + said,
        "reasoning_tokens": reasoning,
        "web_searches": draw(st.integers(0, 5)),
        "audio_seconds": draw(st.integers(0, 5_000)),
    }


def card_of(offer: OfferPrices, **context: str) -> RateCard:
    return offer.rate_card(NOON, offer.vocabulary.resolve(context))


def price(offer: OfferPrices, usage: dict[str, int]) -> Bill:
    return bill(card_of(offer), usage)


@given(books(), usages())
def test_a_cost_is_never_negative_and_its_lines_sum_to_the_total(rows: list[NaiveRow], usage: dict[str, int]) -> None:
    assume(rows)
    try:
        found = price(engine_offer(rows, [], SELLER), usage)
    except PermillionError:
        assume(False)  # another test says when a refusal is right
    assert as_fraction(found.total) >= 0
    assert all(as_fraction(line.cost) >= 0 and line.quantity > 0 for line in found.lines)
    assert sum((as_fraction(line.cost) for line in found.lines), Fraction(0)) == as_fraction(found.total)
    for line in found.lines:
        unit = Fraction(line.rate.rate) / line.rate.row.per
        assert as_fraction(line.cost) == Fraction(line.quantity) * unit


@given(tiered_offers(), tier_usages(), st.integers(1, 50))
def test_inside_a_tier_the_cost_is_linear_in_the_tokens(offer: OfferPrices, usage: dict[str, int], times: int) -> None:
    """Twice a short request stays in the lower tier; any multiple of a long one stays in the upper tier."""
    twice = {name: 2 * quantity for name, quantity in usage.items()}
    assert as_fraction(price(offer, twice).total) == 2 * as_fraction(price(offer, usage).total)
    long = {**usage, "input_tokens": usage["input_tokens"] + 201}
    multiple = {name: times * quantity for name, quantity in long.items()}
    assert as_fraction(price(offer, multiple).total) == times * as_fraction(price(offer, long).total)


@given(tiered_offers(), tier_usages(), tier_usages())
def test_splitting_a_request_inside_one_tier_changes_nothing(
    offer: OfferPrices, first: dict[str, int], second: dict[str, int]
) -> None:
    both = {name: first[name] + second[name] for name in first}
    assert as_fraction(price(offer, both).total) == sum(as_fraction(price(offer, u).total) for u in (first, second))


@given(tiered_offers(), tier_usages(), st.sampled_from(["input_tokens", "output_tokens", "web_searches"]))
def test_more_of_a_root_meter_inside_one_tier_never_costs_less(
    offer: OfferPrices, usage: dict[str, int], meter: str
) -> None:
    more = {**usage, meter: usage[meter] + 100}
    assert as_fraction(price(offer, more).total) >= as_fraction(price(offer, usage).total)


currency_rates = st.integers(1, 10**9).map(lambda n: Decimal(n).scaleb(-4))


@given(tiered_offers(), tier_usages(), currency_rates)
def test_there_and_back_in_another_currency_is_the_same_amount(
    offer: OfferPrices, usage: dict[str, int], rate: Decimal
) -> None:
    fx = [FxRate("USD", "CNY", rate, "2026-11-30", "test")]
    there, back = find_conversion("USD", "CNY", fx), find_conversion("CNY", "USD", fx)
    assert there is not None
    assert back is not None
    total = price(offer, usage).total
    abroad = total * there.factor
    assert as_fraction(abroad) == as_fraction(total) * Fraction(rate)
    assert abroad * back.factor == total
    assert (abroad * back.factor).to_text() == total.to_text()


shares = st.integers(0, 100).map(lambda n: Decimal(n).scaleb(-2))


@given(tiered_offers(), tier_usages(), shares, shares, shares)
def test_terms_of_a_sample_are_their_formula(
    offer: OfferPrices, usage: dict[str, int], batch: Decimal, discount: Decimal, retries: Decimal
) -> None:
    """`[(1 − b)·standard + b·batch]·(1 − d)·(1 + r)` a meter; fees are not discounted; reasoning stays standard."""
    standard, batched = card_of(offer), card_of(offer, processing="batch")
    found = price_sample(standard, batched, usage, Terms(discount, False, batch, retries))
    b, d, r = Fraction(batch), Fraction(discount), Fraction(retries)
    expected = Fraction(0)
    for line in bill(standard, usage).lines:
        cost = as_fraction(line.cost)
        other = batched.find(line.meter, usage["input_tokens"])
        half = cost if other is None else Fraction(line.quantity) * Fraction(other.rate) / other.row.per
        cost = (1 - b) * cost + b * half
        expected += cost * (1 - d if line.meter.endswith("_tokens") else 1) * (1 + r)
    assert as_fraction(found.total) == expected


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 10**6), st.integers(0, 100)), min_size=1, max_size=20))
def test_a_weighted_mean_lies_between_its_values_and_is_exact(parts: list[tuple[int, int, int]]) -> None:
    assume(any(weight for _, _, weight in parts))
    values = [Exact(Decimal(top), Decimal(bottom)) for top, bottom, _ in parts]
    found = as_fraction(weighted_mean(values, [Decimal(weight) for _, _, weight in parts]))
    total = sum(weight for _, _, weight in parts)
    assert found == sum(Fraction(top, bottom) * weight for top, bottom, weight in parts) / total
    counted = [Fraction(top, bottom) for top, bottom, weight in parts if weight]
    assert min(counted) <= found <= max(counted)
