"""The grade of a measurement: the lowest that applies, with the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.throughput.question import Grade
from hardware.throughput.trust.ceilings import SEEN_RATIO, Ceilings
from hardware.throughput.trust.conditions import CONDITIONS, Stated
from hardware.throughput.trust.finding import GRADES, Finding, worst
from hardware.throughput.trust.measurement import Measurement

ENOUGH: Final = 11
"""Conditions of 14 that B asks for."""
SUSTAINED_S: Final = 600.0
SUSTAINED_ROUNDS: Final = 10
#: What B asks for by name, beside `ENOUGH`; without the hit rate of the prefix cache rows are not comparable.
_FOR_B: Final = (
    "input_lengths",
    "output_lengths",
    "arrival",
    "accelerators",
    "precision",
    "engine",
    "counting",
    "prefix_cache",
)
#: What C asks for by name.
_FOR_C: Final = ("input_lengths", "output_lengths", "accelerators", "precision")


@dataclass(frozen=True, slots=True)
class GradeWithReasons:
    """A to D and F; the reasons are those that keep it from being A, the weightiest first."""

    grade: Grade
    reasons: tuple[str, ...]

    @property
    def may_enter_cost(self) -> bool:
        """D may be shown, F is quarantined: neither may enter a cost."""
        return self.grade in ("A", "B", "C")


def grade(measured: Measurement, stated: Stated, ceilings: Ceilings, findings: list[Finding]) -> GradeWithReasons:
    """The lowest grade that applies.

    A: all 14 conditions, audited or with its command, sustained, a 99th percentile, at most 0.8 of the bound. B: 11 of them with
    lengths, load, accelerators, precision, engine version, counting and prefix cache, and no red flag. C: lengths,
    accelerators and precision. D: per-user speed only, or one of those missing. F: above the bound, or contradicts itself.
    """
    kept: list[tuple[Grade, str]] = [(each.ceiling, each.text) for each in findings if each.ceiling != "A"]
    if measured.output_tokens_per_s_per_accelerator is None:
        kept.append(("D", "no output tokens/s per accelerator of the whole system follow from it"))
    kept += [("D", f"{name.replace('_', ' ')} not stated") for name in _FOR_C if name not in stated.stated]
    kept += [("C", f"{name.replace('_', ' ')} not stated") for name in _FOR_B if name not in (*_FOR_C, *stated.stated)]
    if len(stated.stated) < ENOUGH:
        kept.append(("C", f"{len(stated.stated)} of {len(CONDITIONS)} conditions stated"))
    kept += [("B", reason) for reason in _short_of_a(measured, stated, ceilings)]
    kept.sort(key=lambda each: GRADES.index(each[0]), reverse=True)
    return GradeWithReasons(worst([each for each, _ in kept]), tuple(dict.fromkeys(text for _, text in kept)))


def _short_of_a(measured: Measurement, stated: Stated, ceilings: Ceilings) -> list[str]:
    conditions, value = measured.conditions, measured.value
    reasons = []
    if not stated.complete:
        reasons.append("conditions incomplete: " + ", ".join((*stated.missing, *stated.incomplete)))
    if conditions.source_kind != "auditor" and conditions.command is None:
        reasons.append("neither audited nor with a command to repeat it")
    rounds = None
    if conditions.requests is not None and conditions.concurrency:
        rounds = conditions.requests / conditions.concurrency
    if (conditions.duration_s or 0.0) < SUSTAINED_S and (rounds or 0.0) < SUSTAINED_ROUNDS:
        reasons.append("not shown to be sustained: 10 minutes, or requests of 10 times the concurrency")
    if value.ttft.p99 is None and value.tpot.p99 is None:
        reasons.append("no 99th percentile of a latency")
    if ceilings.roofline_ratio is None or ceilings.roofline_ratio > SEEN_RATIO:
        reasons.append(f"not known to be at most {SEEN_RATIO} of the physical bound")
    return reasons
