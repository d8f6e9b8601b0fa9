"""Terms of private books on both engines: replaced as a whole, never overwritten, in the digest, in the prices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from api.services.offers import OfferName
from api.services.pricing import PricedUsage, UsageToPrice, price_usage
from catalog.catalog import Catalog
from catalog.price_tables import StoredTerm
from catalog.publishing import (
    ClearedRate,
    ClearedTerm,
    NewBook,
    NewRow,
    Publication,
    PublishReport,
    TermEntry,
)
from catalog.publishing.discounts import MAX_DISCOUNTS
from catalog.publishing.terms import MAX_TERMS
from catalog.snapshot import Snapshot
from catalog.term_history import list_terms
from economics.contracts.months import CommitmentPeriod
from economics.contracts.terms import CommittedSpend, Credit, Discount, FreeAllowance, Scope
from economics.errors import PermillionError
from economics.periods import Period
from economics.prices import ALWAYS, BASE_TIER, PriceRow, Provenance

BOOK = NewBook("team", "default", "USD")
HOUR = timedelta(hours=1)
AS_OF = datetime(2026, 11, 30, 11, tzinfo=UTC)
YEAR = Period(datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))


def discount(share: str = "0.12", **more: Any) -> Discount:
    return Discount(**{"id": "framework", "source": "contract 4711", "share": Decimal(share)} | more)


ALL: list[TermEntry] = [
    discount(meters=("output_tokens", "input_tokens"), conditions={"service_tier": ("fast",)}, base_only=True, period=YEAR,
             scope=Scope("acme", "rocket-2"), note="from clause 3", order=-2),
    FreeAllowance(id="searches", source="page", meter="web_searches", quantity=Decimal("5000.50")),
    Credit(id="grant", source="mail", amount=Decimal("100.00"), period=YEAR),
    CommittedSpend(id="commitment", source="contract", amount=Decimal(1000), per=CommitmentPeriod.QUARTER, period=YEAR,
                   after_credits=True),
]  # fmt: skip


@pytest.fixture
def catalog(loaded: Engine) -> Catalog:
    found = Catalog(loaded)
    found.refresh_if_changed()
    return found


def publish(catalog: Catalog, *terms: TermEntry, at: datetime, rows: Any = (), book: NewBook = BOOK) -> PublishReport:
    return catalog.publish_all([Publication(book, rows, terms=terms)], recorded_at=at)[0]


def counts(report: PublishReport) -> tuple[int, int, int]:
    return report.added, report.superseded, report.unchanged


def priced(snapshot: Snapshot, as_of: datetime = AS_OF, **context: str) -> PricedUsage:
    asked = UsageToPrice(0, OfferName("acme/rocket-2", "team", context), as_of, {"input_tokens": 100_000})
    return price_usage(asked, snapshot)


def price(snapshot: Snapshot, as_of: datetime = AS_OF, **context: str) -> str | None:
    total = priced(snapshot, as_of, **context).total
    return None if total is None else total.to_text()


def held(period: Period) -> NewBook:
    return replace(BOOK, bounds={"valid_from": period.valid_from, "valid_to": period.valid_to})


def stored(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.scalars(select(func.count()).select_from(StoredTerm)).one()


def test_terms_come_back_as_they_were_said(catalog: Catalog, sheets: Any) -> None:
    assert counts(publish(catalog, *ALL, at=sheets.now)) == (4, 0, 0)
    records, after = list_terms(catalog.engine, tenant="default", book="team", limit=10)
    spelled = replace(ALL[0], meters=("input_tokens", "output_tokens"), conditions={"service_tier": ("priority",)})  # type: ignore[type-var]
    assert [record.term for record in records] == [spelled, *ALL[1:]]
    assert after is None
    assert {(record.price_book, record.currency, record.recorded_at) for record in records} == {
        ("team", "USD", sheets.now)
    }
    _, contract = catalog.snapshot.private_book("team")
    assert contract is not None
    assert list(contract.terms) == [record.term for record in records]


def test_the_same_again_changes_nothing(catalog: Catalog, sheets: Any) -> None:
    book = held(YEAR)
    first = publish(catalog, *ALL, at=sheets.now, book=book)
    assert counts(first) == (5, 0, 0)
    again = publish(catalog, *reversed(ALL), at=sheets.now + HOUR, book=book)
    assert counts(again) == (0, 0, 5)
    assert (again.version, again.recorded_at) == (first.version, first.recorded_at)
    assert stored(catalog.engine) == 5


def test_the_digest_depends_on_what_is_believed_alone(catalog: Catalog, sheets: Any) -> None:
    first = publish(catalog, discount(), at=sheets.now)
    other = publish(catalog, discount("0.2"), at=sheets.now + HOUR)
    back = publish(catalog, discount(), at=sheets.now + 2 * HOUR)
    assert first.version.split("-")[1] != other.version.split("-")[1]
    assert first.version.split("-")[1] == back.version.split("-")[1]


def test_a_discount_is_in_the_price_and_leaves_earlier_answers(catalog: Catalog, sheets: Any) -> None:
    """The list price is 2.50 per Mtok: 0.25 for 100,000; 12 % less is 0.22, 20 % less 0.2."""
    start = sheets.now
    publish(catalog, at=start, book=held(Period()))
    assert price(catalog.snapshot) == "0.25"
    assert counts(publish(catalog, discount(), at=start + 2 * HOUR)) == (1, 0, 0)
    answer = priced(catalog.snapshot)
    assert answer.total is not None
    assert answer.total.to_text() == "0.22"
    assert {"base_price_used", "contract_discount=framework"} <= set(answer.warnings)
    assert answer.standing is not None
    assert "contract 4711" in answer.standing.sources
    assert counts(publish(catalog, discount("0.2"), at=start + 4 * HOUR)) == (1, 1, 0)
    assert price(catalog.snapshot) == "0.2"
    assert price(catalog.snapshot_at(start + HOUR)) == "0.25"
    assert price(catalog.snapshot_at(start + 3 * HOUR)) == "0.22"
    assert price(catalog.snapshot_at(start + 5 * HOUR)) == "0.2"


def test_versions_of_a_discount_follow_each_other_and_are_replaced_together(catalog: Catalog, sheets: Any) -> None:
    july = datetime(2026, 7, 1, tzinfo=UTC)
    halves = [discount("0.1", period=Period(None, july)), discount("0.2", period=Period(july))]
    assert counts(publish(catalog, *halves, at=sheets.now)) == (2, 0, 0)
    assert price(catalog.snapshot) == "0.2"
    assert price(catalog.snapshot, july - HOUR) == "0.27"  # 3.00 before July, 10 % less
    assert counts(publish(catalog, halves[1], at=sheets.now + HOUR)) == (0, 1, 1)
    assert price(catalog.snapshot, july - HOUR) == "0.3"


def test_a_term_is_cleared(catalog: Catalog, sheets: Any) -> None:
    publish(catalog, discount(), at=sheets.now)
    assert counts(publish(catalog, ClearedTerm("framework"), at=sheets.now + HOUR)) == (0, 1, 0)
    assert price(catalog.snapshot) == "0.25"
    assert catalog.snapshot.private_book("team")[1] is None
    assert counts(publish(catalog, ClearedTerm("framework"), at=sheets.now + 2 * HOUR)) == (0, 0, 1)
    records, _ = list_terms(catalog.engine, tenant="default", known_at=sheets.now, limit=10)
    assert [record.superseded_at for record in records] == [sheets.now + HOUR]


def test_a_book_answers_in_its_period_only(catalog: Catalog, sheets: Any) -> None:
    outside = YEAR.valid_to
    assert outside is not None
    publish(catalog, discount(), at=sheets.now, book=held(YEAR))
    assert price(catalog.snapshot) == "0.22"
    answer = priced(catalog.snapshot, outside)
    assert answer.error is not None
    assert answer.error.slug == "missing-price"
    assert "from 2026-01-01T00:00:00Z until 2027-01-01T00:00:00Z" in answer.error.detail
    assert counts(publish(catalog, at=sheets.now + HOUR)) == (0, 0, 0), "a period that is not said stays"
    assert price(catalog.snapshot, outside) is None
    longer = replace(BOOK, bounds={"valid_to": datetime(2028, 1, 1, tzinfo=UTC)})
    assert counts(publish(catalog, at=sheets.now + 2 * HOUR, book=longer)) == (1, 1, 0)
    assert price(catalog.snapshot, outside) == "0.22"
    assert price(catalog.snapshot, datetime(2025, 12, 31, tzinfo=UTC)) is None, "the start that was not said stays"
    assert price(catalog.snapshot_at(sheets.now + HOUR), outside) is None
    assert counts(publish(catalog, at=sheets.now + 3 * HOUR, book=held(Period()))) == (0, 1, 0)
    assert price(catalog.snapshot, datetime(2031, 1, 1, tzinfo=UTC)) == "0.22"


@pytest.mark.parametrize(
    ("first", "then", "pointer"),
    [
        ({"valid_from": datetime(2027, 1, 1, tzinfo=UTC)}, {"valid_to": datetime(2027, 1, 1, tzinfo=UTC)}, "/price_book/valid_to"),
        ({}, {"valid_from": datetime(2027, 1, 1, tzinfo=UTC), "valid_to": datetime(2026, 1, 1, tzinfo=UTC)}, "/price_book/valid_to"),
        ({}, {"valid_from": datetime(2300, 1, 1, tzinfo=UTC)}, "/price_book/valid_from"),
    ],
)  # fmt: skip
def test_a_period_that_cannot_be(catalog: Catalog, sheets: Any, first: Any, then: Any, pointer: str) -> None:
    publish(catalog, at=sheets.now, book=replace(BOOK, bounds=first))
    with pytest.raises(PermillionError) as refused:
        publish(catalog, at=sheets.now, book=replace(BOOK, bounds=then))
    assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", pointer)


def test_another_process_sees_new_terms(catalog: Catalog, sheets: Any) -> None:
    other = Catalog(catalog.engine)
    other.refresh_if_changed()
    publish(catalog, discount(), at=sheets.now)
    assert other.refresh_if_changed()
    assert price(other.snapshot) == "0.22"


def test_terms_of_an_instant_and_of_an_earlier_state(catalog: Catalog, sheets: Any) -> None:
    publish(catalog, *ALL, at=sheets.now)

    def ids(**asked: Any) -> list[str]:
        records, _ = list_terms(catalog.engine, tenant="default", limit=10, **asked)
        return [record.term.id for record in records if record.term]

    assert ids(as_of=datetime(2025, 6, 1, tzinfo=UTC)) == ["searches"]
    assert ids(known_at=sheets.now - HOUR) == []
    assert ids(book="another") == []
    assert ids(book="te\x00am") == []
    page, cursor = list_terms(catalog.engine, tenant="default", limit=3)
    rest, end = list_terms(catalog.engine, tenant="default", limit=3, cursor=cursor)
    assert ([len(page), len(rest)], end) == ([3, 1], None)
    with pytest.raises(PermillionError, match="cursor"):
        list_terms(catalog.engine, tenant="default", limit=3, cursor="r1")


@pytest.mark.parametrize(
    ("made", "slug", "pointer"),
    [
        (lambda: [discount(), discount("0.2")], "overlapping-prices", "/price_book/terms/1/valid_from"),
        (lambda: [ALL[2], replace(ALL[2], period=Period(YEAR.valid_to))], "invalid-fields", "/price_book/terms/1/id"),
        (lambda: [ClearedTerm("framework"), discount()], "invalid-fields", "/price_book/terms/1/id"),
        (lambda: [discount(id="*")], "invalid-fields", "/price_book/terms/0/id"),
        (lambda: [discount(id="Upper")], "invalid-fields", "/price_book/terms/0/id"),
        (lambda: [discount(order=10**9)], "invalid-fields", "/price_book/terms/0/order"),
        (lambda: [discount(source="")], "invalid-fields", "/price_book/terms/0/source"),
        (lambda: [discount(note="a\nb")], "invalid-fields", "/price_book/terms/0/note"),
        (lambda: [discount(scope=Scope("acmee"))], "unknown-provider", "/price_book/terms/0/provider"),
        (lambda: [discount(scope=Scope("acme", "rocket-3"))], "unknown-model", "/price_book/terms/0/model"),
        (lambda: [discount(scope=Scope("acme", "rocket-latest"))], "unknown-model", "/price_book/terms/0/model"),
        (
            lambda: [discount(scope=Scope("acme"), conditions={"speed": ("fast",)})],
            "unknown-context",
            "/price_book/terms/0/context/speed",
        ),
        (
            lambda: [discount(period=Period(datetime(2300, 1, 1, tzinfo=UTC)))],
            "invalid-fields",
            "/price_book/terms/0/valid_from",
        ),
        (lambda: [discount(id=f"d{n}") for n in range(MAX_TERMS + 1)], "too-many-rows", "/price_book/terms"),
    ],
)
def test_what_is_refused_leaves_nothing(
    catalog: Catalog, sheets: Any, made: Callable[[], list[Any]], slug: str, pointer: str
) -> None:
    before = catalog.snapshot.version
    with pytest.raises(PermillionError) as refused:
        publish(catalog, *made(), at=sheets.now)
    assert (refused.value.slug, refused.value.pointer) == (slug, pointer)
    assert stored(catalog.engine) == 0
    catalog.refresh_if_changed()
    assert catalog.snapshot.version == before


def test_a_book_has_a_thousand_terms_however_they_come(catalog: Catalog, sheets: Any) -> None:
    publish(catalog, *(replace(ALL[2], id=f"a{n}") for n in range(MAX_TERMS)), at=sheets.now)
    with pytest.raises(PermillionError, match="at most 1000"):
        publish(catalog, discount(id="b"), at=sheets.now + HOUR)
    assert stored(catalog.engine) == MAX_TERMS


def test_versions_of_one_discount_count_once(catalog: Catalog, sheets: Any) -> None:
    """Eight discounts that change each year are eight at any instant; a ninth is one too many even if it never meets them."""
    years = [
        Period(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)) for year in (2024, 2025, 2026)
    ]
    terms = [discount("0.01", id=f"d{n}", period=year) for n in range(MAX_DISCOUNTS) for year in years]
    assert counts(publish(catalog, *terms, at=sheets.now)) == (24, 0, 0)
    before = Period(None, years[0].valid_from)
    with pytest.raises(PermillionError) as refused:
        publish(catalog, discount("0.01", id="e", period=before, scope=Scope("acme")), at=sheets.now + HOUR)
    assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", "/price_book/terms/0")
    assert stored(catalog.engine) == 24


def test_a_context_without_a_vendor_is_spelled_as_some_vendor_does(catalog: Catalog, sheets: Any) -> None:
    """`fast` is another word for `priority` at acme: as no offer's context ever says it, a discount on it would never hold."""
    publish(catalog, discount(conditions={"service_tier": ("priority",)}), at=sheets.now)
    with pytest.raises(PermillionError) as refused:
        publish(catalog, discount(conditions={"service_tier": ("fast",)}), at=sheets.now + HOUR)
    assert (refused.value.slug, refused.value.pointer) == (
        "unknown-context",
        "/price_book/terms/0/context/service_tier",
    )


