"""Plain CSV with our own columns: the fields of a row of `POST /prices`, one rate per line, and optionally `unit`.

Decimals are plain: `0.15`, or `0,15` where the delimiter is not a comma. `1e5`, `1.234,56` and `1 000` are refused: each
has been read as two different prices. A rate that is left out clears nothing, unlike null there; a rate of 0 is refused unless the cell says `free`: spreadsheets fill gaps with 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from economics.context import CONTEXT_KEYS
from economics.errors import PermillionError
from economics.meters import METERS, is_token_meter
from economics.money import parse_decimal
from economics.periods import Period, parse_instant
from economics.prices import PriceRow, Provenance, Tier
from providers.feeds.csv_table import Line, read_table
from providers.feeds.gathering import gather
from providers.feeds.price_units import read_price_unit, unit_note
from providers.feeds.reading import FeedReading, FeedRow, Refused
from providers.sheet import Source

COLUMNS: Final = (
    "provider", "model", "tokenizer", "meter", "rate", "per", "currency", "unit", "context",
    "min_input_tokens", "min_inclusive", "max_input_tokens", "min_output_tokens", "output_inclusive", "min_quantity",
    "valid_from", "valid_to",
    "tax_included", "tax_rate", "source", "checked_on",
)  # fmt: skip
REQUIRED: Final = ("provider", "model", "meter", "rate", "source")

_PROVIDER: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_CURRENCY: Final = re.compile(r"[A-Z]{3}", re.ASCII)
_COUNT: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_CONTEXT_VALUE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_COMMA: Final = re.compile(r"-?[0-9]+,[0-9]+", re.ASCII)
_MAX_NAME: Final = 300
_MAX_PER: Final = 10**12


class _Bad(Exception):  # noqa: N818 - a refusal of one line, not an error of the program
    """Column, reason and detail of what is wrong with a line."""

    def __init__(self, column: str, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.column, self.reason, self.detail = column, reason, detail


class CsvRows:
    """The reader of CSV files with our columns."""

    name = "csv"
    title = "CSV with the columns of POST /prices"
    hosts: tuple[str, ...] = ()

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        r"""Read a file; see `providers.feeds.csv_table` for what a file may look like.

        >>> found = FEED.read(
        ...     "provider;model;meter;rate;unit;source\r\nacme;rocket;output_tokens;2,5;元/百万tokens;合同 4711".encode(),
        ...     date(2026, 11, 30),
        ... )
        >>> found.rows[0].row.rate, found.rows[0].row.currency, found.rows[0].row.per
        (Decimal('2.5'), 'CNY', 1000000)
        """
        table = read_table(content, COLUMNS, REQUIRED)
        comma = _decimal_mark(table.lines) if table.delimiter != "," else None
        rows: list[FeedRow] = []
        refused = list(table.refused)
        sources: dict[str, Source] = {}
        for line in table.lines:
            try:
                found = _row(line, retrieved_on, comma)
            except _Bad as bad:
                refused.append(Refused(line.name, bad.column, bad.reason, bad.detail))
                continue
            except PermillionError as error:
                refused.append(Refused(line.name, error.pointer.strip("/"), "malformed", error.detail))
                continue
            rows.append(found)
            title = found.row.provenance.source
            if title not in sources:
                sources[title] = Source(title=title, kind="third_party", retrieved_on=retrieved_on)
        return gather(sources, rows, refused, table.entries)


FEED: Final = CsvRows()


def _decimal_mark(lines: Sequence[Line]) -> str:
    """The mark the file writes decimals with: that of the first number that has one."""
    for line in lines:
        for column in ("rate", "tax_rate", "min_quantity"):
            for mark in ",.":
                if mark in line.cells.get(column, ""):
                    return mark
    return "."


def _row(line: Line, retrieved_on: date, mark: str | None) -> FeedRow:
    cells = {column: line.cells.get(column, "") for column in COLUMNS}
    if _PROVIDER.fullmatch(cells["provider"]) is None:
        raise _Bad("provider", "invalid-name", "a provider is lower-case letters, digits, dots and hyphens")
    for column in ("model", "source"):
        if not 1 <= len(cells[column]) <= _MAX_NAME:
            raise _Bad(column, "invalid-name", f"a {column} has 1 to {_MAX_NAME} characters")
    meter = cells["meter"]
    if meter not in METERS:
        raise _Bad("meter", "unknown-key", f"no meter of that name; there are {', '.join(METERS)}")
    rate, free = _rate(cells["rate"], mark)
    per, currency = _per_and_currency(cells, meter)
    tax_rate = _decimal(cells["tax_rate"], "tax_rate", mark) if cells["tax_rate"] else None
    if tax_rate is not None and tax_rate > 1:
        raise _Bad("tax_rate", "malformed", "a tax rate is a share between 0 and 1: 0.06 for 6 %")
    valid_from = parse_instant(cells["valid_from"], pointer="/valid_from") if cells["valid_from"] else None
    valid_to = parse_instant(cells["valid_to"], pointer="/valid_to") if cells["valid_to"] else None
    row = PriceRow(
        meter=meter,
        rate=rate,
        per=per,
        currency=currency,
        provenance=Provenance(
            cells["source"], _checked_on(cells["checked_on"], retrieved_on), note=unit_note(cells["unit"])
        ),
        conditions=_conditions(cells["context"]),
        tier=_tier(cells),
        period=Period(valid_from, valid_to),
        start_known=valid_from is not None,
        tax_included=_flag(cells["tax_included"], "tax_included"),
        tax_rate=tax_rate,
        min_quantity=_decimal(cells["min_quantity"], "min_quantity", mark) if cells["min_quantity"] else None,
    )
    return FeedRow(
        cells["provider"], cells["model"], row, line.name, free=free, tokenizer=cells["tokenizer"] or None
    )  # fmt: skip


def _rate(text: str, mark: str | None) -> tuple[Decimal, bool]:
    if not text:
        raise _Bad("rate", "missing-price", "no rate; write free where it costs nothing, leave the line out if unknown")
    if text.lower() == "free":
        return Decimal(0), True
    rate = _decimal(text, "rate", mark)
    if not rate:
        raise _Bad("rate", "zero-price", "a rate of 0; write free if that is meant, leave the line out if unknown")
    return rate, False


def _decimal(text: str, column: str, mark: str | None) -> Decimal:
    plain = text
    if "," in text and "." in text:
        raise _Bad(column, "not-a-number", "comma and dot in one number: write it without thousands marks")
    if _COMMA.fullmatch(text):
        if mark is None:
            raise _Bad(column, "not-a-number", "a decimal comma in a file delimited by commas; write a dot")
        if mark == ".":
            raise _Bad(column, "not-a-number", "a comma in a file that writes decimals with a dot: use one of them")
        plain = text.replace(",", ".")
    elif mark == "," and "." in text:
        raise _Bad(column, "not-a-number", "a dot in a file that writes decimals with a comma: use one of them")
    if plain.startswith("-"):
        raise _Bad(column, "sentinel", "negative; leave the line out if the price is unknown")
    try:
        return parse_decimal(plain)
    except PermillionError as error:
        raise _Bad(column, "not-a-number", f"{error.detail}; no exponent, thousands mark or currency sign") from None


def _per_and_currency(cells: dict[str, str], meter: str) -> tuple[int, str]:
    per = _whole(cells["per"], "per")
    if per is not None and not 1 <= per <= _MAX_PER:
        raise _Bad("per", "unknown-unit", f"a rate is for 1 to {_MAX_PER} units")
    currency = cells["currency"] or None
    if currency is not None and (_CURRENCY.fullmatch(currency) is None or currency == "RMB"):
        raise _Bad("currency", "missing-currency", "write the ISO 4217 code, such as USD or CNY")
    if cells["unit"]:
        unit = read_price_unit(cells["unit"])
        if unit is None:
            raise _Bad("unit", "unknown-unit", "write a unit as USD per 1M tokens, per 1K tokens or 元/百万tokens")
        if meter not in unit.meters:
            raise _Bad("unit", "unknown-unit", f"this unit cannot be said of {meter}")
        if per not in (None, unit.per):
            raise _Bad("unit", "unknown-unit", f"the unit says per {unit.per} and the column per says {per}")
        if None not in (currency, unit.currency) and currency != unit.currency:
            raise _Bad("unit", "unknown-unit", f"the unit says {unit.currency} and the column currency {currency}")
        per, currency = unit.per, currency or unit.currency
    if per is None:
        if not is_token_meter(meter):
            raise _Bad("per", "unknown-unit", f"say for how many {meter} the rate is")
        per = METERS[meter].per
    if currency is None:
        raise _Bad("currency", "missing-currency", "no currency, neither in its column nor in the unit")
    return per, currency


def _tier(cells: dict[str, str]) -> Tier:
    low, high = (
        _whole(cells["min_input_tokens"], "min_input_tokens"),
        _whole(cells["max_input_tokens"], "max_input_tokens"),
    )
    inclusive = _flag(cells["min_inclusive"], "min_inclusive") or False
    if inclusive and low is None:
        raise _Bad("min_inclusive", "malformed", "min_inclusive needs min_input_tokens")
    if low is not None and high is not None and high < low + (not inclusive):
        raise _Bad("max_input_tokens", "malformed", "the tier ends before it begins")
    output = _whole(cells["min_output_tokens"], "min_output_tokens")
    output_inclusive = _flag(cells["output_inclusive"], "output_inclusive") or False
    if output_inclusive and output is None:
        raise _Bad("output_inclusive", "malformed", "output_inclusive needs min_output_tokens")
    return Tier(low, inclusive, high, output, output_inclusive)


def _conditions(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or _CONTEXT_VALUE.fullmatch(value) is None:
            raise _Bad("context", "unknown-context", "write context as key=value;key=value")
        if name not in CONTEXT_KEYS:
            raise _Bad("context", "unknown-context", f"no such context key; known: {', '.join(CONTEXT_KEYS)}")
        if name in found:
            raise _Bad("context", "unknown-context", f"{name} stands twice")
        found[name] = (value,)
    return found


def _whole(text: str, column: str) -> int | None:
    if not text:
        return None
    if _COUNT.fullmatch(text) is None:
        raise _Bad(column, "malformed", "write a whole number in digits, without thousands marks")
    return int(text)


def _flag(text: str, column: str) -> bool | None:
    if text.lower() not in ("", "true", "false"):
        raise _Bad(column, "malformed", "write true or false")
    return text.lower() == "true" if text else None


def _checked_on(text: str, retrieved_on: date) -> date:
    if not text:
        return retrieved_on
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise _Bad("checked_on", "malformed", "write a day as 2026-11-30")
    if day > retrieved_on + timedelta(days=1):  # east of Greenwich it may be tomorrow already
        raise _Bad("checked_on", "malformed", "checked after the file was taken")
    return day
