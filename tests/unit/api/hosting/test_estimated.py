"""Hosting cost from an estimate, with an estimator whose answers are chosen: what the cost makes of method, band and refusal."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from api.services.hosting.answering import HostedAnswer, HostingQuestion, answer_all
from api.services.hosting.deployment import Deployment, HostedLoad, Serving, StatedPrice
from api.services.hosting.machinery import Machinery
from api.services.machines.profiles import profile_lookup
from economics.errors import PermillionError
from economics.money import exact
from hardware.throughput.question import Range, ThroughputEstimate, ThroughputQuestion
from tests.machines import HARDWARE

BASE = ThroughputEstimate(
    output_tokens_per_s=Range(2000.0, 1600.0, 2500.0),
    ttft_ms=Range(200.0, 150.0, 300.0),
    tpot_ms=Range(25.0, 20.0, 32.0),
    concurrency=64.0,
    max_concurrency=128.0,
    prefill_share=0.25,
    prefill_s=0.05,
    decode_step_s=0.025,
    replicas=1,
    accelerators_per_replica=8,
    weight_precision="fp8",
    kv_precision="fp8",
    bound_tokens_per_s_per_accelerator=4000.0,
    method="anchored",
    grade="C",
    anchors=("row-17",),
    assumptions=("weights in fp8",),
)


@dataclass
class Chosen:
    """An estimator that answers as it is told, and keeps the question."""

    reply: Callable[[ThroughputQuestion], ThroughputEstimate]
    asked: ThroughputQuestion | None = None

    @property
    def estimator(self) -> str:
        return "chosen"

    def estimate(self, question: ThroughputQuestion) -> ThroughputEstimate:
        self.asked = question
        return self.reply(question)


def hosted(
    estimate: ThroughputEstimate | Callable[[ThroughputQuestion], ThroughputEstimate] = BASE,
    cached: str = "0",
    volume: int | None = None,
    **changes: Any,
) -> tuple[HostedAnswer, Chosen]:
    deployment = Deployment(
        "llama-3.3-70b", "h100-sxm", 8, StatedPrice(Decimal("4.5"), "USD"), utilization_ratio=Decimal("0.5")
    )
    chosen = Chosen(estimate if callable(estimate) else lambda _: estimate)
    load = HostedLoad(exact(1000), exact(500), Decimal(cached), None if volume is None else Decimal(volume))
    question = HostingQuestion(
        0, datetime(2026, 11, 30, tzinfo=UTC), deployment.model, replace(deployment, **changes), load
    )
    (found,) = answer_all([question], Machinery(HARDWARE, lambda: chosen, profile_lookup(HARDWARE)), None)
    return found, chosen


def refusal(estimate: Any, **changes: Any) -> PermillionError:
    found, _ = hosted(estimate, **changes)
    assert found.cost is None and found.error is not None
    return found.error


def test_method_grade_band_and_source_travel_with_the_cost() -> None:
    """36 an hour and 500 tokens at 2,000 (1,600 to 2,500) a second at half use: 0.005 (0.004 to 0.00625)."""
    found, _ = hosted()
    cost = found.cost
    assert cost is not None and cost.cost is not None and cost.low is not None and cost.high is not None
    assert [cost.low.to_text(), cost.cost.total.to_text(), cost.high.to_text()] == ["0.004", "0.005", "0.00625"]
    assert cost.cost.prefill is not None and cost.cost.prefill.to_text() == "0.000625"
    assert (cost.throughput.method, cost.throughput.grade) == ("anchored", "C")
    assert cost.throughput.source == "estimator chosen, measured rows row-17"
    assert cost.throughput.assumptions == ("weights in fp8",)
    assert {"throughput_estimate", "throughput_method=anchored", "throughput_grade=C"} <= set(found.warnings)


def test_the_estimator_is_asked_what_the_caller_asked() -> None:
    serving = Serving("sglang", "0.5", "fp8", "bf16", parallelism="tp4", tpot_limit_ms=Decimal(30), p99_limits=True)
    _, chosen = hosted(serving=serving, cached="0.25")
    question = chosen.asked
    assert question is not None
    assert (question.isl_tokens, question.osl_tokens, question.cached_input_share) == (1000.0, 500.0, 0.25)
    assert (question.engine, question.engine_version, question.weight_precision) == ("sglang", "0.5", "fp8")
    assert question.parallelism is not None and question.parallelism.tensor == 4
    assert (question.kv_precision, question.tpot_limit_ms) == ("bf16", 30.0)
    assert question.p99_limits and question.accelerator_count == 8 and question.concurrency is None


def test_a_limit_is_a_cost_and_one_that_nothing_meets_is_infeasible() -> None:
    """Throughput note: the same machine serves 1,810 tokens a second at 50 ms, 1,234 at 30 and 449 at 20."""
    rates = {50: 1810.0, 30: 1234.0, 20: 449.0}

    def limited(question: ThroughputQuestion) -> ThroughputEstimate:
        limit = question.tpot_limit_ms
        if limit is None or limit < 20:
            raise PermillionError("infeasible", "no batch meets the limit")
        rate = rates[int(limit)]
        return replace(BASE, output_tokens_per_s=Range(rate, rate * 0.8, rate * 1.2))

    costs = []
    for limit in (50, 30, 20):
        found, _ = hosted(limited, serving=Serving(tpot_limit_ms=Decimal(limit)))
        assert found.cost is not None and found.cost.cost is not None
        costs.append(found.cost.cost.total)
    assert costs[0] < costs[1] < costs[2]
    assert round((costs[2] / costs[0]).to_decimal(), 2) == Decimal("4.03")  # 1810 / 449
    assert refusal(limited, serving=Serving(tpot_limit_ms=Decimal(10))).slug == "infeasible"


@pytest.mark.parametrize("grade", ["D", "F"])
def test_an_estimate_that_is_not_to_be_relied_on_is_no_cost(grade: Any) -> None:
    assert refusal(replace(BASE, grade=grade)).slug == "not-for-cost"


@pytest.mark.parametrize("rate", [math.nan, math.inf, -1.0, 0.0])
def test_what_is_no_throughput_is_no_cost(rate: float) -> None:
    assert refusal(replace(BASE, output_tokens_per_s=Range(rate, rate, rate))).slug == "infeasible"


def test_unknown_ends_of_a_band_are_none_and_not_0() -> None:
    found, _ = hosted(replace(BASE, output_tokens_per_s=Range(2000.0, 0.0, 2500.0)))
    assert found.cost is not None
    assert found.cost.high is None and found.cost.low is not None


def test_pools_split_the_bill_by_their_accelerators() -> None:
    found, _ = hosted(replace(BASE, prefill_share=0.9), serving=Serving(parallelism="prefill 1x2 + decode 3x2"))
    cost = found.cost
    assert cost is not None and cost.cost is not None and cost.cost.prefill is not None
    assert (cost.cost.prefill / cost.floor).to_text() == "0.25"  # 2 of 8 accelerators
    assert cost.prefill_pool is not None and cost.decode_pool is not None
    assert round(cost.decode_pool.to_decimal(), 4) == Decimal("3.75")  # 6 · 4.5 / (2000 · 3600) · 10⁶
    assert round(cost.prefill_pool.to_decimal(), 4) == Decimal("0.625")  # 2 · 4.5 / (4000 · 3600) · 10⁶


def test_cached_input_is_cheap_and_not_free() -> None:
    found, _ = hosted(cached="0.9")
    assert found.cost is not None and found.cost.split is not None
    split = found.cost.split
    assert split.cached_input is not None and split.uncached_input is not None
    assert exact(0) < split.cached_input < split.uncached_input / Decimal(100)


def test_weights_below_8_bits_are_a_caution() -> None:
    found, _ = hosted(replace(BASE, weight_precision="nvfp4"))
    assert "quantized_below_8_bits" in found.warnings


def test_the_band_of_a_month_is_in_whole_replicas() -> None:
    """5,256,000 queries fill one replica at half use; at 1,600 tokens a second it takes two."""
    found, _ = hosted(volume=5_256_000)
    cost = found.cost
    assert cost is not None and cost.month is not None and cost.month_low is not None and cost.month_high is not None
    assert [m.replicas for m in (cost.month_low, cost.month, cost.month_high)] == [1, 1, 2]


def test_an_estimate_needs_lengths_and_an_accelerator() -> None:
    assert refusal(BASE, accelerator=None).slug == "invalid-fields"
    assert refusal(BASE, model="llama-9").slug == "unknown-architecture"