def test_what_is_cleared_of_no_book_makes_none(catalog: Catalog, sheets: Any) -> None:
    before = catalog.snapshot.version
    for said in ({"rows": [cleared()]}, {"terms": [ClearedTerm("framework")]}):
        with pytest.raises(PermillionError) as refused:
            catalog.publish_all([Publication(BOOK, **said)], recorded_at=sheets.now)  # type: ignore[arg-type]
        assert (refused.value.slug, refused.value.pointer) == ("unknown-price-book", "/price_book/id")
    catalog.refresh_if_changed()
    assert catalog.snapshot.version == before
    assert not catalog.snapshot.has_book("acme", "team")


def test_a_model_of_the_book_itself_can_be_named(catalog: Catalog, sheets: Any) -> None:
    row = PriceRow("input_tokens", Decimal(2), 1_000_000, "USD", Provenance("contract", None))
    rows = [NewRow("Vendor", "Own", None, row)]
    assert counts(publish(catalog, discount(scope=Scope("vendor", "own")), at=sheets.now, rows=rows)) == (2, 0, 0)


# --- a rate that is null


def cleared(period: Period = ALWAYS, model: str = "rocket-2", meter: str = "input_tokens") -> ClearedRate:
    return ClearedRate("acme", model, meter, {}, BASE_TIER, period)


