"""Which worker counts with which tokenizer, so that a request uses all cores and vocabularies are loaded seldom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokenizers_registry.families import Family

#: Loading a vocabulary takes about a second for 150 MiB (processor time, one machine, 2026-12-01: llama2, 10 MiB, 0.03 s;
#: gemma3, 55 MiB, 0.16 s; o200k_base, 45 MiB, 0.31 s; qwen3_5, 120 MiB, 1.3 s).
LOADED_MIB_PER_S = 150


class Placement:
    """Spreads the tokenizers of each request over the workers, and remembers which vocabulary was loaded where.

    The longest work comes first, each to the worker that would be done with it soonest (the longest-processing-time
    rule, at most 7/6 of the best schedule on two workers: Graham, SIAM J. Appl. Math. 17, 1969). Work is bytes /
    `megabytes_per_s`, plus the time of loading where another worker has the vocabulary and this one has not. So short texts are
    counted where their vocabulary is, and a long one, or one behind a long queue, is worth a second copy of it. The first copy
    has to be loaded somewhere; where it is, it will be used again, so that only the work decides. Families that share a
    vocabulary and its rules stay together.

    Args:
        workers: number of worker processes, at least 1.

    >>> from tokenizers_registry.registry import Registry
    >>> known = Registry()
    >>> asked = {known[name]: 100_000 for name in ("claude_v3", "claude_v47", "o200k_base", "o200k_harmony")}
    >>> Placement(2).share(asked.items(), [0.0, 0.0])
    [['claude_v3'], ['claude_v47', 'o200k_base', 'o200k_harmony']]
    """

    def __init__(self, workers: int) -> None:
        self._loaded: list[set[str]] = [set() for _ in range(workers)]

    def share(self, asked: Iterable[tuple[Family, int]], pending_s: Sequence[float]) -> list[list[str]]:
        """Divide the tokenizers of one request.

        Args:
            asked: each family and the bytes of text it is to count.
            pending_s: seconds of work that each worker has before it.

        Returns:
            For each worker the ids it is to count, the longest work first.
        """
        together: dict[str, list[tuple[Family, int]]] = {}
        for family, size in asked:
            together.setdefault(family.fingerprint, []).append((family, size))
        work_s = {name: sum(seconds(*each) for each in same) for name, same in together.items()}
        done_s = list(pending_s)
        shares: list[list[str]] = [[] for _ in done_s]
        for name in sorted(work_s, key=lambda name: (-work_s[name], name)):
            held = any(name in loaded for loaded in self._loaded)
            copy_s = together[name][0][0].memory_mib / LOADED_MIB_PER_S if held else 0.0
            then_s = [
                before + work_s[name] + (0 if name in loaded else copy_s)
                for before, loaded in zip(done_s, self._loaded, strict=True)
            ]
            chosen = min(range(len(then_s)), key=lambda worker: (then_s[worker], len(self._loaded[worker])))
            done_s[chosen] = then_s[chosen]
            self._loaded[chosen].add(name)
            shares[chosen].extend(family.tokenizer for family, _ in together[name])
        return shares


def seconds(family: Family, size: int) -> float:
    """About how long a family counts `size` bytes of text that it has not seen.

    >>> from tokenizers_registry.registry import Registry
    >>> round(seconds(Registry()["claude_v3"], 100_000), 2)
    0.42
    """
    return size / (family.megabytes_per_s * 1e6)
