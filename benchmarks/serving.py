"""CPU of the service against its twin, start, memory.

Requests alternate between service and twin in rounds, and a figure is the median over rounds, so that a neighbour on the
machine disturbs both alike. CPU is user and system time of the whole process tree, workers included.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.servers import RunningServer, permillion, post, twin
from tokenizers_registry.loading import LoadedTokenizers
from tokenizers_registry.registry import Registry

AS_OF = "2026-11-30T12:00:00Z"
OFFERS = {
    "openai/gpt-5.4": "o200k_base",
    "google/gemini-2.5-pro": "gemma3",
    "deepseek/deepseek-v4-pro": "deepseek_v4",
    "moonshot/kimi-k3": "kimi_k2",
    "mistral/mistral-large-2512": "mistral_tekken",
    "groq/qwen/qwen3-32b": "qwen2_qwen3",
    "cerebras/llama-3.3-70b": "llama3",
    "minimax/MiniMax-M2.7": "minimax_m2",
}
TEXT_BYTES = 2_000
ROUNDS, REQUESTS = 7, 1_000
_WORDS = [
    "the",
    "parcel",
    "reached",
    "our",
    "hub",
    "in",
    "Hangzhou",
    "three",
    "days",
    "ago",
    "and",
    "has",
    "not",
    "moved",
    "since",
    "please",
    "check",
    "whether",
    "it",
    "is",
    "lost",
    "invoice",
    "number",
    "order",
    "refund",
    "customer",
    "support",
    "agent",
    "replied",
    "within",
    "hours",
    "tracking",
    "shows",
    "delivery",
    "address",
    "changed",
    "function",
    "return",
    "value",
    "index",
    "total",
    "price",
    "per",
    "unit",
    "quantity",
    "discount",
    "currency",
    "exchange",
    "rate",
    "margin",
    "quarter",
    "report",
]


def text(seed: int) -> str:
    """2,000 bytes of English that no other seed gives."""
    source = random.Random(seed)
    words = [f"#{seed}"]
    while sum(len(word) + 1 for word in words) < TEXT_BYTES:
        words.append(source.choice(_WORDS) if source.random() > 0.05 else str(source.randrange(100_000)))
    return " ".join(words)[:TEXT_BYTES]


def price_body() -> bytes:
    """One row of usage."""
    usage = {"input_tokens": 2_300, "cache_read_tokens": 1_500, "output_tokens": 1_320}
    return json.dumps({"rows": [{"offer": "openai/gpt-6-sol", "as_of": AS_OF, "usage": usage}]}).encode()


def price_many_body(rows: int) -> bytes:
    """Many rows over several offers, with and without cache."""
    source = random.Random(rows)
    names = [*OFFERS, "openai/gpt-6-sol", "anthropic/claude-opus-5"]
    usages = (
        {"input_tokens": source.randrange(1_000, 200_000), "output_tokens": source.randrange(4_000)}
        for _ in range(rows)
    )
    body = [{"offer": names[index % len(names)], "as_of": AS_OF, "usage": usage} for index, usage in enumerate(usages)]
    return json.dumps({"rows": body}).encode()


def compare_body(content: str) -> bytes:
    """8 offers on one text."""
    return json.dumps(
        {
            "text": content,
            "offers": list(OFFERS),
            "as_of": AS_OF,
            "workload": {"output_characters_per_query": 500, "queries_per_month": 1_000_000},
        }
    ).encode()


def measurements() -> Iterator[str]:
    """All figures of serving, as `name: value unit`."""
    with tempfile.TemporaryDirectory() as folder:
        database, answers = Path(folder) / "permillion.sqlite3", Path(folder) / "answers.json"
        with permillion(database) as server:
            yield f"first_start: {server.ready_after_s:.2f} s"
        with permillion(database) as server:
            yield f"start_to_ready: {server.ready_after_s:.2f} s"
            yield f"memory_before_tokenizers: {server.memory_mib():.0f} MiB"
            connection = server.connect()
            canned = {"/price": post(connection, "/price", price_body())}
            canned["/compare"] = post(connection, "/compare", compare_body(text(0)))
            _refuse_errors(canned)
            answers.write_text(json.dumps(canned), encoding="utf-8")
            with twin(answers) as other:
                yield from _ratio("/price", price_body(), server, other).lines("price_one_row")
                yield from _many_rows(server, other)
                counted = _ratio("/compare", compare_body(text(0)), server, other)
                yield from counted.lines("compare_8_offers_counted")
            yield from _new_text(server, counted.ours_us)
            yield f"memory_with_8_tokenizers: {server.memory_mib():.0f} MiB"


def _many_rows(server: RunningServer, other: RunningServer) -> Iterator[str]:
    """10,000 rows in one request, against the twin that reads and writes as many."""
    body = price_many_body(10_000)
    _refuse_errors({"/price": post(server.connect(), "/price", body)})
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(5):
        own, twins = (_cpu_us(target, "/price", [body]) / 10_000 for target in (server, other))
        ours.append(own)
        theirs.append(twins)
    ratio = median(a / b for a, b in zip(ours, theirs, strict=True))
    yield f"price_10000_rows: {median(ours):.1f} us CPU a row"
    yield f"price_10000_rows_twin: {median(theirs):.1f} us CPU a row"
    yield f"price_10000_rows_ratio: {ratio:.2f} x"


def _refuse_errors(answers: dict[str, Any]) -> None:
    for path, answer in answers.items():
        for row in answer["rows"]:
            if row["error_code"] is not None:
                raise RuntimeError(f"{path}: {row['offer']}: {row['error_detail']}")


@dataclass(frozen=True)
class _Ratio:
    ours_us: float
    twin_us: float
    ratio: float

    def lines(self, name: str) -> Iterator[str]:
        yield f"{name}: {self.ours_us:.0f} us CPU"
        yield f"{name}_twin: {self.twin_us:.0f} us CPU"
        yield f"{name}_ratio: {self.ratio:.2f} x"


def _ratio(path: str, body: bytes, server: RunningServer, other: RunningServer) -> _Ratio:
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(ROUNDS + 1):
        own, twins = (_cpu_us(target, path, [body] * REQUESTS) for target in (server, other))
        if number:  # the first round warms up
            ours.append(own)
            theirs.append(twins)
    return _Ratio(median(ours), median(theirs), median(a / b for a, b in zip(ours, theirs, strict=True)))


def _cpu_us(server: RunningServer, path: str, bodies: list[bytes]) -> float:
    connection = server.connect()
    before = server.cpu_s()
    for content in bodies:
        post(connection, path, content)
    return (server.cpu_s() - before) / len(bodies) * 1e6


def _new_text(server: RunningServer, counted_us: float) -> Iterator[str]:
    """A text never seen, by 8 tokenizers, against the raw engine calls for the same texts in this process."""
    loaded, registry = LoadedTokenizers(2_048), Registry()
    engines = [loaded.counter(registry[name]) for name in OFFERS.values()]
    for count in engines:
        count(text(1))
    ours: list[float] = []
    raw: list[float] = []
    for number in range(ROUNDS):
        first = 1_000 * (number + 1)
        contents = [text(first + i) for i in range(50)]
        ours.append(_cpu_us(server, "/compare", [compare_body(content) for content in contents]))
        before = time.process_time()
        for content in contents:
            for count in engines:
                count(content)
        raw.append((time.process_time() - before) / 50 * 1e6)
    yield f"compare_8_offers_new_text: {median(ours):.0f} us CPU"
    yield f"raw_engine_calls: {median(raw):.0f} us CPU"
    ratio = median(a / (b + counted_us) for a, b in zip(ours, raw, strict=True))
    yield f"compare_8_offers_new_text_ratio: {ratio:.2f} x (raw engine calls + counted case)"
