"""Means, ranks and premiums on figures that are written down here, in fractions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from api.http.controllers.compare import to_cell
from api.services.comparing.compare import ComparedOffer, Prospect, rank
from api.services.comparing.figures import Figures, mean_figures
from api.services.comparing.premiums import language_premiums
from api.services.comparing.question import Comparison, OfferToCompare, Sample
from api.services.offers import OfferName
from economics.errors import PermillionError
from economics.exchange import Conversion
from economics.money import Exact, exact

BLANK = Figures(None, None, None, None, None, None, None, None, exact(0), None, exact(0), None, None, (), ())


def fraction(value: Exact | None) -> Fraction | None:
    return None if value is None else Fraction(value.numerator) / Fraction(value.denominator)


def figures(cost: str = "0", **counts: int) -> Figures:
    return replace(
        BLANK,
        input_cost=exact(Decimal(cost)),
        cost_per_query=exact(Decimal(cost)),
        **{name: exact(n) for name, n in counts.items()},
    )


def offer(row_id: int, cost: str | Exact | None, factor: Exact | None = None) -> ComparedOffer:
    conversion = None if factor is None else Conversion(factor, "2026-11-01", "")
    prospect = Prospect(OfferToCompare(row_id, OfferName("a/b", None, {})), conversion=conversion)
    if cost is None:
        return ComparedOffer(prospect, error=PermillionError("unknown-model", ""))
    exact_cost = cost if isinstance(cost, Exact) else exact(Decimal(cost))
    return ComparedOffer(prospect, overall=replace(BLANK, cost_per_query=exact_cost))


def ranks(*offers: ComparedOffer) -> list[tuple[int | None, int | str]]:
    return [(ranked.rank, ranked.prospect.wanted.row_id) for ranked in rank(offers)]


def test_ranks_ascend_and_ties_share_in_request_order() -> None:
    assert ranks(offer(0, "2"), offer(1, "1"), offer(2, "2.0"), offer(3, "3"), offer(4, "1")) == [
        (1, 1),
        (1, 4),
        (3, 0),
        (3, 2),
        (5, 3),
    ]


def test_errors_come_last_in_request_order_without_a_rank() -> None:
    assert ranks(offer(0, None), offer(1, "5"), offer(2, None), offer(3, "0")) == [(1, 3), (2, 1), (None, 0), (None, 2)]
    assert ranks(offer(0, None)) == [(None, 0)]
    assert ranks() == []


def test_ranks_are_of_converted_exact_costs() -> None:
    seventh = Exact(Decimal(1), Decimal("7.1"))
    assert ranks(offer(0, "2"), offer(1, "14.2", seventh), offer(2, "14.1", seventh)) == [(1, 2), (2, 0), (2, 1)]
    third = Exact(Decimal(1), Decimal(3))
    above = Exact(Decimal("0.33333333333333333333333333333333333333334"))
    below = Exact(Decimal("0.33333333333333333333333333333333333333333"))
    assert ranks(offer(0, above), offer(1, third), offer(2, below), offer(3, "1", third)) == [
        (1, 2),
        (2, 1),
        (2, 3),
        (4, 0),
    ]


def test_the_mean_of_one_is_itself() -> None:
    one = figures("0.5", input_tokens=3, input_characters=7)
    assert mean_figures([one], [Decimal("0.3")]) == one


def test_means_are_weighted_and_normalised() -> None:
    parts = [figures("1", input_tokens=10, input_characters=20), figures("4", input_tokens=13, input_characters=50)]
    for weights in (["1", "2"], ["0.5", "1"], ["3.30", "6.6"]):
        mean = mean_figures(parts, [Decimal(weight) for weight in weights])
        assert fraction(mean.input_tokens) == 12
        assert fraction(mean.input_characters) == 40
        assert fraction(mean.cost_per_query) == 3
        # Σ w·cost ÷ Σ w·characters, not the mean of the quotients
        assert fraction(mean.input_cost_per_mchar) == Fraction(3, 40) * 10**6
        assert fraction(mean.tokens_per_character) == Fraction(12, 40)
    mean = mean_figures(parts, [Decimal(1), Decimal(0)])
    assert (fraction(mean.input_tokens), fraction(mean.cost_per_query)) == (10, 1)
    assert fraction(
        mean_figures([figures("1"), figures("1"), figures("2")], [Decimal(1)] * 3).cost_per_query
    ) == Fraction(4, 3)


def test_what_one_sample_lacks_the_mean_lacks() -> None:
    mean = mean_figures([figures("1", output_tokens=5), figures("1")], [Decimal(1), Decimal(1)])
    assert (mean.output_tokens, mean.output_cost, mean.output_cost_per_mchar) == (None, None, None)


def test_prices_that_differ_are_no_price() -> None:
    at_2, at_3 = (replace(BLANK, input_price_per_mtok=exact(price), output_price_per_mtok=exact(9)) for price in (2, 3))
    mean = mean_figures([at_2, at_3], [Decimal(1), Decimal(1)])
    assert (mean.input_price_per_mtok, fraction(mean.output_price_per_mtok)) == (None, 9)
    assert "prices_differ_between_samples" in mean.warnings
    same = mean_figures([at_2, at_2], [Decimal(1), Decimal(1)])
    assert (fraction(same.input_price_per_mtok), list(same.warnings)) == (2, [])


def test_nothing_per_no_character() -> None:
    empty = figures("0", input_tokens=0, input_characters=0)
    assert (empty.tokens_per_character, empty.input_cost_per_mchar) == (None, None)
    assert mean_figures([empty, empty], [Decimal(1), Decimal(1)]).input_cost_per_mchar is None


def with_samples(**samples: Figures) -> ComparedOffer:
    return replace(offer(0, "1"), samples=list(samples.items()))


def test_premiums() -> None:
    # story 1, o200k_base: 101 and 76 tokens in Chinese, 100 and 69 in English
    zh = figures("0.0010125", input_tokens=101, output_tokens=76)
    en = figures("0.00094", input_tokens=100, output_tokens=69)
    there, back = language_premiums([with_samples(zh=zh, en=en)], [("zh", "en"), ("en", "zh")])
    assert (there.sample, there.base_sample) == ("zh", "en")
    assert fraction(there.input_tokens_ratio) == Fraction(101, 100)
    assert fraction(there.output_tokens_ratio) == Fraction(76, 69)
    assert fraction(there.cost_per_query_ratio) == Fraction("0.0010125") / Fraction("0.00094")
    assert fraction(back.input_tokens_ratio) == Fraction(100, 101)


def test_premiums_of_nothing() -> None:
    nothing, something = figures("0", input_tokens=0), figures("1", input_tokens=5)
    (premium,) = language_premiums([with_samples(a=something, b=nothing)], [("a", "b")])
    assert (premium.input_tokens_ratio, premium.output_tokens_ratio, premium.cost_per_query_ratio) == (None, None, None)
    (premium,) = language_premiums([with_samples(a=nothing, b=something)], [("a", "b")])
    assert fraction(premium.input_tokens_ratio) == 0
    assert language_premiums([offer(0, None)], [("a", "b")]) == [], "an offer without figures has no premium"
    assert language_premiums([with_samples(a=nothing)], []) == []
    with pytest.raises(PermillionError, match="two samples") as caught:
        language_premiums([with_samples(a=nothing)], [("a", "a"), ("a", "b")])
    assert caught.value.pointer == "/language_pairs/1"


def test_a_question_asks_for_one_dollar_as_listed_unless_it_says_otherwise() -> None:
    asked = Comparison([Sample("0", "a")], [], datetime(2026, 11, 30, tzinfo=UTC))
    assert (asked.currency, asked.tax_excluded, asked.workload.queries_per_month, asked.samples[0].weight) == (
        "USD",
        False,
        None,
        1,
    )


@pytest.mark.parametrize(("number", "shown"), [
    ("0", "0"), ("5", "5"), ("-0.5", "-0.5"), ("1.50", "1.5"), ("123456789012345678", "123456789012346000"),
    ("0.1234567890123455", "0.123456789012346"), ("0.1234567890123445", "0.123456789012344"), ("0.00000000000012345", "0.00000000000012345"),
    ("999999999999999.5", "1000000000000000"),
])  # fmt: skip
def test_cells_hold_fifteen_digits_half_to_even(number: str, shown: str) -> None:
    assert to_cell(number) == shown
