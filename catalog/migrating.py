"""Bringing a database to the schema of this code, safely when several processes start at once."""

from __future__ import annotations

import sqlite3
from argparse import Namespace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final, cast

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

import migrations
from catalog.engine import is_sqlite, writing
from economics.errors import PermillionError

MAX_REVISION_LENGTH: Final = 32  # of Alembic's own table on PostgreSQL


def upgrade(engine: Engine) -> None:
    """Migrate to the newest schema; a database already there is only read.

    One transaction, one process at a time: the second waits and then finds nothing to do.

    Raises:
        PermillionError: `invalid-settings` where the database cannot be reached, is no database, or was written by a newer
            permillion.
    """
    if is_at_head(engine):
        return
    with writing(engine, schema=True) as connection:
        _refuse_newer(connection)
        config = migration_config()
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except DBAPIError as error:
            if "btree_gist" not in str(error.orig):
                raise
            raise PermillionError(
                "invalid-settings", "PostgreSQL must allow CREATE EXTENSION btree_gist in this database"
            ) from None
        _check_foreign_keys(connection)


def downgrade(engine: Engine, revision: str) -> None:
    """Take the schema back to `revision` (`base` for nothing at all); what the older schema cannot hold is lost."""
    with writing(engine, schema=True) as connection:
        config = migration_config()
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
        _check_foreign_keys(connection)


def is_at_head(engine: Engine) -> bool:
    """Whether the schema is the one of this code.

    Raises:
        PermillionError: as `upgrade`.
    """
    try:
        with engine.connect() as connection:
            return _refuse_newer(connection) == _head()
    except (DBAPIError, sqlite3.Error) as error:
        raise PermillionError("invalid-settings", f"the database cannot be used: {_cause(error)}") from None


def _refuse_newer(connection: Connection) -> str | None:
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in _known():
        raise PermillionError(
            "invalid-settings",
            "the database was written by a newer permillion; install that one or use another database",
        )
    return current


def _cause(error: Exception) -> str:
    """The driver's first line: it names host, port or file kind, never the password."""
    lines = str(error.orig if isinstance(error, DBAPIError) else error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _check_foreign_keys(connection: Connection) -> None:
    if is_sqlite(connection) and connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise RuntimeError("the migration left rows that point nowhere")


def migration_config(folder: Path | None = None) -> Config:
    """Alembic's configuration, without a file; `folder` holds the migrations (those of this project by default)."""
    config = Config(cmd_opts=Namespace(quiet=True))
    config.set_main_option("script_location", str(Path(migrations.__path__[0])).replace("%", "%%"))
    config.set_main_option("file_template", "%%(year)d_%%(month).2d_%%(day).2d_%%(slug)s")
    config.set_main_option("path_separator", "newline")
    if folder is not None:
        config.set_main_option("version_locations", str(folder).replace("%", "%%"))
    return config


def new_migration(message: str, folder: Path | None = None) -> Path:
    """Write an empty migration after the newest one, from the project's own template, and say where it is."""
    slug = "_".join("".join(c if c.isalnum() else " " for c in message.lower()).split())
    revision = f"{datetime.now(UTC):%Y_%m_%d}_{slug}"[:MAX_REVISION_LENGTH]
    script = cast("Script", command.revision(migration_config(folder), message, rev_id=revision))
    return Path(script.path)


@lru_cache(maxsize=1)
def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(migration_config())


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset(script.revision for script in _scripts().walk_revisions())


@lru_cache(maxsize=1)
def _head() -> str | None:
    return _scripts().get_current_head()
