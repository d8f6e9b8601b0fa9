"""A real service for tests: its own process, its own database, its output kept."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Service:
    """A running service."""

    url: str
    process: subprocess.Popen[bytes]
    stdout: Path
    stderr: Path
    database: Path

    def client(self) -> httpx.Client:
        """A client of it; answers may take a while on a busy machine."""
        return httpx.Client(base_url=self.url, timeout=60, trust_env=False)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_service(
    folder: Path, environment: Mapping[str, str] | None = None, host: str = "127.0.0.1", module: str = "api.cli"
) -> Iterator[Service]:
    """The service on an SQLite file in `folder`, once it is ready; `module` starts it."""
    port = free_port()
    database = folder / "permillion.sqlite3"
    stdout, stderr = folder / "stdout.log", folder / "stderr.log"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PERMILLION_")}
    ours = {
        "PERMILLION_DATABASE_URL": f"sqlite:///{database}",
        "PERMILLION_COUNTING_PRIORITY": "low",  # other tests keep the cores busy; idle is tested with the workers and measured
    }
    variables = {**kept, **ours, **(environment or {})}
    with stdout.open("wb") as out, stderr.open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", module, "serve", "--host", host, "--port", str(port)],
            cwd=ROOT, env=variables, stdout=out, stderr=err,
        )  # fmt: skip
    shown = "127.0.0.1" if host == "0.0.0.0" else host
    try:
        _await_ready(f"http://{shown}:{port}", process, stderr)
        yield Service(f"http://{shown}:{port}", process, stdout, stderr, database)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def _await_ready(url: str, process: subprocess.Popen[bytes], stderr: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the service ended with {process.returncode}: {stderr.read_text()}")
        try:
            if httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.05)
    raise RuntimeError("the service did not become ready")
