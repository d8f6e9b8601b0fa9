"""Real servers for measurements: started on a free port, measured as a process tree, stopped."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parent.parent


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class RunningServer:
    """A server process and its port."""

    process: psutil.Process
    port: int
    ready_after_s: float

    def tree(self) -> list[psutil.Process]:
        """The process and its descendants."""
        return [self.process, *self.process.children(recursive=True)]

    def cpu_s(self) -> float:
        """Seconds on a processor of all threads of the tree so far, as the scheduler counts them (nanoseconds)."""
        return sum(_on_processor_s(process.pid) for process in self.tree())

    def memory_mib(self) -> float:
        """Proportional set size of the tree in MiB: shared pages counted once."""
        return float(sum(process.memory_full_info().pss for process in self.tree())) / 2**20

    def connect(self) -> http.client.HTTPConnection:
        """A keep-alive connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)


def _on_processor_s(pid: int) -> float:
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text(encoding="ascii").split()[0]) for file in files) / 1e9


def post(connection: http.client.HTTPConnection, path: str, body: bytes) -> Any:
    """The JSON answer of a POST; anything but 200 is an error."""
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    content = response.read()
    if response.status != 200:
        raise RuntimeError(f"{path}: {response.status} {content[:300]!r}")
    return json.loads(content)


@contextmanager
def serving(command: list[str], port: int, ready_path: str, **environment: str) -> Iterator[RunningServer]:
    """A server started by `command`, once it accepts connections and answers `ready_path`."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, env={**os.environ, **environment}, start_new_session=True
    )
    try:
        _await_ready(process, port, ready_path)
        yield RunningServer(psutil.Process(process.pid), port, time.perf_counter() - started)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_ready(process: subprocess.Popen[bytes], port: int, ready_path: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", ready_path)
            if connection.getresponse().status == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.01)
    raise RuntimeError("the server did not become ready")


@contextmanager
def permillion(database: Path) -> Iterator[RunningServer]:
    """The service on `database`."""
    port = free_port()
    command = [sys.executable, "-m", "api.cli", "serve", "--port", str(port)]
    environment = {"PERMILLION_DATABASE_URL": f"sqlite:///{database}", "PERMILLION_REQUEST_LOG": "1"}
    with serving(command, port, "/readyz", **environment) as server:
        yield server


@contextmanager
def twin(answers: Path) -> Iterator[RunningServer]:
    """The twin with canned answers."""
    port = free_port()
    with serving([sys.executable, "-m", "benchmarks.twin", str(port), str(answers)], port, "/") as server:
        yield server
