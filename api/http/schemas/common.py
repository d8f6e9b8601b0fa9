"""Shapes that several answers share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from api.http.schemas.fields import Answer, Currency, Name, PositiveIn, Wire


class FxIn(Wire):
    """A stated currency rate: one unit of `from` is `rate` of `to`."""

    source_currency: Currency = Field(alias="from")
    target_currency: Currency = Field(alias="to")
    rate: PositiveIn
    as_of: Annotated[str, Field(min_length=4, max_length=40, description="the day of the rate")]
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
