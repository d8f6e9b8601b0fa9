"""Regression trees stored as arrays and read with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.throughput.physics.figures import Array

LEAF = 255


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees of several quantities, node after node in depth-first order: a left child follows its parent.

    Attributes:
        feature: column that a node looks at, `LEAF` at a leaf.
        threshold: a value above it goes right; at a leaf the prediction.
        jump: how many nodes ahead the right child stands.
        roots: first node of every tree of a quantity.
    """

    feature: NDArray[np.uint8]
    threshold: NDArray[np.float32]
    jump: NDArray[np.uint16]
    roots: Mapping[str, NDArray[np.int32]]

    def predict(self, table: Array, quantities: Sequence[str]) -> dict[str, tuple[Array, Array]]:
        """Mean over a quantity's trees and their standard deviation, for each row of `table` (n, features)."""
        known = [name for name in quantities if name in self.roots]
        roots = np.concatenate([self.roots[name] for name in known])
        rows = table.astype(np.float32)
        node = np.tile(roots.astype(np.int64), len(rows))
        row = np.repeat(np.arange(len(rows)), len(roots))
        found = np.empty(len(node), dtype=np.float64)
        active = np.arange(len(node))
        while len(active):
            split = self.feature[node]
            leaf = split == LEAF
            if leaf.any():
                found[active[leaf]] = self.threshold[node[leaf]]
                going = ~leaf
                active, node, row, split = active[going], node[going], row[going], split[going]
            right = rows[row, split] > self.threshold[node]
            node = node + np.where(right, self.jump[node], 1)
        leaves = found.reshape(len(rows), len(roots))
        answers, start = {}, 0
        for name in known:
            of_quantity = leaves[:, start : start + len(self.roots[name])]
            start += len(self.roots[name])
            answers[name] = (of_quantity.mean(axis=1), of_quantity.std(axis=1))
        return answers

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
