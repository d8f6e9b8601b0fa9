"""The counting worker: a process that reads requests from its standard input (a socket) and answers there.

    python -P -m tokenizers_registry.worker MEMORY_MIB NICE LIMIT_MIB [PLUG_IN ...]

The kernel refuses it more than MEMORY_MIB of address space, the one that counts with files of users more than LIMIT_MIB (0 for
the others): a count that needs more fails alone, where a limit on the whole service would end them all. It ends when the
server does, because the socket then closes. Its standard output and error go nowhere: what a vocabulary engine prints when
it panics may quote the caller's text. An idle worker holds no engine.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from typing import Any

from economics.errors import PermillionError
from tokenizers_registry import wire
from tokenizers_registry.boundary import OUT_OF_MEMORY, count_all
from tokenizers_registry.families import Family
from tokenizers_registry.loading import LoadedTokenizers
from tokenizers_registry.registered.limits import limit_process
from tokenizers_registry.registry import Registry

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
        for tokenizer, indexes in request.jobs.items():
            texts = [request.texts[index] for index in indexes]
            family = request.registered.get(tokenizer)
            answers.add(tokenizer, _count(registry, loaded, tokenizer, family, texts, answers))
        answers.send(done=True)


class _Answers:
    """Counts not yet sent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._counts: dict[str, Any] = {}

    def add(self, tokenizer: str, counts: list[int] | PermillionError) -> None:
        if isinstance(counts, PermillionError):
            self._counts[tokenizer] = {"slug": counts.slug, "detail": counts.detail}
        else:
            self._counts[tokenizer] = counts

    def send(self, *, done: bool = False, loading: str = "", counting: str = "") -> None:
        answer = {"done": done, "loading": loading, "counting": counting, "counts": self._counts}
        wire.write_all(self._descriptor, wire.pack_answer(answer))
        self._counts = {}


def _count(
    registry: Registry,
    loaded: LoadedTokenizers,
    tokenizer: str,
    registered: Family | None,
    texts: list[str],
    answers: _Answers,
) -> list[int] | PermillionError:
    try:
        family = registered or registry[tokenizer]
        if not loaded.holds(family):
            answers.send(loading=tokenizer)
            loaded.counter(family)
            answers.send(counting=tokenizer)
        elif sum(len(text) for text in texts) > wire.ANNOUNCED_BYTES:
            answers.send(counting=tokenizer)
        return count_all(tokenizer, loaded.counter(family), texts)
    except PermillionError as problem:
        if problem.slug == OUT_OF_MEMORY:
            loaded.clear()  # the next one has the room
        return problem


def main(arguments: list[str]) -> None:
    """Start as a child of the server: arguments are memory in MiB, niceness, limit in MiB, plug-ins."""
    memory_mib, niceness, limit_mib, *plug_ins = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to answer
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold the text
    os.nice(int(niceness))
    if int(limit_mib):
        limit_process(int(limit_mib))
    else:
        with contextlib.suppress(ValueError, OSError):  # a lower limit is set already, or the system has none
            resource.setrlimit(resource.RLIMIT_AS, (int(memory_mib) << 20, int(memory_mib) << 20))
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the server is gone
        serve(Registry(plug_ins), LoadedTokenizers(int(memory_mib) * 3 // 8), SOCKET)


if __name__ == "__main__":
    main(sys.argv[1:])
