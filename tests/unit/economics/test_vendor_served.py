"""What vendors' usage objects say was served."""

from __future__ import annotations

from typing import Any

import pytest

from economics.errors import PermillionError
from economics.vendor_usage import recognise_format, served_by_vendor


@pytest.mark.parametrize(
    ("usage_format", "said", "served"),
    [
        ("anthropic", {"speed": "fast"}, {"speed": "fast"}),
        ("anthropic", {"speed": "standard"}, {"speed": "standard"}),
        ("anthropic", {"inference_geo": "us"}, {"inference_geo": "us"}),
        ("anthropic", {"inference_geo": "global"}, {"inference_geo": "global"}),
        ("anthropic", {"inference_geo": "not_available"}, {}),
        ("anthropic", {"inference_geo": ""}, {}),
        ("anthropic", {"service_tier": "batch"}, {"processing": "batch"}),
        ("anthropic", {"service_tier": "standard"}, {}),
        ("anthropic", {"service_tier": None, "speed": None, "inference_geo": None}, {}),
        ("openai", {"service_tier": "default"}, {"service_tier": "standard"}),
        ("openai", {"service_tier": "flex"}, {"service_tier": "flex"}),
        ("openai", {"service_tier": "priority"}, {"service_tier": "priority"}),
        ("openai", {"service_tier": "fast"}, {"service_tier": "priority"}),
        ("openai", {"speed": "fast", "search_context_size": "high"}, {}),
        ("google", {"serviceTier": "standard"}, {"service_tier": "standard"}),
        ("google", {"service_tier": "flex"}, {"service_tier": "flex"}),
        ("google", {"serviceTier": "priority", "trafficType": "ON_DEMAND_PRIORITY"}, {"service_tier": "priority"}),
        ("google", {"serviceTier": "unspecified"}, {}),
        ("xai", {"service_tier": "default"}, {"service_tier": "standard"}),
        ("xai", {"service_tier": "priority"}, {"service_tier": "priority"}),
        ("perplexity", {"search_context_size": "low"}, {"search_context": "low"}),
        ("perplexity", {"search_context_size": "medium"}, {"search_context": "medium"}),
        ("perplexity", {"search_context_size": "high"}, {"search_context": "high"}),
        ("perplexity", {"search_context_size": None}, {}),
        ("nobody", {"service_tier": "batch"}, {}),
    ],
)
def test_what_is_said(usage_format: str, said: dict[str, Any], served: dict[str, str]) -> None:
    assert served_by_vendor(usage_format, said) == served


def test_all_of_it_is_said() -> None:
    given = {"service_tier": "batch", "speed": "standard", "inference_geo": "us"}
    assert served_by_vendor("anthropic", given) == {"processing": "batch", "speed": "standard", "inference_geo": "us"}


@pytest.mark.parametrize(
    ("usage_format", "name", "value", "slug"),
    [
        ("anthropic", "service_tier", "priority", "not-offered"),
        ("openai", "service_tier", "scale", "not-offered"),
        ("google", "traffic_type", "PROVISIONED_THROUGHPUT", "not-offered"),
        ("anthropic", "service_tier", "flex", "invalid-usage"),
        ("anthropic", "speed", "Fast", "invalid-usage"),
        ("anthropic", "speed", ["fast"], "invalid-usage"),
        ("anthropic", "speed", {"fast": 1}, "invalid-usage"),
        ("anthropic", "speed", "", "invalid-usage"),
        ("anthropic", "inference_geo", "eu", "invalid-usage"),
        ("openai", "service_tier", "auto", "invalid-usage"),
        ("openai", "service_tier", 1, "invalid-usage"),
        ("google", "serviceTier", "turbo", "invalid-usage"),
        ("perplexity", "search_context_size", "huge", "invalid-usage"),
    ],
)
def test_what_nobody_knows_or_sells_by_the_token_is_refused(
    usage_format: str, name: str, value: Any, slug: str
) -> None:
    with pytest.raises(PermillionError, match=name) as caught:
        served_by_vendor(usage_format, {name: value})
    assert (caught.value.slug, caught.value.pointer) == (slug, f"/vendor_usage/{name}")


def test_what_the_caller_states_is_not_read() -> None:
    given = {"service_tier": "priority", "speed": "warp", "inference_geo": "us"}
    assert served_by_vendor("anthropic", given, {"processing": "standard", "speed": "fast"}) == {"inference_geo": "us"}
    assert served_by_vendor("google", {"trafficType": "PROVISIONED_THROUGHPUT"}, ["service_tier"]) == {}


def test_a_tier_and_a_type_of_traffic_agree() -> None:
    with pytest.raises(PermillionError) as caught:
        served_by_vendor("google", {"serviceTier": "priority", "trafficType": "ON_DEMAND"})
    assert (caught.value.slug, caught.value.pointer) == ("invalid-usage", "/vendor_usage/serviceTier")


def test_two_spellings_of_a_traffic_type_agree() -> None:
    same = {"trafficType": "ON_DEMAND_FLEX", "traffic_type": "ON_DEMAND_FLEX"}
    assert served_by_vendor("google", same) == {"service_tier": "flex"}
    with pytest.raises(PermillionError) as caught:
        served_by_vendor("google", {**same, "traffic_type": "ON_DEMAND"})
    assert (caught.value.slug, caught.value.pointer) == ("invalid-usage", "/vendor_usage/traffic_type")


@pytest.mark.parametrize(
    ("given", "usage_format"),
    [
        ({"prompt_tokens": 9, "search_context_size": "low"}, "perplexity"),
        ({"prompt_tokens": 9, "num_search_queries": 1}, "perplexity"),
        ({"input_tokens": 9, "speed": "fast"}, "anthropic"),
        ({"input_tokens": 9, "inference_geo": "us"}, "anthropic"),
        ({"input_tokens": 9, "cache_creation": {}}, "anthropic"),
    ],
)
def test_a_format_is_recognised_by_what_it_says_was_served(given: dict[str, Any], usage_format: str) -> None:
    assert recognise_format(given) == usage_format
