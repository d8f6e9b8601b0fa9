"""A throughput that an estimator finds: the operating point under the limits that are asked for."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal

from api.services.hosting.deployment import Deployment, HostedLoad
from api.services.hosting.serving.throughput import (
    HostedThroughput,
    positive_time,
    precision_warnings,
    split_by_token,
    to_exact,
)
from api.services.throughput.estimating import question_from
from api.services.throughput.machines import Machines
from economics.errors import PermillionError
from economics.hosting.query_time import SustainedOutput
from economics.money import Exact, exact
from hardware.throughput.question import ThroughputEstimate, ThroughputQuestion


def estimated_throughput(
    deployment: Deployment,
    load: HostedLoad,
    question: ThroughputQuestion,
    estimate: ThroughputEstimate,
    estimator: str,
) -> HostedThroughput:
    """An estimate as the operating point of a deployment, for queries of the length that was asked for.

    A limit on latency costs throughput and so money; it never makes a query cheaper.

    Raises:
        PermillionError: `not-for-cost` where the estimate is of grade D or F, `infeasible` where it is no throughput.
    """
    tokens = load.tokens
    if estimate.grade in ("D", "F"):
        raise PermillionError("not-for-cost", f"the estimate has grade {estimate.grade}: it may not enter a cost")
    output = to_exact(estimate.output_tokens_per_s.value)
    if not output:
        raise PermillionError("infeasible", "the estimate is no output at all for this deployment")
    pools = question.parallelism
    disaggregated = pools if pools is not None and pools.disaggregated else None
    prefill_accelerators = decode_accelerators = None
    share = to_exact(estimate.prefill_share)
    if disaggregated is not None:
        prefill_accelerators = disaggregated.prefill_workers * disaggregated.prefill_accelerators
        decode_accelerators = disaggregated.decode_workers * disaggregated.decode_accelerators
        share = exact(prefill_accelerators) / exact(prefill_accelerators + decode_accelerators)
    point = SustainedOutput(output, share)
    time = positive_time(point, tokens)
    low, high = estimate.output_tokens_per_s.low, estimate.output_tokens_per_s.high
    return HostedThroughput(
        point,
        time,
        split_by_token(time, tokens, None, question.architecture),
        estimate.method,
        estimate.grade,
        _factor(output, low),
        _factor(output, high),
        source_of(estimate, estimator),
        ttft_ms=estimate.ttft_ms,
        tpot_ms=estimate.tpot_ms,
        concurrency=to_exact(estimate.concurrency),
        max_concurrency=to_exact(estimate.max_concurrency),
        bound_tokens_per_s_per_accelerator=_or_none(estimate.bound_tokens_per_s_per_accelerator),
        weight_precision=estimate.weight_precision,
        kv_precision=estimate.kv_precision,
        prefill_accelerators=prefill_accelerators,
        decode_accelerators=decode_accelerators,
        assumptions=estimate.assumptions,
        warnings=(
            *(("throughput_estimate",) if estimate.method != "measured" else ()),
            f"throughput_method={estimate.method}",
            f"throughput_grade={estimate.grade}",
            *(
                (f"weight_precision_assumed={estimate.weight_precision}",)
                if deployment.serving.weight_precision is None
                else ()
            ),
            *precision_warnings(estimate.weight_precision),
        ),
    )


def question_of(deployment: Deployment, load: HostedLoad, machines: Machines) -> ThroughputQuestion:
    """What the estimator is asked: physics begins here, and lengths may be float.

    Raises:
        PermillionError: `tokens-underivable` without input or output, and what `question_from` refuses.
    """
    if deployment.accelerator is None:
        raise PermillionError("invalid-fields", "an estimate needs an accelerator", pointer="/accelerator")
    if not load.input_tokens or not load.output_tokens:
        raise PermillionError(
            "tokens-underivable",
            "an estimate needs the lengths of input and output: give output text, tokens or characters",
        )
    stated = {field.name: _plain(getattr(deployment.serving, field.name)) for field in fields(deployment.serving)}
    return question_from(
        {
            **stated,
            "architecture": deployment.model,
            "accelerator": deployment.accelerator,
            "accelerator_count": deployment.accelerator_count,
            "isl_tokens": float(load.input_tokens.to_decimal()),
            "osl_tokens": float(load.output_tokens.to_decimal()),
            "cached_input_share": float(load.cached_input_share),
        },
        machines,
    )


def _plain(value: object) -> object:
    return float(value) if isinstance(value, Decimal) else value


def source_of(estimate: ThroughputEstimate, estimator: str) -> str:
    """Which estimator, and the ids of the measured rows behind its answer."""
    anchors = f", measured rows {' '.join(estimate.anchors)}" if estimate.anchors else ""
    return f"estimator {estimator}{anchors}"


def _factor(value: Exact, end: float) -> Exact | None:
    bound = to_exact(end)
    return value / bound if bound else None


def _or_none(value: float | None) -> Exact | None:
    return None if value is None else to_exact(value)
