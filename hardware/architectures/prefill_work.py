"""How much of the prefill of a prompt is attention to what the prefix cache holds already."""

from __future__ import annotations

from hardware.architectures.architecture import Architecture


def cached_prefill_share(architecture: Architecture, uncached: float, cached: float) -> float:
    """The part of a prefill's operations that cached tokens cause, 0–1.

    Cached tokens are not computed again, only attended to: of

        2·N·S  +  H·(d_qk + d_v)·L_f·(S² + 2·S·C)

    operations, `H·(d_qk + d_v)·L_f·2·S·C` are theirs, with S uncached and C cached tokens, N active parameters without
    embeddings, H heads, L_f full-attention layers (equation 8 of docs/hosting-cost.md). Layers with a window or a constant state
    look at so few cached tokens that they count as none.

    Worked number: Llama 3.3 70B with 1,000 uncached after 9,000 cached tokens needs 1.37·10¹⁴ operations for the weights and
    2.49·10¹³ for attention, of which 2.36·10¹³ are to the cached ones.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> round(cached_prefill_share(shipped_architecture("llama-3.3-70b"), 1000, 9000), 3)
    0.146
    >>> cached_prefill_share(shipped_architecture("llama-3.3-70b"), 1000, 0)
    0.0
    """
    if uncached <= 0 or cached <= 0:
        return 0.0
    embeddings = architecture.vocab_size * architecture.hidden_size * (1 if architecture.tied_embeddings else 2)
    weights = 2 * max(architecture.active_params - embeddings, 0.0) * uncached
    per_pair = _query_key_dim(architecture) + _value_dim(architecture)
    each = architecture.heads * per_pair * architecture.full_attention_layers
    to_cached = each * 2 * uncached * cached
    return to_cached / (weights + each * uncached**2 + to_cached)


def _query_key_dim(architecture: Architecture) -> float:
    if architecture.is_mla:
        return float((architecture.qk_nope_head_dim or 0) + (architecture.qk_rope_head_dim or 0))
    return float(architecture.head_dim or architecture.hidden_size / architecture.heads)


def _value_dim(architecture: Architecture) -> float:
    return float(architecture.v_head_dim or architecture.head_dim or architecture.hidden_size / architecture.heads)
