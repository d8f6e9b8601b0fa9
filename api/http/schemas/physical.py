"""Fields for what is measured in physics: tokens a second, milliseconds, bytes.

They are decimal strings or integers like all others, so that generated clients need no floats; a JSON number with a point is
read, too, because no digit of money is lost here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema

from api.http.schemas.fields import read_decimal, unicode_text

MOST = 1e15
LEAST = 1e-6


def read_quantity(value: object) -> float:
    """A finite number from a JSON number or a decimal string, 0 or from 0.000001 to 10^15.

    Raises:
        ValueError: for booleans, NaN, infinities, negative and other numbers.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise ValueError('write quantities as numbers or decimal strings, such as "21.5"')
    number = value if isinstance(value, float) else float(read_decimal(value))
    if not math.isfinite(number):
        raise ValueError("must be finite")
    if number != 0 and not LEAST <= number <= MOST:
        raise ValueError("must be 0, or from 0.000001 to 10^15")
    return number


def _where(check: Callable[[float], bool], says: str) -> BeforeValidator:
    def read(value: object) -> float:
        number = read_quantity(value)
        if not check(number):
            raise ValueError(says)
        return number

    return BeforeValidator(read)


_STRING = {"type": "string", "format": "decimal", "pattern": r"^[0-9]{1,18}(\.[0-9]{1,30})?$"}
QuantityIn = Annotated[
    float,
    BeforeValidator(read_quantity),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": int(MOST)}, _STRING]}),
]
PositiveQuantityIn = Annotated[
    float,
    _where(lambda number: number > 0, "must be above 0"),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": int(MOST)}, _STRING]}),
]
RatioIn = Annotated[
    float,
    _where(lambda number: number <= 1, "a ratio lies between 0 and 1"),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 1}, _STRING]}),
]
NumberIn = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
"""How many machines, accelerators, replicas."""
RequestsIn = Annotated[int, Field(ge=1, le=10**12, strict=True)]
FlagIn = Annotated[bool, Field(strict=True)]
Note = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(unicode_text)]
ShortName = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(unicode_text)]
