"""What every reader promises of broken files: rows, refusals or `invalid-feed`, and no other exception."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st

from economics.errors import PermillionError
from providers.feeds.reading import REASONS, Feed, FeedReading

RETRIEVED_ON = date(2026, 11, 30)

ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(10**20), max_value=10**20)
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.sampled_from(["", "0", "-1", "1e5", "NaN", "1K", "USD", "2026-07-01T00:00:00Z", "9999-99-99T00:00:00Z"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, by the keys that lead to it."""
    found = [here]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*here, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += places(inner, (*here, index))
    return found


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """`value` with what stands at `place` replaced."""
    if not place:
        return new
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[place[0]] = replaced(value[place[0]], place[1:], new)
    return copy


def read_or_refuse(feed: Feed, content: bytes) -> FeedReading | None:
    """The reading, or None where the whole file is refused as the interface allows; what it yields is whole."""
    try:
        found = feed.read(content, RETRIEVED_ON)
    except PermillionError as error:
        assert error.slug == "invalid-feed"
        return None
    assert {refusal.reason for refusal in found.refused} <= set(REASONS)
    assert all(refusal.detail and refusal.upstream_id for refusal in found.refused)
    for row in found.rows:
        assert row.row.provenance.source in found.sources
        assert row.row.rate.is_finite()
        assert row.free or row.row.rate > 0
    return found
