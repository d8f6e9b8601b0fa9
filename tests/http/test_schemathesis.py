"""Every operation of the specification tried with data that fits it and data that does not, against a service of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import requests
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.config import (
    CoveragePhaseConfig,
    FuzzingPhaseConfig,
    GenerationConfig,
    OutputConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SanitizationConfig,
    SchemathesisConfig,
    StatefulPhaseConfig,
)  # fmt: skip
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.http.asking import refused
from tests.running import ROOT, Service, running_service


@schemathesis.serializer("application/x-ndjson")
def as_it_is(_: object, value: object) -> bytes:
    """The specification calls lines a string; schemathesis knows of no such type."""
    return value.encode("utf-8", "replace") if isinstance(value, str) else json.dumps(value).encode()


DETERMINISTIC = GenerationConfig(modes=list(schemathesis.GenerationMode), max_examples=25, deterministic=True)
SCHEMA = schemathesis.openapi.from_dict(
    json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8")),
    config=SchemathesisConfig(
        # it would hide every field whose name contains "token": input_tokens=[Filtered] reproduces nothing
        output=OutputConfig(sanitization=SanitizationConfig(enabled=False)),
        projects=ProjectsConfig(
            default=ProjectConfig(
                generation=DETERMINISTIC,
                phases=PhasesConfig(
                    coverage=CoveragePhaseConfig(enabled=True, generation=DETERMINISTIC),
                    fuzzing=FuzzingPhaseConfig(generation=DETERMINISTIC),
                    stateful=StatefulPhaseConfig(enabled=False),  # no operation hands another what it needs
                ),
            )
        ),
    ),
)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# negative_data_rejection is left out: what is wrong inside rows[] or offers[] is answered with 200 and a row that says so.
# positive_data_acceptance is left out: a well-formed name of no model is a 404, a price book of no base a 404.

LONGEST_URL = 60_000
"""Characters that uvicorn takes for certain (measured: 60,000 pass, 70,000 are a 400 of its own)."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[Service]:
    """Its books and prices would confuse the other tests."""
    folder = tmp_path_factory.mktemp("schemathesis")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    with running_service(folder) as running:
        yield running


@pytest.fixture(scope="module")
def session(tried: Service) -> Iterator[requests.Session]:
    """One connection for all cases."""
    with requests.Session() as opened:
        opened.trust_env = False
        yield opened


@SCHEMA.parametrize()
def test_operation(case: schemathesis.Case, tried: Service, session: requests.Session) -> None:
    response = case.call(base_url=tried.url, session=session, timeout=30)
    if len(response.request.url or "") > LONGEST_URL:
        # up to about 65,000 the application may still see it; beyond, the server refuses it in words of its own
        assert 400 <= response.status_code < 500
        return
    case.validate_response(response, checks=CHECKS)
    if response.status_code >= 400 and case.method != "HEAD":
        refused(
            httpx.Response(response.status_code, headers={name: values[0] for name, values in response.headers.items()}, content=response.content),
            response.status_code, [response.json()["error_code"]],
        )  # fmt: skip


def test_nothing_was_unexpected(tried: Service) -> None:
    errors = tried.stderr.read_text()
    assert "Traceback" not in errors, errors[-2_000:]
    assert "unexpected" not in errors, errors[-2_000:]
