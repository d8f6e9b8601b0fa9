from __future__ import annotations

import pytest

from economics.context import ContextKey, Vocabulary, format_context
from economics.errors import PermillionError
from tests.unit.economics.building import VOCABULARY, refused

OPENAI = Vocabulary(
    {
        "processing": ContextKey(("standard", "batch"), "standard"),
        "service_tier": ContextKey(("standard", "flex", "priority"), "standard", {"fast": "priority"}),
        "zone": ContextKey(("us", "eu")),
    },
    ({"processing": ("batch",), "service_tier": ("flex", "priority")},),
)


def test_stated_defaults_are_filled_in_and_a_key_without_one_stays_absent() -> None:
    assert OPENAI.resolve({}) == {"processing": "standard", "service_tier": "standard"}
    assert OPENAI.resolve({"zone": "us"})["zone"] == "us"


def test_fast_is_the_name_of_priority_since_2026() -> None:
    assert OPENAI.resolve({"service_tier": "fast"})["service_tier"] == "priority"


@pytest.mark.parametrize("value", ["Batch", "prioritty", "", "batch ", "standard;batch"])
def test_an_unknown_value_is_refused_naming_the_allowed_ones(value: str) -> None:
    """genai-prices ignores `Batch` and `prioritty` silently and answers the standard price."""
    with pytest.raises(PermillionError) as caught:
        OPENAI.resolve({"service_tier": value})
    assert (caught.value.slug, caught.value.pointer) == ("unknown-context", "/context/service_tier")
    assert all(name in caught.value.detail for name in ("standard", "flex", "priority", "fast"))
    if value:
        assert value not in caught.value.detail.split("allowed")[0]


@pytest.mark.parametrize("name", ["speed", "Processing", "price_book", "", "tier"])
def test_an_unknown_key_is_refused_naming_the_allowed_ones(name: str) -> None:
    with refused("unknown-context", "processing, service_tier, zone"):
        OPENAI.resolve({name: "standard"})


def test_a_provider_without_context_says_so() -> None:
    with refused("unknown-context", "none"):
        Vocabulary({}).resolve({"processing": "batch"})


@pytest.mark.parametrize("tier", ["flex", "priority", "fast"])
def test_batch_and_a_service_tier_contradict_each_other(tier: str) -> None:
    """genai-prices resolves batch + priority by first match; we refuse, under either name of the tier."""
    with refused("contradictory-context", "processing=batch and service_tier="):
        OPENAI.resolve({"processing": "batch", "service_tier": tier})


def test_values_that_stand_together_are_fine() -> None:
    assert OPENAI.resolve({"processing": "batch", "service_tier": "standard"})["processing"] == "batch"
    assert OPENAI.resolve({"processing": "standard", "service_tier": "flex"})["service_tier"] == "flex"


def test_claude_fast_mode_does_not_stack_with_batch() -> None:
    with refused("contradictory-context"):
        VOCABULARY.resolve({"processing": "batch", "speed": "fast"})


def test_a_contradiction_may_rest_on_a_default() -> None:
    needs_zone = Vocabulary(
        {"deployment": ContextKey(("global", "data_zone"), "global"), "zone": ContextKey(("us", "eu"))},
        ({"deployment": ("global",), "zone": ("us", "eu")},),
    )
    with refused("contradictory-context"):
        needs_zone.resolve({"zone": "eu"})
    assert needs_zone.resolve({"zone": "eu", "deployment": "data_zone"})["zone"] == "eu"


def test_what_the_caller_gave_and_the_defaults_are_not_changed() -> None:
    given = {"service_tier": "fast"}
    OPENAI.resolve(given)["zone"] = "us"
    assert given == {"service_tier": "fast"}
    assert "zone" not in OPENAI.resolve({})


def test_the_canonical_text_has_its_keys_in_alphabetical_order() -> None:
    assert format_context({"zone": "us", "deployment": "data_zone", "processing": "standard"}) == (
        "deployment=data_zone;processing=standard;zone=us"
    )
    assert format_context({}) == ""
