"""A month under a contract, by hand: prices as vendors list them, sums on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest

from economics.contracts.charges import Charge
from economics.contracts.months import CommitmentPeriod, parse_month
from economics.contracts.settlement import Settlement, settle
from economics.contracts.terms import CommittedSpend, Scope, Term, TermKind
from economics.errors import PermillionError
from economics.money import Exact
from economics.periods import Period, parse_instant
from economics.rate_card import ApplicableRate
from tests.unit.economics.building import period, price
from tests.unit.economics.contracts.test_terms import commitment, credit, discount, free

NOVEMBER = parse_month("2026-11")
RATES = {"web_searches": "14", "input_tokens": "2", "cache_read_tokens": "0.2", "output_tokens": "10"}
SEARCH, INPUT, CACHED, OUTPUT = (ApplicableRate(price(meter, rate), None) for meter, rate in RATES.items())


def charge(rate: ApplicableRate, quantity: int | str, day: int = 10, row: int = 0, model: str = "google/g") -> Charge:
    provider, _, name = model.partition("/")
    amount = quantity if isinstance(quantity, int) else Decimal(quantity)
    return Charge(row, provider, name, parse_instant(f"2026-11-{day:02}"), rate.row.meter, amount, rate)


def settled(
    charges: Sequence[Charge], *terms: Term, opening: Mapping[str, str] | None = None, month: Period = NOVEMBER
) -> Settlement:
    used = {name: Decimal(amount) for name, amount in (opening or {}).items()}
    return settle(charges, terms, month, used)


def shown(result: Settlement) -> list[tuple[Any, ...]]:
    """Of each line: id, quantity, amount, balances."""
    return [
        (
            line.term.id,
            None if line.quantity is None else str(line.quantity),
            line.amount.to_text(),
            None if line.balance_before is None else line.balance_before.to_text(),
            None if line.balance_after is None else line.balance_after.to_text(),
        )
        for line in result.lines
    ]


def test_without_terms_the_usage_is_payable() -> None:
    result = settled([charge(INPUT, 3_000_000), charge(OUTPUT, 100_000)])
    assert (result.lines, result.payable) == ([], Exact(Decimal(7)))


def test_five_thousand_searches_a_month_are_free_oldest_first() -> None:
    """4,000 on the 3rd and 3,000 on the 20th at 14 per 1,000: 98; 5,000 free are 56 and 14; 28 are left."""
    charges = [charge(SEARCH, 3_000, 20, row=0), charge(SEARCH, 4_000, 3, row=1)]
    result = settled(charges, free())
    assert shown(result) == [("f", "4000", "-56", "5000", "1000"), ("f", "1000", "-14", "1000", "0")]
    assert [line.row_id for line in result.lines] == [1, 0]
    assert (result.undiscounted.to_text(), result.payable.to_text()) == ("98", "28")


def test_an_allowance_is_of_its_provider_model_and_time() -> None:
    charges = [charge(SEARCH, 1_000, 5), charge(SEARCH, 1_000, 25)]
    for term in (
        free(scope=Scope("openai")),
        free(scope=Scope("google", "h")),
        free(period=period("2026-11-26")),
        free(meter="file_searches"),
    ):
        result = settled(charges, term)
        assert [line.amount.to_text() for line in result.lines] == ["0"], "an untouched allowance is shown"
        assert result.payable.to_text() == "28"
    assert shown(settled(charges, free(period=period("2026-11-20")))) == [("f", "1000", "-14", "5000", "4000")]


def test_an_allowance_of_input_covers_its_parts_at_their_own_rates() -> None:
    """600,000 fresh at 2 and 500,000 cached at 0.2 per Mtok: a million free take 1.2 and 400,000 · 0.2 / 10⁶ = 0.08."""
    result = settled([charge(INPUT, 600_000), charge(CACHED, 500_000)], free("1000000", "input_tokens"))
    assert [line.amount.to_text() for line in result.lines] == ["-1.2", "-0.08"]
    assert result.payable.to_text() == "0.02"


def test_allowances_of_one_meter_come_in_order() -> None:
    terms = (free("300", id="late", order=2), free("500", id="early", order=1))
    result = settled([charge(SEARCH, 600)], *terms)
    assert shown(result) == [("early", "500", "-7", "500", "0"), ("late", "100", "-1.4", "300", "200")]


def test_a_credit_pays_what_is_due_and_keeps_the_rest() -> None:
    result = settled([charge(INPUT, 10_000_000)], credit("100"), opening={"c": "40"})
    assert shown(result) == [("c", None, "-20", "60", "40")]
    assert result.payable.to_text() == "0"
    result = settled([charge(INPUT, 50_000_000)], credit("100"), opening={"c": "40"})
    assert shown(result) == [("c", None, "-60", "60", "0")]
    assert result.payable.to_text() == "40"


def test_a_credit_used_up_before_pays_nothing() -> None:
    result = settled([charge(INPUT, 1_000_000)], credit("100"), opening={"c": "100"})
    assert (shown(result), result.payable.to_text()) == ([("c", None, "0", "0", "0")], "2")


def test_the_credit_that_ends_sooner_is_used_first_unless_order_says_otherwise() -> None:
    sooner = credit("5", id="z", period=period("2026-11-01", "2026-12-01"))
    later = credit("5", id="a", period=period("2026-11-01", "2027-01-01"))
    result = settled([charge(INPUT, 3_000_000)], later, sooner)
    assert shown(result) == [("z", None, "-5", "5", "0"), ("a", None, "-1", "5", "4")]
    assert [line.note for line in result.lines] == [
        "lapses at 2026-12-01T00:00:00Z",
        "carried; lapses at 2027-01-01T00:00:00Z",
    ]
    first = credit("5", id="a", order=-1, period=later.period)
    assert [line[0] for line in shown(settled([charge(INPUT, 3_000_000)], sooner, first))] == ["a", "z"]


def test_a_credit_pays_only_what_arose_in_its_time() -> None:
    charges = [charge(INPUT, 1_000_000, 5), charge(INPUT, 1_000_000, 25)]
    result = settled(charges, credit(period=period("2026-11-20")))
    assert (shown(result), result.payable.to_text()) == ([("c", None, "-2", "100", "98")], "2")


@pytest.mark.parametrize(("after_credits", "unused"), [(False, "80"), (True, "95")])
def test_a_monthly_commitment_charges_what_was_not_spent(after_credits: bool, unused: str) -> None:
    """20 spent, of which a credit pays 15: 80 of 100 are unused, or 95 where only money counts. The credit pays no part of it."""
    terms = (credit("15", period=period("2026-11-01")), commitment("100", after_credits=after_credits))
    result = settled([charge(INPUT, 10_000_000)], *terms)
    assert shown(result)[1] == ("m", None, unused, "100", "0")
    assert result.payable == Exact(Decimal(5) + Decimal(unused))


def test_a_commitment_that_is_met_costs_nothing() -> None:
    result = settled([charge(INPUT, 60_000_000)], commitment("100"))
    assert (shown(result), result.payable.to_text()) == ([("m", None, "0", "100", "0")], "120")


def test_a_quarter_is_charged_at_its_end_only() -> None:
    """October to December: 300 committed, 110 spent in October, 20 in November, 10 in December; 160 unused."""
    term = commitment("300", CommitmentPeriod.QUARTER, period=period("2026-10-01"))
    november = settled([charge(INPUT, 10_000_000)], term, opening={"m": "110"})
    assert shown(november) == [("m", None, "0", "190", "170")]
    assert november.lines[0].note == "due at 2027-01-01T00:00:00Z"
    december = settled([], term, opening={"m": "140"}, month=parse_month("2026-12"))
    assert (shown(december), december.payable.to_text()) == ([("m", None, "160", "160", "0")], "160")


def test_a_whole_term_is_charged_at_its_end() -> None:
    term = commitment("1000", CommitmentPeriod.TERM, period=period("2026-01-01", "2026-12-01"))
    result = settled([charge(INPUT, 10_000_000)], term, opening={"m": "900"})
    assert (shown(result), result.payable.to_text()) == ([("m", None, "80", "100", "0")], "100")
    beyond = settled([charge(INPUT, 10_000_000)], term, opening={"m": "1200"})
    assert shown(beyond) == [("m", None, "0", "0", "0")]


def test_a_commitment_counts_spend_of_its_scope() -> None:
    charges = [charge(INPUT, 10_000_000), charge(INPUT, 10_000_000, model="openai/o")]
    result = settled(charges, commitment("100", scope=Scope("openai")))
    assert result.lines[0].amount.to_text() == "80"


def test_discounts_are_lines_that_are_in_the_rates_already() -> None:
    """1 Mtok at 10: 20 % take 2, then 10 % of 8 take 0.8; 7.2 are left."""
    off = (discount("0.2", id="a"), discount("0.1", id="b"))
    reduced = ApplicableRate(OUTPUT.row, None, off)
    result = settled([charge(reduced, 400_000, 3), charge(reduced, 600_000, 4)], *off)
    assert shown(result) == [("a", "1000000", "-2", None, None), ("b", "1000000", "-0.8", None, None)]
    assert [str(line.rate.rate) for line in result.lines if line.rate] == ["10", "8.0"]
    assert (result.undiscounted.to_text(), result.contract_cost.to_text(), result.payable.to_text()) == (
        "10", "7.2", "7.2",
    )  # fmt: skip


def test_everything_at_once() -> None:
    """10 Mtok out at 10 less 10 % = 90; 7,000 searches 98, 5,000 free: 28; 118 due, 50 of credit: 68; 200 promised: 82 unused."""
    off = discount("0.1")
    charges = [charge(ApplicableRate(OUTPUT.row, None, (off,)), 10_000_000), charge(SEARCH, 7_000)]
    terms: list[Term] = [commitment("200"), credit("50", period=period("2026-11-01")), free(), off]
    result = settled(charges, *terms)
    assert [line.term.kind for line in result.lines] == list(TermKind)
    assert [line.amount.to_text() for line in result.lines] == ["-10", "-70", "-50", "82"]
    assert (result.undiscounted.to_text(), result.contract_cost.to_text(), result.payable.to_text()) == (
        "198", "188", "150",
    )  # fmt: skip


RUNNING = commitment("300", CommitmentPeriod.QUARTER, period=period("2026-10-01"))


@pytest.mark.parametrize(
    ("term", "opening", "pointer"),
    [
        (credit(), {}, "/opening/c"),
        (credit(period=period("2026-10-31")), {}, "/opening/c"),
        (credit(), {"c": "100.01"}, "/opening/c"),
        (credit(), {"c": "-1"}, "/opening/c"),
        (credit(period=period("2026-11-01")), {"c": "1"}, "/opening/c"),
        (RUNNING, {}, "/opening/m"),
        (commitment(), {"m": "1"}, "/opening/m"),
        (credit(), {"c": "0", "other": "1"}, "/opening"),
        (free(), {"f": "1"}, "/opening"),
    ],
)
def test_what_was_used_before_the_month_has_to_be_said(term: Term, opening: dict[str, str], pointer: str) -> None:
    with pytest.raises(PermillionError) as refused:
        settled([], term, opening=opening)
    assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", pointer)


def test_terms_of_another_month_do_nothing() -> None:
    past = period("2026-01-01", "2026-11-01")
    terms: list[Term] = [credit(period=past), free(period=past), commitment(period=past)]
    assert settled([charge(INPUT, 1_000_000)], *terms).lines == []
    assert isinstance(terms[-1], CommittedSpend)


def test_an_hourly_rate_is_freed_exactly() -> None:
    hour = ApplicableRate(price("audio_seconds", "0.111"), None)
    result = settled([charge(hour, "10.5")], free("3.5", "audio_seconds"))
    assert result.payable == Exact(Decimal("0.777"), Decimal(3600))
