"""`POST /price-change`."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none
from api.http.converters.compare import from_api_offer
from api.http.converters.price import row_id_of
from api.http.schemas.changes import CHANGE_COLUMNS, ChangeIn, OfferAtIn
from api.http.wire import decode_row
from api.services.comparing.changes import ChangeToMeasure, MeasuredChange, Side
from api.services.comparing.compare import ComparedOffer
from economics.errors import PermillionError
from economics.method import METHOD_VERSION
from economics.periods import format_instant

_CHANGE: TypeAdapter[ChangeIn] = TypeAdapter(ChangeIn)


def from_api_change(value: Any, index: int) -> ChangeToMeasure:
    """One change of the request, or what is wrong with it."""
    try:
        change: ChangeIn = decode_row(_CHANGE, value)
    except PermillionError as error:
        return ChangeToMeasure(row_id_of(value, index), error=error)
    row_id = index if change.row_id is None else change.row_id
    return ChangeToMeasure(row_id, _side(change.before, index), _side(change.after, index))


def _side(offer: OfferAtIn, index: int) -> Side:
    return Side(from_api_offer(offer, index), offer.as_of)


def to_api_change(change: MeasuredChange, currency: str, catalog_version: str) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(CHANGE_COLUMNS)
    row["row_id"] = change.asked.row_id
    row["catalog_version"], row["method_version"] = catalog_version, METHOD_VERSION
    for name, side, offer in (
        ("before", change.asked.before, change.before),
        ("after", change.asked.after, change.after),
    ):
        if side is not None:
            row[f"{name}_offer"], row[f"{name}_as_of"] = side.offer.name.offer, format_instant(side.as_of)
        if offer is not None:
            row |= _to_api_side(name, offer)
    if change.error is None:
        row["currency"] = currency
        row["cost_change_ratio"] = text_or_none(change.cost)
        row["input_tokens_change_ratio"] = text_or_none(change.input_tokens)
        row["output_tokens_change_ratio"] = text_or_none(change.output_tokens)
        row["input_price_change_ratio"] = text_or_none(change.input_price)
        row["output_price_change_ratio"] = text_or_none(change.output_price)
    else:
        row["error_code"], row["error_detail"] = change.error.slug, change.error.detail
    row["warnings"] = ";".join(warnings_of(change))
    return row


def warnings_of(change: MeasuredChange) -> list[str]:
    """What the reader should know of either side."""
    sides = (change.before, change.after)
    return list(dict.fromkeys(code for side in sides if side is not None for code in side.warnings))


def _to_api_side(name: str, offer: ComparedOffer) -> dict[str, Any]:
    tokenizer, conversion = offer.prospect.tokenizer, offer.prospect.conversion
    found: dict[str, Any] = {
        f"{name}_tokenizer": None if tokenizer is None else tokenizer.tokenizer,
        f"{name}_count_method": None if tokenizer is None else tokenizer.method,
        f"{name}_price_source": None if offer.standing is None else "; ".join(offer.standing.sources),
    }
    if offer.overall is not None:
        cost = offer.overall.cost_per_query
        found[f"{name}_cost_per_query"] = (cost if conversion is None else cost * conversion.factor).to_text()
    return found
