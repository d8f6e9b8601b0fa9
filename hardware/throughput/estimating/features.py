"""What the learned residual sees of an operating point: ratios and shares that physics computes, and the configuration."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from hardware.throughput.estimating.planning import Plan
from hardware.throughput.estimating.points import KINDS, Kind, Points
from hardware.throughput.physics.figures import Array, Figures
from hardware.throughput.physics.model.precision import FOUR_BIT, SIXTEEN_BIT

ENGINES: Final = ("trtllm", "vllm", "sglang")
_VERSION: Final = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")

#: Names in the order of the columns of `features`; of the first group the logarithm is taken.
LOGARITHMS: Final = (
    "tpot", "step", "ttft", "prefill", "shared_prefill", "per_accelerator", "clients", "running", "overload", "memory_use",
    "prompt", "output", "replicas", "accelerators", "bandwidth", "sixteen_bit", "weight_peak", "memory", "link", "power", "total",
    "active", "hidden", "kv_bytes", "tpot_limit", "ttft_limit", "max_batch", "prefill_load",
)  # fmt: skip
PLAIN: Final = (
    "projections_share", "experts_share", "activations_share", "communication_share", "head_share", "attention_share",
    "overhead_share", "prefill_share", "ranks", "stages", "expert_ranks", "sequence_shards", "other_vendor", "layers", "heads",
    "experts", "experts_per_token", "sliding", "linear", "latent", "sparse", "bytes_per_weight", "weight_only", "four_bit",
    "sixteen_bit_weights", "stated", "kv_stated", "kv_element", "trtllm", "vllm", "sglang", "version", "rate_share", *KINDS,
    "decode_workers", "prefill_workers", "prefill_ranks",
)  # fmt: skip
NAMES: Final = (*LOGARITHMS, *PLAIN)
#: Where a limit or a largest batch is not stated: beyond any.
NO_LIMIT: Final = 1e6


def version_number(text: str) -> float:
    """A version as a number that orders releases; −1 where there is none.

    >>> version_number("1.2.0rc6.post2"), version_number("TensorRT 10.11, CUDA 12.9"), version_number("nightly-dev")
    (1.02, 10.11, -1.0)
    """
    found = _VERSION.search(text)
    return float(found[1]) + float(found[2]) / 100.0 + float(found[3] or 0) / 1e4 if found else -1.0


def features(points: Points) -> Array:
    """Features of every operating point: shape (n·m, len(NAMES)), plan after plan."""
    count, width = points.clients.shape
    table = np.empty((count, width, len(NAMES)))
    stated = np.array([_of_plan(plan, kind) for plan, kind in zip(points.plans, points.kinds, strict=True)])
    computed = _of_operation(points)
    place = {name: number for number, name in enumerate(NAMES)}
    for name, figures in computed.items():
        table[:, :, place[name]] = figures
    for number, name in enumerate(OF_PLAN):
        table[:, :, place[name]] = stated[:, number, np.newaxis]
    logarithms = table[:, :, : len(LOGARITHMS)]
    np.log(np.maximum(logarithms, 1e-12, out=logarithms), out=logarithms)
    return table.reshape(count * width, len(NAMES))


def _of_operation(points: Points) -> dict[str, Figures]:
    """What physics computes of the operating points."""
    d, load, run = points.deployment, points.load, points.operation
    step, seconds = run.step, run.step.seconds
    busy = points.rate * (run.shared_prefill_s + load.output * seconds / run.running)
    return {
        "tpot": run.tpot_s,
        "step": seconds,
        "ttft": run.ttft_s,
        "prefill": run.prefill_s,
        "shared_prefill": run.shared_prefill_s,
        "per_accelerator": run.saturated_per_s / d.accelerators,
        "clients": points.clients,
        "running": run.running,
        "overload": points.clients / run.running,
        "memory_use": points.clients / np.maximum(run.in_memory, 1e-3),
        "prompt": load.uncached + load.cached,
        "output": load.output,
        "projections_share": step.projections / seconds,
        "experts_share": step.experts / seconds,
        "activations_share": step.activations / seconds,
        "communication_share": step.communication / seconds,
        "head_share": step.head / seconds,
        "attention_share": step.attention / seconds,
        "overhead_share": step.overhead / seconds,
        "prefill_share": run.prefill_share,
        "rate_share": np.nan_to_num(busy, nan=0.0),
        "bandwidth": d.bandwidth,
        "sixteen_bit": d.sixteen_bit_flops,
        "weight_peak": d.dense_flops / d.sixteen_bit_flops,
        "memory": d.memory_bytes,
        "link": d.link,
        "hidden": d.hidden,
        "kv_bytes": d.full_kv_bytes + d.sliding_kv_bytes,
        "ranks": d.ranks,
        "stages": d.stages,
        "expert_ranks": d.expert_ranks,
        "sequence_shards": d.sequence_shards,
        "other_vendor": d.other_vendor,
        "layers": d.layers,
        "heads": d.heads,
        "experts": d.experts,
        "experts_per_token": d.experts_per_token,
        "sliding": d.sliding_layers / d.layers,
        "linear": d.linear_layers / d.layers,
        "bytes_per_weight": d.expert_bytes,
        "weight_only": d.expert_weight_only,
    }


#: Columns that follow from what was asked alone.
OF_PLAN: Final = (
    "replicas", "accelerators", "power", "total", "active", "tpot_limit", "ttft_limit", "max_batch", "prefill_load", "latent",
    "sparse", "four_bit", "sixteen_bit_weights", "stated", "kv_stated", "kv_element", "version", *ENGINES, *KINDS,
    "decode_workers", "prefill_workers", "prefill_ranks",
)  # fmt: skip


def _of_plan(plan: Plan, kind: Kind) -> tuple[float, ...]:
    q, shape = plan.question, plan.shape
    prefill = shape.prefill_workers * shape.prefill_accelerators
    return (
        plan.replicas,
        float(q.accelerator_count),
        q.accelerator.tdp_w or 1.0,
        q.architecture.total_params,
        q.architecture.active_params,
        q.tpot_limit_ms if q.tpot_limit_ms and q.p99_limits else NO_LIMIT,
        q.ttft_limit_ms if q.ttft_limit_ms and q.p99_limits else NO_LIMIT,
        float(q.max_batch or NO_LIMIT),
        (q.concurrency or 1.0) / prefill if prefill else 1.0,
        float(q.architecture.is_mla),
        float(q.architecture.index_topk is not None),
        float(plan.weight_precision in FOUR_BIT),
        float(plan.weight_precision in SIXTEEN_BIT),
        float(plan.precision_stated),
        float(bool(q.kv_precision)),
        float(plan.kv_precision in SIXTEEN_BIT),
        version_number(q.engine_version),
        *(float(q.engine == name) for name in ENGINES),
        *(float(kind == name) for name in KINDS),
        float(shape.decode_workers),
        float(shape.prefill_workers),
        float(shape.prefill_accelerators),
    )
