from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from catalog.catalog import Catalog
from catalog.engine import reading, writing
from catalog.reference.kinds import ACCELERATOR, KINDS, RENTAL_PRICE, Kind
from catalog.reference.loading import load_reference
from catalog.reference_tables import StoredReference
from catalog.snapshot import read_snapshot
from economics.errors import PermillionError
from hardware.accelerators.accelerator import shipped_accelerator
from hardware.prices.rental import RentalPrice

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = datetime(2026, 12, 1, 12, tzinfo=UTC)

OURS = RentalPrice(
    "acme", "box-8", "h100-sxm", "H100", 8, "instance", "whole_instance", "on_demand", Decimal("16.00"), "EUR",
    "quotation 12", region="basement", as_of="2026-11-29",
)  # fmt: skip


@pytest.fixture
def catalog(store_url: str) -> Iterator[Catalog]:
    opened = Catalog.open(store_url)
    opened.prepare([], AT)
    yield opened
    opened.close()


def stored(catalog: Catalog, kind: Kind, *, superseded: bool) -> int:
    which = StoredReference.superseded_at.is_not(None) if superseded else StoredReference.superseded_at.is_(None)
    with reading(catalog.engine) as connection:
        return connection.scalar(
            select(func.count()).select_from(StoredReference).where(StoredReference.kind == kind.name, which)
        )


def test_all_that_is_shipped_is_believed_and_comes_back_the_same(catalog: Catalog) -> None:
    for kind in KINDS.values():
        shipped = kind.shipped()
        shelf = catalog.snapshot.hardware.shelf(kind)
        assert {key: shelf.get(key) for key in shelf.stored} == dict(shipped), kind.name
        assert stored(catalog, kind, superseded=False) == len(shipped)


def test_loading_again_writes_nothing(catalog: Catalog) -> None:
    before = catalog.snapshot.version
    assert load_reference(catalog.engine, LATER) is False
    assert read_snapshot(catalog.engine).version == before


def test_two_databases_with_the_same_content_have_the_same_digest(catalog: Catalog, tmp_path: Any) -> None:
    other = Catalog.open(f"sqlite:///{tmp_path}/other.db")
    other.prepare([], LATER)
    assert other.snapshot.version == catalog.snapshot.version
    other.close()


