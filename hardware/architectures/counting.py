"""Parameters of a model from its configuration: what a weight file holds, without reading one."""

from __future__ import annotations

from dataclasses import dataclass

from economics.errors import PermillionError
from hardware.architectures.architecture import Architecture


@dataclass(frozen=True, slots=True)
class ParameterCount:
    """Parameters; `active` ones work on one token, the input embedding and the LM head counted in both."""

    total: int
    active: int
    attention: int
    routed_expert: int | None
    kv_elements_per_token: int


def count_parameters(model: Architecture) -> ParameterCount:
    """The parameters of a transformer, biases and norms left out.

    Attention of a layer: `h·H·d + h·K·(d + d_v) + H·d_v·h`; of latent attention (MLA)
    `h·q + q·H·(n + p) + h·(r + p) + r·H·(n + d_v) + H·d_v·h` (without `q`: `h·H·(n + p)`). MLP: `3·h·i`. Experts:
    `E·3·h·i_e + E_s·3·h·i_e + h·E`. Embeddings: `V·h`, twice where they are not tied. Active: `k` experts for `E`.
    Keys and values of a token: `L·K·(d + d_v)`, latent `L·(r + p)`; a sliding layer keeps those of its window only.

    Raises:
        PermillionError: `invalid-fields` for what the formulas do not cover (linear layers), or a figure that is missing.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> found = count_parameters(shipped_architecture("llama-3.1-8b"))
    >>> found.total, found.kv_elements_per_token
    (8029995008, 65536)
    """
    if model.linear_layers:
        raise _missing("total_params", "state total_params and active_params: linear layers are not counted here")
    h, layers = model.hidden_size, model.layers
    attention, kv_elements = _attention(model)
    dense_layers = model.dense_mlp_layers if model.routed_experts else layers
    expert_layers = layers - dense_layers
    if dense_layers and model.dense_intermediate is None:
        raise _missing("dense_intermediate", "needed for layers without experts")
    mlp = dense_layers * 3 * h * (model.dense_intermediate or 0)
    expert = 3 * h * (model.moe_intermediate or 0)
    if expert_layers and not expert:
        raise _missing("moe_intermediate", "needed for layers with experts")
    router = h * model.routed_experts
    shared = model.shared_experts * expert
    embeddings = model.vocab_size * h * (1 if model.tied_embeddings else 2)
    always = layers * attention + mlp + expert_layers * (shared + router) + embeddings
    return ParameterCount(
        total=always + expert_layers * model.routed_experts * expert,
        active=always + expert_layers * model.experts_per_token * expert,
        attention=layers * attention,
        routed_expert=expert or None,
        kv_elements_per_token=kv_elements * (layers - model.linear_layers),
    )


def _attention(model: Architecture) -> tuple[int, int]:
    """Parameters of one layer, and elements of keys and values of one token in it."""
    h, heads = model.hidden_size, model.heads
    if model.kv_lora_rank is None:
        if model.head_dim is None:
            raise _missing("head_dim", "needed for grouped attention")
        keys, values, kv = model.head_dim, model.v_head_dim or model.head_dim, model.kv_heads
        return h * heads * keys + h * kv * (keys + values) + heads * values * h, kv * (keys + values)
    rope, nope, dv, rank = model.qk_rope_head_dim, model.qk_nope_head_dim, model.v_head_dim, model.kv_lora_rank
    if rope is None or nope is None or dv is None:
        raise _missing("qk_rope_head_dim", "latent attention needs qk_rope_head_dim, qk_nope_head_dim and v_head_dim")
    queries = h * heads * (nope + rope)
    if model.q_lora_rank is not None:
        queries = h * model.q_lora_rank + model.q_lora_rank * heads * (nope + rope)
    return queries + h * (rank + rope) + rank * heads * (nope + dv) + heads * dv * h, rank + rope


def _missing(field: str, why: str) -> PermillionError:
    return PermillionError("invalid-fields", why, pointer=f"/{field}")
