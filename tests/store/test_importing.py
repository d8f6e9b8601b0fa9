"""Importing a feed on each engine: what is added, changed, kept; nothing twice, nothing half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlalchemy import Engine

from api.services.importing import ImportPlan, plan_import, publish_import
from api.services.offers import OfferName
from api.services.pricing import UsageToPrice, price_usage
from catalog.catalog import Catalog
from catalog.history import list_prices
from catalog.publishing import NewBook
from economics.periods import Period
from economics.prices import ALWAYS, PriceRow, PriceStatus, Provenance
from providers.feeds import FeedReading, FeedRow, Refused
from providers.sheet import Source

BOOK = NewBook("feed", None, "USD")
NOV_1, NOV_20 = date(2026, 11, 1), date(2026, 11, 20)


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def seen(
    model: str,
    rate: str,
    *,
    on: date = NOV_1,
    provider: str = "acme",
    meter: str = "input_tokens",
    period: Period = ALWAYS,
    currency: str = "USD",
    **conditions: str,
) -> FeedRow:
    row = PriceRow(
        meter,
        Decimal(rate),
        1_000_000,
        currency,
        Provenance(f"Collected, {on}", on),
        {name: (value,) for name, value in conditions.items()},
        period=period,
        start_known=period.valid_from is not None,
    )
    return FeedRow(provider, model, row, f"{provider}/{model}")


def reading(*rows: FeedRow, refused: Sequence[Refused] = ()) -> FeedReading:
    titles = {row.row.provenance.source for row in rows}
    sources = {t: Source(title=t, kind="third_party", retrieved_on=NOV_1, version="1", license="MIT") for t in titles}
    return FeedReading(sources, rows, refused, len(rows))


@pytest.fixture
def catalog(loaded: Engine) -> Iterator[Catalog]:
    found = Catalog(loaded)
    found.refresh_if_changed()
    yield found


def imported(catalog: Catalog, *rows: FeedRow, on: date = NOV_1, accept: bool = False) -> ImportPlan:
    plan = plan_import(catalog, reading(*rows), BOOK, on, accept_quarantined=accept)
    publish_import(catalog, plan)
    return plan


def numbers(plan: ImportPlan) -> dict[str, int]:
    return {name: count for name, count in plan.counts().items() if count and name != "entries"}


def price(catalog: Catalog, offer: str, as_of: date, book: str | None = "feed") -> str:
    usage = {"input_tokens": 1_000_000}
    answer = price_usage(UsageToPrice(0, OfferName(offer, book, {}), midnight(as_of), usage), catalog.snapshot)
    return answer.error.slug if answer.error is not None else answer.total.to_text()  # type: ignore[union-attr]


def test_importing_twice_changes_nothing(catalog: Catalog) -> None:
    rows = (seen("one", "1"), seen("one", "0.5", processing="batch"), seen("two", "2", provider="elsewhere"))
    assert numbers(imported(catalog, *rows)) == {"added": 3}
    version, before = (
        catalog.snapshot.version,
        list_prices(catalog.engine, tenant="default", superseded=True, limit=999),
    )
    assert numbers(imported(catalog, *rows)) == {"unchanged": 3}
    assert catalog.snapshot.version == version
    assert list_prices(catalog.engine, tenant="default", superseded=True, limit=999) == before


def test_a_price_without_a_start_is_not_valid_since_it_was_seen(catalog: Catalog) -> None:
    imported(catalog, seen("one", "1"))
    ((_, row),) = catalog.snapshot.private_rows("feed")
    assert (row.period, row.start_known, row.provenance.checked_on) == (Period(), False, NOV_1)
    usage = UsageToPrice(0, OfferName("acme/one", "feed", {}), midnight(date(2026, 3, 1)), {"input_tokens": 1})
    answer = price_usage(usage, catalog.snapshot)
    assert answer.standing is not None
    assert answer.standing.status is PriceStatus.UNCONFIRMED_START
    assert answer.standing.valid_from is None


def test_a_cut_changes_no_earlier_answer(catalog: Catalog) -> None:
    imported(catalog, seen("one", "4"))
    plan = imported(catalog, seen("one", "3", on=NOV_20), on=NOV_20)
    assert numbers(plan) == {"changed": 1}
    assert [price(catalog, "acme/one", day) for day in (NOV_1, date(2026, 11, 19), NOV_20)] == ["4", "4", "3"]
    (cut,) = [row for _, row in catalog.snapshot.private_rows("feed") if row.rate == 3]
    assert not cut.start_known  # it was seen then; since when it holds nobody said
    assert numbers(imported(catalog, seen("one", "3", on=NOV_20), on=NOV_20)) == {"unchanged": 1}


def test_an_older_file_does_not_win_over_a_newer_one(catalog: Catalog) -> None:
    imported(catalog, seen("one", "3", on=NOV_20), on=NOV_20)
    plan = imported(catalog, seen("one", "4"))
    assert [(r.reason, r.upstream_id) for r in plan.refused] == [("older", "acme/one")]
    assert price(catalog, "acme/one", NOV_20) == "3"


def test_a_later_look_at_the_same_price_renews_its_day(catalog: Catalog) -> None:
    imported(catalog, seen("one", "3"))
    assert numbers(imported(catalog, seen("one", "3.00", on=NOV_20), on=NOV_20)) == {"confirmed": 1}
    ((_, row),) = catalog.snapshot.private_rows("feed")
    assert (row.provenance.checked_on, row.period.valid_from) == (NOV_20, None)


def test_dated_history_comes_in_as_it_is(catalog: Catalog) -> None:
    first, second = midnight(date(2026, 7, 1)), midnight(date(2026, 9, 1))
    assert numbers(imported(catalog, seen("one", "4", period=Period(first)))) == {"added": 1}
    rows = (seen("one", "4", period=Period(first, second)), seen("one", "3", period=Period(second)))
    assert numbers(imported(catalog, *rows)) == {"unchanged": 1, "changed": 1}  # the older part says nothing new
    days = (date(2026, 6, 30), date(2026, 7, 1), date(2026, 8, 31), date(2026, 9, 1))
    assert [price(catalog, "acme/one", day) for day in days] == ["missing-price", "4", "4", "3"]
    assert numbers(imported(catalog, *rows)) == {"unchanged": 2}


def test_what_is_gone_from_the_feed_stays(catalog: Catalog) -> None:
    imported(catalog, seen("one", "3"), seen("two", "5"))
    assert numbers(imported(catalog, seen("one", "3"))) == {"unchanged": 1, "gone": 1}
    assert price(catalog, "acme/two", NOV_20) == "5"


@pytest.mark.parametrize("rate", ["30", "0.3", "3000", "0.003", "0"])
def test_a_jump_waits_for_a_person(catalog: Catalog, rate: str) -> None:
    imported(catalog, seen("one", "3"), seen("two", "5"))
    rows = (seen("one", rate, on=NOV_20), seen("two", "6", on=NOV_20))
    plan = imported(catalog, *rows, on=NOV_20)
    assert numbers(plan) == {"changed": 1, "quarantined": 1}
    assert (price(catalog, "acme/one", NOV_20), price(catalog, "acme/two", NOV_20)) == ("3", "6")
    assert numbers(imported(catalog, *rows, on=NOV_20, accept=True)) == {"changed": 1, "unchanged": 1}
    assert price(catalog, "acme/one", NOV_20) == rate


def test_a_first_price_far_from_the_list_is_quarantined_and_a_near_one_is_disputed(catalog: Catalog) -> None:
    # the sheet's Rocket-2: input 2.50, output 12 since 2026-07-01
    rows = (seen("Rocket-2", "2500"), seen("Rocket-2", "11", meter="output_tokens"))
    plan = imported(catalog, *rows)
    assert numbers(plan) == {"added": 1, "disputed": 1, "quarantined": 1}
    assert [p.status for part in plan.books for p in part.planned] == [PriceStatus.DISPUTED]


def test_an_outlier_among_its_siblings_is_quarantined(catalog: Catalog) -> None:
    rows = [seen(f"embed-{n}", rate, provider="other") for n, rate in enumerate(("0.1", "0.1", "0.12", "100", "0.02"))]
    plan = imported(catalog, *rows)
    assert [r.upstream_id for r in plan.quarantined] == ["other/embed-3"]


def test_rows_that_cannot_be_published_are_refused_one_by_one(catalog: Catalog) -> None:
    rows = (
        seen("good", "1"),
        seen("=cmd", "1"),
        seen("good", "0.5", processing="overnight"),
        seen("good", "0.5", region="eu"),  # acme's vocabulary has no region
        seen("x" * 300, "1"),
    )
    plan = imported(catalog, *rows)
    assert numbers(plan) == {"added": 1, "refused": 4}
    assert [r.reason for r in plan.refused] == ["invalid-name", "unknown-context", "unknown-context", "invalid-name"]


def test_other_spellings_of_a_mode_are_one_price_and_a_second_one_is_refused(catalog: Catalog) -> None:
    # acme's vocabulary has service_tier priority, also spelled fast
    rows = (
        seen("one", "6", service_tier="priority"),
        seen("one", "6", service_tier="fast"),
        seen("two", "9", service_tier="fast"),
        seen("two", "9", provider="elsewhere", service_tier="turbo"),
    )
    plan = imported(catalog, *rows)
    assert [(r.reason, r.upstream_id) for r in plan.refused] == [("overlap", "acme/one")]
    assert {(key, tuple(row.conditions.items())) for key, row in catalog.snapshot.private_rows("feed")} == {
        (("acme", "one"), (("service_tier", ("priority",)),)),
        (("acme", "two"), (("service_tier", ("priority",)),)),
        (("elsewhere", "two"), (("service_tier", ("turbo",)),)),
    }


def test_each_currency_has_its_book_and_all_are_published_together(catalog: Catalog) -> None:
    plan = imported(catalog, seen("one", "1"), seen("two", "1"), seen("one", "7", currency="CNY"))
    assert [part.book.id for part in plan.books] == ["feed", "feed-cny"]
    assert (price(catalog, "acme/one", NOV_20), price(catalog, "acme/one", NOV_20, "feed-cny")) == ("1", "7")
    assert {book.id: book.currency for book in catalog.snapshot.books()} == {"feed": "USD", "feed-cny": "CNY"}


def test_a_feed_worsens_the_status_of_a_list_price_and_never_the_price(catalog: Catalog) -> None:
    def answered(as_of: date) -> tuple[str, str]:
        usage = UsageToPrice(0, OfferName("acme/Rocket-2", None, {}), midnight(as_of), {"input_tokens": 100_000})
        answer = price_usage(usage, catalog.snapshot)
        assert answer.total is not None
        assert answer.standing is not None
        return answer.total.to_text(), answer.standing.status.value

    assert answered(NOV_20) == ("0.25", "ok")
    imported(catalog, seen("rocket-2", "2.52", on=NOV_20), on=NOV_20)
    assert answered(NOV_20) == ("0.25", "ok")  # less than 1 % apart
    imported(catalog, seen("rocket-2", "2.6", on=NOV_20), on=NOV_20, accept=True)
    assert answered(NOV_20) == ("0.25", "disputed")
    assert answered(date(2027, 3, 4)) == ("0.25", "stale")  # by then the feed is as old as the list and says nothing
    assert answered(date(2026, 6, 4))[0] == "0.3"


def test_what_was_seen_before_a_price_began_says_nothing_against_it(catalog: Catalog) -> None:
    june = date(2026, 6, 20)
    imported(catalog, seen("Rocket-2", "3.00", on=june), on=june)  # right then: 3.00 until 2026-07-01
    usage = UsageToPrice(0, OfferName("acme/Rocket-2", None, {}), midnight(date(2026, 7, 10)), {"input_tokens": 1})
    answer = price_usage(usage, catalog.snapshot)
    assert answer.standing is not None
    assert answer.standing.status is not PriceStatus.DISPUTED


def test_a_dry_run_writes_nothing(catalog: Catalog) -> None:
    version = catalog.snapshot.version
    plan = plan_import(catalog, reading(seen("one", "1")), BOOK, NOV_1)
    assert numbers(plan) == {"added": 1}
    assert not catalog.refresh_if_changed()
    assert catalog.snapshot.version == version
    assert list(catalog.snapshot.books()) == []


def test_the_source_of_a_feed_is_kept_with_license_and_lineage(catalog: Catalog) -> None:
    read = reading(seen("one", "1"))
    (title,) = read.sources
    told = {title: read.sources[title].model_copy(update={"lineage": "openrouter", "url": "https://feed.example"})}
    plan = plan_import(catalog, replace(read, sources=told), BOOK, NOV_1)
    publish_import(catalog, plan)
    rows, _ = list_prices(catalog.engine, tenant="default", book="feed", limit=9)
    assert [(r.source_kind, r.source_license, r.source_lineage, r.source_url) for r in rows] == [
        ("third_party", "MIT", "openrouter", "https://feed.example")
    ]
