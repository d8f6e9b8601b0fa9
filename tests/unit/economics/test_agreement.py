"""When two sources agree; expected values follow from the thresholds of the note (1 %, 2x, 10^k within 2 %)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from economics.agreement import Pair, comparables, compare_prices, constant_ratio, worst
from economics.prices import PriceRow, PriceStatus, Provenance, Tier


def price(rate: str, per: int = 1_000_000, **more: object) -> PriceRow:
    return PriceRow("input_tokens", Decimal(rate), per, "USD", Provenance("page", None), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ours", "theirs", "status", "finding"),
    [
        ("1.00", "1.00", PriceStatus.OK, ""),
        ("1.00", "1.01", PriceStatus.OK, ""),  # exactly 1 % is not above it
        ("1.00", "1.0101", PriceStatus.DISPUTED, ""),
        ("1.0101", "1.00", PriceStatus.DISPUTED, ""),  # either may be the higher
        ("0.88", "1.04", PriceStatus.DISPUTED, ""),  # together llama-3.3-70b-turbo
        ("1.00", "2.00", PriceStatus.DISPUTED, ""),  # exactly 2x is not above it
        ("0.50", "2.00", PriceStatus.SUSPECT, ""),  # mistral-large-latest
        ("0.1", "100", PriceStatus.SUSPECT, "unit_slip"),  # cohere embed-multilingual-light-v3.0
        ("3", "0.003", PriceStatus.SUSPECT, "unit_slip"),
        ("1", "10", PriceStatus.SUSPECT, ""),  # k = 1 happens to prices; only k ≥ 2 is a slip
        ("0", "0.1", PriceStatus.SUSPECT, ""),
        ("0.1", "0", PriceStatus.SUSPECT, ""),
        ("0", "0", PriceStatus.OK, ""),
    ],
)
def test_a_price_against_another(ours: str, theirs: str, status: PriceStatus, finding: str) -> None:
    found = compare_prices(price(ours), price(theirs))
    assert (found.status, found.finding) == (status, finding)


def test_prices_with_other_denominators_are_compared_per_unit() -> None:
    assert compare_prices(price("3"), price("0.003", 1_000)).status is PriceStatus.OK
    assert compare_prices(price("3"), price("0.003", 1_000)).ratio == 1


def test_a_tier_is_the_same_however_its_bound_is_written() -> None:
    at, above = price("4", tier=Tier(200_000, True)), price("4", tier=Tier(199_999))
    assert list(comparables(at)) == list(comparables(above)) != list(comparables(price("4", tier=Tier(200_000))))


def test_a_rate_for_several_values_compares_with_each() -> None:
    both = price("1", conditions={"data_residency": ("us", "eu"), "processing": ("batch",)})
    assert {dict(context)["data_residency"] for _, context, _ in comparables(both)} == {"us", "eu"}
    assert list(comparables(price("1", schedule="night"))) == []


def pairs(step: str = "0.01", **rates: tuple[str, str]) -> dict[str, list[Pair]]:
    """One pair a model, of prices printed to the same step."""
    return {
        name: [Pair(Fraction(ours), Fraction(theirs), Fraction(step), Fraction(step))]
        for name, (ours, theirs) in rates.items()
    }


# OVHcloud in genai-prices 0.2.3 and in LiteLLM 1.110.2: the same prices in dollars and, it seems, in euros
OVH = pairs(
    r1=("0.74", "0.67"), llama=("0.11", "0.10"), qwen=("1.01", "0.91"), nemo=("0.14", "0.13"), small=("0.31", "0.28")
)


def test_a_currency_taken_for_another_shows_as_one_ratio_through_the_rounding() -> None:
    found = constant_ratio(OVH)
    assert found is not None
    # 0.91 for 1.01 allows 0.896 to 0.911, 0.67 for 0.74 0.893 to 0.918, 0.13 for 0.14 0.862 to 1, 0.28 for 0.31 0.873 to 0.934
    assert Fraction("0.896") < found < Fraction("0.911")


def test_what_moved_by_itself_is_no_constant_ratio() -> None:
    assert constant_ratio({**OVH, **pairs(a=("1", "0.5"), b=("2", "1.9"))}) is None  # 5 of 7 is less than four fifths
    assert constant_ratio({**OVH, **pairs(a=("1.00", "0.50"))}) is not None  # 5 of 6 is more
    assert constant_ratio(pairs(a=("1.00", "0.50"), b=("2.00", "1.90"), c=("3.00", "3.00"))) is None
    assert (
        constant_ratio(pairs(a=("1.00", "1.00"), b=("2.00", "2.00"), c=("7.00", "7.00"))) is None
    )  # agreement is no finding
    two = pairs(a=("8.00", "1.103"), b=("28.00", "3.862"), step="0.001")
    assert constant_ratio(two) is None  # two models may change together
    zhipu = {"glm-5.3": [*two["a"], *two["b"]], "flash": pairs(x=("0.80", "0.110"), step="0.001")["x"]}
    found = constant_ratio(zhipu, models=2)  # the yuan prices of zhipu at 7.25 a dollar
    assert found is not None
    assert abs(found * Fraction("7.25") - 1) < Fraction("0.005")


def test_the_worst_status_counts() -> None:
    assert worst([PriceStatus.DISPUTED, PriceStatus.OK, PriceStatus.STALE]) is PriceStatus.DISPUTED
    assert worst([]) is PriceStatus.OK
