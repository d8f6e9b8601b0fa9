"""Valid time without SQL, against a naive look at every instant."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from catalog.corrections import Believed, correct, first_overlap, start_of
from economics.periods import Period
from economics.prices import PriceRow, Provenance

START = datetime(2026, 1, 1, tzinfo=UTC)
ROW = PriceRow("input_tokens", Decimal(0), 1_000_000, "USD", Provenance("contract", None))


def day(number: int) -> datetime:
    return START + timedelta(days=number)


@st.composite
def periods(draw: st.DrawFn) -> Period:
    start = draw(st.none() | st.integers(0, 18))
    end = draw(st.none() | st.integers(19 if start is None else start + 1, 20)) if start is not None else None
    if start is None and draw(st.booleans()):
        end = draw(st.integers(0, 20))
    return Period(None if start is None else day(start), None if end is None else day(end))


INSTANTS = [day(number) + timedelta(hours=hour) for number in range(-1, 22) for hour in (0, 23)]


@given(st.lists(periods(), max_size=6))
def test_an_overlap_is_found_if_and_only_if_there_is_one(some: list[Period]) -> None:
    pairs = {
        (i, j)
        for i in range(len(some))
        for j in range(i + 1, len(some))
        if any(some[i].contains(at) and some[j].contains(at) for at in INSTANTS)
    }
    found = first_overlap(("slot", period) for period in some)
    assert (found is None) == (not pairs)
    assert found is None or found in pairs
    assert first_overlap((position, period) for position, period in enumerate(some)) is None


@given(st.lists(periods(), min_size=1, max_size=8))
def test_after_any_corrections_each_instant_has_the_latest_price_said_for_it(said: list[Period]) -> None:
    believed: list[Believed] = []
    rows = [replace(ROW, rate=Decimal(number), period=period) for number, period in enumerate(said, start=1)]
    for number, row in enumerate(rows, start=1):
        before = believed
        believed, gone = correct(believed, row)
        believed = [replace(b, row_id=number) if b.row is row else b for b in believed]
        assert all(old in before and old.row.period.overlaps(row.period) for old in gone)
        assert [old for old in before if old not in gone] == [old for old in believed if old in before]
    assert first_overlap(("slot", b.row.period) for b in believed) is None
    assert believed == sorted(believed, key=start_of)
    for at in INSTANTS:
        wanted = next((row.rate for row in reversed(rows) if row.period.contains(at)), None)
        assert [b.row.rate for b in believed if b.row.period.contains(at)] == ([] if wanted is None else [wanted])


def test_a_remainder_keeps_source_and_price_and_is_not_recorded_yet() -> None:
    old = replace(ROW, rate=Decimal(2), start_known=False, period=Period(day(0), day(9)))
    left, new, right = correct([Believed(old, 7)], replace(ROW, period=Period(day(3), day(4))))[0]
    assert (left.row, left.row_id) == (replace(old, period=Period(day(0), day(3))), None)
    assert (right.row, right.row_id) == (replace(old, period=Period(day(4), day(9)), start_known=True), None)
    assert new.row_id is None
