"""What a feed's reader made of its file, before anything is published."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise

import pytest

from catalog.publishing.checks import NewBook, NewRow, check_rows
from economics.periods import Period
from economics.prices import PriceRow, Provenance, Tier
from providers.feeds.gathering import gather, one_line
from providers.feeds.reading import FeedReading, FeedRow, Refused
from providers.sheet import Source

DAY = date(2026, 11, 30)
JUNE, JULY, AUGUST = (datetime(2026, month, 1, tzinfo=UTC) for month in (6, 7, 8))
SOURCES = {"feed": Source(title="feed", kind="third_party", retrieved_on=DAY)}
ROW = FeedRow(
    "acme", "rocket", PriceRow("input_tokens", Decimal(3), 1_000_000, "USD", Provenance("feed", DAY)), "acme/rocket"
)


def priced(rate: str, period: Period = Period(), *, per: int = 1_000_000, model: str = "rocket") -> FeedRow:  # noqa: B008
    return replace(ROW, model=model, row=replace(ROW.row, rate=Decimal(rate), per=per, period=period))


def read(*rows: FeedRow) -> FeedReading:
    return gather(SOURCES, rows, [], len(rows))


def reasons(reading: FeedReading) -> list[str]:
    return [refused.reason for refused in reading.refused]


def test_two_rates_at_one_time_leave_the_first_and_refuse_the_second() -> None:
    reading = read(priced("3"), priced("4", model="ROCKET"), priced("5", model="sled"))
    assert [str(row.row.rate) for row in reading.rows] == ["3", "5"]
    assert reasons(reading) == ["overlap"]
    assert "4 USD" in reading.refused[0].detail
    assert "3 USD" in reading.refused[0].detail


def test_a_repeat_is_dropped_also_where_its_denominator_differs() -> None:
    reading = read(priced("3"), priced("3.0"), priced("0.003", per=1_000), priced("3", Period(JUNE, JULY)))
    assert len(reading.rows) == 1
    assert not reading.refused


def test_the_same_rate_for_more_time_is_no_repeat() -> None:
    reading = read(priced("3", Period(JUNE, JULY)), priced("3", Period(JUNE)))
    assert reasons(reading) == ["overlap"]


def test_neighbors_in_time_both_stay_in_any_order() -> None:
    periods = [Period(JULY, AUGUST), Period(None, JUNE), Period(AUGUST), Period(JUNE, JULY)]
    assert len(read(*(priced(str(n + 1), period) for n, period in enumerate(periods))).rows) == 4
    assert reasons(read(*(priced("1", p) for p in periods[:3]), priced("2", Period(None, JULY)))) == ["overlap"]


def test_a_zero_is_refused_unless_the_feed_calls_it_free() -> None:
    reading = read(priced("0"), replace(priced("0", model="gift"), free=True))
    assert reasons(reading) == ["zero-price"]
    assert [row.model for row in reading.rows] == ["gift"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (replace(ROW, provider="-acme"), "invalid-name"),
        (replace(ROW, model=""), "invalid-name"),
        (replace(ROW, model="a" * 201), "invalid-name"),
        (replace(ROW, model="rocket\ud800"), "invalid-name"),
        (replace(ROW, row=replace(ROW.row, currency="usd")), "missing-currency"),
        (replace(ROW, row=replace(ROW.row, provenance=Provenance("hearsay", DAY))), "malformed"),
        (replace(ROW, row=replace(ROW.row, rate=Decimal("Infinity"))), "not-a-number"),
        (replace(ROW, row=replace(ROW.row, rate=Decimal("1e18"))), "not-a-number"),
        (replace(ROW, row=replace(ROW.row, rate=Decimal("1e-31"))), "not-a-number"),
        (replace(ROW, row=replace(ROW.row, period=Period(datetime(1969, 1, 1, tzinfo=UTC)))), "malformed"),
        (replace(ROW, row=replace(ROW.row, period=Period(None, datetime(2200, 1, 1, tzinfo=UTC)))), "malformed"),
        (replace(ROW, row=replace(ROW.row, tier=Tier(10**15 + 1))), "malformed"),
        (replace(ROW, row=replace(ROW.row, conditions={"processing": ("in bulk",)})), "unknown-context"),
        (replace(ROW, row=replace(ROW.row, conditions={"processing": ()})), "unknown-context"),
    ],
)
def test_what_a_book_cannot_hold_is_refused_and_the_rest_stays(bad: FeedRow, reason: str) -> None:
    good = priced("7", model="sled")
    reading = read(bad, good)
    assert reasons(reading) == [reason]
    assert reading.rows == [good]
    reading.refused[0].upstream_id.encode()


def test_what_is_kept_can_be_published() -> None:
    long = replace(ROW, row=replace(ROW.row, provenance=Provenance("feed", DAY, note="two\nlines \x00" * 400)))
    kept = read(long, priced("1e-30", model="a/b:c@d"), priced("9e17", model="big")).rows
    book = NewBook("imported", None, "USD")
    assert len(check_rows(book, [NewRow(r.provider, r.model, None, r.row) for r in kept], {})) == 3


def test_only_sources_that_rows_name_are_kept() -> None:
    other = Source(title="other", kind="note", retrieved_on=DAY)
    assert list(gather({**SOURCES, "other": other}, [ROW], [], 1).sources) == ["feed"]


def test_names_of_a_refusal_can_be_printed() -> None:
    reading = gather(SOURCES, [], [Refused("a\ud800\n" * 500, "x\x1b[2J", "malformed", "\udfff?")], 1)
    refused = reading.refused[0]
    assert len(refused.upstream_id) <= 300
    assert f"{refused.upstream_id}{refused.where}{refused.detail}".isprintable()


def test_many_prices_of_one_slot_are_read_in_time() -> None:
    days = [datetime.fromtimestamp(86_400 * n, tz=UTC) for n in range(20_001)]
    rows = [priced("1", Period(start, end)) for start, end in pairwise(days)]
    assert len(read(*rows, *rows).rows) == 20_000


def test_a_note_is_one_printable_line_of_at_most_2000_characters() -> None:
    assert one_line("a\u2028b\tc") == "a b c"
    assert len(one_line("x" * 3_000)) == 2_000
