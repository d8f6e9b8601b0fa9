"""Measured rows as examples: a plan, what was measured, and the group that must stay together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from economics.errors import PermillionError
from hardware.throughput.estimating.planning import Plan, plans
from hardware.throughput.estimating.points import physics_points
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.physics.constants import Constants
from hardware.throughput.scoring.selecting import ROW_SCENARIOS, asked_rows
from hardware.throughput.stored import question_of


@dataclass(frozen=True, slots=True)
class Examples:
    """Rows of one scenario that physics can run, each with its plan and measured value in the file's unit."""

    scenario: str
    rows: tuple[MeasuredRow, ...]
    plans: tuple[Plan, ...]
    measured: tuple[float, ...]


def examples_of(rows: Sequence[MeasuredRow], constants: Constants) -> dict[str, Examples]:
    """Examples of every scenario, rows without a measured value and rows that are refused left out."""
    found = {}
    for scenario in ROW_SCENARIOS:
        kept: list[tuple[MeasuredRow, Plan, float]] = []
        for asked in asked_rows(scenario, rows):
            if asked.measured is None:
                continue
            try:
                candidates = plans(question_of(asked.row, scenario), constants)
            except PermillionError:
                continue
            kept.append((asked.row, _best(candidates, constants), asked.measured))
        if kept:
            found[scenario] = Examples(scenario, *(tuple(each) for each in zip(*kept, strict=True)))
    return found


def _best(candidates: Sequence[Plan], constants: Constants) -> Plan:
    if len(candidates) == 1:
        return candidates[0]
    points = physics_points(candidates, constants)
    rates = np.asarray(points.operation.saturated_per_s / points.deployment.accelerators)[:, 0]
    return candidates[int(np.argmax(rates))]
