"""What one request must at least compute and read: the numerators of the physical bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.architectures.architecture import Architecture
from hardware.throughput.physics.model.precision import WEIGHT_BYTES
from hardware.throughput.trust.formats import bytes_of_experts

#: Elements of the state of one linear-attention layer, 4 bytes each: value heads × 128 × 128 of the models' configurations
#: (Gated DeltaNet, `mamba_ssm_dtype` float32). Other linear layers have no published state here and count as 0.
_STATE_ELEMENTS: Final = {
    "qwen3-next-80b-a3b": 32 * 128 * 128,
    "qwen3.5-397b-a17b": 64 * 128 * 128,
}
_STATE_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Work:
    """Operations of a request and bytes of an output token, apart from weights, which depend on the batch.

    Attributes:
        prefill_flop, decode_flop: matrix products of the layers, of uncached input and of output tokens.
        head_flop: LM head, on output tokens only.
        attention_flop: scores and values, causal; sliding layers within their window.
        kv_bytes, state_bytes: read for each output token: keys and values at the mean context; state of linear layers.
    """

    prefill_flop: float
    decode_flop: float
    head_flop: float
    attention_flop: float
    kv_bytes: float
    state_bytes: float

    @property
    def flop(self) -> float:
        """Operations of the whole request."""
        return self.prefill_flop + self.decode_flop + self.head_flop + self.attention_flop


def body_params(architecture: Architecture) -> float:
    """Active parameters without input embedding and LM head.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> round(body_params(shipped_architecture("llama-3.1-8b")) / 1e9, 2)
    6.98
    """
    return architecture.active_params - _matrix(architecture) * (1 if architecture.tied_embeddings else 2)


def _matrix(architecture: Architecture) -> float:
    return float(architecture.vocab_size * architecture.hidden_size)


def routed_params(architecture: Architecture) -> float:
    """Parameters of the routed experts that one token passes, over all layers."""
    layers = architecture.layers - architecture.dense_mlp_layers
    return (architecture.routed_expert_params or 0.0) * architecture.experts_per_token * layers


def context_sum(start: float, tokens: float, window: float | None) -> float:
    """Σ of the contexts of `tokens` tokens after `start` others, each at most `window`.

    >>> context_sum(0, 1000, None), context_sum(1000, 10, 128), context_sum(0, 1000, 100)
    (500000.0, 1280, 95000.0)
    """
    if window is None or start + tokens <= window:
        return tokens * (start + tokens / 2)
    if start >= window:
        return tokens * window
    below = window - start
    return below * (start + below / 2) + (tokens - below) * window


def work_of(
    architecture: Architecture, isl: float, osl: float, kv_element_bytes: float, cached_share: float = 0.0
) -> Work:
    """Work of a request of `isl` input tokens, of which a share is in the prefix cache already, and `osl` output tokens.

    Products: 2·N_body a token, 2·V·h an output token. Attention: 2·H·(d_qk + d_v) for each layer and token of context.
    Sparse attention looks at `index_topk` tokens of each context. Keys and values that are compressed are taken as 0.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> llama = shipped_architecture("llama-3.1-8b")
    >>> work_of(llama, 1000, 0.0, 1.0).prefill_flop / 1000 == 2 * body_params(llama)
    True
    >>> work_of(llama, 1000, 1000, 2.0).kv_bytes == 131072 * 1500
    True
    """
    body = body_params(architecture)
    cached = cached_share * isl
    uncached = isl - cached
    reach = (float(architecture.index_topk) if architecture.index_topk else None, architecture.sliding_window)
    layers = (architecture.full_attention_layers, architecture.sliding_layers)
    scores = 0.0
    read = 0.0
    per_layer = _kv_elements_of_layer(architecture)
    for count, window in zip(layers, reach, strict=True):
        output = context_sum(isl, osl, window)
        scores += count * (context_sum(cached, uncached, window) + output)
        read += count * per_layer * (output / osl if osl else 0.0)
    state = architecture.linear_layers * _STATE_ELEMENTS.get(architecture.id, 0) * _STATE_BYTES
    return Work(
        prefill_flop=2 * body * uncached,
        decode_flop=2 * body * osl,
        head_flop=2 * _matrix(architecture) * osl,
        attention_flop=2 * architecture.heads * sum(_head_dims(architecture)) * scores,
        kv_bytes=kv_element_bytes * read,
        state_bytes=float(state),
    )


def _head_dims(architecture: Architecture) -> tuple[int, int]:
    if architecture.is_mla:
        keys = (architecture.qk_nope_head_dim or 0) + (architecture.qk_rope_head_dim or 0)
        return keys, architecture.v_head_dim or 0
    keys = architecture.head_dim or 0
    return keys, architecture.v_head_dim or keys


def _kv_elements_of_layer(architecture: Architecture) -> float:
    if architecture.kv_elements_per_token is None:
        return 0.0
    if architecture.kv_lora_rank is not None:
        return float(architecture.kv_lora_rank + (architecture.qk_rope_head_dim or 0))
    return architecture.kv_heads * float(sum(_head_dims(architecture)))


def kv_elements_per_token(architecture: Architecture) -> float:
    """Elements that one token of context adds over full and sliding layers, 0 where they are compressed.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> names = ("deepseek-v3", "qwen2.5-72b", "llama-3.1-405b")
    >>> [2 * kv_elements_per_token(shipped_architecture(name)) for name in names]
    [70272.0, 327680.0, 516096.0]
    """
    return _kv_elements_of_layer(architecture) * (architecture.full_attention_layers + architecture.sliding_layers)


def kv_bytes_of_request(architecture: Architecture, context: float, element_bytes: float) -> float:
    """Bytes that a request of so many tokens of context holds: sliding layers keep their window alone.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> kv_bytes_of_request(shipped_architecture("gemma-3-27b"), 10_000, 2.0) == 2 * 4096 * (10 * 10_000 + 52 * 1024)
    True
    """
    window = architecture.sliding_window
    tokens = architecture.full_attention_layers * context
    tokens += architecture.sliding_layers * (context if window is None else min(context, window))
    return element_bytes * _kv_elements_of_layer(architecture) * tokens


def distinct_experts(architecture: Architecture, tokens: float) -> float:
    """Expected number of routed experts of a layer that `tokens` tokens touch: E (1 − (1 − k/E)^n).

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> round(distinct_experts(shipped_architecture("deepseek-v3"), 64), 4)
    222.4425
    """
    experts, chosen = architecture.routed_experts, architecture.experts_per_token
    return 0.0 if not experts else experts * (1.0 - (1.0 - chosen / experts) ** tokens)


def step_weight_bytes(architecture: Architecture, weight_precision: str, tokens: float | None = None) -> float:
    """Bytes of weights that one decode step reads: with k experts, or with those that `tokens` tokens touch.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> mixtral = shipped_architecture("mixtral-8x7b")
    >>> round(step_weight_bytes(mixtral, "bf16") / 1e9, 1), round(step_weight_bytes(mixtral, "bf16", 32) / 1e9, 1)
    (25.2, 92.9)
    """
    routed = routed_params(architecture)
    rest = (body_params(architecture) - routed) * WEIGHT_BYTES[weight_precision]
    if tokens is not None and architecture.is_moe:
        routed *= distinct_experts(architecture, tokens) / architecture.experts_per_token
    return rest + routed * bytes_of_experts(architecture, weight_precision)
