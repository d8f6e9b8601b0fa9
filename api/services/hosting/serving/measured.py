"""A measured throughput: graded by its conditions before it may enter a cost."""

from __future__ import annotations

from typing import Final

from api.services.hosting.deployment import Deployment, MeasuredThroughput
from api.services.hosting.serving.throughput import HostedThroughput, positive_time, precision_warnings, to_exact
from api.services.throughput.checking import measurement_from
from api.services.throughput.machines import Machines
from economics.errors import PermillionError
from economics.hosting.query_time import QueryTokens, SustainedOutput
from hardware.throughput.question import Range
from hardware.throughput.trust.assessment import Assessment, assess
from hardware.throughput.trust.consistency import tpot_ms
from hardware.throughput.trust.measurement import Conditions

_POINTER: Final = "/throughput/measurement"
_SAME_LENGTH: Final = 0.1
"""Lengths that differ by more are lengths of other queries: a throughput does not carry over."""


def measured_throughput(deployment: Deployment, tokens: QueryTokens, machines: Machines) -> HostedThroughput:
    """The operating point of a measurement.

    Raises:
        PermillionError: `not-for-cost` with the reasons of grade D or F; `contradictory-context` where it was measured on another
            model, accelerator or number of them.
    """
    asked = deployment.throughput
    assert isinstance(asked, MeasuredThroughput)
    (assessment,) = assess([measurement_from(_completed(asked, deployment, tokens), machines)])
    measured, conditions = assessment.measured, assessment.measured.conditions
    output = measured.output_tokens_per_s
    if not assessment.may_enter_cost or output is None:
        why = "; ".join(assessment.reasons) or "no output tokens per second of the whole system"
        raise PermillionError("not-for-cost", f"grade {assessment.grade}: {why}", pointer=_POINTER)
    _check_same(conditions, deployment)
    point = SustainedOutput(to_exact(output))
    each = tpot_ms(measured)
    return HostedThroughput(
        point,
        positive_time(point, tokens),
        None,
        "measured",
        assessment.grade,
        source=conditions.source,
        ttft_ms=_alone(measured.value.ttft.typical),
        tpot_ms=_alone(each),
        concurrency=None if conditions.concurrency is None else to_exact(conditions.concurrency),
        weight_precision=conditions.weight_precision or deployment.serving.weight_precision,
        kv_precision=conditions.kv_precision or deployment.serving.kv_precision,
        assumptions=assessment.ceilings.assumptions,
        warnings=tuple(_warnings(assessment, tokens)),
    )


def _completed(asked: MeasuredThroughput, deployment: Deployment, tokens: QueryTokens) -> dict[str, object]:
    of_row = {
        "architecture": deployment.model,
        "accelerator": deployment.accelerator,
        "accelerator_count": deployment.accelerator_count,
        "weight_precision": deployment.serving.weight_precision,
        "kv_precision": deployment.serving.kv_precision,
        "isl_tokens": float(tokens.input.to_decimal()),
        "osl_tokens": float(tokens.output.to_decimal()),
    }
    return {name: value for name, value in of_row.items() if value is not None} | dict(asked.stated)


def _check_same(conditions: Conditions, deployment: Deployment) -> None:
    model = None if conditions.architecture is None else conditions.architecture.id
    device = None if conditions.accelerator is None else conditions.accelerator.id
    for what, measured, hosted in (
        ("model", model, deployment.model),
        ("accelerator", device, deployment.accelerator),
        ("number of accelerators", conditions.accelerator_count, deployment.accelerator_count),
    ):
        if measured is not None and hosted is not None and measured != hosted:
            raise PermillionError(
                "contradictory-context", f"it was measured on another {what} than is hosted", pointer=_POINTER
            )


def _warnings(assessment: Assessment, tokens: QueryTokens) -> list[str]:
    conditions = assessment.measured.conditions
    said = ["throughput_method=measured", f"throughput_grade={assessment.grade}", "split_unknown"]
    lengths = (
        (conditions.isl_tokens, float(tokens.input.to_decimal())),
        (conditions.osl_tokens, float(tokens.output.to_decimal())),
    )
    if any(at is not None and abs(at - asked) > _SAME_LENGTH * max(at, asked) for at, asked in lengths):
        said.append("measured_at_other_lengths")
    return [*said, *assessment.codes, *precision_warnings(conditions.weight_precision)]


def _alone(value: float | None) -> Range | None:
    return None if value is None else Range(value, value, value)
