"""From evaluated operating points to answers: values with bands, method, grade and what was assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from economics.errors import PermillionError
from hardware.throughput.estimating.anchoring import Anchoring, median_measured
from hardware.throughput.estimating.anchors import QUANTITIES, Excluded
from hardware.throughput.estimating.evaluating import evaluate
from hardware.throughput.estimating.planning import Plan
from hardware.throughput.estimating.points import Points, capacities
from hardware.throughput.estimating.residuals.bands import UNCALIBRATED, Band, around, scale_of
from hardware.throughput.estimating.residuals.kinship import SAID, kinship_of
from hardware.throughput.estimating.residuals.learned import Learned
from hardware.throughput.estimating.speculating import tpot_factor
from hardware.throughput.physics.model.precision import WEIGHT_BYTES
from hardware.throughput.physics.roofline import simple_formula_tokens_per_s
from hardware.throughput.question import Grade, Method, Range, ThroughputEstimate
from hardware.throughput.trust.bound import RequestLoad, physical_bound, roof_of

GRADES: dict[Method, Grade] = {"measured": "B", "anchored": "B", "physics": "C"}
#: Anchors that an answer names at most.
SHOWN = 20
#: A queue is unstable beyond doubt where even a capacity that much larger than estimated cannot serve the arrivals.
UNSTABLE = 1.5


def answer(
    points: Points, learned: Learned, anchoring: Anchoring, without: Sequence[Excluded]
) -> list[ThroughputEstimate | PermillionError]:
    """The answers at one operating point of each plan."""
    found = evaluate(points, learned)
    corrections = {name: anchoring.corrections(points, name, without) for name in QUANTITIES}
    factors = tpot_factor(points, learned.constants)
    capacity = capacities(points, learned.constants)
    answers: list[ThroughputEstimate | PermillionError] = []
    for number, plan in enumerate(points.plans):
        try:
            values = {name: float(found.values[name][number, 0]) for name in QUANTITIES}
            spreads = {name: float(found.spreads[name][number, 0]) for name in QUANTITIES}
            near = anchoring.neighbors_of(plan.question, without[number])
            method: Method = "physics"
            anchors: tuple[str, ...] = ()
            if near is not None:
                neighbors, usable = near
                method = "anchored"
                values = {name: value * float(np.exp(corrections[name][number, 0])) for name, value in values.items()}
                anchors = tuple(neighbors.anchors[place].row.row_id for place in np.flatnonzero(usable)[:SHOWN])
                same = anchoring.same(plan.question, points.kinds[number], neighbors, usable)
                if same:
                    method, anchors = "measured", tuple(row.row_id for row in same)
                    values |= median_measured(same, float(plan.deployment.accelerators))
            if plan.question.speculation is not None:
                values = _speculated(values, float(factors[number, 0]), plan.question.osl_tokens)
            answers.append(
                _answer(points, number, plan, learned, values, spreads, method, anchors, float(capacity[number, 0]))
            )
        except PermillionError as refusal:
            answers.append(refusal)
    return answers


def _speculated(values: Mapping[str, float], factor: float, output: float) -> dict[str, float]:
    """Values with drafts: TPOT by the factor of physics, throughput by Little's law."""
    rest = (output - 1.0) * values["tpot"]
    faster = (values["ttft"] + rest) / (values["ttft"] + rest * factor)
    return {**values, "tpot": values["tpot"] * factor, "throughput": values["throughput"] * faster}


def band_names(kind: str, *, limited: bool) -> dict[str, str]:
    """Which calibration each quantity of a kind of load uses."""
    output = {
        "closed": "tpot_limited" if limited else "closed_loop",
        "static": "static_batch",
        "queued": "offline_max",
        "dataset": "mlperf_offline",
        "served": "mlperf_served",
    }.get(kind, "disagg_throughput")
    return {
        "throughput": output,
        "tpot": "disagg_tpot" if kind == "pools" else "closed_loop_tpot",
        "ttft": {"pools": "disagg_ttft", "rate": "poisson_ttft", "served": "poisson_ttft"}.get(
            kind, "closed_loop_ttft"
        ),
    }


