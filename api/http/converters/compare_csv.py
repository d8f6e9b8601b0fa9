"""`POST /compare.csv`: a line is one text (or its counts) at one offer, named as the parameters of `GET /compare` are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from api.http.converters.compare import from_api_compare, to_api_compare_rows
from api.http.converters.price import offer_of, row_id_of
from api.http.csv_in import CsvTable
from api.http.problems import InvalidFieldsError
from api.http.schemas.compare import CompareRequest
from api.http.wire import decode_model
from api.services.comparing.compare import ComparedOffer, Prospect
from api.services.comparing.question import Comparison, OfferToCompare
from api.services.offers import split_compact
from catalog.snapshot import Snapshot
from economics.context import CONTEXT_KEYS
from economics.errors import PermillionError

_OFFER: Final = ("row_id", "offer", "price_book", "discount_share", "tokenizer")
_SAMPLE: Final = {
    "text": "input_text",
    "input_tokens": "input_tokens",
    "output_text": "output_text",
    "system_text": "system_text",
}
_WORKLOAD: Final = {
    "output_tokens": "output_tokens_per_query",
    "output_characters": "output_characters_per_query",
    "reasoning_tokens_per_query": "reasoning_tokens_per_query",
    "queries_per_month": "queries_per_month",
    "cached_input_share": "cached_input_share",
    "batch_share": "batch_share",
    "retry_share": "retry_share",
}
_BESIDE: Final = ("revenue_per_query", "as_of")
_ASKED: Final = (*_SAMPLE, *_WORKLOAD, *_BESIDE)
_COLUMNS: Final = {field: column for column, field in (_SAMPLE | _WORKLOAD).items()}
_DECIMALS: Final = frozenset(
    {"discount_share", "queries_per_month", "cached_input_share", "batch_share", "retry_share", "revenue_per_query"}
)
COMPARE_CSV_COLUMNS: Final = (*_OFFER, *CONTEXT_KEYS, *_ASKED)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for all lines: the offer of those that name none, and the fields of the body beside the rows."""

    offer: str | None
    as_of: datetime
    beside: Mapping[str, Any]
    decimal: Literal["point", "comma"] = "point"


@dataclass(frozen=True, slots=True)
class LinesAlike:
    """The lines that ask the same of several offers; these are ranked among each other."""

    lines: Sequence[int]
    question: Comparison


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be asked, and why."""

    line: int
    offer: OfferToCompare
    error: PermillionError


def from_csv_compare(table: CsvTable, defaults: Defaults, snapshot: Snapshot) -> Iterator[LinesAlike | BadLine]:
    """The questions of a table; lines whose cells differ in the offer's columns only are one question."""
    alike: dict[tuple[str | None, ...], list[tuple[int, dict[str, str]]]] = {}
    for index, line in enumerate(table.lines):
        cells = {column: cell for column, cell in zip(table.columns, line, strict=False) if cell != ""}
        if defaults.offer is not None:
            cells.setdefault("offer", defaults.offer)
        if len(line) != len(table.columns):
            error = PermillionError("invalid-fields", f"{len(line)} cells; the header has {len(table.columns)}")
            yield _bad(index, cells, error)
            continue
        if defaults.decimal == "comma":
            cells |= {name: cells[name].replace(",", ".", 1) for name in _DECIMALS & cells.keys()}
        alike.setdefault(tuple(map(cells.get, _ASKED)), []).append((index, cells))
    for lines in alike.values():
        try:
            question = _question(lines, defaults, snapshot)
        except PermillionError as error:
            named = PermillionError(error.slug, _by_column(error))
            yield from (_bad(index, cells, named) for index, cells in lines)
        else:
            yield LinesAlike([index for index, _ in lines], question)


def _question(lines: Sequence[tuple[int, Mapping[str, str]]], defaults: Defaults, snapshot: Snapshot) -> Comparison:
    cells = lines[0][1]
    body = {
        **defaults.beside,
        "samples": [{"name": "0", **{field: cells[column] for column, field in _SAMPLE.items() if column in cells}}],
        "workload": {field: cells[column] for column, field in _WORKLOAD.items() if column in cells},
        "offers": [_offer(index, own, snapshot) for index, own in lines],
        **{name: cells[name] for name in _BESIDE if name in cells},
    }
    return from_api_compare(decode_model(CompareRequest, body), snapshot, defaults.as_of)


def _offer(index: int, cells: Mapping[str, str], snapshot: Snapshot) -> dict[str, Any]:
    """A line's offer as an entry of `offers`; the compact `provider/model@book` is read here, too."""
    offer: dict[str, Any] = {"row_id": index} | {name: cells[name] for name in _OFFER if name in cells}
    offer["context"] = {name: cells[name] for name in CONTEXT_KEYS if name in cells}
    if "offer" in offer:
        offer["offer"], book = split_compact(offer["offer"], snapshot)
        if book is not None:
            offer.setdefault("price_book", book)
    return offer


def _by_column(error: PermillionError) -> str:
    """What is wrong, said of the column instead of the place in a body that the caller never wrote."""
    if not isinstance(error, InvalidFieldsError):
        return error.detail
    said = []
    for pointer, detail in error.errors:
        field = pointer.rpartition("/")[2]
        column = _COLUMNS.get(field, field if field in COMPARE_CSV_COLUMNS else "")
        said.append(f"{column}: {detail}" if column else detail.replace("input_text", "text"))
    return "; ".join(said)


def _bad(index: int, cells: Mapping[str, str], error: PermillionError) -> BadLine:
    return BadLine(index, OfferToCompare(row_id_of(cells, index), offer_of(cells)), error)


def to_csv_compare_rows(
    asked: LinesAlike, offers: Sequence[ComparedOffer], catalog_version: str
) -> dict[int, dict[str, Any]]:
    """The answer of each line of a question, by the number of the line; `offers` in the order of the lines."""
    rows = to_api_compare_rows(offers, asked.question, catalog_version, detail=False)
    return dict(zip(asked.lines, rows, strict=True))


def to_csv_bad_row(line: BadLine, as_of: datetime, catalog_version: str) -> dict[str, Any]:
    """The row of a line that is no question."""
    refused = ComparedOffer(Prospect(line.offer), error=line.error)
    (row,) = to_api_compare_rows([refused], Comparison([], [], as_of), catalog_version, detail=False)
    return row
