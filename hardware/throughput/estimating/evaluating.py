"""Physics times learned residuals at operating points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hardware.throughput.estimating.anchors import QUANTITIES
from hardware.throughput.estimating.features import features
from hardware.throughput.estimating.points import Kind, Points, column
from hardware.throughput.estimating.residuals.kinship import kinship_of
from hardware.throughput.estimating.residuals.learned import Learned
from hardware.throughput.physics.arrivals import queue_seconds
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.figures import Array

#: Kinds whose throughput a kernel corrects: few rows, by cell.
BY_KERNEL: tuple[Kind, ...] = ("dataset", "served")
#: Longest load of prefill with which a queue is computed.
FULLEST = 0.97


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Estimates at operating points, shape (n, m).

    Attributes:
        values: output tokens a second of a replica (`throughput`), seconds (`tpot`, `ttft`), by quantity.
        spreads: standard deviation of the logarithm, by what learned models disagree.
    """

    values: Mapping[str, Array]
    spreads: Mapping[str, Array]


def base(points: Points, constants: Constants) -> dict[str, Array]:
    """What physics says of each quantity before any residual."""
    run = points.operation
    shape = np.broadcast_shapes(points.clients.shape, np.shape(run.tpot_s))
    closed = column([float(kind in ("closed", "pools")) for kind in points.kinds]) > 0
    rated = column([float(kind == "rate") for kind in points.kinds]) > 0
    ttft = run.ttft_s
    if rated.any():
        ttft = np.where(rated, _poisson_ttft(points, constants), run.ttft_s)
    found = {
        "throughput": np.where(closed, run.output_per_s, run.saturated_per_s),
        "tpot": run.tpot_s,
        "ttft": ttft,
    }
    return {name: np.broadcast_to(np.asarray(each, dtype=np.float64), shape) for name, each in found.items()}


def _poisson_ttft(points: Points, c: Constants) -> Array:
    """Prefill, its queue (M/G/1), and the step that a request comes upon: p50 of the TPOT limit where p99 limits are met."""
    run = points.operation
    limits = column(
        [
            (question.tpot_limit_ms or np.inf) / 1e3 if question.p99_limits else np.inf
            for question in (plan.question for plan in points.plans)
        ]
    )
    rate = np.nan_to_num(points.rate, nan=0.0)
    service = np.minimum(run.shared_prefill_s, FULLEST / np.maximum(rate, 1e-12))
    step = np.where(np.isfinite(limits), limits * c.p50_of_p99_limit, run.tpot_s)
    return np.asarray(run.prefill_s + queue_seconds(rate, service) + step)


def evaluate(points: Points, learned: Learned, quantities: Sequence[str] = QUANTITIES) -> Evaluated:
    """Estimates of the quantities: physics · exp(residual)."""
    physics = base(points, learned.constants)
    shape = physics["tpot"].shape
    kinds = points.kinds
    table = features(points)
    # Latencies under Poisson arrivals are those of as many requests in flight: the forest knows them as a closed loop.
    as_closed = any(kind in ("served", "rate") for kind in kinds)
    if as_closed:
        closed: list[Kind] = ["closed" if kind in ("served", "rate") else kind for kind in kinds]
        by_forest = learned.forest.predict(features(replace(points, kinds=closed)), quantities)
    else:
        by_forest = learned.forest.predict(table, quantities)
    residuals = {name: mean.reshape(shape).copy() for name, (mean, _) in by_forest.items()}
    spreads = {name: spread.reshape(shape).copy() for name, (_, spread) in by_forest.items()}
    for quantity, kernel, served in (
        ("throughput", "served", BY_KERNEL),
        ("ttft", "poisson_ttft", ("rate",)),
    ):
        chosen = np.array([kind in served for kind in kinds])
        if quantity in residuals and chosen.any():
            rows = np.repeat(chosen, shape[1])
            mean, spread = learned.kernels[kernel].predict(table[rows])
            residuals[quantity][chosen] = mean.reshape(-1, shape[1])
            spreads[quantity][chosen] = spread.reshape(-1, shape[1])
    # What one GPU generation taught misleads about another: leaving a generation out, physics alone was better than physics with
    # the others' residuals (docs/throughput-estimates.md). Times to first token, which physics knows least, keep theirs.
    unseen = [
        kinship_of(plan.question.accelerator, learned.accelerators, kind) == "unseen"
        for plan, kind in zip(points.plans, kinds, strict=True)
    ]
    for name in ("throughput", "tpot"):
        if name in residuals:
            residuals[name][unseen] = 0.0
    values = {name: physics[name] * np.exp(residuals[name]) for name in residuals}
    if "served" in kinds and "ttft" in values and "throughput" in values:
        _served_ttft(points, learned, values, spreads)
    return Evaluated(values, spreads)


def _served_ttft(points: Points, learned: Learned, values: dict[str, Array], spreads: dict[str, Array]) -> None:
    """TTFT of what p99 limits allow: that of Poisson arrivals at the throughput just found."""
    served = np.array([kind == "served" for kind in points.kinds])
    kinds: list[Kind] = ["rate" if kind == "served" else kind for kind in points.kinds]
    arriving = replace(points, kinds=kinds, rate=values["throughput"] / points.load.output)
    rows = np.repeat(served, points.clients.shape[1])
    mean, spread = learned.kernels["poisson_ttft"].predict(features(arriving)[rows])
    physics = np.broadcast_to(_poisson_ttft(arriving, learned.constants), points.clients.shape)
    values["ttft"][served] = physics[served] * np.exp(mean.reshape(-1, points.clients.shape[1]))
    spreads["ttft"][served] = spread.reshape(-1, points.clients.shape[1])
