"""How the service starts: on a busy port, on an open address, with limits and books of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.http.asking import AS_OF, GOOD, private_row, question, refused
from tests.http.test_machines import RECORDS
from tests.running import ROOT, free_port, running_service


@pytest.fixture
def folder(tmp_path: Path, loaded_database: Path) -> Path:
    shutil.copy(loaded_database, tmp_path / "permillion.sqlite3")
    return tmp_path


def serve(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PERMILLION_")}
    variables |= {"PERMILLION_DATABASE_URL": f"sqlite:///{folder / 'permillion.sqlite3'}", **environment}
    return subprocess.run(
        [sys.executable, "-m", "api.cli", "serve", *arguments],
        cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_busy_port_says_what_to_do(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = serve(folder, "--port", str(port))
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert str(port) in line
    assert "PORT=" in line, "what to do about it"


@pytest.mark.parametrize(
    ("variable", "value"), [("PERMILLION_MAX_ROW", "5"), ("PERMILLION_DATABASE_URL", "mysql://user:secret@x/y")]
)
def test_a_wrong_setting_is_one_line(folder: Path, variable: str, value: str) -> None:
    done = serve(folder, "--port", str(free_port()), **{variable: value})
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert variable in done.stderr or "database URL" in done.stderr
    assert "secret" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_open_address_refuses_writes_and_says_so(folder: Path) -> None:
    row = private_row("m", "input_tokens", "1")
    body = {"price_book": {"id": "open", "currency": "USD"}, "rows": [row]}
    with running_service(folder, host="0.0.0.0") as service, service.client() as client:
        said = service.stderr.read_text()
        assert "0.0.0.0" in said
        assert "PERMILLION_ALLOW_OPEN_WRITES=1" in said
        refused(client.post("/prices", json=body), 403, "writes-refused")
        for path, record in RECORDS.items():
            refused(client.post(path, json={"rows": [record]}), 403, "writes-refused")
        assert client.get("/prices", params={"price_book": "open", "as_of": AS_OF}).json()["rows"] == []
        assert client.post("/compare", json=question()).status_code == 200, "questions are answered"


def test_an_open_address_with_permission_and_own_limits(folder: Path) -> None:
    limits = {
        "PERMILLION_MAX_TEXT_BYTES": "10",
        "PERMILLION_MAX_REQUEST_TEXT_BYTES": "15",
        "PERMILLION_MAX_ROWS": "2",
        "PERMILLION_MAX_BODY_BYTES": "2000",
    }
    with (
        running_service(folder, {"PERMILLION_ALLOW_OPEN_WRITES": "1", **limits}, host="0.0.0.0") as service,
        service.client() as client,
    ):
        assert service.stderr.read_text() == ""
        row = private_row("m", "input_tokens", "1")
        body = {"price_book": {"id": "open", "currency": "USD"}, "rows": [row]}
        assert client.post("/prices", json=body).status_code == 201
        refused(
            client.post("/compare", json=question(text="a" * 11)), 413, "text-too-large", says="max_text_bytes is 10"
        )
        samples = [{"input_text": "a" * 10}, {"input_text": "b" * 10}]
        response = client.post("/compare", json=question(text=None, samples=samples))
        refused(response, 413, "text-too-large", says="max_request_text_bytes is 15")
        refused(
            client.post("/compare", json=question(text="a", offers=[GOOD] * 3)),
            413,
            "too-many-rows",
            says="max_rows is 2",
        )
        refused(client.post("/compare", content=b" " * 2_001), 413, "body-too-large", says="2000")
