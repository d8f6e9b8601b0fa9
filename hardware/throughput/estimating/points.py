"""Operating points: how many requests each plan has in flight, and what physics says happens there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np

from hardware.throughput.estimating.planning import Plan
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment, stacked
from hardware.throughput.physics.durations.decode import DecodeStep, decode_step
from hardware.throughput.physics.durations.prefill import prefill_seconds, shared_prefill_seconds
from hardware.throughput.physics.figures import Array, Figures
from hardware.throughput.physics.memory import largest_batch_in_memory
from hardware.throughput.physics.pools import closed_loop_pools, transfer_seconds
from hardware.throughput.physics.serving import Load, Operation, operation

#: closed: clients held constant; static: one batch; queued: all requests of one length at the start; dataset: likewise, of varied
#: lengths; served: p99 limits under Poisson arrivals; rate: Poisson arrivals at a stated rate; pools: disaggregated serving.
Kind = Literal["closed", "static", "queued", "dataset", "served", "rate", "pools"]
KINDS: tuple[Kind, ...] = ("closed", "static", "queued", "dataset", "served", "rate", "pools")
GRID = 48


@dataclass(frozen=True, slots=True)
class Points:
    """Operating points of n plans, as arrays of shape (n, m): m batches of each.

    Attributes:
        deployment: the plans' deployments, fields of shape (n, 1); `clients` in flight on a replica.
        rate: requests a second of a replica, NaN where not stated.
    """

    plans: Sequence[Plan]
    kinds: Sequence[Kind]
    deployment: Deployment
    load: Load
    clients: Array
    operation: Operation
    rate: Array


def kind_of(plan: Plan) -> Kind:
    """Which kind of operating point a question asks for."""
    question = plan.question
    if plan.shape.disaggregated:
        return "pools"
    if question.scenario == "static_batch":
        return "static"
    if question.scenario == "offline":
        return "queued" if question.lengths == "fixed" else "dataset"
    if question.scenario == "poisson":
        return "rate" if question.request_rate_per_s is not None else "served"
    return "closed"


def column(figures: Sequence[float]) -> Array:
    """Figures of n plans as a column."""
    return np.array(figures, dtype=np.float64)[:, np.newaxis]


def loads(plans: Sequence[Plan], c: Constants, clients: Array) -> Load:
    """The load of `clients` requests on a replica of each plan."""
    shares = column([plan.question.cached_input_share for plan in plans])
    prompt = column([plan.question.isl_tokens for plan in plans])
    most = column([float(plan.question.max_batch or c.largest_batch) for plan in plans])
    ranks = column([float(plan.deployment.sequence_shards) for plan in plans])
    return Load(
        clients=clients,
        uncached=prompt * (1.0 - shares),
        cached=prompt * shares,
        output=column([plan.question.osl_tokens for plan in plans]),
        largest_batch=most * ranks,
    )


def grid(d: Deployment, c: Constants, load: Load) -> Array:
    """Batches from 1 to the largest that memory and engine allow, in equal ratios: shape (n, GRID)."""
    context = load.uncached + load.cached + load.output / 2.0
    most = np.maximum(np.minimum(largest_batch_in_memory(d, c, context), load.largest_batch), 1.0)
    return np.asarray(most ** np.linspace(0.0, 1.0, GRID)[np.newaxis, :])


def physics_points(plans: Sequence[Plan], c: Constants, found: Sequence[float | None] | None = None) -> Points:
    """One operating point a plan, by physics alone; `found`: clients of a replica where they are known already."""
    d = stacked([plan.deployment for plan in plans])
    kinds = [kind_of(plan) for plan in plans]
    given = [
        (plan.question.concurrency or np.nan) / plan.replicas if kind in ("closed", "static", "pools") else np.nan
        for plan, kind in zip(plans, kinds, strict=True)
    ]
    if found is not None:
        given = [stated if each is None else each for stated, each in zip(given, found, strict=True)]
    rates = column([(plan.question.request_rate_per_s or np.nan) / plan.replicas for plan in plans])
    clients = column(given)
    load = loads(plans, c, clients)
    if np.isnan(clients).any():
        clients = np.where(np.isnan(clients), _found(plans, kinds, d, c, load, rates), clients)
    return points_at(plans, kinds, d, c, clients, rates)


def points_at(
    plans: Sequence[Plan], kinds: Sequence[Kind], d: Deployment, c: Constants, clients: Array, rates: Array
) -> Points:
    """The operating points of stated clients on a replica, shape (n, m)."""
    load = loads(plans, c, clients)
    run = operation(d, c, load)
    if "pools" in kinds:
        run = _with_pools(plans, kinds, d, c, load, run)
    return Points(plans, kinds, d, load, clients, run, rates)


def capacities(points: Points, c: Constants) -> Array:
    """Most tokens a second of a replica of each plan: every slot that memory and engine allow is busy. Shape (n, 1)."""
    largest = grid(points.deployment, c, points.load)[:, -1:]
    return np.asarray(operation(points.deployment, c, loads(points.plans, c, largest)).saturated_per_s)


def _with_pools(
    plans: Sequence[Plan], kinds: Sequence[Kind], d: Deployment, c: Constants, load: Load, run: Operation
) -> Operation:
    """Operation with the disaggregated plans' own: decode without prefill in between, prefill on accelerators of its own."""
    apart = column([float(kind == "pools") for kind in kinds]) > 0
    workers = column([float(max(plan.shape.prefill_workers, 1)) / plan.replicas for plan in plans])
    other = stacked([plan.prefill or plan.deployment for plan in plans])
    shared = shared_prefill_seconds(other, c, load.uncached, load.cached)
    alone = prefill_seconds(other, c, load.uncached, load.cached)
    handed = transfer_seconds(load.uncached + load.cached, d.full_kv_bytes, d.link * c.link_efficiency)
    context = load.uncached + load.cached + load.output / 2.0
    decoding, ttft, step = load.clients, alone, run.step
    for _ in range(3):
        step = decode_step(d, c, np.minimum(decoding, load.largest_batch), context)
        ttft, decoding = closed_loop_pools(load.clients, shared, load.output * step.seconds, workers)
    ttft = np.maximum(ttft, alone) + handed + step.seconds
    output = load.clients * load.output / (ttft + load.output * step.seconds)

    def chosen(own: Figures, aggregated: Figures) -> Figures:
        return np.where(apart, own, aggregated)

    return replace(
        run,
        running=chosen(decoding, run.running),
        step=DecodeStep(
            *(chosen(getattr(step, each.name), getattr(run.step, each.name)) for each in fields(DecodeStep))
        ),
        prefill_s=chosen(alone, run.prefill_s),
        shared_prefill_s=chosen(shared, run.shared_prefill_s),
        tpot_s=chosen(step.seconds, run.tpot_s),
        ttft_s=chosen(ttft, run.ttft_s),
        output_per_s=chosen(output, run.output_per_s),
        saturated_per_s=chosen(output, run.saturated_per_s),
        prefill_share=chosen(0.0, run.prefill_share),
    )


