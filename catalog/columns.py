"""Column types that keep what they are given: exact decimals, instants in UTC, canonical JSON.

SQLAlchemy's own `Numeric` stores a float on SQLite (0.1 comes back as 0.100000000000000006, without a warning), and its
`DateTime` drops the offset there. On SQLite these types are text that is exact and, for instants, sorts by time; nothing
sums or sorts decimals in SQL.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import DateTime, Dialect, Numeric, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from economics.money import format_decimal


class DecimalText(TypeDecorator[Decimal]):
    """An exact decimal: text in fixed notation on SQLite, unconstrained NUMERIC on PostgreSQL.

    Trailing zeros are not kept: 1.50 comes back as 1.5, the same on both. A float, a boolean, NaN or an infinity is a
    TypeError at bind time.
    """

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """NUMERIC on PostgreSQL, TEXT elsewhere."""
        return dialect.type_descriptor(Numeric() if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        """Canonical text, or the decimal of that text."""
        if value is None:
            return None
        if not isinstance(value, Decimal) or not value.is_finite():
            raise TypeError("an exact column takes a finite Decimal, nothing else")
        text = format_decimal(value)
        return Decimal(text) if dialect.name == "postgresql" else text

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        """The decimal as it was bound."""
        return None if value is None else Decimal(value)


class UtcInstant(TypeDecorator[datetime]):
    """An aware instant: ISO text of fixed width with `Z` on SQLite, TIMESTAMPTZ on PostgreSQL; a naive one is a TypeError.

    The width is fixed to microseconds because `…:00.5Z` would sort before `…:00Z`.
    """

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """TIMESTAMPTZ on PostgreSQL, TEXT elsewhere."""
        return dialect.type_descriptor(DateTime(timezone=True) if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """The instant in UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise TypeError("an instant needs an offset")
        utc = value.astimezone(UTC)
        return utc if dialect.name == "postgresql" else instant_text(utc)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The instant in UTC."""
        if value is None:
            return None
        return value.astimezone(UTC) if isinstance(value, datetime) else datetime.fromisoformat(value)


def instant_text(utc: datetime) -> str:
    """ISO text of an instant in UTC, always 27 characters, so that texts sort as instants do.

    >>> instant_text(datetime(2026, 8, 16, 16, tzinfo=UTC))
    '2026-08-16T16:00:00.000000Z'
    """
    return utc.isoformat(timespec="microseconds").replace("+00:00", "Z")


class CanonicalJson(TypeDecorator[Any]):
    """A JSON value as canonical text on both engines: equal values are equal texts."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """The canonical text."""
        return None if value is None else canonical_json(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The value."""
        return None if value is None else _decode(value)[0]


_decode = json.JSONDecoder().raw_decode  # canonical text has no blanks to look for
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: object) -> str:
    """JSON without blanks, keys in order.

    >>> canonical_json({"b": [1], "a": None})
    '{"a":null,"b":[1]}'
    """
    return _ENCODER.encode(value)
