"""The catalog as the services see it: prepared once, swapped as a whole, shared by workers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import text

from catalog.catalog import Catalog
from catalog.publishing import NewBook, NewRow
from economics.errors import PermillionError
from economics.prices import PriceRow, Provenance

NOVEMBER = datetime(2026, 11, 15, tzinfo=UTC)
BOOK = NewBook("team", "default", "USD")


def row(rate: str, model: str = "m") -> NewRow:
    price = PriceRow("input_tokens", Decimal(rate), 1_000_000, "USD", Provenance("contract", None))
    return NewRow("vendor", model, None, price)


@pytest.fixture
def catalog(empty_url: str, sheets: Any) -> Iterator[Catalog]:
    made = Catalog.open(empty_url)
    assert not made.ready()
    with pytest.raises(PermillionError) as refused:
        _ = made.snapshot
    assert refused.value.slug == "not-ready"
    made.prepare(sheets.both)
    yield made
    made.close()


def rates(catalog: Catalog, model: str = "m") -> list[str]:
    return [str(price.rate) for price in catalog.snapshot.offer("vendor", model, "team", NOVEMBER).prices.rows]


def test_prepare_from_nothing_and_again(catalog: Catalog, sheets: Any) -> None:
    assert catalog.ready()
    before = catalog.snapshot
    report = catalog.prepare(sheets.both)
    assert (report.added, report.version) == (0, before.version)
    assert catalog.snapshot is before


def test_publishing_is_seen_at_once(catalog: Catalog) -> None:
    held = catalog.snapshot
    report = catalog.publish(BOOK, [row("2")])
    assert catalog.snapshot.version == report.version
    assert rates(catalog) == ["2"]
    with pytest.raises(PermillionError):
        held.offer("vendor", "m", "team", NOVEMBER)


def test_another_worker_takes_over_what_was_published(catalog: Catalog, empty_url: str, sheets: Any) -> None:
    other = Catalog.open(empty_url)
    other.prepare(sheets.both)
    assert not other.refresh_if_changed()
    catalog.publish(BOOK, [row("2")])
    assert other.refresh_if_changed()
    assert other.snapshot.version == catalog.snapshot.version
    assert rates(other) == ["2"]
    assert not other.refresh_if_changed()
    other.close()


def test_not_ready_when_the_schema_is_not_this_codes(catalog: Catalog) -> None:
    with catalog.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '2031_01_01_future'"))
    assert not catalog.ready()


def test_many_threads_publish_and_read(catalog: Catalog) -> None:
    failures: list[BaseException] = []
    versions: list[int] = []

    def work(number: int) -> None:
        try:
            for step in range(4):
                catalog.publish(BOOK, [row(str(step + 1), f"m{number}")])
                versions.append(catalog.snapshot.number)
                assert rates(catalog, f"m{number}") == [str(step + 1)]
        except BaseException as failure:  # noqa: BLE001 - told by the main thread
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert catalog.snapshot.number == 2 + 16
    assert not catalog.refresh_if_changed()


def test_a_refused_publication_leaves_the_snapshot(catalog: Catalog) -> None:
    before = catalog.snapshot
    with pytest.raises(PermillionError):
        catalog.publish(BOOK, [row("2"), row("3")])
    assert catalog.snapshot is before
    assert not catalog.refresh_if_changed()
