from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.running import Service, running_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as running:
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
