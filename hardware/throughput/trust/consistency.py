"""Whether the figures of one measurement agree with each other."""

from __future__ import annotations

from typing import Final

from hardware.accelerators.accelerator import Accelerator
from hardware.throughput.physics.model.precision import WEIGHT_BYTES
from hardware.throughput.trust.finding import Finding
from hardware.throughput.trust.formats import bytes_of_experts, kv_bytes
from hardware.throughput.trust.measurement import Measurement
from hardware.throughput.trust.work import kv_bytes_of_request, step_weight_bytes

LITTLE_TOLERANCE: Final = 0.10
MOST_IN_A_SERVER: Final = 16
"""Cards of the largest common server; bridges join two or four of them."""
LITTLE_BROKEN: Final = 1.5
"""More than this many times what the requests in flight can produce is no matter of medians and means."""


def tpot_ms(measured: Measurement) -> float | None:
    """TPOT as (latency − TTFT) ÷ (tokens − 1): converted from latency ÷ tokens; None below two output tokens.

    >>> from hardware.throughput.trust.measurement import Conditions, Percentiles, Value
    >>> value = Value(None, ttft=Percentiles(500.0), tpot=Percentiles(20.0))
    >>> round(tpot_ms(Measurement(value, Conditions(osl_tokens=101, tpot_definition="whole_latency"))), 2)
    15.2
    >>> tpot_ms(Measurement(value, Conditions(osl_tokens=1))) is None
    True
    """
    stated, tokens = measured.value.tpot.typical, measured.conditions.osl_tokens
    if stated is None or (tokens is not None and tokens <= 1):
        return None
    if measured.conditions.tpot_definition != "whole_latency":
        return stated
    first = measured.value.ttft.typical
    if first is None or tokens is None:
        return None
    return (tokens * stated - first) / (tokens - 1)


def little_ratio(measured: Measurement) -> float | None:
    """Measured output tokens/s ÷ concurrency × OSL ÷ (TTFT + TPOT × (OSL − 1)), by Little's law; None where one is missing.

    >>> from hardware.throughput.trust.measurement import Conditions, Percentiles, Value
    >>> value = Value(1000.0, ttft=Percentiles(100.0), tpot=Percentiles(30.0))
    >>> round(little_ratio(Measurement(value, Conditions(concurrency=32, osl_tokens=1001))), 3)
    0.94
    """
    conditions, first, each = measured.conditions, measured.value.ttft.typical, tpot_ms(measured)
    figure, tokens = measured.output_tokens_per_s, conditions.osl_tokens
    if figure is None or first is None or each is None or tokens is None or conditions.concurrency is None:
        return None
    seconds = (first + each * (tokens - 1)) / 1000
    return figure * seconds / (conditions.concurrency * tokens) if seconds > 0 else None


def accelerators_from_factors(measured: Measurement) -> int | None:
    """The product of the parallel factors, times the replicas where they are stated."""
    factors = measured.conditions.factors
    product = None if factors is None else factors.accelerators
    return None if product is None else product * (measured.conditions.replicas or 1)


def memory_bytes(measured: Measurement, weight_precision: str) -> tuple[float, float, float] | None:
    """Bytes of the weights of one replica, of keys and values of all requests in flight, and of all memory of the system."""
    conditions = measured.conditions
    architecture, accelerator, count = conditions.architecture, conditions.accelerator, conditions.accelerator_count
    if architecture is None or accelerator is None or accelerator.memory_bytes is None or count is None:
        return None
    layers = architecture.layers - architecture.dense_mlp_layers
    routed = (architecture.routed_expert_params or 0.0) * architecture.routed_experts * layers
    rest = architecture.total_params - routed
    weights = rest * WEIGHT_BYTES[weight_precision] + routed * bytes_of_experts(architecture, weight_precision)
    context = (conditions.isl_tokens or 0.0) + (conditions.osl_tokens or 0.0) / 2
    element = kv_bytes(weight_precision, conditions.kv_precision)
    keys = (conditions.concurrency or 0.0) * kv_bytes_of_request(architecture, context, element)
    return weights, keys, accelerator.memory_bytes * count


def contradictions(measured: Measurement, weight_precision: str | None) -> list[Finding]:
    """What cannot be true together."""
    return [
        *_latencies(measured),
        *_rates(measured),
        *_counts(measured),
        *([] if weight_precision is None else _memory(measured, weight_precision)),
    ]


def _latencies(measured: Measurement) -> list[Finding]:
    value, tokens = measured.value, measured.conditions.osl_tokens
    found = []
    for name, latency in (("TTFT", value.ttft), ("TPOT", value.tpot)):
        if latency.p50 is not None and latency.p99 is not None and latency.p99 < latency.p50:
            found.append(Finding("percentile_order", f"the 99th percentile of {name} is below its median", "F"))
    if tokens is not None and tokens <= 1 and value.tpot.typical is not None:
        found.append(Finding("tpot_undefined", "time per output token needs at least two of them", "C"))
    each = tpot_ms(measured)
    if each is not None and each < 0:
        found.append(Finding("latency_below_its_tokens", "latency ÷ tokens is below TTFT ÷ tokens", "F"))
    elif each is None and measured.conditions.tpot_definition == "whole_latency" and value.tpot.typical is not None:
        found.append(
            Finding("tpot_not_comparable", "latency ÷ tokens cannot be converted without TTFT and length", "C")
        )
    if None not in (value.latency_ms, value.ttft.typical, each, tokens):
        assert value.latency_ms is not None
        assert value.ttft.typical is not None
        assert each is not None
        assert tokens is not None
        if value.ttft.typical + each * (tokens - 1) > value.latency_ms * 1.01:
            found.append(Finding("latency_below_its_tokens", "TTFT + TPOT × (tokens − 1) is above the latency", "F"))
    return found


