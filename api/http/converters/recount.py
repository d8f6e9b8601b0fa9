"""`POST /recount`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none, to_api_standing
from api.http.converters.price import from_api_served, from_api_usage, offer_of, row_id_of, unknown_meter
from api.http.schemas.recount import RECOUNT_COLUMNS, RecountRowIn
from api.http.wire import decode_row
from api.services.offers import OfferName
from api.services.pricing import PricedUsage, UsageToPrice
from api.services.recounting import BilledText, RecountedRow, Side
from economics.context import format_context
from economics.errors import PermillionError
from economics.money import ZERO, Exact, exact
from economics.periods import format_instant

_ROW: TypeAdapter[RecountRowIn] = TypeAdapter(RecountRowIn)


def from_api_recount_row(value: Any, index: int, as_of: datetime) -> BilledText | PricedUsage:
    """One row of the request, or the answer that says what is wrong with it."""
    try:
        row: RecountRowIn = decode_row(_ROW, value)
        usage, queries = from_api_usage(row)
        served = from_api_served(row)
    except PermillionError as refused:
        error = unknown_meter({"usage": value.get("billed")} if isinstance(value, Mapping) else value) or refused
        return PricedUsage(row_id_of(value, index), offer_of(value), as_of, error=error)
    billed = UsageToPrice(
        index if row.row_id is None else row.row_id,
        OfferName(row.offer, row.price_book, row.context),
        row.as_of or as_of,
        usage,
        queries,
        served,
    )
    return BilledText(billed, row.input_text, row.output_text, row.system_text)


def to_api_recounted_row(answer: RecountedRow) -> dict[str, Any]:
    """A row: what was asked, then the recount, or the error; nulls elsewhere."""
    row: dict[str, Any] = dict.fromkeys(RECOUNT_COLUMNS)
    priced, error, tokenizer = answer.priced, answer.error, answer.tokenizer
    row["row_id"], row["offer"] = priced.row_id, priced.name.offer or None
    resolved = priced.resolved
    row["price_book"] = priced.name.price_book if resolved is None else resolved.offer.book.id
    row["context"] = format_context(priced.name.context) if resolved is None else resolved.context_text
    row["as_of"] = format_instant(priced.as_of)
    row["warnings"] = ";".join(answer.warnings)
    if tokenizer is not None:
        row["tokenizer"], row["count_method"] = tokenizer.tokenizer, tokenizer.method
    if error is not None:
        row["error_code"], row["error_detail"] = error.slug, error.detail
        if error.slug == "tokenizer-unavailable":
            row["count_method"] = "unavailable"
        return row
    row["frame_tokens"] = answer.frame_tokens
    if answer.given is not None:
        row |= _side(answer.given, "counted_input_tokens", "billed_input_tokens", "")
        row["tokens_low"], row["tokens_high"] = answer.given.counted.low, answer.given.counted.high
    if answer.output is not None:
        row |= _side(answer.output, "counted_output_tokens", "billed_output_tokens", "output_")
    row["status"] = "explained" if answer.explained else "unexplained"
    row["billed_cost"] = text_or_none(priced.total)
    row["recounted_cost"] = text_or_none(answer.recounted)
    row["cost_difference"] = text_or_none(answer.cost_difference)
    row["currency"] = priced.currency
    if priced.standing is not None:
        row |= {name: text for name, text in to_api_standing(priced.standing).items() if name in row}
    return row


def _side(side: Side, counted: str, billed: str, prefix: str) -> dict[str, Any]:
    tokens = side.counted.tokens
    return {
        counted: tokens,
        billed: side.billed,
        f"{prefix}difference": side.difference,
        f"{prefix}difference_ratio": (exact(side.difference) / exact(tokens)).to_text() if tokens else None,
        f"{prefix}explained_by": side.explained_by,
    }


def to_api_recount_totals(answers: Sequence[RecountedRow]) -> dict[str, Any]:
    """Sums over the rows that were recounted."""
    good = [answer for answer in answers if answer.error is None]
    given = [answer.given for answer in good if answer.given is not None]
    outputs = [answer.output for answer in good if answer.output is not None]
    money = [answer for answer in good if answer.recounted is not None]
    currencies = {answer.priced.currency for answer in money}
    totals: dict[str, Any] = {
        "recounted_rows": len(good),
        "unexplained_rows": sum(not answer.explained for answer in good),
        "error_rows": len(answers) - len(good),
        "counted_input_tokens": sum(side.counted.tokens for side in given),
        "billed_input_tokens": sum(side.billed for side in given),
        "difference": sum(side.difference for side in given),
        "counted_output_tokens": sum(side.counted.tokens for side in outputs),
        "billed_output_tokens": sum(side.billed for side in outputs),
        "output_difference": sum(side.difference for side in outputs),
        "priced_rows": len(money),
        **dict.fromkeys(_MONEY),
        "currency": currencies.pop() if len(currencies) == 1 else None,
        "complete": len(outputs) == len(money) == len(answers),
    }
    if totals["currency"] is not None:
        totals |= _money(money)
    return totals


_MONEY = (
    "billed_cost",
    "recounted_cost",
    "cost_difference",
    "explained_cost_difference",
    "unexplained_cost_difference",
)


def _money(answers: Sequence[RecountedRow]) -> dict[str, str]:
    nothing = Exact(ZERO)
    billed = sum((a.priced.total for a in answers if a.priced.total is not None), nothing)
    recounted = sum((a.recounted for a in answers if a.recounted is not None), nothing)
    explained = sum((a.cost_difference for a in answers if a.explained and a.cost_difference is not None), nothing)
    difference = billed - recounted
    sums = (billed, recounted, difference, explained, difference - explained)
    return {name: amount.to_text() for name, amount in zip(_MONEY, sums, strict=True)}
