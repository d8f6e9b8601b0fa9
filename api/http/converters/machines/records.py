"""Accelerators, architectures, engines and profiles, both ways."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from api.http.converters.machines.fields import from_api_figure, to_api_figure, to_api_origin
from api.http.schemas.machines.accelerators import AcceleratorIn
from api.http.schemas.machines.architectures import ArchitectureIn
from api.http.schemas.machines.profiles import OwnershipProfileIn
from catalog.reference import Reference
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.architectures.counting import count_parameters
from hardware.engines.engine import Engine
from hardware.profiles.profile import OwnershipProfileRecord

_PEAKS = {"fp16": "fp16_dense_tflops", "bf16": "bf16_dense_tflops", "fp8": "fp8_dense_tflops",
          "fp4": "fp4_dense_tflops", "int8": "int8_dense_tops"}  # fmt: skip


def from_api_accelerator(row: AcceleratorIn) -> Accelerator:
    """An accelerator as it was stated.

    Raises:
        PermillionError: `invalid-fields` where no peak is given.
    """
    peaks = {form: float(peak) for form, name in _PEAKS.items() if (peak := getattr(row, name)) is not None}
    if not peaks:
        raise PermillionError(
            "invalid-fields", "give the dense peak of at least one format", pointer="/bf16_dense_tflops"
        )
    return Accelerator(
        id=row.accelerator,
        name=row.name,
        vendor=row.vendor,
        form_factor=row.form_factor,
        memory_gb_marketed=from_api_figure(row.memory_gb_marketed),
        memory_gib=float(row.memory_gib),
        memory_type=row.memory_type,
        bandwidth_gb_per_s=float(row.memory_bandwidth_gb_per_s),
        dense_tflops=peaks,
        tdp_w=from_api_figure(row.tdp_w),
        link=row.link,
        link_gb_per_s=from_api_figure(row.link_gb_per_s_per_direction),
        scale_up_domain=row.scale_up_domain,
        released="",
        status="private",
        confidence=row.confidence,
        source=row.source,
        notes=row.note,
        gaps={form: "not stated" for form in _PEAKS if form not in peaks},
        not_for_cost=row.not_for_cost,
        as_of=row.as_of,
    )


def to_api_accelerator(reference: Reference, record: Accelerator) -> dict[str, Any]:
    """A row of `/accelerators`."""
    return {
        "accelerator": record.id,
        "name": record.name,
        "vendor": record.vendor,
        "form_factor": record.form_factor,
        "memory_gib": to_api_figure(record.memory_gib),
        "memory_gb_marketed": to_api_figure(record.memory_gb_marketed),
        "memory_type": record.memory_type,
        "memory_bandwidth_gb_per_s": to_api_figure(record.bandwidth_gb_per_s),
        **{name: to_api_figure(record.dense_tflops.get(form)) for form, name in _PEAKS.items()},
        "tdp_w": to_api_figure(record.tdp_w),
        "link": record.link,
        "link_gb_per_s_per_direction": to_api_figure(record.link_gb_per_s),
        "scale_up_domain": record.scale_up_domain,
        "released": record.released,
        "status": record.status,
        "gaps": "; ".join(f"{name}: {why}" for name, why in record.gaps.items()),
        "not_for_cost": record.not_for_cost,
        "confidence": record.confidence,
        "as_of": record.as_of,
        "source": record.source,
        "note": record.notes,
        **to_api_origin(reference),
    }


def from_api_architecture(row: ArchitectureIn) -> Architecture:
    """An architecture as it was stated, its parameters counted where they were not.

    Raises:
        PermillionError: `invalid-fields` for layers that do not add up, or a figure the count needs.
    """
    full = row.layers - row.sliding_layers - row.linear_layers
    if full < 0:
        raise PermillionError("invalid-fields", "more sliding and linear layers than layers", pointer="/layers")
    if row.sliding_layers and row.sliding_window is None:
        raise PermillionError("invalid-fields", "sliding layers look at a window", pointer="/sliding_window")
    if row.dense_mlp_layers > row.layers:
        raise PermillionError("invalid-fields", "more of them than layers", pointer="/dense_mlp_layers")
    if row.kv_heads > row.heads:
        raise PermillionError("invalid-fields", "more of them than heads", pointer="/kv_heads")
    if bool(row.routed_experts) != bool(row.experts_per_token) or row.experts_per_token > row.routed_experts:
        raise PermillionError("invalid-fields", "from 1 to routed_experts", pointer="/experts_per_token")
    stated = row.model_dump(
        exclude={"architecture", "hf_id", "total_params", "active_params", "note", "source", "v_head_dim"}
    )
    record = Architecture(
        id=row.architecture,
        hf_id=row.hf_id or "",
        full_attention_layers=full,
        v_head_dim=row.v_head_dim or row.head_dim,
        attention="MLA" if row.kv_lora_rank else "GQA",
        mtp_layers=0,
        index_topk=None,
        published_total_params=from_api_figure(row.total_params),
        published_active_params=from_api_figure(row.active_params),
        total_params=float(row.total_params or 0),
        active_params=float(row.active_params or row.total_params or 0),
        attention_params=0.0,
        routed_expert_params=None,
        kv_elements_per_token=None,
        value_source=row.source,
        check="as stated",
        notes=row.note,
        tokenizer_source=None if row.tokenizer is None else "stated with the record",
        tokenizer_gap=None if row.tokenizer is not None else "not stated",
        **stated,
    )
    if row.linear_layers and None not in (row.total_params, row.active_params):
        return record
    counted = count_parameters(record)
    return replace(
        record,
        total_params=float(row.total_params or counted.total),
        active_params=float(row.active_params or counted.active),
        attention_params=float(counted.attention),
        routed_expert_params=None if counted.routed_expert is None else float(counted.routed_expert),
        kv_elements_per_token=float(counted.kv_elements_per_token),
        check="counted from its figures" if row.total_params is None else "as stated",
    )


def to_api_architecture(reference: Reference, record: Architecture) -> dict[str, Any]:
    """A row of `/architectures`."""
    same = (
        "hf_id", "layers", "full_attention_layers", "sliding_layers", "linear_layers", "hidden_size", "heads",
        "kv_heads", "head_dim", "v_head_dim", "attention", "kv_lora_rank", "q_lora_rank", "qk_rope_head_dim",
        "qk_nope_head_dim", "sliding_window", "dense_intermediate", "dense_mlp_layers", "routed_experts",
        "experts_per_token", "shared_experts", "moe_intermediate", "vocab_size", "tied_embeddings", "mtp_layers",
        "index_topk", "max_context",
    )  # fmt: skip
    figures = ("published_total_params", "published_active_params", "total_params", "active_params",
               "attention_params", "kv_elements_per_token")  # fmt: skip
    return {
        "architecture": record.id,
        **{name: getattr(record, name) for name in same},
        **{name: to_api_figure(getattr(record, name)) for name in figures},
        "tokenizer": record.tokenizer,
        "tokenizer_source": record.tokenizer_source,
        "tokenizer_gap": record.tokenizer_gap,
        "check": record.check,
        "as_of": record.as_of,
        "source": record.value_source,
        "note": record.notes,
        **to_api_origin(reference),
    }


def to_api_engine(reference: Reference, record: Engine) -> dict[str, Any]:
    """A row of `/engines`."""
    return {
        "engine": record.id,
        "name": record.name,
        "aliases": ";".join(record.aliases),
        "license": record.license,
        "homepage": record.homepage,
        "as_of": record.as_of,
        "source": record.source,
        "note": record.note,
        **to_api_origin(reference),
    }


def from_api_profile(row: OwnershipProfileIn) -> OwnershipProfileRecord:
    """A profile as it was stated.

    Raises:
        PermillionError: `invalid-fields` with the pointer of the input.
    """
    return OwnershipProfileRecord(
        row.ownership_profile, row.name, row.accelerator, dict(row.inputs), row.source, row.as_of, row.note
    )


def to_api_profile(reference: Reference, record: OwnershipProfileRecord) -> dict[str, Any]:
    """A row of `/ownership-profiles`."""
    return {
        "ownership_profile": record.id,
        "name": record.name,
        "accelerator": record.accelerator,
        "inputs": ";".join(f"{name}={_word(record.inputs[name])}" for name in sorted(record.inputs)),
        "as_of": record.as_of,
        "source": record.source,
        "note": record.note,
        **to_api_origin(reference),
    }


def _word(value: str | int | bool | Decimal) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
