"""Terms of contracts between domain values and columns, both ways."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from catalog.records import fingerprint
from economics.contracts.contract import Contract
from economics.contracts.months import CommitmentPeriod
from economics.contracts.terms import CommittedSpend, Credit, Discount, FreeAllowance, Scope, Term, TermKind
from economics.errors import PermillionError
from economics.money import format_decimal
from economics.periods import Period
from economics.prices import ALWAYS

BOOK_PERIOD: Final = "*"
"""Key under which the period of a book itself stands among its terms; no term can have it as its id."""
PERIOD_KIND: Final = "book_period"


def to_db_term(term: Term) -> dict[str, Any]:
    """The content columns of a term, with their fingerprint."""
    said: dict[str, Any] = {
        "source": term.source,
        "order": term.order,
        "provider": term.scope.provider,
        "model": term.scope.model,
        "note": term.note,
    }
    if isinstance(term, Discount):
        said |= {
            "share": format_decimal(term.share),
            "meters": sorted(term.meters),
            "conditions": {name: sorted(values) for name, values in term.conditions.items()},
            "base_only": term.base_only,
        }
    elif isinstance(term, FreeAllowance):
        said |= {"meter": term.meter, "quantity": format_decimal(term.quantity)}
    elif isinstance(term, Credit):
        said["amount"] = format_decimal(term.amount)
    elif isinstance(term, CommittedSpend):
        said |= {
            "amount": format_decimal(term.amount),
            "per": term.per.value,
            "after_credits": term.after_credits,
        }
    return _columns(term.id, term.kind.value, said, term.period)


def to_db_book_period(period: Period) -> dict[str, Any]:
    """The content columns of a book's own period."""
    return _columns(BOOK_PERIOD, PERIOD_KIND, {}, period)


def _columns(key: str, kind: str, said: dict[str, Any], period: Period) -> dict[str, Any]:
    columns = {
        "term_key": key,
        "kind": kind,
        "term": said,
        "valid_from": period.valid_from,
        "valid_to": period.valid_to,
    }
    return columns | {"fingerprint": fingerprint(columns)}


def from_db_term(stored: Any) -> Term:
    """The term of a stored row, which is not the period of a book."""
    said = stored.term
    of_all: dict[str, Any] = {
        "id": stored.term_key,
        "source": said["source"],
        "order": said["order"],
        "period": Period(stored.valid_from, stored.valid_to),
        "scope": Scope(said["provider"], said["model"]),
        "note": said["note"],
    }
    match TermKind(stored.kind):
        case TermKind.DISCOUNT:
            return Discount(
                **of_all,
                share=Decimal(said["share"]),
                meters=tuple(said["meters"]),
                conditions={name: tuple(values) for name, values in said["conditions"].items()},
                base_only=said["base_only"],
            )
        case TermKind.FREE_ALLOWANCE:
            return FreeAllowance(**of_all, meter=said["meter"], quantity=Decimal(said["quantity"]))
        case TermKind.CREDIT:
            return Credit(**of_all, amount=Decimal(said["amount"]))
        case TermKind.COMMITTED_SPEND:
            per = CommitmentPeriod(said["per"])
            return CommittedSpend(
                **of_all, amount=Decimal(said["amount"]), per=per, after_credits=said["after_credits"]
            )


def from_db_contract(book: str, stored: Iterable[Any]) -> Contract:
    """The contract of the believed rows of one book."""
    period, terms = ALWAYS, []
    for row in stored:
        if row.kind == PERIOD_KIND:
            period = Period(row.valid_from, row.valid_to)
        else:
            terms.append(from_db_term(row))
    return Contract(book, period, tuple(terms))


def check_order(order: int) -> None:
    """Refuse an order that no list of terms needs."""
    if not -1_000_000 <= order <= 1_000_000:
        raise PermillionError("invalid-fields", "an order lies between -10^6 and 10^6", pointer="/order")
