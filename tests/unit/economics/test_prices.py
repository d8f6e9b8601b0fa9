from __future__ import annotations

import pytest

from economics.prices import Tier, slot_text
from tests.unit.economics.building import price, refused, uplift


@pytest.mark.parametrize(
    ("tier", "tokens", "holds"),
    [
        (Tier(272_000), 272_000, False),  # OpenAI, Google, Anthropic: above
        (Tier(272_000), 272_001, True),
        (Tier(200_000, True), 199_999, False),  # xAI: at
        (Tier(200_000, True), 200_000, True),
        (Tier(None), 0, True),
        (Tier(0), 0, False),
        (Tier(0, True), 0, True),
        (Tier(32_000, max_input_tokens=128_000), 32_000, False),  # Alibaba: (lo, hi]
        (Tier(32_000, max_input_tokens=128_000), 32_001, True),
        (Tier(32_000, max_input_tokens=128_000), 128_000, True),
        (Tier(32_000, max_input_tokens=128_000), 128_001, False),
        (Tier(max_input_tokens=200_000), 200_000, True),
        (Tier(max_input_tokens=200_000), 200_001, False),
    ],
)
def test_bounds_of_a_tier(tier: Tier, tokens: int, *, holds: bool) -> None:
    assert tier.holds(tokens) is holds


def test_tiers_are_ordered_by_where_they_start() -> None:
    tiers = [Tier(200_000), Tier(), Tier(0, True), Tier(200_000, True), Tier(128_000)]
    assert sorted(tiers, key=lambda tier: tier.rank) == [
        Tier(), Tier(0, True), Tier(128_000), Tier(200_000, True), Tier(200_000),
    ]  # fmt: skip


def test_half_a_thousand_k_is_not_one_number() -> None:
    """MiniMax: "512k" is 512,000 at the vendor and 524,288 at a reseller."""
    assert Tier(512_000).holds(520_000)
    assert not Tier(524_288).holds(520_000)


def test_a_rate_is_not_negative() -> None:
    """getagentseal/codeburn PR#457: OpenRouter's −1 is a sentinel, not a price."""
    with refused("invalid-fields", "negative"):
        price("input_tokens", "-1")
    assert price("input_tokens", "0").rate == 0  # free is a price


def test_a_rate_is_per_at_least_one() -> None:
    with refused("invalid-fields", "per"):
        price("input_tokens", "1", per=-1)


def test_a_rate_is_on_a_known_meter_under_known_keys() -> None:
    with refused("unknown-meter"):
        price("image", "1", per=1)
    with refused("unknown-context"):
        price("input_tokens", "1", when={"tier": "flex"})


def test_an_uplift_is_positive_and_has_a_context() -> None:
    with refused("invalid-fields", "positive"):
        uplift("0", data_residency="eu")
    with refused("invalid-fields", "positive"):
        uplift("-1.1", data_residency="eu")
    with refused("invalid-fields", "context"):
        uplift("1.1")
    with refused("unknown-context"):
        uplift("1.1", residency="eu")


def test_a_slot_is_what_the_row_is_the_price_of_and_not_when() -> None:
    row = price("input_tokens", "2", when={"service_tier": "flex", "processing": "standard"}, at_least=200_000)
    same = price(
        "input_tokens",
        "3",
        when={"processing": "standard", "service_tier": "flex"},
        at_least=200_000,
        start="2026-01-01",
    )
    assert row.slot == same.slot
    others = [
        price("output_tokens", "2", when={"service_tier": "flex", "processing": "standard"}, at_least=200_000),
        price("input_tokens", "2", when={"service_tier": "flex"}, at_least=200_000),
        price("input_tokens", "2", when={"service_tier": "flex", "processing": "standard"}, above=200_000),
        price("input_tokens", "2", when={"service_tier": "flex", "processing": "standard"}),
        price(
            "input_tokens",
            "2",
            when={"service_tier": "flex", "processing": "standard"},
            at_least=200_000,
            schedule="peak",
        ),
    ]
    assert len({row.slot, *(other.slot for other in others)}) == 6


def test_a_slot_names_an_output_bound_where_there_is_one() -> None:
    assert (
        slot_text("output_tokens", {}, Tier(32_000, True, None, 200), "peak")
        == "output_tokens||>=32000&output>200|peak"
    )
    assert slot_text("output_tokens", {}, Tier(32_000, True), None) == "output_tokens||>=32000|"


def test_values_of_a_condition_have_no_order() -> None:
    assert (
        price("input_tokens", "2", when={"zone": ("us", "eu")}).slot
        == price("input_tokens", "2", when={"zone": ("eu", "us")}).slot
    )
    assert uplift("1.1", zone=("us", "eu")).slot == uplift("1.2", zone=("eu", "us")).slot
