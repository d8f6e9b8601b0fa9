"""How far a measurement is from an estimate of the same deployment: what a wrong accelerator count shows itself by."""

from __future__ import annotations

from typing import Final

from economics.errors import PermillionError
from hardware.throughput.question import Parallelism, Scenario, ThroughputEstimator, ThroughputQuestion
from hardware.throughput.trust.measurement import Measurement

PLAUSIBLE: Final = (0.6, 1.6)
"""The band in which a measurement of grade C may be used."""
_SCENARIOS: Final[dict[str, Scenario]] = {"poisson": "poisson", "all_at_once": "offline", "closed_loop": "closed_loop"}


def question_of(measured: Measurement, *, with_parallelism: bool = True) -> ThroughputQuestion | None:
    """The question whose answer should be what was measured; None where a condition it needs is not stated."""
    conditions = measured.conditions
    if conditions.architecture is None or conditions.accelerator is None or conditions.accelerator_count is None:
        return None
    if conditions.isl_tokens is None or not conditions.osl_tokens:
        return None
    return ThroughputQuestion(
        conditions.architecture,
        conditions.accelerator,
        conditions.accelerator_count,
        conditions.isl_tokens,
        conditions.osl_tokens,
        weight_precision=conditions.weight_precision,
        kv_precision=conditions.kv_precision,
        engine=conditions.engine or "vllm",
        engine_version=conditions.engine_version or "",
        parallelism=_parallelism(measured) if with_parallelism else None,
        nodes=conditions.nodes,
        cached_input_share=conditions.prefix_cache_hit_ratio or 0.0,
        concurrency=conditions.concurrency,
        request_rate_per_s=conditions.request_rate_per_s,
        scenario=_SCENARIOS[conditions.arrival or "closed_loop"],
    )


def _parallelism(measured: Measurement) -> Parallelism | None:
    factors = measured.conditions.factors
    if factors is None or not measured.count_is_certain or factors.context > 1:
        return None
    (prefill, each_prefill), (decode, each_decode) = factors.prefill or (0, 0), factors.decode or (0, 0)
    return Parallelism(
        tensor=each_decode if factors.disaggregated else factors.tensor,
        pipeline=factors.pipeline,
        expert=factors.expert,
        attention_data=factors.attention_data,
        prefill_workers=prefill or 0,
        prefill_accelerators=each_prefill,
        decode_workers=decode or 0,
        decode_accelerators=each_decode,
    )


def estimate_ratio(
    measured: Measurement, estimator: ThroughputEstimator, *, with_parallelism: bool = True
) -> float | None:
    """Measured ÷ estimated output tokens/s of the system.

    None where there is no question to ask; infinite where the estimator finds that the deployment cannot run.
    """
    question, figure = question_of(measured, with_parallelism=with_parallelism), measured.output_tokens_per_s
    if question is None or figure is None:
        return None
    try:
        estimated = estimator.estimate(question).output_tokens_per_s.value
    except PermillionError as refused:
        if refused.slug != "infeasible":
            return None
        return float("inf")
    return figure / estimated if estimated > 0 else float("inf")


def is_far(ratio: float | None) -> bool:
    """Whether a measurement is too far from its estimate to be of that deployment.

    >>> is_far(0.3), is_far(1.2), is_far(None), is_far(float("inf"))
    (True, False, False, True)
    """
    return ratio is not None and not PLAUSIBLE[0] <= ratio <= PLAUSIBLE[1]
