"""Wrong accelerator counts planted in measurements with stated parallelism."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hardware.throughput.question import ThroughputEstimator
from hardware.throughput.trust.distance import estimate_ratio, is_far
from hardware.throughput.trust.measurement import Measurement
from tests.cases.measured import SAMPLE, measured, rows_of

FACTORS: Final = (2, 4, 8, 1 / 2, 1 / 4, 1 / 8)
PLANTED = [
    row
    for row in rows_of(SAMPLE)
    if row["gpu_count"] == "8" and row["parallelism"].startswith("tp8") and row["weight_precision"]
][:50]
"""Rows with stated parallelism, of several sources: 8 accelerators, so that a factor of 8 may be missing."""


def planted(row: dict[str, str], factor: float) -> Measurement:
    """The row with a wrong count: the system's tokens/s stay, what is per accelerator follows the count."""
    right = measured(row)
    count = int((right.conditions.accelerator_count or 0) * factor)
    return replace(
        right,
        conditions=replace(right.conditions, accelerator_count=count),
        value=replace(right.value, per_accelerator=(right.value.tokens_per_s or 0.0) / count),
    )


def caught_by_distance(estimator: ThroughputEstimator) -> dict[float, float]:
    """Share of the rows that are far from their estimate, by factor, parallelism removed; under 1: the right counts."""
    return {
        factor: sum(is_far(estimate_ratio(planted(row, factor), estimator, with_parallelism=False)) for row in PLANTED)
        / len(PLANTED)
        for factor in (1, *FACTORS)
    }
