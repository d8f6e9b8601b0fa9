"""How many requests may be in flight under limits of TPOT and TTFT."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from economics.errors import PermillionError
from hardware.throughput.estimating.anchoring import Anchoring
from hardware.throughput.estimating.anchors import Excluded
from hardware.throughput.estimating.evaluating import evaluate
from hardware.throughput.estimating.planning import Plan
from hardware.throughput.estimating.points import column, crossing, grid, kind_of, loads, points_at
from hardware.throughput.estimating.residuals.learned import Learned
from hardware.throughput.estimating.speculating import tpot_factor
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import stacked
from hardware.throughput.physics.figures import Array

#: Batches at which estimates are made between 1 and the largest; between them on logarithms.
COARSE = 12


def limited_clients(
    plans: Sequence[Plan], learned: Learned, anchoring: Anchoring, without: Sequence[Excluded]
) -> list[float | PermillionError]:
    """Requests in flight on a replica: the most within the limits, or that memory holds where there is none; `infeasible` else."""
    c = learned.constants
    d = stacked([plan.deployment for plan in plans])
    kinds = [kind_of(plan) for plan in plans]
    nothing = column([np.nan] * len(plans))
    whole = grid(d, c, loads(plans, c, nothing))
    batches = whole[:, np.round(np.linspace(0, whole.shape[1] - 1, COARSE)).astype(int)]
    points = points_at(plans, kinds, d, c, batches, nothing)
    # Trees are asked for TTFT only where somebody limits it.
    names = ("tpot", "ttft") if any(plan.question.ttft_limit_ms is not None for plan in plans) else ("tpot",)
    found = evaluate(points, learned, names)
    times = {
        name: np.maximum.accumulate(found.values[name] * np.exp(anchoring.corrections(points, name, without)), axis=1)
        for name in names
    }
    tpot = np.maximum.accumulate(times["tpot"] * tpot_factor(points, c), axis=1)
    ttft = times.get("ttft", np.zeros_like(tpot))
    most = batches[:, -1:]
    limits = [_median_limits_ms(plan, c) for plan in plans]
    by_tpot = _most_within(batches, tpot, [tpot_ms for tpot_ms, _ in limits], most)
    by_ttft = _most_within(batches, ttft + 1e-12, [ttft_ms for _, ttft_ms in limits], most)
    return [
        _refusal(plan, c, float(tpot[place, 0]), float(ttft[place, 0]))
        or float(min(by_tpot[place, 0], by_ttft[place, 0]))
        for place, plan in enumerate(plans)
    ]


def _median_limits_ms(plan: Plan, c: Constants) -> tuple[float | None, float | None]:
    """Limits of the median: as stated, or where they are of the 99th percentile their usual share of it."""
    share = c.p50_of_p99_limit if plan.question.p99_limits else 1.0
    tpot_ms, ttft_ms = plan.question.tpot_limit_ms, plan.question.ttft_limit_ms
    return None if tpot_ms is None else tpot_ms * share, None if ttft_ms is None else ttft_ms * share


def _most_within(batches: Array, times: Array, limits_ms: Sequence[float | None], most: Array) -> Array:
    limits = column([limit / 1e3 if limit is not None else np.inf for limit in limits_ms])
    return np.where(np.isfinite(limits), crossing(batches, times, np.minimum(limits, 1e9)), most)


def _refusal(plan: Plan, c: Constants, tpot_s: float, ttft_s: float) -> PermillionError | None:
    """The refusal where one request alone already takes longer than a limit."""
    tpot_ms, ttft_ms = _median_limits_ms(plan, c)
    for limit, reached, name in (
        (tpot_ms, tpot_s * 1e3, "tpot_limit_ms"),
        (ttft_ms, ttft_s * 1e3, "ttft_limit_ms"),
    ):
        if limit is not None and reached > limit * (1.0 + 1e-9):
            return PermillionError(
                "infeasible",
                f"no batch meets the limit of {limit:g} ms: one request alone takes about {reached:.3g} ms",
                pointer=f"/{name}",
            )
    return None
