"""Published reports of wrong throughput figures: each is caught here, and named by where it was reported."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from api.services.throughput.checking import MeasurementToCheck, check, measurement_from
from economics.errors import PermillionError
from hardware.architectures.architecture import shipped_architecture
from hardware.throughput.sources.inferencex import read_inferencex
from hardware.throughput.sources.mlperf import read_mlperf
from hardware.throughput.trust.assessment import Assessment
from hardware.throughput.trust.consistency import tpot_ms
from hardware.throughput.trust.work import distinct_experts, kv_elements_per_token, step_weight_bytes, work_of
from tests.cases.source_entries import AMD, RUN
from tests.machines import HARDWARE

#: 64 requests of 1,000 tokens in 0.6 + 999 × 0.03 s are 2,093.6 tok/s.
ROW: dict[str, Any] = {
    "architecture": "llama-3.3-70b",
    "weight_precision": "fp8",
    "kv_precision": "fp8",
    "accelerator": "h100-sxm",
    "accelerator_count": 2,
    "nodes": 1,
    "engine": "vllm",
    "engine_version": "0.11.0",
    "parallelism": "tp2",
    "isl_tokens": 1000.0,
    "osl_tokens": 1000.0,
    "arrival": "closed_loop",
    "concurrency": 64.0,
    "ttft_mean_ms": 600.0,
    "tpot_mean_ms": 30.0,
    "output_tokens_per_s": 2093.6,
    "prefix_cache_hit_ratio": 0.0,
    "speculative_decoding": "none",
    "source": "own run",
    "measured_on": "2026-11-01",
}


def checked(*changes: dict[str, Any]) -> list[Assessment]:
    rows = [MeasurementToCheck(index, {**ROW, **change}) for index, change in enumerate(changes)]
    answers = check(rows, HARDWARE)
    assert all(answer.assessment is not None for answer in answers), [answer.error for answer in answers]
    return [answer.assessment for answer in answers if answer.assessment is not None]


def one(**change: Any) -> Assessment:
    return checked(change)[0]


def refusal(**change: Any) -> PermillionError:
    with pytest.raises(PermillionError) as refused:
        measurement_from({**ROW, **change}, HARDWARE)
    return refused.value


def test_the_row_itself_is_good() -> None:
    assert (one().grade, one().codes) == ("B", ())


def test_aiconfigurator_1476_a_context_parallel_factor_is_missing_from_the_count() -> None:
    """ai-dynamo/aiconfigurator#1476: tok/s/GPU inflated up to eight times."""
    answer = one(parallelism="tp2-cp8", accelerator_count=2)
    assert "gpu_count_not_product_of_factors" in answer.codes
    assert (answer.grade, answer.may_enter_cost) == ("F", False)
    nodes = one(parallelism=None, accelerator_count=2, nodes=2, accelerators_per_node=8)
    assert "gpu_count_not_nodes" in nodes.codes


def test_configiq_8_two_definitions_of_tpot() -> None:
    """redhat-performance/configiq#8: total ÷ tokens is converted to (total − TTFT) ÷ (tokens − 1), never mixed."""
    whole = (600 + 999 * 30) / 1000
    answer = one(tpot_mean_ms=whole, tpot_definition="whole_latency")
    assert tpot_ms(answer.measured) == pytest.approx(30.0)
    assert answer.little_ratio == pytest.approx(1.0, abs=1e-4)
    unknown = one(tpot_mean_ms=whole, tpot_definition="whole_latency", ttft_mean_ms=None)
    assert "tpot_not_comparable" in unknown.codes


def test_configiq_112_keys_and_values_of_sliding_windows() -> None:
    """redhat-performance/configiq#112: precision stated or assumed and said; sliding layers hold their window alone."""
    gemma = shipped_architecture("gemma-3-27b")
    # 16 heads × (128 + 128) elements; 10 full layers at the mean context 8,500, 52 of 1,024 tokens
    assert work_of(gemma, 8000.0, 1000.0, 2.0).kv_bytes == 2 * 4096 * (10 * 8500 + 52 * 1024)
    answer = one(architecture="gemma-3-27b", kv_precision=None, weight_precision="bf16")
    assert "precision of keys and values not stated: 2 bytes an element" in answer.ceilings.assumptions


