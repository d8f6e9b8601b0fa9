"""Whether a stated throughput can be: the model fits in memory, and the output is below the physical bound."""

from __future__ import annotations

from typing import Final

from api.services.hosting.deployment import Deployment
from api.services.hosting.serving.throughput import HostedThroughput
from economics.errors import PermillionError
from economics.hosting.query_time import QueryTokens
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.trust.ceilings import ceilings_of
from hardware.throughput.trust.consistency import memory_bytes
from hardware.throughput.trust.formats import check_kv_precision, check_weight_precision
from hardware.throughput.trust.measurement import Conditions, Measurement, Value

_NARROWEST: Final = "mxfp4"
"""What does not fit in so few bits fits in none."""


def check_format(weight_precision: str | None, accelerator: Accelerator | None) -> None:
    """Refuse 8-bit weights where the accelerator has no arithmetic of that format: an A100 has no FP8.

    Weights of 4 bits are stored so and computed with wider arithmetic on older devices; they pass.

    Raises:
        PermillionError: `unsupported-format` naming the formats there are, `invalid-fields` for a format that is none.
    """
    if weight_precision is None:
        return
    check_weight_precision(weight_precision)
    if accelerator is None or weight_precision not in ("fp8", "int8") or weight_precision in accelerator.dense_tflops:
        return
    known = ", ".join(sorted(accelerator.dense_tflops)) or "none that is published"
    raise PermillionError(
        "unsupported-format",
        f"{accelerator.id} has no {weight_precision} arithmetic; it has: {known}",
        pointer="/weight_precision",
    )


def check_plausible(
    deployment: Deployment,
    tokens: QueryTokens,
    found: HostedThroughput,
    architecture: Architecture | None,
    accelerator: Accelerator | None,
) -> None:
    """Refuse what no such machine can do; without an accelerator or a model that are known, nothing is checked.

    A format that is not stated is taken as the narrowest for the fit, and as the widest that allows the figure for the bound.

    Raises:
        PermillionError: `infeasible` with how much memory is missing, `not-for-cost` above the physical bound, `invalid-fields` for
            a format that is none.
    """
    serving = deployment.serving
    weights = None if serving.weight_precision is None else check_weight_precision(serving.weight_precision)
    keys = None if serving.kv_precision is None else check_kv_precision(serving.kv_precision)
    if architecture is None or accelerator is None:
        return
    cached = tokens.cached_input / tokens.input if tokens.input else tokens.input
    measured = Measurement(
        Value(float(found.output_tokens_per_s(tokens).to_decimal()) or None),
        Conditions(
            architecture=architecture,
            weight_precision=weights,
            kv_precision=keys,
            accelerator=accelerator,
            accelerator_count=deployment.accelerator_count,
            isl_tokens=float(tokens.input.to_decimal()),
            osl_tokens=float(tokens.output.to_decimal()) or None,
            concurrency=None if found.concurrency is None else float(found.concurrency.to_decimal()),
            prefix_cache_hit_ratio=float(cached.to_decimal()),
        ),
    )
    _check_memory(measured, weights)
    ratio = ceilings_of(measured).roofline_ratio
    if ratio is not None and ratio > 1:
        raise PermillionError(
            "not-for-cost",
            f"{ratio:.3g} times what the accelerators can do at most on such queries: check their number, the lengths and what the "
            "throughput counts",
            pointer="/throughput",
        )


def _check_memory(measured: Measurement, weights: str | None) -> None:
    sizes = memory_bytes(measured, weights or _NARROWEST)
    if sizes is None:
        return
    needed, _, memory = sizes
    if needed > memory:
        missing = (needed - memory) / 2**30
        raise PermillionError(
            "infeasible",
            f"the weights do not fit in {weights or 'any format'}: {missing:.1f} GiB are missing",
            pointer="/accelerator_count",
        )
