"""Questions to an estimator: what is read from a row, what is refused before any estimate, and what follows from one."""

from __future__ import annotations

from typing import Any

import pytest

from api.http.converters.throughput_estimate import from_api_deployment, to_api_estimated
from api.services.throughput.estimating import EstimatedDeployment, estimate_rows
from api.services.throughput.estimator import estimates
from economics.errors import PermillionError
from hardware.throughput.question import ThroughputQuestion
from tests.machines import HARDWARE
from tests.tiny_estimator import TinyEstimator

ROW: dict[str, Any] = {
    "architecture": "llama-3.3-70b",
    "accelerator": "h100-sxm",
    "accelerator_count": 2,
    "weight_precision": "fp8",
    "kv_precision": "fp8",
    "engine": "sglang",
    "parallelism": "tp2",
    "isl_tokens": 1000,
    "osl_tokens": 1000,
    "concurrency": 64,
}


def estimated(*rows: dict[str, Any]) -> list[EstimatedDeployment]:
    asked = [from_api_deployment(row, index) for index, row in enumerate(rows)]
    return estimate_rows(asked, HARDWARE, TinyEstimator())


def asked(**changes: Any) -> ThroughputQuestion:
    (done,) = estimated({**ROW, **changes})
    assert done.question is not None, done.error
    return done.question


def refusal(**changes: Any) -> PermillionError:
    bad, good = estimated({name: value for name, value in {**ROW, **changes}.items() if value is not None}, ROW)
    assert bad.error is not None
    assert bad.estimate is None
    assert good.estimate is not None
    row = to_api_estimated(bad)
    figures = ("output_tokens_per_s", "tpot_ms", "energy_kwh_per_mtok_output", "method")
    assert all(row[name] is None for name in figures)
    return bad.error


def test_a_row_becomes_a_question() -> None:
    question = asked()
    assert (question.engine, question.weight_precision, question.concurrency) == ("sglang", "fp8", 64.0)
    assert question.parallelism is not None
    assert (question.parallelism.tensor, question.parallelism.accelerators) == (2, 2)
    assert (question.scenario, asked(request_rate_per_s="1.5").scenario) == ("closed_loop", "poisson")
    assert asked(scenario="offline", concurrency=None).scenario == "offline"
    pools = asked(accelerator="gb200-nvl72", accelerator_count=44, parallelism="prefill 1x4 + decode 5x8").parallelism
    assert pools is not None
    assert (pools.decode_workers, pools.decode_accelerators, pools.accelerators) == (5, 8, 44)
    assert asked(draft_tokens=3, acceptance_ratio="0.7", draft_time_ratio="0.1").speculation == (3, 0.7, 0.1)
    assert asked(accelerator_count=8).accelerator_count == 8, "four replicas"
    assert asked(accelerator_count=32, parallelism="dep16").parallelism is not None, "experts may cross the domain"


def test_what_follows_from_an_estimate() -> None:
    (done,) = estimated(ROW)
    row = to_api_estimated(done)
    rate = float(row["output_tokens_per_s"])
    # 0.9 of 64 requests in the time of 68.45e9 bytes of weights and 64 × 163,840 × 1,500 of keys and values at 2 × 3.35 TB/s
    assert rate == pytest.approx(0.9 * 64 / ((68.45e9 + 64 * 163_840 * 1500) / 6.7e12), rel=2e-3)
    assert float(row["output_tokens_per_s_per_accelerator"]) == pytest.approx(rate / 2, rel=1e-9)
    assert float(row["energy_kwh_per_mtok_output"]) == pytest.approx(700 * 2 / rate / 3.6, rel=1e-9)
    assert (row["power_basis"], row["power_w_per_accelerator"]) == ("tdp", "700")
    assert (
        row["assumptions"]
        == "prefix cache not stated: no input is cached; arrivals not stated: closed loop; decode alone"
    )
    assert {"energy_at_tdp", "assumptions_made", "wide_band"} <= set(row["warnings"].split(";"))
    assert (row["ttft_ms"], row["ttft_low_ms"]) == (None, None)
    assert (row["method"], row["grade"], row["estimator"]) == ("physics", "C", "tiny")
    (done,) = estimated({**ROW, "power_w_per_accelerator": "560.5"})
    assert to_api_estimated(done)["power_basis"] == "stated"
    (done,) = estimated(
        {**ROW, "accelerator": "tpu-v6e", "accelerator_count": 8, "weight_precision": "bf16", "parallelism": None}
    )
    assert done.energy is None, "no power of it is published"
    assert "energy_unknown" in done.warnings


