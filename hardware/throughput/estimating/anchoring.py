"""Measured rows behind estimates: which of them answer a question, and what the others add."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from economics.errors import PermillionError
from hardware.throughput.estimating.anchors import (
    QUANTITIES,
    Anchor,
    Excluded,
    Neighbors,
    key_of,
    neighborhoods,
    place_of,
    run_of,
)
from hardware.throughput.estimating.evaluating import evaluate
from hardware.throughput.estimating.planning import plans
from hardware.throughput.estimating.points import Points, kind_of, physics_points
from hardware.throughput.estimating.residuals.learned import Learned
from hardware.throughput.measurements.counting import conditions_count
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.physics.figures import Array
from hardware.throughput.question import ThroughputQuestion
from hardware.throughput.stored import stored_question

#: Relative difference up to which two loads are one.
SAME = 0.005


class Anchoring:
    """Measured rows, by what a question must share with them."""

    def __init__(self, learned: Learned, measured: Iterable[MeasuredRow]) -> None:
        self.learned = learned
        self.neighborhoods = neighborhoods(self._anchors([row for row in measured if conditions_count(row)]))

    def _anchors(self, rows: Sequence[MeasuredRow]) -> list[Anchor]:
        asked: list[tuple[MeasuredRow, ThroughputQuestion]] = []
        for row in rows:
            try:
                asked.append((row, stored_question(row)))
            except PermillionError:
                continue
        anchors: list[Anchor] = []
        fresh: list[Anchor] = []
        for row, question in asked:
            try:
                plan = plans(question, self.learned.constants)[0]
            except PermillionError:
                continue
            clients = (question.concurrency or 1.0) / plan.replicas
            kind = kind_of(plan)
            known = {
                name: by_row[row.row_id] for name, by_row in self.learned.residuals.items() if row.row_id in by_row
            }
            anchor = Anchor(row, run_of(row), kind, place_of(question, kind, clients), known)
            (anchors if row.row_id in self.learned.fitted_rows else fresh).append(anchor)
        return anchors + self._measured_against_estimates(fresh)

    def _measured_against_estimates(self, fresh: Sequence[Anchor]) -> list[Anchor]:
        """Anchors that no fit has seen: their residual is what they measured over what is estimated."""
        if not fresh:
            return []
        chosen = [plans(stored_question(anchor.row), self.learned.constants)[0] for anchor in fresh]
        points = physics_points(chosen, self.learned.constants)
        values = evaluate(points, self.learned).values
        found = []
        for place, anchor in enumerate(fresh):
            accelerators = float(chosen[place].deployment.accelerators)
            measured = measured_of(anchor.row, accelerators)
            residuals = {
                name: math.log(figure / float(values[name][place, 0]))
                for name, figure in measured.items()
                if figure is not None and float(values[name][place, 0]) > 0
            }
            found.append(replace(anchor, residuals=residuals))
        return found

    def neighbors_of(
        self, question: ThroughputQuestion, excluded: Excluded
    ) -> tuple[Neighbors, NDArray[np.bool_]] | None:
        """Rows that share architecture, accelerator, engine and precision, and which of them may be used; None without any."""
        neighbors = self.neighborhoods.get(key_of(question))
        if neighbors is None:
            return None
        usable = neighbors.usable(excluded)
        return (neighbors, usable) if usable.any() else None

    def corrections(self, points: Points, quantity: str, without: Sequence[Excluded]) -> Array:
        """Log-corrections of a quantity at operating points, shape (n, m)."""
        found = np.zeros(points.clients.shape)
        for number, plan in enumerate(points.plans):
            kind = points.kinds[number]
            every = self.neighborhoods.get(key_of(plan.question))
            if every is None or (quantity, kind) not in every.corrects:
                continue
            near = self.neighbors_of(plan.question, without[number])
            if near is None:
                continue
            neighbors, usable = near
            question = replace(plan.question, parallelism=plan.shape)
            places = np.array([place_of(question, kind, float(clients)) for clients in points.clients[number]])
            found[number] = neighbors.correction(usable, quantity, kind, places)
        return found

    def same(
        self, question: ThroughputQuestion, kind: str, neighbors: Neighbors, usable: NDArray[np.bool_]
    ) -> list[MeasuredRow]:
        """Rows that measured exactly what is asked: the same shape, lengths, load and, where both say it, engine version."""
        return [
            anchor.row
            for anchor, used in zip(neighbors.anchors, usable, strict=True)
            if used and anchor.kind == kind and _same(question, anchor.row)
        ]


def measured_of(row: MeasuredRow, accelerators: float) -> dict[str, float | None]:
    """What a row measured, in the estimator's units: tokens a second of a replica, seconds."""
    output = row.output_tok_s_per_gpu
    return {
        "throughput": output * accelerators if output is not None else None,
        "tpot": row.tpot_ms / 1e3 if row.tpot_ms is not None else None,
        "ttft": row.ttft_ms / 1e3 if row.ttft_ms is not None else None,
    }


def median_measured(rows: Sequence[MeasuredRow], accelerators: float) -> dict[str, float]:
    """Medians over rows that measured the same."""
    found = {}
    for name in QUANTITIES:
        figures = [each for row in rows if (each := measured_of(row, accelerators)[name]) is not None]
        if figures:
            found[name] = median(figures)
    return found


def _same(question: ThroughputQuestion, row: MeasuredRow) -> bool:
    pairs = (
        (question.concurrency, row.concurrency),
        (question.isl_tokens, row.isl_mean),
        (question.osl_tokens, row.osl_mean),
        (float(question.accelerator_count), row.gpu_count),
    )
    if not all(_equal(asked, stored) for asked, stored in pairs):
        return False
    if question.p99_limits and row.p99_limits_ms != (question.ttft_limit_ms, question.tpot_limit_ms):
        return False
    versions = (question.engine_version, row.engine_version)
    if all(versions) and versions[0] != versions[1]:
        return False
    return question.parallelism is not None and question.parallelism == row.parallelism


def _equal(asked: float | None, stored: float | None) -> bool:
    if asked is None or stored is None:
        return asked is stored
    return abs(asked - stored) <= SAME * stored
