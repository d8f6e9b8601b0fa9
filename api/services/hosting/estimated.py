"""A throughput that an estimator finds: the operating point under the limits that are asked for."""

from __future__ import annotations

from api.services.hosting.deployment import Deployment, HostedLoad
from api.services.hosting.throughput import (
    HostedThroughput,
    positive_time,
    precision_warnings,
    split_by_token,
    to_exact,
)
from economics.errors import PermillionError
from economics.hosting.query_time import SustainedOutput
from economics.money import Exact, exact
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.question import ThroughputEstimate, ThroughputQuestion


def estimated_throughput(
    deployment: Deployment,
    load: HostedLoad,
    architecture: Architecture,
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
    pools = deployment.serving.parallelism
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
        split_by_token(time, tokens, None, architecture),
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


def question_of(
    deployment: Deployment, load: HostedLoad, architecture: Architecture, accelerator: Accelerator
) -> ThroughputQuestion:
    """What the estimator is asked: physics begins here, and lengths may be float.

    Raises:
        PermillionError: `tokens-underivable` without input or output.
    """
    if not load.input_tokens or not load.output_tokens:
        raise PermillionError(
            "tokens-underivable",
            "an estimate needs the lengths of input and output: give output text, tokens or characters",
        )
    serving = deployment.serving
    speculation = serving.speculation
    return ThroughputQuestion(
        architecture,
        accelerator,
        deployment.accelerator_count,
        float(load.input_tokens.to_decimal()),
        float(load.output_tokens.to_decimal()),
        serving.weight_precision,
        serving.kv_precision,
        serving.engine,
        serving.engine_version,
        serving.parallelism,
        cached_input_share=float(load.cached_input_share),
        concurrency=None if serving.concurrency is None else float(serving.concurrency),
        tpot_limit_ms=None if serving.tpot_limit_ms is None else float(serving.tpot_limit_ms),
        ttft_limit_ms=None if serving.ttft_limit_ms is None else float(serving.ttft_limit_ms),
        p99_limits=serving.p99_limits,
        scenario=serving.scenario,
        speculation=None if speculation is None else (speculation[0], float(speculation[1]), float(speculation[2])),
    )


def source_of(estimate: ThroughputEstimate, estimator: str) -> str:
    """Which estimator, and the ids of the measured rows behind its answer."""
    anchors = f", measured rows {' '.join(estimate.anchors)}" if estimate.anchors else ""
    return f"estimator {estimator}{anchors}"


def _factor(value: Exact, end: float) -> Exact | None:
    bound = to_exact(end)
    return value / bound if bound else None


def _or_none(value: float | None) -> Exact | None:
    return None if value is None else to_exact(value)
