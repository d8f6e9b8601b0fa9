"""Which worker is a tokenizer's home, so that each vocabulary is loaded once and a request uses all cores."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers_registry.families import Family


class Homes:
    """Homes are given when a tokenizer is first asked for, and kept.

    What is asked for together is spread: of the newcomers of a request the slowest comes first, each to the worker
    with the least work in that request (seconds per megabyte of fresh text, 1 / `megabytes_per_s`), between equals to
    the one with the least work in all. A slow one counts at most one second, or it would have a worker to itself and
    leave all fast ones to another. Families that share a vocabulary and its rules share a home.

    Args:
        workers: number of worker processes, at least 1.

    >>> from tokenizers_registry.registry import Registry
    >>> known = Registry()
    >>> Homes(2).share([known["o200k_base"], known["llama3"], known["claude_v48"], known["o200k_harmony"]])
    [['claude_v48'], ['o200k_base', 'llama3', 'o200k_harmony']]
    """

    def __init__(self, workers: int) -> None:
        self._homes: dict[str, int] = {}
        self._work = [0.0] * workers

    def share(self, families: Iterable[Family]) -> list[list[str]]:
        """Divide the tokenizers of one request: for each worker the ids it is to count."""
        asked = list(families)
        work = [0.0] * len(self._work)
        vocabularies = {family.fingerprint: min(1 / family.megabytes_per_s, 1.0) for family in asked}
        for fingerprint, seconds in vocabularies.items():
            if fingerprint in self._homes:
                work[self._homes[fingerprint]] += seconds
        newcomers = [fingerprint for fingerprint in vocabularies if fingerprint not in self._homes]
        for fingerprint in sorted(newcomers, key=lambda name: -vocabularies[name]):
            home = min(range(len(work)), key=lambda index: (work[index], self._work[index]))
            self._homes[fingerprint] = home
            work[home] += vocabularies[fingerprint]
            self._work[home] += vocabularies[fingerprint]
        shares: list[list[str]] = [[] for _ in self._work]
        for family in asked:
            shares[self._homes[family.fingerprint]].append(family.tokenizer)
        return shares
