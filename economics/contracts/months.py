"""Calendar months in UTC, and the periods of a commitment that are made of them.

A billing month is one of UTC: AWS states that its month starts after 0:00 UTC (AWS Billing guide, "AWS credits", 2026).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import Enum

from economics.errors import PermillionError
from economics.periods import Period

_MONTH = re.compile(r"(19[7-9][0-9]|20[0-9]{2}|21[0-9]{2})-(0[1-9]|1[0-2])", re.ASCII)


class CommitmentPeriod(Enum):
    """How often a commitment is due."""

    MONTH = "month"
    QUARTER = "quarter"
    TERM = "term"


def parse_month(text: str, *, pointer: str = "") -> Period:
    """The month that `YYYY-MM` names, from its first instant to the first of the next.

    Raises:
        PermillionError: `invalid-fields` for anything else, or a year before 1970 or after 2199.

    >>> parse_month("2026-12").valid_to
    datetime.datetime(2027, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    found = _MONTH.fullmatch(text)
    if found is None:
        raise PermillionError("invalid-fields", 'not a month: write "2026-11"', pointer=pointer)
    start = datetime(int(found[1]), int(found[2]), 1, tzinfo=UTC)
    return Period(start, add_months(start, 1))


def is_month_start(instant: datetime) -> bool:
    """Whether `instant` is the first one of a month in UTC."""
    return instant == _start_of(instant)


def _start_of(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def add_months(start: datetime, months: int) -> datetime:
    """The start of the month that many months after the one of `start`.

    >>> add_months(datetime(2026, 11, 1, tzinfo=UTC), 3).isoformat()
    '2027-02-01T00:00:00+00:00'
    """
    years, month = divmod(start.month - 1 + months, 12)
    return start.replace(year=start.year + years, month=month + 1)


def months_between(start: datetime, end: datetime) -> int:
    """Whole months from one month's start to another's."""
    return (end.year - start.year) * 12 + end.month - start.month


def commitment_period(term: Period, per: CommitmentPeriod, month: Period) -> Period | None:
    """The month, quarter or whole term of a commitment that `month` is in; None where it does not hold then.

    Quarters are counted from the start of the term, whatever the calendar's are.

    >>> year = Period(parse_month("2026-02").valid_from, parse_month("2027-02").valid_from)
    >>> found = commitment_period(year, CommitmentPeriod.QUARTER, parse_month("2026-07"))
    >>> found == Period(parse_month("2026-05").valid_from, parse_month("2026-08").valid_from)
    True
    """
    start, first = term.valid_from, month.valid_from
    assert start is not None  # of a commitment and of a month
    assert first is not None
    if not term.overlaps(month):
        return None
    if per is CommitmentPeriod.TERM:
        return term
    length = 1 if per is CommitmentPeriod.MONTH else 3
    begun = add_months(start, months_between(start, first) // length * length)
    return Period(begun, add_months(begun, length))
