"""What a term may say, and what a contract's discounts make of rates."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from economics.billing import bill, standing
from economics.contracts.contract import Contract, check_terms
from economics.contracts.months import CommitmentPeriod, commitment_period, parse_month
from economics.contracts.terms import CommittedSpend, Credit, Discount, FreeAllowance, Scope, Term
from economics.errors import PermillionError
from economics.money import Exact
from economics.periods import Period, parse_instant
from economics.prices import Uplift
from economics.rate_card import OfferPrices, RateCard
from tests.unit.economics.building import NOON, SOURCE, VOCABULARY, period, price, sheet

AS_OF = parse_instant(NOON)


def discount(share: str = "0.1", **more: Any) -> Discount:
    return Discount(**{"id": "d", "source": "contract 4711", "share": Decimal(share)} | more)


def credit(amount: str = "100", **more: Any) -> Credit:
    return Credit(**{"id": "c", "source": "grant", "amount": Decimal(amount)} | more)


def commitment(amount: str = "100", per: CommitmentPeriod = CommitmentPeriod.MONTH, **more: Any) -> CommittedSpend:
    start = {"id": "m", "source": "contract", "period": period("2026-01-01")}
    return CommittedSpend(**start | {"amount": Decimal(amount), "per": per} | more)


def free(quantity: str = "5000", meter: str = "web_searches", **more: Any) -> FreeAllowance:
    return FreeAllowance(**{"id": "f", "source": "page", "meter": meter, "quantity": Decimal(quantity)} | more)


def card(*uplifts: Uplift, **context: str) -> RateCard:
    """gpt-6-sol as its vendor lists it: 2 in, 0.2 cached, 10 out, and 10 per 1,000 searches; batch at half price."""
    rows = [
        *sheet("0.2", inp="2", out="10"),
        *sheet("0.1", inp="1", out="5", when={"processing": "batch"}),
        price("web_searches", "10"),
    ]
    return OfferPrices(rows, uplifts, VOCABULARY, {}).rate_card(AS_OF, VOCABULARY.resolve(context))


def rates(contract: Contract, given: RateCard | None = None, **context: str) -> dict[str, str]:
    found = contract.rates_of(given or card(**context), "openai", "gpt-6-sol", VOCABULARY.resolve(context), AS_OF)
    return {meter: str(tiers[0].rate.normalize()) for meter, tiers in found.rates.items()}


PLAIN = {"input_tokens": "2", "cache_read_tokens": "0.2", "output_tokens": "1E+1", "web_searches": "1E+1"}


@pytest.mark.parametrize(
    ("made", "slug", "pointer"),
    [
        (lambda: discount("1.5"), "invalid-fields", "/discount_share"),
        (lambda: discount("-0.1"), "invalid-fields", "/discount_share"),
        (lambda: discount(meters=("words",)), "unknown-meter", "/meters"),
        (lambda: discount(conditions={"weather": ("wet",)}), "unknown-context", "/context"),
        (lambda: Scope(model="gpt-6-sol"), "invalid-fields", "/provider"),
        (lambda: credit("-1"), "invalid-fields", "/amount"),
        (lambda: credit("0"), "invalid-fields", "/amount"),
        (lambda: free("0"), "invalid-fields", "/quantity"),
        (lambda: free(meter="words"), "unknown-meter", "/meter"),
        (lambda: commitment("0"), "invalid-fields", "/amount"),
        (lambda: commitment(period=Period()), "invalid-fields", "/valid_from"),
        (lambda: commitment(period=period("2026-01-15")), "invalid-fields", "/valid_from"),
        (lambda: commitment(period=period("2026-01-01", "2026-03-02")), "invalid-fields", "/valid_to"),
        (lambda: commitment(per=CommitmentPeriod.TERM), "invalid-fields", "/valid_to"),
        (
            lambda: commitment(per=CommitmentPeriod.QUARTER, period=period("2026-01-01", "2026-03-01")),
            "invalid-fields",
            "/valid_to",
        ),
    ],
)
def test_a_term_that_cannot_be(made: Callable[[], object], slug: str, pointer: str) -> None:
    with pytest.raises(PermillionError) as refused:
        made()
    assert (refused.value.slug, refused.value.pointer) == (slug, pointer)


FIRST_HALF, SECOND_HALF = period("2026-01-01", "2026-07-01"), period("2026-07-01", "2027-01-01")


def test_versions_of_a_term_follow_each_other() -> None:
    check_terms(
        dict(enumerate([discount(period=FIRST_HALF), discount("0.2", period=SECOND_HALF), credit(), free(id="g")]))
    )
    refusals: list[tuple[Term, Term, str, str]] = [
        (discount(), discount(period=SECOND_HALF), "overlapping-prices", "/1/valid_from"),
        (discount(id="x"), credit(id="x"), "invalid-fields", "/1/kind"),
        (credit(period=FIRST_HALF), credit(period=SECOND_HALF), "invalid-fields", "/1/id"),
    ]
    for one, other, slug, pointer in refusals:
        with pytest.raises(PermillionError) as refused:
            check_terms({0: one, 1: other})
        assert (refused.value.slug, refused.value.pointer) == (slug, pointer)


def test_a_discount_is_on_all_token_meters_and_no_fee() -> None:
    reduced = rates(Contract("acme", terms=(discount("0.12"),)))
    assert reduced == {**PLAIN, "input_tokens": "1.76", "cache_read_tokens": "0.176", "output_tokens": "8.8"}


def test_a_discount_of_named_meters_is_on_these() -> None:
    reduced = rates(Contract("acme", terms=(discount("0.5", meters=("output_tokens", "web_searches")),)))
    assert reduced == {**PLAIN, "output_tokens": "5", "web_searches": "5"}


def test_discounts_multiply() -> None:
    """20 % and then 10 % are 28 % off: 10 · 0.8 · 0.9 = 7.2, in whichever order."""
    both = (discount("0.2", id="a"), discount("0.1", id="b"))
    for terms in (both, both[::-1]):
        assert rates(Contract("acme", terms=terms))["output_tokens"] == "7.2"


def test_a_whole_discount_is_free() -> None:
    assert rates(Contract("acme", terms=(discount("1"),)))["input_tokens"] == "0"


@pytest.mark.parametrize(
    "elsewhere",
    [
        discount(scope=Scope("anthropic")),
        discount(scope=Scope("openai", "gpt-6-luna")),
        discount(conditions={"processing": ("batch",)}),
        discount(period=period("2026-12-01")),
        discount(period=period(None, NOON)),
        discount(base_only=True),
    ],
)
def test_a_discount_of_something_else_changes_nothing(elsewhere: Discount) -> None:
    given = card()
    assert Contract("acme", terms=(elsewhere,)).rates_of(given, "openai", "gpt-6-sol", {}, AS_OF).rates == given.rates


def test_a_discount_of_a_context_holds_in_it() -> None:
    contract = Contract("acme", terms=(discount("0.5", conditions={"processing": ("batch",)}),))
    assert rates(contract, processing="batch")["input_tokens"] == "0.5"
    assert rates(contract) == PLAIN


def test_a_discount_of_the_base_leaves_negotiated_rates() -> None:
    own = OfferPrices([price("input_tokens", "1.8")], (), VOCABULARY, {}).rate_card(AS_OF, VOCABULARY.resolve({}))
    reduced = rates(Contract("acme", terms=(discount("0.1", base_only=True),)), own.with_base(card()))
    assert (reduced["input_tokens"], reduced["output_tokens"]) == ("1.8", "9")


def test_a_discount_is_taken_after_an_uplift() -> None:
    """OpenAI's data residency is 1.1 of the rate: 2 · 1.1 · 0.88 = 1.936."""
    uplift = Uplift(Decimal("1.1"), {"data_residency": ("eu",)}, SOURCE)
    contract = Contract("acme", terms=(discount("0.12"),))
    reduced = rates(contract, card(uplift, data_residency="eu"), data_residency="eu")
    assert reduced["input_tokens"] == "1.936"


