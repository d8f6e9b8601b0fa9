"""The rules of scoring on a small file whose answers are computed by hand."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from economics.errors import PermillionError
from hardware.throughput.estimating.anchors import Excluded
from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.measurements.reading import read_measurements
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.question import Range, ThroughputEstimate, ThroughputQuestion
from hardware.throughput.scoring.figures import figures_of
from hardware.throughput.scoring.report import write_rows as write_outcomes
from hardware.throughput.scoring.scoring import outcomes
from hardware.throughput.scoring.selecting import asked_rows, sweeps
from tests.unit.hardware.throughput.asking import CLOSED, write_rows


class Hundred:
    """Says 100 tokens a second and accelerator, 10 ms and 100 ms, ± 20 %, to everything; refuses concurrency 13."""

    def estimate_many(
        self, questions: Sequence[ThroughputQuestion], excluded: Sequence[Excluded] | None = None
    ) -> list[ThroughputEstimate | PermillionError]:
        return [
            PermillionError("infeasible", "no") if question.concurrency == 13 else self._answer(question)
            for question in questions
        ]

    @staticmethod
    def _answer(question: ThroughputQuestion) -> ThroughputEstimate:
        def around(value: float) -> Range:
            return Range(value, value * 0.8, value * 1.2)

        return ThroughputEstimate(
            output_tokens_per_s=around(100.0 * question.accelerator_count),
            ttft_ms=around(100.0),
            tpot_ms=around(10.0),
            concurrency=8.0,
            max_concurrency=8.0,
            prefill_share=0.1,
            prefill_s=0.1,
            decode_step_s=0.01,
            replicas=1,
            accelerators_per_replica=4,
            weight_precision="fp8",
            kv_precision="fp8",
            bound_tokens_per_s_per_accelerator=None,
            method="physics",
            grade="C",
            concurrency_range=around(8.0),
        )


def rows(tmp_path: Path, *given: dict[str, str]) -> list[MeasuredRow]:
    numbered = [
        CLOSED | {"row_id": f"r{number}", "group_key": f"g{number}"} | each for number, each in enumerate(given)
    ]
    return read_measurements(write_rows(tmp_path / "rows.csv", numbered))


def loop(concurrency: int, output: str, **more: str) -> dict[str, str]:
    return {
        "concurrency": str(concurrency),
        "output_tok_s_per_gpu": output,
        "tpot_ms": "10",
        "ttft_ms": str(100 + concurrency),
    } | more


def test_medians_bias_share_and_coverage(tmp_path: Path) -> None:
    found = outcomes(
        Hundred(), rows(tmp_path, loop(1, "100"), loop(2, "80"), loop(3, "125"), loop(4, "50")), ["closed_loop"]
    )
    figures = figures_of("closed_loop", found)
    assert figures is not None
    # Ratios 1, 1.25, 0.8, 2: errors 0, 0.25, 0.2, 1; median 0.225; bias of median(0.8, 1, 1.25, 2) = 1.125.
    assert figures.median_error == pytest.approx(0.225)
    assert figures.bias == pytest.approx(0.125)
    assert figures.within == pytest.approx(0.75)
    # 80 to 120 holds 100 and, at its edge, 80.
    assert figures.coverage == pytest.approx(0.5)


def test_a_refusal_of_a_row_that_ran_has_ratio_zero(tmp_path: Path) -> None:
    found = outcomes(Hundred(), rows(tmp_path, loop(13, "100"), loop(2, "100")), ["closed_loop"])
    figures = figures_of("closed_loop", found)
    assert figures is not None
    assert (figures.refused, figures.median_error, figures.within, figures.coverage) == (1, 0.5, 0.5, 0.5)


def test_a_run_counts_once_and_flagged_rows_not_at_all(tmp_path: Path) -> None:
    given = rows(
        tmp_path,
        loop(1, "100"),
        loop(1, "100"),
        loop(2, "100", quality_flags="ttft_over_30s(queueing; closed-loop overload);engine_version_missing"),
        loop(3, "100", hardware="jetson-agx-thor"),
        loop(4, "100", gpu_count=""),
        loop(5, "100", serving_mode="disagg"),
    )
    assert [asked.row.row_id for asked in asked_rows("closed_loop", given)] == ["r0"]


def test_p95_rows_are_no_central_latency(tmp_path: Path) -> None:
    given = rows(tmp_path, loop(1, "100"), loop(2, "100", ttft_stat="p95", tpot_stat="p95"))
    assert len(asked_rows("closed_loop", given)) == 2
    assert len(asked_rows("closed_loop_tpot", given)) == 1


def test_rows_without_a_measured_value_are_listed_and_not_scored(tmp_path: Path) -> None:
    empty = {"concurrency": "8", "output_tok_s_per_gpu": "", "tpot_ms": "", "ttft_ms": "", "ttft_stat": ""}
    found = outcomes(
        Hundred(), rows(tmp_path, loop(1, "100"), empty), ["closed_loop", "closed_loop_tpot", "closed_loop_ttft"]
    )
    assert [each.row_id for each in found] == ["r0", "r1"] * 3
    figures = figures_of("closed_loop", found)
    assert figures is not None
    assert (figures.rows, figures.listed) == (1, 2)
    path = tmp_path / "out.csv"
    write_outcomes({"anchored": found, "physics": found}, path)
    lines = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert list(lines[0]) == ["row_id", "scenario", "pass", "method", "estimate", "low", "high"]
    assert len(lines) == 12
    assert lines[1] == {
        "row_id": "r1", "scenario": "closed_loop", "pass": "anchored", "method": "physics", "estimate": "100", "low": "80", "high": "120",
    }  # fmt: skip


def test_a_cell_has_one_vote(tmp_path: Path) -> None:
    offline = {"scenario": "mlperf-offline", "ttft_stat": "", "parallelism": ""}
    given = rows(
        tmp_path,
        *({"output_tok_s_per_gpu": "100", "group_key": "big"} | offline for _ in range(5)),
        {"output_tok_s_per_gpu": "200", "group_key": "small"} | offline,
        {"output_tok_s_per_gpu": "400", "group_key": "other"} | offline,
    )
    figures = figures_of("mlperf_offline", outcomes(Hundred(), given, ["mlperf_offline"]))
    assert figures is not None
    # Cells 1, 0.5, 0.25: errors 0, 0.5, 0.75. Rows: five of seven are exact.
    assert (figures.votes, figures.rows, figures.median_error, figures.row_median_error) == (3, 7, 0.5, 0.0)
    assert figures.coverage == pytest.approx(5 / 7)


def test_a_sweep_is_read_between_its_neighbors_and_never_beyond(tmp_path: Path) -> None:
    def point(concurrency: int, tpot: str, output: str, group: str) -> dict[str, str]:
        return loop(concurrency, output, tpot_ms=tpot, group_key=group)

    given = rows(
        tmp_path,
        point(1, "10", "20", "crossing"),
        point(4, "20", "60", "crossing"),
        point(16, "45", "100", "crossing"),
        point(16, "45", "100", "crossing") | {"ttft_ms": "999"},
        point(1, "10", "20", "below"),
        point(2, "12", "30", "below"),
        point(4, "20", "60", "below"),
        point(1, "10", "20", "two points"),
        point(8, "45", "100", "two points"),
    )
    crossing, below, two = sweeps(given, 30.0)
    # w = ln(30/20)/ln(45/20) = 1/2: geometric means of 60 and 100, of 4 and 16.
    assert crossing.throughput == pytest.approx(math.sqrt(6000))
    assert crossing.concurrency == pytest.approx(8.0)
    assert (below.throughput, two.throughput) == (None, None)
    found = outcomes(Hundred(), given, ["tpot_limited", "tpot_limited_concurrency"])
    assert [each.row_id for each in found] == ["crossing", "below", "two points"] * 2
    figures = figures_of("tpot_limited_concurrency", found)
    assert figures is not None
    assert (figures.rows, figures.listed) == (1, 3)
    assert figures.median_error == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "strange",
    [
        {"arch_key": "no-such-model"},
        {"isl_mean": "-5"},
        {"osl_mean": "1e400"},
        {"gpu_count": "3.5"},
        {"gpu_count": "1e300"},
        {"weight_precision": "fp3"},
        {"kv_precision": "int2"},
        {"parallelism": "tp3"},
        {"hardware": "groq-lpu-v1"},
        {"hardware": "cerebras-wse3"},
        {"arch_key": "kimi-k3", "gpu_count": "1", "parallelism": "tp1"},
    ],
)
def test_a_strange_row_is_refused_and_counted(tmp_path: Path, strange: dict[str, str]) -> None:
    found = outcomes(PermillionEstimator(), rows(tmp_path, loop(8, "100") | strange), ["closed_loop", "tpot_limited"])
    assert [each.method for each in found] == ["refused", "refused"]
    figures = figures_of("closed_loop", found)
    assert figures is not None
    assert (figures.refused, figures.median_error) == (1, 1.0)