def _rates(measured: Measurement) -> list[Finding]:
    value, conditions = measured.value, measured.conditions
    found = []
    peak, mean = value.peak_tokens_per_s, value.tokens_per_s
    if peak is not None and mean is not None and peak < mean:
        found.append(Finding("peak_below_mean", "the peak is below the mean", "F"))
    count = conditions.accelerator_count
    if value.per_accelerator is not None and value.tokens_per_s is not None and value.scope == "system" and count:
        ratio = value.per_accelerator * count / value.tokens_per_s
        if abs(ratio - 1) > 0.01:
            text = f"the figure per accelerator is {ratio:.3g} times the system's divided by its {count} accelerators"
            found.append(Finding("per_accelerator_contradicts_system", text, "F"))
    ratio_or_none = little_ratio(measured)
    if ratio_or_none is not None and abs(ratio_or_none - 1) > LITTLE_TOLERANCE:
        text = f"tokens/s are {ratio_or_none:.3g} times concurrency × OSL ÷ (TTFT + TPOT × (OSL − 1)): the effective concurrency differs"
        found.append(Finding("littles_law", text, "F" if ratio_or_none > LITTLE_BROKEN else "C"))
    each, system = tpot_ms(measured), measured.output_tokens_per_s
    if (
        each is not None
        and system is not None
        and (conditions.concurrency or 0) > 1
        and abs(each * system / 1000 - 1) < 0.1
    ):
        text = "TPOT is the inverse of the system's throughput, not what one request sees"
        found.append(Finding("tpot_from_system_throughput", text, "F"))
    return found


def _counts(measured: Measurement) -> list[Finding]:
    conditions = measured.conditions
    count, factors, nodes = conditions.accelerator_count, conditions.factors, conditions.nodes
    if count is None:
        return []
    found = []
    product = accelerators_from_factors(measured)
    if product is not None and product != count:
        if conditions.replicas is None and count % product == 0:
            text = f"{count} accelerators are {count // product} times the product of the factors, {product}: state the replicas"
            found.append(Finding("gpu_count_not_product_of_factors", text, "D"))
        else:
            text = f"{count} accelerators stated, {product} by the parallel factors"
            found.append(Finding("gpu_count_not_product_of_factors", text, "F"))
    elif factors is not None and product is None:
        if count < factors.least:
            text = f"{count} accelerators stated, at least {factors.least} by the pools"
            found.append(Finding("gpu_count_not_product_of_factors", text, "F"))
        else:
            text = "the numbers of prefill and decode workers are not stated: the accelerator count is uncertain"
            found.append(Finding("worker_counts_missing", text, "D"))
    if nodes is not None:
        found += _nodes(measured, count, nodes)
    return found


def _nodes(measured: Measurement, count: int, nodes: int) -> list[Finding]:
    """Machines must hold the accelerators, and none of several may be left without one."""
    each, accelerator = measured.conditions.accelerators_per_node, measured.conditions.accelerator
    if each is not None:
        if (nodes - 1) * each < count <= nodes * each:
            return []
        return [
            Finding(
                "gpu_count_not_nodes", f"{count} accelerators stated, {nodes * each} in {nodes} nodes of {each}", "F"
            )
        ]
    if count <= nodes * most_per_node(accelerator):
        return []
    return [Finding("gpu_count_not_nodes", f"{count} accelerators stated in {nodes} nodes", "F")]


def most_per_node(accelerator: Accelerator | None) -> int:
    """Accelerators that a node holds at most: its scale-up domain, or what the largest servers for cards hold.

    >>> from hardware.accelerators.accelerator import shipped_accelerator
    >>> most_per_node(shipped_accelerator("h100-sxm")), most_per_node(shipped_accelerator("h200-nvl"))
    (8, 16)
    """
    if accelerator is None or accelerator.scale_up_domain is None or accelerator.form_factor == "PCIe":
        return MOST_IN_A_SERVER
    return accelerator.scale_up_domain


def _memory(measured: Measurement, weight_precision: str) -> list[Finding]:
    sizes = memory_bytes(measured, weight_precision)
    if sizes is None or not measured.is_whole_system or not measured.count_is_certain:
        return []
    weights, keys, memory = sizes
    found = []
    if weights * (measured.conditions.replicas or 1) > memory:
        missing = (weights * (measured.conditions.replicas or 1) - memory) / 2**30
        found.append(Finding("weights_exceed_memory", f"the weights do not fit: {missing:.1f} GiB are missing", "F"))
    elif weights + keys > memory:
        text = "keys and values of all requests in flight do not fit: some wait, and the batch is smaller than the concurrency"
        found.append(Finding("requests_wait_for_memory", text, "A"))
    return [*found, *_weight_reads(measured, weight_precision)]


def _weight_reads(measured: Measurement, weight_precision: str) -> list[Finding]:
    """A token a step needs one reading of the active weights a step: faster is speculation or another model."""
    conditions, each = measured.conditions, tpot_ms(measured)
    accelerator, architecture, count = conditions.accelerator, conditions.architecture, conditions.accelerator_count
    if each is None or accelerator is None or architecture is None or count is None:
        return []
    bandwidth = measured.bandwidth_gb_per_s or accelerator.bandwidth_gb_per_s
    if bandwidth is None or conditions.speculative_decoding not in (None, "none"):
        return []
    least = step_weight_bytes(architecture, weight_precision) / (count * bandwidth * 1e9) * 1000
    if each >= least:
        return []
    text = f"TPOT is below the {least:.3g} ms that one reading of the active weights takes: speculative decoding not disclosed"
    return [Finding("speculation_undisclosed", text, "C")]
