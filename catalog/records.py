"""Between domain values and columns, both ways, and the fingerprints by which content is recognised.

A fingerprint is the first half of the SHA-256 of a value's canonical JSON: the same on both engines and in every process.
Rows are compared and digests are made from fingerprints alone, so an unchanged sheet is recognised without decoding a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from hashlib import sha256
from json import JSONEncoder
from typing import Any, Final

from catalog.columns import instant_text
from economics.context import ContextKey, Vocabulary
from economics.errors import PermillionError
from economics.money import format_decimal
from economics.periods import Period
from economics.prices import PriceRow, PriceStatus, Provenance, SearchUnit, Tier, Uplift
from economics.schedules import Schedule
from providers.sheet import Gap, Limit

FINGERPRINT_DIGITS: Final = 32
MAX_COUNT: Final = 10**15
MAX_SLOT_LENGTH: Final = 1_000
_FIRST_INSTANT: Final = datetime(1970, 1, 1, tzinfo=UTC)
_END_OF_TIME: Final = datetime(2200, 1, 1, tzinfo=UTC)


def _plain(value: object) -> str:
    if isinstance(value, Decimal):
        return format_decimal(value)
    if isinstance(value, datetime):
        return instant_text(value.astimezone(UTC))
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no canonical form")


_ENCODER = JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, default=_plain)


def fingerprint(value: object) -> str:
    """32 hexadecimal digits of a value of lists, mappings, texts, numbers, decimals, dates and instants.

    >>> fingerprint({"rate": Decimal("1.50")}) == fingerprint({"rate": Decimal("1.5")})
    True
    """
    return sha256(_ENCODER.encode(value).encode("ascii")).hexdigest()[:FINGERPRINT_DIGITS]


def to_db_price(row: PriceRow | Uplift, currency: str) -> dict[str, Any]:
    """The content columns of a price row: what is believed, without where and since when.

    Args:
        row: rate or uplift.
        currency: of the book, for an uplift, which has none of its own.
    """
    values: dict[str, Any] = {
        "kind": "uplift",
        "slot": row.slot,
        "meter": "*",
        "per": 1,
        "currency": currency,
        "conditions": {name: sorted(row.conditions[name]) for name in row.conditions},
        "min_input_tokens": None,
        "min_inclusive": False,
        "max_input_tokens": None,
        "schedule": None,
        "search_unit": None,
        "min_quantity": None,
        "min_output_tokens": None,
        "output_inclusive": None,
        "valid_from": row.period.valid_from,
        "valid_to": row.period.valid_to,
        "start_known": row.start_known,
        "tax_included": None,
        "tax_rate": None,
        "checked_on": row.provenance.checked_on,
        "status": row.provenance.status.value,
        "note": row.provenance.note,
    }
    if isinstance(row, Uplift):
        return values | {"rate": row.factor}
    return values | {
        "kind": "rate",
        "meter": row.meter,
        "rate": row.rate,
        "per": row.per,
        "currency": row.currency,
        "min_input_tokens": row.tier.min_input_tokens,
        "min_inclusive": row.tier.min_inclusive,
        "max_input_tokens": row.tier.max_input_tokens,
        "schedule": row.schedule,
        "search_unit": None if row.search_unit is None else row.search_unit.value,
        "min_quantity": row.min_quantity,
        "min_output_tokens": row.tier.min_output_tokens,
        "output_inclusive": None if row.tier.min_output_tokens is None else row.tier.output_inclusive,
        "tax_included": row.tax_included,
        "tax_rate": row.tax_rate,
    }


_LATER_COLUMNS: Final = ("min_quantity", "min_output_tokens", "output_inclusive")
"""Columns added after rows had been recorded: left out of a fingerprint where empty, so that older rows keep theirs."""


def price_fingerprint(source: str, values: Mapping[str, Any]) -> str:
    """The fingerprint of a price row: of its source's and of its content columns.

    Args:
        source: fingerprint of the source.
        values: what `to_db_price` says.
    """
    said = {name: value for name, value in values.items() if value is not None or name not in _LATER_COLUMNS}
    return fingerprint([source, said])


def from_db_price(stored: Any, source: str) -> PriceRow | Uplift:
    """The domain value of a stored row (a result row with the columns of `price_rows`); `source` is its source's title."""
    conditions = {name: tuple(values) for name, values in stored.conditions.items()}
    provenance = Provenance(source, stored.checked_on, PriceStatus(stored.status), stored.note)
    period = Period(stored.valid_from, stored.valid_to)
    if stored.kind == "uplift":
        return Uplift(stored.rate, conditions, provenance, period, stored.start_known)
    return PriceRow(
        stored.meter,
        stored.rate,
        stored.per,
        stored.currency,
        provenance,
        conditions,
        Tier(
            stored.min_input_tokens,
            stored.min_inclusive,
            stored.max_input_tokens,
            stored.min_output_tokens,
            bool(stored.output_inclusive),
        ),
        stored.schedule,
        period,
        stored.start_known,
        stored.tax_included,
        stored.tax_rate,
        None if stored.search_unit is None else SearchUnit(stored.search_unit),
        stored.min_quantity,
    )


