"""The raw engine calls: a process that counts with every family, one after the other, and says how long each took.

`python -m benchmarks.raw_engines` reads lines `KIND SIZE SEED` and answers each with one JSON object of seconds. As many
run side by side as there are workers, at the workers' priority, so that a call here has as much of a core as one there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.servers import ROOT
from benchmarks.texts import text_of
from tokenizers_registry.loading import LoadedTokenizers
from tokenizers_registry.priority import take_priority
from tokenizers_registry.registry import Registry
from tokenizers_registry.workers import WorkerSettings

Ask = Callable[[str, int, int], dict[str, float]]


@contextmanager
def raw_engines(processes: int) -> Iterator[Ask]:
    """A function from a text to the mean seconds of each family over `processes` that count it at once."""
    with ExitStack() as running:
        children = [
            running.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "benchmarks.raw_engines"],
                    cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                )
            )
            for _ in range(processes)
        ]  # fmt: skip

        def ask(kind: str, size: int, seed: int) -> dict[str, float]:
            for child in children:
                assert child.stdin is not None
                child.stdin.write(f"{kind} {size} {seed}\n")
                child.stdin.flush()
            answers = [json.loads(child.stdout.readline()) for child in children if child.stdout is not None]
            return {name: sum(answer[name] for answer in answers) / processes for name in answers[0]}

        ask("mixed", 1_000, 0)  # load everything
        yield ask
        for child in children:
            assert child.stdin is not None
            child.stdin.close()


def main() -> None:
    """Answer lines until there are no more."""
    take_priority(WorkerSettings().priority)
    registry, loaded = Registry(), LoadedTokenizers(4_096)
    vocabularies = {family.fingerprint: family for family in registry if registry.unavailable_reason(family) is None}
    for line in sys.stdin:
        kind, size, seed = line.split()
        text, took_s = text_of(kind, int(size), int(seed)), {}
        for family in vocabularies.values():
            count = loaded.counter(family)
            began = time.perf_counter()
            count(text)
            took_s[family.tokenizer] = time.perf_counter() - began
        print(json.dumps(took_s), flush=True)


if __name__ == "__main__":
    main()
