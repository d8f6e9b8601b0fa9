"""What speculative decoding changes of an operating point, by physics: no measured row states an acceptance to learn from."""

from __future__ import annotations

import numpy as np

from hardware.throughput.estimating.points import Points, column
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.durations.decode import decode_step
from hardware.throughput.physics.durations.speculation import speculative_step_seconds
from hardware.throughput.physics.figures import Array


def tpot_factor(points: Points, constants: Constants) -> Array:
    """TPOT with drafts ÷ TPOT without, shape (n, m); 1 where nothing is drafted, above 1 where verification costs more than it gives.

    TPOT' = (t_dec(B, g + 1 tokens each) + g · draft share · t_dec(B)) / tokens a step, beside the prefill of others.
    """
    asked = [plan.question.speculation for plan in points.plans]
    factor = np.ones(points.clients.shape)
    if not any(asked):
        return factor
    load, run = points.load, points.operation
    drafted = column([float(each[0]) if each else 0.0 for each in asked])
    context = load.uncached + load.cached + load.output / 2.0
    verify = np.broadcast_to(
        decode_step(points.deployment, constants, run.running, context, drafted + 1.0).seconds, factor.shape
    )
    plain = np.broadcast_to(np.asarray(run.step.seconds), factor.shape)
    tpot = np.broadcast_to(np.asarray(run.tpot_s), factor.shape)
    for number, each in enumerate(asked):
        if each is not None:
            tokens, acceptance, draft_share = each
            step = speculative_step_seconds(verify[number], draft_share * plain[number], acceptance, tokens)
            factor[number] = (tpot[number] - plain[number] + step) / tpot[number]
    return factor
