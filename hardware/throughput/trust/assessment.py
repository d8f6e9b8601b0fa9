"""All that is said of a measurement: bound, agreement, red flags and grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hardware.throughput.physics.model.precision import WEIGHT_BYTES
from hardware.throughput.question import Grade
from hardware.throughput.trust.bound import compute_bound_batch, compute_bound_batch_of_experts, roof_of
from hardware.throughput.trust.ceilings import Ceilings, ceilings_of
from hardware.throughput.trust.conditions import Stated, stated_conditions
from hardware.throughput.trust.consistency import contradictions, little_ratio
from hardware.throughput.trust.finding import Finding
from hardware.throughput.trust.grading import grade
from hardware.throughput.trust.measurement import Measurement
from hardware.throughput.trust.sweeps import sweep_findings
from hardware.throughput.trust.watering import red_flags


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a measurement is worth.

    Attributes:
        findings: contradictions and red flags, each with the best grade that it leaves.
        compute_bound_batch: requests in a step at which reading weights takes as long as computing with them;
            `compute_bound_batch_of_experts` with the expected number of distinct experts.
    """

    measured: Measurement
    ceilings: Ceilings
    stated: Stated
    findings: tuple[Finding, ...]
    grade: Grade
    reasons: tuple[str, ...]
    may_enter_cost: bool
    little_ratio: float | None
    compute_bound_batch: float | None
    compute_bound_batch_of_experts: float | None

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the findings, each once."""
        return tuple(dict.fromkeys(each.code for each in self.findings))


def assess(rows: Sequence[Measurement]) -> list[Assessment]:
    """Each measurement, on its own and beside the others of its sweep; answer i is of row i.

    >>> from hardware.throughput.trust.measurement import Conditions, Value
    >>> (bare,) = assess([Measurement(Value(529.0), Conditions())])
    >>> bare.grade, bare.may_enter_cost
    ('D', False)
    """
    beside = sweep_findings(rows)
    return [_assess(row, beside.get(index, [])) for index, row in enumerate(rows)]


def _assess(measured: Measurement, beside: list[Finding]) -> Assessment:
    ceilings = ceilings_of(measured)
    stated = stated_conditions(measured)
    findings = [
        *ceilings.findings(),
        *contradictions(measured, ceilings.weight_precision),
        *red_flags(measured),
        *beside,
    ]
    graded = grade(measured, stated, ceilings, findings)
    batch, batch_of_experts = _compute_bound_batches(measured, ceilings.weight_precision)
    return Assessment(
        measured,
        ceilings,
        stated,
        tuple(findings),
        graded.grade,
        graded.reasons,
        graded.may_enter_cost,
        little_ratio(measured),
        batch,
        batch_of_experts,
    )


def _compute_bound_batches(measured: Measurement, weight_precision: str | None) -> tuple[float | None, float | None]:
    if weight_precision is None:
        return None, None
    conditions = measured.conditions
    roof = roof_of(conditions.accelerator, weight_precision, measured.peak_tflops, measured.bandwidth_gb_per_s)
    if roof.arithmetic is None or roof.bandwidth_gb_per_s is None:
        return None, None
    peak, bandwidth = roof.arithmetic.tflops, roof.bandwidth_gb_per_s
    of_experts = None
    if conditions.architecture is not None and conditions.architecture.is_moe:
        of_experts = compute_bound_batch_of_experts(conditions.architecture, weight_precision, peak, bandwidth)
    return compute_bound_batch(WEIGHT_BYTES[weight_precision], peak, bandwidth), of_experts
