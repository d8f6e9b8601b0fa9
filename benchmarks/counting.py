"""How near counting comes to the best schedule of the raw engine calls, and what a text costs that was counted before.

100 kB of text new to every cache go to `POST /tokenize` with every tokenizer that is installed. No schedule on n cores can
beat max(longest call, sum of calls / n), where a call is what the engine alone takes while the other cores are as busy.
Rounds of service and raw calls alternate; each figure is the median over rounds.
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
            again: list[float] = []
            for seed in range(100, 100 + ROUNDS):
                calls_s = raw(kind, TEXT_BYTES, seed)
                best.append(max(*calls_s.values(), sum(calls_s.values()) / cores))
                text = text_of(kind, TEXT_BYTES, seed)
                first.append(_took_s(server, text))
                again.append(min(_took_s(server, text) for _ in range(3)))
            yield f"count_{kind}: {median(first) * 1e3:.0f} ms for 100 kB by every tokenizer, best {median(best) * 1e3:.0f} ms"
            yield f"count_{kind}_ratio: {median(f / b for f, b in zip(first, best, strict=True)):.2f} x"
            yield f"count_{kind}_again: {median(a / f for a, f in zip(again, first, strict=True)) * 100:.2f} % of the first"


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
