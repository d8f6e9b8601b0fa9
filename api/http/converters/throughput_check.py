"""`POST /throughput/check`."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from api.http.converters.physical import to_api_figure
from api.http.converters.price import row_id_of
from api.http.schemas.throughput_check import CHECK_COLUMNS, MeasurementIn
from api.http.wire import decode_row
from api.services.throughput.checking import CheckedMeasurement, MeasurementToCheck
from economics.errors import PermillionError
from hardware.throughput.trust.assessment import Assessment
from hardware.throughput.trust.bound import PhysicalBound
from hardware.throughput.trust.consistency import accelerators_from_factors, memory_bytes, tpot_ms

_ROW: TypeAdapter[MeasurementIn] = TypeAdapter(MeasurementIn)
_GIB = 2**30


def from_api_measurement(value: Any, index: int) -> MeasurementToCheck:
    """One row of the request, or what is wrong with it."""
    try:
        row: MeasurementIn = decode_row(_ROW, value)
    except PermillionError as error:
        return MeasurementToCheck(row_id_of(value, index), {}, error)
    stated = {name: getattr(row, name) for name in MeasurementIn.model_fields if name != "row_id"}
    return MeasurementToCheck(index if row.row_id is None else row.row_id, stated)


def to_api_checked(checked: CheckedMeasurement, detail: bool) -> dict[str, Any]:
    """A row of the answer."""
    row: dict[str, Any] = dict.fromkeys(CHECK_COLUMNS)
    row["row_id"], row["warnings"] = checked.asked.row_id, ";".join(checked.warnings)
    assessment = checked.assessment
    if checked.error is not None:
        row["error_code"], row["error_detail"] = checked.error.slug, checked.error.detail
    if assessment is not None:
        row |= _conditions(assessment) | _grade(assessment) | _memory(assessment)
        if assessment.ceilings.strict is not None:
            row |= _bound(assessment.ceilings.strict)
    if detail:
        row["findings"] = None if assessment is None else [each._asdict() for each in assessment.findings]
    return row


def _conditions(assessment: Assessment) -> dict[str, Any]:
    measured = assessment.measured
    conditions = measured.conditions
    return {
        "architecture": None if conditions.architecture is None else conditions.architecture.id,
        "accelerator": None if conditions.accelerator is None else conditions.accelerator.id,
        "accelerator_count": conditions.accelerator_count,
        "concurrency": to_api_figure(conditions.concurrency),
        "conditions_stated": len(assessment.stated.stated),
        "missing_conditions": ";".join(assessment.stated.missing),
        "incomplete_conditions": ";".join(assessment.stated.incomplete),
        "output_tokens_per_s": to_api_figure(measured.output_tokens_per_s),
        "output_tokens_per_s_per_accelerator": to_api_figure(measured.output_tokens_per_s_per_accelerator),
        "ttft_ms": to_api_figure(measured.value.ttft.typical),
        "tpot_ms": to_api_figure(tpot_ms(measured)),
        "accelerators_from_factors": accelerators_from_factors(measured),
    }


def _grade(assessment: Assessment) -> dict[str, Any]:
    ceilings = assessment.ceilings
    expected = ceilings.expected
    return {
        "grade": assessment.grade,
        "may_enter_cost": assessment.may_enter_cost,
        "reasons": "; ".join(assessment.reasons),
        "red_flags": ";".join(assessment.codes),
        "roofline_ratio": to_api_figure(ceilings.roofline_ratio),
        "bound_expected_experts_tokens_per_s_per_accelerator": to_api_figure(
            None if expected is None else expected.tokens_per_s
        ),
        "roofline_expected_experts_ratio": to_api_figure(ceilings.expected_ratio),
        "little_ratio": to_api_figure(assessment.little_ratio),
        "weight_precision": ceilings.weight_precision,
        "compute_bound_batch": to_api_figure(assessment.compute_bound_batch),
        "compute_bound_batch_expected_experts": to_api_figure(assessment.compute_bound_batch_of_experts),
        "assumptions": "; ".join(ceilings.assumptions),
    }


def _memory(assessment: Assessment) -> dict[str, Any]:
    precision = assessment.ceilings.weight_precision
    sizes = None if precision is None else memory_bytes(assessment.measured, precision)
    weights, keys, memory = sizes or (None, None, None)
    return {
        "weights_gib": to_api_figure(weights and weights / _GIB),
        "kv_gib": to_api_figure(None if keys is None else keys / _GIB),
        "memory_gib": to_api_figure(memory and memory / _GIB),
    }


def _bound(bound: PhysicalBound) -> dict[str, Any]:
    arithmetic = bound.roof.arithmetic
    return {
        "bound_tokens_per_s_per_accelerator": to_api_figure(bound.tokens_per_s),
        "limiting_resource": bound.limiting,
        "prefill_flop_per_request": to_api_figure(bound.work.prefill_flop),
        "decode_flop_per_request": to_api_figure(bound.work.decode_flop),
        "head_flop_per_request": to_api_figure(bound.work.head_flop),
        "attention_flop_per_request": to_api_figure(bound.work.attention_flop),
        "kv_bytes_per_output_token": to_api_figure(bound.work.kv_bytes),
        "state_bytes_per_output_token": to_api_figure(bound.work.state_bytes),
        "weight_bytes_per_output_token": to_api_figure(bound.weight_bytes),
        "compute_ms_per_request": to_api_figure(None if bound.compute_s is None else bound.compute_s * 1000),
        "memory_ms_per_request": to_api_figure(None if bound.memory_s is None else bound.memory_s * 1000),
        "peak_tflops": to_api_figure(None if arithmetic is None else arithmetic.tflops),
        "peak_format": None if arithmetic is None else arithmetic.format or None,
        "bandwidth_gb_per_s": to_api_figure(bound.roof.bandwidth_gb_per_s),
    }
