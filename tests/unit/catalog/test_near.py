"""Near names: useful, few, bounded in work, and never the caller's own text back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from catalog.near import MAX_ECHO, NearNames, printable

NAMES = [
    f"{family}-{number}{size}" for family in ("gpt", "claude", "Qwen") for number in range(40) for size in ("", "-mini")
]


def test_a_slip_of_the_finger_finds_the_name() -> None:
    near = NearNames(NAMES)
    assert near.near("gtp-12-mini")[0] == "gpt-12-mini"
    assert near.near("qwen3")[0] == "Qwen-3"
    assert near.near("CLAUDE_7")[0] == "claude-7"
    assert near.near("zzzzzz") == []
    assert near.near("") == []


@given(st.text(max_size=300))
def test_only_known_names_and_at_most_three(asked: str) -> None:
    found = NearNames(NAMES).near(asked)
    assert len(found) <= 3
    assert set(found) <= set(NAMES)


@given(st.text())
def test_what_is_echoed_is_short_printable_ascii(sent: str) -> None:
    shown = printable(sent)
    assert len(shown) <= MAX_ECHO
    assert shown.isascii()
    assert shown.isprintable()