def test_inferencex_131_per_pool_figures_have_names_of_their_own() -> None:
    """SemiAnalysisAI/InferenceX#131: a pool's figure is none of the whole system."""
    pool = {
        "output_tokens_per_s": None,
        "tokens_per_s": 1850.0,
        "counted": "output",
        "scope": "decode_pool_accelerator",
    }
    answer = one(**pool)
    assert answer.measured.output_tokens_per_s_per_accelerator is None
    assert ("per_pool_figure" in answer.codes, answer.may_enter_cost) == (True, False)


def test_inferencex_2168_a_shape_that_was_not_forwarded() -> None:
    """SemiAnalysisAI/InferenceX#2168: 157,484 tok/s per GPU in place of 9,669, sixteen times."""
    row = {
        "architecture": "deepseek-r1",
        "accelerator": "b200-sxm",
        "accelerator_count": 16,
        "parallelism": "tp16",
        "nodes": 2,
        "isl_tokens": 8192.0,
        "osl_tokens": 1024.0,
        "concurrency": 1024.0,
        "output_tokens_per_s": None,
        "ttft_mean_ms": None,
        "tpot_mean_ms": None,
    }
    answer = one(**row, total_tokens_per_s_per_accelerator=157_484.0)
    assert ("above_physical_bound" in answer.codes, answer.grade) == (True, "F")
    assert "above_physical_bound" not in one(**row, total_tokens_per_s_per_accelerator=9_669.0).codes


def test_inferencex_2354_a_data_parallel_factor_is_absent() -> None:
    """SemiAnalysisAI/InferenceX#2354: 4 GPUs recorded for a run on 16."""
    answer = one(parallelism="tp4-dp4", accelerator_count=4)
    assert answer.grade == "F"
    assert "4 accelerators stated, 16 by the parallel factors" in answer.reasons


def test_inferencex_552_and_553_costs_of_a_source_are_never_imported() -> None:
    """SemiAnalysisAI/InferenceX#552, #553: its input and output costs each carry the whole bill; we compute our own split."""
    (row,) = read_inferencex(
        json.dumps({**RUN, "costh": 0.9, "costhi": 0.9, "cost_per_mtok_output": 1.1}).encode()
    ).rows
    assert not any("cost" in column for column in row.cells)


def test_vllm_52884_a_warm_server_repeats_a_seed() -> None:
    """vllm-project/vllm#52884: up to 86 % more; an unknown hit rate lowers the grade, a repeated seed bars the figure."""
    unknown = one(prefix_cache_hit_ratio=None)
    assert (unknown.grade, "prefix cache not stated" in unknown.reasons) == ("C", True)
    assert "prefix_cache_hit_ratio" in unknown.stated.missing
    repeated = one(prompts="seeded_repeat")
    assert ("repeated_prompts" in repeated.codes, repeated.may_enter_cost) == (True, False)


def test_vllm_10753_identical_prompts() -> None:
    """vllm-project/vllm#10753: 19,455 output tok/s with identical prompts, 12,262 with distinct ones: 1.59 times."""
    open_loop = {"arrival": "all_at_once", "concurrency": None, "ttft_mean_ms": None, "tpot_mean_ms": None}
    large = {**open_loop, "accelerator_count": 8, "parallelism": "tp8"}
    distinct, identical = checked(
        {**large, "output_tokens_per_s": 12_262.0}, {**large, "output_tokens_per_s": 19_455.0}
    )
    assert "same_conditions_differ" not in distinct.codes
    (found,) = [each for each in identical.findings if each.code == "same_conditions_differ"]
    assert found.text.startswith("1.59 times")
    assert identical.grade == "C"


def test_vllm_12845_throughput_is_no_latency() -> None:
    """vllm-project/vllm#12845: 1000 ÷ 529 tok/s is not the time of a token."""
    answer = one(output_tokens_per_s=529.0, tpot_mean_ms=1.89, ttft_mean_ms=None)
    assert ("tpot_from_system_throughput" in answer.codes, answer.grade) == (True, "F")
    quoted = one(tpot_mean_ms=None, quoted_for="user_speed")
    assert "throughput_as_user_speed" in quoted.codes


