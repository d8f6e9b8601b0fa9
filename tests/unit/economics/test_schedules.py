from __future__ import annotations

from datetime import date, time

import pytest

from economics.periods import parse_instant
from economics.schedules import Schedule

WORKDAYS = ("mon", "tue", "wed", "thu", "fri")
# DeepSeek: 09:00-12:00 and 14:00-18:00 in Beijing, that is 01:00-04:00 and 06:00-10:00 UTC; National Day 2026 is off
PEAK = Schedule(
    "peak",
    "Asia/Shanghai",
    ((time(9), time(12)), (time(14), time(18))),
    WORKDAYS,
    frozenset({date(2026, 10, 1), date(2026, 10, 2)}),
)


def applies(schedule: Schedule, instant: str) -> bool:
    return schedule.applies(parse_instant(instant))


@pytest.mark.parametrize(
    ("instant", "peak"),
    [
        ("2026-11-30T00:59:59Z", False),  # Monday
        ("2026-11-30T01:00:00Z", True),
        ("2026-11-30T03:59:59.999999Z", True),
        ("2026-11-30T04:00:00Z", False),  # half-open
        ("2026-11-30T05:59:59Z", False),
        ("2026-11-30T06:00:00Z", True),
        ("2026-11-30T09:59:59Z", True),
        ("2026-11-30T10:00:00Z", False),
    ],
)
def test_two_windows_a_day_each_half_open(instant: str, peak: bool) -> None:
    assert applies(PEAK, instant) is peak


def test_saturday_and_sunday_are_off_peak() -> None:
    assert applies(PEAK, "2026-11-27T02:00:00Z")  # Friday
    assert not applies(PEAK, "2026-11-28T02:00:00Z")
    assert not applies(PEAK, "2026-11-29T02:00:00Z")


def test_the_weekday_is_the_one_in_shanghai() -> None:
    early = Schedule("early", "Asia/Shanghai", ((time(0), time(9)),), WORKDAYS)
    assert applies(early, "2026-11-29T16:00:00Z")  # Sunday in UTC, Monday 00:00 in Shanghai
    assert not applies(early, "2026-11-29T15:59:59Z")
    assert not applies(early, "2026-11-27T16:00:00Z")  # Friday in UTC, Saturday 00:00 in Shanghai


def test_a_day_off_is_a_day_in_shanghai() -> None:
    assert not applies(PEAK, "2026-10-01T02:00:00Z")
    assert not applies(PEAK, "2026-10-02T09:59:59Z")
    assert applies(PEAK, "2026-09-30T02:00:00Z")
    night = Schedule("night", "Asia/Shanghai", ((time(0), time(6)),), (), frozenset({date(2026, 10, 1)}))
    assert not applies(night, "2026-09-30T16:00:00Z")  # already October in Shanghai
    assert applies(night, "2026-10-01T16:00:00Z")  # still the first in UTC, the second in Shanghai


def test_an_instant_with_an_offset_is_the_same_instant() -> None:
    assert applies(PEAK, "2026-11-30T09:00:00+08:00")
    assert applies(PEAK, "2026-11-30T17:59:59+08:00")
    assert not applies(PEAK, "2026-11-30T18:00:00+08:00")
    assert not applies(PEAK, "2026-11-30T09:00:00-04:00")  # 13:00Z, by the local clock in the window
    assert applies(PEAK, "2026-11-29T17:00:00-08:00")  # Sunday in Los Angeles, Monday 09:00 in Shanghai


def test_a_window_past_midnight_belongs_to_the_day_it_starts_on() -> None:
    # 16:30-00:30 UTC, DeepSeek's discount of 2025, on workdays only: Friday's window reaches into Saturday, Sunday has none
    discount = Schedule("discount", "UTC", ((time(16, 30), time(0, 30)),), WORKDAYS)
    assert applies(discount, "2026-11-27T16:30:00Z")  # Friday
    assert applies(discount, "2026-11-28T00:29:59Z")  # Saturday, Friday's window
    assert not applies(discount, "2026-11-28T00:30:00Z")
    assert not applies(discount, "2026-11-28T16:30:00Z")
    assert not applies(discount, "2026-11-30T00:00:00Z")  # Monday, but Sunday's window
    assert applies(discount, "2026-11-30T16:30:00Z")


def test_a_window_past_midnight_of_a_day_off_is_off_on_both_sides() -> None:
    discount = Schedule("discount", "UTC", ((time(22), time(6)),), (), frozenset({date(2026, 12, 25)}))
    assert applies(discount, "2026-12-25T05:59:59Z")  # the window of the 24th
    assert not applies(discount, "2026-12-25T22:00:00Z")
    assert not applies(discount, "2026-12-26T05:59:59Z")
    assert applies(discount, "2026-12-26T22:00:00Z")


def test_a_window_until_midnight_is_written_with_its_end_at_zero() -> None:
    evening = Schedule("evening", "UTC", ((time(18), time(0)),), ("mon",))
    assert applies(evening, "2026-11-30T23:59:59Z")
    assert not applies(evening, "2026-12-01T00:00:00Z")


def test_a_window_that_ends_where_it_starts_is_a_whole_day() -> None:
    day = Schedule("day", "UTC", ((time(9), time(9)),), ("mon",))
    assert not applies(day, "2026-11-30T08:59:59Z")
    assert applies(day, "2026-11-30T09:00:00Z")
    assert applies(day, "2026-12-01T08:59:59Z")
    assert not applies(day, "2026-12-01T09:00:00Z")


def test_no_weekdays_means_every_day() -> None:
    daily = Schedule("daily", "Asia/Shanghai", ((time(9), time(12)),))
    assert applies(daily, "2026-11-28T02:00:00Z")
    assert applies(daily, "2026-11-29T02:00:00Z")


def test_summer_time_moves_a_local_window_in_utc() -> None:
    morning = Schedule("morning", "Europe/Berlin", ((time(8), time(9)),))
    assert applies(morning, "2026-01-15T07:00:00Z")  # UTC+1
    assert applies(morning, "2026-07-15T06:00:00Z")  # UTC+2
    assert not applies(morning, "2026-07-15T07:00:00Z")
