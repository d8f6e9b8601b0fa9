from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from economics.errors import PermillionError
from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.estimating.residuals.kinship import kinship_of
from hardware.throughput.estimating.residuals.learned import SHIPPED, load, shipped_learned
from hardware.throughput.measurements.counting import counting
from hardware.throughput.measurements.reading import shipped_measurements
from hardware.throughput.plugins import all_estimators, shipped_estimator
from hardware.throughput.question import Parallelism, Range, ThroughputEstimate, ThroughputQuestion
from hardware.throughput.stored import question_of
from tests.unit.hardware.throughput.asking import question, with_bandwidth

PHYSICS = PermillionEstimator()


def ranges(found: ThroughputEstimate) -> list[Range]:
    return [each for each in (found.output_tokens_per_s, found.ttft_ms, found.tpot_ms, found.concurrency_range) if each]


@given(
    st.sampled_from(["llama-3.1-8b", "llama-3.3-70b", "deepseek-r1", "gpt-oss-120b", "qwen3.5-397b-a17b", "glm-5"]),
    st.sampled_from(["h100-sxm", "b200-sxm", "mi355x", "l40s", "a100-sxm-80", "rubin-nvl72", "tpu-v6e", "gaudi3-oam"]),
    st.sampled_from(["bf16", "fp8", "nvfp4", "int4", None]),
    st.sampled_from([8, 16, 64]),
    st.floats(1, 3e5),
    st.floats(1, 3e4),
    st.one_of(st.none(), st.floats(0.5, 1e4)),
    st.one_of(st.none(), st.floats(1, 500)),
    st.sampled_from(["closed_loop", "offline", "static_batch", "poisson"]),
)
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
def test_every_answer_is_finite_ordered_within_its_limits_or_a_refusal(
    architecture: str,
    accelerator: str,
    weights: str | None,
    count: int,
    prompt: float,
    output: float,
    clients: float | None,
    limit: float | None,
    scenario: Any,
) -> None:
    asked = question(
        architecture,
        accelerator,
        count,
        None,
        weight_precision=weights,
        isl_tokens=prompt,
        osl_tokens=output,
        concurrency=clients if scenario != "static_batch" else clients or 8.0,
        tpot_limit_ms=limit,
        scenario=scenario,
        p99_limits=scenario == "poisson",
    )
    try:
        found = PHYSICS.estimate(asked)
    except PermillionError as refusal:
        assert refusal.slug in ("infeasible", "unsupported-format", "invalid-fields")
        return
    for each in ranges(found):
        assert all(math.isfinite(figure) and figure > 0 for figure in (each.low, each.value, each.high))
        assert each.low <= each.value <= each.high
    if limit is not None and found.tpot_ms is not None:
        assert found.tpot_ms.value <= limit * (1 + 1e-9)
    assert found.method == "physics"
    assert found.grade == "C"


def test_many_answers_are_the_single_ones_in_order() -> None:
    asked = [
        question(concurrency=4.0),
        question(count=1, shape="tp1", weight_precision="bf16"),
        question(concurrency=64.0),
    ]
    first, refused, last = PHYSICS.estimate_many(asked)
    assert isinstance(refused, PermillionError)
    assert isinstance(first, ThroughputEstimate)
    assert isinstance(last, ThroughputEstimate)
    assert first.output_tokens_per_s.value == pytest.approx(PHYSICS.estimate(asked[0]).output_tokens_per_s.value)
    assert last.output_tokens_per_s.value == pytest.approx(PHYSICS.estimate(asked[2]).output_tokens_per_s.value)


def refusal(asked: ThroughputQuestion) -> PermillionError:
    with pytest.raises(PermillionError) as refused:
        PHYSICS.estimate(asked)
    return refused.value


def test_weights_that_do_not_fit_say_how_much_is_missing() -> None:
    # 70.55e9 parameters in BF16 are 131.4 GiB; an H100 offers 0.9 · 79.65 − 3 GiB of reserve = 68.7.
    found = refusal(question(count=1, shape="tp1", weight_precision="bf16"))
    assert found.slug == "infeasible"
    missing = float(found.detail.split(": ")[1].split(" GiB")[0])
    assert missing == pytest.approx(131.4 - 68.7, abs=0.5)


def test_a_limit_that_no_batch_meets_says_what_is_reached() -> None:
    found = refusal(question(concurrency=None, tpot_limit_ms=0.5))
    assert found.slug == "infeasible"
    assert "one request alone takes about" in found.detail


def test_a_stated_load_that_breaks_a_limit_is_infeasible() -> None:
    assert refusal(question(concurrency=512.0, tpot_limit_ms=10.0)).slug == "infeasible"


@pytest.mark.parametrize("accelerator", ["groq-lpu-v1", "cerebras-wse3", "sambanova-sn40l"])
def test_makers_of_per_user_speed_have_no_estimate(accelerator: str) -> None:
    found = refusal(question(accelerator=accelerator))
    assert found.slug == "not-for-cost"
    assert "speed of one user" in found.detail