def test_vllm_8231_prompt_and_output_tokens_together() -> None:
    """vllm-project/vllm#8231: split by the lengths and flagged; a bare tokens/s is refused."""
    answer = one(output_tokens_per_s=None, total_tokens_per_s=4187.2)
    assert answer.measured.output_tokens_per_s == pytest.approx(2093.6)
    assert "counts_input_tokens" in answer.codes
    bare = refusal(output_tokens_per_s=None, tokens_per_s=4187.2)
    assert (bare.slug, "bare tokens/s" in bare.detail) == ("invalid-fields", True)
    both = refusal(total_tokens_per_s=4187.2)
    assert "different definitions" in both.detail


def test_vllm_435_requested_lengths() -> None:
    """vllm-project/vllm#435: tokens asked for are not tokens produced."""
    answer = one(output_length_kind="requested")
    assert ("requested_output_length" in answer.codes, answer.grade) == (True, "C")


def test_vllm_37666_a_peak_below_the_mean() -> None:
    """vllm-project/vllm#37666: peak ≥ mean, p99 ≥ p50, TPOT × tokens ≤ latency."""
    assert "peak_below_mean" in one(peak_tokens_per_s=2000.0).codes
    assert "percentile_order" in one(tpot_p50_ms=30.0, tpot_p99_ms=29.0).codes
    assert "latency_below_its_tokens" in one(latency_ms=29_000.0).codes
    assert one(peak_tokens_per_s=2500.0, tpot_p50_ms=29.0, tpot_p99_ms=45.0, latency_ms=30_570.0).grade == "B"


def test_tt_inference_server_4848_decode_throughput_is_not_wall_clock() -> None:
    """tenstorrent/tt-inference-server#4848: labelled by its definition; a decode window holds no prefill."""
    assert one(window="wall_clock").codes == ()
    answer = one(window="decode")
    assert ("prefill_left_out" in answer.codes, answer.may_enter_cost) == (True, False)


def test_flexible_inference_bench_66_text_tokenized_again() -> None:
    """CentML/flexible-inference-bench#66: collapsed spaces changed the number of tokens."""
    assert "tokens_retokenized" in one(tokens_counted_by="retokenized").codes
    assert "chunks_as_tokens" in one(tokens_counted_by="chunks").codes


def test_optimum_benchmark_223_few_new_tokens() -> None:
    """huggingface/optimum-benchmark#223: below two output tokens there is no time per output token."""
    answer = one(osl_tokens=1.0, output_tokens_per_s=60.0)
    assert tpot_ms(answer.measured) is None
    assert ("tpot_undefined" in answer.codes, answer.little_ratio) == (True, None)


def test_inference_perf_150_null_is_unknown() -> None:
    """kubernetes-sigs/inference-perf#150: without streaming there is no TTFT; it is null, not 0."""
    answer = one(ttft_mean_ms=None, tpot_mean_ms=None)
    assert (answer.measured.value.ttft.typical, answer.little_ratio) == (None, None)
    assert "ttft_ms" in answer.stated.missing
    (row,) = read_inferencex(json.dumps({**RUN, "median_ttft": None, "p99_ttft": None, "median_tpot": 0}).encode()).rows
    assert (row.cells["ttft_ms"], row.cells["tpot_ms"]) == ("", "")


def test_inference_perf_340_random_data_with_a_shared_seed() -> None:
    """kubernetes-sigs/inference-perf#340: over 90 % of the prefix cache hit: only uncached input is work."""
    cold, warm = one(isl_tokens=10_000.0), one(isl_tokens=10_000.0, prefix_cache_hit_ratio=0.9)
    assert cold.ceilings.strict is not None
    assert warm.ceilings.strict is not None
    assert warm.ceilings.strict.work.prefill_flop == pytest.approx(0.1 * cold.ceilings.strict.work.prefill_flop)
    assert "cached_input_counted" in one(prefix_cache_hit_ratio=0.9, cached_input_counted=True).codes
    assert not one(prompts="seeded_repeat", prefix_cache_hit_ratio=0.9).may_enter_cost


