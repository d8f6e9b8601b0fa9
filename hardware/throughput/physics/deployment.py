"""A deployment as the numbers that the equations need: one, or many stacked into arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.physics.figures import Figures
from hardware.throughput.physics.model.kv_cache import kv_cache
from hardware.throughput.physics.model.parameters import parameters
from hardware.throughput.physics.model.precision import KV_BYTES, SIXTEEN_BIT, attention_weights, weight_format
from hardware.throughput.question import Parallelism

#: PCIe 5 ×16, 10^9 bytes a second per direction: the link of a device that publishes none.
PCIE_GB_PER_S = 64.0


@dataclass(frozen=True, slots=True)
class Deployment:
    """One replica of a model on accelerators. Every field is a float, or an array with an element per deployment.

    Attributes:
        ranks: accelerators that share a layer; `stages` of layers; `expert_ranks` that share the experts.
        attention_ranks: accelerators over which the attention of one sequence is spread: `ranks`, or 1 with data-parallel attention.
        kv_shards: parts into which the keys and values of a sequence are cut without being copied.
        sequence_shards: groups of accelerators that hold different sequences.
        *_params, *_bytes, *_flops: weights of that use, bytes of one of them, dense peak of its arithmetic per accelerator.
        *_weight_only, *_fp4: 1 where its arithmetic is wider than its weights; where it is 4-bit.
        qk_dim, v_dim: elements of a head's query-key and value products; `decode_dim`: both in a decode step.
        other_vendor: 1 for accelerators that are not NVIDIA's.
    """

    ranks: Figures
    stages: Figures
    expert_ranks: Figures
    attention_ranks: Figures
    kv_shards: Figures
    sequence_shards: Figures
    layers: Figures
    expert_layers: Figures
    hidden: Figures
    heads: Figures
    prefill_dim: Figures
    decode_dim: Figures
    full_layers: Figures
    sliding_layers: Figures
    linear_layers: Figures
    experts: Figures
    experts_per_token: Figures
    attention_params: Figures
    attention_bytes: Figures
    attention_flops: Figures
    attention_fp4: Figures
    attention_weight_only: Figures
    dense_params: Figures
    dense_bytes: Figures
    dense_flops: Figures
    dense_fp4: Figures
    dense_weight_only: Figures
    expert_params: Figures
    expert_bytes: Figures
    expert_flops: Figures
    expert_fp4: Figures
    expert_weight_only: Figures
    head_params: Figures
    embedding_params: Figures
    sixteen_bit_flops: Figures
    bandwidth: Figures
    memory_bytes: Figures
    link: Figures
    scale_up_domain: Figures
    full_kv_bytes: Figures
    sliding_kv_bytes: Figures
    window: Figures
    read_limit: Figures
    index_bytes: Figures
    state_bytes: Figures
    other_vendor: Figures

    @property
    def accelerators(self) -> Figures:
        """Of one replica: ranks × stages."""
        return self.ranks * self.stages


def deployment_of(
    architecture: Architecture,
    accelerator: Accelerator,
    weight_precision: str,
    kv_precision: str,
    shape: Parallelism,
) -> Deployment:
    """The numbers of one replica; `shape` is an aggregated one or that of one worker of a pool.

    Raises:
        PermillionError: `unsupported-format`, `invalid-fields` as `weight_format` says; `unsupported-format` without published memory
            or bandwidth.
    """
    split = parameters(architecture)
    attention_name = attention_weights(weight_precision, architecture)
    outside_name = attention_name if architecture.natively_4bit_experts else weight_precision
    attention = weight_format(attention_name, accelerator)
    dense = weight_format(outside_name, accelerator)
    expert = weight_format(weight_precision, accelerator)
    head = weight_format("bf16", accelerator) if _has_sixteen(accelerator) else attention
    cache = kv_cache(architecture, KV_BYTES[kv_precision])
    ranks = shape.tensor
    spread = 1 if shape.attention_data else ranks
    if architecture.is_mla:
        shards = 1
        prefill = float(
            (architecture.qk_nope_head_dim or 0) + (architecture.qk_rope_head_dim or 0) + (architecture.v_head_dim or 0)
        )
        decode = float(2 * (architecture.kv_lora_rank or 0) + (architecture.qk_rope_head_dim or 0))
    else:
        shards = min(spread, max(architecture.kv_heads, 1))
        prefill = decode = float((architecture.head_dim or 0) + (architecture.v_head_dim or architecture.head_dim or 0))
    return Deployment(
        ranks=float(ranks),
        stages=float(shape.pipeline),
        expert_ranks=float(min(max(shape.expert, 1), ranks)),
        attention_ranks=float(spread),
        kv_shards=float(shards),
        sequence_shards=float(ranks // spread),
        layers=float(architecture.layers),
        expert_layers=float(split.expert_layers),
        hidden=float(architecture.hidden_size),
        heads=float(architecture.heads),
        prefill_dim=prefill,
        decode_dim=decode,
        full_layers=float(architecture.full_attention_layers),
        sliding_layers=float(architecture.sliding_layers),
        linear_layers=float(architecture.linear_layers),
        experts=float(architecture.routed_experts),
        experts_per_token=float(architecture.experts_per_token),
        attention_params=split.attention,
        attention_bytes=attention.bytes_per_weight,
        attention_flops=attention.peak_flops,
        attention_fp4=float(attention.arithmetic == "fp4"),
        attention_weight_only=float(attention.weight_only),
        dense_params=split.dense,
        dense_bytes=dense.bytes_per_weight,
        dense_flops=dense.peak_flops,
        dense_fp4=float(dense.arithmetic == "fp4"),
        dense_weight_only=float(dense.weight_only),
        expert_params=split.expert,
        expert_bytes=expert.bytes_per_weight,
        expert_flops=expert.peak_flops,
        expert_fp4=float(expert.arithmetic == "fp4"),
        expert_weight_only=float(expert.weight_only),
        head_params=split.head,
        embedding_params=0.0 if architecture.tied_embeddings else split.embedding,
        sixteen_bit_flops=head.peak_flops,
        bandwidth=_needed(accelerator.bandwidth_gb_per_s, accelerator, "memory bandwidth") * 1e9,
        memory_bytes=_needed(accelerator.memory_bytes, accelerator, "memory size"),
        link=(accelerator.link_gb_per_s or PCIE_GB_PER_S) * 1e9,
        scale_up_domain=float(accelerator.scale_up_domain or 1),
        full_kv_bytes=cache.full_bytes_per_token,
        sliding_kv_bytes=cache.sliding_bytes_per_token,
        window=cache.window,
        read_limit=cache.read_limit,
        index_bytes=cache.index_bytes_per_token,
        state_bytes=cache.state_bytes,
        other_vendor=float(accelerator.vendor != "NVIDIA"),
    )


def stacked(deployments: Sequence[Deployment]) -> Deployment:
    """Many deployments as one whose fields are columns of shape (n, 1): they broadcast against a grid of batches."""
    names = [field.name for field in fields(Deployment)]
    table = np.array([[getattr(each, name) for name in names] for each in deployments], dtype=np.float64)
    return Deployment(*(table[:, place, np.newaxis] for place in range(len(names))))


def _has_sixteen(accelerator: Accelerator) -> bool:
    return any(name in accelerator.dense_tflops for name in SIXTEEN_BIT)


def _needed(figure: float | None, accelerator: Accelerator, what: str) -> float:
    if figure is None or figure <= 0:
        raise PermillionError("unsupported-format", f"{accelerator.id} has no published {what}", pointer="/accelerator")
    return figure
