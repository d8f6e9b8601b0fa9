"""The counting worker: a process that reads requests from its standard input (a socket) and answers there.

    python -P -m tokenizers_registry.worker MEMORY_MIB PRIORITY LIMIT_MIB [PLUG_IN ...]

The kernel refuses it more than MEMORY_MIB of address space, the one that counts with files of users more than LIMIT_MIB (0 for
the others): a count that needs more fails alone, where a limit on the whole service would end them all. It ends when the
server does, because the socket then closes. Its standard output and error go nowhere: what a vocabulary engine prints when
it panics may quote the caller's text. An idle worker holds no engine. It measures texts, too: 256 KiB of mixed scripts are
80 ms of work that the server's event loop should not do.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from economics.errors import PermillionError
from tokenizers_registry import wire
from tokenizers_registry.boundary import OUT_OF_MEMORY, count_all, guarded
from tokenizers_registry.families import Family
from tokenizers_registry.loading import LoadedTokenizers
from tokenizers_registry.priority import Priority, take_priority
from tokenizers_registry.registered.limits import limit_process
from tokenizers_registry.registry import Registry
from tokenizers_registry.text import measure, pack_measure

SOCKET = 0


def serve(registry: Registry, loaded: LoadedTokenizers, descriptor: int) -> None:
    """Answer requests until the other side closes the socket."""
    while True:
        head = wire.read_exactly(descriptor, wire.REQUEST_HEAD.size)
        if head is None:
            return
        header_size, body_size = wire.REQUEST_HEAD.unpack(head)
        header = wire.read_exactly(descriptor, header_size)
        body = wire.read_exactly(descriptor, body_size)
        if header is None or body is None:
            return
        request = wire.unpack_request(header, body)
        answers = _Answers(descriptor)
        for job, indexes in request.jobs.items():
            texts = [request.texts[index] for index in indexes]
            _do(registry, loaded, job, request.registered.get(job), texts, answers)
        answers.send(done=True)


class _Answers:
    """Answers not yet sent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._counts: dict[str, Any] = {}

    def add(self, job: str, counts: list[Any]) -> None:
        self._counts[job] = counts

    def fail(self, job: str, problem: PermillionError) -> None:
        self._counts[job] = {"slug": problem.slug, "detail": problem.detail}

    def send(self, *, done: bool = False, loading: str = "", counting: str = "") -> None:
        answer = {"done": done, "loading": loading, "counting": counting, "counts": self._counts}
        wire.write_all(self._descriptor, wire.pack_answer(answer))
        self._counts = {}


def _do(
    registry: Registry,
    loaded: LoadedTokenizers,
    job: str,
    registered: Family | None,
    texts: list[str],
    answers: _Answers,
) -> None:
    try:
        if job == wire.MEASURES:
            count: Callable[[list[str]], list[Any]] = _measures
        else:
            count = _counter(registered or registry[job], loaded, sum(map(len, texts)), answers)
        answers.add(job, count(texts))
    except PermillionError as problem:
        if problem.slug == OUT_OF_MEMORY:
            loaded.clear()  # the next one has the room
        answers.fail(job, problem)


def _counter(
    family: Family, loaded: LoadedTokenizers, characters: int, answers: _Answers
) -> Callable[[list[str]], list[int]]:
    if not loaded.holds(family):
        answers.send(loading=family.tokenizer)
        loaded.counter(family)
        answers.send(counting=family.tokenizer)
    elif characters > wire.ANNOUNCED_BYTES:
        answers.send(counting=family.tokenizer)
    return partial(count_all, family.tokenizer, loaded.counter(family))


def _measures(texts: list[str]) -> list[dict[str, Any]]:
    return guarded(lambda: [pack_measure(measure(text)) for text in texts], "counting-failed", "measuring")


def main(arguments: list[str]) -> None:
    """Start as a child of the server: arguments are memory in MiB, priority, limit in MiB, plug-ins."""
    memory_mib, priority, limit_mib, *plug_ins = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to answer
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold the text
    take_priority(cast("Priority", priority))
    if int(limit_mib):
        limit_process(int(limit_mib))
    else:
        with contextlib.suppress(ValueError, OSError):  # a lower limit is set already, or the system has none
            resource.setrlimit(resource.RLIMIT_AS, (int(memory_mib) << 20, int(memory_mib) << 20))
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the server is gone
        serve(Registry(plug_ins), LoadedTokenizers(int(memory_mib) * 3 // 8), SOCKET)


if __name__ == "__main__":
    main(sys.argv[1:])
