"""A real LibreOffice under two locales, and a real service; where one is missing the tests fail."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.running import ROOT, Service, running_service

SYSTEM_PYTHON = "/usr/bin/python3"
"""Debian's python3-uno is for Debian's Python."""
SYSTEM_PATH = "/usr/bin:/bin"
"""The Python inside LibreOffice looks for its library beside the first python3 on the path, which must be Debian's, too."""


@dataclass(frozen=True)
class Cell:
    """What a cell shows: `kind` is EMPTY, VALUE, TEXT or FORMULA."""

    value: float
    text: str
    kind: str
    error: int


class LibreOffice:
    """The running LibreOffice: what the driver does, by name."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self.folder = folder
        self._answer()

    def do(self, name: str, **arguments: Any) -> list[list[Any]]:
        """The cells that the driver gives back."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": name, **arguments}) + "\n")
        self._process.stdin.flush()
        return [[Cell(**cell) if isinstance(cell, dict) else cell for cell in row] for row in self._answer()]

    def _answer(self) -> list[list[Any]]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            pytest.fail(
                "LibreOffice is not there: apt-get install libreoffice-calc python3-uno libreoffice-script-provider-python"
            )
        answer = json.loads(line)
        assert "failed" not in answer, answer
        cells: list[list[Any]] = answer["cells"]
        return cells


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[httpx.Client]:
    with service.client() as opened:
        yield opened


@pytest.fixture(scope="session", params=["en-US", "de-DE"])
def office(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOffice]:
    profile = tmp_path_factory.mktemp(request.param)
    log = profile.with_suffix(".log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            [SYSTEM_PYTHON, str(ROOT / "tests" / "office" / "driver.py"), request.param, str(profile)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
            env=os.environ | {"PATH": SYSTEM_PATH},
        )  # fmt: skip
        try:
            opened = LibreOffice(process, profile)
            assert opened.do("locale") == [[request.param]]
            yield opened
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)
            if process.stdout is not None:
                process.stdout.close()
    assert "Traceback" not in log.read_text(encoding="utf-8")
