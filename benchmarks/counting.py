"""How near counting comes to the best schedule of the raw engine calls, and what a text costs that was counted before.

100 kB of text new to every cache go to `POST /tokenize` with every tokenizer that is installed. A call is what the engine
alone takes while the other cores are as busy, and cannot be divided: on two cores the best schedule is the most even of all
divisions of the calls, found exactly; on more, none can beat max(longest call, sum of calls / cores). The latter is given
beside it in both cases. Rounds of service and raw calls alternate; each figure is the median over rounds.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.raw_engines import raw_engines
from benchmarks.servers import RunningServer, permillion, post
from benchmarks.texts import text_of
from tokenizers_registry.registry import Registry
from tokenizers_registry.workers import WorkerSettings

TEXT_BYTES, ROUNDS = 100_000, 7
KINDS = ("english", "chinese", "mixed")


def measurements() -> Iterator[str]:
    """All figures of counting, as `name: value unit`."""
    cores = WorkerSettings().workers
    with (
        tempfile.TemporaryDirectory() as folder,
        permillion(Path(folder) / "permillion.sqlite3") as server,
        raw_engines(cores) as raw,
    ):
        for seed in (1, 2):
            _took_s(server, text_of("mixed", TEXT_BYTES, seed))  # vocabularies find their workers
        for kind in KINDS:
            first: list[float] = []
            best: list[float] = []
            bound: list[float] = []
            again: list[float] = []
            for seed in range(100, 100 + ROUNDS):
                calls_s = raw(kind, TEXT_BYTES, seed)
                best.append(best_schedule_s(list(calls_s.values()), cores))
                bound.append(max(*calls_s.values(), sum(calls_s.values()) / cores))
                text = text_of(kind, TEXT_BYTES, seed)
                first.append(_took_s(server, text))
                again.append(min(_took_s(server, text) for _ in range(3)))
            yield f"count_{kind}: {median(first) * 1e3:.0f} ms for 100 kB by every tokenizer, best {median(best) * 1e3:.0f} ms"
            yield f"count_{kind}_ratio: {median(f / b for f, b in zip(first, best, strict=True)):.2f} x"
            yield f"count_{kind}_ratio_to_even_division: {median(f / b for f, b in zip(first, bound, strict=True)):.2f} x"
            yield f"count_{kind}_again: {median(a / f for a, f in zip(again, first, strict=True)) * 100:.2f} % of the first"


def best_schedule_s(calls_s: list[float], cores: int) -> float:
    """The least time in which `cores` can make the calls: exact on two (every reachable sum, in microseconds), else a bound.

    >>> round(best_schedule_s([0.3, 0.2, 0.2], 2), 6), best_schedule_s([0.3, 0.2, 0.1], 3)
    (0.4, 0.3)
    """
    even = max(*calls_s, sum(calls_s) / cores)
    if cores != 2:
        return even
    calls_us = [round(call * 1e6) for call in calls_s]
    reachable = 1  # bit n: some of the calls take n microseconds together
    for call_us in calls_us:
        reachable |= reachable << call_us
    half = (sum(calls_us) + 1) // 2
    return (half + next(more for more in range(half + 1) if reachable >> (half + more) & 1)) / 1e6


def _took_s(server: RunningServer, text: str) -> float:
    registry = Registry()
    tokenizers = [family.tokenizer for family in registry if registry.unavailable_reason(family) is None]
    body = json.dumps({"texts": [{"text": text}], "tokenizers": tokenizers}, ensure_ascii=False).encode()
    connection = server.connect()
    began = time.perf_counter()
    rows = post(connection, "/tokenize", body)["rows"]
    took_s = time.perf_counter() - began
    for row in rows:
        if row["error_code"] is not None:
            raise RuntimeError(f"{row['tokenizer']}: {row['error_detail']}")
    return took_s
