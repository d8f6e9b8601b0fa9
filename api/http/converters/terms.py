"""Terms of `POST /prices` and rows of `GET /price-terms`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from api.http.schemas.terms import PRICE_TERM_COLUMNS, TermIn
from catalog.publishing import ClearedTerm, TermEntry
from catalog.term_history import TermRecord
from catalog.term_records import BOOK_PERIOD, PERIOD_KIND
from economics.context import format_context
from economics.contracts.months import CommitmentPeriod
from economics.contracts.terms import CommittedSpend, Credit, Discount, FreeAllowance, Scope
from economics.errors import PermillionError
from economics.money import format_decimal
from economics.periods import Period, format_instant

_COMMON: Final = frozenset({"id", "kind", "source", "order", "valid_from", "valid_to", "provider", "model", "note"})
_REQUIRED: Final = {
    "discount": ("discount_share", "source"),
    "free_allowance": ("meter", "quantity", "source"),
    "credit": ("amount", "source"),
    "committed_spend": ("amount", "per", "source"),
    "cleared": (),
}
_FIELDS: Final = {
    "discount": _COMMON | {"discount_share", "meters", "context", "base_only"},
    "free_allowance": _COMMON | {"meter", "quantity"},
    "credit": _COMMON | {"amount"},
    "committed_spend": _COMMON | {"amount", "per", "after_credits"},
    "cleared": frozenset({"id", "kind"}),
}


def from_api_terms(terms: Sequence[TermIn]) -> list[TermEntry]:
    """The terms of a request; the first that the domain refuses is an error with its pointer."""
    found: list[TermEntry] = []
    for index, term in enumerate(terms):
        try:
            found.append(_from_api_term(term))
        except PermillionError as error:
            raise PermillionError(error.slug, error.detail, pointer=f"/terms/{index}{error.pointer}") from None
    return found


def _from_api_term(term: TermIn) -> TermEntry:
    kind = term.kind
    for name in sorted(term.model_fields_set - _FIELDS[kind]):
        raise PermillionError("invalid-fields", f"a term of kind {kind} has no {name}", pointer=f"/{name}")
    for name in _REQUIRED[kind]:
        if getattr(term, name) is None:
            raise PermillionError("invalid-fields", f"required of a term of kind {kind}", pointer=f"/{name}")
    if kind == "cleared":
        return ClearedTerm(term.id)
    of_all: dict[str, Any] = {
        "id": term.id,
        "source": term.source,
        "order": term.order,
        "period": Period(term.valid_from, term.valid_to),
        "scope": Scope(term.provider, term.model),
        "note": term.note or "",
    }
    if kind == "discount":
        assert term.discount_share is not None
        if "price_book" in (term.context or {}):
            raise PermillionError("invalid-fields", "price_book stands beside context", pointer="/context/price_book")
        return Discount(
            **of_all,
            share=term.discount_share,
            meters=tuple(dict.fromkeys(term.meters or ())),
            conditions={name: (value,) for name, value in (term.context or {}).items()},
            base_only=bool(term.base_only),
        )
    if kind == "free_allowance":
        assert term.meter is not None
        assert term.quantity is not None
        return FreeAllowance(**of_all, meter=term.meter, quantity=term.quantity)
    assert term.amount is not None
    if kind == "credit":
        return Credit(**of_all, amount=term.amount)
    return CommittedSpend(
        **of_all, amount=term.amount, per=CommitmentPeriod(term.per), after_credits=bool(term.after_credits)
    )


def to_api_price_term(record: TermRecord) -> dict[str, Any]:
    """A row of `/price-terms`."""
    row: dict[str, Any] = dict.fromkeys(PRICE_TERM_COLUMNS)
    term, period = record.term, record.period
    row |= {
        "price_book": record.price_book,
        "id": BOOK_PERIOD if term is None else term.id,
        "kind": PERIOD_KIND if term is None else term.kind.value,
        "valid_from": None if period.valid_from is None else format_instant(period.valid_from),
        "valid_to": None if period.valid_to is None else format_instant(period.valid_to),
        "context": "",
        "meters": "",
        "currency": record.currency,
        "note": "",
        "recorded_at": format_instant(record.recorded_at),
        "superseded_at": None if record.superseded_at is None else format_instant(record.superseded_at),
    }
    if term is None:
        return row
    row |= {
        "order": term.order,
        "provider": term.scope.provider,
        "model": term.scope.model,
        "source": term.source,
        "note": term.note,
    }
    if isinstance(term, Discount):
        row["discount_share"], row["base_only"] = format_decimal(term.share), term.base_only
        row["meters"] = ";".join(term.meters)
        row["context"] = format_context({name: "|".join(values) for name, values in term.conditions.items()})
    elif isinstance(term, FreeAllowance):
        row["meter"], row["quantity"] = term.meter, format_decimal(term.quantity)
    elif isinstance(term, Credit):
        row["amount"] = format_decimal(term.amount)
    elif isinstance(term, CommittedSpend):
        row["amount"], row["per"] = format_decimal(term.amount), term.per.value
        row["after_credits"] = term.after_credits
    return row
