"""Opening the database: the driver, the pragmas, and the two kinds of transaction the catalog knows.

SQLite is the default, PostgreSQL is for teams. The URL names the engine alone (`sqlite:///path`, `postgresql://…`); which
driver serves it is decided here. Nothing here prints a URL: it holds a password.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import URL, Connection, Engine, RootTransaction, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from economics.errors import PermillionError

WRITER_LOCK: Final = 7_358_201_946
"""Key of the PostgreSQL advisory lock that the one writer holds."""

BUSY_TIMEOUT_MS: Final = 5_000
SCHEMA_TIMEOUT_MS: Final = 60_000
_BEGIN: Final = "sqlite_begin"

_under_way: ContextVar[tuple[Engine, Connection] | None] = ContextVar("_under_way", default=None)
"""The transaction that `one_transaction` holds open in this thread."""


def open_engine(url: str) -> Engine:
    """An engine for `url`; nothing is connected yet, but the folder of a SQLite file is made.

    Args:
        url: `sqlite:///relative/path`, `sqlite:////absolute/path` or `postgresql://user:password@host:port/name`.

    Raises:
        PermillionError: `invalid-settings` for another scheme, a URL that names a driver, a SQLite URL without a file or a
            folder that cannot be made.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise _refused("cannot be read") from None
    if parsed.drivername == "sqlite":
        return _open_sqlite(parsed)
    if parsed.drivername == "postgresql":
        return create_engine(
            parsed.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"application_name": "permillion", "connect_timeout": 10},
        )
    raise _refused("names no database that is known here")


def _open_sqlite(url: URL) -> Engine:
    if url.host or url.query or not url.database or url.database == ":memory:":
        raise _refused("names no file")
    try:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(f"is in a folder that cannot be made ({error.strerror})") from None
    engine = create_engine(url.set(drivername="sqlite+pysqlite"), hide_parameters=True)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _refused(why: str) -> PermillionError:
    return PermillionError(
        "invalid-settings", f"the database URL {why}; write sqlite:///path or postgresql://user:password@host:port/name"
    )


def _set_pragmas(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # BEGIN is ours: the driver's own leaves DDL and SELECT outside of transactions
    connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")  # what callers delete is overwritten, not only let go of
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")  # what callers delete is overwritten, not only let go of


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Journal ahead; SQLite does not wait by itself where another process is turning the same new file over."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1_000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _begin(connection: Connection) -> None:
    options: dict[str, Any] = dict(connection.get_execution_options())
    connection.exec_driver_sql(f"BEGIN {options.get(_BEGIN, 'DEFERRED')}")


def is_sqlite(bind: Engine | Connection) -> bool:
    """Whether SQL for SQLite must be spoken (else for PostgreSQL)."""
    return bind.dialect.name == "sqlite"


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One consistent view of the database: what others commit meanwhile is not seen."""
    with engine.connect() as connection:
        if not is_sqlite(engine):
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def writing(engine: Engine, *, schema: bool = False) -> Iterator[Connection]:
    """The one writer's transaction: all of it or nothing. Others wait for their turn, and then see what it wrote.

    Args:
        engine: of `open_engine`.
        schema: whether the schema itself changes: waits longer, and SQLite does not act on foreign keys meanwhile (moving a
            table would otherwise delete the rows that point to it); the caller checks them afterwards.

    Raises:
        PermillionError: `catalog-busy` where another process keeps a SQLite file locked for more than five seconds.
    """
    joined = _under_way.get()
    if joined is not None and joined[0] is engine:
        yield joined[1]
        return
    with engine.connect() as connection:
        if not is_sqlite(engine):
            with connection.begin():
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")
                yield connection
            return
        # a deferred transaction that turns from reading to writing fails at once instead of waiting
        connection.execution_options(**{_BEGIN: "IMMEDIATE"})
        if schema:
            _pragmas(connection, "foreign_keys=OFF", f"busy_timeout={SCHEMA_TIMEOUT_MS}")
        try:
            with _begun(connection):
                yield connection
        finally:
            if schema:
                _pragmas(connection, "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}")


@contextmanager
def one_transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction that everything written by this thread meanwhile joins: several effects, all of them or none.

    Raises:
        PermillionError: as `writing`.
    """
    with writing(engine) as connection:
        token = _under_way.set((engine, connection))
        try:
            yield connection
        finally:
            _under_way.reset(token)


@contextmanager
def joining(engine: Engine) -> Iterator[Connection]:
    """The transaction that this thread has under way, with what it wrote so far; else as `reading`."""
    joined = _under_way.get()
    if joined is not None and joined[0] is engine:
        yield joined[1]
        return
    with reading(engine) as connection:
        yield connection


def _begun(connection: Connection) -> RootTransaction:
    try:
        return connection.begin()
    except OperationalError as error:
        if "locked" not in str(error.orig):
            raise
        raise PermillionError(
            "catalog-busy", "another process is writing to the catalog; try again in a moment"
        ) from None


def _pragmas(connection: Connection, *pragmas: str) -> None:
    driver = cast("sqlite3.Connection", connection.connection.driver_connection)
    for pragma in pragmas:  # outside of any transaction, where alone they take effect
        driver.execute(f"PRAGMA {pragma}")
