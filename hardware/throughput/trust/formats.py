"""Bytes and arithmetic of a number format, read so that nothing which could run is called impossible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.physics.model.precision import KV_BYTES, WEIGHT_BYTES

_SIXTEEN: Final = ("bf16", "fp16")
#: Arithmetic by weight format: the fastest of the first group that the device has, else of the next group.
_ARITHMETIC: Final = {
    "bf16": (_SIXTEEN,),
    "fp16": (_SIXTEEN,),
    "fp8": (("fp8",), _SIXTEEN),
    "int8": (("int8", *_SIXTEEN),),
    "fp4": (("fp4",), ("fp8",), _SIXTEEN),
    "nvfp4": (("fp4",), ("fp8",), _SIXTEEN),
    "mxfp4": (("fp4",), ("fp8",), _SIXTEEN),
    "mxfp4w-fp8": (("fp8",), _SIXTEEN),
    "int4": (_SIXTEEN,),
    "uint4": (_SIXTEEN,),
}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The dense peak that a weight format can use on a device; `format` is empty where the caller stated the peak."""

    format: str
    tflops: float


def check_weight_precision(name: str) -> str:
    """`name`, if it is a weight format.

    Raises:
        PermillionError: `invalid-fields`.
    """
    if name not in WEIGHT_BYTES:
        known = ", ".join(WEIGHT_BYTES)
        raise PermillionError("invalid-fields", f"weight_precision is one of {known}", pointer="/weight_precision")
    return name


def check_kv_precision(name: str) -> str:
    """`name`, if it is a format of keys and values.

    Raises:
        PermillionError: `invalid-fields`.
    """
    if name not in KV_BYTES:
        raise PermillionError("invalid-fields", "kv_precision is one of bf16, fp16, fp8", pointer="/kv_precision")
    return name


def arithmetic_of(weight_precision: str, accelerator: Accelerator) -> Arithmetic | None:
    """The dense peak for weights of that format; None where the table has no dense figure of a format that could serve.

    A 4-bit format on a device without FP4 units means 4-bit weights and wider arithmetic; INT4 is weight-only.

    >>> from hardware.accelerators.accelerator import shipped_accelerator
    >>> arithmetic_of("nvfp4", shipped_accelerator("h100-sxm"))
    Arithmetic(format='fp8', tflops=1979.0)
    """
    peaks = accelerator.dense_tflops
    for group in _ARITHMETIC[weight_precision]:
        found = [Arithmetic(name, peaks[name]) for name in group if name in peaks]
        if found:
            return max(found, key=lambda each: each.tflops)
    return None


def kv_bytes(weight_precision: str | None, kv_precision: str | None) -> float:
    """Bytes of an element of keys and values: as stated, else 2 beside 16-bit weights and 1 beside all others.

    >>> kv_bytes("bf16", None), kv_bytes("fp8", None), kv_bytes(None, None), kv_bytes("fp8", "bf16")
    (2.0, 1.0, 1.0, 2.0)
    """
    if kv_precision is not None:
        return KV_BYTES[kv_precision]
    return 2.0 if weight_precision in _SIXTEEN else 1.0


def bytes_of_experts(architecture: Architecture, weight_precision: str) -> float:
    """Bytes of a weight of a routed expert: experts that are published in 4 bits are read in at most 4 bits and their scales.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> [bytes_of_experts(shipped_architecture(name), "fp8") for name in ("gpt-oss-120b", "kimi-k2.5", "deepseek-r1")]
    [0.53125, 0.5625, 1.0]
    """
    stated = WEIGHT_BYTES[weight_precision]
    if not architecture.natively_4bit_experts:
        return stated
    text = f"{architecture.notes} {architecture.value_source}"
    return min(stated, WEIGHT_BYTES["int4" if "natively INT4" in text else "mxfp4"])