def test_an_accelerator_without_figures_is_no_number() -> None:
    assert refusal(question(accelerator="maia-200", weight_precision="bf16")).slug == "unsupported-format"
    assert refusal(with_bandwidth(question(), None)).slug == "unsupported-format"


def test_narrow_weights_on_wide_arithmetic_are_said() -> None:
    found = PHYSICS.estimate(question(accelerator="a100-sxm-80"))
    assert "fp8 weights with bf16 arithmetic (weight-only quantization)" in found.assumptions


@pytest.mark.parametrize(
    "wrong",
    [
        {"isl_tokens": math.nan},
        {"osl_tokens": math.inf},
        {"isl_tokens": -1.0},
        {"concurrency": 0.0},
        {"tpot_limit_ms": math.nan},
        {"cached_input_share": 1.0},
        {"weight_precision": "fp3"},
        {"kv_precision": "int2"},
        {"count": 0},
        {"count": 6},
    ],
)
def test_impossible_numbers_are_refused(wrong: dict[str, Any]) -> None:
    assert refusal(question(**wrong)).slug == "invalid-fields"


def test_arrivals_beyond_capacity_are_unstable() -> None:
    found = refusal(question(concurrency=None, scenario="poisson", request_rate_per_s=1000.0))
    assert found.slug == "infeasible"
    assert found.detail.startswith("unstable")


def test_a_cached_prompt_is_faster_and_speculation_is_computed() -> None:
    plain = PHYSICS.estimate(question(isl_tokens=8000.0))
    cached = PHYSICS.estimate(question(isl_tokens=8000.0, cached_input_share=0.9))
    assert cached.prefill_s < plain.prefill_s / 3
    assert cached.output_tokens_per_s.value > plain.output_tokens_per_s.value


def test_what_was_measured_is_answered_as_measured() -> None:
    row = next(
        row
        for row in counting(shipped_measurements())
        if row.parallelism_text == "tp8" and row.scenario.startswith("closed") and row.concurrency
    )
    found = shipped_estimator().estimate(question_of(row, "closed_loop"))
    assert found.method == "measured"
    assert row.row_id in found.anchors
    moved = shipped_estimator().estimate(replace(question_of(row, "closed_loop"), isl_tokens=3333.0))
    assert moved.method == "anchored"


def test_a_callers_own_measurement_moves_estimates_near_it() -> None:
    row = next(
        row
        for row in counting(shipped_measurements())
        if row.scenario.startswith("closed") and row.concurrency == 64 and row.output_tok_s_per_gpu
    )
    asked = question_of(row, "closed_loop")
    near = replace(asked, isl_tokens=asked.isl_tokens * 1.1)
    before = PHYSICS.estimate(near).output_tokens_per_s.value
    # The same row under another name, twice as fast: a measurement that no fit has seen.
    assert row.output_tok_s_per_gpu is not None
    own = replace(row, row_id="own", output_tok_s_per_gpu=2 * row.output_tok_s_per_gpu)
    after = PermillionEstimator(measured=[own]).estimate(near)
    assert after.method == "anchored"
    assert 1.1 < after.output_tokens_per_s.value / before < 2.0


def test_bands_are_wider_where_less_is_known() -> None:
    def width(accelerator: str) -> float:
        found = PHYSICS.estimate(question(accelerator=accelerator)).output_tokens_per_s
        return found.high / found.low

    assert width("h100-sxm") < width("mi300x")
    known = shipped_learned().accelerators
    assert kinship_of(question(accelerator="mi300x").accelerator, known, "closed") == "unseen"
    assert kinship_of(question(accelerator="mi300x").accelerator, known, "dataset") == "seen"
    assert kinship_of(question(accelerator="h800-sxm").accelerator, known, "closed") == "kin"


def test_the_shipped_constants_say_what_they_are() -> None:
    about = shipped_learned().about
    assert about["rows"] == 2936
    assert about["fitted_on"]
    assert set(about["unseen"]) == {"physics", "anchored"}


def test_constants_that_were_changed_are_refused(tmp_path: Path) -> None:
    copy = tmp_path / "constants.json"
    copy.write_bytes(SHIPPED.read_bytes())
    copy.with_suffix(".npz").write_bytes(SHIPPED.with_suffix(".npz").read_bytes()[:-1] + b"x")
    with pytest.raises(PermillionError, match="is not what"):
        load(copy)
    document = json.loads(SHIPPED.read_text(encoding="utf-8")) | {"format": 0}
    copy.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(PermillionError, match="another format"):
        load(copy)
    with pytest.raises(PermillionError, match="cannot be read"):
        load(tmp_path / "none.json")


def test_estimators_are_found_by_name() -> None:
    found = all_estimators()
    assert list(found)[:2] == ["permillion", "aiconfigurator"]
    with pytest.raises(PermillionError, match="not installed"):
        found["aiconfigurator"].estimate(question())


