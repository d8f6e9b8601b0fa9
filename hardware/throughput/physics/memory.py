"""What fits: weights, and the sequences whose keys and values have room beside them."""

from __future__ import annotations

import numpy as np

from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment
from hardware.throughput.physics.figures import Figures

GIB = 2.0**30


def weight_bytes_per_accelerator(d: Deployment) -> Figures:
    """Bytes of weights on one accelerator: experts, MLPs and head are shared by all ranks, attention by those that share a sequence."""
    attention = d.attention_params * d.attention_bytes / d.attention_ranks
    dense = d.dense_params * d.dense_bytes / d.ranks
    routed = d.expert_params * d.expert_bytes * d.experts * d.expert_layers / d.ranks
    ends = (d.head_params + d.embedding_params) * 2.0 / d.ranks
    return (attention + dense + routed + ends) / d.stages


def free_bytes_per_accelerator(d: Deployment, c: Constants) -> Figures:
    """Bytes left for keys and values on one accelerator; negative: so much is missing."""
    return c.memory_share * d.memory_bytes - c.reserve_gib * GIB - weight_bytes_per_accelerator(d)


def held_bytes(d: Deployment, context: Figures) -> Figures:
    """Bytes that a sequence of `context` tokens holds, once."""
    windowed: Figures = d.sliding_kv_bytes * np.minimum(context, np.maximum(d.window, 1.0))
    return (d.full_kv_bytes + d.index_bytes) * context + windowed + d.state_bytes


def largest_batch_in_memory(d: Deployment, c: Constants, context: Figures) -> Figures:
    """Sequences of `context` tokens that a replica holds: B_mem = free bytes · shards / (bytes a sequence), 0 at least.

    Tensor parallelism cuts keys and values by at most the number of KV heads; latent attention is copied to every rank unless
    attention is data-parallel.
    """
    per_accelerator = held_bytes(d, context) / (d.kv_shards * d.sequence_shards * d.stages)
    return np.maximum(free_bytes_per_accelerator(d, c), 0.0) / per_accelerator
