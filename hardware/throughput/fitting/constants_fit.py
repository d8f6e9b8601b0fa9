"""Constants of the equations by robust least squares on logarithms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from hardware.throughput.estimating.evaluating import base
from hardware.throughput.estimating.points import physics_points
from hardware.throughput.fitting.examples import Examples
from hardware.throughput.fitting.extra import needs_extra
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.figures import Array

#: Fitted constants with the most that physics allows; least a twentieth of the start. The others are stated, not fitted.
FREE: Final[Mapping[str, float]] = {
    "weight_read_efficiency": 0.97,
    "gemm_efficiency": 0.95,
    "half_efficiency_tokens": 1e4,
    "fp4_factor": 1.001,
    "weight_only_factor": 1.001,
    "kv_read_efficiency": 0.95,
    "expert_factor": 1.001,
    "attention_efficiency": 0.9,
    "layer_overhead_s": 1e-2,
    "expert_layer_overhead_s": 1e-2,
    "sequence_overhead_s": 1e-2,
    "step_overhead_s": 1e-1,
    "activation_passes": 1e3,
    "collective_latency_s": 1e-3,
    "link_efficiency": 0.95,
    "other_vendor_factor": 1.001,
    "prefill_request_overhead_s": 1.0,
    "burst_share": 1.0,
    "chunk_tokens": 1e5,
}
#: Weight of each scenario and quantity: times to first token scatter most and count least.
WEIGHTS: Final = {
    "closed_loop": ("throughput", 0.5),
    "closed_loop_tpot": ("tpot", 1.0),
    "closed_loop_ttft": ("ttft", 0.4),
    "disagg_tpot": ("tpot", 1.0),
    "mlperf_offline": ("throughput", 2.0),
    "mlperf_server": ("throughput", 2.0),
    "offline_max": ("throughput", 1.5),
    "static_batch": ("throughput", 1.5),
}
#: Logarithmic error beyond which a row counts linearly.
SOFT: Final = 0.15


def fit_constants(examples: Mapping[str, Examples], start: Constants) -> Constants:
    """Constants that fit the examples.

    Raises:
        PermillionError: `invalid-settings` where the extra `fit` is not installed.
    """
    optimize = needs_extra("scipy.optimize")
    chosen = [(examples[name], *WEIGHTS[name]) for name in WEIGHTS if name in examples]
    initial = np.log([getattr(start, name) for name in FREE])
    upper = np.maximum(np.log(list(FREE.values())), initial + 1e-3)

    def constants(logs: Array) -> Constants:
        return replace(start, **dict(zip(FREE, (float(each) for each in np.exp(logs)), strict=True)))

    def errors(logs: Array) -> Array:
        c = constants(logs)
        parts = []
        for each, quantity, weight in chosen:
            parts.append(weight * np.log(predicted(each, quantity, c) / measured(each, quantity)))
        return np.nan_to_num(np.concatenate(parts), nan=0.0, posinf=3.0, neginf=-3.0)

    found = optimize.least_squares(
        errors, initial, bounds=(initial - np.log(20.0), upper), loss="soft_l1", f_scale=SOFT, max_nfev=40
    )
    return constants(found.x)


def predicted(examples: Examples, quantity: str, constants: Constants) -> Array:
    """What physics says of the examples: tokens a second of a replica, or seconds."""
    return np.asarray(base(physics_points(examples.plans, constants), constants)[quantity][:, 0])


def measured(examples: Examples, quantity: str) -> Array:
    """What was measured, in the same units."""
    figures = np.array(examples.measured)
    if quantity == "throughput":
        return np.asarray(figures * np.array([float(plan.deployment.accelerators) for plan in examples.plans]))
    return np.asarray(figures / 1e3)
