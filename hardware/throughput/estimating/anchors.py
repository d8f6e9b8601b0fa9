"""Measured rows as anchors: neighbors of a question whose measurements correct its estimate."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hardware.throughput.estimating.features import version_number
from hardware.throughput.measurements.joins import run_key
from hardware.throughput.measurements.row import SAME_ARCHITECTURE, MeasuredRow
from hardware.throughput.physics.figures import Array
from hardware.throughput.question import ThroughputQuestion

#: How a distance of one unit counts: e-folds of concurrency, prompt and output; doublings of ranks and stages; expert ranks and
#: data-parallel attention; a whole engine version; another kind of load.
SCALES: Final = np.array([0.7, 0.7, 0.7, 0.7, 1.0, 0.3, 0.7, 1.0, 3.0])


@dataclass(frozen=True, slots=True)
class Excluded:
    """What may not anchor an estimate that is scored: rows of its groups and runs."""

    groups: frozenset[str] = frozenset()
    runs: frozenset[Hashable] = frozenset()
    rows: frozenset[str] = frozenset()


NOTHING: Final = Excluded()


@dataclass(frozen=True, slots=True)
class Anchor:
    """A measured row with its place among others and the log-residuals measured/estimate it stands for."""

    row: MeasuredRow
    run: Hashable
    kind: str
    place: tuple[float, ...]
    residuals: Mapping[str, float]


@dataclass(slots=True)
class Neighbors:
    """Anchors of one architecture, accelerator, engine and precision."""

    anchors: list[Anchor] = field(default_factory=list)
    places: Array | None = None

    def usable(self, excluded: Excluded) -> list[int]:
        """Which of them may anchor."""
        return [
            number
            for number, anchor in enumerate(self.anchors)
            if anchor.row.group_key not in excluded.groups
            and anchor.run not in excluded.runs
            and anchor.row.row_id not in excluded.rows
        ]


def key_of_row(row: MeasuredRow) -> tuple[str, str, str, str]:
    """What an anchor must share with a question."""
    return (row.architecture, row.hardware, row.engine_family, row.weight_precision or "bf16")


def key_of(question: ThroughputQuestion) -> tuple[str, str, str, str]:
    """What a question must share with its anchors."""
    architecture = SAME_ARCHITECTURE.get(question.architecture.id, question.architecture.id)
    return (architecture, question.accelerator.id, question.engine, question.weight_precision or "bf16")


def place_of(question: ThroughputQuestion, kind: str, clients: float) -> tuple[float, ...]:
    """Where a question stands: logarithms of its load, its shape, its engine's version."""
    shape = question.parallelism
    return (
        math.log(max(clients, 1e-3)) if kind in ("closed", "static", "pools") else 0.0,
        math.log(question.isl_tokens),
        math.log(question.osl_tokens),
        math.log2(shape.tensor) if shape else 0.0,
        math.log2(shape.pipeline) if shape else 0.0,
        float(shape is not None and shape.expert > 1),
        float(shape is not None and shape.attention_data),
        max(version_number(question.engine_version), 0.0),
        0.0,
    )


def neighborhoods(anchors: Iterable[Anchor]) -> dict[tuple[str, str, str, str], Neighbors]:
    """Anchors by what a question must share with them."""
    found: dict[tuple[str, str, str, str], Neighbors] = {}
    for anchor in anchors:
        found.setdefault(key_of_row(anchor.row), Neighbors()).anchors.append(anchor)
    for neighbors in found.values():
        neighbors.places = np.array([anchor.place for anchor in neighbors.anchors])
    return found


def correction(
    neighbors: Neighbors, usable: Sequence[int], quantity: str, kind: str, place: Sequence[float], prior: float
) -> float:
    """The logarithm that neighbors add to an estimate: Σ w·r / (Σ w + prior), w = exp(−distance).

    `prior` is how many perfect neighbors the estimate itself is worth.
    """
    assert neighbors.places is not None
    chosen = [number for number in usable if quantity in neighbors.anchors[number].residuals]
    if not chosen:
        return 0.0
    gaps = np.abs(neighbors.places[chosen] - np.array(place))
    gaps[:, -1] = [float(neighbors.anchors[number].kind != kind) for number in chosen]
    weights = np.exp(-(gaps * SCALES).sum(axis=1))
    residuals = np.array([neighbors.anchors[number].residuals[quantity] for number in chosen])
    return float((weights * residuals).sum() / (weights.sum() + prior))


def run_of(row: MeasuredRow) -> Hashable:
    """The run of a row, itself where it has none."""
    return run_key(row) or ("row", row.row_id)
