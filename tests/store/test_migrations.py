"""The schema's history: up, down, up; equal to the models; one transaction; safe at the same time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

import catalog.price_tables
from catalog.engine import is_sqlite, open_engine, writing
from catalog.migrating import downgrade, is_at_head, migration_config, new_migration, upgrade
from catalog.models import Stored
from economics.errors import PermillionError
from migrations import __path__ as migrations_path

VERSIONS = Path(migrations_path[0]) / "versions"


@pytest.fixture
def empty(empty_url: str) -> Iterator[Engine]:
    made = open_engine(empty_url)
    yield made
    made.dispose()


def tables(engine: Engine) -> set[str]:
    return set(inspect(engine).get_table_names()) - {"alembic_version"}


def triggers(engine: Engine) -> tuple[str, ...]:
    with engine.connect() as connection:
        return tuple(connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")))


def test_up_down_up(empty: Engine) -> None:
    assert not is_at_head(empty)
    upgrade(empty)
    assert is_at_head(empty)
    assert tables(empty) == set(Stored.metadata.tables)
    downgrade(empty, "base")
    assert tables(empty) == set()
    assert not is_at_head(empty)
    upgrade(empty)
    assert tables(empty) == set(Stored.metadata.tables)
    upgrade(empty)
    with empty.connect() as connection:
        assert list(connection.scalars(text("SELECT id FROM tenants"))) == ["default"]


def test_the_migrated_schema_is_the_one_of_the_models(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Stored.metadata) == []


def test_every_constraint_of_the_models_is_in_the_database_under_its_name(engine: Engine) -> None:
    found = inspect(engine)
    for name, table in Stored.metadata.tables.items():
        named = {
            *(str(c["name"]) for c in found.get_check_constraints(name)),
            *(str(c["name"]) for c in found.get_unique_constraints(name)),
            *(str(c["name"]) for c in found.get_foreign_keys(name)),
            str(found.get_pk_constraint(name)["name"]),
        }
        if not is_sqlite(engine):
            with engine.connect() as connection:
                named |= set(connection.scalars(text("SELECT conname FROM pg_constraint WHERE contype = 'x'")))
        wanted = {
            str(constraint.name)
            for constraint in table.constraints
            if constraint._ddl_if is None or constraint._ddl_if.dialect == engine.dialect.name
        }
        assert wanted <= named, name
        assert "None" not in named, name


def test_the_overlap_triggers_are_there_after_upgrade(engine: Engine) -> None:
    if is_sqlite(engine):
        assert triggers(engine) == catalog.price_tables.OVERLAP_TRIGGERS
    else:
        with engine.connect() as connection:
            rule = connection.scalar(text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'x'"))
        assert "tstzrange(valid_from, valid_to" in str(rule)
        assert "superseded_at IS NULL" in str(rule)


def test_migrations_are_found_wherever_the_project_is_run_from(tmp_path: Path) -> None:
    script = migration_config().get_main_option("script_location")
    assert script is not None
    assert Path(script).is_absolute()
    assert all(path.name[:10].replace("_", "").isdigit() for path in VERSIONS.glob("*.py"))


def test_migrating_prints_and_logs_nothing(empty: Engine, capfd: pytest.CaptureFixture[str]) -> None:
    upgrade(empty)
    assert capfd.readouterr() == ("", "")


def test_a_database_of_a_newer_permillion_is_left_alone(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '2031_01_01_future'"))
    for ask in (upgrade, is_at_head):
        with pytest.raises(PermillionError, match="newer permillion") as refused:
            ask(engine)
        assert refused.value.slug == "invalid-settings"
    assert tables(engine) == set(Stored.metadata.tables)


def test_a_failed_migration_leaves_nothing_behind(empty: Engine, tmp_path: Path) -> None:
    """From the project's own template: advanced-alchemy's wraps each migration in autocommit and keeps half of it."""
    folder = tmp_path / "versions"
    shutil.copytree(VERSIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    path = new_migration("Break in the middle", folder)
    assert path.name[10:] == "_break_in_the_middle.py"
    body = 'op.create_table("half", sa.Column("id", sa.Integer()))\n    op.execute("SELECT * FROM nowhere")'
    path.write_text(path.read_text().replace("    pass", f"    {body}", 1))
    config = migration_config(folder)
    for _ in range(2):  # and the second time it fails in the same place, not over its own remains
        with pytest.raises(DBAPIError, match="nowhere"), writing(empty, schema=True) as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        assert inspect(empty).get_table_names() == []


def test_a_new_migration_is_valid_as_it_is(empty: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "versions"
    shutil.copytree(VERSIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    new_migration("A message that is much longer than 32 characters", folder)
    config = migration_config(folder)
    with writing(empty, schema=True) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    with empty.connect() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
    assert current is not None
    assert len(current) <= 32


def test_processes_that_start_at_once_all_succeed(empty_url: str) -> None:
    program = """
import sys
from catalog.engine import open_engine
from catalog.migrating import upgrade
engine = open_engine(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
upgrade(engine)
engine.dispose()
"""
    starters = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", program, empty_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for _ in range(2)
    ]
    for starter in starters:
        assert starter.stdout is not None
        assert starter.stdout.readline() == "ready\n"
    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write("go\n")
        starter.stdin.flush()
    answers = [starter.communicate(timeout=60) for starter in starters]
    assert [(starter.returncode, *said) for starter, said in zip(starters, answers, strict=True)] == [(0, "", "")] * 2
    made = open_engine(empty_url)
    assert is_at_head(made)
    made.dispose()
