"""`POST /throughput/estimate`."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from api.http.converters.physical import to_api_figure
from api.http.converters.price import row_id_of
from api.http.schemas.throughput_estimate import ESTIMATE_COLUMNS, DeploymentIn
from api.http.wire import decode_row
from api.services.throughput.estimating import DeploymentToEstimate, EstimatedDeployment
from economics.errors import PermillionError
from hardware.throughput.question import Range, ThroughputEstimate, ThroughputQuestion

_ROW: TypeAdapter[DeploymentIn] = TypeAdapter(DeploymentIn)


def from_api_deployment(value: Any, index: int) -> DeploymentToEstimate:
    """One row of the request, or what is wrong with it."""
    try:
        row: DeploymentIn = decode_row(_ROW, value)
    except PermillionError as error:
        return DeploymentToEstimate(row_id_of(value, index), {}, error)
    stated = {name: getattr(row, name) for name in DeploymentIn.model_fields if name != "row_id"}
    return DeploymentToEstimate(index if row.row_id is None else row.row_id, stated)


def to_api_estimated(done: EstimatedDeployment) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(ESTIMATE_COLUMNS)
    row["row_id"], row["warnings"] = done.asked.row_id, ";".join(done.warnings)
    if done.question is not None:
        row |= _deployment(done.question)
    if done.error is not None:
        row["error_code"], row["error_detail"] = done.error.slug, done.error.detail
    if done.estimate is not None and done.question is not None:
        row |= _estimate(done.estimate, done.question)
        row["estimator"], row["assumptions"] = done.estimator, "; ".join(done.assumptions)
    if done.energy is not None:
        row["power_w_per_accelerator"] = to_api_figure(done.energy.power_w)
        row["power_basis"] = done.energy.basis
        row["energy_kwh_per_mtok_output"] = to_api_figure(done.energy.kwh_per_mtok_output)
    return row


def _deployment(question: ThroughputQuestion) -> dict[str, Any]:
    return {
        "architecture": question.architecture.id,
        "accelerator": question.accelerator.id,
        "accelerator_count": question.accelerator_count,
    }


def _estimate(found: ThroughputEstimate, question: ThroughputQuestion) -> dict[str, Any]:
    output, count = found.output_tokens_per_s, question.accelerator_count
    bound = found.bound_tokens_per_s_per_accelerator
    return {
        "output_tokens_per_s": to_api_figure(output.value),
        "output_tokens_per_s_per_accelerator": to_api_figure(output.value / count),
        "output_low": to_api_figure(output.low),
        "output_high": to_api_figure(output.high),
        **_latency("ttft", found.ttft_ms),
        **_latency("tpot", found.tpot_ms),
        "max_concurrency": to_api_figure(found.max_concurrency),
        "bound_tokens_per_s_per_accelerator": to_api_figure(bound),
        "method": found.method,
        "grade": found.grade,
        "concurrency": to_api_figure(found.concurrency),
        "replicas": found.replicas,
        "accelerators_per_replica": found.accelerators_per_replica,
        "weight_precision": found.weight_precision,
        "kv_precision": found.kv_precision,
        "prefill_share": to_api_figure(found.prefill_share),
        "prefill_ms": to_api_figure(found.prefill_s * 1000),
        "decode_step_ms": to_api_figure(found.decode_step_s * 1000),
        "simple_formula_tokens_per_s": to_api_figure(found.simple_formula_tokens_per_s),
        "roofline_ratio": to_api_figure(output.value / count / bound if bound else None),
        "anchors": ";".join(found.anchors),
    }


def _latency(name: str, found: Range | None) -> dict[str, Any]:
    value, low, high = (None, None, None) if found is None else (found.value, found.low, found.high)
    return {
        f"{name}_ms": to_api_figure(value),
        f"{name}_low_ms": to_api_figure(low),
        f"{name}_high_ms": to_api_figure(high),
    }
