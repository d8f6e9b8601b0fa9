"""How many tokens a text is: what the services and the command line call.

`TokenCounter` runs in the server. It loads no vocabulary: it hashes texts, looks counts up, and asks worker processes
for the rest, each pair of text and vocabulary once however often it is asked for at the same time. `count_now` counts
in the calling process, for the command line and tests.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy

from economics.errors import PermillionError
from tokenizers_registry.boundary import count_all
from tokenizers_registry.families import Family
from tokenizers_registry.loading import LoadedTokenizers
from tokenizers_registry.recent import Recent
from tokenizers_registry.registered.files import RegisteredFile
from tokenizers_registry.registered.folder import FileFolder, ReadFile, no_file
from tokenizers_registry.registry import Registry
from tokenizers_registry.text import TextMeasure, grapheme_patterns, measure
from tokenizers_registry.turns import Turns
from tokenizers_registry.workers import Counts, WorkerPool, WorkerSettings

Counted = int | PermillionError
#: Fingerprint of the vocabulary and sha256 of the text.
Key = tuple[str, bytes]
#: A text in UTF-8 and its sha256.
Digested = tuple[bytes, bytes]
#: Encoding or hashing 256 KiB takes 0.3 ms, which is done in a turn of one's own from this many characters on.
_LONG_CHARACTERS = 16_384
#: Texts of a request up to this are measured at once, in at most half a millisecond.
_SHORT_BYTES = 1_024

Errand = asyncio.Task[dict[Key, Counted]]


class TokenCounter:
    """Counts texts in worker processes and remembers the counts.

    Args:
        registry: the families; all built-in ones by default.
        settings: of the worker pool.
        cache_entries: counts kept (about 300 bytes each, no text).
        read_file: the bytes of a registered file by sha256; called in a thread, when the file is first counted with.

    Use it inside one event loop: `await start()`, then `count`, at the end `await close()`.
    """

    def __init__(
        self,
        registry: Registry | None = None,
        settings: WorkerSettings | None = None,
        cache_entries: int = 50_000,
        read_file: ReadFile = no_file,
    ) -> None:
        self.registry = registry if registry is not None else Registry()
        self._pool = WorkerPool(self.registry, settings if settings is not None else WorkerSettings())
        self._cache: Recent[Key, int] = Recent(cache_entries)
        self._measures: Recent[bytes, TextMeasure] = Recent(cache_entries)
        self._on_their_way: dict[Key, Errand] = {}
        self._folder = FileFolder(read_file)
        self.turns = Turns()

    async def start(self) -> None:
        """Start the workers; they are ready for requests at once and load vocabularies when asked."""
        self._pool.start()
        await asyncio.to_thread(grapheme_patterns)  # 20 ms that no request should wait for

    async def close(self) -> None:
        """End the workers. Requests on their way get an error."""
        self._pool.close()
        await asyncio.gather(*set(self._on_their_way.values()))
        self._folder.close()

    def with_files(self, files: Sequence[RegisteredFile]) -> TokenCounter:
        """This counter as a tenant sees it who registered `files`: same workers, same cache, more tokenizers."""
        if not files:
            return self
        theirs = copy(self)
        theirs.registry = self.registry.with_files(files)
        return theirs

    @property
    def worker_process_ids(self) -> list[int | None]:
        """Process ids of the workers, None where one is not running."""
        return self._pool.process_ids

    async def count(self, texts: Sequence[str], tokenizers: Sequence[str]) -> list[dict[str, Counted]]:
        """Content tokens of each text by each tokenizer: literal policy, no frame, an empty text is 0.

        Args:
            texts: any number; the caller has checked the limits of its interface.
            tokenizers: ids, e.g. `o200k_base`.

        Returns:
            For each text, in order, a count or an error for each tokenizer: `unknown-tokenizer`,
            `tokenizer-unavailable`, `text-too-large`, `counting-failed` or `counting-timeout`. One tokenizer's error
            leaves the others' counts alone.

        Raises:
            PermillionError: `invalid-text` where a text holds lone surrogates and so has no UTF-8 form.

        Example: `"Hello, world!"` by `o200k_base` and `claude_v48` is 4 and 6.
        """
        return await self._count(await self._digested(texts), tokenizers)

    async def measure(self, texts: Sequence[str]) -> list[TextMeasure]:
        """What texts measure, in their order: found by a worker where it takes longer than to ask one.

        Raises:
            PermillionError: `invalid-text`, as `count`; `counting-failed` and `counting-timeout` where no worker could.
        """
        return await self._measure(await self._digested(texts))

    async def measure_and_count(
        self, texts: Sequence[str], tokenizers: Sequence[str]
    ) -> tuple[list[TextMeasure], list[dict[str, Counted]]]:
        """What `measure` and `count` answer, found side by side."""
        digested = await self._digested(texts)
        return await asyncio.gather(self._measure(digested), self._count(digested, tokenizers))

    async def _count(self, digested: Sequence[Digested], tokenizers: Sequence[str]) -> list[dict[str, Counted]]:
        encoded = [content for content, _ in digested]
        rows: list[dict[str, Counted]] = [{} for _ in digested]
        awaited: list[tuple[dict[str, Counted], str, Key]] = []
        wanted: dict[str, dict[Key, int]] = {}
        new: set[Key] = set()  # families with one fingerprint ask once
        for tokenizer in dict.fromkeys(tokenizers):
            family, problem = self._usable(tokenizer)
            for index, row in enumerate(rows):
                if family is None or len(encoded[index]) > family.max_text_bytes:
                    row[tokenizer] = problem or _too_large(tokenizer, family)
                    continue
                key = (family.fingerprint, digested[index][1])
                count = 0 if not encoded[index] else self._cache.get(key)
                if count is not None:
                    row[tokenizer] = count
                    continue
                awaited.append((row, tokenizer, key))
                if key not in self._on_their_way and key not in new:
                    new.add(key)
                    wanted.setdefault(tokenizer, {})[key] = index
        if wanted:
            errand = asyncio.create_task(self._fetch(encoded, wanted))
            self._on_their_way.update(dict.fromkeys(new, errand))
        if awaited:
            errands = {key: self._on_their_way[key] for _, _, key in awaited}
            await asyncio.wait(set(errands.values()))  # a caller that goes away leaves the errand running
            for row, tokenizer, key in awaited:
                row[tokenizer] = errands[key].result()[key]
        return rows

    async def _measure(self, digested: Sequence[Digested]) -> list[TextMeasure]:
        measures: dict[bytes, TextMeasure] = {}
        new: dict[bytes, bytes] = {}
        for content, digest in digested:
            measured = self._measures.get(digest)
            if measured is None:
                new[digest] = content
            else:
                measures[digest] = measured
        if sum(map(len, new.values())) <= _SHORT_BYTES:
            found = [measure(content.decode()) for content in new.values()]
        else:
            found = await self._pool.measure(list(new.values()))
        for digest, measured in zip(new, found, strict=True):
            measures[digest] = measured
            self._measures.put(digest, measured)
        return [measures[digest] for _, digest in digested]

    async def _digested(self, texts: Sequence[str]) -> list[Digested]:
        digested: list[Digested] = []
        for text in texts:
            long = len(text) > _LONG_CHARACTERS
            if long:
                await self.turns.take()
            content = _utf8(text)
            if long:
                await self.turns.take()
            digested.append((content, hashlib.sha256(content).digest()))
        return digested

    def _usable(self, tokenizer: str) -> tuple[Family | None, PermillionError | None]:
        try:
            family = self.registry[tokenizer]
        except PermillionError as problem:
            return None, problem
        reason = self.registry.unavailable_reason(family)
        return (family, None) if reason is None else (None, PermillionError("tokenizer-unavailable", reason))

    async def _fetch(self, encoded: Sequence[bytes], wanted: dict[str, dict[Key, int]]) -> dict[Key, Counted]:
        """Ask the workers for every pair of `wanted`, and remember what they counted."""
        needed = sorted({index for keys in wanted.values() for index in keys.values()})
        place = {index: position for position, index in enumerate(needed)}
        jobs = {name: [place[index] for index in keys.values()] for name, keys in wanted.items()}
        if sum(len(encoded[index]) for index in needed) > _LONG_CHARACTERS:
            await self.turns.take()  # the request is put together, and sent to each worker
        try:
            counts = await self._counts([encoded[index] for index in needed], jobs)
        finally:
            for keys in wanted.values():
                for key in keys:
                    del self._on_their_way[key]
        answers: dict[Key, Counted] = {}
        for tokenizer, keys in wanted.items():
            found = counts[tokenizer]
            if isinstance(found, PermillionError):
                answers.update(dict.fromkeys(keys, found))
                continue
            for key, count in zip(keys, found, strict=True):
                answers[key] = count
                self._cache.put(key, count)
        return answers

    async def _counts(self, texts: Sequence[bytes], jobs: Mapping[str, Sequence[int]]) -> Counts:
        counts: Counts = {}
        families: dict[str, Family] = {}
        for tokenizer in jobs:
            family = self.registry[tokenizer]
            try:
                families[tokenizer] = await self._folder.placed(family) if family.is_registered else family
            except PermillionError as problem:
                counts[tokenizer] = problem
        return counts | await self._pool.count(texts, {name: jobs[name] for name in families}, families)


def count_now(
    texts: Sequence[str],
    tokenizers: Sequence[str],
    *,
    registry: Registry | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    memory_mib: int = 512,
    loaded: LoadedTokenizers | None = None,
) -> list[dict[str, Counted]]:
    """The same answer as `TokenCounter.count`, in this process and without a cache: for the command line.

    Args:
        texts: any number, without a limit on all of them together.
        tokenizers: ids, e.g. `o200k_base`.
        registry: the families; all built-in ones by default.
        on_progress: called with tokenizers done and tokenizers in all, after each.
        memory_mib: estimated memory of the vocabularies kept at a time.
        loaded: vocabularies that this process holds already, and goes on to hold.

    >>> count_now(["Hello, world!", ""], ["o200k_base"])
    [{'o200k_base': 4}, {'o200k_base': 0}]
    """
    registry = registry if registry is not None else Registry()
    loaded = loaded if loaded is not None else LoadedTokenizers(memory_mib)
    sizes = [len(_utf8(text)) for text in texts]
    rows: list[dict[str, Counted]] = [{} for _ in texts]
    names = list(dict.fromkeys(tokenizers))
    for done, tokenizer in enumerate(names, 1):
        for text, size, row in zip(texts, sizes, rows, strict=True):
            try:
                family = registry[tokenizer]
                if size > family.max_text_bytes:
                    raise _too_large(tokenizer, family)
                row[tokenizer] = count_all(tokenizer, loaded.counter(family), [text])[0]
            except PermillionError as problem:
                row[tokenizer] = problem
        if on_progress is not None:
            on_progress(done, len(names))
    return rows


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise PermillionError("invalid-text", "the text holds lone surrogates, which are not characters") from None


def _too_large(tokenizer: str, family: Family | None) -> PermillionError:
    limit = family.max_text_bytes if family is not None else 0
    return PermillionError("text-too-large", f"{tokenizer} counts texts of up to {limit:,} bytes of UTF-8")