def own(rate: str, period: Period = ALWAYS) -> NewRow:
    row = PriceRow("input_tokens", Decimal(rate), 1_000_000, "USD", Provenance("contract", None), period=period)
    return NewRow("acme", "Rocket-2", None, row)


def test_a_cleared_rate_is_superseded_and_the_base_answers(catalog: Catalog, sheets: Any) -> None:
    publish(catalog, at=sheets.now, rows=[own("2")])
    assert price(catalog.snapshot) == "0.2"
    report = publish(catalog, at=sheets.now + HOUR, rows=[cleared()])
    assert (counts(report), report.remainders) == ((0, 1, 0), 0)
    assert price(catalog.snapshot) == "0.25"
    assert price(catalog.snapshot_at(sheets.now)) == "0.2"


def test_a_rate_is_cleared_for_a_time(catalog: Catalog, sheets: Any) -> None:
    publish(catalog, at=sheets.now, rows=[own("2")])
    june, july = datetime(2026, 6, 4, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)  # no night price on a Thursday
    report = publish(catalog, at=sheets.now + HOUR, rows=[cleared(Period(june, july))])
    assert (counts(report), report.remainders) == ((0, 1, 0), 2)
    assert [price(catalog.snapshot, at) for at in (june - 24 * HOUR, june, july)] == ["0.2", "0.3", "0.2"]


