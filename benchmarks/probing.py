"""A second client: asks `/healthz` every few milliseconds and says how long each answer took.

It is a process of its own, `python -m benchmarks.probing PORT PID`, because threads of one interpreter would wait for each
other and call that the server's delay. For the same reason it says how long the server's main thread and itself stood
ready without being given a processor meanwhile, as the scheduler counts it: on a machine that others use, too, that is
most of what is late. It asks until its standard input closes.
"""

from __future__ import annotations

import http.client
import json
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.servers import ROOT, RunningServer

PAUSE_S = 0.002


@dataclass(frozen=True)
class Probe:
    """One answer: seconds it took, and seconds of these in which server or client waited for a processor."""

    took_s: float
    queued_s: float

    @property
    def served_s(self) -> float:
        """What the service itself took: at most this long its loop did not turn."""
        return max(self.took_s - self.queued_s, 0.0)


@contextmanager
def probing(server: RunningServer) -> Iterator[list[Probe]]:
    """The answers during the block; filled when it ends."""
    probes: list[Probe] = []
    command = [sys.executable, "-m", "benchmarks.probing", str(server.port), str(server.process.pid)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        client.stdout.readline()  # it has begun
        yield probes
        said, _ = client.communicate()
        probes.extend(Probe(took_s, queued_s) for took_s, queued_s in json.loads(said))


def main() -> None:
    """Ask until the one who started this closes our standard input."""
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
    threads = [Path(f"/proc/{process}/schedstat") for process in (sys.argv[2], "self")]
    probes: list[tuple[float, float]] = []
    for _ in range(50):
        _ask(connection)
    print("asking", flush=True)
    while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
        queued_s, began = _queued_s(threads), time.perf_counter()
        _ask(connection)
        took_s = time.perf_counter() - began
        probes.append((took_s, _queued_s(threads) - queued_s))
    print(json.dumps(probes))


def _queued_s(threads: list[Path]) -> float:
    return sum(int(thread.read_text(encoding="ascii").split()[1]) for thread in threads) / 1e9


def _ask(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    answer.read()
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError("the service does not answer")


if __name__ == "__main__":
    main()
