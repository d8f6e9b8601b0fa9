"""Asking an estimator for the rows of a file and comparing, as sections 4 to 7 of the data file's description say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from economics.errors import PermillionError
from hardware.throughput.estimating.anchors import Excluded, run_of
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.question import ThroughputEstimate, ThroughputQuestion
from hardware.throughput.scoring.selecting import ROW_SCENARIOS, SWEEP_SCENARIOS, Sweep, asked_rows, sweeps
from hardware.throughput.stored import question_of

TPOT_LIMIT_MS = 30.0


class Estimating(Protocol):
    """An estimator that leaves out rows."""

    def estimate_many(
        self, questions: Sequence[ThroughputQuestion], excluded: Sequence[Excluded] | None = None
    ) -> Sequence[ThroughputEstimate | PermillionError]:
        """The answers in order."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One estimate beside what was measured.

    Attributes:
        row_id: of the row, or the group_key of a sweep.
        estimate, low, high: None where refused.
        refusal: slug of the refusal.
    """

    row_id: str
    scenario: str
    cell: str
    method: str
    estimate: float | None
    low: float | None
    high: float | None
    measured: float | None
    refusal: str


def outcomes(estimator: Estimating, rows: Sequence[MeasuredRow], scenarios: Iterable[str]) -> list[Outcome]:
    """An outcome per row of each scenario (per group in the sweeps), in file order."""
    found: list[Outcome] = []
    for scenario in scenarios:
        if scenario in ROW_SCENARIOS:
            found += _row_outcomes(estimator, rows, scenario)
    wanted = [scenario for scenario in scenarios if scenario in SWEEP_SCENARIOS]
    if wanted:
        found += _sweep_outcomes(estimator, sweeps(rows, TPOT_LIMIT_MS), wanted)
    return found


def excluded_for(rows: Iterable[MeasuredRow]) -> Excluded:
    """What may not anchor these rows: themselves, their runs and their groups."""
    rows = list(rows)
    return Excluded(
        groups=frozenset(row.group_key for row in rows),
        runs=frozenset(run_of(row) for row in rows),
        rows=frozenset(row.row_id for row in rows),
    )


def _answers(
    estimator: Estimating, asked: Sequence[tuple[MeasuredRow, Excluded]], scenario: str, limit_ms: float | None
) -> list[ThroughputEstimate | PermillionError]:
    answers: dict[int, ThroughputEstimate | PermillionError] = {}
    questions, places, without = [], [], []
    for place, (row, excluded) in enumerate(asked):
        try:
            questions.append(question_of(row, scenario, limit_ms))
        except PermillionError as refusal:
            answers[place] = refusal
            continue
        places.append(place)
        without.append(excluded)
    answers |= dict(zip(places, estimator.estimate_many(questions, without), strict=True))
    return [answers[place] for place in range(len(asked))]


def _row_outcomes(estimator: Estimating, rows: Sequence[MeasuredRow], scenario: str) -> list[Outcome]:
    asked = asked_rows(scenario, rows)
    answers = _answers(estimator, [(each.row, excluded_for([each.row])) for each in asked], scenario, None)
    return [
        _outcome(each.row.row_id, scenario, each.row.group_key, each.row.gpu_count, answer, each.measured)
        for each, answer in zip(asked, answers, strict=True)
    ]


def _sweep_outcomes(estimator: Estimating, found: Sequence[Sweep], scenarios: Sequence[str]) -> list[Outcome]:
    asked = [(sweep.rows[0], excluded_for(sweep.rows)) for sweep in found]
    answers = _answers(estimator, asked, "tpot_limited", TPOT_LIMIT_MS)
    outcomes = []
    for scenario in scenarios:
        for sweep, answer in zip(found, answers, strict=True):
            measured = sweep.concurrency if scenario.endswith("concurrency") else sweep.throughput
            key = sweep.group_key
            outcomes.append(_outcome(key, scenario, key, sweep.rows[0].gpu_count, answer, measured))
    return outcomes


def _outcome(
    row_id: str,
    scenario: str,
    cell: str,
    gpu_count: float | None,
    answer: ThroughputEstimate | PermillionError,
    measured: float | None,
) -> Outcome:
    if isinstance(answer, PermillionError):
        return Outcome(row_id, scenario, cell, "refused", None, None, None, measured, answer.slug)
    if scenario.endswith("ttft"):
        figure, unit = answer.ttft_ms, 1.0
    elif scenario.endswith("tpot"):
        figure, unit = answer.tpot_ms, 1.0
    elif scenario.endswith("concurrency"):
        figure, unit = answer.concurrency_range, 1.0
    else:
        figure, unit = answer.output_tokens_per_s, 1.0 / (gpu_count or 1.0)
    assert figure is not None, "a scored scenario has the figure that it compares"
    return Outcome(
        row_id, scenario, cell, answer.method, figure.value * unit, figure.low * unit, figure.high * unit, measured, ""
    )
