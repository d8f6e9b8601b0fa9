"""`POST /price`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none, to_api_quantity, to_api_standing
from api.http.schemas.price import PRICE_COLUMNS, PriceRowIn, UsageIn, UsageRowIn
from api.http.wire import decode_row
from api.services.offers import OfferName, Served
from api.services.pricing import PricedUsage, RowId, UsageToPrice
from economics.context import format_context
from economics.errors import PermillionError
from economics.meters import METERS
from economics.periods import format_instant
from economics.vendor_usage import served_by_vendor, usage_from_vendor

_ROW: TypeAdapter[PriceRowIn] = TypeAdapter(PriceRowIn)
_ORDER = {name: place for place, name in enumerate(UsageIn.model_fields)}
_NO_NAME = OfferName("", None, {})


def from_api_price_row(value: Any, index: int, as_of: datetime) -> UsageToPrice | PricedUsage:
    """One row of the request, or the answer that says what is wrong with it."""
    try:
        row: PriceRowIn = decode_row(_ROW, value)
        usage, queries = from_api_usage(row)
        served = from_api_served(row)
    except PermillionError as refused:
        error = unknown_meter(value) or refused
        return PricedUsage(row_id_of(value, index), offer_of(value), as_of, error=error)
    return UsageToPrice(
        index if row.row_id is None else row.row_id,
        OfferName(row.offer, row.price_book, row.context),
        row.as_of or as_of,
        usage,
        queries,
        served,
    )


def unknown_meter(value: Any) -> PermillionError | None:
    """Which meters there are, where a row counts something else."""
    usage = value.get("usage") if isinstance(value, Mapping) else None
    if not isinstance(usage, Mapping) or usage.keys() <= UsageIn.model_fields.keys():
        return None
    return PermillionError("unknown-meter", f"usage counts {', '.join(METERS)}", pointer="/usage")


def from_api_usage(row: UsageRowIn) -> tuple[dict[str, Decimal | int], Sequence[str] | None]:
    """Quantities by meter and the texts of searches, from either form of usage."""
    if row.usage is None:
        return dict(usage_from_vendor(row.usage_format or "", row.vendor_usage or {})), None
    given: dict[str, Any] = row.usage.__dict__
    # the fields that were set are a set: in its order the lines of a bill would differ from process to process
    names = sorted(row.usage.model_fields_set, key=_ORDER.__getitem__)
    usage = {name: given[name] for name in names if given[name] is not None}
    if not usage:
        raise PermillionError("invalid-usage", "nothing is counted; a count that is 0 is written 0", pointer="/usage")
    return usage, usage.pop("web_search_queries", None)


def from_api_served(row: PriceRowIn) -> Served | None:
    """What the caller or the vendor's usage object says was served, None where neither says anything."""
    stated = row.served_context or {}
    said = {} if row.vendor_usage is None else served_by_vendor(row.usage_format or "", row.vendor_usage, stated)
    return Served(stated, said) if stated or said else None


def row_id_of(value: Any, index: int) -> RowId:
    """The caller's id of a row that may be malformed, else its index."""
    row_id = value.get("row_id") if isinstance(value, Mapping) else None
    usable = isinstance(row_id, str | int) and not isinstance(row_id, bool) and _is_plain(str(row_id), 200)
    return row_id if usable else index  # type: ignore[return-value]


def offer_of(value: Any) -> OfferName:
    """The offer of a row that may be malformed, as far as it can be read."""
    offer = value if isinstance(value, str) else value.get("offer") if isinstance(value, Mapping) else None
    return OfferName(offer, None, {}) if isinstance(offer, str) and _is_plain(offer, 300) else _NO_NAME


def _is_plain(text: str, most: int) -> bool:
    """Whether an answer can repeat `text`: not too long, and no lone surrogate in it."""
    return len(text) <= most and not any("\ud800" <= character <= "\udfff" for character in text)


def to_api_price_row(answer: PricedUsage, lines: bool) -> dict[str, Any]:
    """A row of the answer: flat, always the same columns."""
    row: dict[str, Any] = dict.fromkeys(PRICE_COLUMNS)
    resolved, error = answer.resolved, answer.error
    row["row_id"] = answer.row_id
    row["offer"] = answer.name.offer or None
    row["price_book"] = answer.name.price_book if resolved is None else resolved.offer.book.id
    row["context"] = format_context(answer.name.context) if resolved is None else resolved.context_text
    row["served_context"] = "" if resolved is None else resolved.served_text
    row["as_of"] = format_instant(answer.as_of)
    row["warnings"] = ";".join(answer.warnings)
    if error is not None:
        row["error_code"], row["error_detail"] = error.slug, error.detail
    if answer.bill is not None:
        row["total"] = text_or_none(answer.total)
        row["currency"] = answer.currency
        row["native_currency"] = answer.native_currency
        row["native_total"] = row["total"]
    if answer.conversion is not None and answer.bill is not None:
        row["native_total"] = answer.bill.total.to_text()
        row["fx_rate"], row["fx_as_of"] = answer.conversion.factor.to_text(), answer.conversion.as_of
    if answer.standing is not None:
        row |= to_api_standing(answer.standing)
    if lines:
        row["lines"] = (
            None
            if answer.bill is None
            else [
                {
                    "meter": line.meter,
                    "quantity": to_api_quantity(line.quantity),
                    "rate": to_api_quantity(line.rate.rate),
                    "per": line.rate.row.per,
                    "cost": line.cost.to_text(),
                }
                for line in answer.bill.lines
            ]
        )
    return row
