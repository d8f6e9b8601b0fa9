"""Measured rows as anchors: neighbors of a question whose measurements correct its estimate."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hardware.throughput.estimating.features import version_number
from hardware.throughput.measurements.joins import run_key
from hardware.throughput.measurements.row import SAME_ARCHITECTURE, MeasuredRow
from hardware.throughput.physics.figures import Array
from hardware.throughput.question import ThroughputQuestion

#: How a distance of one unit counts: e-folds of concurrency, prompt and output; doublings of ranks and stages; expert ranks and
#: data-parallel attention; a whole engine version.
SCALES: Final = np.array([0.7, 0.7, 0.7, 0.7, 1.0, 0.3, 0.7, 1.0])
#: Distance of another kind of load of the same family.
OTHER_KIND: Final = 3.0
#: How many perfect neighbors the estimate itself is worth.
PRIOR: Final = 2.0
#: Loads whose measurements say something of each other.
FAMILY: Final[Mapping[str, tuple[str, ...]]] = {
    "closed": ("closed",),
    "static": ("static",),
    "queued": ("queued",),
    "dataset": ("dataset", "served"),
    "served": ("dataset", "served"),
    "rate": ("rate",),
    "pools": ("pools",),
}
QUANTITIES: Final = ("throughput", "tpot", "ttft")


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


class Neighbors:
    """Anchors of one architecture, accelerator, engine and precision."""

    def __init__(self, anchors: Sequence[Anchor]) -> None:
        self.anchors = tuple(anchors)
        groups = {anchor.row.group_key: number for number, anchor in enumerate(self.anchors)}
        self.groups = np.array([groups[anchor.row.group_key] for anchor in self.anchors], dtype=np.int64)
        self.places = np.array([anchor.place for anchor in self.anchors], dtype=np.float64)
        self.kinds = np.array([anchor.kind for anchor in self.anchors], dtype=np.str_)
        self.residuals = {
            name: np.array([anchor.residuals.get(name, np.nan) for anchor in self.anchors]) for name in QUANTITIES
        }

        self.corrects = {
            (name, kind)
            for name, each in self.residuals.items()
            for kind, family in FAMILY.items()
            if bool((np.isfinite(each) & np.isin(self.kinds, family)).any())
        }

    def usable(self, excluded: Excluded) -> NDArray[np.bool_]:
        """Which of them may anchor."""
        if excluded == NOTHING:
            return np.ones(len(self.anchors), dtype=np.bool_)
        return np.array(
            [
                anchor.row.group_key not in excluded.groups
                and anchor.run not in excluded.runs
                and anchor.row.row_id not in excluded.rows
                for anchor in self.anchors
            ],
            dtype=np.bool_,
        )

    def correction(self, usable: NDArray[np.bool_], quantity: str, kind: str, places: Array) -> Array:
        """The logarithm that neighbors add to estimates at `places` (m, 8): Σ w·r / (Σ w + PRIOR).

        A group of rows counts as its nearest row, w = exp(−distance), with the weighted mean r of its rows; only rows of the same
        family of loads correct each other.
        """
        found = np.zeros(len(places))
        chosen = usable & np.isfinite(self.residuals[quantity]) & np.isin(self.kinds, FAMILY[kind])
        if not chosen.any():
            return found
        other = (self.kinds[chosen] != kind) * OTHER_KIND
        gaps = np.abs(places[:, np.newaxis, :] - self.places[chosen][np.newaxis, :, :])
        weights = np.exp(-(gaps @ SCALES + other))
        residuals = self.residuals[quantity][chosen]
        groups = self.groups[chosen]
        total = np.full(len(places), PRIOR)
        for group in np.unique(groups):
            of_group = weights[:, groups == group]
            nearest = of_group.max(axis=1)
            mean = (of_group * residuals[groups == group]).sum(axis=1) / np.maximum(of_group.sum(axis=1), 1e-300)
            found += nearest * mean
            total += nearest
        return np.asarray(found / total)


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
    )


def neighborhoods(anchors: Iterable[Anchor]) -> dict[tuple[str, str, str, str], Neighbors]:
    """Anchors by what a question must share with them."""
    found: dict[tuple[str, str, str, str], list[Anchor]] = {}
    for anchor in anchors:
        found.setdefault(key_of_row(anchor.row), []).append(anchor)
    return {key: Neighbors(each) for key, each in found.items()}


def run_of(row: MeasuredRow) -> Hashable:
    """The run of a row, itself where it has none."""
    return run_key(row) or ("row", row.row_id)
