"""Public reports of estimators that were wrong, tried here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from economics.errors import PermillionError
from hardware.accelerators.accelerator import shipped_accelerator
from hardware.architectures.architecture import shipped_architecture
from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.estimating.residuals.learned import shipped_learned
from hardware.throughput.measurements.parallelism import parse_parallelism
from hardware.throughput.physics.deployment import deployment_of
from hardware.throughput.physics.durations.prefill import prefill_seconds, shared_prefill_seconds
from hardware.throughput.physics.model.kv_cache import kv_cache
from hardware.throughput.physics.serving import Load, operation
from hardware.throughput.question import Parallelism, ThroughputQuestion
from hardware.throughput.trust.bound import RequestLoad, physical_bound, roof_of
from hardware.throughput.trust.work import body_params

ESTIMATOR = PermillionEstimator()


def asked(architecture: str, accelerator: str, count: int, shape: str) -> ThroughputQuestion:
    return ThroughputQuestion(
        architecture=shipped_architecture(architecture),
        accelerator=shipped_accelerator(accelerator),
        accelerator_count=count,
        isl_tokens=1000,
        osl_tokens=500,
        weight_precision="fp8",
        engine="vllm",
        parallelism=parse_parallelism(shape),
        concurrency=16,
    )


def shape(text: str) -> Parallelism:
    found = parse_parallelism(text)
    assert found is not None
    return found


def test_aiconfigurator_1205_an_unmeasured_family_has_a_wider_band() -> None:
    """TTFT was off by 45 % on an A100 and more on an A10, without a word."""

    def width(accelerator: str, weights: str) -> float:
        found = ESTIMATOR.estimate(replace(asked("llama-3.1-8b", accelerator, 1, "tp1"), weight_precision=weights))
        assert found.ttft_ms is not None
        return found.ttft_ms.high / found.ttft_ms.low

    known = width("h100-sxm", "bf16")
    for family in ("a10", "mi300x", "tpu-v5p", "gaudi3-oam"):
        assert width(family, "bf16") > 1.5 * known
    found = ESTIMATOR.estimate(replace(asked("llama-3.1-8b", "a10", 1, "tp1"), weight_precision="bf16"))
    assert any("no measurement of this accelerator" in said for said in found.assumptions)


@pytest.mark.parametrize("prompt", [1000, 4000, 16000])
def test_aiconfigurator_1150_a_mixed_step_reads_the_weights_once(prompt: int) -> None:
    """Mixed steps were overestimated 1.5 to 3 times, more with longer prompts."""
    constants = shipped_learned().constants
    d = deployment_of(
        shipped_architecture("qwen3-235b-a22b"), shipped_accelerator("h200-sxm"), "fp8", "fp8", shape("tp8")
    )
    alone = float(prefill_seconds(d, constants, prompt))
    shared = float(shared_prefill_seconds(d, constants, prompt))
    assert shared <= alone * (1 + 1e-9)
    run = operation(d, constants, Load(32.0, prompt, 0.0, 500.0, 1e9))
    whole_passes = float(run.step.seconds) + 31 * alone / 500
    assert float(run.tpot_s) <= whole_passes * (1 + 1e-9)


@pytest.mark.parametrize("limit", [15.0, 25.0, 50.0])
def test_aiconfigurator_725_a_limit_constrains_what_is_found(limit: float) -> None:
    """The TPOT limit that a user gave changed nothing."""
    question = replace(asked("llama-3.3-70b", "h100-sxm", 4, "tp4"), concurrency=None, tpot_limit_ms=limit)
    found = ESTIMATOR.estimate(question)
    assert found.tpot_ms is not None
    assert found.tpot_ms.value <= limit
    looser = ESTIMATOR.estimate(replace(question, tpot_limit_ms=limit * 1.5))
    assert looser.concurrency > found.concurrency
    both = ESTIMATOR.estimate(replace(question, ttft_limit_ms=400.0))
    assert both.ttft_ms is not None
    assert both.ttft_ms.value <= 400.0
    with pytest.raises(PermillionError) as refused:
        ESTIMATOR.estimate(replace(question, tpot_limit_ms=0.1))
    assert refused.value.slug == "infeasible"


def test_llm_viewer_12_kv_traffic_counts_kv_heads() -> None:
    """Attention heads were counted: 8 times the traffic of Llama 3.1 70B. Published: 163,840 elements a token, 2 · 8 · 128 · 80."""
    assert kv_cache(shipped_architecture("llama-3.1-70b"), 1).full_bytes_per_token == 2 * 8 * 128 * 80
    assert kv_cache(shipped_architecture("deepseek-v3"), 2).full_bytes_per_token == 70_272


@pytest.mark.parametrize(
    ("batch", "prompt", "output", "measured"),
    [(256, 128, 128, 5353), (32, 128, 2048, 1518), (32, 2048, 128, 547), (16, 2048, 2048, 613)],
)
def test_llm_viewer_4_a_roofline_is_no_estimate(batch: int, prompt: int, output: int, measured: int) -> None:
    """LLaMA-7B on an A100 (TensorRT-LLM): rooflines were 44 to 91 % too fast. The estimate has a band, and stays below the bound."""
    question = replace(
        asked("llama-2-7b", "a100-sxm-80", 1, "tp1"),
        isl_tokens=prompt,
        osl_tokens=output,
        weight_precision="fp16",
        engine="trtllm",
        concurrency=batch,
        scenario="static_batch",
    )
    found = ESTIMATOR.estimate(question)
    assert found.bound_tokens_per_s_per_accelerator is not None
    assert found.output_tokens_per_s.value < found.bound_tokens_per_s_per_accelerator
    assert abs(found.output_tokens_per_s.value / measured - 1) < 0.44


def test_llmfit_474_batch_one_reads_active_experts_only() -> None:
    """34.7 tokens/s were said of a mixture of experts at batch 1 where 77.6 were measured: all experts had been counted."""
    qwen = shipped_architecture("qwen3-30b-a3b")
    bound = physical_bound(RequestLoad(qwen, 100, 100, "fp8", None, 1), roof_of(shipped_accelerator("h100-sxm"), "fp8"))
    all_experts = 3350e9 / qwen.total_params
    assert bound is not None
    assert bound.tokens_per_s > 5 * all_experts
    assert bound.tokens_per_s == pytest.approx(3350e9 / body_params(qwen), rel=0.05)


def test_llmfit_449_batch_one_is_not_peak_bandwidth_over_active_bytes() -> None:
    """472 tokens/s were said where 150 to 180 were measured, a third of peak: overheads of a step are counted."""
    question = replace(asked("qwen3-30b-a3b", "h100-sxm", 1, "tp1"), concurrency=1)
    found = ESTIMATOR.estimate(question)
    assert found.bound_tokens_per_s_per_accelerator is not None
    assert found.output_tokens_per_s.value < found.bound_tokens_per_s_per_accelerator / 2


def test_configiq_112_and_ods_3324_the_cache_is_that_of_the_architecture() -> None:
    """KV sizes came from the parameter count, or ignored windows. Gemma 3 27B: 10 full and 52 sliding layers of 1,024 tokens."""
    cache = kv_cache(shipped_architecture("gemma-3-27b"), 2)
    per_layer = 2 * 16 * 128 * 2
    assert cache.held(100_000) == per_layer * (10 * 100_000 + 52 * 1024)


def test_vllm_12845_a_user_does_not_get_the_speed_of_the_system() -> None:
    """1000 / 529 tokens/s was read as a TPOT of 1.8 ms."""
    found = ESTIMATOR.estimate(asked("llama-3.3-70b", "h100-sxm", 4, "tp4"))
    assert found.tpot_ms is not None
    assert found.tpot_ms.value > 1000 / found.output_tokens_per_s.value * 8
    assert found.concurrency == 16
