"""When the prices of a genai-prices entry hold: a list of dated sheets, the last one that has begun counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from economics.errors import PermillionError
from economics.periods import Period, parse_instant

_DATE_LENGTH: Final = 10


@dataclass(frozen=True, slots=True)
class Dated:
    """Prices and the time they hold; `daily` for those of some hours of each day."""

    prices: Mapping[str, Any]
    period: Period
    daily: bool = False


def start_of(constraint: object) -> datetime | None:
    """The instant at which a constraint begins, None for one without a date.

    `start_date` is a UTC date (the package compares `timestamp.date()` in UTC), so it is 00:00Z of that day.

    Raises:
        PermillionError: `invalid-fields` for a date that is none.

    >>> start_of({"start_date": "2026-08-17"})
    datetime.datetime(2026, 8, 17, 0, 0, tzinfo=datetime.timezone.utc)
    """
    if constraint is None:
        return None
    if isinstance(constraint, dict) and set(constraint) == {"start_date"}:
        text = constraint["start_date"]
        if isinstance(text, str) and len(text) == _DATE_LENGTH:
            return parse_instant(text)
    raise PermillionError("invalid-fields", "not a start date")


def is_daily(constraint: object) -> bool:
    """Whether a constraint is a window of each day."""
    return isinstance(constraint, dict) and "start_time" in constraint and "start_date" not in constraint


def dated_sheets(prices: object) -> list[Dated]:
    """The sheets of an entry that hold at some time, each until a later one of the list begins.

    Args:
        prices: one mapping of prices, or a list of `{"constraint", "prices"}`.

    Raises:
        PermillionError: `invalid-fields` where it is neither.
    """
    if isinstance(prices, dict):
        return [Dated(prices, Period())]
    if not isinstance(prices, list):
        raise PermillionError("invalid-fields", "prices are a mapping or a list")
    found: list[Dated] = []
    ends: datetime | None = None
    for item in reversed(prices):
        if not isinstance(item, dict) or not isinstance(item.get("prices"), dict):
            raise PermillionError("invalid-fields", "a conditional price has no prices")
        constraint = item.get("constraint")
        if is_daily(constraint):
            found.append(Dated(item["prices"], Period(), daily=True))
            continue
        start = start_of(constraint)
        if ends is None or (start or datetime.min.replace(tzinfo=UTC)) < ends:
            found.append(Dated(item["prices"], Period(start, ends)))
            ends = start if start is not None else datetime.min.replace(tzinfo=UTC)
    return found[::-1]
