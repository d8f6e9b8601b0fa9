"""One decode step: a token for every sequence in flight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment
from hardware.throughput.physics.durations.steps import (
    attention_rate,
    head_seconds,
    layer_times,
    overhead_seconds,
    reached_bandwidth,
)
from hardware.throughput.physics.figures import Figures


@dataclass(frozen=True, slots=True)
class DecodeStep:
    """Seconds from one token of a sequence to its next, and what they go to."""

    projections: Figures
    experts: Figures
    activations: Figures
    communication: Figures
    head: Figures
    attention: Figures
    overhead: Figures

    @property
    def seconds(self) -> Figures:
        """Their sum."""
        layers = self.projections + self.experts + self.activations + self.communication
        return layers + self.head + self.attention + self.overhead


def read_bytes(d: Deployment, context: Figures) -> Figures:
    """Bytes of keys, values, index and state that one decode step of a sequence reads."""
    full = d.full_kv_bytes * np.minimum(context, d.read_limit) + d.index_bytes * context
    read: Figures = full + d.sliding_kv_bytes * np.minimum(context, np.maximum(d.window, 1.0)) + 2.0 * d.state_bytes
    return read


def decode_step(
    d: Deployment, c: Constants, batch: Figures, context: Figures, tokens_per_sequence: Figures = 1.0
) -> DecodeStep:
    """The step of `batch` sequences of mean `context` tokens in a replica; several tokens of each where drafts are verified.

    t = GEMM(attention and dense weights) + GEMM(distinct experts) + GEMM(LM head) + max(KV read, attention FLOPs) + activations
    + collectives + overheads. With pipeline stages a sequence passes all of them, each with its share of the batch.
    """
    sequences = batch / d.stages
    tokens = sequences * tokens_per_sequence
    times = layer_times(d, c, tokens)
    reading = sequences * read_bytes(d, context) / (d.kv_shards * d.sequence_shards)
    looked_at = d.full_layers * np.minimum(context, d.read_limit) + d.sliding_layers * np.minimum(
        context, np.maximum(d.window, 1.0)
    )
    flops = 2.0 * d.heads * d.decode_dim * looked_at * tokens / d.ranks
    attention = np.maximum(reading / reached_bandwidth(d, c, c.kv_read_efficiency), flops / attention_rate(d, c))
    return DecodeStep(
        projections=times.projections,
        experts=times.experts,
        activations=times.activations,
        communication=times.communication,
        head=head_seconds(d, c, tokens),
        attention=attention,
        overhead=overhead_seconds(d, c, sequences),
    )
