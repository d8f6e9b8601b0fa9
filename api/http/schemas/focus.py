"""`POST /focus`: priced usage as a FOCUS-shaped estimate."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, StringConstraints, create_model

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut
from api.http.schemas.price import PriceRequest
from api.services.focus import FOCUS_COLUMNS

_MAX_ACCOUNT: Final = 200


class FocusRequest(PriceRequest):
    """The body of `POST /price` and the bill that is estimated; a row that cannot be priced refuses the whole estimate."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "billing_period": "2026-11",
                    "as_of": "2026-11-30T12:00:00Z",
                    "rows": [
                        {
                            "offer": "anthropic/claude-opus-5",
                            "usage": {"input_tokens": 6100, "cache_read_tokens": 6034, "output_tokens": 100},
                        }
                    ],
                }
            ]
        }
    )

    billing_period: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$")] | None = Field(
        None, description="month of the bill in UTC; default: the month of each row's as_of"
    )
    billing_account_id: (
        Annotated[str, StringConstraints(min_length=1, max_length=_MAX_ACCOUNT, pattern=r"^\S(.*\S)?$")] | None
    ) = Field(None, description="copied into BillingAccountId; FOCUS wants one, an estimate may have none")


_TYPES: Final[dict[str, Any]] = {"text": str, "decimal": DecimalOut, "json": dict[str, Any]}

_FIELDS: Final[dict[str, Any]] = {
    column.name: (
        _TYPES[column.kind] | None if column.nullable else _TYPES[column.kind],
        Field(description=column.meaning),
    )
    for column in FOCUS_COLUMNS
}
FocusRow = create_model(
    "FocusRow",
    __base__=Answer,
    __doc__="One charged meter of a row, with the columns of FOCUS 1.2 and ours (`x_`).",
    **_FIELDS,
)


class FocusAnswer(Answer):
    """Charged meters in the order of the rows; a meter that costs nothing is a row, one of which nothing is used is none."""

    rows: list[FocusRow]
    meta: Meta
