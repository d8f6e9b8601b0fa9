"""Disaggregated serving: prefill and decode on accelerators of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hardware.throughput.physics.figures import Figures


@dataclass(frozen=True, slots=True)
class Pools:
    """Whole workers of both pools for a stated load, and what the cluster then does.

    Attributes:
        output_per_s_per_accelerator: of the whole cluster: never to be confused with the decode pool's own figure beside it.
    """

    prefill_accelerators: int
    decode_accelerators: int
    output_per_s_per_accelerator: float
    decode_pool_output_per_s_per_accelerator: float


def sized_pools(
    requests_per_s: float,
    prompt_tokens: float,
    output_tokens: float,
    prefill_rate: float,
    decode_rate: float,
    prefill_worker: int = 1,
    decode_worker: int = 1,
) -> Pools:
    """Pools for R requests a second: n_p = R·S/r_p, n_d = R·O/r_d, rates in tokens a second and accelerator, whole workers.

    DeepSeek's published day: 608 B prompt and 168 B output tokens at 73.7k and 14.8k a node are 95.5 + 131.4 = 226.9 nodes (226.75
    published). In whole nodes:

    >>> pools = sized_pools(1 / 86400, 608e9, 168e9, 73700, 14800)
    >>> pools.prefill_accelerators, pools.decode_accelerators
    (96, 132)
    """
    prefill = _whole(requests_per_s * prompt_tokens / prefill_rate, prefill_worker)
    decode = _whole(requests_per_s * output_tokens / decode_rate, decode_worker)
    output = requests_per_s * output_tokens
    return Pools(prefill, decode, output / (prefill + decode), output / decode)


def _whole(accelerators: float, worker: int) -> int:
    return max(math.ceil(accelerators / worker - 1e-9), 1) * worker


def transfer_seconds(context: Figures, kv_bytes_per_token: Figures, link_bytes_per_s: Figures) -> Figures:
    """Seconds to hand a prompt's keys and values from prefill to decode: tokens · bytes / link; part of TTFT.

    >>> transfer_seconds(8192.0, 70272.0, 50e9)
    0.01151336448
    """
    return context * kv_bytes_per_token / link_bytes_per_s


def closed_loop_pools(
    clients: Figures, prefill_s: Figures, decode_s: Figures, prefill_workers: Figures
) -> tuple[Figures, Figures]:
    """TTFT and requests in decode of a closed loop: a request is prefilled, queued for that if need be, then decoded.

    The prefill pool serves `prefill_workers / prefill_s` requests a second; clients·prefill_s/workers − decode_s is what a request
    then spends before decoding, one prefill at least.

    >>> ttft, decoding = closed_loop_pools(10.0, 1.0, 9.0, 1.0)
    >>> float(ttft), float(decoding)
    (1.0, 9.0)
    """
    ttft = np.maximum(prefill_s, clients * prefill_s / prefill_workers - decode_s)
    return ttft, clients * decode_s / (ttft + decode_s)
