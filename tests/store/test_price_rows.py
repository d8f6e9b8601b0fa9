"""What the database itself refuses, whoever writes to it: overlaps, negative rates, periods that end before they start."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from catalog.engine import is_sqlite
from catalog.models import StoredModel, StoredProvider, StoredSource
from catalog.price_tables import StoredBook, StoredPrice
from economics.periods import Period

RECORDED = datetime(2026, 11, 30, tzinfo=UTC)


def month(number: int) -> datetime:
    return datetime(2026, number, 1, tzinfo=UTC)


@pytest.fixture
def row(engine: Engine) -> dict[str, Any]:
    """The columns of a valid row of a private book."""
    with engine.begin() as connection:
        connection.execute(
            insert(StoredBook).values(
                kind="private",
                tenant="default",
                name="mine",
                currency="USD",
                digest="0",
                recorded_at=RECORDED,
                changed_in=1,
            )
        )
        book = connection.scalars(select(StoredBook.id)).one()
        connection.execute(
            insert(StoredModel).values(
                price_book_id=book,
                tenant="default",
                provider="v",
                provider_key="v",
                model="m",
                model_key="m",
                recorded_at=RECORDED,
            )
        )
        connection.execute(
            insert(StoredSource).values(
                tenant="default",
                source_key="offer",
                title="offer",
                kind="private",
                fingerprint="1",
                recorded_at=RECORDED,
            )
        )
        return {
            "tenant": "default",
            "price_book_id": book,
            "model_id": connection.scalars(select(StoredModel.id)).one(),
            "source_id": connection.scalars(select(StoredSource.id)).one(),
            "kind": "rate",
            "slot": "input_tokens|||",
            "meter": "input_tokens",
            "rate": Decimal("2.5"),
            "per": 1_000_000,
            "currency": "USD",
            "conditions": {},
            "min_inclusive": False,
            "valid_from": month(6),
            "valid_to": month(8),
            "start_known": True,
            "status": "ok",
            "note": "",
            "fingerprint": "2",
            "recorded_at": RECORDED,
        }


def add(connection: Connection, row: dict[str, Any], **changes: Any) -> None:
    connection.execute(insert(StoredPrice).values({**row, **changes}))


OVERLAPPING = [(6, 8), (5, 7), (7, 9), (6, 7), (5, 9), (None, 7), (None, None), (7, None), (None, 9), (5, None)]
APART = [(8, 9), (5, 6), (None, 6), (8, None)]


def period(bounds: tuple[int | None, int | None]) -> dict[str, datetime | None]:
    start, end = (None if bound is None else month(bound) for bound in bounds)
    return {"valid_from": start, "valid_to": end}


def test_an_overlapping_believed_row_is_refused(engine: Engine, row: dict[str, Any]) -> None:
    with engine.begin() as connection:
        add(connection, row)
    for bounds in OVERLAPPING:
        with pytest.raises(IntegrityError, match="overlap"), engine.begin() as connection:
            add(connection, row, **period(bounds))


def test_rows_apart_in_time_or_slot_or_recorded_time_stand_together(engine: Engine, row: dict[str, Any]) -> None:
    with engine.begin() as connection:
        add(connection, row)
        for bounds in APART[:2]:
            add(connection, row, **period(bounds))
        add(connection, row, slot="output_tokens|||", meter="output_tokens")
        add(connection, row, superseded_at=RECORDED, supersession="corrected")
    with engine.begin() as connection:
        assert len(connection.execute(select(StoredPrice.id)).all()) == 5


def test_neighbours_share_a_bound(engine: Engine, row: dict[str, Any]) -> None:
    for bounds in APART:
        with engine.connect() as connection:
            add(connection, row)
            add(connection, row, **period(bounds))
            connection.rollback()


def test_an_update_cannot_make_rows_overlap_either(engine: Engine, row: dict[str, Any]) -> None:
    with engine.begin() as connection:
        add(connection, row)
        add(connection, row, superseded_at=RECORDED, supersession="corrected")
        add(connection, row, **period((8, 9)))
    for change in (
        update(StoredPrice).where(StoredPrice.superseded_at.is_not(None)).values(superseded_at=None, supersession=None),
        update(StoredPrice).where(StoredPrice.valid_from == month(8)).values(valid_from=month(7)),
        update(StoredPrice).where(StoredPrice.valid_from == month(8)).values(valid_from=None),
    ):
        with pytest.raises(IntegrityError, match="overlap"), engine.begin() as connection:
            connection.execute(change)
    with engine.begin() as connection:  # a row does not overlap itself
        connection.execute(update(StoredPrice).where(StoredPrice.valid_from == month(8)).values(valid_to=month(10)))


SENSELESS: list[tuple[str, dict[str, Any]]] = [
    ("ck_price_rows_rate", {"rate": Decimal("-0.01")}),
    ("ck_price_rows_per", {"per": 0}),
    ("ck_price_rows_kind", {"kind": "guess"}),
    ("ck_price_rows_currency", {"currency": "dollars"}),
    ("ck_price_rows_tier", {"min_input_tokens": -1}),
    ("ck_price_rows_tier", {"max_input_tokens": -1}),
    ("ck_price_rows_valid_time", {"valid_to": month(6)}),
    ("ck_price_rows_valid_time", {"valid_to": month(5)}),
    ("ck_price_rows_recorded_time", {"superseded_at": month(1), "supersession": "changed"}),
    ("ck_price_rows_supersession", {"superseded_at": RECORDED}),
    ("ck_price_rows_supersession", {"supersession": "changed"}),
    ("ck_price_rows_supersession", {"superseded_at": RECORDED, "supersession": "because"}),
]


def test_a_row_that_makes_no_sense_is_refused(engine: Engine, row: dict[str, Any]) -> None:
    for rule, changes in SENSELESS:
        with pytest.raises(IntegrityError, match=rule), engine.begin() as connection:
            add(connection, row, **changes)


def test_a_row_needs_its_book_model_and_source(engine: Engine, row: dict[str, Any]) -> None:
    for column in ("price_book_id", "model_id", "source_id"):
        with pytest.raises(IntegrityError), engine.begin() as connection:
            add(connection, row, **{column: 999})


def test_a_row_cannot_stand_in_the_book_of_another_tenant(engine: Engine, row: dict[str, Any]) -> None:
    with engine.begin() as connection:
        connection.execute(
            text("INSERT INTO tenants (id, recorded_at) VALUES ('other', '2026-11-30T00:00:00.000000Z')")
        )
    with pytest.raises(IntegrityError), engine.begin() as connection:
        add(connection, row, tenant="other")


def test_content_is_either_of_a_provider_or_of_a_tenant(engine: Engine, row: dict[str, Any]) -> None:
    for statement in (
        update(StoredBook).values(tenant=None),
        update(StoredBook).values(kind="list"),
        update(StoredModel).values(tenant=None),
        update(StoredSource).values(tenant=None),
    ):
        with pytest.raises(IntegrityError, match="list_or_private"), engine.begin() as connection:
            connection.execute(statement)
    with engine.connect() as connection:
        assert connection.execute(select(StoredProvider)).all() == []


def test_sqlite_takes_a_rate_as_plain_text_only(engine: Engine, row: dict[str, Any]) -> None:
    if not is_sqlite(engine):  # there the column's own type does it
        kind = (
            "SELECT data_type FROM information_schema.columns WHERE table_name = 'price_rows' AND column_name = 'rate'"
        )
        with engine.connect() as connection:
            assert connection.scalar(text(kind)) == "numeric"
        return
    with engine.begin() as connection:
        add(connection, row)
    for rate in (1e-7, "1e-07", "2,5", "", -1, "٢", b"2"):
        with pytest.raises(IntegrityError, match="rate"), engine.begin() as connection:
            connection.exec_driver_sql("UPDATE price_rows SET rate = ?", (rate,))


def test_any_row_is_refused_exactly_where_it_overlaps_one_of_many(engine: Engine, row: dict[str, Any]) -> None:
    """300 random periods on a line of days, unknown starts and open ends among them, compared with all that were taken."""
    rng = random.Random(20261201)
    first = datetime(2026, 1, 1, tzinfo=UTC)
    taken: list[Period] = []
    refused = 0
    for _ in range(300):
        start = rng.choice([None, *range(900)] if rng.random() < 0.05 else range(900))
        length = rng.choice([None, *range(1, 12)] if rng.random() < 0.05 else range(1, 12))
        begins = None if start is None else first + timedelta(days=start)
        ends = None if length is None else (begins or first) + timedelta(days=length)
        wanted = Period(begins, ends)
        expected = any(wanted.overlaps(other) for other in taken)
        try:
            with engine.begin() as connection:
                add(connection, row, valid_from=begins, valid_to=ends)
            taken.append(wanted)
            assert not expected, wanted
        except IntegrityError:
            refused += 1
            assert expected, wanted
    assert len(taken) > 20
    assert refused > 20
