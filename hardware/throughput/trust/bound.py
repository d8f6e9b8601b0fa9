"""The strict physical bound of output tokens per accelerator, resource by resource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.trust.formats import Arithmetic, arithmetic_of, kv_bytes
from hardware.throughput.trust.work import Work, body_params, step_weight_bytes, work_of

Resource = Literal["compute", "memory_bandwidth"]


@dataclass(frozen=True, slots=True)
class Roof:
    """What a device can do at most; None where no dense figure is published."""

    arithmetic: Arithmetic | None
    bandwidth_gb_per_s: float | None


@dataclass(frozen=True, slots=True)
class RequestLoad:
    """What is asked of it: a model, lengths, formats and how many requests share a reading of the weights.

    Attributes:
        concurrency: of the whole system; None where unknown: then no weight is counted.
        cached_share: share of the input that the prefix cache holds, 0–1.
    """

    architecture: Architecture
    isl: float
    osl: float
    weight_precision: str
    kv_precision: str | None = None
    concurrency: float | None = None
    cached_share: float = 0.0


@dataclass(frozen=True, slots=True)
class PhysicalBound:
    """The bound and every term of it.

    Attributes:
        tokens_per_s: output tokens per second and accelerator.
        limiting: the resource that sets it.
        compute_s, memory_s: seconds of one accelerator that a request takes of each resource; None without a figure.
        weight_bytes: of an output token, at the stated concurrency.
    """

    tokens_per_s: float
    limiting: Resource
    compute_s: float | None
    memory_s: float | None
    work: Work
    weight_bytes: float
    roof: Roof


def roof_of(
    accelerator: Accelerator | None,
    weight_precision: str,
    peak_tflops: float | None = None,
    bandwidth_gb_per_s: float | None = None,
) -> Roof:
    """The device's dense peak and bandwidth; what the caller states takes their place."""
    arithmetic: Arithmetic | None
    if peak_tflops is not None:
        arithmetic = Arithmetic("", peak_tflops)
    else:
        arithmetic = None if accelerator is None else arithmetic_of(weight_precision, accelerator)
    if bandwidth_gb_per_s is None and accelerator is not None:
        bandwidth_gb_per_s = accelerator.bandwidth_gb_per_s
    return Roof(arithmetic, bandwidth_gb_per_s)


def physical_bound(load: RequestLoad, roof: Roof, *, expected_experts: bool = False) -> PhysicalBound | None:
    """OSL ÷ max(FLOPs ÷ peak, OSL × bytes ÷ bandwidth), dense peak and all of the bandwidth, nothing added up.

    FLOPs hold the uncached prefill; bytes are keys and values at the mean context and the weights ÷ concurrency, of a MoE those
    of k experts (strict), or with `expected_experts` of as many as that many tokens are expected to touch. An accelerator of
    several shares the work, so the figure is per accelerator whatever their number. Source of the method: the description of
    the collected measurements, section "Physical bound in the file" (2026-11).

    None where nothing that is known limits it: no peak is published, and nothing is known to be read.

    >>> from hardware.accelerators.accelerator import shipped_accelerator
    >>> from hardware.architectures.architecture import shipped_architecture
    >>> load = RequestLoad(shipped_architecture("llama-3.1-8b"), 778, 129, "fp8", "fp8")
    >>> bound = physical_bound(load, roof_of(shipped_accelerator("h200-sxm"), "fp8"))
    >>> round(bound.tokens_per_s), bound.limiting
    (19620, 'compute')
    """
    work = work_of(
        load.architecture, load.isl, load.osl, kv_bytes(load.weight_precision, load.kv_precision), load.cached_share
    )
    weights = 0.0
    if load.concurrency is not None:
        tokens = load.concurrency if expected_experts else None
        weights = step_weight_bytes(load.architecture, load.weight_precision, tokens) / load.concurrency
    compute = None if roof.arithmetic is None else work.flop / (roof.arithmetic.tflops * 1e12)
    memory = None
    if roof.bandwidth_gb_per_s is not None:
        memory = load.osl * (work.kv_bytes + work.state_bytes + weights) / (roof.bandwidth_gb_per_s * 1e9)
    if compute is None and not memory:
        return None
    limiting: Resource = "memory_bandwidth" if (memory or 0.0) > (compute or 0.0) else "compute"
    return PhysicalBound(load.osl / max(compute or 0.0, memory or 0.0), limiting, compute, memory, work, weights, roof)


def compute_bound_batch(weight_bytes: float, tflops: float, bandwidth_gb_per_s: float) -> float:
    """Requests in a step at which reading the weights takes as long as computing with them: peak × bytes ÷ (2 × bandwidth).

    Below it decode is bound by the reading of weights and more requests cost nothing; above it by arithmetic.

    >>> compute_bound_batch(2.0, 312.0, 1500.0)
    208.0
    """
    return tflops * 1e12 * weight_bytes / (2 * bandwidth_gb_per_s * 1e9)


def compute_bound_batch_of_experts(
    architecture: Architecture, weight_precision: str, tflops: float, bandwidth_gb_per_s: float
) -> float:
    """The same of a mixture of experts, whose step reads the more weights the more tokens are in it: found by bisection.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> round(compute_bound_batch_of_experts(shipped_architecture("mixtral-8x7b"), "bf16", 989.0, 3350.0))
    1087
    """

    def reading_is_longer(batch: float) -> bool:
        computing = 2 * body_params(architecture) * batch / (tflops * 1e12)
        return step_weight_bytes(architecture, weight_precision, batch) / (bandwidth_gb_per_s * 1e9) > computing

    low, high = 0.0, 1.0
    while reading_is_longer(high):
        low, high = high, high * 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if reading_is_longer(middle) else (low, middle)
    return high
