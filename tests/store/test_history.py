"""Price rows as they hold and as they were believed, page by page."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine

from catalog.history import PriceRecord, list_prices
from catalog.loading import load_providers
from catalog.publishing import NewBook, NewRow, publish_private_rows
from economics.errors import PermillionError
from economics.prices import PriceRow, Provenance

HOUR = timedelta(hours=1)
BOOK = NewBook("team", None, "USD")


def ask(engine: Engine, **query: Any) -> list[PriceRecord]:
    rows, following = list_prices(engine, **{"tenant": "default", "limit": 100, **query})
    assert following is None
    return list(rows)


def test_a_record_says_everything(unwritten: Engine, sheets: Any) -> None:
    (record,) = [r for r in ask(unwritten, provider="ACME", book="cn") if r.meter == "web_searches"]
    assert record == PriceRecord(
        kind="rate", provider="acme", model="Rocket-2", price_book="cn", book_kind="list", meter="web_searches",
        rate=Decimal(10), per=1_000, currency="CNY", conditions={}, min_input_tokens=None, min_inclusive=False,
        max_input_tokens=None, schedule=None, search_unit="unique_query", valid_from=datetime(2026, 2, 1, tzinfo=UTC),
        valid_to=None, start_known=False, tax_included=True, tax_rate=Decimal("0.06"), source="Acme, price page",
        source_kind="vendor_page", source_url="https://acme.example/prices", source_version=None, source_license=None,
        source_retrieved_on=date(2026, 11, 1), source_lineage=None, checked_on=None, status="ok", note="", recorded_at=sheets.now,
        superseded_at=None, supersession=None, min_quantity=None,
        min_output_tokens=None, output_inclusive=None,
    )  # fmt: skip


def test_an_uplift_is_a_record_too(unwritten: Engine) -> None:
    (record,) = [r for r in ask(unwritten) if r.kind == "uplift"]
    assert (record.meter, record.rate, record.per, record.currency) == ("*", Decimal("1.75"), 1, "USD")
    assert record.conditions == {"service_tier": ("priority",)}


def test_tiers_and_schedules_are_told(unwritten: Engine) -> None:
    found = {
        (r.min_input_tokens, r.min_inclusive, r.schedule) for r in ask(unwritten, model="rocket-2", book="default")
    }
    assert found == {(None, False, None), (200_000, True, None), (None, False, "night")}


@pytest.mark.parametrize(
    ("at", "rate"),
    [
        (datetime(2026, 2, 1, tzinfo=UTC), "15"),
        (datetime(2026, 7, 1, tzinfo=UTC) - timedelta(microseconds=1), "15"),
        (datetime(2026, 7, 1, tzinfo=UTC), "12"),
        (datetime(2026, 1, 31, tzinfo=UTC), None),
    ],
)
def test_as_of_is_half_open(unwritten: Engine, at: datetime, rate: str | None) -> None:
    found = [str(r.rate) for r in ask(unwritten, model="Rocket-2", as_of=at) if r.meter == "output_tokens"]
    assert found == ([] if rate is None else [rate])


def test_an_unknown_start_holds_at_any_time(unwritten: Engine) -> None:
    assert len(ask(unwritten, provider="globex", as_of=datetime(1990, 1, 1, tzinfo=UTC))) == 4


def test_the_ends_of_time(unwritten: Engine) -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert (
        len(ask(unwritten, provider="globex", as_of=first)) == len(ask(unwritten, provider="globex", as_of=last)) == 4
    )
    assert ask(unwritten, known_at=first) == []
    assert len(ask(unwritten, known_at=last)) == 15


def test_known_at_tells_what_was_believed(loaded: Engine, sheets: Any) -> None:
    later = sheets.now + HOUR
    load_providers(loaded, sheets.read(sheets.acme.replace('"2.50"', '"2.25"'), sheets.globex), later)

    def rates(**query: Any) -> list[str]:
        rows = ask(loaded, model="Rocket-2", book="default", as_of=sheets.now, **query)
        return [str(r.rate) for r in rows if r.meter == "input_tokens" and r.valid_from and r.valid_from.month == 7]

    assert rates() == ["2.25"]
    assert rates(known_at=later) == ["2.25"]
    assert rates(known_at=later - timedelta(microseconds=1)) == ["2.5"]
    assert rates(known_at=sheets.now) == ["2.5"]
    assert rates(known_at=sheets.now - timedelta(microseconds=1)) == []
    assert rates(superseded=True) == ["2.5", "2.25"]


def test_filters(unwritten: Engine) -> None:
    assert len(ask(unwritten)) == 15
    assert {r.provider for r in ask(unwritten, provider="globex")} == {"globex"}
    assert {r.price_book for r in ask(unwritten, book="cn")} == {"cn"}
    assert {r.provider for r in ask(unwritten, book="cn")} == {"acme", "globex"}
    for strange in ("nobody", "' OR 1=1 --", "a\x00", "\ud800", "", "%"):
        assert ask(unwritten, provider=strange) == ask(unwritten, model=strange) == ask(unwritten, book=strange) == []


def test_private_rows_are_the_tenants_own(loaded: Engine, sheets: Any) -> None:
    row = PriceRow("input_tokens", Decimal(2), 1_000_000, "USD", Provenance("contract", None))
    publish_private_rows(loaded, "default", BOOK, [NewRow("acme", "rocket-2", None, row)], sheets.now)
    (mine,) = ask(loaded, book="team")
    assert (mine.book_kind, mine.source, mine.source_url, mine.source_retrieved_on) == (
        "private",
        "contract",
        None,
        None,
    )
    assert ask(loaded, book="team", tenant="other") == []
    assert len(ask(loaded, tenant="other")) == 15


@pytest.mark.parametrize("limit", [1, 4, 14, 15, 16])
def test_pages_are_whole_and_without_repeats(unwritten: Engine, limit: int) -> None:
    whole: list[PriceRecord] = []
    cursor, pages = None, 0
    while True:
        rows, cursor = list_prices(unwritten, tenant="default", limit=limit, cursor=cursor)
        whole += rows
        pages += 1
        if cursor is None:
            break
    assert whole == ask(unwritten)
    assert pages == -(-15 // limit)


def test_a_cursor_survives_a_change_in_between(loaded: Engine, sheets: Any) -> None:
    first, cursor = list_prices(loaded, tenant="default", limit=5, known_at=sheets.now)
    load_providers(loaded, sheets.read(sheets.globex), sheets.now + HOUR)
    rest, last = list_prices(loaded, tenant="default", limit=50, known_at=sheets.now, cursor=cursor)
    assert last is None
    assert len({(r.provider, r.model, r.price_book, r.meter, r.valid_from, str(r)) for r in (*first, *rest)}) == 15


@pytest.mark.parametrize("cursor", ["", "r", "5", "r-1", "r1 OR 1=1", "r" + "9" * 30, "r５", "r1\n"])
def test_a_cursor_that_is_none_is_refused(unwritten: Engine, cursor: str) -> None:
    with pytest.raises(PermillionError) as refused:
        list_prices(unwritten, tenant="default", limit=5, cursor=cursor)
    assert (refused.value.slug, refused.value.pointer) == ("invalid-fields", "/cursor")
