"""The pool of counting workers, seen from the server's event loop.

Each worker is one process with one socket, served one request at a time. The tokenizers of a request are spread over
the workers (`placement`), so that it uses all cores and a vocabulary is loaded where it pays. A worker that is late or dies is replaced alone: what it still owed is asked again, piece by piece, and only the tokenizer that kills a
worker twice, or lets the time run out, is answered with an error.

Why not `ProcessPoolExecutor`: its workers import the server's main module (60 MB each), live on after a killed
server because they hold both ends of their queue, and a hanging call can only be stopped through private attributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from economics.errors import PermillionError
from tokenizers_registry.exchange import Exchange, Outcome
from tokenizers_registry.placement import Placement, seconds
from tokenizers_registry.registry import Registry
from tokenizers_registry.worker_process import WorkerProcess

Counts = dict[str, "list[int] | PermillionError"]


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """How the pool behaves.

    Attributes:
        workers: processes; more than there are cores gains nothing.
        timeout_s: longest time in seconds one tokenizer may take for the texts of one request.
        load_timeout_s: longest time in seconds for starting a worker or loading a vocabulary.
        wait_timeout_s: longest time in seconds a request waits for busy workers before it is refused.
        memory_mib: address space in MiB that a worker may have. All built-in vocabularies with the caches of their
            engines need 1,420 (measured 2026-12-01). Three eighths of it are for vocabularies.
        niceness: how much lower than the server's the workers' priority is (0-19).
    """

    workers: int = 2
    timeout_s: float = 10.0
    load_timeout_s: float = 60.0
    wait_timeout_s: float = 30.0
    memory_mib: int = 2_048
    niceness: int = 5


class WorkerPool:
    """Workers that count. Start it inside the event loop that uses it."""

    def __init__(self, registry: Registry, settings: WorkerSettings) -> None:
        self._settings = settings
        arguments = (str(settings.memory_mib), str(settings.niceness), *registry.plug_ins)
        self._workers = [
            WorkerProcess(arguments, settings.load_timeout_s, settings.wait_timeout_s) for _ in range(settings.workers)
        ]
        self._placement = Placement(settings.workers)
        self._pending_s = dict.fromkeys(self._workers, 0.0)
        self._registry = registry
        self._open = False

    def start(self) -> None:
        """Start the processes; does not wait until they answer."""
        self._open = True
        for worker in self._workers:
            worker.start()

    def close(self) -> None:
        """Kill the processes; requests on their way end with an error."""
        self._open = False
        for worker in self._workers:
            worker.close()

    @property
    def process_ids(self) -> list[int | None]:
        """Process ids of the workers, None where one is not running."""
        return [worker.process_id for worker in self._workers]

    async def count(self, texts: Sequence[bytes], jobs: Mapping[str, Sequence[int]]) -> Counts:
        """Count texts.

        Args:
            texts: UTF-8.
            jobs: for each tokenizer the indexes of its texts.

        Returns:
            For each tokenizer its content tokens in the order of its indexes, or the error that stopped it:
            `tokenizer-unavailable`, `counting-failed`, `counting-timeout`.
        """
        asked = [(self._registry[name], _bytes(texts, indexes)) for name, indexes in jobs.items()]
        shares = self._placement.share(asked, [self._pending_s[worker] for worker in self._workers])
        begun = [
            (worker, self._ask(worker, texts, {tokenizer: jobs[tokenizer] for tokenizer in share}))
            for worker, share in zip(self._workers, shares, strict=True)
            if share
        ]
        counts: Counts = {}
        for worker, exchange in begun:  # all of them are on their way
            counts |= await self._settled(worker, exchange, texts, jobs)
        return counts

    def _ask(self, worker: WorkerProcess, texts: Sequence[bytes], jobs: Mapping[str, Sequence[int]]) -> Exchange:
        exchange = Exchange(texts, jobs, self._settings.timeout_s)
        work_s = sum(seconds(self._registry[name], _bytes(texts, indexes)) for name, indexes in jobs.items())
        self._pending_s[worker] += work_s

        def over(_: object) -> None:
            self._pending_s[worker] -= work_s

        exchange.outcome.add_done_callback(over)
        if self._open:
            worker.submit(exchange)
        else:
            exchange.end("lost")
        return exchange

    async def _settled(
        self, worker: WorkerProcess, exchange: Exchange, texts: Sequence[bytes], jobs: Mapping[str, Sequence[int]]
    ) -> Counts:
        """The counts of an exchange; what a lost worker owed is asked of its successor."""
        counts: Counts = {}
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
            exchange = self._ask(worker, texts, {tokenizer: jobs[tokenizer] for tokenizer in batches.pop()})


def _bytes(texts: Sequence[bytes], indexes: Sequence[int]) -> int:
    return sum(len(texts[index]) for index in indexes)


def _next_batches(
    left: list[str], announced: str, outcome: Outcome, losses: Counter[str], counts: Counts
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
