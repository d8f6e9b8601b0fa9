"""The price sheet of one provider, as it is written: models, dated price blocks, context vocabulary, sources.

`Sheet` is the shape of `providers/<name>/sheet.yaml` (`providers/sheet.schema.json` is generated from it for editors).
A price block is what a vendor publishes at one date for one mode and tier: several rates with the same conditions.
`from` absent means the start is unknown; `unconfirmed_start: "true"` means that `from` is only a bound ("seen since").
What is not known is left out; 0 means free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from economics.context import CONTEXT_KEYS
from economics.errors import PermillionError
from economics.meters import METERS
from economics.money import parse_decimal
from economics.periods import parse_instant
from economics.prices import PriceStatus, SearchUnit

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,18}", re.ASCII)


def _plain(pattern: re.Pattern[str], meaning: str) -> Callable[[object], object]:
    def check(value: object) -> object:
        if isinstance(value, str) and pattern.fullmatch(value) is None:
            raise ValueError(f"must be {meaning}")
        return value

    return check


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _flag(value: object) -> object:
    if isinstance(value, str):
        if value not in ("true", "false"):
            raise ValueError('must be "true" or "false"')
        return value == "true"
    return value


def _decimal(value: object) -> object:
    return _spelled(parse_decimal, value)


def _instant(value: object) -> object:
    return _spelled(parse_instant, value)


def _spelled(parse: Callable[[str], object], value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("must be text")
    try:
        return parse(value)
    except PermillionError as error:
        raise ValueError(error.detail) from None


def _one_of(names: Collection[str]) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return value

    return check


Text = Annotated[str, Field(min_length=1, max_length=2_000)]
DecimalText = Annotated[Decimal, BeforeValidator(_decimal, json_schema_input_type=str)]
InstantText = Annotated[datetime, BeforeValidator(_instant, json_schema_input_type=str)]
DateText = Annotated[
    date, BeforeValidator(_plain(_DAY, "a day, YYYY-MM-DD")), Field(json_schema_extra={"format": "date"})
]
CountText = Annotated[int, BeforeValidator(_plain(_DIGITS, "a whole number")), Field(ge=0)]
Flag = Annotated[bool, BeforeValidator(_flag, json_schema_input_type=Literal["true", "false"])]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed, json_schema_input_type=str | list[str])]
ContextName = Annotated[
    str, Field(json_schema_extra={"enum": list(CONTEXT_KEYS)}), AfterValidator(_one_of(CONTEXT_KEYS))
]
MeterName = Annotated[str, Field(json_schema_extra={"enum": list(METERS)}), AfterValidator(_one_of(METERS))]
SomeTexts = Annotated[
    tuple[Text, ...], Field(min_length=1), BeforeValidator(_listed, json_schema_input_type=str | list[str])
]
When = dict[ContextName, SomeTexts]


class SheetPart(BaseModel):
    """Strict about unknown keys: a key that nobody reads is a price that nobody charges."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(SheetPart):
    """A place figures were read from."""

    title: Text
    kind: Literal["vendor_page", "vendor_api", "package", "note", "third_party"]
    url: Text | None = None
    version: Text | None = None
    license: Text | None = None
    retrieved_on: DateText
    note: Text | None = None
    lineage: Text | None = None
    """The source this one takes its figures from: two of one lineage are one witness, not two."""


class Book(SheetPart):
    """A price book: one market, one currency."""

    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    title: Text | None = None
    tax_included: Flag | None = None
    tax_rate: Annotated[DecimalText, Field(ge=0)] | None = None


class Key(SheetPart):
    """A context key of the provider: its values, stated default, other spellings, values that leave it to the vendor."""

    values: Texts
    default: Text | None = None
    synonyms: dict[Text, Text] = {}
    undecided: Texts = ()

    @model_validator(mode="after")
    def _known_values(self) -> Self:
        named = {*self.synonyms.values(), *(() if self.default is None else (self.default,))}
        if not named <= set(self.values):
            raise ValueError("default and synonyms must be of values")
        if set(self.undecided) & {*self.values, *self.synonyms}:
            raise ValueError("an undecided value is none of values and no synonym")
        return self


class Hours(SheetPart):
    """A schedule: windows `HH:MM-HH:MM` in a time zone, on weekdays, except on the days off of a calendar."""

    timezone: Text
    windows: Texts
    weekdays: Texts = ()
    calendar: Text | None = None