def test_an_hourly_rate_stays_exact() -> None:
    """0.111 an hour, 30 % off, for one second: 0.0777 / 3,600, which ends in no decimal."""
    hourly = OfferPrices([price("audio_seconds", "0.111")], (), VOCABULARY, {}).rate_card(AS_OF, VOCABULARY.resolve({}))
    contract = Contract("acme", terms=(discount("0.3", meters=("audio_seconds",)),))
    total = bill(contract.rates_of(hourly, "p", "m", {}, AS_OF), {"audio_seconds": 1}).total
    assert total == Exact(Decimal("0.0777"), Decimal(3600))


def test_a_bill_says_which_discounts_are_in_it_and_since_when() -> None:
    until = period("2026-11-15", "2027-01-01")
    terms = (discount("0.2", id="all", period=until), discount("0.1", id="fee", meters=("web_searches",)))
    reduced = Contract("acme", terms=terms).rates_of(card(), "openai", "gpt-6-sol", {}, AS_OF)
    result = bill(reduced, {"input_tokens": 1_000_000})
    assert result.total == Exact(Decimal("1.6"))
    assert result.warnings == ["contract_discount=all"]
    stands = standing([line.rate for line in result.lines], AS_OF)
    assert (stands.valid_from, stands.ends_at) == (until.valid_from, until.valid_to)
    assert stands.sources == ["vendor page", "contract 4711"]
    assert bill(card(), {"input_tokens": 1}).warnings == []


