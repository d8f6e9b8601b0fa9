"""Prefill of one prompt."""

from __future__ import annotations

import numpy as np

from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment
from hardware.throughput.physics.durations.steps import attention_rate, layer_times
from hardware.throughput.physics.figures import Figures


def attention_flops(d: Deployment, uncached: Figures, cached: Figures) -> Figures:
    """FLOPs of causal attention: H·(d_qk + d_v)·(L_f·(S² + 2·S·C) + L_s·S·w); a token looks at `read_limit` tokens at most."""
    pairs = np.minimum(uncached**2 + 2.0 * uncached * cached, 2.0 * uncached * d.read_limit)
    window = np.maximum(d.window, 1.0)
    windowed = np.minimum(uncached**2 + 2.0 * uncached * np.minimum(cached, window), 2.0 * uncached * window)
    looked_at: Figures = d.full_layers * pairs + d.sliding_layers * windowed
    return d.heads * d.prefill_dim * looked_at


def prefill_seconds(d: Deployment, c: Constants, uncached: Figures, cached: Figures = 0.0) -> Figures:
    """Seconds of one prompt alone on an idle replica, without the overheads of a step: chunk after chunk, each reads the weights."""
    tokens = np.maximum(uncached, 1.0)
    chunk = np.minimum(tokens, c.chunk_tokens)
    attention = attention_flops(d, uncached, cached) / d.ranks / attention_rate(d, c)
    passes: Figures = tokens / chunk
    return layer_times(d, c, chunk).total * passes + attention


def shared_prefill_seconds(d: Deployment, c: Constants, uncached: Figures, cached: Figures = 0.0) -> Figures:
    """Seconds that one prompt takes of a busy replica: its share of chunks filled with other prompts and decode tokens.

    A mixed step reads the weights once; a full prefill pass beside a full decode pass overestimates it 1.5 to 3 times
    (ai-dynamo/aiconfigurator#1150). Pipeline stages work on different chunks at once.
    """
    tokens = np.maximum(uncached, 1.0)
    chunk = c.chunk_tokens
    attention = attention_flops(d, uncached, cached) / d.ranks / attention_rate(d, c)
    return (layer_times(d, c, chunk).total * tokens / chunk + attention) / d.stages