def to_db_vocabulary(vocabulary: Vocabulary) -> Any:
    """JSON of a vocabulary; keys and values stay in the sheet's order, which error messages follow."""
    return {
        "keys": [
            [
                name,
                {"values": list(key.values), "default": key.default, "synonyms": dict(key.synonyms)}
                | ({"undecided": list(key.undecided)} if key.undecided else {}),
            ]
            for name, key in vocabulary.keys.items()
        ],
        "contradictions": [
            {name: list(values) for name, values in combination.items()} for combination in vocabulary.contradictions
        ],
    }


def from_db_vocabulary(value: Any) -> Vocabulary:
    """The vocabulary of that JSON."""
    return Vocabulary(
        {
            name: ContextKey(tuple(key["values"]), key["default"], key["synonyms"], tuple(key.get("undecided", ())))
            for name, key in value["keys"]
        },
        tuple({n: tuple(values) for n, values in combination.items()} for combination in value["contradictions"]),
    )


def to_db_schedules(schedules: Mapping[str, Schedule]) -> Any:
    """JSON of schedules by name."""
    return {
        name: {
            "timezone": schedule.timezone,
            "windows": [[start.isoformat(), end.isoformat()] for start, end in schedule.windows],
            "weekdays": list(schedule.weekdays),
            "days_off": sorted(day.isoformat() for day in schedule.days_off),
        }
        for name, schedule in schedules.items()
    }


def from_db_schedules(value: Any) -> dict[str, Schedule]:
    """The schedules of that JSON."""
    return {
        name: Schedule(
            name,
            hours["timezone"],
            tuple((time.fromisoformat(start), time.fromisoformat(end)) for start, end in hours["windows"]),
            tuple(hours["weekdays"]),
            frozenset(date.fromisoformat(day) for day in hours["days_off"]),
        )
        for name, hours in value.items()
    }


def to_db_limits(limits: Sequence[Limit]) -> Any:
    """JSON of a model's dated limits, None where it has none."""
    return [
        {
            **_dated(limit),
            "max_input_tokens": limit.max_input_tokens,
            "max_output_tokens": limit.max_output_tokens,
            "source": limit.source,
        }
        for limit in limits
    ] or None


def _dated(part: Limit | Gap) -> dict[str, str | None]:
    return {
        name: None if instant is None else instant_text(instant.astimezone(UTC))
        for name, instant in (("from", part.valid_from), ("to", part.valid_to))
    }


def to_db_unpriced(gaps: Sequence[Gap]) -> Any:
    """JSON of the contexts in which a model has no known price, None where there are none."""
    return [
        {
            **_dated(gap),
            "book": gap.book,
            "when": {name: list(values) for name, values in gap.when.items()},
            "source": gap.source,
            "note": gap.note,
        }
        for gap in gaps
    ] or None


def from_db_unpriced(value: Any) -> tuple[Gap, ...]:
    """The contexts of that JSON."""
    return tuple(Gap.model_validate(gap) for gap in value or ())


def from_db_limits(value: Any) -> tuple[Limit, ...]:
    """The limits of that JSON."""
    return tuple(Limit.model_validate(limit) for limit in value or ())


def check_storable(row: PriceRow | Uplift) -> None:
    """Refuse what a column cannot hold or no price sheet needs.

    Raises:
        PermillionError: `invalid-fields` for a rate or least quantity beyond 18 digits before and 30 after the point, counts
            above 10^15, instants before 1970 or after 2199, or a slot of more than 1,000 characters.
    """
    check_digits(row.factor if isinstance(row, Uplift) else row.rate, "/rate")
    if isinstance(row, PriceRow) and row.min_quantity is not None:
        check_digits(row.min_quantity, "/min_quantity")
    check_instants(row.period)
    if isinstance(row, PriceRow):
        counts = {
            "/per": row.per,
            "/min_input_tokens": row.tier.min_input_tokens,
            "/max_input_tokens": row.tier.max_input_tokens,
            "/min_output_tokens": row.tier.min_output_tokens,
        }
        for pointer, count in counts.items():
            if count is not None and not 0 <= count <= MAX_COUNT:
                raise PermillionError("invalid-fields", "a count must lie between 0 and 10^15", pointer=pointer)
    if len(row.slot) > MAX_SLOT_LENGTH:
        raise PermillionError("invalid-fields", "the context of a row is too long", pointer="/context")


def check_digits(value: Decimal, pointer: str) -> None:
    """Refuse a decimal beyond 18 digits before and 30 after the point."""
    whole, _, fraction = format_decimal(value).partition(".")
    if not value.is_finite() or len(whole) > 18 or len(fraction) > 30:
        raise PermillionError("invalid-fields", "at most 18 digits before the point and 30 after it", pointer=pointer)


def check_instants(period: Period) -> None:
    """Refuse a start or an end before 1970 or after 2199."""
    for pointer, instant in (("/valid_from", period.valid_from), ("/valid_to", period.valid_to)):
        if instant is not None and not _FIRST_INSTANT <= instant < _END_OF_TIME:
            raise PermillionError("invalid-fields", "an instant must lie between 1970 and 2199", pointer=pointer)
