"""Residuals that physics leaves, learned: trees where rows are many, a kernel where they are few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hardware.throughput.estimating.features import features
from hardware.throughput.estimating.points import physics_points
from hardware.throughput.estimating.residuals.forest import LEAF, Forest
from hardware.throughput.estimating.residuals.kernel import Kernel
from hardware.throughput.fitting.constants_fit import measured, predicted
from hardware.throughput.fitting.examples import Examples
from hardware.throughput.fitting.extra import needs_extra
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.figures import Array

#: Scenarios that teach the trees of each quantity.
TAUGHT: Final = {
    "throughput": ("closed_loop", "static_batch", "offline_max"),
    "tpot": ("closed_loop_tpot", "disagg_tpot"),
    "ttft": ("closed_loop_ttft",),
}
#: Scenarios, quantity, ridge and γ of each kernel.
KERNELS: Final = {
    "served": (("mlperf_offline", "mlperf_server", "mlperf_interactive"), "throughput", 0.03, 0.01),
    "poisson_ttft": (("poisson_ttft",), "ttft", 0.3, 0.01),
}
TREES: Final = 48
FEATURE_SHARE: Final = 0.4


def table_of(examples: Examples, quantity: str, constants: Constants) -> tuple[Array, Array]:
    """Features and log-residuals measured/physics of examples."""
    points = physics_points(examples.plans, constants)
    return features(points), np.log(measured(examples, quantity) / predicted(examples, quantity, constants))


def fit_forest(examples: Mapping[str, Examples], constants: Constants, seed: int = 0) -> Forest:
    """Extremely randomized trees of each quantity, as arrays."""
    ensemble = needs_extra("sklearn.ensemble")
    parts: list[tuple[Array, Array, Array]] = []
    roots: dict[str, NDArray[np.int32]] = {}
    nodes = 0
    for quantity, scenarios in TAUGHT.items():
        tables = [table_of(examples[name], quantity, constants) for name in scenarios if name in examples]
        model = ensemble.ExtraTreesRegressor(TREES, max_features=FEATURE_SHARE, random_state=seed)
        model.fit(
            np.concatenate([table for table, _ in tables]).astype(np.float32),
            np.concatenate([residuals for _, residuals in tables]),
        )
        starts = []
        for tree in model.estimators_:
            starts.append(nodes)
            parts.append(_arrays(tree.tree_))
            nodes += len(parts[-1][0])
        roots[quantity] = np.array(starts, dtype=np.int32)
    return Forest(
        feature=np.concatenate([part[0] for part in parts]).astype(np.uint8),
        threshold=np.concatenate([part[1] for part in parts]).astype(np.float32),
        jump=np.concatenate([part[2] for part in parts]).astype(np.uint16),
        roots=roots,
    )


def _arrays(tree: Any) -> tuple[Array, Array, Array]:
    """Feature, threshold or value, and jump to the right child, of nodes in depth-first order."""
    leaf = tree.children_left < 0
    number = np.arange(tree.node_count)
    assert bool(np.all(tree.children_left[~leaf] == number[~leaf] + 1)), "nodes stand in depth-first order"
    feature = np.where(leaf, LEAF, tree.feature)
    threshold = np.where(leaf, tree.value[:, 0, 0], tree.threshold)
    return feature, threshold, np.where(leaf, 0, tree.children_right - number)


def fit_kernels(examples: Mapping[str, Examples], constants: Constants) -> dict[str, Kernel]:
    """The kernels of scenarios with few rows; a cell's rows share its weight."""
    found = {}
    for name, (scenarios, quantity, ridge, gamma) in KERNELS.items():
        chosen = [examples[scenario] for scenario in scenarios if scenario in examples]
        if not chosen:
            continue
        tables = [table_of(each, quantity, constants) for each in chosen]
        cells = [f"{each.scenario}:{row.group_key}" for each in chosen for row in each.rows]
        found[name] = fit_kernel(
            np.concatenate([table for table, _ in tables]),
            np.concatenate([residuals for _, residuals in tables]),
            cells,
            ridge,
            gamma,
        )
    return found


def fit_kernel(table: Array, residuals: Array, cells: list[str], ridge: float, gamma: float) -> Kernel:
    """Weighted kernel ridge regression, rows of a cell weighing 1/√n each; noise from leaving each cell out."""
    center, scale = table.mean(axis=0), table.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    points = ((table - center) / scale).astype(np.float32).astype(np.float64)
    sizes = {cell: cells.count(cell) for cell in cells}
    penalty = ridge * np.sqrt(np.array([sizes[cell] for cell in cells], dtype=np.float64))
    near = np.exp(-gamma * np.abs(points[:, np.newaxis, :] - points[np.newaxis, :, :]).sum(axis=2))
    offset = float(np.median(residuals))
    weights = np.linalg.solve(near + np.diag(penalty), residuals - offset)
    names = np.array(cells)
    left = []
    for cell in sizes:
        out = names == cell
        kept = ~out
        if kept.sum() < 2:
            continue
        inner = np.linalg.solve(near[np.ix_(kept, kept)] + np.diag(penalty[kept]), residuals[kept] - offset)
        left += list(residuals[out] - offset - near[np.ix_(out, kept)] @ inner)
    noise = float(np.sqrt(np.mean(np.square(left)))) if left else 0.5
    return Kernel(center, scale, points, weights, gamma, offset, noise)
