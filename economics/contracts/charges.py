"""What a month's usage was charged, and the lines that the terms of a contract add to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from economics.contracts.terms import Term
from economics.money import ZERO, Exact
from economics.rate_card import ApplicableRate

NOTHING: Final = Exact(ZERO)


@dataclass(frozen=True, slots=True)
class Charge:
    """One meter of one row of usage at its rate, discounts in it: `cost = quantity · rate / per`."""

    row_id: str | int
    provider: str
    model: str
    at: datetime
    meter: str
    quantity: Decimal | int
    rate: ApplicableRate

    def is_under(self, term: Term) -> bool:
        """Whether the term holds when it arose and is about its offer."""
        return term.period.contains(self.at) and term.scope.covers(self.provider, self.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermLine:
    """One effect of a term.

    Args:
        term: whose effect it is.
        applied_to: what it was applied to, in words.
        row_id: the row of usage, where it is one.
        meter: the meter, where it is one.
        quantity: units of the meter that were made free or discounted.
        rate: the rate they were charged at before it.
        amount: negative for a reduction, positive for an unused commitment, in the currency of the book.
        balance_before: what was left before it: units of an allowance, else money; None for a discount.
        balance_after: what is left.
        balance_unit: meter of an allowance, None for money.
        note: what becomes of the balance.
    """

    term: Term
    applied_to: str
    amount: Exact
    row_id: str | int | None = None
    meter: str | None = None
    quantity: Decimal | int | None = None
    rate: ApplicableRate | None = None
    balance_before: Exact | None = None
    balance_after: Exact | None = None
    balance_unit: str | None = None
    note: str = ""


def sum_of(amounts: Iterable[Exact]) -> Exact:
    """Their exact sum, 0 for none."""
    total = NOTHING
    for amount in amounts:
        total += amount
    return total