def test_llmfit_474_batch_1_reads_active_weights() -> None:
    """AlexsJones/llmfit#474: 34.7 tok/s from all parameters, 77.6 measured (RX 6900 XT, 512 GB/s)."""
    answer = one(
        architecture="qwen3-30b-a3b", weight_precision="int4", accelerator=None, accelerator_count=1, parallelism="tp1",
        bandwidth_gb_per_s=512.0, concurrency=1.0, output_tokens_per_s=77.6, isl_tokens=512.0, osl_tokens=256.0,
        ttft_mean_ms=None, tpot_mean_ms=None,
    )  # fmt: skip
    assert answer.ceilings.roofline_ratio is not None
    assert answer.ceilings.roofline_ratio < 0.5
    qwen = shipped_architecture("qwen3-30b-a3b")
    assert 512e9 / (qwen.total_params * 0.5625) < 34.7 < 77.6 < 512e9 / step_weight_bytes(qwen, "int4")


def test_llmfit_449_a_ceiling_is_no_estimate() -> None:
    """AlexsJones/llmfit#449: 472 tok/s by peak bandwidth, 150 to 180 measured: what reaches the ceiling is flagged."""
    moe = {
        "architecture": "qwen3-30b-a3b", "weight_precision": "int4", "accelerator": None, "accelerator_count": 1, "parallelism": "tp1",
        "concurrency": 1.0, "isl_tokens": 512.0, "osl_tokens": 256.0, "ttft_mean_ms": None, "tpot_mean_ms": None,
        "bandwidth_gb_per_s": 800.0,
    }  # fmt: skip
    claimed, real = one(**moe, output_tokens_per_s=460.0), one(**moe, output_tokens_per_s=165.0)
    assert claimed.ceilings.roofline_ratio is not None
    assert 0.8 < claimed.ceilings.roofline_ratio < 1
    assert "above_anything_seen" in claimed.codes
    assert "above_anything_seen" not in real.codes


def test_ods_3324_keys_and_values_do_not_follow_from_parameters() -> None:
    """Osmantic/ODS#3324: layers × heads × dimension alone; the published bytes of three models come out."""
    names = ("deepseek-v3", "qwen2.5-72b", "llama-3.1-405b")
    bytes_per_token = [2 * kv_elements_per_token(shipped_architecture(name)) for name in names]
    assert bytes_per_token == [70_272, 327_680, 516_096]
    heavier = replace(shipped_architecture("qwen2.5-72b"), total_params=1e12, active_params=1e12)
    assert 2 * kv_elements_per_token(heavier) == 327_680


def test_inference_policies_311_mlperf_counts_output_tokens() -> None:
    """mlcommons/inference_policies#311: no input is in MLPerf's tokens/s; totals are computed from the lengths."""
    (row,) = read_mlperf(json.dumps([AMD]).encode()).rows
    assert row.cells["throughput_kind"] == "measured (output tokens only)"
    total, output = float(row.cells["total_tok_s_per_gpu"]), float(row.cells["output_tok_s_per_gpu"])
    assert total / output == pytest.approx((294.45 + 301.1) / 301.1, rel=1e-4)


def test_we27_mlperf_per_chip() -> None:
    """MLPerf Inference v5.1 id 5.1-0001, Llama2-70B Interactive: 8,840.42 tok/s on 8 MI300X are 1,105.0525 each."""
    (row,) = read_mlperf(json.dumps([AMD]).encode()).rows
    assert float(row.cells["output_tok_s"]) / int(row.cells["gpu_count"]) == 1105.0525


def test_we29_mlperf_unit_label() -> None:
    """MLPerf Inference v5.1, Llama 3.1 8B Interactive: 102,907 "Queries/s" are tokens/s; the log has 797.73 samples/s of 129."""
    change = {
        "Model": "llama3.1-8b",
        "UsedModel": "llama3.1-8b",
        "Performance_Units": "Queries/s",
        "Performance_Result": 102_907.0,
    }
    (row,) = read_mlperf(json.dumps([{**AMD, **change}]).encode()).rows
    assert float(row.cells["output_tok_s"]) == pytest.approx(102_907.0, rel=1e-3)
    assert float(row.cells["output_tok_s"]) == pytest.approx(797.7286821705426 * 129, rel=1e-3)
    assert "source_unit_label_wrong(Queries/s means tokens/s)" in row.cells["quality_flags"]


def test_we30_distinct_experts() -> None:
    """DeepSeek-V3, 64 tokens in flight: 222.4425 of 256 experts of a layer; one token: 8."""
    deepseek = shipped_architecture("deepseek-v3")
    assert distinct_experts(deepseek, 64) == pytest.approx(222.4425, rel=1e-6)
    assert distinct_experts(deepseek, 1) == pytest.approx(8)
