"""Fields that the records of machines share."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

from api.http.schemas.common import Meta
from api.http.schemas.fields import DECIMAL_PATTERN, Answer, read_count, read_decimal

RecordId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
AsOf = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"),
    Field(description="day, month or year it was seen: 2026-11-30, 2026-11 or 2026"),
]
Source = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Note = Annotated[str, StringConstraints(max_length=1_000)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Confidence = Literal["high", "medium", "low"]
Origin = Literal["shipped", "private", "import"]
MAX_FIGURE = Decimal(10**15)


def _figure(value: object) -> Decimal:
    figure = read_decimal(value)
    if not 0 < figure <= MAX_FIGURE:
        raise ValueError("must be above 0 and at most 10^15; leave out what is unknown")
    return figure


def _whole(value: object) -> int:
    count = read_count(value)
    if not 1 <= count <= 10**9:
        raise ValueError("from 1 to 1,000,000,000")
    return count


FigureIn = Annotated[
    Decimal,
    BeforeValidator(_figure),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "format": "decimal", "pattern": DECIMAL_PATTERN}, {"type": "integer"}]}
    ),
]
"""A physical figure: exact on the wire, above 0; what is unknown is left out."""
WholeIn = Annotated[int, BeforeValidator(_whole), WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 10**9})]


class RecordedOut(Answer):
    """What was recorded: ids that are new, that took the place of an earlier record, that were believed already."""

    added: int
    superseded: int
    unchanged: int


class RecordAnswer(Answer):
    """One row."""

    rows: list[RecordedOut]
    meta: Meta