class DaysOff(SheetPart):
    """Dates on which schedules of this calendar do not apply."""

    source: Text
    dates: Annotated[tuple[DateText, ...], BeforeValidator(_listed, json_schema_input_type=str | list[str])]


class Rate(SheetPart):
    """A rate whose denominator or search unit is not the meter's usual one, or that has a least quantity a request."""

    rate: DecimalText
    per: Annotated[CountText, Field(ge=1)] | None = None
    unit: SearchUnit | None = None
    min_quantity: Annotated[DecimalText, Field(gt=0)] | None = None
    """What one request with any of the meter is charged for at least, in units of the meter."""


def _rate(value: object) -> object:
    return {"rate": value} if isinstance(value, str) else value


RateText = Annotated[Rate, BeforeValidator(_rate, json_schema_input_type=str | Rate)]


class Block(SheetPart):
    """Rates published together: one book, mode, tier and period."""

    book: Text | None = None
    valid_from: InstantText | None = Field(None, alias="from")
    valid_to: InstantText | None = Field(None, alias="to")
    unconfirmed_start: Flag = False
    when: When = {}
    above: CountText | None = None
    at_least: CountText | None = None
    up_to: CountText | None = None
    output_above: CountText | None = None
    output_at_least: CountText | None = None
    schedule: Text | None = None
    source: Text
    checked: DateText | None = None
    status: PriceStatus = PriceStatus.OK
    revoked: Flag = False
    """Announced and taken back before it held: shown in the history, never a price."""
    note: Text | None = None
    rates: Annotated[dict[MeterName, RateText], Field(min_length=1)]


class Alias(SheetPart):
    """Another id that means this model, for a while or always."""

    id: Text
    valid_from: InstantText | None = Field(None, alias="from")
    valid_to: InstantText | None = Field(None, alias="to")
    source: Text | None = None


class Limit(SheetPart):
    """What a model took in and gave out for a while, where that is another limit than the undated one."""

    valid_from: InstantText | None = Field(None, alias="from")
    valid_to: InstantText | None = Field(None, alias="to")
    max_input_tokens: Annotated[int, Field(ge=1)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    source: Text

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.max_input_tokens is None and self.max_output_tokens is None:
            raise ValueError("give max_input_tokens or max_output_tokens")
        if self.valid_from is None and self.valid_to is None:
            raise ValueError("a limit without from and to stands on the model itself")
        return self


class Gap(SheetPart):
    """A context in which the model is sold, as a source says, at a price that none states; of all books if none is named."""

    when: Annotated[When, Field(min_length=1)]
    book: Text | None = None
    valid_from: InstantText | None = Field(None, alias="from")
    valid_to: InstantText | None = Field(None, alias="to")
    source: Text
    note: Text | None = None


class Model(SheetPart):
    """One model of the vendor under its own id."""

    name: Text | None = None
    released_on: DateText | None = None
    retired_on: InstantText | None = None
    successor: Text | None = None
    max_input_tokens: Annotated[int, Field(ge=1)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    limits: tuple[Limit, ...] = ()
    aliases: tuple[Alias, ...] = ()
    note: Text | None = None
    prices: tuple[Block, ...] = ()
    unpriced: tuple[Gap, ...] = ()


class SheetUplift(SheetPart):
    """A factor on token rates of some models (all when `models` is left out) under a context."""

    models: SomeTexts | None = None
    book: Text | None = None
    when: Annotated[When, Field(min_length=1)]
    factor: DecimalText
    valid_from: InstantText | None = Field(None, alias="from")
    valid_to: InstantText | None = Field(None, alias="to")
    source: Text
    checked: DateText | None = None
    note: Text | None = None


class Sheet(SheetPart):
    """Everything one provider's file says."""

    provider: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    name: Text
    homepage: Text | None = None
    price_books: Annotated[dict[Text, Book], Field(min_length=1)]
    sources: Annotated[dict[Text, Source], Field(min_length=1)]
    context: dict[ContextName, Key] = {}
    contradictions: tuple[Annotated[When, Field(min_length=2)], ...] = ()
    calendars: dict[Text, DaysOff] = {}
    schedules: dict[Text, Hours] = {}
    models: Annotated[dict[Text, Model], Field(min_length=1)]
    uplifts: tuple[SheetUplift, ...] = ()
