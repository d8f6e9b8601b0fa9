"""`POST /statement`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none, to_api_quantity
from api.http.converters.price import from_api_usage, offer_of, row_id_of, unknown_meter
from api.http.schemas.statement import StatementRowIn
from api.http.wire import decode_row
from api.services.offers import OfferName
from api.services.pricing import PricedUsage, UsageToPrice
from api.services.statement import MonthOfUsage, Statement
from economics.contracts.charges import TermLine
from economics.contracts.terms import TermKind
from economics.errors import PermillionError
from economics.money import Exact, format_decimal

_ROW: TypeAdapter[StatementRowIn] = TypeAdapter(StatementRowIn)


def from_api_statement_row(value: Any, index: int, price_book: str, start: datetime) -> UsageToPrice | PricedUsage:
    """One row of the request, or the answer that says what is wrong with it (`start` stands in for an instant never shown)."""
    try:
        row: StatementRowIn = decode_row(_ROW, value)
        usage, queries = from_api_usage(row)
    except PermillionError as refused:
        error = unknown_meter(value) or refused
        return PricedUsage(row_id_of(value, index), offer_of(value), start, error=error)
    name = OfferName(row.offer, price_book, row.context)
    return UsageToPrice(index if row.row_id is None else row.row_id, name, row.as_of, usage, queries)


def to_api_statement_line(line: TermLine, month: MonthOfUsage) -> dict[str, Any]:
    """A line of the answer."""
    term, rate = line.term, line.rate
    return {
        "term_id": term.id,
        "kind": term.kind.value,
        "order": term.order,
        "applied_to": line.applied_to,
        "row_id": line.row_id,
        "meter": line.meter,
        "quantity": None if line.quantity is None else to_api_quantity(line.quantity),
        "rate": None if rate is None else format_decimal(rate.rate),
        "per": None if rate is None else rate.row.per,
        "amount": _converted(line.amount, month).to_text(),
        "currency": month.currency,
        "native_amount": line.amount.to_text(),
        "native_currency": month.book.currency,
        "balance_before": text_or_none(line.balance_before),
        "balance_after": text_or_none(line.balance_after),
        "balance_unit": None if line.balance_before is None else line.balance_unit or month.book.currency,
        "source": term.source,
        "note": line.note,
    }


def to_api_totals(statement: Statement, month: MonthOfUsage) -> dict[str, Any]:
    """`totals` of the answer."""
    settled, conversion = statement.settlement, month.conversion
    amounts = {
        "undiscounted_cost": settled.undiscounted,
        "discounts": settled.total(TermKind.DISCOUNT),
        "contract_cost": settled.contract_cost,
        "allowances": settled.total(TermKind.FREE_ALLOWANCE),
        "credits": settled.total(TermKind.CREDIT),
        "reductions": settled.total(TermKind.FREE_ALLOWANCE, TermKind.CREDIT),
        "unused_commitment": settled.total(TermKind.COMMITTED_SPEND),
        "payable": settled.payable,
    }
    return {
        "list_cost": None if statement.list_cost is None else _converted(statement.list_cost, month).to_text(),
        "list_cost_detail": statement.list_cost_detail or None,
        **{name: _converted(amount, month).to_text() for name, amount in amounts.items()},
        "currency": month.currency,
        "native_payable": settled.payable.to_text(),
        "native_currency": month.book.currency,
        "fx_rate": None if conversion is None else conversion.factor.to_text(),
        "fx_as_of": None if conversion is None else conversion.as_of,
        "priced_rows": statement.priced_rows,
        "error_rows": statement.error_rows,
        "complete": not statement.error_rows,
    }


def _converted(amount: Exact, month: MonthOfUsage) -> Exact:
    return amount if month.conversion is None else amount * month.conversion.factor
