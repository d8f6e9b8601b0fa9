"""Exact decimals, instants and JSON keep their value on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, Engine, Integer, MetaData, Table, delete, insert, select, text
from sqlalchemy.exc import StatementError

from catalog.columns import CanonicalJson, DecimalText, UtcInstant
from catalog.engine import open_engine
from economics.money import format_decimal

VALUES = Table(
    "scratch_values",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("amount", DecimalText),
    Column("instant", UtcInstant),
    Column("json", CanonicalJson),
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def scratch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('columns') / 'values.db'}"
    else:
        server = request.getfixturevalue("postgres_server")
        url = server.url(server.create())
    engine = open_engine(url)
    VALUES.create(engine)
    yield engine
    engine.dispose()


def stored(engine: Engine, column: str, values: list[Any]) -> list[Any]:
    with engine.begin() as connection:
        connection.execute(delete(VALUES))
        connection.execute(insert(VALUES), [{"id": i, column: value} for i, value in enumerate(values)])
        return list(connection.scalars(select(VALUES.c[column]).order_by(VALUES.c.id)))


def plain(digits: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=1, max_size=digits)


DECIMALS = st.builds(
    lambda sign, whole, fraction: Decimal(f"{sign}{whole}.{fraction}"), st.sampled_from(["", "-"]), plain(18), plain(30)
)


@given(values=st.lists(DECIMALS, min_size=1, max_size=40))
@settings(deadline=None, max_examples=40)
def test_decimals_come_back_digit_for_digit(scratch: Engine, values: list[Decimal]) -> None:
    back = stored(scratch, "amount", values)
    assert back == values
    assert [format(value, "f") for value in back] == [format_decimal(value) for value in values]


def test_the_decimals_that_sqlalchemy_loses_on_sqlite(scratch: Engine) -> None:
    values = [Decimal(t) for t in ("0.1", "123456789012.123456", "999999.999999999999", "1E-30", "1E+17", "-0.0")]
    assert [format(value, "f") for value in stored(scratch, "amount", values)] == [
        "0.1",
        "123456789012.123456",
        "999999.999999999999",
        "0.000000000000000000000000000001",
        "100000000000000000",
        "0",
    ]


@pytest.mark.parametrize("value", [0.1, 1, True, "0.1", Decimal("NaN"), Decimal("Infinity")])
def test_anything_but_a_finite_decimal_is_refused(scratch: Engine, value: object) -> None:
    with pytest.raises(StatementError, match="finite Decimal"):
        stored(scratch, "amount", [value])


INSTANTS = st.datetimes(
    min_value=datetime(1970, 1, 2),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(2199, 12, 30),  # noqa: DTZ001
    timezones=st.builds(timezone, st.integers(-1_439, 1_439).map(lambda minutes: timedelta(minutes=minutes))),
)


@given(values=st.lists(INSTANTS, min_size=1, max_size=40))
@settings(deadline=None, max_examples=40)
def test_instants_come_back_in_utc_and_sort_by_time(scratch: Engine, values: list[datetime]) -> None:
    back = stored(scratch, "instant", values)
    assert back == values
    assert all(value.tzinfo is UTC for value in back)
    with scratch.connect() as connection:
        assert list(connection.scalars(select(VALUES.c.instant).order_by(VALUES.c.instant))) == sorted(values)


def test_half_a_second_sorts_after_the_full_one(scratch: Engine) -> None:
    full = datetime(2026, 11, 30, tzinfo=UTC)
    stored(scratch, "instant", [full + timedelta(milliseconds=500), full])
    with scratch.connect() as connection:
        assert connection.scalar(select(VALUES.c.instant).order_by(VALUES.c.instant)) == full


def test_a_naive_instant_is_refused(scratch: Engine) -> None:
    with pytest.raises(StatementError, match="offset"):
        stored(scratch, "instant", [datetime(2026, 11, 30)])  # noqa: DTZ001 - what is refused


def test_none_stays_none(scratch: Engine) -> None:
    for column in ("amount", "instant", "json"):
        assert stored(scratch, column, [None]) == [None]


def test_equal_json_values_are_equal_texts(scratch: Engine) -> None:
    one, other = {"b": ["中", 1], "a": None}, {"a": None, "b": ["中", 1]}
    assert stored(scratch, "json", [one, other]) == [one, one]
    with scratch.connect() as connection:
        texts = list(connection.scalars(text("SELECT json FROM scratch_values")))
    assert texts == ['{"a":null,"b":["中",1]}'] * 2


def test_sqlite_holds_text(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'text.db'}")
    VALUES.create(engine)
    stored(engine, "amount", [Decimal("1.50")])
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT typeof(amount), amount FROM scratch_values").one() == ("text", "1.5")
    engine.dispose()
