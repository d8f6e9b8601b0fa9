"""Instants and half-open periods.

A price holds in `[valid_from, valid_to)`: the first instant is in, the last is not, so that two neighbours never overlap
and never leave a gap. Instants are aware datetimes in UTC. Vendors in Beijing change prices at 16:00Z, so a date alone
(00:00Z) is never enough to say when.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from economics.errors import PermillionError

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:[Zz]|[+-][0-9]{2}:[0-5][0-9])",
    re.ASCII,
)


def parse_instant(text: str, *, pointer: str = "") -> datetime:
    """An RFC 3339 instant with its offset, or a date alone, which is 00:00Z of that day.

    Raises:
        PermillionError: `invalid-fields` where the text is neither, has no offset or names no real day.

    >>> parse_instant("2026-07-30T00:00:00+10:00")
    datetime.datetime(2026, 7, 29, 14, 0, tzinfo=datetime.timezone.utc)
    >>> parse_instant("2026-11-30")
    datetime.datetime(2026, 11, 30, 0, 0, tzinfo=datetime.timezone.utc)
    """
    try:
        if _DATE.fullmatch(text):
            return datetime.fromisoformat(text).replace(tzinfo=UTC)
        if _INSTANT.fullmatch(text):
            return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise PermillionError(
        "invalid-fields",
        'not an instant: write "2026-11-30T00:00:00Z" (with an offset) or a date such as "2026-11-30"',
        pointer=pointer,
    )


def format_instant(instant: datetime) -> str:
    """RFC 3339 in UTC, without a fraction where there is none.

    >>> format_instant(datetime(2026, 8, 16, 16, tzinfo=UTC))
    '2026-08-16T16:00:00Z'
    """
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Period:
    """`[valid_from, valid_to)`; None on the left is an unknown start, on the right no known end.

    Raises:
        PermillionError: `invalid-fields` where the end is not after the start.

    >>> p = Period(parse_instant("2026-10-20"), parse_instant("2026-10-29"))
    >>> p.contains(parse_instant("2026-10-28T23:59:59Z")), p.contains(parse_instant("2026-10-29"))
    (True, False)
    """

    valid_from: datetime | None = None
    valid_to: datetime | None = None

    def __post_init__(self) -> None:
        if self.valid_from is not None and self.valid_to is not None and self.valid_to <= self.valid_from:
            raise PermillionError("invalid-fields", "valid_to must be after valid_from", pointer="/valid_to")

    def contains(self, instant: datetime) -> bool:
        """Whether the price holds at `instant`."""
        return (self.valid_from is None or self.valid_from <= instant) and (
            self.valid_to is None or instant < self.valid_to
        )

    def overlaps(self, other: Period) -> bool:
        """Whether some instant lies in both."""
        return (self.valid_from is None or other.valid_to is None or self.valid_from < other.valid_to) and (
            other.valid_from is None or self.valid_to is None or other.valid_from < self.valid_to
        )
