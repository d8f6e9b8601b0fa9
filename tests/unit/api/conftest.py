from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from api.cli import main
from api.cli.opening import open_catalog
from api.settings import Settings


@dataclass(frozen=True)
class Done:
    """What a command left: its exit status and what it printed."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('cli') / 'permillion.sqlite3'}"
    open_catalog(Settings(database_url=url)).close()
    return url


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """The command `permillion` with arguments, from an empty folder, in this process."""
    monkeypatch.setenv("PERMILLION_DATABASE_URL", database_url)
    monkeypatch.setenv("PERMILLION_COUNTING_WORKERS", "1")
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["permillion", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        try:
            main()
            status = 0
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        printed = capfd.readouterr()
        return Done(status, printed.out, printed.err)

    return command
