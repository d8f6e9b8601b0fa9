"""Parameters of a model by what they are used for."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.architectures.architecture import Architecture

#: Experts that differ by more from 3·h·i_e work on a latent vector narrower than h (Kimi K3: 3,584 of 7,168): the table's count holds.
LATENT = 0.02


@dataclass(frozen=True, slots=True)
class Parameters:
    """Counts of weights.

    Attributes:
        embedding: input embedding, V·h; one row of it is read a token.
        head: LM head, V·h; shared with the embedding where they are tied.
        attention: of all layers.
        dense: dense MLPs, shared experts, routers and norms of all layers.
        expert: one routed expert of one layer, 3·h·i_e.
        expert_layers: layers that have routed experts.
    """

    embedding: float
    head: float
    attention: float
    dense: float
    expert: float
    expert_layers: int


def parameters(architecture: Architecture) -> Parameters:
    """Weights by use. Embedding V·h, twice where untied; a routed expert 3·h·i_e; the rest by difference to the total.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> split = parameters(shipped_architecture("deepseek-v3"))
    >>> split.expert_layers, round(split.expert * 256 * 58 / 1e9)
    (58, 654)
    """
    matrix = float(architecture.vocab_size * architecture.hidden_size)
    expert_layers = architecture.layers - architecture.dense_mlp_layers if architecture.is_moe else 0
    expert = 3.0 * architecture.hidden_size * (architecture.moe_intermediate or 0)
    stated = architecture.routed_expert_params or 0.0
    if stated and abs(expert / stated - 1.0) > LATENT:
        expert = stated
    routed = expert * architecture.routed_experts * expert_layers
    outside = matrix * (1 if architecture.tied_embeddings else 2)
    dense = max(architecture.total_params - outside - routed - architecture.attention_params, 0.0)
    return Parameters(matrix, matrix, architecture.attention_params, dense, expert, expert_layers)
