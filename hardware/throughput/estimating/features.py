"""What the learned residual sees of an operating point: ratios and shares that physics computes, and the configuration."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from hardware.throughput.estimating.points import KINDS, Points, column
from hardware.throughput.physics.figures import Array
from hardware.throughput.physics.precision import FOUR_BIT, SIXTEEN_BIT

ENGINES: Final = ("trtllm", "vllm", "sglang")
_VERSION: Final = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")

#: Names in the order of the columns of `features`.
NAMES: Final = (
    "tpot", "step", "ttft", "prefill", "shared_prefill", "per_accelerator", "clients", "running", "overload", "memory_use",
    "prompt", "output", "projections_share", "experts_share", "activations_share", "communication_share", "head_share",
    "attention_share", "overhead_share", "prefill_share", "ranks", "stages", "expert_ranks", "sequence_shards", "replicas",
    "accelerators", "bandwidth", "sixteen_bit", "weight_peak", "memory", "link", "power", "other_vendor", "total", "active", "layers", "hidden",
    "heads", "kv_bytes", "experts", "experts_per_token", "sliding", "linear", "latent", "sparse", "bytes_per_weight", "weight_only",
    "four_bit", "sixteen_bit_weights", "stated", "kv_stated", "kv_element", "trtllm", "vllm", "sglang", "version", "tpot_limit", "ttft_limit",
    "rate_share", "max_batch", *KINDS, "decode_workers", "prefill_workers", "prefill_ranks", "prefill_load",
)  # fmt: skip


def version_number(text: str) -> float:
    """A version as a number that orders releases; −1 where there is none.

    >>> version_number("1.2.0rc6.post2"), version_number("TensorRT 10.11, CUDA 12.9"), version_number("nightly-dev")
    (1.02, 10.11, -1.0)
    """
    found = _VERSION.search(text)
    return float(found[1]) + float(found[2]) / 100.0 + float(found[3] or 0) / 1e4 if found else -1.0


def features(points: Points) -> Array:
    """Features of every operating point: shape (n·m, len(NAMES)), plan after plan."""
    d, load, run = points.deployment, points.load, points.operation
    shape = np.broadcast_shapes(np.shape(points.clients), np.shape(run.tpot_s))
    seconds = run.step.seconds
    per_accelerator = run.saturated_per_s / d.accelerators
    plans = points.plans
    asked = [plan.question for plan in plans]
    capacity = points.rate * (run.shared_prefill_s + load.output * run.step.seconds / run.running)

    def flag(values: list[bool]) -> Array:
        return column([float(value) for value in values])

    def log(values: object) -> Array:
        figures = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=1.0)
        return np.asarray(np.log(np.maximum(figures, 1e-12)))

    columns = [
        log(run.tpot_s), log(seconds), log(run.ttft_s), log(run.prefill_s), log(run.shared_prefill_s), log(per_accelerator),
        log(points.clients), log(run.running), log(points.clients / run.running), log(points.clients / np.maximum(run.in_memory, 1e-3)),
        log(load.uncached + load.cached), log(load.output),
        run.step.projections / seconds, run.step.experts / seconds, run.step.activations / seconds,
        run.step.communication / seconds, run.step.head / seconds, run.step.attention / seconds, run.step.overhead / seconds,
        run.prefill_share, d.ranks, d.stages, d.expert_ranks, d.sequence_shards,
        log(column([plan.replicas for plan in plans])), log(column([float(q.accelerator_count) for q in asked])),
        log(d.bandwidth), log(d.sixteen_bit_flops), log(d.dense_flops / d.sixteen_bit_flops), log(d.memory_bytes), log(d.link), log(column([q.accelerator.tdp_w or np.nan for q in asked])), d.other_vendor,
        log(column([q.architecture.total_params for q in asked])), log(column([q.architecture.active_params for q in asked])),
        d.layers, log(d.hidden), d.heads, log(d.full_kv_bytes + d.sliding_kv_bytes), d.experts, d.experts_per_token,
        d.sliding_layers / d.layers, d.linear_layers / d.layers,
        flag([q.architecture.is_mla for q in asked]), flag([q.architecture.index_topk is not None for q in asked]),
        np.maximum(d.expert_bytes, 0.0), d.expert_weight_only,
        flag([plan.weight_precision in FOUR_BIT for plan in plans]), flag([plan.weight_precision in SIXTEEN_BIT for plan in plans]),
        flag([plan.precision_stated for plan in plans]), flag([bool(q.kv_precision) for q in asked]),
        flag([plan.kv_precision in SIXTEEN_BIT for plan in plans]),
        *(flag([q.engine == name for q in asked]) for name in ENGINES),
        column([version_number(q.engine_version) for q in asked]),
        log(column([q.tpot_limit_ms if q.tpot_limit_ms and q.p99_limits else 1e6 for q in asked])),
        log(column([q.ttft_limit_ms if q.ttft_limit_ms and q.p99_limits else 1e6 for q in asked])),
        np.nan_to_num(capacity, nan=0.0), log(column([float(q.max_batch or 1e6) for q in asked])),
        *(flag([kind == name for kind in points.kinds]) for name in KINDS),
        column([float(plan.shape.decode_workers) for plan in plans]), column([float(plan.shape.prefill_workers) for plan in plans]),
        column([float(plan.shape.prefill_accelerators) for plan in plans]),
        log(column([(q.concurrency or 1.0) / max(plan.shape.prefill_workers * plan.shape.prefill_accelerators, 1) if plan.shape.disaggregated else 1.0 for q, plan in zip(asked, plans, strict=True)])),
    ]  # fmt: skip
    return np.stack([np.broadcast_to(np.asarray(each, dtype=np.float64), shape) for each in columns], axis=-1).reshape(
        -1, len(NAMES)
    )