def test_bills_with_and_without_the_discount_do_not_share_what_was_worked_out() -> None:
    """One card, asked before, during and after the discount's time: 2, 1.8 and 2 for a million tokens."""
    contract, given = Contract("acme", terms=(discount(period=period("2026-11-01", "2026-12-01")),)), card()
    totals = [
        bill(contract.rates_of(given, "p", "m", {}, parse_instant(at)), {"input_tokens": 1_000_000}).total
        for at in ("2026-10-31", "2026-11-01", "2026-12-01")
    ]
    assert totals == [Exact(Decimal(2)), Exact(Decimal("1.8")), Exact(Decimal(2))]


def test_rates_are_worked_out_once() -> None:
    contract, given = Contract("acme", terms=(discount(),)), card()
    first, second = (contract.rates_of(given, "p", "m", {}, AS_OF) for _ in range(2))
    assert first.rates["input_tokens"][0] is second.rates["input_tokens"][0]


def test_outside_of_its_period_a_book_answers_nothing() -> None:
    contract = Contract("acme-2026", period("2026-01-01", "2026-11-30T12:00:00Z"))
    contract.check(parse_instant("2026-11-30T11:59:59Z"))
    for instant in ("2025-12-31T23:59:59Z", NOON):
        with pytest.raises(PermillionError, match=r"acme-2026 holds from 2026-01-01T00:00:00Z until") as refused:
            contract.check(parse_instant(instant))
        assert refused.value.slug == "missing-price"


@pytest.mark.parametrize(
    "text", ["2026-13", "2026-00", "2026-1", "2026-11-01", "1969-12", "2200-01", "２０２６-11", "", "2026-11\n"]
)
def test_no_month(text: str) -> None:
    with pytest.raises(PermillionError) as refused:
        parse_month(text, pointer="/month")
    assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", "/month")


@pytest.mark.parametrize(
    ("per", "month", "expected"),
    [
        (CommitmentPeriod.MONTH, "2026-05", ("2026-05-01", "2026-06-01")),
        (CommitmentPeriod.QUARTER, "2026-02", ("2026-02-01", "2026-05-01")),
        (CommitmentPeriod.QUARTER, "2026-12", ("2026-11-01", "2027-02-01")),
        (CommitmentPeriod.TERM, "2026-12", ("2026-02-01", "2027-02-01")),
        (CommitmentPeriod.MONTH, "2027-02", None),
        (CommitmentPeriod.TERM, "2026-01", None),
    ],
)
def test_the_period_of_a_commitment(per: CommitmentPeriod, month: str, expected: tuple[str, str] | None) -> None:
    found = commitment_period(period("2026-02-01", "2027-02-01"), per, parse_month(month))
    assert found == (None if expected is None else period(*expected))
