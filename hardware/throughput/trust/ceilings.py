"""The bounds of a measurement, with what has to be assumed where a condition is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.throughput.trust.bound import PhysicalBound, RequestLoad, Roof, physical_bound, roof_of
from hardware.throughput.trust.consistency import memory_bytes
from hardware.throughput.trust.finding import Finding
from hardware.throughput.trust.measurement import Measurement

#: Where no precision is stated: the widest of whose bound the figure is a share that was seen.
_READINGS: Final = ("bf16", "fp8", "nvfp4")
SEEN_RATIO: Final = 0.8
"""Nearly all of 5,938 collected measurements lie at or below 0.78 of the bound, one at 0.91; medians 0.06 to 0.40."""


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Strict bound and the one with the expected number of distinct experts, and the measured figure's share of each.

    Attributes:
        weight_precision: as stated, or as it had to be read.
        assumptions: what was not stated and has been assumed, in words; also why there is no bound.
    """

    strict: PhysicalBound | None
    expected: PhysicalBound | None
    roofline_ratio: float | None
    expected_ratio: float | None
    weight_precision: str | None
    assumptions: tuple[str, ...]

    def findings(self) -> list[Finding]:
        """What the ratios say: above 1 is impossible as stated, above 0.8 is above anything seen."""
        if self.strict is None or self.roofline_ratio is None:
            return []
        if self.roofline_ratio > 1:
            text = (
                f"{self.roofline_ratio:.3g} times what the {self.strict.limiting.replace('_', ' ')} of the accelerators "
                "allows: impossible as stated"
            )
            return [Finding("above_physical_bound", text, "F")]
        found = []
        if self.expected_ratio is not None and self.expected_ratio > 1:
            text = f"{self.expected_ratio:.3g} times the bound with the expected number of distinct experts"
            found.append(Finding("above_expected_expert_bound", text, "C"))
        if self.roofline_ratio > SEEN_RATIO:
            text = f"{self.roofline_ratio:.3g} of the physical bound: above anything that was seen"
            found.append(Finding("above_anything_seen", text, "C"))
        return found


def ceilings_of(measured: Measurement) -> Ceilings:
    """The bounds of what was measured.

    Without a stated precision 16-bit weights are assumed, unless they do not fit or the figure is above what was ever seen of
    their bound: then it has run in fewer bits. Where the number of accelerators is uncertain there is a bound, and no share of it.
    """
    conditions = measured.conditions
    if conditions.architecture is None or not conditions.osl_tokens:
        return Ceilings(
            None, None, None, None, conditions.weight_precision, ("no bound: model or output length missing",)
        )
    if conditions.accelerator is None and measured.peak_tflops is None and measured.bandwidth_gb_per_s is None:
        return Ceilings(None, None, None, None, conditions.weight_precision, ("no bound: accelerator missing",))
    figure = measured.output_tokens_per_s_per_accelerator if measured.count_is_certain else None
    precision, strict = _reading(measured, figure)
    if strict is None:
        return Ceilings(
            None, None, None, None, precision, ("no bound: no dense peak is published, or nothing known is read",)
        )
    expected = None
    if conditions.architecture.is_moe and conditions.concurrency is not None:
        expected = _bound(measured, precision, expected_experts=True)
    return Ceilings(
        strict,
        expected,
        None if figure is None else figure / strict.tokens_per_s,
        None if figure is None or expected is None else figure / expected.tokens_per_s,
        precision,
        tuple(_assumptions(measured, precision, strict.roof)),
    )


def _reading(measured: Measurement, figure: float | None) -> tuple[str, PhysicalBound | None]:
    """The stated precision, else the widest that fits and leaves the figure a share that was seen, else the narrowest."""
    stated = measured.conditions.weight_precision
    readings = (stated,) if stated else _READINGS
    for precision in readings[:-1]:
        bound = _bound(measured, precision, expected_experts=False)
        if (
            bound is not None
            and _fits(measured, precision)
            and (figure is None or figure <= SEEN_RATIO * bound.tokens_per_s)
        ):
            return precision, bound
    return readings[-1], _bound(measured, readings[-1], expected_experts=False)


def _fits(measured: Measurement, precision: str) -> bool:
    sizes = memory_bytes(measured, precision)
    return sizes is None or sizes[0] <= sizes[2]


def _bound(measured: Measurement, precision: str, *, expected_experts: bool) -> PhysicalBound | None:
    conditions = measured.conditions
    assert conditions.architecture is not None
    assert conditions.osl_tokens is not None
    roof = roof_of(conditions.accelerator, precision, measured.peak_tflops, measured.bandwidth_gb_per_s)
    load = RequestLoad(
        conditions.architecture,
        conditions.isl_tokens or 0.0,
        conditions.osl_tokens,
        precision,
        conditions.kv_precision or (None if conditions.weight_precision else "fp8"),
        conditions.concurrency,
        conditions.prefix_cache_hit_ratio or 0.0,
    )
    return physical_bound(load, roof, expected_experts=expected_experts)


def _assumptions(measured: Measurement, precision: str, roof: Roof) -> list[str]:
    conditions = measured.conditions
    said = []
    if conditions.weight_precision is None:
        reason = (
            "" if precision == _READINGS[0] else ", since wider weights do not fit or leave no room below the bound"
        )
        said.append(f"weight precision not stated: {precision} assumed{reason}")
    if conditions.kv_precision is None:
        wide = conditions.weight_precision in ("bf16", "fp16")
        said.append(f"precision of keys and values not stated: {2 if wide else 1} bytes an element")
    if conditions.isl_tokens is None:
        said.append("input length not stated: no prefill counted")
    if conditions.concurrency is None:
        said.append("concurrency not stated: no reading of weights counted")
    if conditions.prefix_cache_hit_ratio is None:
        said.append("prefix cache not stated: all input is computed")
    if roof.arithmetic is None:
        said.append("no dense peak is published of that accelerator: bound by its bandwidth alone")
    elif roof.arithmetic.format and not precision.endswith(roof.arithmetic.format):
        said.append(f"{precision} weights are computed with in {roof.arithmetic.format} there")
    if roof.bandwidth_gb_per_s is None:
        said.append("no bandwidth is published of that accelerator: bound by its arithmetic alone")
    return said
