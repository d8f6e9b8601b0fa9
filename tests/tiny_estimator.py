"""A plug-in for tests: reading weights, keys and values at full bandwidth, and nothing else; two thirds of that is its low end."""

from __future__ import annotations

from economics.errors import PermillionError
from hardware.throughput.question import Range, ThroughputEstimate, ThroughputQuestion
from hardware.throughput.trust.bound import RequestLoad, physical_bound, roof_of
from hardware.throughput.trust.work import kv_elements_per_token, step_weight_bytes


class TinyEstimator:
    """Decode alone, one byte an element."""

    estimator = "tiny"

    def estimate(self, question: ThroughputQuestion) -> ThroughputEstimate:
        precision = question.weight_precision or "fp8"
        bandwidth = (question.accelerator.bandwidth_gb_per_s or 0) * 1e9 * question.accelerator_count
        memory = (question.accelerator.memory_bytes or 0) * question.accelerator_count
        context = question.isl_tokens + question.osl_tokens / 2
        keys = kv_elements_per_token(question.architecture) * context
        missing = question.architecture.total_params - memory
        if missing > 0:
            raise PermillionError("infeasible", f"the weights do not fit: {missing / 2**30:.1f} GiB are missing")

        def step_s(batch: float) -> float:
            return (step_weight_bytes(question.architecture, precision, batch) + batch * keys) / bandwidth

        most = (memory - question.architecture.total_params) / keys
        batch = question.concurrency or most
        if question.tpot_limit_ms is not None:
            if step_s(1) * 1000 > question.tpot_limit_ms:
                raise PermillionError(
                    "infeasible", f"no batch meets the limit: {step_s(1) * 1000:.1f} ms at one request"
                )
            while step_s(batch) * 1000 > question.tpot_limit_ms:
                batch *= 0.99
        step = step_s(batch)
        load = RequestLoad(question.architecture, question.isl_tokens, question.osl_tokens, precision, None, batch)
        bound = physical_bound(load, roof_of(question.accelerator, precision)).tokens_per_s
        rate = min(batch / step, 0.9 * bound * question.accelerator_count)
        return ThroughputEstimate(
            output_tokens_per_s=Range(rate, rate / 1.5, rate * 1.5),
            ttft_ms=None,
            tpot_ms=Range(step * 1000, step * 1000, step * 1500),
            concurrency=batch,
            max_concurrency=most,
            prefill_share=0.0,
            prefill_s=0.0,
            decode_step_s=step,
            replicas=1,
            accelerators_per_replica=question.accelerator_count,
            weight_precision=precision,
            kv_precision="fp8",
            bound_tokens_per_s_per_accelerator=bound,
            method="physics",
            grade="C",
            assumptions=("decode alone",),
            simple_formula_tokens_per_s=bandwidth / question.architecture.total_params * batch,
        )
