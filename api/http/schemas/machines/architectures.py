"""`/architectures` and `/engines`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, Name, Wire, numeric_columns
from api.http.schemas.machines.fields import AsOf, FigureIn, Note, Origin, RecordId, Source, WholeIn, Word

Layers = Annotated[int, Field(ge=0, le=10_000, strict=True)]


class ArchitectureIn(Wire):
    """What a model's configuration says; of grouped, multi-query, multi-head or latent attention."""

    architecture: RecordId = Field(description="its id, no shipped one")
    hf_id: Word | None = Field(None, description="name of the repository it was read from")
    layers: WholeIn = Field(description="all of them")
    sliding_layers: Layers = Field(0, description="of these, layers that look at a window only")
    linear_layers: Layers = Field(0, description="of these, layers with a state instead of keys and values")
    hidden_size: WholeIn
    heads: WholeIn
    kv_heads: WholeIn
    head_dim: WholeIn | None = None
    v_head_dim: WholeIn | None = None
    kv_lora_rank: WholeIn | None = Field(None, description="of latent attention (MLA)")
    q_lora_rank: WholeIn | None = None
    qk_rope_head_dim: WholeIn | None = None
    qk_nope_head_dim: WholeIn | None = None
    sliding_window: WholeIn | None = None
    dense_intermediate: WholeIn | None = Field(None, description="of layers without experts")
    dense_mlp_layers: Layers = 0
    routed_experts: Layers = 0
    experts_per_token: Layers = 0
    shared_experts: Layers = 0
    moe_intermediate: WholeIn | None = None
    vocab_size: WholeIn
    tied_embeddings: Annotated[bool, Field(strict=True)] = False
    max_context: WholeIn | None = None
    total_params: FigureIn | None = Field(None, description="counted from the figures where left out")
    active_params: FigureIn | None = None
    tokenizer: Name | None = Field(None, description="an id of GET /tokenizers")
    as_of: AsOf
    source: Source
    note: Note = ""


class ArchitecturesRequest(Wire):
    """Architectures of your own, all recorded or none."""

    rows: list[ArchitectureIn] = Field(min_length=1)


class ArchitectureOut(Answer):
    """One architecture; `tokenizer` counts its tokens, null with `tokenizer_gap` where no source maps it to one."""

    architecture: str
    hf_id: str
    layers: int
    full_attention_layers: int
    sliding_layers: int
    linear_layers: int
    hidden_size: int
    heads: int
    kv_heads: int
    head_dim: int | None
    v_head_dim: int | None
    attention: str
    kv_lora_rank: int | None
    q_lora_rank: int | None
    qk_rope_head_dim: int | None
    qk_nope_head_dim: int | None
    sliding_window: int | None
    dense_intermediate: int | None
    dense_mlp_layers: int
    routed_experts: int
    experts_per_token: int
    shared_experts: int
    moe_intermediate: int | None
    vocab_size: int
    tied_embeddings: bool
    mtp_layers: int
    index_topk: int | None
    max_context: int | None
    published_total_params: DecimalOut | None
    published_active_params: DecimalOut | None
    total_params: DecimalOut
    active_params: DecimalOut
    attention_params: DecimalOut
    kv_elements_per_token: DecimalOut | None
    tokenizer: str | None
    tokenizer_source: str | None
    tokenizer_gap: str | None
    check: str
    as_of: str
    source: str
    note: str
    origin: Origin
    recorded_at: str


class ArchitecturesAnswer(Answer):
    """Architectures by id."""

    rows: list[ArchitectureOut]
    meta: Meta
    next: str | None


class EngineOut(Answer):
    """One serving engine, with the names that others write it with."""

    engine: str
    name: str
    aliases: str
    license: str
    homepage: str | None
    as_of: str
    source: str
    note: str
    origin: Origin
    recorded_at: str


class EnginesAnswer(Answer):
    """Engines by id."""

    rows: list[EngineOut]
    meta: Meta
    next: str | None


ARCHITECTURE_NUMBERS = numeric_columns(ArchitectureOut)
