from __future__ import annotations

from decimal import Decimal

import pytest

from economics.errors import PermillionError
from economics.usage import billed_quantities, complete_usage
from tests.unit.economics.building import refused

ALL = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
)


def test_a_left_out_parent_is_the_sum_of_its_children() -> None:
    assert complete_usage({"cache_write_5m_tokens": 2, "cache_write_1h_tokens": 3, "input_tokens": 10}) == {
        "cache_write_5m_tokens": 2, "cache_write_1h_tokens": 3, "input_tokens": 10, "cache_write_tokens": 5,
    }  # fmt: skip
    assert complete_usage({"cache_read_tokens": 4, "cache_write_1h_tokens": 3})["input_tokens"] == 7
    assert complete_usage({"reasoning_tokens": 4, "citation_tokens": 1})["output_tokens"] == 5


def test_a_stated_parent_is_kept_and_its_remainder_stays_its_own() -> None:
    assert complete_usage({"cache_write_tokens": 10, "cache_write_1h_tokens": 3, "input_tokens": 10}) == {
        "cache_write_tokens": 10, "cache_write_1h_tokens": 3, "input_tokens": 10,
    }  # fmt: skip


def test_what_the_caller_gave_is_not_changed() -> None:
    given = {"cache_read_tokens": 4}
    complete_usage(given)
    assert given == {"cache_read_tokens": 4}


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": 10, "cache_read_tokens": 11},
        {"input_tokens": 10, "cache_read_tokens": 6, "cache_write_tokens": 5},  # reads and writes are disjoint
        {"input_tokens": 10, "cache_read_tokens": 6, "cache_write_5m_tokens": 3, "cache_write_1h_tokens": 2},
        {"cache_write_tokens": 4, "cache_write_5m_tokens": 3, "cache_write_1h_tokens": 2, "input_tokens": 100},
        {"input_tokens": 0, "input_audio_tokens": 1},
        {"output_tokens": 10, "reasoning_tokens": 11},
        {"output_tokens": 10, "reasoning_tokens": 6, "citation_tokens": 5},
    ],
)
def test_children_above_their_parent_are_refused(usage: dict[str, int]) -> None:
    with refused("invalid-usage", "is more than"):
        complete_usage(usage)


def test_children_that_fill_their_parent_exactly_are_fine() -> None:
    assert complete_usage({"input_tokens": 10, "cache_read_tokens": 6, "cache_write_tokens": 4})["input_tokens"] == 10


@pytest.mark.parametrize("meter", ["input_tokens", "reasoning_tokens", "web_searches"])
def test_a_negative_count_is_refused_and_named(meter: str) -> None:
    """pydantic/genai-prices#334: an inclusive count taken for an exclusive one must not become a negative remainder."""
    with pytest.raises(PermillionError) as caught:
        complete_usage({meter: -1})
    assert (caught.value.slug, caught.value.pointer) == ("invalid-usage", f"/usage/{meter}")


def test_an_unknown_meter_is_refused_and_the_known_ones_are_named() -> None:
    """models.dev, trap 20: `cached_input` silently dropped."""
    with refused("unknown-meter", "cache_read_tokens"):
        complete_usage({"cached_input": 5})


def test_openai_reads_and_writes_are_disjoint_parts_of_the_input() -> None:
    """OpenAI's prompt-caching guide: 2,600 = 200 fresh + 2,000 read + 400 written."""
    usage = {"input_tokens": 2_600, "cache_read_tokens": 2_000, "cache_write_tokens": 400}
    assert billed_quantities(usage, ALL) == {"input_tokens": 200, "cache_read_tokens": 2_000, "cache_write_tokens": 400}


def test_conductor_427_a_cache_write_inside_the_input_is_not_input_again() -> None:
    billed = billed_quantities({"input_tokens": 18_973, "cache_write_tokens": 18_971}, ALL)
    assert billed == {"input_tokens": 2, "cache_write_tokens": 18_971}


def test_codex_plugin_22_cached_is_a_part_and_not_an_addition() -> None:
    billed = billed_quantities({"input_tokens": 117_231, "cache_read_tokens": 115_584}, ALL)
    assert billed == {"input_tokens": 1_647, "cache_read_tokens": 115_584}


def test_five_minute_and_one_hour_writes_leave_a_remainder_at_the_default() -> None:
    usage = {"input_tokens": 100, "cache_write_tokens": 60, "cache_write_5m_tokens": 20, "cache_write_1h_tokens": 30}
    assert billed_quantities(usage, ALL) == {
        "input_tokens": 40, "cache_write_tokens": 10, "cache_write_5m_tokens": 20, "cache_write_1h_tokens": 30,
    }  # fmt: skip


