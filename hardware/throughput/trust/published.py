"""A row of the collected measurements as a measurement with its conditions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.physics.model.precision import WEIGHT_BYTES
from hardware.throughput.trust.factors import Factors, parse_factors
from hardware.throughput.trust.measurement import Arrival, Claims, Conditions, Measurement, Percentiles, Scope, Value

_ARRIVALS: Final[Mapping[str, Arrival]] = {
    "closed-loop fixed concurrency": "closed_loop",
    "offline static batch": "closed_loop",
    "mlperf-server": "poisson",
    "mlperf-interactive": "poisson",
    "mlperf-offline": "all_at_once",
    "offline max throughput": "all_at_once",
    "offline burst": "all_at_once",
}
_SCOPES: Final[Mapping[str, Scope]] = {
    "api": "user",
    "disagg-prefill": "prefill_pool_accelerator",
    "disagg-decode": "decode_pool_accelerator",
}
_P99: Final = re.compile(r"p50 \(p99 ([0-9.]+)\)")
MLPERF_LEAST_DURATION_S: Final = 600.0
"""MLPerf Inference rules: a valid run of Offline, Server or Interactive takes at least ten minutes."""


def measurement_of(
    cells: Mapping[str, str], architectures: Mapping[str, Architecture], accelerators: Mapping[str, Accelerator]
) -> Measurement:
    """The measurement that a line of the collected file holds; what it does not state, or what no table has, is None."""
    mlperf = cells["source"].startswith("MLPerf")
    count, output = _number(cells["gpu_count"]), _number(cells["output_tok_s"])
    osl, factors = _number(cells["osl_mean"]), _factors(cells["parallelism"])
    arrival = _ARRIVALS.get(cells["scenario"])
    conditions = Conditions(
        architecture=architectures.get(cells["arch_key"]),
        weight_precision=cells["weight_precision"] if cells["weight_precision"] in WEIGHT_BYTES else None,
        kv_precision=cells["kv_precision"] or None,
        accelerator=accelerators.get(cells["hardware"]),
        accelerator_count=None if count is None else int(count),
        nodes=_whole(cells["nodes"]),
        engine=cells["engine"] or None,
        engine_version=cells["engine_version"] or None,
        factors=factors,
        replicas=_replicas(factors, count) if mlperf else None,
        isl_tokens=_number(cells["isl_mean"]),
        input_lengths=cells["length_note"] or None,
        osl_tokens=osl,
        output_lengths=cells["length_note"] or None,
        output_length_kind="actual" if mlperf else None,
        arrival=arrival,
        concurrency=_number(cells["concurrency"]),
        request_rate_per_s=output / osl if arrival == "poisson" and output and osl else None,
        duration_s=MLPERF_LEAST_DURATION_S if mlperf else None,
        prefix_cache_hit_ratio=0.0 if _is_no(cells["prefix_cache"]) else None,
        speculative_decoding="none" if _is_no(cells["spec_decode"]) else None,
        source=cells["source_ref"] or None,
        source_kind="auditor" if mlperf else None,
        measured_on=cells["measured_date"] or None,
    )
    value = Value(
        tokens_per_s=output,
        scope=_SCOPES.get(cells["serving_mode"], "system"),
        window="wall_clock" if output is not None else None,
        per_accelerator=_number(cells["output_tok_s_per_gpu"]),
        ttft=_percentiles(cells["ttft_ms"], cells["ttft_stat"]),
        tpot=_percentiles(cells["tpot_ms"], cells["tpot_stat"]),
    )
    cached = "includes_cached_input_tokens" in cells["quality_flags"]
    return Measurement(value, conditions, Claims(cached_input_counted=cached or None))


def _number(text: str) -> float | None:
    number = float(text) if text else math.nan
    return number if math.isfinite(number) else None


def _whole(text: str) -> int | None:
    number = _number(text)
    return None if number is None else int(number)


def _factors(text: str) -> Factors | None:
    try:
        return parse_factors(text) if text else None
    except PermillionError:
        return None


def _replicas(factors: Factors | None, count: float | None) -> int | None:
    """MLPerf systems run as many replicas as their accelerators hold."""
    product = None if factors is None else factors.accelerators
    return int(count // product) if product and count and count % product == 0 else None


def _is_no(text: str) -> bool:
    return text == "no" or text.startswith("no (")


def _percentiles(text: str, statistic: str) -> Percentiles:
    number = _number(text)
    found = _P99.fullmatch(statistic)
    if found is not None:
        return Percentiles(p50=number, p99=float(found[1]))
    if statistic == "mean":
        return Percentiles(mean=number)
    return Percentiles(central=number) if statistic.startswith(("central", "published")) else Percentiles()