def test_a_changed_table_supersedes_what_differs_and_leaves_the_rest(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = catalog.snapshot.version
    shipped = dict(ACCELERATOR.shipped())
    shipped["h100-sxm"] = replace(shipped["h100-sxm"], tdp_w=701.0)
    del shipped["v100-sxm2-16"]
    shipped["z1"] = replace(shipped["h100-nvl"], id="z1")
    changed = replace(ACCELERATOR, shipped=lambda: shipped)
    monkeypatch.setattr("catalog.reference.loading.KINDS", {"accelerator": changed})
    monkeypatch.setattr("catalog.reference.loading.shipped_digests", lambda: {"accelerator": "0" * 32})
    assert load_reference(catalog.engine, LATER) is True
    assert catalog.refresh_if_changed() is True
    hardware = catalog.snapshot.hardware
    assert hardware.accelerator("h100-sxm").tdp_w == 701.0
    assert hardware.accelerator("z1").name == "H100 NVL 94GB"
    with pytest.raises(PermillionError, match="no such accelerator"):
        hardware.accelerator("v100-sxm2-16")
    assert stored(catalog, ACCELERATOR, superseded=True) == 2
    assert catalog.snapshot.version != before
    then = catalog.snapshot_at(AT).hardware
    assert (then.accelerator("h100-sxm").tdp_w, then.accelerator("v100-sxm2-16").vendor) == (700.0, "NVIDIA")


def test_a_private_record_is_seen_at_once_and_changes_the_version(catalog: Catalog) -> None:
    before = catalog.snapshot
    report = catalog.record_reference(RENTAL_PRICE, [OURS], recorded_at=LATER)
    assert (report.added, report.superseded, report.unchanged) == (1, 0, 0)
    assert report.version == catalog.snapshot.version != before.version
    assert catalog.snapshot.hardware.rental_price("acme/box-8") == OURS
    assert catalog.snapshot.hardware.accelerators == before.hardware.accelerators
    with pytest.raises(PermillionError, match="no such machine"):
        before.hardware.rental_price("acme/box-8")


def test_the_same_record_again_is_unchanged(catalog: Catalog) -> None:
    catalog.record_reference(RENTAL_PRICE, [OURS], recorded_at=LATER)
    version = catalog.snapshot.version
    report = catalog.record_reference(RENTAL_PRICE, [OURS, OURS], recorded_at=LATER)
    assert (report.added, report.superseded, report.unchanged) == (0, 0, 1)
    assert catalog.snapshot.version == version


def test_a_correction_supersedes_and_the_earlier_answer_can_still_be_given(catalog: Catalog) -> None:
    """skypilot-org/skypilot#2780: an old calculation re-read after a price update gives the same answer."""
    catalog.record_reference(RENTAL_PRICE, [OURS], recorded_at=LATER)
    corrected = replace(OURS, amount=Decimal("15.50"))
    report = catalog.record_reference(RENTAL_PRICE, [corrected], recorded_at=datetime(2026, 12, 2, tzinfo=UTC))
    assert (report.added, report.superseded) == (0, 1)
    assert catalog.snapshot.hardware.rental_price("acme/box-8").amount == Decimal("15.50")
    assert catalog.snapshot_at(LATER).hardware.rental_price("acme/box-8").amount == Decimal("16.00")
    with pytest.raises(PermillionError, match="no such machine"):
        catalog.snapshot_at(AT).hardware.rental_price("acme/box-8")


def test_the_digest_follows_from_what_is_believed_alone(catalog: Catalog) -> None:
    catalog.record_reference(RENTAL_PRICE, [OURS], recorded_at=LATER)
    digest = catalog.snapshot.version.partition("-")[2]
    catalog.record_reference(RENTAL_PRICE, [replace(OURS, amount=Decimal(9))], recorded_at=LATER)
    catalog.record_reference(RENTAL_PRICE, [OURS], recorded_at=LATER)
    assert catalog.snapshot.version.partition("-")[2] == digest


def test_a_shipped_id_is_read_only(catalog: Catalog) -> None:
    mine = replace(shipped_accelerator("h100-sxm"), tdp_w=1.0)
    with pytest.raises(PermillionError) as caught:
        catalog.record_reference(ACCELERATOR, [replace(mine, id="mine"), mine])
    assert (caught.value.slug, caught.value.pointer) == ("read-only-record", "/rows/1/accelerator")
    assert "mine" not in catalog.snapshot.hardware.shelf(ACCELERATOR).stored


def test_what_a_tenant_added_no_other_sees(catalog: Catalog) -> None:
    with pytest.raises(PermillionError, match="no such tenant"):
        catalog.record_reference(RENTAL_PRICE, [OURS], tenant="nobody")
    catalog.record_reference(RENTAL_PRICE, [OURS])
    assert catalog.snapshot.hardware_of("another").shelf(RENTAL_PRICE).get(OURS.id) is None
    assert len(catalog.snapshot.hardware_of("another").accelerators) == len(ACCELERATOR.shipped())


def test_another_process_sees_what_was_added(catalog: Catalog, store_url: str) -> None:
    other = Catalog.open(store_url)
    other.prepare([])
    catalog.record_reference(RENTAL_PRICE, [OURS])
    assert other.refresh_if_changed() is True
    assert other.snapshot.hardware.rental_price(OURS.id) == OURS
    other.close()


def test_the_database_refuses_two_believed_records_of_one_key(catalog: Catalog) -> None:
    row = {
        "kind": "accelerator", "record_key": "h100-sxm", "origin": "shipped", "record": {}, "fingerprint": "x",
        "recorded_at": LATER,
    }  # fmt: skip
    with pytest.raises(IntegrityError), writing(catalog.engine) as connection:
        connection.execute(StoredReference.__table__.insert().values(row))
    with pytest.raises(IntegrityError), writing(catalog.engine) as connection:
        connection.execute(StoredReference.__table__.insert().values(row | {"record_key": "y", "origin": "private"}))


def test_a_rental_price_is_the_newest_seen_by_the_day_asked_for(catalog: Catalog) -> None:
    hardware = catalog.snapshot.hardware
    now = hardware.rental_price("AWS/P4D.24xlarge", region="us-east-1")
    assert (now.amount, now.as_of) == (Decimal("21.957642"), "2026-09-06")
    before_the_cut = hardware.rental_price("aws/p4d.24xlarge", region="us-east-1", as_of=date(2025, 6, 1))
    assert (before_the_cut.amount, before_the_cut.as_of) == (Decimal("32.773"), "2023-11")
    committed = hardware.rental_price("aws/p4d.24xlarge", region="us-east-1", purchase_model="commit", term_months=36)
    assert committed.amount == Decimal("12.499")
    assert hardware.rental_price("azure/nd96isr h100 v5", region="eastus").amount == Decimal("98.32")


@pytest.mark.parametrize(
    ("asked", "slug", "said"),
    [
        ({"name": "aws/p5.48"}, "unknown-rental-price", "near ones are aws/p5.48xlarge"),
        ({"name": "aws/p5.48xlarge", "region": "mars"}, "unknown-rental-price", "known are us, us-east, us-east-1"),
        ({"name": "aws/p5e.48xlarge"}, "unknown-rental-price", "known are block, spot"),
        ({"name": "aws/p4d.24xlarge", "purchase_model": "commit", "term_months": 24}, "unknown-rental-price", "12, 36"),
        ({"name": "aws/p5en.48xlarge"}, "ambiguous-price", "say the region"),
        (
            {"name": "aws/p4d.24xlarge", "region": "us-east-1", "as_of": date(2020, 1, 1)},
            "unknown-rental-price",
            "the first price is of 2023-08-16",
        ),
    ],
)
def test_a_price_that_cannot_be_told_is_a_problem(
    catalog: Catalog, asked: dict[str, Any], slug: str, said: str
) -> None:
    with pytest.raises(PermillionError, match=said) as caught:
        catalog.snapshot.hardware.rental_price(**asked)
    assert caught.value.slug == slug


@pytest.mark.parametrize(
    ("find", "slug"),
    [
        ("accelerator", "unknown-accelerator"),
        ("architecture", "unknown-architecture"),
        ("ownership_profile", "unknown-ownership-profile"),
        ("rental_price", "unknown-rental-price"),
        ("engine", "invalid-fields"),
    ],
)
def test_an_unknown_id_is_not_echoed(catalog: Catalog, find: str, slug: str) -> None:
    with pytest.raises(PermillionError) as caught:
        getattr(catalog.snapshot.hardware, find)("\u202e" + "x" * 500)
    assert caught.value.slug == slug
    assert "xx" not in caught.value.detail
    assert "\u202e" not in caught.value.detail
