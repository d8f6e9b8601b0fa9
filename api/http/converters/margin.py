"""`POST /margin`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none, to_api_offer_cost
from api.http.converters.price import row_id_of
from api.http.schemas.margin import MARGIN_COLUMNS, MarginRowIn, MeanUsageIn
from api.http.schemas.price import MEASURED_METERS
from api.http.wire import decode_row
from api.services.margins import MarginQuestion, MarginResult, OfferUse
from api.services.offers import OfferName
from economics.context import format_context
from economics.errors import PermillionError
from economics.margins.case import NOTHING, MarginCase, tokens_of_query
from economics.margins.statement import MarginStatement
from economics.margins.targets import Volumes
from economics.method import METHOD_VERSION
from economics.money import Exact
from economics.periods import format_instant
from economics.usage import complete_usage

_ROW: TypeAdapter[MarginRowIn] = TypeAdapter(MarginRowIn)
_AMOUNTS: Final = tuple(name for name in MarginCase.__dataclass_fields__ if name in MarginRowIn.model_fields)
_TOKENS: Final = ("input_tokens", "cache_read_tokens", "output_tokens", "reasoning_tokens")


def from_api_margin_row(value: Any, index: int, as_of: datetime, tax: str) -> MarginQuestion:
    """One row of the request, or what is wrong with it."""
    try:
        row: MarginRowIn = decode_row(_ROW, value)
        usage = _usage_of(row)
        amounts = {name: getattr(row, name) for name in _AMOUNTS}
        fields: dict[str, Any] = {name: Exact(amount) for name, amount in amounts.items() if amount is not None}
        whole, cached, said, reasoned = (Exact(Decimal(usage.get(name, 0))) for name in _TOKENS)
        fields |= tokens_of_query(whole, cached, said, reasoned, Exact(row.reasoning_tokens_per_query))
        offer = _offer_of(row, usage, row.as_of or as_of, tax)
    except PermillionError as error:
        return MarginQuestion(row_id_of(value, index), error=error)
    target = None if row.target_margin_ratio is None else Exact(row.target_margin_ratio)
    return MarginQuestion(index if row.row_id is None else row.row_id, MarginCase(**fields), offer, target)


def _usage_of(row: MarginRowIn) -> dict[str, Decimal | int]:
    """The counts of one query, parents filled in; whole ones for an offer, whose tiers and fees are of requests."""
    given = {} if row.usage is None else row.usage.__dict__
    usage: dict[str, Decimal | int] = {}
    for name in MeanUsageIn.model_fields:
        amount = given.get(name)
        if amount is None:
            continue
        whole = amount == amount.to_integral_value()
        if row.offer is not None and not whole and name not in MEASURED_METERS:
            raise PermillionError(
                "invalid-usage", "the usage of an offer is one of a request: whole counts", pointer=f"/usage/{name}"
            )
        if row.offer is None and name not in _TOKENS:
            raise PermillionError("invalid-usage", "only an offer has a price for this meter", pointer=f"/usage/{name}")
        usage[name] = int(amount) if row.offer is not None and whole else amount
    return complete_usage(usage)


def _offer_of(row: MarginRowIn, usage: Mapping[str, Decimal | int], as_of: datetime, tax: str) -> OfferUse | None:
    if row.offer is None:
        if row.price_book is not None or row.context:
            raise PermillionError("invalid-fields", "price_book and context belong to an offer", pointer="/offer")
        return None
    reasoning = row.reasoning_tokens_per_query
    if reasoning != reasoning.to_integral_value():
        raise PermillionError(
            "invalid-usage",
            "the usage of an offer is one of a request: whole counts",
            pointer="/reasoning_tokens_per_query",
        )
    billed = dict(usage)
    if reasoning:
        for name in ("output_tokens", "reasoning_tokens"):
            billed[name] = billed.get(name, 0) + int(reasoning)
    return OfferUse(OfferName(row.offer, row.price_book, row.context), as_of, billed, tax == "excluded")


def to_api_margin_row(
    result: MarginResult, currency: str, as_of: datetime, swing: Exact, version: str
) -> dict[str, Any]:
    """A row of the answer: flat, always the same columns."""
    row: dict[str, Any] = dict.fromkeys(MARGIN_COLUMNS)
    asked = result.asked
    row |= {
        "row_id": asked.row_id,
        "currency": currency,
        "swing_share": swing.to_text(),
        "target_margin_ratio": text_or_none(asked.target),
        "reasons": ";".join(result.reasons),
        "context": "",
        "as_of": format_instant(as_of if asked.offer is None else asked.offer.as_of),
        "catalog_version": version,
        "method_version": METHOD_VERSION,
        "warnings": ";".join(result.warnings),
    }
    if asked.offer is not None:
        name = asked.offer.name
        row |= {"offer": name.offer, "price_book": name.price_book, "context": format_context(name.context)}
    if result.error is not None:
        row["error_code"], row["error_detail"] = result.error.slug, result.error.detail
        return row
    assert result.statement is not None
    row |= _figures(result.statement)
    row |= _targets(result)
    if result.tokens is not None:
        row["input_margin_ratio"] = text_or_none(result.tokens.input_ratio)
        row["cached_input_margin_ratio"] = text_or_none(result.tokens.cached_input_ratio)
        row["output_margin_ratio"] = text_or_none(result.tokens.output_ratio)
    if result.sensitivity:
        row["most_sensitive_input"] = result.sensitivity[0].name
        row["most_sensitive_swing"] = result.sensitivity[0].swing.to_text()
    return row if result.cost is None else row | to_api_offer_cost(result.cost)


def _figures(statement: MarginStatement) -> dict[str, str | None]:
    case, query = statement.case, statement.query
    figures: dict[str, Exact | None] = {
        "queries": statement.queries,
        "seats": case.seats,
        "revenue": statement.revenue,
        "inference_cost": statement.inference_cost,
        "commitment_shortfall_cost": statement.commitment_shortfall,
        "payment_fees": statement.payment_fees,
        "support": statement.support,
        "hosting": statement.hosting,
        "cogs": statement.cogs,
        "gross_profit": statement.gross_profit,
        "gross_margin_ratio": statement.gross_margin_ratio,
        "markup_ratio": statement.markup_ratio,
        "revenue_per_query": statement.per_query(statement.revenue),
        "list_cost_per_query": query.listed,
        "contracted_cost_per_query": query.contracted,
        "cost_per_query": query.effective,
        "cogs_per_query": statement.per_query(statement.cogs),
        "inference_cost_per_accepted": statement.per_accepted(statement.inference_cost),
        "cogs_per_accepted": statement.per_accepted(statement.cogs),
        "inference_efficiency_ratio": statement.inference_efficiency_ratio,
        "inference_share": statement.inference_share,
        "commitment_multiplier": statement.commitment_multiplier,
    }
    return {"period": "query" if case.queries is None else "month"} | {
        name: text_or_none(value) for name, value in figures.items()
    }


def _targets(result: MarginResult) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    if result.target is not None:
        found["target_price"], found["target_unit"] = text_or_none(result.target.price), result.target.unit
        found["target_price_multiplier"] = text_or_none(result.target.multiplier)
        found["target_revenue"] = result.target.revenue.to_text()
    seats = result.asked.case.seats
    found |= _volumes(result.break_even, seats, "break_even_{}_queries", "break_even_queries_per_seat")
    return found | _volumes(result.target_volumes, seats, "target_{}_queries", "max_queries_per_seat")


def _volumes(volumes: Volumes | None, seats: Exact | None, column: str, per_seat: str) -> dict[str, str | None]:
    if volumes is None:
        return {}
    most = volumes.most
    return {
        column.format("min"): text_or_none(volumes.least),
        column.format("max"): text_or_none(most),
        per_seat: (most / seats).to_text() if most is not None and seats else None,
    }


def to_api_swings(result: MarginResult) -> list[dict[str, Any]]:
    """The sensitivity of one row, an entry an input."""
    return [
        {
            "row_id": result.asked.row_id,
            "place": place,
            "input": swing.name,
            "value": swing.value.to_text(),
            "low_value": swing.low_value.to_text(),
            "high_value": swing.high_value.to_text(),
            "gross_margin_ratio_at_low": text_or_none(swing.margin_at_low),
            "gross_margin_ratio_at_high": text_or_none(swing.margin_at_high),
            "swing": swing.swing.to_text(),
        }
        for place, swing in enumerate(result.sensitivity, 1)
    ]


def to_api_query_lines(result: MarginResult) -> list[dict[str, Any]]:
    """The cost of one query by meter."""
    if result.statement is None:
        return []
    query = result.statement.query
    whole = query.effective if query.effective != NOTHING else None
    return [
        {
            "row_id": result.asked.row_id,
            "meter": meter,
            "cost_per_query": cost.to_text(),
            "cost_share": None if whole is None else (cost / whole).to_text(),
        }
        for meter, cost in query.lines
    ]
