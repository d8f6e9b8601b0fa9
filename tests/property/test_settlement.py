"""What must hold of any month under any contract, and the same month settled naively in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from economics.contracts.charges import Charge
from economics.contracts.months import CommitmentPeriod, parse_month
from economics.contracts.settlement import Settlement, settle
from economics.contracts.terms import CommittedSpend, Credit, Discount, FreeAllowance, Scope, Term
from economics.money import Exact
from economics.periods import Period
from economics.prices import PriceRow, Provenance
from economics.rate_card import ApplicableRate

MONTH = parse_month("2026-11")
START = datetime(2026, 11, 1, tzinfo=UTC)
AFTER = datetime(2026, 12, 1, tzinfo=UTC)
OFFERS = (("openai", "a"), ("openai", "b"), ("google", "a"))
METERS = ("input_tokens", "cache_read_tokens", "output_tokens", "web_searches")
SCOPES = (Scope(), Scope("openai"), Scope("openai", "a"), Scope("google", "b"))


def _fraction(value: Exact) -> Fraction:
    return Fraction(value.numerator) / Fraction(value.denominator)


periods = st.tuples(st.integers(0, 20), st.integers(5, 30)).map(
    lambda span: Period(START + timedelta(days=span[0]), START + timedelta(days=span[0] + span[1]))
)
shares = st.integers(0, 20).map(lambda n: Decimal(n) / 20)


@st.composite
def rates(draw: st.DrawFn) -> ApplicableRate:
    meter, per = draw(st.sampled_from(METERS)), draw(st.sampled_from([1_000_000, 3_600, 7]))
    row = PriceRow(meter, Decimal(draw(st.integers(0, 10_000))), per, "USD", Provenance("page", None))
    off = [Discount(id=f"d{n}", source="s", share=draw(shares)) for n in range(draw(st.integers(0, 2)))]
    return ApplicableRate(row, None, tuple(off))


@st.composite
def charges(draw: st.DrawFn) -> list[Charge]:
    """At instants that differ: which of two charges of one instant comes first is the caller's order."""
    found: list[Charge] = []
    for row in range(draw(st.integers(0, 6))):
        provider, model = draw(st.sampled_from(OFFERS))
        rate = draw(rates())
        at = START + timedelta(hours=draw(st.integers(0, 119)) * 6, minutes=row)
        found.append(Charge(row, provider, model, at, rate.row.meter, draw(st.integers(0, 2_000)), rate))
    return found


@st.composite
def terms(draw: st.DrawFn) -> list[Term]:
    """Allowances, credits that begin in the month, commitments of the month; ids in no order."""
    found: list[Term] = []
    for number in range(draw(st.integers(0, 5))):
        of_all: dict[str, Any] = {
            "id": f"t{number}", "source": "s", "order": draw(st.integers(0, 2)), "scope": draw(st.sampled_from(SCOPES)),
        }  # fmt: skip
        amount = Decimal(draw(st.integers(1, 3_000)))
        kind = draw(st.integers(0, 2))
        if kind == 0:
            found.append(
                FreeAllowance(**of_all, meter=draw(st.sampled_from(METERS)), quantity=amount, period=draw(periods))
            )
        elif kind == 1:
            found.append(Credit(**of_all, amount=amount, period=draw(periods)))
        else:
            since = Period(draw(st.sampled_from([START, datetime(2026, 1, 1, tzinfo=UTC)])))
            per, after = CommitmentPeriod.MONTH, draw(st.booleans())
            found.append(CommittedSpend(**of_all, amount=amount, period=since, per=per, after_credits=after))
    return found


