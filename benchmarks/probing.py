"""A second client: asks `/healthz` every few milliseconds and says how long each answer took.

It is a process of its own, `python -m benchmarks.probing PORT`, because threads of one interpreter would wait for each
other and call that the server's delay. It asks until its standard input closes.
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

from benchmarks.servers import ROOT, RunningServer

PAUSE_S = 0.002


@contextmanager
def probing(server: RunningServer) -> Iterator[list[float]]:
    """The seconds of each answer during the block; filled when it ends."""
    took_s: list[float] = []
    command = [sys.executable, "-m", "benchmarks.probing", str(server.port)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        client.stdout.readline()  # it has begun
        yield took_s
        said, _ = client.communicate()
        took_s.extend(json.loads(said))


def main() -> None:
    """Ask until the one who started this closes our standard input."""
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
    took_s: list[float] = []
    for _ in range(50):
        _ask(connection)
    print("asking", flush=True)
    while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
        began = time.perf_counter()
        _ask(connection)
        took_s.append(time.perf_counter() - began)
    print(json.dumps(took_s))


def _ask(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    answer.read()
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError("the service does not answer")


if __name__ == "__main__":
    main()
