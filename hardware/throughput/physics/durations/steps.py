"""Time of one step over the layers: what prefill and decode share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment
from hardware.throughput.physics.durations.communication import all_reduce_seconds, all_to_all_seconds
from hardware.throughput.physics.durations.gemm import gemm_seconds
from hardware.throughput.physics.figures import Figures
from hardware.throughput.physics.model.experts import distinct_experts


@dataclass(frozen=True, slots=True)
class LayerTimes:
    """Seconds of all layers for the tokens of a step, on one rank, without attention over the context."""

    projections: Figures
    experts: Figures
    activations: Figures
    communication: Figures

    @property
    def total(self) -> Figures:
        """Their sum."""
        return self.projections + self.experts + self.activations + self.communication


def _factor(d: Deployment, c: Constants) -> Figures:
    return 1.0 - d.other_vendor * (1.0 - c.other_vendor_factor)


def reached_bandwidth(d: Deployment, c: Constants, efficiency: float) -> Figures:
    """Bytes a second that reading reaches."""
    return d.bandwidth * efficiency * _factor(d, c)


def _reached_flops(d: Deployment, c: Constants, peak: Figures, fp4: Figures, weight_only: Figures) -> Figures:
    factor = (1.0 - fp4 * (1.0 - c.fp4_factor)) * (1.0 - weight_only * (1.0 - c.weight_only_factor))
    return peak * c.gemm_efficiency * factor * _factor(d, c)


def layer_times(d: Deployment, c: Constants, tokens: Figures) -> LayerTimes:
    """Times of the matrix products, activations and collectives of all layers for `tokens` tokens of a replica."""
    reading = reached_bandwidth(d, c, c.weight_read_efficiency)
    local = tokens / d.sequence_shards
    attention = gemm_seconds(
        d.attention_params * d.attention_bytes / d.attention_ranks,
        reading,
        2.0 * d.attention_params * local / d.attention_ranks,
        _reached_flops(d, c, d.attention_flops, d.attention_fp4, d.attention_weight_only),
        local,
        c.half_efficiency_tokens,
    )
    dense = gemm_seconds(
        d.dense_params * d.dense_bytes / d.ranks,
        reading,
        2.0 * d.dense_params * tokens / d.ranks,
        _reached_flops(d, c, d.dense_flops, d.dense_fp4, d.dense_weight_only),
        tokens,
        c.half_efficiency_tokens,
    )
    touched = distinct_experts(d.experts, d.experts_per_token, tokens)
    of_all = d.expert_params * d.expert_layers / d.ranks
    experts = gemm_seconds(
        touched * of_all * d.expert_bytes,
        reading,
        2.0 * tokens * d.experts_per_token * of_all,
        _reached_flops(d, c, d.expert_flops, d.expert_fp4, d.expert_weight_only) * c.expert_factor,
        tokens * d.experts_per_token / np.maximum(touched, 1.0),
        c.half_efficiency_tokens,
    )
    activations = local * d.hidden * 2.0 * c.activation_passes * d.layers / reading
    return LayerTimes(attention + dense, experts, activations, _communication(d, c, tokens))


def _communication(d: Deployment, c: Constants, tokens: Figures) -> Figures:
    inside = np.where(d.ranks <= d.scale_up_domain, d.link, c.scale_out_gb_per_s * 1e9)
    link = inside * c.link_efficiency
    hidden_bytes = tokens * d.hidden * 2.0
    # Attention is reduced among the ranks of a sequence; the MLP among all, unless experts are spread: then dispatch
    # (8-bit) and combine (16-bit) of k copies of each token.
    after_attention = all_reduce_seconds(d.attention_ranks, hidden_bytes, link, c.collective_latency_s)
    after_mlp = all_reduce_seconds(d.ranks, hidden_bytes, link, c.collective_latency_s)
    copies = np.minimum(d.experts_per_token, d.ranks)
    spread = 2.0 * all_to_all_seconds(d.ranks, tokens / d.ranks * copies * d.hidden * 1.5, link, c.collective_latency_s)
    exchanged = (d.expert_ranks > 1) & (d.sequence_shards > 1)
    expert_part = np.where(exchanged, spread, after_mlp) * d.expert_layers
    dense_part = after_mlp * (d.layers - d.expert_layers)
    hand_over = (d.stages - 1.0) * (hidden_bytes / link + c.collective_latency_s)
    return after_attention * d.layers + expert_part + dense_part + hand_over


def overhead_seconds(d: Deployment, c: Constants, sequences: Figures) -> Figures:
    """Seconds of a step that no resource explains: per layer, per sequence of a rank, and per step."""
    layers = d.layers * c.layer_overhead_s + d.expert_layers * c.expert_layer_overhead_s
    return layers + c.sequence_overhead_s * sequences / d.sequence_shards + c.step_overhead_s * d.stages


def head_seconds(d: Deployment, c: Constants, sequences: Figures) -> Figures:
    """Seconds of the LM head for one token of each sequence."""
    return gemm_seconds(
        d.head_params * 2.0 / d.ranks,
        reached_bandwidth(d, c, c.weight_read_efficiency),
        2.0 * d.head_params * sequences / d.ranks,
        d.sixteen_bit_flops * c.gemm_efficiency * _factor(d, c),
        sequences,
        c.half_efficiency_tokens,
    )


def attention_rate(d: Deployment, c: Constants) -> Figures:
    """FLOPs a second of attention over the context."""
    return d.sixteen_bit_flops * c.attention_efficiency * _factor(d, c)