def _answer(
    points: Points,
    number: int,
    plan: Plan,
    learned: Learned,
    values: dict[str, float],
    spreads: dict[str, float],
    method: Method,
    anchors: tuple[str, ...],
    capacity: float,
) -> ThroughputEstimate:
    question, kind = plan.question, points.kinds[number]
    limited = kind in ("closed", "pools") and question.concurrency is None
    names = band_names(kind, limited=limited)
    kinship = kinship_of(question.accelerator, learned.accelerators, kind)
    assumptions = list(plan.assumptions)
    if kind == "rate":
        assumptions += _stability(question.request_rate_per_s or 0.0, question.osl_tokens, capacity * plan.replicas)
        values["throughput"] = (question.request_rate_per_s or 0.0) * question.osl_tokens / plan.replicas
    if question.p99_limits and question.tpot_limit_ms is not None:
        values["tpot"] = min(values["tpot"], question.tpot_limit_ms / 1e3 * learned.constants.p50_of_p99_limit)
    if kinship != "seen":
        assumptions.append(SAID[kinship])
    passed = "physics" if method == "physics" else "anchored"

    def banded(quantity: str, value: float, unit: float) -> Range:
        band = learned.bands.get(f"{passed}.{names[quantity]}") or UNCALIBRATED
        return around(value * unit, band, scale_of(spreads[quantity], kinship))

    clients = float(points.clients[number, 0]) * plan.replicas
    latencies = kind not in ("queued", "dataset", "static")
    tpot = banded("tpot", values["tpot"], 1e3) if latencies else None
    ttft = banded("ttft", values["ttft"], 1e3) if latencies else None
    if limited:
        tpot, ttft = _within(tpot, question.tpot_limit_ms), _within(ttft, question.ttft_limit_ms)
    elif kind == "closed":
        _check_limits(plan, tpot, ttft)
    output = banded("throughput", values["throughput"], plan.replicas)
    if kind == "rate":
        output = Range(output.value, output.value, output.value)
    step = points.operation.step.seconds
    return ThroughputEstimate(
        output_tokens_per_s=output,
        ttft_ms=ttft,
        tpot_ms=tpot,
        concurrency=clients,
        max_concurrency=float(np.asarray(points.operation.in_memory)[number, 0]) * plan.replicas,
        prefill_share=float(np.asarray(points.operation.prefill_share)[number, 0]),
        prefill_s=float(np.asarray(points.operation.prefill_s)[number, 0]),
        decode_step_s=float(np.asarray(step)[number, 0]),
        replicas=1 if plan.shape.disaggregated else max(round(plan.replicas), 1),
        accelerators_per_replica=plan.shape.accelerators,
        weight_precision=plan.weight_precision,
        kv_precision=plan.kv_precision,
        bound_tokens_per_s_per_accelerator=None if plan.shape.disaggregated else _bound(plan, clients),
        method=method,
        grade=GRADES[method],
        anchors=anchors,
        assumptions=tuple(assumptions),
        simple_formula_tokens_per_s=simple_formula_tokens_per_s(
            question.accelerator.bandwidth_gb_per_s or 0.0,
            float(plan.deployment.accelerators),
            question.architecture.total_params,
            WEIGHT_BYTES[plan.weight_precision],
            clients,
        ),
        concurrency_range=around(clients, _concurrency_band(learned, passed), scale_of(spreads["tpot"], kinship))
        if limited
        else None,
    )


def _bound(plan: Plan, clients: float) -> float | None:
    """Most output tokens a second of one accelerator; None where no figure of it limits them."""
    question = plan.question
    load = RequestLoad(
        question.architecture,
        question.isl_tokens,
        question.osl_tokens,
        plan.weight_precision,
        question.kv_precision,
        clients,
        question.cached_input_share,
    )
    found = physical_bound(load, roof_of(question.accelerator, plan.weight_precision))
    return None if found is None else found.tokens_per_s


def _concurrency_band(learned: Learned, passed: str) -> Band:
    return learned.bands.get(f"{passed}.tpot_limited_concurrency") or UNCALIBRATED


def _within(figure: Range | None, limit: float | None) -> Range | None:
    """The figure, at most its limit: the operating point was chosen so."""
    if figure is None or limit is None or figure.value <= limit:
        return figure
    return Range(limit, min(figure.low, limit), max(figure.high, limit))


def _check_limits(plan: Plan, tpot: Range | None, ttft: Range | None) -> None:
    """Raise `infeasible` where the stated load does not meet a stated limit."""
    for limit, figure, name in (
        (plan.question.tpot_limit_ms, tpot, "tpot_limit_ms"),
        (plan.question.ttft_limit_ms, ttft, "ttft_limit_ms"),
    ):
        if limit is not None and figure is not None and figure.value > limit:
            raise PermillionError(
                "infeasible",
                f"the stated concurrency takes about {figure.value:.3g} ms, above the limit of {limit:g} ms",
                pointer=f"/{name}",
            )


def _stability(rate: float, output_tokens: float, capacity: float) -> list[str]:
    """What to say of a queue: nothing, or that it is near its limit; `infeasible` where it grows without end."""
    load = rate * output_tokens / capacity
    if load >= UNSTABLE:
        raise PermillionError(
            "infeasible",
            f"unstable: arrivals ask for {load:.2f} times the estimated capacity, the queue grows without end",
            pointer="/request_rate_per_s",
        )
    return [f"arrivals are {load:.2f} of the estimated capacity: unstable at 1"] if load >= 1.0 else []
