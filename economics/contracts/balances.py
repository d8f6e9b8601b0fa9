"""Balances of a contract in one month: what a credit pays, what is left of a commitment.

The service keeps no usage, so what was used of a balance before the month is stated by the caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from economics.contracts.charges import NOTHING, Charge, TermLine, sum_of
from economics.contracts.months import commitment_period
from economics.contracts.terms import CommittedSpend, Credit
from economics.errors import PermillionError
from economics.money import ZERO, Exact, subtract
from economics.periods import Period, format_instant


class Opening:
    """What was used of balances before the month, each asked for once.

    Raises:
        PermillionError: `invalid-fields` at `/opening`, as `economics.contracts.settlement.settle` says.
    """

    def __init__(self, stated: Mapping[str, Decimal], month: Period) -> None:
        self._left = dict(stated)
        self._month = month

    def of(self, term: Credit | CommittedSpend) -> Decimal:
        """How much of `term` was used; 0 without being stated only where it begins in the month."""
        start = term.period.valid_from
        if isinstance(term, CommittedSpend):
            running = commitment_period(term.period, term.per, self._month)
            start = None if running is None else running.valid_from
        if start is not None and self._month.valid_from is not None and start >= self._month.valid_from:
            if self._left.pop(term.id, ZERO):
                raise PermillionError(
                    "invalid-fields",
                    f"{term.id} starts anew in this month: nothing of it was used before",
                    pointer=f"/opening/{term.id}",
                )
            return ZERO
        used = self._left.pop(term.id, None)
        if used is None:
            raise PermillionError(
                "invalid-fields",
                f"say how much of {term.id} was used before this month; 0 for nothing",
                pointer=f"/opening/{term.id}",
            )
        if used < 0 or (isinstance(term, Credit) and used > term.amount):
            raise PermillionError(
                "invalid-fields", "what was used lies between 0 and the credit", pointer=f"/opening/{term.id}"
            )
        return used

    def check_used(self) -> None:
        """Refuse what was stated of something that has no balance before the month."""
        if self._left:
            raise PermillionError(
                "invalid-fields",
                "opening is for credits and commitments of this book that began before this month; others start anew",
                pointer="/opening",
            )


def pay(credit: Credit, charges: Sequence[Charge], due: list[Exact], month: Period, used: Decimal) -> TermLine:
    """What the credit pays, taken off `due`."""
    before = Exact(subtract(credit.amount, used))
    left = before
    for position, charge in enumerate(charges):
        if not left:
            break
        if due[position] and charge.is_under(credit):
            paid = min(left, due[position])
            due[position] -= paid
            left -= paid
    end, over = credit.period.valid_to, month.valid_to
    lapses = end is not None and over is not None and end <= over
    return TermLine(
        term=credit,
        applied_to="spend",
        amount=left - before,
        balance_before=before,
        balance_after=left,
        note=f"{'lapses' if lapses else 'carried; lapses'} at {format_instant(end)}" if end else "carried",
    )


def commit(
    term: CommittedSpend, charges: Sequence[Charge], counted: Sequence[Exact], month: Period, used: Decimal
) -> TermLine:
    """What was promised and not spent, if the period ends with the month."""
    running = commitment_period(term.period, term.per, month)
    assert running is not None  # it holds in the month
    spent = sum_of(cost for charge, cost in zip(charges, counted, strict=True) if charge.is_under(term))
    promised = Exact(term.amount)
    before = _not_below_nothing(promised - Exact(used))
    after = _not_below_nothing(before - spent)
    ends = running.valid_to == month.valid_to
    until = "" if running.valid_to is None else format_instant(running.valid_to)
    return TermLine(
        term=term,
        applied_to="unused commitment" if ends else "spend",
        amount=after if ends else NOTHING,
        balance_before=before,
        balance_after=NOTHING if ends else after,
        note=f"ended at {until}" if ends else f"due at {until}",
    )


def _not_below_nothing(amount: Exact) -> Exact:
    return max(amount, NOTHING)
