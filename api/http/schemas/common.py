"""Shapes that several answers share."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from api.http.schemas.fields import Answer, Currency, Name, PositiveIn, Wire
from economics.errors import PermillionError
from economics.periods import parse_instant


def _day(value: str) -> str:
    try:
        parse_instant(value)
    except PermillionError as error:
        raise ValueError(error.detail) from None
    return value


class FxIn(Wire):
    """A stated currency rate: one unit of `from` is `rate` of `to`."""

    source_currency: Currency = Field(alias="from")
    target_currency: Currency = Field(alias="to")
    rate: PositiveIn
    as_of: Annotated[str, Field(description="day or instant of the rate"), AfterValidator(_day)]
    source: Name = "stated by the caller"


class WarningOut(Answer):
    """Something the reader of an answer should know."""

    code: str
    text: str


class Meta(Answer):
    """What an answer rests on."""

    as_of: str
    catalog_version: str
    method_version: str
    warnings: list[WarningOut]


class ProblemError(Answer):
    """One of the things that are wrong, with a JSON pointer into the body."""

    pointer: str
    detail: str


class Problem(Answer):
    """A problem of RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    error_code: str
    advice: str
    request_id: str
    errors: list[ProblemError]
