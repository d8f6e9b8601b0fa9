"""Use case: measurements held against physics, against themselves and against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from api.services.throughput.machines import Machines
from economics.errors import PermillionError
from hardware.throughput.trust.assessment import Assessment, assess
from hardware.throughput.trust.factors import parse_factors
from hardware.throughput.trust.formats import check_kv_precision, check_weight_precision
from hardware.throughput.trust.measurement import Claims, Conditions, Counted, Measurement, Percentiles, Scope, Value


@dataclass(frozen=True, slots=True)
class MeasurementToCheck:
    """One row: what was stated, by field; or what is wrong with it."""

    row_id: str | int
    stated: Mapping[str, Any]
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class CheckedMeasurement:
    """The answer to one row."""

    asked: MeasurementToCheck
    assessment: Assessment | None = None
    warnings: tuple[str, ...] = ()
    error: PermillionError | None = None


class _Figure(NamedTuple):
    """What the name of a field says of its value."""

    counted: Counted
    scope: Scope


_FIGURES: Final[Mapping[str, _Figure]] = {
    "output_tokens_per_s": _Figure("output", "system"),
    "output_tokens_per_s_per_accelerator": _Figure("output", "accelerator"),
    "output_tokens_per_s_per_user": _Figure("output", "user"),
    "total_tokens_per_s": _Figure("input_and_output", "system"),
    "total_tokens_per_s_per_accelerator": _Figure("input_and_output", "accelerator"),
}
_PLAIN: Final = tuple(
    field.name for field in fields(Conditions) if field.name not in ("architecture", "accelerator", "factors")
)


def check(rows: Sequence[MeasurementToCheck], machines: Machines) -> list[CheckedMeasurement]:
    """Row i answers row i; rows of one request whose other conditions are equal are held against each other."""
    read = [_read(row, machines) for row in rows]
    good = [each for each in read if isinstance(each, Measurement)]
    answers = iter(assess(good))
    checked = []
    for row, each in zip(rows, read, strict=True):
        if isinstance(each, PermillionError):
            checked.append(CheckedMeasurement(row, error=each))
        else:
            assessment = next(answers)
            checked.append(CheckedMeasurement(row, assessment, tuple(_warnings(assessment))))
    return checked


def _read(row: MeasurementToCheck, machines: Machines) -> Measurement | PermillionError:
    if row.error is not None:
        return row.error
    try:
        return measurement_from(row.stated, machines)
    except PermillionError as error:
        return error


def measurement_from(stated: Mapping[str, Any], machines: Machines) -> Measurement:
    """The measurement that the fields of a row state.

    Raises:
        PermillionError: `unknown-architecture`, `unknown-accelerator`; `invalid-fields` for a precision or a label that is none,
            two figures that count differently, and a bare tokens/s.
    """
    given = {name: value for name, value in stated.items() if value is not None}
    architecture, accelerator, label = (given.get(name) for name in ("architecture", "accelerator", "parallelism"))
    if "weight_precision" in given:
        check_weight_precision(given["weight_precision"])
    if "kv_precision" in given:
        check_kv_precision(given["kv_precision"])
    conditions = Conditions(
        architecture=None if architecture is None else machines.architecture(architecture),
        accelerator=None if accelerator is None else machines.accelerator(accelerator),
        factors=None if label is None else parse_factors(label),
        **{name: given[name] for name in _PLAIN if name in given},
    )
    claims = Claims(**{field.name: given[field.name] for field in fields(Claims) if field.name in given})
    return Measurement(_value(given), conditions, claims, given.get("peak_tflops"), given.get("bandwidth_gb_per_s"))


def _value(given: Mapping[str, Any]) -> Value:
    name, per_accelerator = _figure_named(given)
    counted, scope = _FIGURES.get(name or "", _Figure("output", "system"))
    if name == "tokens_per_s":
        if "counted" not in given or "scope" not in given:
            detail = "a bare tokens/s says nothing: state counted (output, input or both) and scope, or use a field that says them"
            raise PermillionError("invalid-fields", detail, pointer="/tokens_per_s")
        counted, scope = given["counted"], given["scope"]
    return Value(
        tokens_per_s=None if name is None else given[name],
        counted=counted,
        scope=scope,
        window=given.get("window"),
        kind=given.get("value_kind", "mean"),
        per_accelerator=per_accelerator,
        peak_tokens_per_s=given.get("peak_tokens_per_s"),
        ttft=_percentiles(given, "ttft"),
        tpot=_percentiles(given, "tpot"),
        latency_ms=given.get("latency_ms"),
    )


def _figure_named(given: Mapping[str, Any]) -> tuple[str | None, float | None]:
    """The field that holds the figure; beside the system's, the same counted per accelerator is held against it."""
    found = [name for name in (*_FIGURES, "tokens_per_s") if name in given]
    if len(found) == 2 and found[1] == f"{found[0]}_per_accelerator":
        return found[0], given[found[1]]
    if len(found) > 1:
        detail = f"{' and '.join(found)} are figures of different definitions: one row has one"
        raise PermillionError("invalid-fields", detail, pointer=f"/{found[1]}")
    return (found[0] if found else None), None


def _percentiles(given: Mapping[str, Any], name: str) -> Percentiles:
    return Percentiles(
        given.get(f"{name}_ms"),
        given.get(f"{name}_mean_ms"),
        given.get(f"{name}_p50_ms"),
        given.get(f"{name}_p99_ms"),
    )


def _warnings(assessment: Assessment) -> list[str]:
    measured = assessment.measured
    conditions = measured.conditions
    return [
        code
        for code, said in (
            (
                "weight_precision_assumed",
                conditions.weight_precision is None and assessment.ceilings.strict is not None,
            ),
            ("kv_precision_assumed", conditions.kv_precision is None and assessment.ceilings.strict is not None),
            ("bound_unknown", assessment.ceilings.strict is None),
            ("peak_stated_by_caller", measured.peak_tflops is not None),
            ("bandwidth_stated_by_caller", measured.bandwidth_gb_per_s is not None),
            ("tpot_converted", conditions.tpot_definition == "whole_latency"),
        )
        if said
    ]
