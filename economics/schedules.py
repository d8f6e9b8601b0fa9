"""Times of day at which another price holds: windows, weekdays, a time zone, days off.

A window is half-open and is read in the schedule's own time zone, as are the weekday and the days off: a Monday in
Shanghai begins on Sunday at 16:00Z. A window whose end is not after its start runs past midnight and belongs to the day
it starts on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Schedule:
    """Windows of the day, on some weekdays, except on days off.

    Args:
        name: how price rows refer to it, such as `peak`.
        timezone: IANA name in which windows, weekdays and days off are read.
        windows: half-open `(start, end)` times of day.
        weekdays: of `WEEKDAYS`; empty means every day.
        days_off: dates on which the schedule does not apply (public holidays).

    >>> peak = Schedule("peak", "Asia/Shanghai", ((time(9), time(12)), (time(14), time(18))), ("mon", "tue"))
    >>> from economics.periods import parse_instant
    >>> peak.applies(parse_instant("2026-11-30T02:00:00Z")), peak.applies(parse_instant("2026-11-30T04:00:00Z"))
    (True, False)
    """

    name: str
    timezone: str
    windows: tuple[tuple[time, time], ...]
    weekdays: tuple[str, ...] = ()
    days_off: frozenset[date] = field(default_factory=frozenset)

    def applies(self, instant: datetime) -> bool:
        """Whether `instant` falls into one of the windows."""
        local = instant.astimezone(_zone(self.timezone))
        clock = local.time().replace(tzinfo=None)
        return any(
            (start <= clock < end and self._on(local.date()))
            if start < end
            else (
                (clock >= start and self._on(local.date()))
                or (clock < end and self._on(local.date() - timedelta(days=1)))
            )
            for start, end in self.windows
        )

    def _on(self, day: date) -> bool:
        return (not self.weekdays or WEEKDAYS[day.weekday()] in self.weekdays) and day not in self.days_off


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


Schedules = Mapping[str, Schedule]
