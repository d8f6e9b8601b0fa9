"""Trust of a measurement: one that is beyond doubt, and what each change of it costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from economics.errors import PermillionError
from hardware.accelerators.accelerator import shipped_accelerator
from hardware.architectures.architecture import shipped_architecture
from hardware.throughput.question import Range, ThroughputEstimate, ThroughputQuestion
from hardware.throughput.trust.assessment import Assessment, assess
from hardware.throughput.trust.distance import estimate_ratio, is_far, question_of
from hardware.throughput.trust.factors import parse_factors
from hardware.throughput.trust.measurement import Claims, Conditions, Measurement, Percentiles, Value

COMPLETE = Conditions(
    architecture=shipped_architecture("llama-3.3-70b"),
    model_revision="2024-12-06",
    weight_precision="fp8",
    kv_precision="fp8",
    accelerator=shipped_accelerator("h100-sxm"),
    accelerator_count=2,
    power_cap_w=700.0,
    nodes=1,
    accelerators_per_node=8,
    engine="vllm",
    engine_version="0.11.0",
    factors=parse_factors("tp2"),
    isl_tokens=1000.0,
    input_lengths="fixed",
    osl_tokens=1000.0,
    output_lengths="fixed, end of sequence ignored",
    output_length_kind="actual",
    arrival="closed_loop",
    concurrency=64.0,
    requests=1000,
    duration_s=700.0,
    warm_up="100 requests",
    tokens_counted_by="server_usage",
    tpot_definition="after_first_token",
    prefix_cache_hit_ratio=0.0,
    prompts="distinct",
    speculative_decoding="none",
    source="https://example.org/run/1",
    source_kind="own",
    measured_on="2026-11-01",
    command="vllm bench serve …",
)
#: 64 requests of 1,000 tokens in 0.6 + 999 × 0.03 s: 2,093.6 tok/s by Little's law.
VALUE = Value(
    2093.6,
    window="wall_clock",
    ttft=Percentiles(mean=600.0, p50=550.0, p99=1500.0),
    tpot=Percentiles(mean=30.0, p50=29.0, p99=40.0),
)
GOOD = Measurement(VALUE, COMPLETE)


def changed(
    conditions: dict[str, Any] | None = None,
    value: dict[str, Any] | None = None,
    claims: dict[str, Any] | None = None,
    **own: Any,
) -> Assessment:
    measured = Measurement(
        replace(VALUE, **(value or {})), replace(COMPLETE, **(conditions or {})), Claims(**(claims or {})), **own
    )
    return assess([measured])[0]


def test_a_complete_measurement_is_an_a() -> None:
    answer = assess([GOOD])[0]
    assert (answer.grade, answer.reasons, answer.codes, answer.may_enter_cost) == ("A", (), (), True)
    assert len(answer.stated.stated) == 14
    assert answer.little_ratio == pytest.approx(1.0, abs=0.001)
    # 68.45e9 parameters without the embeddings; 80 layers × 8 heads × 2 × 128 elements a token of 1,500 tokens of context
    bound = answer.ceilings.strict
    assert bound is not None
    assert bound.limiting == "memory_bandwidth"
    assert bound.weight_bytes == pytest.approx(68.45e9 / 64, rel=0.002)
    assert bound.work.kv_bytes == 163_840 * 1500
    assert bound.tokens_per_s == pytest.approx(3350e9 / (68.45e9 / 64 + 163_840 * 1500), rel=0.002)


def test_what_is_missing_is_named() -> None:
    answer = changed({"model_revision": None, "engine_version": None, "prefix_cache_hit_ratio": None})
    assert answer.grade == "C"
    assert answer.stated.missing == ("engine_version", "prefix_cache_hit_ratio")
    assert answer.stated.incomplete == ("model_revision",)
    assert "engine not stated" in answer.reasons
    assert changed({"model_revision": None}).grade == "B"
    assert changed({"command": None}).grade == "B"
    assert changed({"command": None, "source_kind": "auditor"}).grade == "A"
    assert changed({"duration_s": 300.0, "requests": 600}).grade == "B"
    assert changed({"duration_s": 300.0, "requests": 640}).grade == "A"
    assert changed(value={"ttft": Percentiles(mean=600.0), "tpot": Percentiles(mean=30.0)}).grade == "B"


@pytest.mark.parametrize("field", ["isl_tokens", "osl_tokens", "accelerator_count", "weight_precision", "accelerator"])
def test_without_lengths_count_or_precision_it_is_a_d(field: str) -> None:
    answer = changed({field: None})
    assert (answer.grade, answer.may_enter_cost) == ("D", False)
    assert field in answer.stated.missing


FLAGS: list[tuple[str, str, dict[str, Any]]] = [
    ("batch_1", "C", {"conditions": {"concurrency": 1.0}, "value": {"tokens_per_s": 32.7}}),
    ("throughput_as_user_speed", "C", {"claims": {"quoted_for": "user_speed"}}),
    ("short_lengths", "C", {"conditions": {"isl_tokens": 128.0}, "claims": {"quoted_for": "chat"}}),
    (
        "no_latency_bound",
        "C",
        {"conditions": {"arrival": "all_at_once"}, "claims": {"quoted_for": "serving"}},
    ),
    ("per_user_speed_only", "D", {"value": {"scope": "user"}}),
    ("per_pool_figure", "D", {"value": {"scope": "decode_pool_accelerator"}}),
    ("prefill_left_out", "D", {"claims": {"prefill_accelerators_counted": False}}),
    ("prefill_left_out", "D", {"value": {"window": "decode"}}),
    ("counts_input_tokens", "C", {"value": {"counted": "input_and_output", "tokens_per_s": 4187.2}}),
    ("cached_input_counted", "C", {"claims": {"cached_input_counted": True}}),
    ("repeated_prompts", "D", {"conditions": {"prompts": "seeded_repeat"}}),
    ("best_not_mean", "C", {"value": {"kind": "best_of_n"}}),
    ("short_window", "C", {"conditions": {"duration_s": 59.0}}),
    ("requested_output_length", "C", {"conditions": {"output_length_kind": "requested"}}),
    ("tokens_retokenized", "C", {"conditions": {"tokens_counted_by": "retokenized"}}),
    ("chunks_as_tokens", "C", {"conditions": {"tokens_counted_by": "chunks"}}),
    ("acceptance_not_stated", "C", {"conditions": {"speculative_decoding": "mtp"}}),
    ("ttft_behind_tpot", "C", {"claims": {"ttft_limit_ms": 149.0}}),
    ("precision_without_quality", "C", {"claims": {"compared_weight_precision": "nvfp4"}}),
    ("sparsity_peak", "C", {"claims": {"peak_tflops_is_dense": False}}),
    ("sparsity_peak", "C", {"peak_tflops": 3958.0}),
    ("full_utilization_in_cost", "C", {"claims": {"cost_utilization_ratio": 1.0}}),
    ("price_terms_differ", "C", {"claims": {"price_term": "3y", "compared_price_term": "on_demand"}}),
    ("percentile_order", "F", {"value": {"ttft": Percentiles(p50=600.0, p99=500.0)}}),
    ("peak_below_mean", "F", {"value": {"peak_tokens_per_s": 2000.0}}),
    ("latency_below_its_tokens", "F", {"value": {"latency_ms": 25_000.0}}),
    ("per_accelerator_contradicts_system", "F", {"value": {"per_accelerator": 2093.6}}),
    ("littles_law", "C", {"value": {"tokens_per_s": 2400.0}}),
    ("littles_law", "F", {"value": {"tokens_per_s": 3300.0}}),
    ("tpot_from_system_throughput", "F", {"value": {"tpot": Percentiles(mean=1000 / 2093.6)}}),
    ("gpu_count_not_product_of_factors", "D", {"conditions": {"accelerator_count": 4}}),
    ("gpu_count_not_product_of_factors", "F", {"conditions": {"accelerator_count": 3}}),
    ("gpu_count_not_product_of_factors", "F", {"conditions": {"accelerator_count": 8, "replicas": 2}}),
    ("worker_counts_missing", "D", {"conditions": {"factors": parse_factors("prefill 1 + decode 1")}}),
    ("gpu_count_not_nodes", "F", {"conditions": {"accelerators_per_node": 1}}),
    (
        "gpu_count_not_nodes",
        "F",
        {"conditions": {"accelerator_count": 10, "factors": None, "accelerators_per_node": None}},
    ),
    ("weights_exceed_memory", "F", {"conditions": {"accelerator": shipped_accelerator("l4")}}),
    ("speculation_undisclosed", "C", {"value": {"tpot": Percentiles(mean=9.0), "tokens_per_s": 6700.0}}),
    ("above_physical_bound", "F", {"value": {"tokens_per_s": 6000.0}}),
    ("above_anything_seen", "C", {"value": {"tokens_per_s": 4600.0, "tpot": Percentiles(mean=13.3)}}),
    ("tpot_undefined", "C", {"conditions": {"osl_tokens": 1.0}}),
]


@pytest.mark.parametrize(("code", "grade", "change"), FLAGS, ids=[f"{code}-{grade}" for code, grade, _ in FLAGS])
def test_each_flag_has_its_grade(code: str, grade: str, change: dict[str, Any]) -> None:
    answer = changed(**change)
    found = {each.code: each for each in answer.findings}
    assert code in found, answer.codes
    assert found[code].ceiling == grade
    assert found[code].text in answer.reasons
    assert "ABCDF".index(answer.grade) >= "ABCDF".index(grade)
    assert answer.may_enter_cost == (answer.grade in "ABC")


def test_replicas_explain_a_multiple() -> None:
    assert changed({"accelerator_count": 4, "replicas": 2}, {"tokens_per_s": 2093.6}).codes == ()


def test_waiting_requests_are_said_and_cost_no_grade() -> None:
    answer = changed({"concurrency": 4096.0}, {"ttft": Percentiles(mean=29_000.0, p99=29_900.0)})
    assert "requests_wait_for_memory" in answer.codes
    assert all(each.ceiling == "A" for each in answer.findings if each.code == "requests_wait_for_memory")


def test_a_precision_that_is_not_stated_is_read_as_wide_as_possible() -> None:
    low = changed({"weight_precision": None, "kv_precision": None})
    assert low.ceilings.weight_precision == "bf16"
    high = changed({"weight_precision": None, "kv_precision": None, "concurrency": None}, {"tokens_per_s": 9000.0})
    assert high.ceilings.weight_precision == "fp8"
    assert (low.grade, high.grade) == ("D", "D")
    assert any("wider weights" in each for each in high.ceilings.assumptions)


def test_without_anything_that_limits_there_is_no_bound() -> None:
    """DeepSeek V4 compresses keys and values: without a peak, a precision and a load nothing known is read."""
    conditions = Conditions(architecture=shipped_architecture("deepseek-v4-flash"), osl_tokens=1.0)
    (answer,) = assess([Measurement(Value(None), conditions, bandwidth_gb_per_s=1.0)])
    assert (answer.ceilings.strict, answer.grade) == (None, "D")


def test_sweeps() -> None:
    def row(isl: float, concurrency: float, ttft: float, tpot: float, tokens: float) -> Measurement:
        conditions = replace(COMPLETE, isl_tokens=isl, concurrency=concurrency)
        return Measurement(
            replace(VALUE, tokens_per_s=tokens, ttft=Percentiles(ttft), tpot=Percentiles(tpot)), conditions
        )

    little = [row(1000, 64, 600, 30, 2093), row(4000, 64, 610, 32, 1965), row(1000, 128, 900, 25, 4950)]
    flat, falling = assess(little)[1:]
    assert "ttft_flat_in_isl" in flat.codes
    assert "tpot_falls_with_concurrency" in falling.codes
    assert assess(little[:1])[0].codes == ()
    again = assess([row(1000, 64, 600, 30, 2093), row(1000, 64, 600, 19, 3290)])
    assert again[0].codes == ()
    assert "same_conditions_differ" in again[1].codes


@pytest.mark.parametrize(
    "label", ["", "tp", "tp0", "ep8", "tp8-tp8", "tp4-dep4", "x" * 5000, "total36", "prefill 0x4 + decode 1x8"]
)
def test_a_label_that_is_none_is_refused_and_not_repeated(label: str) -> None:
    with pytest.raises(PermillionError) as refused:
        parse_factors(label)
    assert refused.value.slug == "invalid-fields"
    assert not label or f" {label} " not in refused.value.detail


class Half:
    """An estimator that knows one figure, and that a replica of eight does not exist."""

    estimator = "half"

    def estimate(self, question: ThroughputQuestion) -> ThroughputEstimate:
        if question.accelerator_count == 8:
            raise PermillionError("infeasible", "no")
        rate = 500.0 * question.accelerator_count
        return ThroughputEstimate(
            Range(rate, rate, rate), None, None, 1, 1, 0, 0, 0, 1, 1, "fp8", "fp8", None, "physics", "C"
        )  # fmt: skip


def test_the_distance_from_an_estimate_shows_a_wrong_count() -> None:
    asked = question_of(GOOD)
    assert asked is not None
    assert asked.parallelism is not None
    assert (asked.parallelism.tensor, asked.concurrency, asked.scenario) == (2, 64.0, "closed_loop")
    assert estimate_ratio(GOOD, Half()) == pytest.approx(2.0936)
    assert is_far(estimate_ratio(GOOD, Half()))
    right = Measurement(VALUE, replace(COMPLETE, accelerator_count=4, factors=None))
    assert estimate_ratio(right, Half(), with_parallelism=False) == pytest.approx(1.0468)
    assert not is_far(estimate_ratio(right, Half()))
    assert is_far(estimate_ratio(Measurement(VALUE, replace(COMPLETE, accelerator_count=8)), Half()))
    assert estimate_ratio(Measurement(VALUE, Conditions()), Half()) is None
