"""Kernel regression on few points: how MLPerf's small cells correct physics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.throughput.physics.figures import Array


@dataclass(frozen=True, slots=True)
class Kernel:
    """Ridge regression with a Laplacian kernel exp(−γ·Σ|x − x_i|) on standardized features.

    Attributes:
        center, scale: of each feature; `points` standardized (n, features); `weights` (n,); `offset` the mean that is added.
        noise: standard deviation of its errors on rows it had not seen.
    """

    center: Array
    scale: Array
    points: Array
    weights: Array
    gamma: float
    offset: float
    noise: float

    def predict(self, table: Array) -> tuple[Array, Array]:
        """Prediction for each row of (n, features) and its standard deviation: the noise, wider far from every point."""
        asked = (table - self.center) / self.scale
        distance = np.abs(asked[:, np.newaxis, :] - self.points[np.newaxis, :, :]).sum(axis=2)
        near = np.exp(-self.gamma * distance)
        return near @ self.weights + self.offset, self.noise * (1.0 + 0.5 * (1.0 - near.max(axis=1)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is stored."""
        return {
            "center": self.center,
            "scale": self.scale,
            "points": self.points.astype(np.float32),
            "weights": self.weights,
            "figures": np.array([self.gamma, self.offset, self.noise]),
        }


def kernel_from(arrays: Mapping[str, NDArray[Any]]) -> Kernel:
    """The kernel of stored arrays."""
    gamma, offset, noise = (float(figure) for figure in arrays["figures"])
    return Kernel(
        arrays["center"], arrays["scale"], arrays["points"].astype(np.float64), arrays["weights"], gamma, offset, noise
    )