def naive(usage: Sequence[Charge], contract: Sequence[Term]) -> Fraction:
    """The same rules again, on fractions and lists, without a line of the code under test."""
    oldest = sorted(usage, key=lambda c: c.at)
    left = [Fraction(c.quantity) for c in oldest]
    price = []
    for c in oldest:
        unit = Fraction(c.rate.row.rate) / c.rate.row.per
        for d in c.rate.discounts:
            unit *= 1 - Fraction(d.share)
        price.append(unit)

    def inside(t: Term, c: Charge) -> bool:
        start, end = t.period.valid_from, t.period.valid_to
        return (
            (start is None or c.at >= start)
            and (end is None or c.at < end)
            and t.scope.provider in (None, c.provider)
            and t.scope.model in (None, c.model)
        )

    family = {"cache_read_tokens": {"cache_read_tokens", "input_tokens"}}
    for t in sorted((t for t in contract if isinstance(t, FreeAllowance)), key=lambda t: (t.order, t.id)):
        free = Fraction(t.quantity)
        for i, c in enumerate(oldest):
            if inside(t, c) and t.meter in family.get(c.meter, {c.meter}):
                taken = min(free, left[i])
                free, left[i] = free - taken, left[i] - taken
    due = [units * unit for units, unit in zip(left, price, strict=True)]
    spent = list(due)
    for t in sorted(
        (t for t in contract if isinstance(t, Credit)), key=lambda t: (t.order, t.period.valid_to or AFTER, t.id)
    ):
        balance = Fraction(t.amount)
        for i, c in enumerate(oldest):
            if inside(t, c):
                paid = min(balance, due[i])
                balance, due[i] = balance - paid, due[i] - paid
    unused = Fraction(0)
    for t in contract:
        if isinstance(t, CommittedSpend):
            counted = due if t.after_credits else spent
            unused += max(Fraction(t.amount) - sum(x for x, c in zip(counted, oldest, strict=True) if inside(t, c)), 0)
    return sum(due, Fraction(0)) + unused


def settled(usage: Sequence[Charge], contract: Sequence[Term]) -> Settlement:
    return settle(usage, contract, MONTH)


@given(charges(), terms())
def test_as_in_fractions(usage: list[Charge], contract: list[Term]) -> None:
    result = settled(usage, contract)
    assert _fraction(result.payable) == naive(usage, contract)
    assert _fraction(result.payable) >= 0


@given(charges(), terms())
def test_lines_lead_from_the_undiscounted_cost_to_what_is_payable(usage: list[Charge], contract: list[Term]) -> None:
    result = settled(usage, contract)
    listed = sum((Fraction(c.quantity) * Fraction(c.rate.row.rate) / c.rate.row.per for c in usage), Fraction(0))
    assert listed + sum(_fraction(line.amount) for line in result.lines) == naive(usage, contract)
    charged = sum((_fraction(c.rate.cost(c.quantity)) for c in usage), Fraction(0))
    assert _fraction(result.contract_cost) == charged


@given(charges(), terms(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_terms_in_a_request_is_nothing(
    usage: list[Charge], contract: list[Term], dice: Any
) -> None:
    first = settled(usage, contract)
    dice.shuffle(usage)
    dice.shuffle(contract)
    again = settled(usage, contract)
    assert again.payable == first.payable
    assert {(line.term.id, line.row_id, line.amount) for line in again.lines} == {
        (line.term.id, line.row_id, line.amount) for line in first.lines
    }


@given(charges(), terms(), st.integers(2, 9))
def test_twice_the_usage_and_twice_the_terms_are_twice_the_bill(
    usage: list[Charge], contract: list[Term], times: int
) -> None:
    more_usage = [replace(c, quantity=c.quantity * times) for c in usage]
    more_terms: list[Term] = [
        replace(t, quantity=t.quantity * times) if isinstance(t, FreeAllowance) else replace(t, amount=t.amount * times)  # type: ignore[call-arg,attr-defined]
        for t in contract
    ]
    once, often = settled(usage, contract).payable, settled(more_usage, more_terms).payable
    assert _fraction(often) == times * _fraction(once)


@given(charges(), terms())
def test_balances_follow_each_other_and_never_go_below_nothing(usage: list[Charge], contract: list[Term]) -> None:
    left: dict[str, Fraction] = {}
    for line in settled(usage, contract).lines:
        if line.balance_before is None or line.balance_after is None:
            continue
        before, after = _fraction(line.balance_before), _fraction(line.balance_after)
        assert 0 <= after <= before
        assert left.setdefault(line.term.id, before) == before
        left[line.term.id] = after
