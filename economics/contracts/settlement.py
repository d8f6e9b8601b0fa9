"""A month's usage under the terms of a contract: every effect a line, and what is payable in the end.

Order, whatever the `order` of terms of different kinds: discounts are in the rates already; allowances make quantities
free; credits pay what is left; commitments charge what was promised and not spent. Within a kind `order` decides, then (of
credits) the sooner end, then the id. Usage is taken oldest first.

Formula: `payable = undiscounted cost + Σ amount of all lines`, never below 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, TypeVar

from economics.contracts.balances import Opening, commit, pay
from economics.contracts.charges import NOTHING, Charge, TermLine, sum_of
from economics.contracts.terms import CommittedSpend, Credit, FreeAllowance, Term, TermKind
from economics.money import EXACT, ZERO, Exact, subtract
from economics.periods import Period
from economics.rate_card import ApplicableRate

_T = TypeVar("_T", bound=Term)


@dataclass(frozen=True, slots=True)
class Settlement:
    """The lines of a month and its sums, in the currency of the book.

    `undiscounted` is what the usage costs at the book's rates before discounts.
    """

    lines: Sequence[TermLine]
    undiscounted: Exact

    def total(self, *kinds: TermKind) -> Exact:
        """Sum of the lines of these kinds."""
        return sum_of(line.amount for line in self.lines if line.term.kind in kinds)

    @property
    def contract_cost(self) -> Exact:
        """What the usage costs at the contract's rates, discounts in them."""
        return self.undiscounted + self.total(TermKind.DISCOUNT)

    @property
    def payable(self) -> Exact:
        """What is to be paid for the month."""
        return self.undiscounted + self.total(*TermKind)


def settle(
    charges: Sequence[Charge], terms: Sequence[Term], month: Period, opening: Mapping[str, Decimal] | None = None
) -> Settlement:
    """The month's lines.

    Args:
        charges: all of one currency, each within the month.
        terms: of the contract, of any time.
        month: as `economics.contracts.months.parse_month` gives it.
        opening: by id of a credit or of a commitment per quarter or term, how much of it was used before the month.

    Raises:
        PermillionError: `invalid-fields` at `/opening` for a balance used before the month that is not stated (it is
            not taken as 0), that is no such term's, or above the credit.

    Worked number: 7,000 searches at 14 USD per 1,000 are 98. 5,000 free leave 28. A credit of 20 leaves 8. Of 100 USD
    committed 28 are spent: 72 unused, 80 payable.
    """
    stated = Opening(opening or {}, month)
    ordered = sorted(charges, key=lambda charge: charge.at)
    sold = _sold(ordered)
    steps = {rate: _steps(rate) for rate in {item.rate: None for item in sold}}
    lines = _discounts(sold, steps)
    undiscounted = sum_of(steps[item.rate][0].cost(quantity) for item, quantity in sold.items())
    quantities, freed = _allowances(ordered, _holding(terms, FreeAllowance, month))
    lines += freed
    due = [
        charge.rate.cost(quantity) if quantity else NOTHING
        for charge, quantity in zip(ordered, quantities, strict=True)
    ]
    spent = list(due)
    for credit in _holding(terms, Credit, month):
        lines.append(pay(credit, ordered, due, month, stated.of(credit)))
    for commitment in _holding(terms, CommittedSpend, month):
        counted = due if commitment.after_credits else spent
        lines.append(commit(commitment, ordered, counted, month, stated.of(commitment)))
    stated.check_used()
    return Settlement(lines, undiscounted)


def _holding(terms: Sequence[Term], kind: type[_T], month: Period) -> list[_T]:
    """Terms of a kind that hold at some instant of the month, in order."""
    found = (term for term in terms if isinstance(term, kind) and term.period.overlaps(month))
    return sorted(found, key=lambda term: term.rank)


def _steps(rate: ApplicableRate) -> tuple[ApplicableRate, ...]:
    """The rate before its discounts, after the first, …, after all."""
    if not rate.discounts:
        return (rate,)
    before = (ApplicableRate(rate.row, rate.uplift, rate.discounts[:n]) for n in range(len(rate.discounts)))
    return (*before, rate)


class _Item(NamedTuple):
    """What charges of one kind have in common."""

    provider: str
    model: str
    meter: str
    rate: ApplicableRate


def _sold(charges: Sequence[Charge]) -> dict[_Item, Decimal | int]:
    """How much of what was sold at which rate: one product with a rate of many digits instead of one a charge."""
    sold: dict[_Item, Decimal | int] = {}
    for charge in charges:
        item = _Item(charge.provider, charge.model, charge.meter, charge.rate)
        sold[item] = _add(sold.get(item, 0), charge.quantity)
    return sold


def _discounts(
    sold: Mapping[_Item, Decimal | int], steps: Mapping[ApplicableRate, Sequence[ApplicableRate]]
) -> list[TermLine]:
    """A line for each discount, offer, meter and rate: what it took off, each discount from what the one before left."""
    lines: dict[tuple[object, ...], TermLine] = {}
    for item, quantity in sold.items():
        for before, discount in zip(steps[item.rate], item.rate.discounts, strict=False):
            taken = before.cost(quantity) * discount.share
            key = (discount.rank, item.provider, item.model, item.meter, before.rate, before.row.per)
            known = lines.get(key)
            lines[key] = TermLine(
                term=discount,
                applied_to=f"{item.provider}/{item.model}",
                amount=-taken if known is None else known.amount - taken,
                meter=item.meter,
                quantity=quantity if known is None else _add(known.quantity or 0, quantity),
                rate=before,
                note="already in the rates of the rows",
            )
    return sorted(lines.values(), key=lambda line: line.term.rank)


def _allowances(
    charges: Sequence[Charge], allowances: Sequence[FreeAllowance]
) -> tuple[list[Decimal | int], list[TermLine]]:
    """The quantities still charged, and a line for each charge that an allowance fell on."""
    charged: list[Decimal | int] = [charge.quantity for charge in charges]
    lines: list[TermLine] = []
    for term in allowances:
        left, found = term.quantity, False
        for position, charge in enumerate(charges):
            if not left:
                break
            if not (charged[position] and term.counts(charge.meter) and charge.is_under(term)):
                continue
            free = min(left, Decimal(charged[position]))
            charged[position] = EXACT.subtract(Decimal(charged[position]), free)
            after = subtract(left, free)
            lines.append(
                TermLine(
                    term=term,
                    applied_to=f"{charge.provider}/{charge.model}",
                    row_id=charge.row_id,
                    meter=charge.meter,
                    quantity=free,
                    rate=charge.rate,
                    amount=-charge.rate.cost(free),
                    balance_before=Exact(left),
                    balance_after=Exact(after),
                    balance_unit=term.meter,
                )
            )
            left, found = after, True
        if not found:
            whole = Exact(term.quantity)
            lines.append(
                TermLine(
                    term=term,
                    applied_to="nothing",
                    amount=NOTHING,
                    meter=term.meter,
                    quantity=ZERO,
                    balance_before=whole,
                    balance_after=whole,
                    balance_unit=term.meter,
                )
            )
    return charged, lines


def _add(left: Decimal | int, right: Decimal | int) -> Decimal | int:
    return (
        left + right if isinstance(left, int) and isinstance(right, int) else EXACT.add(Decimal(left), Decimal(right))
    )