def _found(
    plans: Sequence[Plan], kinds: Sequence[Kind], d: Deployment, c: Constants, load: Load, rates: Array
) -> Array:
    batches = grid(d, c, load)
    run = operation(d, c, loads(plans, c, batches))
    limits = column(
        [
            (plan.question.tpot_limit_ms or np.inf) * (c.p50_of_p99_limit if plan.question.p99_limits else 1.0) / 1e3
            for plan in plans
        ]
    )
    by_limit = crossing(batches, np.asarray(run.tpot_s), limits)
    stay = run.prefill_s + (load.output - 1.0) * run.tpot_s
    by_rate = crossing(batches, np.asarray(batches / stay), rates)
    return np.where(column([float(kind == "rate") for kind in kinds]) > 0, by_rate, by_limit)


def crossing(x: Array, y: Array, level: Array) -> Array:
    """Where y(x) reaches a level, row by row, between grid points on logarithms; the ends where it lies outside. Shape (n, 1).

    y is taken as its running maximum: more in flight is never faster for one user.

    >>> float(crossing(np.array([[1.0, 10.0]]), np.array([[1.0, 100.0]]), np.array([[10.0]]))[0, 0])
    3.1622776601683795
    """
    rising = np.log(np.maximum.accumulate(y, axis=1))
    wanted = np.log(level)
    found = [
        np.interp(target, row, at, left=at[0], right=at[-1])
        for row, at, target in zip(rising, np.log(x), np.nan_to_num(wanted[:, 0], nan=np.inf), strict=True)
    ]
    return np.asarray(np.exp(np.array(found))[:, np.newaxis])
