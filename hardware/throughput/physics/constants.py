"""The lumped constants of the equations: fitted, dated, stored as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Constants:
    """Efficiencies and overheads. Each is lumped: it says how this set of equations fits measurements, not what a kernel does.

    Attributes:
        weight_read_efficiency: share of memory bandwidth that reading weights reaches.
        gemm_efficiency: share of dense peak that a large matrix product reaches.
        half_efficiency_tokens: tokens at which a matrix product reaches half of that.
        fp4_factor: further factor on the peak of 4-bit arithmetic.
        weight_only_factor: further factor on the peak where weights are unpacked to wider arithmetic.
        kv_read_efficiency: share of memory bandwidth that reading keys and values reaches.
        expert_factor: further factor on matrix products grouped by expert.
        attention_efficiency: share of the 16-bit peak that attention reaches.
        layer_overhead_s: seconds of a layer that no resource explains, each step.
        expert_layer_overhead_s: the same, added in layers with experts.
        sequence_overhead_s: seconds of a step per sequence of a rank (sampling, scheduling, detokenizing).
        step_overhead_s: seconds of a step whatever is in it.
        activation_passes: hidden vectors read or written a token and layer.
        collective_latency_s: of one collective among two accelerators; grows with log2 of their number.
        link_efficiency: share of the link's bandwidth that a collective reaches.
        scale_out_gb_per_s: link between scale-up domains, per accelerator and direction (400 Gb/s: 50).
        other_vendor_factor: factor on bandwidth and peak of accelerators that are not NVIDIA's.
        prefill_request_overhead_s: seconds until a request is admitted.
        burst_share: share of the other prefills that a closed-loop request waits for.
        chunk_tokens: tokens of prompts that an engine puts into one step.
        memory_share: share of memory that an engine takes.
        reserve_gib: of it, taken by activations, graphs and buffers.
        largest_batch: sequences that an engine runs at once at most, per replica, where nothing else is stated.
        p50_of_p99_limit: share of a p99 limit at which the median stands when the p99 just meets it.
    """

    weight_read_efficiency: float = 0.9
    gemm_efficiency: float = 0.74
    half_efficiency_tokens: float = 63.0
    fp4_factor: float = 0.87
    weight_only_factor: float = 0.8
    kv_read_efficiency: float = 0.7
    expert_factor: float = 0.82
    attention_efficiency: float = 0.5
    layer_overhead_s: float = 40e-6
    expert_layer_overhead_s: float = 20e-6
    sequence_overhead_s: float = 15e-6
    step_overhead_s: float = 5e-4
    activation_passes: float = 21.0
    collective_latency_s: float = 8e-6
    link_efficiency: float = 0.7
    scale_out_gb_per_s: float = 50.0
    other_vendor_factor: float = 0.79
    prefill_request_overhead_s: float = 0.02
    burst_share: float = 0.15
    chunk_tokens: float = 8192.0
    memory_share: float = 0.9
    reserve_gib: float = 3.0
    largest_batch: float = 2048.0
    p50_of_p99_limit: float = 0.8
