"""One counting worker as the server holds it: its process, its socket, and the requests that wait for it.

It works on the event loop's readiness callbacks alone, without streams or tasks, because counting 2 kB takes a tenth
of a millisecond and asking for it should not take much longer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tokenizers_registry import wire
from tokenizers_registry.exchange import Exchange, Outcome

# Environment variables that reach a worker, by their beginnings.
_PASSED = ("PATH", "HOME", "TMPDIR", "LANG", "LC_", "LD_", "DYLD_", "PYTHON", "VIRTUAL_ENV")

#: A worker that others keep from the cores may take this many times as long by the clock.
MOST_WAITING: Final = 6
_LEAST_MORE_S: Final = 0.05
#: Most exchanges are over before it is worth asking how long the worker waits.
_UNWATCHED_S: Final = 0.25

_ROOT = Path(__file__).resolve().parent.parent
_CHUNK = 262_144


class WorkerProcess:
    """A worker process that replaces itself when it dies or is late.

    Args:
        arguments: of `tokenizers_registry.worker`.
        load_timeout_s: longest time in seconds for starting the process or loading a vocabulary.
        wait_timeout_s: longest time in seconds an exchange waits for those before it.
    """

    def __init__(self, arguments: Sequence[str], load_timeout_s: float, wait_timeout_s: float) -> None:
        self._command = [sys.executable, "-P", "-m", "tokenizers_registry.worker", *arguments]
        self._load_timeout_s = load_timeout_s
        self._wait_timeout_s = wait_timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._fresh = True
        self._current: Exchange | None = None
        self._waiting: deque[Exchange] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._unsent = memoryview(b"")
        self._received = bytearray()

    @property
    def process_id(self) -> int | None:
        """Process id, None while it is not running."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start the process. Nothing waits for it: what is sent before it is ready stays in the socket.

        Raises:
            OSError: no process or socket can be had.
        """
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs, contextlib.ExitStack() as undo:
            undo.callback(ours.close)
            self._process = subprocess.Popen(  # noqa: S603  own interpreter, own module
                self._command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )
            undo.pop_all()
        self._socket, self._fresh = ours, True
        asyncio.get_running_loop().add_reader(ours, self._receive)

    def kill(self) -> None:
        """End the process at once and forget what it was doing. The next exchange starts another."""
        self._stop_timer()
        if self._socket is not None:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._socket)
            loop.remove_writer(self._socket)
            self._socket.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = self._socket = None
        self._unsent = memoryview(b"")
        self._received.clear()

    def close(self) -> None:
        """End the process, and with it every exchange."""
        self.kill()
        for exchange in (self._current, *self._waiting):
            if exchange is not None:
                exchange.end("lost")
        self._current = None
        self._waiting.clear()

    def submit(self, exchange: Exchange) -> None:
        """Send an exchange now, or when those before it are over."""
        if self._current is not None:
            exchange.wait(self._wait_timeout_s)
            self._waiting.append(exchange)
        else:
            self._begin(exchange)

    def _begin(self, exchange: Exchange) -> None:
        self._current = exchange
        try:
            if self._process is None:
                self.start()
        except OSError:  # soon, not now: a queue must not become a recursion
            asyncio.get_running_loop().call_soon(self._finish, "lost")
            return
        limit_s = exchange.timeout_s
        if self._fresh:
            limit_s += self._load_timeout_s
            self._fresh = False
        self._start_timer(limit_s)
        self._unsent = memoryview(exchange.frame)
        self._send()

    def _send(self) -> None:
        if self._socket is None:
            return
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            asyncio.get_running_loop().call_soon(self._finish, "lost")
            return
        loop = asyncio.get_running_loop()
        if self._unsent:
            loop.add_writer(self._socket, self._send)
        else:
            loop.remove_writer(self._socket)

    def _receive(self) -> None:
        if self._socket is None:
            return
        try:
            part = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._finish("lost")
            return
        self._received += part
        head = wire.ANSWER_HEAD.size
        while len(self._received) >= head:
            end = head + wire.ANSWER_HEAD.unpack_from(self._received)[0]
            if len(self._received) < end:
                return
            answer = json.loads(self._received[head:end])
            del self._received[:end]
            self._take(answer)

    def _take(self, answer: Mapping[str, Any]) -> None:
        exchange = self._current
        if exchange is None:
            return
        exchange.take(answer)
        if answer["done"]:
            self._finish("answered")
        else:
            self._start_timer(self._load_timeout_s if answer["loading"] else exchange.timeout_s)

    def _finish(self, outcome: Outcome) -> None:
        exchange, self._current = self._current, None
        self._stop_timer()
        if outcome != "answered":
            self.kill()
        if exchange is not None:
            exchange.end(outcome)
        while self._waiting and self._current is None:
            following = self._waiting.popleft()
            if following.begin():
                self._begin(following)

    def _start_timer(self, limit_s: float) -> None:
        self._stop_timer()
        loop = asyncio.get_running_loop()
        first_s = min(_UNWATCHED_S, limit_s)
        self._timer = loop.call_later(first_s, self._expect, limit_s - first_s, loop.time() + MOST_WAITING * limit_s)

    def _expect(self, within_s: float, latest_s: float) -> None:
        """Wait for a sign of the worker; the time for which it was given no core is added, up to the loop's `latest_s`."""
        loop = asyncio.get_running_loop()
        queued_s = self._queued_s()

        def over() -> None:
            more_s = min(self._queued_s() - queued_s, latest_s - loop.time())
            if more_s < _LEAST_MORE_S:
                self._finish("overdue")
            else:
                self._expect(more_s, latest_s)

        self._timer = loop.call_later(within_s, over)

    def _queued_s(self) -> float:
        """Seconds that the worker stood ready without a core; 0 where the system does not say (Linux does)."""
        try:
            scheduled = (
                Path(f"/proc/{self._process.pid}/schedstat").read_text(encoding="ascii") if self._process else ""
            )
            return int(scheduled.split()[1]) / 1e9
        except (OSError, IndexError):
            return 0.0

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def child_environment() -> dict[str, str]:
    """What a worker needs to find this checkout and its libraries, and nothing else: no database URL, no keys.

    Engines start no threads of their own: the pool has one worker for each core.
    """
    path = os.pathsep.join(
        dict.fromkeys((str(_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))))
    )
    passed = {name: value for name, value in os.environ.items() if name.startswith(_PASSED)}
    return {**passed, "PYTHONPATH": path, "TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}
