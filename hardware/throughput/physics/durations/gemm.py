"""Time of a matrix product: weights read against arithmetic, joined smoothly."""

from __future__ import annotations

import numpy as np

from hardware.throughput.physics.figures import Figures


def gemm_seconds(
    weight_bytes: Figures,
    bytes_per_s: Figures,
    flops: Figures,
    flops_per_s: Figures,
    tokens: Figures,
    half_efficiency_tokens: Figures,
) -> Figures:
    """Seconds: t = √( (bytes/bandwidth)² + (FLOPs/peak · (1 + n_half/n))² ).

    Both rates are what is reached, not what is printed. Small products (n near `half_efficiency_tokens`) fill the units badly.

    >>> float(gemm_seconds(3e12, 1e12, 4e12, 1e12, 100.0, 0.0))
    5.0
    """
    reading = weight_bytes / bytes_per_s
    computing = flops / flops_per_s * (1.0 + half_efficiency_tokens / np.maximum(tokens, 1e-9))
    return np.sqrt(reading**2 + computing**2)