def test_an_operating_point_keeps_to_its_limit() -> None:
    (done,) = estimated({**ROW, "concurrency": None, "tpot_limit_ms": 15})
    assert done.estimate is not None
    assert done.estimate.tpot_ms is not None
    assert done.estimate.tpot_ms.value <= 15


@pytest.mark.parametrize(
    ("changes", "slug", "says"),
    [
        ({"architecture": "llama-3.3-71b"}, "unknown-architecture", "llama-3.3-70b"),
        ({"accelerator": "h100"}, "unknown-accelerator", "h100-sxm"),
        ({"concurrency": None}, "invalid-fields", "tpot_limit_ms"),
        ({"concurrency": None, "scenario": "static_batch"}, "invalid-fields", "static batch"),
        ({"architecture": None}, "invalid-fields", "architecture"),
        ({"isl_tokens": None}, "invalid-fields", "isl_tokens"),
        ({"osl_tokens": 0}, "invalid-fields", "osl_tokens"),
        ({"accelerator_count": 0}, "invalid-fields", "accelerator_count"),
        ({"concurrency": "NaN"}, "invalid-fields", "concurrency"),
        ({"concurrency": float("inf")}, "invalid-fields", "concurrency"),
        ({"concurrency": "0.5"}, "invalid-fields", "at least one"),
        ({"concurrency": -1}, "invalid-fields", "concurrency"),
        ({"cached_input_share": "1.01"}, "invalid-fields", "cached_input_share"),
        ({"weight_precision": "fp12"}, "invalid-fields", "bf16"),
        ({"kv_precision": "fp4"}, "invalid-fields", "fp8"),
        ({"weight_precision": "nvfp4"}, "unsupported-format", "weight_only"),
        ({"accelerator": "a100-sxm-80"}, "unsupported-format", "no units for fp8"),
        ({"parallelism": "tp3x"}, "invalid-fields", "tpN"),
        ({"parallelism": "tp8"}, "invalid-fields", "make 8"),
        ({"accelerator_count": 3}, "invalid-fields", "make 2"),
        ({"parallelism": "prefill 1 + decode 1"}, "invalid-fields", "workers"),
        ({"parallelism": "prefill 1x1 + decode 2x1"}, "invalid-fields", "make 3"),
        ({"parallelism": "tp2-cp2", "accelerator_count": 4}, "invalid-fields", "context parallelism"),
        ({"parallelism": "tp16", "accelerator_count": 16}, "infeasible", "scale-up domain of 8"),
        ({"nodes": 1, "accelerator_count": 16}, "infeasible", "hold at most 8"),
        ({"draft_tokens": 3}, "invalid-fields", "acceptance"),
        ({"accelerator": "l4", "parallelism": None}, "infeasible", "GiB are missing"),
        ({"concurrency": None, "tpot_limit_ms": 1}, "infeasible", "no batch meets"),
        ({"no_such_field": 1}, "invalid-fields", "no_such_field"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_bad_rows(changes: dict[str, Any], slug: str, says: str) -> None:
    error = refusal(**changes)
    assert (error.slug, says in error.detail) == (slug, True), error.detail


def test_formats_of_weights_alone() -> None:
    assert asked(accelerator="a100-sxm-80", weight_only=True).weight_precision == "fp8"
    assert asked(weight_precision="int4").weight_precision == "int4"
    assert asked(architecture="gpt-oss-120b", weight_precision="fp4").weight_precision == "fp4", "published in MXFP4"


class Many:
    estimator = "many"

    def estimate(self, question: ThroughputQuestion) -> Any:
        raise AssertionError("asked one by one")

    def estimate_many(self, questions: Any) -> Any:
        return [PermillionError("infeasible", "no")] * len(questions)


def test_an_estimator_of_many_is_asked_once() -> None:
    answers = estimates(Many(), [asked(), asked()])
    assert [type(answer) for answer in answers] == [PermillionError, PermillionError]