def test_p99_limits_give_a_load_and_its_latencies() -> None:
    asked = question(
        "llama-2-70b", "h200-sxm", 8, "tp1", isl_tokens=294.45, osl_tokens=293.0, engine="trtllm", concurrency=None,
        scenario="poisson", tpot_limit_ms=200.0, ttft_limit_ms=2000.0, p99_limits=True,
    )  # fmt: skip
    found = PHYSICS.estimate(asked)
    assert found.tpot_ms is not None
    assert found.ttft_ms is not None
    # Limits are of the 99th percentile: the median stands at 0.8 of them.
    assert found.tpot_ms.value <= 160.0
    assert found.ttft_ms.value < 2000.0
    tighter = PHYSICS.estimate(replace(asked, tpot_limit_ms=40.0, ttft_limit_ms=450.0))
    assert tighter.output_tokens_per_s.value < found.output_tokens_per_s.value


def test_drafts_help_at_small_batches_and_less_at_large_ones() -> None:
    def gain(clients: float) -> float:
        plain = PHYSICS.estimate(question(concurrency=clients)).tpot_ms
        drafted = PHYSICS.estimate(question(concurrency=clients, speculation=(3, 0.7, 0.05))).tpot_ms
        assert plain is not None
        assert drafted is not None
        return plain.value / drafted.value

    # At most (1 − 0.7⁴)/(1 − 0.7) = 2.53 tokens a step.
    assert 1.5 < gain(1.0) < 2.53
    assert gain(256.0) < gain(1.0)


def test_disaggregated_pools_have_latencies() -> None:
    found = PHYSICS.estimate(
        question("deepseek-r1", "b200-sxm", 44, "prefill 1x4 + decode 5x8", engine="trtllm", concurrency=100.0)
    )
    assert found.tpot_ms is not None
    assert found.ttft_ms is not None
    assert (found.replicas, found.accelerators_per_replica) == (1, 44)
    assert found.bound_tokens_per_s_per_accelerator is None


def test_fewer_requests_than_replicas_leave_some_idle() -> None:
    one = PHYSICS.estimate(question("llama-3.1-8b", "h100-sxm", 8, "tp1", concurrency=1.0))
    eight = PHYSICS.estimate(question("llama-3.1-8b", "h100-sxm", 8, "tp1", concurrency=8.0))
    assert one.tpot_ms is not None
    assert eight.tpot_ms is not None
    assert one.tpot_ms.value == pytest.approx(eight.tpot_ms.value, rel=0.15)
    assert one.output_tokens_per_s.value == pytest.approx(eight.output_tokens_per_s.value / 8, rel=0.15)


def test_under_a_limit_the_shape_that_serves_most_within_it_is_taken() -> None:
    """Wide replicas answer one user sooner: the best at full load is not the best under a limit."""
    free = question("llama-3.3-70b", "h100-sxm", 8, None, concurrency=None)
    for limit in (10.0, 20.0, 30.0, 50.0):
        chosen = PHYSICS.estimate(replace(free, tpot_limit_ms=limit))
        stated = []
        for width in (2, 4, 8):
            shape = Parallelism(tensor=width, text=f"tp{width}")
            found = PHYSICS.estimate_many([replace(free, tpot_limit_ms=limit, parallelism=shape)])[0]
            if not isinstance(found, PermillionError):
                stated.append(found.output_tokens_per_s.value)
        assert chosen.output_tokens_per_s.value == pytest.approx(max(stated), rel=1e-9)
        assert chosen.tpot_ms is not None
        assert chosen.tpot_ms.value <= limit
    with pytest.raises(PermillionError, match="one request alone takes about") as refused:
        PHYSICS.estimate(replace(free, tpot_limit_ms=5.0))
    assert refused.value.slug == "infeasible"


def test_an_odd_accelerator_stays_unused_and_is_said() -> None:
    eight, nine = (
        PHYSICS.estimate(question("llama-3.3-70b", "h100-sxm", count, None, concurrency=None)) for count in (8, 9)
    )
    assert nine.output_tokens_per_s.value == pytest.approx(eight.output_tokens_per_s.value, rel=1e-9)
    assert "1 of 9 accelerators are not used" in nine.assumptions


def test_a_limit_of_the_99th_percentile_leaves_room() -> None:
    free = replace(question("llama-3.3-70b", "h100-sxm", 8, None, concurrency=None), tpot_limit_ms=30.0)
    median, tail = PHYSICS.estimate(free), PHYSICS.estimate(replace(free, p99_limits=True))
    assert tail.concurrency < median.concurrency
    assert tail.output_tokens_per_s.value < median.output_tokens_per_s.value


def test_a_queue_far_from_its_limit_is_not_called_unstable() -> None:
    arriving = replace(
        question("llama-3.3-70b", "h100-sxm", 8, None, concurrency=None), scenario="poisson", request_rate_per_s=2.0
    )
    assert not [said for said in PHYSICS.estimate(arriving).assumptions if "unstable" in said]
    with pytest.raises(PermillionError, match="grows without end"):
        PHYSICS.estimate(replace(arriving, request_rate_per_s=2_000.0))
