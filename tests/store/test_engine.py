"""Opening databases: which URLs are taken, what is never said, and how transactions behave."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text

from catalog.catalog import Catalog
from catalog.engine import open_engine, reading, writing
from catalog.migrating import is_at_head, upgrade
from economics.errors import PermillionError

SECRET = "s3cret-word"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "not a url",
        f"mysql://u:{SECRET}@localhost/x",
        f"postgresql+asyncpg://u:{SECRET}@localhost/x",
        f"postgres://u:{SECRET}@localhost/x",
        f"postgresql://u:{SECRET}@localhost:port/x",
        "sqlite+pysqlite:///x.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///",
        "sqlite://host/x.db",
        "sqlite:///x.db?mode=ro",
    ],
)
def test_other_urls_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(PermillionError) as refused:
        open_engine(url)
    assert refused.value.slug == "invalid-settings"
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_password_is_never_printed() -> None:
    engine = open_engine(f"postgresql://u:{SECRET}@127.0.0.1:1/x")
    assert SECRET not in repr(engine)
    with pytest.raises(PermillionError) as refused:
        upgrade(engine)
    assert refused.value.slug == "invalid-settings"
    assert SECRET not in str(refused.value)
    engine.dispose()


def test_the_folder_of_a_sqlite_file_is_made(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'a' / 'b' / 'catalog.db'}")
    upgrade(engine)
    assert (tmp_path / "a" / "b" / "catalog.db").exists()
    engine.dispose()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PermillionError, match="folder") as refused:
        open_engine(f"sqlite:///{tmp_path / 'file' / 'catalog.db'}")
    assert refused.value.slug == "invalid-settings"


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam, " * 300)
    catalog = Catalog.open(f"sqlite:///{path}")
    with pytest.raises(PermillionError, match="not a database") as refused:
        catalog.prepare([])
    assert refused.value.slug == "invalid-settings"
    assert not catalog.ready()
    assert path.read_text().startswith("Dear Sir")
    catalog.close()


def test_pragmas_hold_on_every_connection(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'catalog.db'}")
    upgrade(engine)  # turns foreign keys off on its own connection for a while
    with engine.connect() as one, engine.connect() as other:
        for connection in (one, other):
            found = [
                connection.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            ]
            assert found == ["wal", 1, 1, 5_000]
    engine.dispose()


def test_a_failed_transaction_takes_its_tables_back(empty_url: str) -> None:
    engine = open_engine(empty_url)
    with pytest.raises(RuntimeError), writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE half (id INTEGER)")
        raise RuntimeError
    with engine.connect() as connection, pytest.raises(Exception, match="half"):
        connection.exec_driver_sql("SELECT * FROM half")
    engine.dispose()


def test_a_reader_sees_one_state_while_another_writes(engine: Engine) -> None:
    with reading(engine) as reader:
        before = reader.scalar(text("SELECT count(*) FROM tenants"))
        with writing(engine) as writer:
            writer.exec_driver_sql("INSERT INTO tenants (id, recorded_at) VALUES ('t', '2026-11-30T00:00:00.000000Z')")
        assert reader.scalar(text("SELECT count(*) FROM tenants")) == before == 1


def test_writers_take_turns(engine: Engine) -> None:
    first_is_in, second_is_done = threading.Event(), threading.Event()
    order: list[str] = []

    def second() -> None:
        first_is_in.wait(10)
        with writing(engine) as connection:
            order.append(f"second sees {connection.scalar(text('SELECT count(*) FROM tenants'))}")
        second_is_done.set()

    thread = threading.Thread(target=second)
    thread.start()
    with writing(engine) as connection:
        first_is_in.set()
        connection.exec_driver_sql("INSERT INTO tenants (id, recorded_at) VALUES ('t', '2026-11-30T00:00:00.000000Z')")
        assert not second_is_done.wait(0.2)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second sees 2"]


def test_a_file_locked_for_too_long_is_a_clear_refusal(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    engine = open_engine(f"sqlite:///{path}")
    upgrade(engine)
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout=10"))
    engine.dispose()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(PermillionError) as refused, writing(engine):
        pass
    assert refused.value.slug == "catalog-busy"
    other.close()
    assert is_at_head(engine)
    engine.dispose()