def test_a_child_without_a_price_stays_with_its_parent() -> None:
    """pydantic/genai-prices PR#354."""
    usage = {"input_tokens": 100, "cache_read_tokens": 30, "output_tokens": 50, "reasoning_tokens": 20}
    assert billed_quantities(usage, ("input_tokens", "output_tokens")) == {"input_tokens": 100, "output_tokens": 50}


def test_a_grandchild_with_a_price_leaves_the_grandparent_even_past_a_parent_without_one() -> None:
    usage = {"input_tokens": 100, "cache_write_tokens": 60, "cache_write_5m_tokens": 25, "cache_write_1h_tokens": 30}
    assert billed_quantities(usage, ("input_tokens", "cache_write_1h_tokens")) == {
        "input_tokens": 70, "cache_write_1h_tokens": 30,
    }  # fmt: skip


def test_a_five_minute_write_without_its_own_price_is_the_default_write() -> None:
    usage = {"input_tokens": 100, "cache_write_tokens": 55, "cache_write_5m_tokens": 25, "cache_write_1h_tokens": 30}
    assert billed_quantities(usage, ("input_tokens", "cache_write_tokens", "cache_write_1h_tokens")) == {
        "input_tokens": 45, "cache_write_tokens": 25, "cache_write_1h_tokens": 30,
    }  # fmt: skip


def test_a_parent_that_is_used_up_has_no_line() -> None:
    assert billed_quantities({"input_tokens": 30, "cache_read_tokens": 30}, ALL) == {"cache_read_tokens": 30}
    assert billed_quantities({"input_tokens": 0, "output_tokens": 0}, ALL) == {}


def test_a_root_without_a_price_keeps_what_remains_for_the_caller_to_refuse() -> None:
    assert billed_quantities({"input_tokens": 30, "cache_read_tokens": 10}, ("cache_read_tokens",)) == {
        "input_tokens": 20, "cache_read_tokens": 10,
    }  # fmt: skip


def test_weighted_and_measured_quantities_need_not_be_whole() -> None:
    usage = complete_usage({"input_tokens": Decimal("100.5"), "cache_read_tokens": Decimal("50.25")})
    assert billed_quantities(usage, ALL) == {"input_tokens": Decimal("50.25"), "cache_read_tokens": Decimal("50.25")}


AUDIO = {"input_tokens": 400, "cache_read_tokens": 254, "input_audio_tokens": 200, "cache_read_audio_tokens": 129}


@pytest.mark.parametrize(
    ("priced", "billed"),
    [
        # 400 − 254 − 200 + 129 = 75 are neither cached nor audio
        ("input_tokens cache_read_tokens input_audio_tokens cache_read_audio_tokens", (75, 125, 71, 129)),
        ("input_tokens cache_read_tokens input_audio_tokens", (75, 254, 71, 0)),
        ("input_tokens cache_read_tokens", (146, 254, 0, 0)),
        ("input_tokens input_audio_tokens", (200, 0, 200, 0)),
        ("input_tokens input_audio_tokens cache_read_audio_tokens", (200, 0, 71, 129)),
        ("input_tokens cache_read_audio_tokens", (271, 0, 0, 129)),
        ("input_tokens", (400, 0, 0, 0)),
    ],
)
def test_genai_prices_142_cached_audio_is_charged_once_whatever_is_priced(
    priced: str, billed: tuple[int, int, int, int]
) -> None:
    found = billed_quantities(complete_usage(AUDIO), priced.split())
    assert tuple(found.get(meter, 0) for meter in AUDIO) == billed


def test_cached_audio_counts_once_in_a_left_out_input_and_fills_left_out_wholes() -> None:
    parts = {"cache_read_tokens": 254, "input_audio_tokens": 200, "cache_read_audio_tokens": 129}
    assert complete_usage(parts)["input_tokens"] == 325
    alone = complete_usage({"cache_read_audio_tokens": 129})
    assert (alone["cache_read_tokens"], alone["input_audio_tokens"], alone["input_tokens"]) == (129, 129, 129)


@pytest.mark.parametrize("whole", ["cache_read_tokens", "input_audio_tokens"])
def test_cached_audio_above_either_of_its_wholes_is_refused(whole: str) -> None:
    with pytest.raises(PermillionError) as caught:
        complete_usage(AUDIO | {whole: 128})
    assert (caught.value.slug, caught.value.pointer) == ("invalid-usage", "/usage/cache_read_audio_tokens")


def test_parts_that_overlap_less_than_they_must_are_refused() -> None:
    """254 cached and 200 audio in 324 tokens share at least 130."""
    with pytest.raises(PermillionError):
        complete_usage(AUDIO | {"input_tokens": 324})
