from __future__ import annotations

import pytest

from economics.meters import CHILDREN, METERS, MeterKind, is_token_meter, root_of

# contract.md, "usage meters"
CONTRACT = {
    "input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "output_tokens",
    "reasoning_tokens", "citation_tokens", "input_audio_tokens", "output_audio_tokens", "input_image_tokens",
    "input_characters", "audio_seconds", "images", "pages", "requests", "web_searches", "storage_token_hours",
}  # fmt: skip


def test_every_meter_of_the_contract_exists() -> None:
    assert set(METERS) >= CONTRACT
    assert all(name == meter.name for name, meter in METERS.items())


@pytest.mark.parametrize(
    ("child", "parent"),
    [
        ("cache_read_tokens", "input_tokens"),
        ("cache_read_audio_tokens", "cache_read_tokens"),
        ("cache_write_tokens", "input_tokens"),
        ("cache_write_5m_tokens", "cache_write_tokens"),
        ("cache_write_1h_tokens", "cache_write_tokens"),
        ("cache_write_12h_tokens", "cache_write_tokens"),
        ("input_audio_tokens", "input_tokens"),
        ("input_image_tokens", "input_tokens"),
        ("reasoning_tokens", "output_tokens"),
        ("citation_tokens", "output_tokens"),
        ("output_audio_tokens", "output_tokens"),
    ],
)
def test_a_part_knows_its_whole_and_the_whole_its_parts(child: str, parent: str) -> None:
    assert METERS[child].parent == parent
    assert child in CHILDREN[parent]


def test_roots_are_the_two_directions_and_the_fees() -> None:
    assert root_of("cache_write_1h_tokens") == root_of("cache_read_tokens") == "input_tokens"
    assert root_of("citation_tokens") == "output_tokens"
    assert root_of("web_searches") == "web_searches"


def test_what_ends_in_tokens_is_a_token_meter_and_the_rest_are_fees() -> None:
    for name, meter in METERS.items():
        assert is_token_meter(name) is name.endswith("_tokens")
        assert (meter.kind is MeterKind.TOKEN) is is_token_meter(name)


@pytest.mark.parametrize(
    ("meter", "per"),
    [("input_tokens", 1_000_000), ("input_characters", 1_000_000), ("audio_seconds", 3_600), ("web_searches", 1_000)],
)
def test_rates_are_usually_per_what_vendors_publish_them_per(meter: str, per: int) -> None:
    assert METERS[meter].per == per
