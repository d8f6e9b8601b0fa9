"""One model architecture: layers, heads, experts and vocabulary, and the quantities that follow from them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from economics.errors import PermillionError

TABLE: Final = Path(__file__).with_name("architectures.csv")
TOKENIZERS: Final = Path(__file__).with_name("tokenizers.csv")
AS_OF: Final = "2026-11-30"
"""The day the evidence of both tables was collected."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a model's configuration says.

    Attributes:
        layers: all of them = full_attention_layers + sliding_layers + linear_layers.
        kv_heads, head_dim, v_head_dim: of grouped attention; `v_head_dim` may differ from `head_dim`.
        kv_lora_rank, q_lora_rank, qk_rope_head_dim, qk_nope_head_dim: of multi-head latent attention (MLA), else None.
        sliding_window: tokens that a sliding (or chunked) layer looks at.
        dense_intermediate, dense_mlp_layers: of layers without experts.
        routed_experts, experts_per_token, shared_experts, moe_intermediate: of layers with experts, else 0 or None.
        index_topk: tokens that sparse attention chooses, None where attention is not sparse.
        total_params, active_params: computed from this row; both count the input embedding and the LM head.
        kv_elements_per_token: keys and values of one token over all layers that keep them, sliding ones (inside their window)
            included; None where they are compressed.
        natively_4bit_experts: the published weights of the experts are MXFP4, FP4 or INT4.
        tokenizer: id of the tokenizer that counts its tokens, None where no source maps it to one (`tokenizer_gap` says why).
        tokenizer_source: what maps it.
        as_of: the day the evidence was collected.
    """

    id: str
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
    published_total_params: float | None
    published_active_params: float | None
    total_params: float
    active_params: float
    attention_params: float
    routed_expert_params: float | None
    kv_elements_per_token: float | None
    value_source: str
    check: str
    notes: str
    tokenizer: str | None = None
    tokenizer_source: str | None = None
    tokenizer_gap: str | None = None
    as_of: str = AS_OF

    @property
    def is_moe(self) -> bool:
        """Whether layers have routed experts."""
        return self.routed_experts > 0

    @property
    def is_mla(self) -> bool:
        """Whether keys and values are one latent vector a token."""
        return self.kv_lora_rank is not None

    @property
    def natively_4bit_experts(self) -> bool:
        """Whether the published expert weights have 4 bits."""
        text = f"{self.notes} {self.value_source}"
        return any(mark in text for mark in ("natively MXFP4", "natively FP4", "natively INT4"))


def _architecture(row: Mapping[str, str], counted: Mapping[str, str]) -> Architecture:
    def whole(column: str) -> int | None:
        return int(row[column]) if row[column] else None

    def billions(column: str) -> float | None:
        return round(float(row[column]) * 1e9) if row[column] else None

    return Architecture(
        id=row["arch_key"],
        hf_id=row["hf_id"],
        layers=int(row["n_layers"]),
        full_attention_layers=int(row["n_full_attn_layers"]),
        sliding_layers=int(row["n_sliding_layers"]),
        linear_layers=int(row["n_linear_layers"]),
        hidden_size=int(row["hidden_size"]),
        heads=int(row["n_heads"]),
        kv_heads=int(row["n_kv_heads"]),
        head_dim=whole("head_dim"),
        v_head_dim=whole("v_head_dim"),
        attention=row["attention"],
        kv_lora_rank=whole("kv_lora_rank"),
        q_lora_rank=whole("q_lora_rank"),
        qk_rope_head_dim=whole("qk_rope_head_dim"),
        qk_nope_head_dim=whole("qk_nope_head_dim"),
        sliding_window=whole("sliding_window"),
        dense_intermediate=whole("dense_intermediate"),
        dense_mlp_layers=whole("n_dense_mlp_layers") or 0,
        routed_experts=whole("n_routed_experts") or 0,
        experts_per_token=whole("experts_per_token") or 0,
        shared_experts=whole("n_shared_experts") or 0,
        moe_intermediate=whole("moe_intermediate"),
        vocab_size=int(row["vocab_size"]),
        tied_embeddings=row["tied_embeddings"] == "1",
        mtp_layers=whole("mtp_layers") or 0,
        index_topk=whole("index_topk"),
        max_context=whole("max_context"),
        published_total_params=billions("published_total_b"),
        published_active_params=billions("published_active_b"),
        total_params=float(row["computed_total_b"]) * 1e9,
        active_params=float(row["computed_active_b"]) * 1e9,
        attention_params=float(row["attn_params_b"]) * 1e9,
        routed_expert_params=billions("routed_expert_params_b_each_layer_each"),
        kv_elements_per_token=float(row["kv_elements_per_token_full"]) if row["kv_elements_per_token_full"] else None,
        value_source=row["value_source"],
        check=row["check"],
        notes=row["notes"],
        tokenizer=counted["tokenizer"] or None,
        tokenizer_source=counted["source"] or None,
        tokenizer_gap=counted["reason"] or None,
    )


@cache
def shipped_architectures() -> Mapping[str, Architecture]:
    """The architectures of this package by id."""
    with TOKENIZERS.open(encoding="utf-8", newline="") as lines:
        counted = {row["arch_key"]: row for row in csv.DictReader(lines)}
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        return MappingProxyType({row["arch_key"]: _architecture(row, counted[row["arch_key"]]) for row in rows})


def shipped_architecture(name: str) -> Architecture:
    """One architecture of this package.

    Raises:
        PermillionError: `unknown-architecture`.

    >>> llama = shipped_architecture("llama-3.3-70b")
    >>> llama.layers, llama.kv_heads, llama.kv_elements_per_token, llama.tokenizer
    (80, 8, 163840.0, 'llama3')
    """
    found = shipped_architectures().get(name)
    if found is None:
        raise PermillionError("unknown-architecture", "no such architecture; GET /architectures lists them")
    return found
