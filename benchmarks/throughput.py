"""Estimating throughput inside one process: one question, and a thousand in one request."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from economics.errors import PermillionError
from hardware.throughput.measurements.counting import counting
from hardware.throughput.measurements.reading import shipped_measurements
from hardware.throughput.plugins import shipped_estimator
from hardware.throughput.question import ThroughputQuestion
from hardware.throughput.stored import question_of

MANY, SINGLE = 1_000, 100


def measurements() -> Iterator[str]:
    """All figures, as `name: value unit`."""
    started = time.perf_counter()
    shipped_estimator()
    yield f"load_estimator_and_anchors: {time.perf_counter() - started:.2f} s"
    stated = _questions()
    limited = [replace(question, concurrency=None, tpot_limit_ms=30.0) for question in stated]
    for name, questions in (("", stated), ("_at_a_tpot_limit", limited)):
        yield f"one_estimate{name}: {_one(questions[:SINGLE]):.2f} ms"
        started = time.perf_counter()
        shipped_estimator().estimate_many(questions)
        yield f"thousand_estimates{name}: {time.perf_counter() - started:.2f} s"


def _questions() -> list[ThroughputQuestion]:
    """Closed-loop configurations that were measured, with prompts that were not: nothing is looked up."""
    rows = [
        row
        for row in counting(shipped_measurements())
        if row.scenario.startswith("closed-loop") and row.serving_mode == "agg" and row.concurrency is not None
    ]
    return [
        replace(each, isl_tokens=each.isl_tokens * 1.1)
        for each in (question_of(row, "closed_loop") for row in rows[:MANY])
    ]


def _one(questions: list[ThroughputQuestion]) -> float:
    """Median milliseconds of one estimate."""
    estimator = shipped_estimator()
    times = []
    for question in questions:
        started = time.perf_counter()
        try:
            estimator.estimate(question)
        except PermillionError:
            continue
        times.append((time.perf_counter() - started) * 1e3)
    return median(times)
