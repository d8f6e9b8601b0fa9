"""The strict physical bound of output tokens: dense peak and full bandwidth, resource by resource, nothing added up."""

from __future__ import annotations

from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.physics.model.parameters import body_active
from hardware.throughput.physics.model.precision import KV_BYTES, WEIGHT_BYTES, weight_format


def request_flops(architecture: Architecture, uncached: float, cached: float, output: float) -> float:
    """FLOPs of one request: 2·N_body·(S + O) + 2·V·h·O + attention.

    Attention is causal: prefill H·(d_qk + d_v)·L·(S² + 2·S·C), decode 2·H·(d_qk + d_v)·L·(sum of the contexts); sliding layers look
    at min(context, window), sparse attention at its top k.
    """
    prompt = uncached + cached
    body = 2.0 * body_active(architecture) * (uncached + output)
    head = 2.0 * architecture.vocab_size * architecture.hidden_size * output
    if architecture.is_mla:
        width = float(
            (architecture.qk_nope_head_dim or 0) + (architecture.qk_rope_head_dim or 0) + (architecture.v_head_dim or 0)
        )
    else:
        width = float((architecture.head_dim or 0) + (architecture.v_head_dim or 0))
    mean = prompt + output / 2.0
    looked_at = 0.0
    for layers, most in (
        (architecture.full_attention_layers, float(architecture.index_topk or "inf")),
        (architecture.sliding_layers, float(architecture.sliding_window or "inf")),
    ):
        pairs = min(uncached**2 + 2.0 * uncached * cached, 2.0 * uncached * most)
        looked_at += layers * (pairs + 2.0 * output * min(mean, most))
    return body + head + architecture.heads * width * looked_at


def bound_per_accelerator(
    architecture: Architecture,
    accelerator: Accelerator,
    weight_precision: str | None,
    kv_precision: str | None,
    uncached: float,
    cached: float,
    output: float,
    concurrency: float | None,
) -> float:
    """Most output tokens a second and accelerator: O / max(FLOPs/peak, O·bytes/bandwidth).

    Bytes per output token: keys and values of the mean context, and the weights of one token's experts / concurrency (no weight term
    where concurrency is unknown). No format stated counts as 16 bits.

    Raises:
        PermillionError: `unsupported-format` where no arithmetic of the accelerator serves.
    """
    weights = weight_precision or "bf16"
    chosen = weight_format(weights, accelerator)
    element = KV_BYTES.get(kv_precision or "", 2.0 if weights in ("bf16", "fp16") else 1.0)
    context = uncached + cached + output / 2.0
    if architecture.is_mla:
        per_layer = float((architecture.kv_lora_rank or 0) + (architecture.qk_rope_head_dim or 0))
    else:
        per_layer = float(architecture.kv_heads * ((architecture.head_dim or 0) + (architecture.v_head_dim or 0)))
    full = architecture.full_attention_layers * min(context, float(architecture.index_topk or "inf"))
    sliding = architecture.sliding_layers * min(context, float(architecture.sliding_window or "inf"))
    cache_bytes = element * per_layer * (full + sliding)
    weight_bytes = body_active(architecture) * WEIGHT_BYTES[weights] / concurrency if concurrency else 0.0
    bandwidth = (accelerator.bandwidth_gb_per_s or float("inf")) * 1e9
    computing = request_flops(architecture, uncached, cached, output) / chosen.peak_flops
    return output / max(computing, output * (cache_bytes + weight_bytes) / bandwidth)
