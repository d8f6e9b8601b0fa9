"""What an estimator is told of a measured row: its conditions, never its outcome."""

from __future__ import annotations

import math

from economics.errors import PermillionError
from hardware.accelerators.accelerator import shipped_accelerator
from hardware.architectures.architecture import shipped_architecture
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.question import Scenario, ThroughputQuestion

#: Arrival process of each scored scenario.
ARRIVALS: dict[str, Scenario] = {
    "closed_loop": "closed_loop",
    "closed_loop_tpot": "closed_loop",
    "closed_loop_ttft": "closed_loop",
    "tpot_limited": "closed_loop",
    "tpot_limited_concurrency": "closed_loop",
    "disagg_tpot": "closed_loop",
    "mlperf_offline": "offline",
    "offline_max": "offline",
    "static_batch": "static_batch",
    "mlperf_server": "poisson",
    "mlperf_interactive": "poisson",
    "poisson_ttft": "poisson",
}


def question_of(row: MeasuredRow, scenario: str, tpot_limit_ms: float | None = None) -> ThroughputQuestion:
    """The question that a row answers in a scenario.

    Raises:
        PermillionError: `unknown-architecture`, `unknown-accelerator`, `invalid-fields` for numbers that are none.
    """
    arrivals = ARRIVALS[scenario]
    limits = row.p99_limits_ms if arrivals == "poisson" else None
    rate = None
    if scenario == "poisson_ttft":
        rate = _needed(row.system_output_tok_s, "output_tok_s") / _needed(row.osl_mean, "osl_mean")
    with_concurrency = scenario in (
        "closed_loop",
        "closed_loop_tpot",
        "closed_loop_ttft",
        "static_batch",
        "disagg_tpot",
    )
    count = _needed(row.gpu_count, "gpu_count")
    return ThroughputQuestion(
        architecture=shipped_architecture(row.arch_key),
        accelerator=shipped_accelerator(row.hardware),
        accelerator_count=int(count) if count == int(count) else 0,
        isl_tokens=_needed(row.isl_mean, "isl_mean"),
        osl_tokens=_needed(row.osl_mean, "osl_mean"),
        weight_precision=row.weight_precision or None,
        kv_precision=row.kv_precision or None,
        engine=row.engine_family,
        engine_version=row.engine_version,
        parallelism=row.parallelism,
        nodes=int(row.nodes) if row.nodes is not None and row.nodes == row.nodes else None,
        concurrency=_needed(row.concurrency, "concurrency") if with_concurrency else None,
        tpot_limit_ms=limits[1] if limits else tpot_limit_ms,
        ttft_limit_ms=limits[0] if limits else None,
        p99_limits=limits is not None,
        request_rate_per_s=rate,
        max_batch=int(row.max_batch_cfg)
        if row.max_batch_cfg is not None and row.max_batch_cfg == row.max_batch_cfg
        else None,
        scenario=arrivals,
        lengths="varied" if scenario.startswith("mlperf") else "fixed",
    )


def scenario_of(row: MeasuredRow) -> str:
    """The scored scenario that a row's throughput belongs to.

    Raises:
        PermillionError: `invalid-fields` for a row of another kind.
    """
    found = _SCENARIOS.get(row.scenario)
    if found is None:
        raise PermillionError("invalid-fields", "the row is of a scenario that is not estimated")
    return "disagg_tpot" if row.serving_mode == "disagg" else found


def stored_question(row: MeasuredRow) -> ThroughputQuestion:
    """The question that a stored row answers with all it measured.

    Raises:
        PermillionError: as `question_of`; `invalid-fields` for a scenario that is not estimated.
    """
    return question_of(row, scenario_of(row))


_SCENARIOS = {
    "closed-loop fixed concurrency": "closed_loop",
    "mlperf-offline": "mlperf_offline",
    "mlperf-server": "mlperf_server",
    "mlperf-interactive": "mlperf_interactive",
    "offline max throughput": "offline_max",
    "offline static batch": "static_batch",
}


def _needed(figure: float | None, column: str) -> float:
    if figure is None or math.isnan(figure):
        raise PermillionError("invalid-fields", f"{column} is not a positive number")
    return figure
