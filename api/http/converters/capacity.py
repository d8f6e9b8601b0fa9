"""`POST /capacity`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none, to_api_offer_cost
from api.http.converters.price import row_id_of
from api.http.schemas.capacity import CAPACITY_COLUMNS, CapacityRowIn
from api.http.wire import decode_row
from api.services.margins import OfferUse
from api.services.offers import OfferName
from api.services.reserving.capacity import CapacityResult
from api.services.reserving.question import Cap, CapacityQuestion
from economics.capacity.case import TermCost
from economics.capacity.overflow import LoadPeriod
from economics.capacity.sizing import QueryLoad
from economics.capacity.terms import Runs, TermPrice
from economics.context import format_context
from economics.errors import PermillionError
from economics.method import METHOD_VERSION
from economics.money import Exact, exact, format_decimal
from economics.periods import format_instant
from providers.capacity_rules import CapacityRule

_ROW: TypeAdapter[CapacityRowIn] = TypeAdapter(CapacityRowIn)
_EXACT = (
    "peak_queries", "input_weight", "cached_input_weight", "output_weight", "per_unit", "hours_per_month",
    "billing_increment_minutes", "minimum_minutes", "queries_per_month", "mean_load_ratio", "payg_cost_per_query",
)  # fmt: skip
_AS_IT_IS = ("rule", "unit", "measure", "window", "units", "minimum_units", "unit_increment", "term")


def from_api_capacity_row(value: Any, index: int, as_of: datetime, tax: str) -> CapacityQuestion:
    """One row of the request, or what is wrong with it."""
    try:
        row: CapacityRowIn = decode_row(_ROW, value)
        offer = _offer_of(row, row.as_of or as_of, tax)
    except PermillionError as error:
        return CapacityQuestion(row_id_of(value, index), error=error)
    stated: dict[str, Any] = {name: getattr(row, name) for name in _AS_IT_IS}
    amounts = {name: getattr(row, name) for name in _EXACT}
    stated |= {name: Exact(amount) for name, amount in amounts.items() if amount is not None}
    return CapacityQuestion(
        index if row.row_id is None else row.row_id,
        query=QueryLoad(Exact(row.input_per_query), Exact(row.cached_input_per_query), Exact(row.output_per_query)),
        caps=[
            Cap(cap.dimension, Exact(cap.per_unit), None if cap.need is None else Exact(cap.need)) for cap in row.caps
        ],
        terms=[TermPrice(term.term, Exact(term.price_per_unit), term.per) for term in row.terms],
        runs=[Runs(Exact(run.minutes), Exact(run.startup_minutes), Exact(run.count)) for run in row.runs],
        profile=[LoadPeriod(Exact(period.hours), Exact(period.queries)) for period in row.profile],
        payg_prices=_payg_of(row),
        offer=offer,
        **stated,
    )


def _payg_of(row: CapacityRowIn) -> tuple[Exact, Exact, Exact] | None:
    if row.payg_price_per_mtok_input is None or row.payg_price_per_mtok_output is None:
        return None
    if row.payg_price_per_mtok_cached_input is None:
        cached = row.payg_price_per_mtok_input
    else:
        cached = row.payg_price_per_mtok_cached_input
    return Exact(row.payg_price_per_mtok_input), Exact(cached), Exact(row.payg_price_per_mtok_output)


def _offer_of(row: CapacityRowIn, as_of: datetime, tax: str) -> OfferUse | None:
    if row.offer is None:
        return None
    counts = {
        "input_tokens": row.input_per_query,
        "cache_read_tokens": row.cached_input_per_query,
        "output_tokens": row.output_per_query,
    }
    if any(count != count.to_integral_value() for count in counts.values()):
        raise PermillionError(
            "invalid-usage", "the usage of an offer is one of a request: whole counts", pointer="/offer"
        )
    usage = {name: int(count) for name, count in counts.items() if count}
    return OfferUse(OfferName(row.offer, row.price_book, row.context), as_of, usage, tax == "excluded")


def to_api_capacity_row(result: CapacityResult, currency: str, as_of: datetime, version: str) -> dict[str, Any]:
    """A row of the answer: flat, always the same columns."""
    row: dict[str, Any] = dict.fromkeys(CAPACITY_COLUMNS)
    asked = result.asked
    row |= {
        "row_id": asked.row_id,
        "currency": currency,
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
    row |= _sized(result)
    row |= {"unit": asked.unit, "measure": asked.measure or "tokens", "window": asked.window}
    rule = result.rule
    if rule is not None:
        row |= {"rule": rule.id, "unit": asked.unit or rule.unit, "measure": rule.measure, "window": rule.window}
        row |= {"rule_source": rule.source, "rule_checked_on": rule.checked_on.isoformat(), "rule_note": rule.note}
    if result.chosen is not None:
        row |= _costs(result.chosen)
    row["unrounded_cost"] = text_or_none(result.unrounded_cost)
    row |= _by_use(result)
    return row if result.offer_cost is None else row | to_api_offer_cost(result.offer_cost)


def _sized(result: CapacityResult) -> dict[str, Any]:
    case = result.case
    assert case is not None
    sizing, weights, peak = case.sizing, result.weights, case.peak_queries
    weighted = None if weights is None else result.per_query
    binding = sizing.binding if sizing.dimensions else None
    figures: dict[str, Exact | None] = {
        "peak_queries": peak,
        "weighted_per_query": weighted,
        "weighted_at_peak": None if weighted is None or peak is None else weighted * peak,
        "raw_units": None if binding is None else binding.raw_units,
        "required_units": None if result.required_units is None else exact(result.required_units),
        "units": exact(sizing.units),
        "minimum_units": exact(sizing.minimum),
        "unit_increment": exact(sizing.increment),
        "input_weight": None if weights is None else weights.input,
        "cached_input_weight": None if weights is None else weights.cached_input,
        "output_weight": None if weights is None else weights.output,
        "capacity_queries": case.capacity_queries,
        "hours_per_month": case.hours,
        "billed_minutes": result.minutes,
        "paid_hours": case.paid_hours,
        "peak_month_queries": case.peak_month_queries,
    }
    return {"binding_dimension": None if binding is None else binding.name} | {
        name: text_or_none(value) for name, value in figures.items()
    }


def _costs(term: TermCost) -> dict[str, Any]:
    known = term.total_low is not None and term.total_low == term.total_high
    return to_api_term(term) | {
        "total_cost": text_or_none(term.total_low) if known else None,
        "cost_per_query": text_or_none(term.cost_per_query_low) if known else None,
    }


def _by_use(result: CapacityResult) -> dict[str, Any]:
    case = result.case
    assert case is not None
    served, payg = case.served(), case.payg_cost_per_query
    spent = None if served is None or payg is None else served.queries * payg
    cheaper = None
    if spent is not None and result.chosen is not None:
        low, high = result.chosen.total_low, result.chosen.total_high
        if low is not None and high is not None:
            cheaper = "capacity" if high < spent else "payg" if spent < low else "equal" if low == high else None
    return {
        "queries": None if served is None else served.queries.to_text(),
        "overflow_queries_low": None if served is None else served.overflow_low.to_text(),
        "overflow_queries_high": None if served is None else served.overflow_high.to_text(),
        "payg_cost_per_query": text_or_none(payg),
        "payg_cost": text_or_none(spent),
        "cheaper": cheaper,
    }


def to_api_term(term: TermCost) -> dict[str, Any]:
    """What a month under a term costs."""
    return {
        "term": term.price.term,
        "per": term.price.per,
        "price_per_unit": term.price.price_per_unit.to_text(),
        "capacity_cost": term.capacity_cost.to_text(),
        "total_cost_low": text_or_none(term.total_low),
        "total_cost_high": text_or_none(term.total_high),
        "cost_per_query_low": text_or_none(term.cost_per_query_low),
        "cost_per_query_high": text_or_none(term.cost_per_query_high),
        "cost_per_million_at_peak": text_or_none(term.cost_per_million_at_peak),
        "break_even_queries": text_or_none(term.break_even_queries),
        "break_even_ratio": text_or_none(term.break_even_ratio),
    }


def to_api_sizing(result: CapacityResult) -> list[dict[str, Any]]:
    """Each dimension with the steps that led to units, so that a figure of a vendor's calculator can be compared."""
    if result.case is None:
        return []
    sizing = result.case.sizing
    minimum, increment = format_decimal(sizing.minimum), format_decimal(sizing.increment)
    required = "" if result.required_units is None else format_decimal(result.required_units)
    return [
        {
            "row_id": result.asked.row_id,
            "dimension": each.name,
            "need": each.need.to_text(),
            "per_unit": each.per_unit.to_text(),
            "raw_units": each.raw_units.to_text(),
            "whole_units": format_decimal(each.whole_units),
            "explanation": f"ceil({each.need.to_text()} / {each.per_unit.to_text()}) = {format_decimal(each.whole_units)}; "
            f"of all dimensions the most, at least {minimum}, in steps of {increment}: {required}",
        }
        for each in sizing.dimensions
    ]


def to_api_rule(rule: CapacityRule) -> dict[str, Any]:
    """A row of `/capacity-rules`."""
    cached = rule.cached_input_weight
    return {
        "rule": rule.id,
        "unit": rule.unit,
        "measure": rule.measure,
        "window": rule.window,
        "per_unit": format_decimal(rule.per_unit),
        "input_weight": format_decimal(rule.input_weight),
        "cached_input_weight": None if cached is None else format_decimal(cached),
        "output_weight": format_decimal(rule.output_weight),
        "minimum_units": format_decimal(rule.minimum_units),
        "unit_increment": format_decimal(rule.unit_increment),
        "source": rule.source,
        "url": rule.url,
        "checked_on": rule.checked_on.isoformat(),
        "note": rule.note,
    }
