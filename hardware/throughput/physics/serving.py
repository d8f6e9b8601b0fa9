"""Aggregated serving: prefill and decode share the accelerators of a replica."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment
from hardware.throughput.physics.durations.decode import DecodeStep, decode_step
from hardware.throughput.physics.durations.prefill import prefill_seconds, shared_prefill_seconds
from hardware.throughput.physics.figures import Figures
from hardware.throughput.physics.memory import largest_batch_in_memory


@dataclass(frozen=True, slots=True)
class Load:
    """What a replica is asked to do: requests in flight, and tokens of each.

    Attributes:
        clients: requests in flight on the replica; what memory cannot hold waits.
        uncached, cached, output: tokens of a request: prompt computed, prompt found in the prefix cache, produced.
        largest_batch: sequences that may run at once.
    """

    clients: Figures
    uncached: Figures
    cached: Figures
    output: Figures
    largest_batch: Figures


@dataclass(frozen=True, slots=True)
class Operation:
    """How a replica runs under a load.

    Attributes:
        running: sequences that run; `in_memory`: most that memory holds.
        step: one decode step; `prefill_s` one prompt alone; `shared_prefill_s` its share of a busy replica.
        tpot_s: from token to token, prefill of others in between.
        ttft_s: of the median request of a closed loop.
        output_per_s: tokens a second of the replica, clients·O / (TTFT + (O − 1)·TPOT): Little's law.
        saturated_per_s: tokens a second while a queue keeps every slot busy, B·O / (B·t_pre + O·t_dec(B)).
        prefill_share: of its time, 0–1.
    """

    running: Figures
    in_memory: Figures
    step: DecodeStep
    prefill_s: Figures
    shared_prefill_s: Figures
    tpot_s: Figures
    ttft_s: Figures
    output_per_s: Figures
    saturated_per_s: Figures
    prefill_share: Figures


def operation(d: Deployment, c: Constants, load: Load) -> Operation:
    """The steady state of a closed loop.

    With B running: time of B requests = B·t_pre + O·t_dec(B); throughput B·O / that; TPOT = t_dec + (B − 1)·t_pre/O;
    prefill share = B·t_pre / that. Clients beyond B wait for a slot: (clients/B − 1) times a request's time.
    """
    context = load.uncached + load.cached + load.output / 2.0
    in_memory = largest_batch_in_memory(d, c, context)
    # A step has one sequence at least: fewer clients than replicas leave some of them idle.
    running = np.minimum(np.minimum(np.maximum(load.clients, 1.0), load.largest_batch), np.maximum(in_memory, 1.0))
    step = decode_step(d, c, running, context)
    alone = prefill_seconds(d, c, load.uncached, load.cached)
    shared = shared_prefill_seconds(d, c, load.uncached, load.cached)
    tpot = step.seconds + (running - np.minimum(running, 1.0)) * shared / load.output
    burst = c.burst_share * (running - np.minimum(running, 1.0)) * shared
    request = (load.output - np.minimum(load.output, 1.0)) * tpot
    admitted = alone + step.seconds + c.prefill_request_overhead_s + burst
    waiting = np.maximum(load.clients / running - 1.0, 0.0) * (request + admitted)
    ttft = admitted + waiting
    throughput = load.clients * load.output / (ttft + request)
    busy = running * shared + load.output * step.seconds
    return Operation(
        running=running,
        in_memory=in_memory,
        step=step,
        prefill_s=alone,
        shared_prefill_s=shared,
        tpot_s=tpot,
        ttft_s=ttft,
        output_per_s=throughput,
        saturated_per_s=running * load.output / busy,
        prefill_share=running * shared / busy,
    )
