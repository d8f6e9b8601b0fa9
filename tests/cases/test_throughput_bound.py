"""The physical bound against the column that others computed, and what it says of all collected measurements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hardware.throughput.trust.assessment import assess
from tests.cases.measured import FILES, measured, rows_of, with_the_peaks_of_the_column
from tests.cases.planted import FACTORS, PLANTED, caught_by_distance, planted
from tests.tiny_estimator import TinyEstimator


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_bound_of_the_collection_comes_out(path: Path) -> None:
    """Within 0.5 % on 80 % of the rows and within 5 % on 95 %, as the collection says of its own text."""
    rows = [row for row in rows_of(path) if row["bound_output_tok_s_per_gpu"]]
    answers = assess([with_the_peaks_of_the_column(row, measured(row)) for row in rows])
    differences = []
    for row, answer in zip(rows, answers, strict=True):
        assert answer.ceilings.strict is not None, row["row_id"]
        stated = float(row["bound_output_tok_s_per_gpu"])
        differences.append(abs(answer.ceilings.strict.tokens_per_s / stated - 1))
    assert sum(each <= 0.005 for each in differences) >= 0.80 * len(rows)
    assert sum(each <= 0.05 for each in differences) >= 0.95 * len(rows)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_flags_the_impossible_rows_and_no_other(path: Path) -> None:
    rows = rows_of(path)
    answers = assess([measured(row) for row in rows])
    above = {
        row["row_id"] for row, answer in zip(rows, answers, strict=True) if (answer.ceilings.roofline_ratio or 0) > 1
    }
    assert above == {row["row_id"] for row in rows if "above_physical_bound" in row["quality_flags"].split(";")}
    assert len(above) == 3
    expected = {
        row["row_id"]
        for row, answer in zip(rows, answers, strict=True)
        if "above_expected_expert_bound" in answer.codes
    }
    assert expected == {
        row["row_id"] for row in rows if "above_expected_expert_bound" in row["quality_flags"].split(";")
    }
    for row, answer in zip(rows, answers, strict=True):
        if row["row_id"] in above:
            assert (answer.grade, answer.may_enter_cost) == ("F", False)
            assert 3.5 < (answer.ceilings.roofline_ratio or 0) < 3.9  # 13.8 to 14.8k tok/s per GPU
        else:
            assert "above_physical_bound" not in answer.codes


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_other_contradictions_are_few_and_true(path: Path) -> None:
    """Qwen3-235B FP8 on one H200: 235 GB of weights in 141 GB. The label of the source is wrong."""
    rows = rows_of(path)
    answers = assess([measured(row) for row in rows])
    for row, answer in zip(rows, answers, strict=True):
        if answer.grade == "F" and "above_physical_bound" not in answer.codes:
            assert answer.codes[0] == "weights_exceed_memory"
            assert (row["arch_key"], row["gpu_count"], row["weight_precision"]) == ("qwen3-235b-a22b", "1", "fp8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_grades_of_the_sources(path: Path) -> None:
    """DeepSeek and SGLang give pools, Cerebras and Groq a user's speed: none of them may enter a cost."""
    rows = rows_of(path)
    grades = dict(zip((row["row_id"] for row in rows), assess([measured(row) for row in rows]), strict=True))
    for row in rows:
        answer = grades[row["row_id"]]
        assert answer.grade != "A", "no collected row states all 14 conditions"
        if row["source"] == "publication":
            assert answer.grade == "D"
        if "per_user_speed_only" in row["quality_flags"]:
            assert "per_user_speed_only" in answer.codes
        if not row["weight_precision"] or not row["isl_mean"] or not row["gpu_count"]:
            assert answer.grade in ("D", "F")
        if "worker_counts_missing" in row["quality_flags"]:
            assert not answer.may_enter_cost


@pytest.mark.parametrize("factor", FACTORS)
def test_planted_counts_are_caught_by_the_product_of_the_factors(factor: float) -> None:
    assert len(PLANTED) == 50
    for row in PLANTED:
        (right,) = assess([measured(row)])
        assert right.may_enter_cost, right.reasons
        (wrong,) = assess([planted(row, factor)])
        assert "gpu_count_not_product_of_factors" in wrong.codes
        assert not wrong.may_enter_cost


def test_without_parallelism_the_bound_and_the_memory_catch_some() -> None:
    """A count that lacks a factor of 2, 4 or 8 puts few rows above the bound, and leaves no room for the weights of many.

    What is served reaches a few hundredths of the bound, so that even eight times as much may be possible.
    """
    by_bound, by_bound_or_memory, wrongs = 0, 0, 0
    for row in PLANTED:
        for factor in (1 / 2, 1 / 4, 1 / 8):
            wrong = planted(row, factor)
            (answer,) = assess([replace(wrong, conditions=replace(wrong.conditions, factors=None))])
            by_bound += "above_physical_bound" in answer.codes
            by_bound_or_memory += bool({"above_physical_bound", "weights_exceed_memory"} & set(answer.codes))
            wrongs += 1
    assert wrongs == 150
    assert by_bound <= by_bound_or_memory
    assert 0.4 * wrongs < by_bound_or_memory < wrongs


def test_the_distance_from_an_estimate_is_counted_for_each_factor() -> None:
    """With a mere roofline as the estimator: what is far too fast for it is caught, what is right is far from it, too."""
    caught = caught_by_distance(TinyEstimator())
    assert set(caught) == {1, *FACTORS}
    assert all(0 <= share <= 1 for share in caught.values())
