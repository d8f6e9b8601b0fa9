"""`POST /blended-price`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none, to_api_standing
from api.http.converters.price import offer_of, row_id_of
from api.http.schemas.blended import BLENDED_COLUMNS, BlendedOfferIn, BlendedRequest
from api.http.wire import decode_row
from api.services.blending import BlendedOffer, OfferToBlend
from api.services.offers import OfferName
from economics.blended import MIXES, Weights
from economics.context import format_context
from economics.errors import PermillionError
from economics.method import METHOD_VERSION
from economics.money import format_decimal
from economics.periods import format_instant

_ROW: TypeAdapter[BlendedOfferIn] = TypeAdapter(BlendedOfferIn)


def from_api_mix(request: BlendedRequest) -> tuple[str, Weights]:
    """Name and weights of the mix: a quoted one, or the caller's own as `meter=weight;…`."""
    if request.weights is None:
        name = request.mix or "3:1"
        return name, MIXES[name]
    weights = {name: value for name, value in request.weights.model_dump().items() if value}
    return ";".join(f"{name}={format_decimal(value)}" for name, value in weights.items()), weights


def from_api_offer_to_blend(value: Any, index: int, as_of: datetime) -> OfferToBlend:
    """One row of the request, or what is wrong with it."""
    try:
        row: BlendedOfferIn = decode_row(_ROW, value)
    except PermillionError as error:
        return OfferToBlend(row_id_of(value, index), offer_of(value), as_of, error)
    row_id = index if row.row_id is None else row.row_id
    return OfferToBlend(row_id, OfferName(row.offer, row.price_book, row.context), row.as_of or as_of)


def to_api_blended(blended: BlendedOffer, mix: str, currency: str | None, catalog_version: str) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(BLENDED_COLUMNS)
    asked, resolved = blended.asked, blended.resolved
    row["row_id"], row["offer"], row["mix"] = asked.row_id, asked.name.offer or None, mix
    row["price_book"] = asked.name.price_book if resolved is None else resolved.offer.book.id
    row["context"] = format_context(asked.name.context) if resolved is None else resolved.context_text
    row["as_of"] = format_instant(asked.as_of)
    row["catalog_version"], row["method_version"] = catalog_version, METHOD_VERSION
    row["warnings"] = ";".join(blended.warnings)
    if blended.error is not None:
        row["error_code"], row["error_detail"] = blended.error.slug, blended.error.detail
        return row
    row["blended_price_per_mtok"] = text_or_none(blended.converted)
    row["currency"] = currency or blended.native_currency
    row["native_blended_price_per_mtok"] = text_or_none(blended.native)
    row["native_currency"] = blended.native_currency
    if blended.conversion is not None:
        row["fx_rate"], row["fx_as_of"] = blended.conversion.factor.to_text(), blended.conversion.as_of
    if blended.standing is not None:
        row |= to_api_standing(blended.standing)
    return row
