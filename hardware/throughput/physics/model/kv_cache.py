"""Keys and values: bytes that a sequence holds and that a decode step reads."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.architectures.architecture import Architecture

#: A key of the index that top-k sparse attention searches: 128 elements of FP8 a token and layer (DeepSeek-V3.2).
INDEX_BYTES = 128.0


@dataclass(frozen=True, slots=True)
class KvCache:
    """Bytes of the cache of one model in one format.

    Attributes:
        full_bytes_per_token: of all layers that look at the whole context.
        sliding_bytes_per_token: of all layers that look at a window.
        window: tokens of that window.
        read_limit: tokens of context that attention reads in a full layer at most (top-k sparse attention), else infinite.
        index_bytes_per_token: of the index that is searched over the whole context.
        state_bytes: of a sequence whatever its length (linear attention).
    """

    full_bytes_per_token: float
    sliding_bytes_per_token: float
    window: float
    read_limit: float
    index_bytes_per_token: float
    state_bytes: float

    def held(self, context: float) -> float:
        """Bytes that a sequence of `context` tokens holds."""
        full = (self.full_bytes_per_token + self.index_bytes_per_token) * context
        return full + self.sliding_bytes_per_token * min(context, self.window) + self.state_bytes


def kv_cache(architecture: Architecture, kv_bytes: float) -> KvCache:
    """The cache of a model with `kv_bytes` bytes per element.

    Full layers b·L_f·K·(d + d_v) a token (grouped attention: KV heads, never attention heads), latent attention b·L_f·(r_kv + r_pe),
    sliding layers b·L_s·K·(d + d_v) on min(context, window), linear layers a constant state.

    Published: DeepSeek-V3 70.272 KB, Qwen2.5-72B 327.680 KB, Llama-3.1-405B 516.096 KB a token in BF16 ("Insights into
    DeepSeek-V3", ISCA 2025).

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> [kv_cache(shipped_architecture(name), 2).full_bytes_per_token for name in ("deepseek-v3", "qwen2.5-72b", "llama-3.1-405b")]
    [70272.0, 327680.0, 516096.0]
    """
    if architecture.is_mla:
        per_layer = float((architecture.kv_lora_rank or 0) + (architecture.qk_rope_head_dim or 0))
    else:
        per_layer = float(architecture.kv_heads * ((architecture.head_dim or 0) + (architecture.v_head_dim or 0)))
    full = per_layer * architecture.full_attention_layers
    if not architecture.is_mla and architecture.kv_elements_per_token is None:
        # DeepSeek-V4: keys and values are one shared vector, compressed; without the ratio the vector is counted once.
        full = float(architecture.kv_heads * (architecture.head_dim or 0)) * architecture.full_attention_layers
    sparse = architecture.index_topk is not None
    # Linear attention keeps a matrix of head dimension × head dimension a head: about h × 128 elements, 16 bits.
    state = architecture.linear_layers * architecture.hidden_size * 128.0 * 2.0
    return KvCache(
        full_bytes_per_token=full * kv_bytes,
        sliding_bytes_per_token=per_layer * architecture.sliding_layers * kv_bytes,
        window=float(architecture.sliding_window or 0),
        read_limit=float(architecture.index_topk) if architecture.index_topk is not None else float("inf"),
        index_bytes_per_token=INDEX_BYTES * architecture.full_attention_layers if sparse else 0.0,
        state_bytes=state,
    )
