"""Time that accelerators of a replica spend telling each other."""

from __future__ import annotations

import numpy as np

from hardware.throughput.physics.figures import Figures


def all_reduce_seconds(
    ranks: Figures, payload_bytes: Figures, link_bytes_per_s: Figures, latency_s: Figures
) -> Figures:
    """One all-reduce: α·log2(ranks) + 2·(ranks − 1)/ranks · bytes / link; nothing for one rank.

    >>> float(all_reduce_seconds(2.0, 1e9, 1e9, 0.0)), float(all_reduce_seconds(1.0, 1e9, 1e9, 1.0))
    (1.0, 0.0)
    """
    return latency_s * np.log2(ranks) + 2.0 * (ranks - 1.0) / ranks * payload_bytes / link_bytes_per_s


def all_to_all_seconds(
    ranks: Figures, payload_bytes: Figures, link_bytes_per_s: Figures, latency_s: Figures
) -> Figures:
    """One all-to-all: what leaves the rank, (ranks − 1)/ranks of the payload, over the link.

    >>> float(all_to_all_seconds(4.0, 4e9, 1e9, 0.0))
    3.0
    """
    return latency_s * np.log2(ranks) + (ranks - 1.0) / ranks * payload_bytes / link_bytes_per_s


def expert_parallel_floor_ms(
    batch: float,
    destinations: int,
    hidden: int,
    bytes_per_element: float,
    link_gb_per_s: float,
    layers: int,
    passes: int,
) -> float:
    """Least TPOT in ms of expert parallelism: one dispatch (FP8) and combine (BF16) a layer, in `passes` micro-batches.

    batch · destinations · hidden · bytes / link · layers · passes. Published for DeepSeek-V3 on 400 Gb/s InfiniBand: 120.96 µs an
    all-to-all, 14.76 ms a token ("Insights into DeepSeek-V3", ISCA 2025); 0.82 ms on NVL72.

    >>> round(expert_parallel_floor_ms(32, 9, 7000, 3, 50, 61, 2), 2)
    14.76
    """
    return batch * destinations * hidden * bytes_per_element / (link_gb_per_s * 1e9) * layers * passes * 1e3
