"""Floating-point operations of a training run.

Sources: 6ND, Kaplan et al. 2020 (arXiv 2001.08361) and Hoffmann et al. 2022 (arXiv 2203.15556); 8ND with full activation recompute and
the attention term, Narayanan et al. 2021 (Megatron-LM, SC21, arXiv 2104.04473).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from economics.money import Exact, exact
from hardware.architectures.architecture import Architecture

Recompute = Literal["none", "full"]
Attention = Literal["auto", "include", "exclude"]

#: Forward 2, backward 4 operations a parameter and token; full recompute runs the forward pass once more.
OPERATIONS_PER_PARAMETER: Final = {"none": exact(6), "full": exact(8)}
_MODEL_PASSES: Final = exact(6)
LONG_SEQUENCE: Final = 6
"""In hidden sizes. A dense model's attention is `sequence / (6 · hidden)` of the rest: above 6 it is more than the rest."""


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """What is trained.

    Attributes:
        parameters: that one token passes: all of a dense model, the active ones of a mixture of experts.
        basis: where that number is from: `stated`, `published total`, `published active`, `computed active`.
        hidden_size: None where only parameters are known; then attention cannot be counted.
        full_width: Σ over full-attention layers of heads · (query-key width + value width).
        sliding_width, sliding_window: the same of layers that look at a window.
    """

    parameters: Exact
    basis: str
    hidden_size: int | None = None
    full_width: int = 0
    sliding_width: int = 0
    sliding_window: int = 0


def trained_model(architecture: Architecture) -> TrainedModel:
    """The model of an architecture: published parameters, active ones where it has experts.

    >>> from hardware.architectures.architecture import shipped_architecture as shipped
    >>> found = trained_model(shipped("llama-3.1-405b"))
    >>> found.parameters.to_text(), found.basis
    ('405850000000', 'published total')
    >>> found = trained_model(shipped("deepseek-v3"))
    >>> found.parameters.to_text(), found.basis
    ('37000000000', 'published active')
    """
    if architecture.is_moe:
        published, computed, kind = architecture.published_active_params, architecture.active_params, "active"
    else:
        published, computed, kind = architecture.published_total_params, architecture.total_params, "total"
    parameters = computed if published is None else published
    width = architecture.heads * _head_width(architecture)
    return TrainedModel(
        exact(round(parameters)),
        f"{'computed' if published is None else 'published'} {kind}",
        architecture.hidden_size,
        architecture.full_attention_layers * width,
        architecture.sliding_layers * width,
        architecture.sliding_window or 0,
    )


def _head_width(architecture: Architecture) -> int:
    """Query-key width plus value width of a head."""
    if architecture.is_mla:
        keys = (architecture.qk_rope_head_dim or 0) + (architecture.qk_nope_head_dim or 0)
    else:
        keys = architecture.head_dim or 0
    return keys + (architecture.v_head_dim or architecture.head_dim or 0)


@dataclass(frozen=True, slots=True)
class TrainingCompute:
    """Operations of a run.

    Attributes:
        model: without recompute: what MFU counts. `executed`: with it: what the hardware does.
        attention: part of `executed`; 0 where it is not counted.
    """

    model: Exact
    executed: Exact
    attention: Exact


def counts_attention(model: TrainedModel, sequence_length: int | None, wanted: Attention) -> bool:
    """Whether attention is counted: if wanted, or if the sequence is longer than 6 hidden sizes."""
    if wanted == "exclude" or sequence_length is None or model.hidden_size is None:
        return False
    return wanted == "include" or sequence_length > LONG_SEQUENCE * model.hidden_size


def training_compute(
    model: TrainedModel,
    tokens: Exact,
    recompute: Recompute,
    sequence_length: int | None = None,
    *,
    attention: bool = False,
) -> TrainingCompute:
    """Operations of training on `tokens`.

    Formula: 6 · N · D, 8 · N · D with full recompute; attention adds, per token, 6 (8) · Σ_layers heads · (d_qk + d_v) · span, with the
    sequence as span of a full layer and the window of a sliding one. That counts every pair of positions, as Megatron-LM does; a
    causal kernel skips half of them.

    Worked number: Llama 3.1 405B on 15.6 · 10¹² tokens is 6 · 405·10⁹ · 15.6·10¹² = 3.7908 · 10²⁵ (the paper says 3.8 · 10²⁵).

    >>> found = training_compute(TrainedModel(exact(405 * 10**9), "stated"), exact(Decimal("15.6") * 10**12), "none")
    >>> f"{found.executed.to_decimal():.4e}"
    '3.7908e+25'
    """
    passes = OPERATIONS_PER_PARAMETER[recompute]
    per_token = exact(0)
    if attention and sequence_length is not None:
        spans = model.full_width * sequence_length + model.sliding_width * min(sequence_length, model.sliding_window)
        per_token = exact(spans)
    attended = tokens * per_token * passes
    executed = model.parameters * tokens * passes + attended
    return TrainingCompute(executed * _MODEL_PASSES / passes, executed, attended)


def stated_compute(operations: Exact) -> TrainingCompute:
    """A published number of operations, taken as it is."""
    return TrainingCompute(operations, operations, exact(0))


def peak_operations_per_s(dense_tflops: float) -> Exact:
    """Dense peak of one accelerator in operations per second, from its 10¹²s.

    >>> peak_operations_per_s(989.0).to_text()
    '989000000000000'
    """
    return exact(Decimal(repr(dense_tflops))) * Decimal(10**12)
