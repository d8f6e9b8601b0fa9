"""Whether a fit knows an accelerator, knows one like it, or has to trust physics alone."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final, Literal

from hardware.accelerators.accelerator import Accelerator, shipped_accelerators

Kinship = Literal["seen", "kin", "unseen"]

#: Loads that one set of learned residuals covers.
COVERED: Final = {
    "closed": "loops",
    "static": "loops",
    "queued": "loops",
    "pools": "loops",
    "dataset": "benchmarks",
    "served": "benchmarks",
    "rate": "benchmarks",
}
#: Kin have a 16-bit peak within a quarter and a bandwidth within half of each other, and one maker.
PEAK_RATIO: Final = 1.25
BANDWIDTH_RATIO: Final = 1.5
SAID: Final = {
    "kin": "no measurement of this accelerator under such a load, only of one like it: the band is doubled",
    "unseen": "no measurement of this accelerator or one like it under such a load: throughput and TPOT by physics alone, wide band",
}


def kinship_of(accelerator: Accelerator, known: frozenset[str], kind: str) -> Kinship:
    """How well a fit that saw `known` (`loops:h100-sxm` …) knows an accelerator under a kind of load."""
    load = COVERED[kind]
    if f"{load}:{accelerator.id}" in known:
        return "seen"
    return "kin" if _has_kin(accelerator.vendor, *_figures(accelerator), load, known) else "unseen"


def _figures(accelerator: Accelerator) -> tuple[float, float]:
    peak = accelerator.dense_tflops.get("bf16") or accelerator.dense_tflops.get("fp16") or 0.0
    return peak, accelerator.bandwidth_gb_per_s or 0.0


@lru_cache(maxsize=1024)
def _has_kin(vendor: str, peak: float, bandwidth: float, load: str, known: Collection[str]) -> bool:
    shipped = shipped_accelerators()
    for name in known:
        loads, _, identity = name.partition(":")
        other = shipped.get(identity)
        if loads != load or other is None or other.vendor != vendor:
            continue
        other_peak, other_bandwidth = _figures(other)
        if _within(peak, other_peak, PEAK_RATIO) and _within(bandwidth, other_bandwidth, BANDWIDTH_RATIO):
            return True
    return False


def _within(one: float, other: float, ratio: float) -> bool:
    return one > 0 and other > 0 and max(one, other) <= ratio * min(one, other)
