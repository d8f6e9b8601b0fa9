"""Regression trees stored as arrays and read with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.throughput.physics.figures import Array

LEAF = 255
#: Steps down the trees before those that have arrived are put aside.
STRIDE = 5


class Forest:
    """Regression trees.

    Attributes:
        feature: column that a node looks at, `LEAF` at a leaf.
        threshold: a value above it goes right; at a leaf the prediction.
        jump: how many nodes ahead the right child stands.
        roots: first node of every tree of a quantity.
    """

    def __init__(
        self,
        feature: NDArray[np.uint8],
        threshold: NDArray[np.float32],
        jump: NDArray[np.uint16],
        roots: Mapping[str, NDArray[np.int32]],
    ) -> None:
        self.feature, self.threshold, self.jump, self.roots = feature, threshold, jump, roots
        # A leaf looks at column 0 and stays where it is: rows that have arrived cost a step, but no bookkeeping.
        self._leaf = feature == LEAF
        self._column = np.where(self._leaf, 0, feature).astype(np.int64)
        number = np.arange(len(feature))
        right = np.where(self._leaf, number, number + jump)
        # Left and right child of node i stand at 2·i and 2·i + 1: one look-up a step.
        self._next = np.stack([np.where(self._leaf, number, number + 1), right], axis=1).ravel()

    def predict(self, table: Array, quantities: Sequence[str]) -> dict[str, tuple[Array, Array]]:
        """Mean over a quantity's trees and their standard deviation, for each row of `table` (n, features)."""
        known = [name for name in quantities if name in self.roots]
        roots = np.concatenate([self.roots[name] for name in known]).astype(np.int64)
        values = table.astype(np.float32).ravel()
        starts = np.repeat(np.arange(len(table)) * table.shape[1], len(roots))
        leaves = self._leaves(np.tile(roots, len(table)), values, starts).reshape(len(table), len(roots))
        answers, start = {}, 0
        for name in known:
            of_quantity = leaves[:, start : start + len(self.roots[name])]
            start += len(self.roots[name])
            mean = of_quantity.mean(axis=1)
            spread = np.sqrt(np.maximum(np.square(of_quantity).mean(axis=1) - np.square(mean), 0.0))
            answers[name] = (mean, spread)
        return answers

    def _leaves(self, node: NDArray[np.int64], values: NDArray[np.float32], starts: NDArray[np.int64]) -> Array:
        """What stands at the leaves that are reached from `node` with the row of values at `starts`."""
        found = np.empty(len(node), dtype=np.float64)
        active = np.arange(len(node))
        while len(active):
            for _ in range(STRIDE):
                right = values.take(starts + self._column.take(node)) > self.threshold.take(node)
                node = self._next.take(2 * node + right)
            arrived = self._leaf.take(node)
            found[active[arrived]] = self.threshold[node[arrived]]
            going = ~arrived
            active, node, starts = active[going], node[going], starts[going]
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is stored."""
        return {
            "feature": self.feature,
            "threshold": self.threshold,
            "jump": self.jump,
            **{f"roots_{name}": roots for name, roots in self.roots.items()},
        }


def forest_from(arrays: Mapping[str, NDArray[Any]]) -> Forest:
    """The forest of stored arrays."""
    roots = {name.removeprefix("roots_"): each for name, each in arrays.items() if name.startswith("roots_")}
    return Forest(arrays["feature"], arrays["threshold"], arrays["jump"], roots)
