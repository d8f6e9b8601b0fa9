from __future__ import annotations

from datetime import UTC, datetime

import pytest

from economics.periods import Period, format_instant, parse_instant
from tests.unit.economics.building import period, refused


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-07-30T00:00:00+10:00", datetime(2026, 7, 29, 14, tzinfo=UTC)),
        ("2026-08-17T00:00:00+08:00", datetime(2026, 8, 16, 16, tzinfo=UTC)),  # Beijing midnight
        ("2026-12-31T23:30:00-01:00", datetime(2027, 1, 1, 0, 30, tzinfo=UTC)),
        ("2026-11-30T05:45:00+05:45", datetime(2026, 11, 30, tzinfo=UTC)),  # Kathmandu
        ("2026-11-30T12:00:00Z", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("2026-11-30t12:00:00z", datetime(2026, 11, 30, 12, tzinfo=UTC)),  # RFC 3339 allows small letters
        ("2026-11-30T12:00:00.5Z", datetime(2026, 11, 30, 12, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-11-30T12:00:00-00:00", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),  # a date alone is 00:00Z
        ("2028-02-29", datetime(2028, 2, 29, tzinfo=UTC)),
    ],
)
def test_an_instant_is_read_with_its_offset(text: str, utc: datetime) -> None:
    found = parse_instant(text)
    assert found == utc
    assert found.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T12:00:00", "2026-11-30T12:00Z", "2026-11-30 12:00:00Z", "2026-11-30T12:00:00 Z", "2026-11-30T24:00:00Z",
        "2026-11-30T00:00:60Z", "2026-02-29", "2026-13-01", "2026-00-01", "0000-01-01", "20261130", "2026-W48-1", "30.11.2026",
        "11/30/2026", "２０２６-11-30", " 2026-11-30", "2026-11-30\n", "now", "", "1764460800", "2026-11-30T12:00:00+24:00",
        "2026-11-30T12:00:00+0100", "2026-11-30T12:00:00CET", "0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00",
    ],
)  # fmt: skip
def test_what_names_no_instant_is_refused(text: str) -> None:
    with refused("invalid-fields"):
        parse_instant(text)


def test_an_offset_has_at_most_59_minutes() -> None:
    """RFC 3339: time-minute is 00-59, in the offset too."""
    with refused("invalid-fields"):
        parse_instant("2026-11-30T12:00:00+10:99")


def test_an_instant_is_printed_in_utc() -> None:
    assert format_instant(parse_instant("2026-08-17T00:00:00+08:00")) == "2026-08-16T16:00:00Z"
    assert format_instant(parse_instant("2026-11-30T12:00:00.25Z")) == "2026-11-30T12:00:00.250000Z"


def test_the_first_instant_is_in_and_the_last_is_not() -> None:
    promotion = period("2026-10-20", "2026-10-29")
    assert not promotion.contains(parse_instant("2026-10-19T23:59:59.999999Z"))
    assert promotion.contains(parse_instant("2026-10-20T00:00:00Z"))
    assert promotion.contains(parse_instant("2026-10-28T23:59:59.999999Z"))
    assert not promotion.contains(parse_instant("2026-10-29T00:00:00Z"))


def test_a_missing_bound_is_no_bound() -> None:
    assert period(None, "2026-01-01").contains(datetime(1, 1, 1, tzinfo=UTC))
    assert period("2026-01-01").contains(datetime(9999, 12, 31, tzinfo=UTC))
    assert Period().contains(datetime(2026, 1, 1, tzinfo=UTC))


def test_neighbours_do_not_overlap_and_a_shared_second_does() -> None:
    before, after = period(None, "2026-08-21"), period("2026-08-21")
    assert not before.overlaps(after)
    assert not after.overlaps(before)
    assert period(None, "2026-08-21T00:00:01Z").overlaps(after)
    assert Period().overlaps(before)
    assert period("2026-01-01", "2026-12-31").overlaps(period("2026-06-01", "2026-06-02"))
    assert not period("2026-01-01", "2026-02-01").overlaps(period("2026-03-01", "2026-04-01"))


@pytest.mark.parametrize("end", ["2026-10-20", "2026-10-19T23:59:59Z"])
def test_a_period_ends_after_it_starts(end: str) -> None:
    with refused("invalid-fields"):
        period("2026-10-20", end)