def test_clearing_nothing_is_unchanged(catalog: Catalog, sheets: Any) -> None:
    first = publish(catalog, at=sheets.now, rows=[own("2", Period(AS_OF))])
    nothing = [
        cleared(Period(None, AS_OF)),
        cleared(meter="output_tokens"),
        cleared(model="unheard-of"),
    ]
    report = publish(catalog, at=sheets.now + HOUR, rows=nothing)
    assert (counts(report), report.version) == ((0, 0, 3), first.version)
    assert "unheard-of" not in {model.model for model in catalog.snapshot.models()}


def test_a_rate_is_cleared_and_another_put_beside_it(catalog: Catalog, sheets: Any) -> None:
    publish(catalog, at=sheets.now, rows=[own("2")])
    rows = [cleared(Period(None, AS_OF)), own("1", Period(AS_OF))]
    report = publish(catalog, at=sheets.now + HOUR, rows=rows)
    assert counts(report) == (1, 1, 0)
    assert [price(catalog.snapshot, at) for at in (AS_OF - HOUR, AS_OF)] == ["0.25", "0.1"]
    with pytest.raises(PermillionError) as refused:
        publish(catalog, at=sheets.now + HOUR, rows=[cleared(), own("1", Period(AS_OF))])
    assert (refused.value.slug, refused.value.pointer) == ("overlapping-prices", "/rows/1")


def test_no_own_rate_and_no_base_is_missing_not_free(catalog: Catalog, sheets: Any) -> None:
    book = replace(BOOK, base=None)
    publish(catalog, at=sheets.now, rows=[own("2")], book=book)
    publish(catalog, at=sheets.now + HOUR, rows=[cleared()], book=book)
    answer = priced(catalog.snapshot)
    assert answer.error is not None
    assert answer.error.slug == "missing-price"
