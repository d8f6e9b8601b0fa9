"""Private books: made on first use, corrected by superseding, closed to list ids, all or nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from catalog.history import list_prices
from catalog.loading import load_providers
from catalog.models import StoredVersion
from catalog.price_tables import StoredBook, StoredPrice
from catalog.publishing import NewBook, NewRow, publish_private_rows
from catalog.snapshot import read_snapshot
from economics.errors import PermillionError
from economics.periods import Period
from economics.prices import PriceRow, Provenance, Tier

BOOK = NewBook("team-2026", "default", "USD")
HOUR = timedelta(hours=1)


def month(number: int) -> datetime:
    return datetime(2026, number, 1, tzinfo=UTC)


def row(rate: str = "2", meter: str = "input_tokens", **changes: Any) -> PriceRow:
    base = PriceRow(meter, Decimal(rate), 1_000_000, "USD", Provenance("our contract", None))
    return replace(base, **changes)


def new(price: PriceRow, model: str = "m1", provider: str = "Vendor A", tokenizer: str | None = "o200k_base") -> NewRow:
    return NewRow(provider, model, tokenizer, price)


def spans(engine: Engine, known_at: datetime | None = None) -> list[tuple[str, int | None, int | None]]:
    """Rate and months of what is believed of the private input price, by time."""
    rows, _ = list_prices(engine, tenant="default", book=BOOK.id, known_at=known_at, limit=100)

    def month_of(instant: datetime | None) -> int | None:
        return None if instant is None else instant.month

    found = [(str(r.rate), month_of(r.valid_from), month_of(r.valid_to)) for r in rows]
    return sorted(found, key=lambda span: span[1] or 0)


def count_of(engine: Engine, table: Any) -> int:
    with engine.connect() as connection:
        return connection.scalars(select(func.count()).select_from(table)).one()


def test_unknown_vendors_and_models_live_in_the_book(loaded: Engine, sheets: Any) -> None:
    report = publish_private_rows(
        loaded, "default", BOOK, [new(row()), new(row("8", "output_tokens"))], sheets.now + HOUR
    )
    assert (report.added, report.superseded, report.remainders, report.unchanged) == (2, 0, 0, 0)
    assert report.version.startswith("2-")
    assert report.recorded_at == sheets.now + HOUR
    snapshot = read_snapshot(loaded)
    assert snapshot.version == report.version
    offer = snapshot.offer("vendor a", "M1", BOOK.id, sheets.now)
    assert (offer.provider, offer.model.model, offer.model.tokenizer) == ("Vendor A", "m1", "o200k_base")
    assert (offer.book.kind, offer.book.base, offer.book.currency, offer.book.tenant) == (
        "private", "default", "USD", "default",
    )  # fmt: skip
    assert offer.base_prices is None
    assert [r for r in offer.prices.rows if r.meter == "input_tokens"] == [row()]
    assert "vendor a" not in {name.casefold() for name in snapshot.providers}


def test_an_identical_row_changes_nothing(loaded: Engine, sheets: Any) -> None:
    first = publish_private_rows(loaded, "default", BOOK, [new(row("2.50"))], sheets.now)
    again = publish_private_rows(loaded, "default", BOOK, [new(row("2.5"), model="M1")], sheets.now + HOUR)
    assert (again.added, again.superseded, again.unchanged) == (0, 0, 1)
    assert again.version == first.version
    assert count_of(loaded, StoredVersion) == 2


@pytest.mark.parametrize(
    ("old", "newer", "after"),
    [
        ((None, None), (6, 8), [("2", None, 6), ("1", 6, 8), ("2", 8, None)]),
        ((3, 9), (6, None), [("2", 3, 6), ("1", 6, None)]),
        ((3, 9), (None, 6), [("1", None, 6), ("2", 6, 9)]),
        ((3, 9), (3, 9), [("1", 3, 9)]),
        ((3, 9), (2, 10), [("1", 2, 10)]),
        ((3, 9), (3, 6), [("1", 3, 6), ("2", 6, 9)]),
        ((3, 6), (6, 9), [("2", 3, 6), ("1", 6, 9)]),
    ],
)
def test_a_correction_takes_its_time_from_the_old_row(
    loaded: Engine,
    sheets: Any,
    old: tuple[int | None, int | None],
    newer: tuple[int | None, int | None],
    after: list[tuple[str, int | None, int | None]],
) -> None:
    def period(bounds: tuple[int | None, int | None]) -> Period:
        return Period(*(None if bound is None else month(bound) for bound in bounds))

    publish_private_rows(loaded, "default", BOOK, [new(row("2", period=period(old)))], sheets.now)
    before = spans(loaded)
    report = publish_private_rows(loaded, "default", BOOK, [new(row("1", period=period(newer)))], sheets.now + HOUR)
    assert spans(loaded) == after
    assert report.added == 1
    kept = ("2", *old) in after
    assert (report.superseded, report.remainders) == ((0, 0) if kept else (1, len(after) - 1))
    assert spans(loaded, known_at=sheets.now) == before
    rows, _ = list_prices(loaded, tenant="default", book=BOOK.id, superseded=True, limit=100)
    assert [(r.supersession, r.superseded_at) for r in rows if r.superseded_at] == (
        [] if kept else [("corrected", sheets.now + HOUR)]
    )


def test_several_rows_of_one_request_cut_the_same_old_row(loaded: Engine, sheets: Any) -> None:
    publish_private_rows(loaded, "default", BOOK, [new(row("2", period=Period(month(1), None)))], sheets.now)
    rows = [new(row("1", period=Period(month(3), month(4)))), new(row("5", period=Period(month(6), month(7))))]
    report = publish_private_rows(loaded, "default", BOOK, rows, sheets.now + HOUR)
    assert spans(loaded) == [("2", 1, 3), ("1", 3, 4), ("2", 4, 6), ("5", 6, 7), ("2", 7, None)]
    assert (report.added, report.superseded, report.remainders) == (2, 1, 3)


def test_the_start_of_what_is_left_after_a_correction_is_known(loaded: Engine, sheets: Any) -> None:
    publish_private_rows(loaded, "default", BOOK, [new(row("2", start_known=False))], sheets.now)
    publish_private_rows(loaded, "default", BOOK, [new(row("1", period=Period(month(6), month(7))))], sheets.now)
    rows, _ = list_prices(loaded, tenant="default", book=BOOK.id, limit=10)
    assert {(r.valid_from and r.valid_from.month, r.start_known) for r in rows} == {(None, False), (6, True), (7, True)}


def test_other_slots_are_left_alone(loaded: Engine, sheets: Any) -> None:
    first = [
        new(row()),
        new(row(tier=Tier(200_000))),
        new(row(conditions={"processing": ("batch",)})),
        new(row(), "m2"),
    ]
    publish_private_rows(loaded, "default", BOOK, first, sheets.now)
    report = publish_private_rows(loaded, "default", BOOK, [new(row("3", tier=Tier(200_000)))], sheets.now)
    assert (report.added, report.superseded) == (1, 1)
    assert count_of(loaded, StoredPrice) == 15 + 5


def test_a_row_that_says_more_of_its_source_is_a_correction(loaded: Engine, sheets: Any) -> None:
    publish_private_rows(loaded, "default", BOOK, [new(row())], sheets.now)
    checked = replace(row(), provenance=Provenance("our contract, amended", sheets.now.date()))
    report = publish_private_rows(loaded, "default", BOOK, [new(checked)], sheets.now + HOUR)
    assert (report.added, report.superseded) == (1, 1)
    rows, _ = list_prices(loaded, tenant="default", book=BOOK.id, limit=10)
    assert [(r.source, r.source_kind, r.checked_on) for r in rows] == [
        ("our contract, amended", "private", sheets.now.date())
    ]


@pytest.mark.parametrize("taken", ["default", "intl", "cn"])
def test_list_books_are_read_only(unwritten: Engine, sheets: Any, taken: str) -> None:
    with pytest.raises(PermillionError) as refused:
        publish_private_rows(unwritten, "default", replace(BOOK, id=taken), [new(row())], sheets.now)
    assert (refused.value.slug, refused.value.pointer) == ("read-only-book", "/price_book/id")
    assert count_of(unwritten, StoredVersion) == 1


def test_a_list_book_of_any_name_is_read_only(engine: Engine, sheets: Any) -> None:
    load_providers(engine, sheets.read(sheets.globex.replace("intl", "europe")), sheets.now)
    with pytest.raises(PermillionError) as refused:
        publish_private_rows(engine, "default", replace(BOOK, id="europe", base=None), [new(row())], sheets.now)
    assert refused.value.slug == "read-only-book"


@pytest.mark.parametrize(
    ("book", "slug", "pointer"),
    [
        (replace(BOOK, id="Team"), "invalid-fields", "/price_book/id"),
        (replace(BOOK, id=""), "invalid-fields", "/price_book/id"),
        (replace(BOOK, id="a" * 65), "invalid-fields", "/price_book/id"),
        (replace(BOOK, id="a\n"), "invalid-fields", "/price_book/id"),
        (replace(BOOK, currency="usd"), "invalid-fields", "/price_book/currency"),
        (replace(BOOK, base="europe"), "unknown-price-book", "/price_book/base"),
        (replace(BOOK, base="team-2026"), "unknown-price-book", "/price_book/base"),
        (replace(BOOK, title="two\nlines"), "invalid-fields", "/price_book/title"),
    ],
)
def test_a_malformed_book_is_refused(unwritten: Engine, sheets: Any, book: NewBook, slug: str, pointer: str) -> None:
    with pytest.raises(PermillionError) as refused:
        publish_private_rows(unwritten, "default", book, [], sheets.now)
    assert (refused.value.slug, refused.value.pointer) == (slug, pointer)
    assert count_of(unwritten, StoredVersion) == 1


@pytest.mark.parametrize(
    ("bad", "slug", "pointer"),
    [
        (new(row(currency="CNY")), "invalid-fields", "/rows/1/currency"),
        (new(row(), provider=""), "invalid-fields", "/rows/1/provider"),
        (new(row(), provider="a/b"), "invalid-fields", "/rows/1/provider"),
        (new(row(), provider="a "), "invalid-fields", "/rows/1/provider"),
        (new(row(), model=""), "invalid-fields", "/rows/1/model"),
        (new(row(), model="m\x00"), "invalid-fields", "/rows/1/model"),
        (new(row(), model="a,b"), "invalid-fields", "/rows/1/model"),
        (new(row(), model="m" * 201), "invalid-fields", "/rows/1/model"),
        (new(row(), tokenizer="two words"), "invalid-fields", "/rows/1/tokenizer"),
        (new(row(), model="m0", tokenizer="other"), "invalid-fields", "/rows/1/tokenizer"),
        (new(row(schedule="night")), "invalid-fields", "/rows/1/schedule"),
        (new(row(tax_rate=Decimal(6))), "invalid-fields", "/rows/1/tax_rate"),
        (new(row(provenance=Provenance("", None))), "invalid-fields", "/rows/1/source"),
        (new(row(provenance=Provenance("\ud800", None))), "invalid-fields", "/rows/1/source"),
        (new(row("1e40")), "invalid-fields", "/rows/1/rate"),
        (new(row("1e-31")), "invalid-fields", "/rows/1/rate"),
        (new(row(per=10**16)), "invalid-fields", "/rows/1/per"),
        (new(row(tier=Tier(-1))), "invalid-fields", "/rows/1/min_input_tokens"),
        (new(row(period=Period(datetime(1, 1, 1, tzinfo=UTC)))), "invalid-fields", "/rows/1/valid_from"),
        (new(row(period=Period(None, datetime(9999, 1, 1, tzinfo=UTC)))), "invalid-fields", "/rows/1/valid_to"),
        (new(row(conditions={"region": ("a&b=c",)})), "invalid-fields", "/rows/1/context/region"),
        (new(row(conditions={"region": ()})), "invalid-fields", "/rows/1/context/region"),
        (new(row(conditions={"region": ("eu",)}), "Rocket-2", "ACME"), "unknown-context", "/rows/1/context/region"),
        (
            new(row(conditions={"processing": ("x",)}), "Rocket-2", "acme"),
            "unknown-context",
            "/rows/1/context/processing",
        ),
    ],
)
def test_one_bad_row_refuses_the_request(unwritten: Engine, sheets: Any, bad: NewRow, slug: str, pointer: str) -> None:
    with pytest.raises(PermillionError) as refused:
        publish_private_rows(unwritten, "default", BOOK, [new(row(), "m0"), bad], sheets.now)
    assert (refused.value.slug, refused.value.pointer) == (slug, pointer)
    assert (count_of(unwritten, StoredVersion), count_of(unwritten, StoredPrice)) == (1, 15)


def test_rows_of_one_request_must_not_overlap(unwritten: Engine, sheets: Any) -> None:
    rows = [
        new(row(), "m2"),
        new(row("1", period=Period(None, month(6)))),
        new(row("3", period=Period(month(6)))),
        new(row("2", period=Period(month(5), month(7))), "M1"),
    ]
    with pytest.raises(PermillionError) as refused:
        publish_private_rows(unwritten, "default", BOOK, rows, sheets.now)
    assert (refused.value.slug, refused.value.pointer) == ("overlapping-prices", "/rows/3")
    assert count_of(unwritten, StoredVersion) == 1


def test_two_spellings_of_one_context_are_one_slot(loaded: Engine, sheets: Any) -> None:
    said = [new(row(conditions={"service_tier": (value,)}), "Rocket-2", "acme") for value in ("fast", "priority")]
    with pytest.raises(PermillionError) as refused:
        publish_private_rows(loaded, "default", BOOK, said, sheets.now)
    assert refused.value.slug == "overlapping-prices"
    publish_private_rows(loaded, "default", BOOK, said[:1], sheets.now)
    rows, _ = list_prices(loaded, tenant="default", book=BOOK.id, limit=10)
    assert [r.conditions for r in rows] == [{"service_tier": ("priority",)}]


def test_what_earlier_answers_relied_on_stays(loaded: Engine, sheets: Any) -> None:
    publish_private_rows(loaded, "default", BOOK, [new(row())], sheets.now)
    for again, pointer in (
        (replace(BOOK, currency="EUR"), "/price_book/currency"),
        (replace(BOOK, base="intl"), "/price_book/base"),
        (replace(BOOK, tax_included=True), "/price_book/tax_included"),
        (replace(BOOK, tax_rate=Decimal("0.06")), "/price_book/tax_rate"),
    ):
        with pytest.raises(PermillionError) as refused:
            publish_private_rows(loaded, "default", again, [], sheets.now)
        assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", pointer)


def test_leaving_the_base_out_keeps_it_and_a_title_may_change(loaded: Engine, sheets: Any) -> None:
    first = publish_private_rows(loaded, "default", replace(BOOK, title="Team"), [new(row())], sheets.now)
    kept = publish_private_rows(loaded, "default", replace(BOOK, base=None), [new(row())], sheets.now)
    assert kept.version == first.version
    renamed = publish_private_rows(loaded, "default", replace(BOOK, title="Our team"), [], sheets.now)
    assert renamed.version != first.version
    assert [(b.id, b.base, b.title) for b in read_snapshot(loaded).books()] == [("team-2026", "default", "Our team")]
    back = publish_private_rows(loaded, "default", replace(BOOK, title="Team"), [], sheets.now)
    assert back.version.split("-")[1] == first.version.split("-")[1]


def test_a_tokenizer_named_later_is_kept(loaded: Engine, sheets: Any) -> None:
    for tokenizer, kept in ((None, None), ("o200k_base", "o200k_base"), (None, "o200k_base"), ("qwen3", "qwen3")):
        publish_private_rows(loaded, "default", BOOK, [new(row(), tokenizer=tokenizer)], sheets.now)
        assert read_snapshot(loaded).offer("vendor a", "m1", BOOK.id, sheets.now).model.tokenizer == kept


def test_an_unknown_tenant_is_refused(unwritten: Engine, sheets: Any) -> None:
    with pytest.raises(PermillionError, match="tenant"):
        publish_private_rows(unwritten, "nobody", BOOK, [new(row())], sheets.now)
    with unwritten.connect() as connection:
        assert connection.scalar(select(func.count()).where(StoredBook.kind == "private")) == 0


def test_the_digest_forgets_the_way(loaded: Engine, sheets: Any) -> None:
    """The same believed rows, published at once or by way of corrections: one digest."""
    rows = [new(row("1"), "m1"), new(row("2"), "m2"), new(row("3", "output_tokens"), "m1")]
    straight = publish_private_rows(loaded, "default", BOOK, rows, sheets.now).version
    for step in ([new(row("9"), "m2")], [new(row("8", "output_tokens"), "m1")], [rows[2]], [rows[1]]):
        roundabout = publish_private_rows(loaded, "default", BOOK, step, sheets.now).version
    assert roundabout.split("-")[1] == straight.split("-")[1]
    assert roundabout.split("-")[0] == "6"


def test_thousands_of_rows(loaded: Engine, sheets: Any) -> None:
    rows = [new(row(str(i)), f"m{i}", f"vendor {i % 7}", None) for i in range(1, 3_001)]
    assert publish_private_rows(loaded, "default", BOOK, rows, sheets.now).added == 3_000
    halved = [replace(each, row=replace(each.row, rate=each.row.rate / 2)) for each in rows]
    report = publish_private_rows(loaded, "default", BOOK, halved, sheets.now + HOUR)
    assert (report.added, report.superseded) == (3_000, 3_000)
    offer = read_snapshot(loaded).offer("vendor 3", "m10", BOOK.id, sheets.now)
    assert [str(price.rate) for price in offer.prices.rows] == ["5"]
