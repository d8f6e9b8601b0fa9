"""Keeping the counting workers busy: batches in order, a bounded number of them on their way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass

from api.services.corpora.columns import TokenColumn
from api.services.corpora.counting import CountedRow, batches, count_batch
from api.services.corpora.texts import CorpusText
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.workers import WorkerSettings

BATCH_CHARACTERS = 131_072
"""Characters after which a batch ends: the slowest tokenizer, at 0.11 MB/s, takes about a second for English."""
_QUEUED = 3
"""Batches for each worker: one counted, one waiting, one being written."""


@dataclass(frozen=True, slots=True)
class Running:
    """How a corpus is counted; nothing of it changes a count.

    Attributes:
        workers: processes, each of which counts whole batches with every tokenizer.
        timeout_s: seconds for one batch and tokenizer. Long: what a busy machine delays is not an error of the text.
        batch_texts: most texts in a batch.
    """

    workers: int = 2
    timeout_s: float = 120.0
    batch_texts: int = 256


async def count_corpus(
    texts: Iterable[CorpusText], columns: Sequence[TokenColumn], running: Running
) -> AsyncGenerator[list[CountedRow], None]:
    """Rows in the order of the texts, a batch at a time.

    Every worker has a counter of its own and so a share of the texts. (The server's pool shares out tokenizers
    instead: a corpus counted with one of them would use one core.)
    """
    settings = WorkerSettings(workers=1, timeout_s=running.timeout_s, wait_timeout_s=running.timeout_s)
    free: asyncio.Queue[TokenCounter] = asyncio.Queue()

    async def counted(batch: list[CorpusText]) -> list[CountedRow]:
        counter = await free.get()
        try:
            return await count_batch(batch, columns, counter)
        finally:
            free.put_nowait(counter)

    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as closing:
        # a thread of its own, so that a slow pipe stops no clock
        reader = ThreadPoolExecutor(1, "corpus-reader")
        closing.callback(reader.shutdown, wait=False)
        for _ in range(running.workers):
            counter = TokenCounter(settings=settings, cache_entries=0)
            await counter.start()
            closing.push_async_callback(counter.close)
            free.put_nowait(counter)
        on_their_way: deque[asyncio.Task[list[CountedRow]]] = deque()
        closing.callback(_cancel, on_their_way)
        reading = batches(texts, running.batch_texts, BATCH_CHARACTERS)
        while (batch := await loop.run_in_executor(reader, next, reading, None)) is not None:
            on_their_way.append(asyncio.create_task(counted(batch)))
            while len(on_their_way) >= _QUEUED * running.workers:
                yield await on_their_way[0]
                on_their_way.popleft()
        while on_their_way:
            yield await on_their_way[0]
            on_their_way.popleft()


def _cancel(tasks: Iterable[asyncio.Task[list[CountedRow]]]) -> None:
    for task in tasks:
        task.cancel()
