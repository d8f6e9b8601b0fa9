"""Figures of a scenario: median absolute error, bias, share within 25 %, coverage; one vote per cell where cells vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from hardware.throughput.scoring.scoring import Outcome
from hardware.throughput.scoring.selecting import BY_CELL


@dataclass(frozen=True, slots=True)
class Figures:
    """How good the estimates of a scenario are.

    Attributes:
        rows: compared rows (sweeps in the limited scenarios); `votes`: cells where cells vote, else rows.
        listed: estimates made, with or without a measured value.
        median_error, bias, within: over votes; by row beside them.
        coverage: share of rows inside the 80 % band; `expected`: what a true 80 % band may show, two standard deviations.
        anchored: rows that a measured row could anchor.
    """

    scenario: str
    rows: int
    votes: int
    listed: int
    refused: int
    median_error: float
    bias: float
    within: float
    coverage: float
    row_median_error: float
    row_bias: float
    row_within: float
    anchored: int


def ratio_of(outcome: Outcome) -> float:
    """Estimate ÷ measured; 0 for a refusal of a row that ran."""
    assert outcome.measured is not None
    return 0.0 if outcome.estimate is None else outcome.estimate / outcome.measured


def figures_of(scenario: str, outcomes: Sequence[Outcome]) -> Figures | None:
    """The figures of one scenario and pass; None without a measured row."""
    measured = [each for each in outcomes if each.scenario == scenario and each.measured is not None]
    if not measured:
        return None
    ratios = [ratio_of(each) for each in measured]
    votes = _cells(measured, ratios) if scenario in BY_CELL else ratios
    covered = sum(
        each.low <= each.measured <= each.high
        for each in measured
        if each.low is not None and each.high is not None and each.measured is not None
    )
    return Figures(
        scenario=scenario,
        rows=len(measured),
        votes=len(votes),
        listed=sum(each.scenario == scenario for each in outcomes),
        refused=sum(each.estimate is None for each in measured),
        median_error=_error(votes),
        bias=median(votes) - 1.0,
        within=_within(votes),
        coverage=covered / len(measured),
        row_median_error=_error(ratios),
        row_bias=median(ratios) - 1.0,
        row_within=_within(ratios),
        anchored=sum(each.method in ("anchored", "measured") for each in measured),
    )


def _cells(outcomes: Sequence[Outcome], ratios: Sequence[float]) -> list[float]:
    cells: dict[str, list[float]] = {}
    for outcome, ratio in zip(outcomes, ratios, strict=True):
        cells.setdefault(outcome.cell, []).append(ratio)
    return [median(each) for each in cells.values()]


def _error(ratios: Sequence[float]) -> float:
    return median(abs(ratio - 1.0) for ratio in ratios)


def _within(ratios: Sequence[float]) -> float:
    return sum(0.75 <= ratio <= 1.25 for ratio in ratios) / len(ratios)
