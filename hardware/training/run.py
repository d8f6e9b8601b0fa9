"""How many accelerator-hours a training run takes, by the way its speed is known, and what energy that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from economics.money import Exact, exact
from hardware.training.compute import TrainingCompute

SpeedBasis = Literal["utilization", "achieved", "tokens_per_s", "accelerator_hours"]
SECONDS_PER_HOUR: Final = exact(3_600)
HOURS_PER_DAY: Final = exact(24)
_WATTS_PER_KW: Final = exact(1_000)


def hours_at_speed(compute: TrainingCompute, operations_per_s: Exact, goodput: Exact) -> Exact:
    """Accelerator-hours at a speed per accelerator: `operations / (speed · 3600) / goodput`.

    The speed is peak × utilization, or what was achieved; both count what the hardware executes, recompute included.

    Args:
        goodput: share of the hours that move the run forward, 0–1: the rest goes to failures, restarts and checkpoints.

    Worked number (Megatron-LM, SC21): GPT-3, 8 · 175·10⁹ · 300·10⁹ at 140 TFLOP/s is 833,333 hours, 33.9 days on 1,024 A100.
    """
    return compute.executed / (operations_per_s * SECONDS_PER_HOUR) / goodput


def hours_at_tokens_per_s(tokens: Exact, tokens_per_s_per_accelerator: Exact, goodput: Exact) -> Exact:
    """Accelerator-hours at a measured speed: `tokens / (tokens/s · 3600) / goodput`.

    >>> hours_at_tokens_per_s(exact(36 * 10**9), exact(10_000), exact(1)).to_text()
    '1000'
    """
    return tokens / (tokens_per_s_per_accelerator * SECONDS_PER_HOUR) / goodput


def utilization(operations: Exact, accelerator_hours: Exact, peak_per_s: Exact) -> Exact:
    """Share of the dense peak over all hours: MFU with the model's operations, HFU with those executed.

    Worked number: 3.8·10²⁵ in 30.84 million H100 hours at 989 TFLOP/s is 34.6 %: all hours, lost ones included; the paper's 38-43 %
    are in-run.

    >>> peak = exact(989 * 10**12)
    >>> utilization(exact(38 * 10**24), exact(30_840_000), peak).to_text()[:6]
    '0.3460'
    """
    return operations / (accelerator_hours * SECONDS_PER_HOUR * peak_per_s)


@dataclass(frozen=True, slots=True)
class WallClock:
    """How long the run takes on so many accelerators."""

    hours: Exact
    days: Exact


def wall_clock(accelerator_hours: Exact, accelerators: Exact) -> WallClock:
    """`accelerator-hours / accelerators`, in hours and days.

    >>> wall_clock(exact(48_000), exact(1_000)).days.to_text()
    '2'
    """
    hours = accelerator_hours / accelerators
    return WallClock(hours, hours / HOURS_PER_DAY)


def energy_kwh(accelerator_hours: Exact, power_w: Exact, pue: Exact) -> Exact:
    """Energy at the meter: `hours · W / 1000 · PUE`, of the accelerators without hosts and network unless the power has them.

    >>> energy_kwh(exact(1_000), exact(700), exact(1)).to_text()
    '700'
    """
    return accelerator_hours * power_w / _WATTS_PER_KW * pue
