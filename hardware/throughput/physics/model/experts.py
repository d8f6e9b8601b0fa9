"""How many experts a step touches."""

from __future__ import annotations

import numpy as np

from hardware.throughput.physics.figures import Figures


def distinct_experts(experts: Figures, per_token: Figures, tokens: Figures) -> Figures:
    """Expected distinct experts of a layer with `tokens` tokens in a step: D(n) = E·(1 − (1 − k/E)^n), at least k.

    Batch 1 reads k, a large batch all E: neither active nor total parameters alone are what is read. 0 without experts.

    >>> round(float(distinct_experts(256.0, 8.0, 64.0)), 4)
    222.4425
    """
    share = per_token / np.maximum(experts, 1.0)
    return np.maximum(experts * (1.0 - (1.0 - share) ** tokens), per_token) + 0.0
