"""Findings in sheets that can be read: each made once, and none in the shipped ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from economics.meters import METERS
from providers.checking import check_content
from providers.content import content_of
from providers.registry import Provider, built_in, parse_sheet

WHERE = "acme/rocket@default: "
STANDARD: dict[str, Any] = {"input_tokens": "1", "output_tokens": "4"}


def findings(*blocks: dict[str, Any], uplifts: tuple[dict[str, Any], ...] = (), **model: Any) -> list[str]:
    """Of a sheet whose one model has these blocks; a book named in one of them is there."""
    books = {str(block.get("book", "default")) for block in blocks} | {"default"}
    sheet = {
        "provider": "acme",
        "name": "Acme",
        "price_books": {book: {"currency": "USD"} for book in books},
        "sources": {"page": {"title": "Acme prices", "kind": "vendor_page", "retrieved_on": "2026-11-01"}},
        "context": {
            "processing": {"values": ["standard", "batch"], "default": "standard", "synonyms": {"bulk": "batch"}},
            "service_tier": {"values": ["standard", "flex"], "default": "standard"},
            "zone": {"values": ["us", "eu"]},
            "thinking_mode": {"values": ["true", "false"]},
            "cache_kind": {"values": ["explicit", "implicit"], "default": "implicit"},
        },
        "contradictions": [{"processing": "batch", "service_tier": "flex"}],
        "schedules": {"peak": {"timezone": "UTC", "windows": ["01:00-04:00"]}},
        "models": {"rocket": {"prices": [{"book": "default", "source": "page", **block} for block in blocks], **model}},
        "uplifts": [{"book": "default", "source": "page", **uplift} for uplift in uplifts],
    }
    return check_content(content_of(parse_sheet(json.dumps(sheet), "acme.yaml")))


def test_a_sound_sheet_has_no_finding() -> None:
    assert findings(
        {"to": "2026-07-30", "rates": STANDARD},
        {"from": "2026-07-30", "rates": {**STANDARD, "cache_read_tokens": "0.1", "cache_write_1h_tokens": "2"}},
        {"from": "2026-07-30", "above": "200000", "rates": {"input_tokens": "2"}},
        {"from": "2026-07-30", "schedule": "peak", "rates": {"input_tokens": "2"}},
        {"from": "2026-07-30", "when": {"processing": "batch"}, "rates": {"input_tokens": "0.5"}},
    ) == []  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({}, {}, id="both always"),
        pytest.param({}, {"from": "2026-07-30"}, id="the older was left open"),
        pytest.param({"to": "2026-07-30T00:00:01Z"}, {"from": "2026-07-30"}, id="one second"),
        pytest.param({"from": "2026-07-30"}, {"to": "2026-08-01"}, id="newer first"),
    ],
)
def test_overlap_in_time_is_found(first: dict[str, Any], second: dict[str, Any]) -> None:
    rates = {"input_tokens": "1"}
    found = findings({**first, "rates": rates}, {**second, "rates": rates})
    assert found == [f"{WHERE}two prices of input_tokens||| overlap in time"]


def test_overlap_is_found_between_rows_that_are_not_neighbours() -> None:
    found = findings(
        {"from": "2026-01-01", "to": "2026-03-01", "rates": {"input_tokens": "1"}},
        {"from": "2026-03-01", "to": "2026-05-01", "rates": {"input_tokens": "2"}},
        {"from": "2026-02-01", "to": "2026-02-02", "rates": {"input_tokens": "3"}},
    )
    assert found == [f"{WHERE}two prices of input_tokens||| overlap in time"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"above": "200000"}, id="another tier"),
        pytest.param({"when": {"service_tier": "flex"}}, id="another mode"),
        pytest.param({"schedule": "peak"}, id="a schedule"),
        pytest.param({"book": "cn"}, id="another book"),
    ],
)
def test_prices_of_different_slots_do_not_overlap(other: dict[str, Any]) -> None:
    rates = {"input_tokens": "1"}
    assert findings({"rates": rates}, {**other, "rates": rates}) == []


@pytest.mark.parametrize("values", [["batch", "standard"], ["standard", "batch"]])
def test_the_order_of_values_makes_no_other_slot(values: list[str]) -> None:
    found = findings(
        {"when": {"processing": ["standard", "batch"]}, "rates": {"input_tokens": "1"}},
        {"when": {"processing": values}, "rates": {"input_tokens": "1"}},
    )
    assert found == [f"{WHERE}two prices of input_tokens|processing=batch,standard|| overlap in time"]


def test_overlapping_uplifts_are_found() -> None:
    lift = {"when": {"processing": "batch"}, "factor": "1.1"}
    found = findings({"rates": STANDARD}, uplifts=(lift, {**lift, "from": "2026-07-30"}))
    assert found == [f"{WHERE}two prices of *|processing=batch|| overlap in time"]


@pytest.mark.parametrize(
    "child", sorted(m.name for m in METERS.values() if m.parent is not None and METERS[m.parent].parent is None)
)
def test_a_child_without_its_parent_is_found(child: str) -> None:
    parent = METERS[child].parent
    found = findings({"rates": {child: "1", "requests": "5"}})
    assert found == [f"{WHERE}{child} has a price and {parent}, of which it is a part, has none"]


def test_a_grandchild_may_stand_below_the_input_and_not_alone() -> None:
    assert findings({"rates": {"input_tokens": "1", "cache_write_1h_tokens": "2"}}) == []
    assert findings({"rates": {"cache_write_1h_tokens": "2"}}) == [
        f"{WHERE}cache_write_1h_tokens has a price and cache_write_tokens, of which it is a part, has none"
    ]


def test_a_parent_in_another_book_does_not_help() -> None:
    found = findings({"book": "cn", "rates": STANDARD}, {"rates": {"cache_read_tokens": "0.1"}})
    assert found == [f"{WHERE}cache_read_tokens has a price and input_tokens, of which it is a part, has none"]


@pytest.mark.parametrize("rate", ["1", "1.01", {"rate": "1001", "per": "1000000000"}, {"rate": "0.001", "per": "1000"}])
def test_a_batch_price_not_below_the_standard_is_found(rate: Any) -> None:
    found = findings({"rates": STANDARD}, {"when": {"processing": "batch"}, "rates": {"input_tokens": rate}})
    said = rate if isinstance(rate, str) else rate["rate"]
    assert found == [f"{WHERE}input_tokens: batch {said} is not below the standard 1"]


@pytest.mark.parametrize("rate", ["0.5", "0.999", "0", {"rate": "999", "per": "1000000000"}])
def test_a_cheaper_batch_price_is_sound(rate: Any) -> None:
    assert findings({"rates": STANDARD}, {"when": {"processing": "batch"}, "rates": {"input_tokens": rate}}) == []


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"above": "200000"}, id="long batch above short standard"),
        pytest.param({"to": "2026-01-01"}, id="another time"),
        pytest.param({"schedule": "peak"}, id="another schedule"),
    ],
)
def test_batch_is_compared_with_the_standard_of_its_own_tier_time_and_schedule(other: dict[str, Any]) -> None:
    found = findings(
        {"from": "2026-01-01", "rates": STANDARD},
        {"when": {"processing": "batch"}, "rates": {"input_tokens": "3"}, **other},
    )
    assert found == []


def test_a_cached_batch_price_at_the_standard_one_is_sound() -> None:
    rates = {**STANDARD, "cache_read_tokens": "0.1"}
    batch = {"input_tokens": "0.5", "output_tokens": "2", "cache_read_tokens": "0.1"}
    assert findings({"rates": rates}, {"when": {"processing": "batch"}, "rates": batch}) == []


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ({"processing": "overnight"}, "processing=overnight"),
        ({"processing": ["batch", "overnight"]}, "processing=batch|overnight"),
        ({"processing": "bulk"}, "processing=bulk"),  # a synonym is resolved before rows are looked at
        ({"speed": "fast"}, "speed=fast"),  # a context key, but none of this provider
    ],
)
def test_a_value_outside_the_vocabulary_is_found(when: dict[str, Any], said: str) -> None:
    found = findings({"rates": STANDARD}, {"when": when, "rates": {"input_tokens": "0.5"}})
    assert found == [f"{WHERE}input_tokens holds under {said}, which is not in the context vocabulary"]


@pytest.mark.parametrize("provider", list(built_in()), ids=lambda provider: provider.provider)
def test_the_shipped_sheets_have_no_finding(provider: Provider) -> None:
    assert check_content(provider.content()) == []


INPUT = {"rates": {"input_tokens": "1"}}
FEE = {"rates": {"web_searches": "10"}}


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        pytest.param({"thinking_mode": "true"}, {"cache_kind": "explicit"}, True, id="two details"),
        pytest.param({"thinking_mode": "true"}, {"thinking_mode": "false"}, False, id="two values of one key"),
        pytest.param({"zone": ["us", "eu"]}, {"zone": "eu"}, True, id="a value in both"),
        pytest.param({"processing": "batch"}, {"thinking_mode": "true"}, False, id="a mode that one does not mention"),
        pytest.param(
            {"processing": ["standard", "batch"]}, {"thinking_mode": "true"}, True, id="its default is mentioned"
        ),
        pytest.param({"zone": "eu"}, {"thinking_mode": "true"}, False, id="a mode without a default"),
        pytest.param({"processing": "batch"}, {"service_tier": "flex"}, False, id="never sold together"),
    ],
)
def test_equally_specific_rows_that_hold_together_are_found(
    first: dict[str, Any], second: dict[str, Any], together: bool
) -> None:
    standard = {"rates": {"input_tokens": "2"}}
    found = findings(standard, {"when": first, **INPUT}, {"when": second, **INPUT})
    assert [what for what in found if "hold equally" in what] == found
    assert len(found) == together
    apart = findings(
        standard, {"when": first, "to": "2026-07-30", **INPUT}, {"when": second, "from": "2026-07-30", **INPUT}
    )
    assert apart == []


def test_fees_hold_in_every_mode_and_so_more_often_together() -> None:
    batch, thinking = {"when": {"processing": "batch"}, **FEE}, {"when": {"thinking_mode": "true"}, **FEE}
    (found,) = findings(batch, thinking)
    assert "web_searches|processing=batch|| and web_searches|thinking_mode=true||" in found
    assert findings(batch, {**thinking, "when": {"thinking_mode": "true", "processing": "standard"}}) == []


def test_fees_in_modes_that_are_never_sold_together_are_sound() -> None:
    batch, flex = {"when": {"processing": "batch"}, **FEE}, {"when": {"service_tier": "flex"}, **FEE}
    assert findings(batch, flex) == []


def test_factors_that_hold_together_are_found() -> None:
    eu, flex = {"when": {"zone": "eu"}, "factor": "1.1"}, {"when": {"service_tier": "flex"}, "factor": "0.5"}
    assert findings(INPUT, uplifts=(eu, flex)) == [
        f"{WHERE}two factors hold at one time: zone=eu and service_tier=flex"
    ]
    assert findings(INPUT, uplifts=({**eu, "to": "2026-07-30"}, {**flex, "from": "2026-07-30"})) == []
    assert findings(INPUT, uplifts=(eu, {"when": {"zone": "us"}, "factor": "1.2"})) == []


@pytest.mark.parametrize(
    ("up_to", "start", "found"),
    [
        ("128000", {"above": "128000"}, False),
        ("128001", {"above": "128000"}, True),
        ("128000", {"at_least": "128000"}, True),
        ("127999", {"at_least": "128000"}, False),
        ("999999", {"above": "128000", "when": {"processing": "batch"}}, False),
    ],
)
def test_a_tier_that_reaches_into_the_next_is_found(up_to: str, start: dict[str, Any], found: bool) -> None:
    said = findings({"up_to": up_to, **INPUT}, {**start, "rates": {"input_tokens": "0.9"}})
    assert said == ([f"{WHERE}input_tokens: the tier up to {up_to} reaches into the one from 128000"] if found else [])


def test_conditions_that_are_never_sold_together_are_found() -> None:
    when = {"processing": "batch", "service_tier": "flex"}
    assert findings(INPUT, {"when": when, "rates": {"input_tokens": "0.5"}}) == [
        f"{WHERE}input_tokens holds under processing=batch;service_tier=flex, which are not sold together"
    ]


def test_a_price_that_begins_after_the_model_was_withdrawn_is_found() -> None:
    blocks = {"to": "2026-10-01", **INPUT}, {"from": "2026-10-01", **INPUT}
    assert findings(*blocks, retired_on="2026-10-02") == []
    assert findings(*blocks, retired_on="2026-10-01") == [
        f"{WHERE}a price of input_tokens||| begins at 2026-10-01T00:00:00Z, after the model was withdrawn"
    ]


@pytest.mark.parametrize(
    ("rate", "power"), [("100", 2), ("0.0099", 2), ("1020", 3), ("90", None), ("10", None), ("0", None)]
)
def test_a_unit_mistaken_for_another_is_found(rate: str, power: int | None) -> None:
    """Cohere's embed-multilingual-light-v3.0 at 100 instead of 0.1 in one public map."""
    found = findings({"to": "2026-07-30", **INPUT}, {"from": "2026-07-30", "rates": {"input_tokens": rate}})
    assert [what.rpartition(" ")[2] for what in found] == ([] if power is None else [f"10^{power}"])


def test_a_price_that_is_said_to_be_unknown_and_is_there_is_found() -> None:
    batch = {"when": {"processing": "batch"}, "rates": {"input_tokens": "0.5"}}
    gap = {"when": {"processing": "batch"}, "source": "page"}
    assert findings(INPUT, unpriced=[gap]) == []
    assert findings(INPUT, batch, unpriced=[gap]) == [
        f"{WHERE}the price is unknown under processing=batch, and there is one: input_tokens|processing=batch||"
    ]
    assert findings(INPUT, {"to": "2026-07-30", **batch}, unpriced=[{**gap, "from": "2026-07-30"}]) == []
    (found,) = findings(INPUT, unpriced=[{"when": {"speed": "fast"}, "source": "page"}])
    assert "speed=fast" in found
