from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.cli.opening import open_catalog
from api.settings import Settings
from tests.running import Service, running_service


@pytest.fixture(scope="session")
def loaded_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with all sheets in it; a service that starts on a copy of it is ready sooner."""
    path = tmp_path_factory.mktemp("loaded") / "permillion.sqlite3"
    open_catalog(Settings(database_url=f"sqlite:///{path}")).close()
    return path


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    with running_service(folder) as running:
        yield running


def never_a_server_error(response: httpx.Response) -> None:
    if response.status_code >= 500:
        response.read()
        raise AssertionError(f"{response.status_code} for {response.request.method}: {response.text[:500]}")


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[httpx.Client]:
    with service.client() as opened:
        opened.event_hooks = {"response": [never_a_server_error]}
        yield opened
