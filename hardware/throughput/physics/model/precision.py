"""What a number format costs: bytes of a weight, and the arithmetic an accelerator does with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture

#: Bytes of a weight with its scales. NVFP4: 4 bits and an 8-bit scale for 16; MXFP4: for 32; INT4: a 16-bit scale for 32.
WEIGHT_BYTES: Final = {
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "fp4": 0.5625,
    "nvfp4": 0.5625,
    "mxfp4": 0.53125,
    "mxfp4w-fp8": 0.53125,
    "int4": 0.5625,
    "uint4": 0.5625,
}
#: Arithmetic of each format, the first that the accelerator has. What comes after the first is weight-only quantization.
_ARITHMETIC: Final = {
    "bf16": ("bf16", "fp16"),
    "fp16": ("fp16", "bf16"),
    "fp8": ("fp8", "bf16", "fp16"),
    "int8": ("int8", "bf16", "fp16"),
    "fp4": ("fp4", "bf16", "fp16"),
    "nvfp4": ("fp4", "bf16", "fp16"),
    "mxfp4": ("fp4", "bf16", "fp16"),
    "mxfp4w-fp8": ("fp8", "bf16", "fp16"),
    "int4": ("bf16", "fp16"),
    "uint4": ("bf16", "fp16"),
}
KV_BYTES: Final = {"fp8": 1.0, "bf16": 2.0, "fp16": 2.0}
SIXTEEN_BIT: Final = ("bf16", "fp16")
FOUR_BIT: Final = ("fp4", "nvfp4", "mxfp4", "mxfp4w-fp8", "int4", "uint4")


@dataclass(frozen=True, slots=True)
class Format:
    """A weight format on an accelerator.

    Attributes:
        peak_flops: dense operations a second of the arithmetic used.
        weight_only: weights are unpacked to wider arithmetic.
    """

    name: str
    bytes_per_weight: float
    arithmetic: str
    peak_flops: float
    weight_only: bool


def weight_format(name: str, accelerator: Accelerator) -> Format:
    """How an accelerator computes with weights of that format.

    FP4 on an H100 is 4-bit weights with 16-bit arithmetic; FP8 on an A100 likewise.

    Raises:
        PermillionError: `invalid-fields` for a format that is none; `unsupported-format` where the accelerator has no figure for
            any arithmetic that could serve.

    >>> from hardware.accelerators.accelerator import shipped_accelerator
    >>> h100 = weight_format("nvfp4", shipped_accelerator("h100-sxm"))
    >>> h100.arithmetic, h100.weight_only, h100.bytes_per_weight
    ('bf16', True, 0.5625)
    """
    choices = _ARITHMETIC.get(name)
    if choices is None:
        raise PermillionError(
            "invalid-fields", f"a weight precision is one of {', '.join(WEIGHT_BYTES)}", pointer="/weight_precision"
        )
    for place, arithmetic in enumerate(choices):
        peak = accelerator.dense_tflops.get(arithmetic)
        if peak is not None:
            wider = name in ("int4", "uint4", "mxfp4w-fp8") or (
                place > 0 and arithmetic not in choices[:1] and name not in SIXTEEN_BIT
            )
            return Format(name, WEIGHT_BYTES[name], arithmetic, peak * 1e12, wider)
    known = ", ".join(sorted(accelerator.dense_tflops)) or "none"
    raise PermillionError(
        "unsupported-format",
        f"{accelerator.id} has no published dense peak for {' or '.join(choices)}; it has: {known}",
        pointer="/weight_precision",
    )


def attention_weights(name: str, architecture: Architecture) -> str:
    """Format of the attention weights where the experts have the named one.

    Published 4-bit checkpoints keep latent attention (DeepSeek) and everything but natively 4-bit experts (gpt-oss, Kimi) in 16 bits.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> attention_weights("fp4", shipped_architecture("deepseek-r1")), attention_weights("fp4", shipped_architecture("llama-3.1-70b"))
    ('bf16', 'fp4')
    """
    sixteen = architecture.is_mla or architecture.natively_4bit_experts
    return "bf16" if name in FOUR_BIT and sixteen else name


def kv_format(stated: str | None, weights: str) -> str:
    """Format of keys and values: as stated, else 16 bits beside 16-bit weights and FP8 beside narrower ones.

    Raises:
        PermillionError: `invalid-fields` for another format.

    >>> kv_format(None, "fp8"), kv_format(None, "bf16")
    ('fp8', 'bf16')
    """
    if stated:
        if stated not in KV_BYTES:
            raise PermillionError(
                "invalid-fields", f"a KV precision is one of {', '.join(KV_BYTES)}", pointer="/kv_precision"
            )
        return stated
    return "bf16" if weights in SIXTEEN_BIT else "fp8"
