"""Importing rental prices on each engine: shown first, recorded as a whole, nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from api.services.machines.importing import plan_rental_import, publish_rental_import
from catalog.catalog import Catalog
from economics.errors import PermillionError
from hardware.prices.feeds.own_csv import read_own_csv
from hardware.prices.feeds.reading import RentalReading

HEADER = "provider,sku,accelerator,accelerator_count,unit,coverage,purchase_model,amount,currency,as_of,source\n"
ROW = "acme,{},h100-sxm,8,instance,whole_instance,on_demand,{},USD,2026-11-20,page\n"


@pytest.fixture
def catalog(store_url: str) -> Iterator[Catalog]:
    opened = Catalog.open(store_url)
    opened.prepare([], datetime(2026, 11, 30, tzinfo=UTC))
    yield opened
    opened.close()


def reading(*rows: tuple[str, str]) -> RentalReading:
    return read_own_csv((HEADER + "".join(ROW.format(*row) for row in rows)).encode())


def test_an_import_is_planned_then_recorded_then_known(catalog: Catalog) -> None:
    before = catalog.snapshot.version
    plan = plan_rental_import(catalog, reading(("a", "32"), ("b", "30"), ("c", "0")))
    counts = plan.counts()
    assert (counts["entries"], counts["added"], counts["refused"]) == (3, 2, 1)
    assert catalog.snapshot.version == before, "a plan writes nothing"
    assert publish_rental_import(catalog, plan) == catalog.snapshot.version != before
    kept = catalog.snapshot.hardware.rental_price("acme/a")
    assert (kept.amount, kept.accelerator) == (Decimal(32), "h100-sxm")
    again = plan_rental_import(catalog, reading(("a", "32"), ("b", "30")))
    assert again.counts()["unchanged"] == 2
    after = catalog.snapshot.version
    assert publish_rental_import(catalog, again) == after, "what is believed already is no new version"


def test_a_corrected_row_of_the_same_day_supersedes(catalog: Catalog) -> None:
    publish_rental_import(catalog, plan_rental_import(catalog, reading(("a", "32"))))
    first = datetime.now(UTC)
    plan = plan_rental_import(catalog, reading(("a", "31")))
    assert plan.counts()["changed"] == 1
    publish_rental_import(catalog, plan)
    assert catalog.snapshot.hardware.rental_price("acme/a").amount == Decimal(31)
    assert catalog.snapshot_at(first).hardware.rental_price("acme/a").amount == Decimal(32)


def test_a_file_without_a_row_is_refused(catalog: Catalog) -> None:
    with pytest.raises(PermillionError, match="no entry"):
        plan_rental_import(catalog, reading())
