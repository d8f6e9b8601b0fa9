"""The pool of counting workers, seen from the server's event loop.

Each worker is one process with one socket, served one request at a time. The tokenizers of a request are spread over the
workers (`placement`), so that it uses all cores and a vocabulary is loaded where it pays. Tokenizers that users registered
have one limited worker to themselves: what a hostile one does there, no other count waits for. A worker that is late or
dies is replaced alone: what it still owed is asked again, piece by piece, and only the tokenizer that kills a
worker twice, or lets the time run out, is answered with an error.

Why not `ProcessPoolExecutor`: its workers import the server's main module (60 MB each), live on after a killed
server because they hold both ends of their queue, and a hanging call can only be stopped through private attributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from economics.errors import PermillionError
from tokenizers_registry import wire
from tokenizers_registry.exchange import Exchange, Outcome
from tokenizers_registry.families import Family
from tokenizers_registry.placement import Placement, seconds
from tokenizers_registry.priority import Priority
from tokenizers_registry.registry import Registry
from tokenizers_registry.text import TextMeasure, unpack_measure
from tokenizers_registry.worker_process import WorkerProcess

#: What a worker answered for each tokenizer, or for `wire.MEASURES`: the list has an entry a text.
Answers = dict[str, "list[Any] | PermillionError"]
Counts = dict[str, "list[int] | PermillionError"]

_MEASURED_PER_S: Final = 5e6
"""Bytes of text that a worker measures in a second: 3 MB/s of mixed scripts to 25 MB/s of ASCII (measured 2026-12-01)."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """How the pool behaves.

    Attributes:
        workers: processes; more than there are cores gains nothing.
        timeout_s: longest time in seconds one tokenizer may take for the texts of one request; the time for which the worker was
            given no core is not counted, up to five times as much.
        load_timeout_s: longest time in seconds for starting a worker or loading a vocabulary.
        wait_timeout_s: longest time in seconds a request waits for busy workers before it is refused.
        memory_mib: address space in MiB that a worker may have. All built-in vocabularies with the caches of their
            engines need 1,420 (measured 2026-12-01). Three eighths of it are for vocabularies.
        priority: how the workers stand back behind the server (`tokenizers_registry.priority`).
        registered_limit_mib: memory in MiB that the worker for registered tokenizers may address.
    """

    workers: int = 2
    timeout_s: float = 10.0
    load_timeout_s: float = 60.0
    wait_timeout_s: float = 30.0
    memory_mib: int = 2_048
    priority: Priority = "idle"
    registered_limit_mib: int = 2_048


@dataclass(frozen=True, slots=True)
class _Errand:
    """What one worker is to count of a request; `guests` are the registered families among its tokenizers."""

    texts: Sequence[bytes]
    jobs: Mapping[str, Sequence[int]]
    guests: Mapping[str, Family]


class WorkerPool:
    """Workers that count. Start it inside the event loop that uses it."""

    def __init__(self, registry: Registry, settings: WorkerSettings) -> None:
        self._settings = settings
        self._workers = [self._worker(0, registry.plug_ins) for _ in range(settings.workers)]
        self._guests = self._worker(settings.registered_limit_mib, ())
        self._placement = Placement(settings.workers)
        self._pending_s = dict.fromkeys((*self._workers, self._guests), 0.0)
        self._registry = registry
        self._open = False

    def _worker(self, limit_mib: int, plug_ins: Sequence[str]) -> WorkerProcess:
        settings = self._settings
        arguments = (str(settings.memory_mib), settings.priority, str(limit_mib), *plug_ins)
        return WorkerProcess(arguments, settings.load_timeout_s, settings.wait_timeout_s)

    def start(self) -> None:
        """Start the processes; does not wait until they answer. The one for registered files starts when it is asked."""
        self._open = True
        for worker in self._workers:
            worker.start()

    def close(self) -> None:
        """Kill the processes; requests on their way end with an error."""
        self._open = False
        for worker in (*self._workers, self._guests):
            worker.close()

    @property
    def process_ids(self) -> list[int | None]:
        """Process ids of the workers, None where one is not running."""
        return [worker.process_id for worker in self._workers]

    async def count(
        self, texts: Sequence[bytes], jobs: Mapping[str, Sequence[int]], families: Mapping[str, Family]
    ) -> Counts:
        """Count texts.

        Args:
            texts: UTF-8.
            jobs: for each tokenizer the indexes of its texts.
            families: of each tokenizer; the `path` of a registered one says where its file is.

        Returns:
            For each tokenizer its content tokens in the order of its indexes, or the error that stopped it:
            `tokenizer-unavailable`, `counting-failed`, `counting-timeout`.
        """
        counts: Counts = {}
        guests = {tokenizer: families[tokenizer] for tokenizer in jobs if families[tokenizer].is_registered}
        sized = [(families[name], _bytes(texts, indexes)) for name, indexes in jobs.items() if name not in guests]
        shares = self._placement.share(sized, [self._pending_s[worker] for worker in self._workers])
        begun = [
            (worker, _Errand(texts, {tokenizer: jobs[tokenizer] for tokenizer in share}, guests))
            for worker, share in zip((*self._workers, self._guests), (*shares, list(guests)), strict=True)
            if share
        ]
        asked = [(worker, errand, self._ask(worker, errand, list(errand.jobs))) for worker, errand in begun]
        for worker, errand, exchange in asked:  # all of them are on their way
            counts |= await self._settled(worker, exchange, errand)
        return counts

    async def measure(self, texts: Sequence[bytes]) -> list[TextMeasure]:
        """What texts in UTF-8 measure, in their order.

        Raises:
            PermillionError: `counting-failed`, `counting-timeout`.
        """
        worker = min(self._workers, key=self._pending_s.__getitem__)
        errand = _Errand(texts, {wire.MEASURES: list(range(len(texts)))}, {})
        answers = await self._settled(worker, self._ask(worker, errand, list(errand.jobs)), errand)
        found = answers[wire.MEASURES]
        if isinstance(found, PermillionError):
            raise found
        return [unpack_measure(packed) for packed in found]

    def _ask(self, worker: WorkerProcess, errand: _Errand, tokenizers: Sequence[str]) -> Exchange:
        jobs = {tokenizer: errand.jobs[tokenizer] for tokenizer in tokenizers}
        guests = {tokenizer: errand.guests[tokenizer] for tokenizer in tokenizers if tokenizer in errand.guests}
        exchange = Exchange(errand.texts, jobs, self._settings.timeout_s, guests)
        work_s = sum(
            self._seconds(name, _bytes(errand.texts, some)) for name, some in jobs.items() if name not in guests
        )
        self._pending_s[worker] += work_s

        def over(_: object) -> None:
            self._pending_s[worker] -= work_s

        exchange.outcome.add_done_callback(over)
        if self._open:
            worker.submit(exchange)
        else:
            exchange.end("lost")
        return exchange

    def _seconds(self, job: str, size: int) -> float:
        return size / _MEASURED_PER_S if job == wire.MEASURES else seconds(self._registry[job], size)

    async def _settled(self, worker: WorkerProcess, exchange: Exchange, errand: _Errand) -> Answers:
        """The counts of an exchange; what a lost worker owed is asked of its successor."""
        counts: Answers = {}
        losses: Counter[str] = Counter()
        batches: list[list[str]] = []
        while True:
            outcome = await exchange.outcome
            counts |= exchange.counts
            left = [tokenizer for tokenizer in exchange.tokenizers if tokenizer not in counts]
            if left and not self._open:
                counts |= dict.fromkeys(
                    left, PermillionError("counting-failed", "the counting workers are not running")
                )
            elif left and outcome == "busy":
                counts |= dict.fromkeys(
                    left, PermillionError("counting-timeout", "the counting workers are busy; try later")
                )
            elif left:
                batches.extend(_next_batches(left, exchange.announced, outcome, losses, counts))
            if not batches:
                return counts
            exchange = self._ask(worker, errand, batches.pop())


def _bytes(texts: Sequence[bytes], indexes: Sequence[int]) -> int:
    return sum(len(texts[index]) for index in indexes)


def _next_batches(
    left: list[str], announced: str, outcome: Outcome, losses: Counter[str], counts: Answers
) -> list[list[str]]:
    """What to ask a fresh worker, once one was lost or stopped over a batch.

    The culprit is the tokenizer that the worker had announced, or the only one left; it is answered with an error when
    it ran out of time or lost its second worker. With no culprit known, each is asked alone, which finds it.
    """
    culprit = announced if announced in left else left[0] if len(left) == 1 else None
    if culprit is None:
        return [[tokenizer] for tokenizer in left]
    others = [tokenizer for tokenizer in left if tokenizer != culprit]
    batches = [others] if others else []
    losses[culprit] += 1
    if outcome == "overdue":
        counts[culprit] = PermillionError("counting-timeout", f"counting with {culprit} took too long")
    elif losses[culprit] > 1:
        counts[culprit] = PermillionError("counting-failed", f"counting with {culprit} ended its worker")
    else:
        batches.append([culprit])
    return batches
