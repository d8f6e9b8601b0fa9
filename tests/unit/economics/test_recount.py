"""What explains a difference between billed and counted tokens."""

from __future__ import annotations

import pytest

from economics.recount import Recount, explain_input, explain_output

EXACT = Recount(100, 100, 100)
RANGE = Recount(100, 90, 130)
UNKNOWN = Recount(100, None, None)


@pytest.mark.parametrize(
    ("billed", "counted", "frame", "cached", "explained_by"),
    [
        (100, EXACT, 7, 0, "equal"),
        (101, EXACT, 7, 0, "frame"),
        (107, EXACT, 7, 0, "frame"),
        (108, EXACT, 7, 0, "unexplained"),
        (99, EXACT, 7, 0, "unexplained"),
        (107, EXACT, None, 0, "unexplained"),  # an undocumented frame excuses nothing
        (90, RANGE, 7, 0, "estimate_range"),
        (89, RANGE, 7, 0, "unexplained"),
        (137, RANGE, 7, 0, "estimate_range"),
        (138, RANGE, 7, 0, "unexplained"),
        (131, RANGE, None, 0, "unexplained"),
        (101, UNKNOWN, None, 0, "unexplained"),
        (100, UNKNOWN, None, 0, "equal"),
        (180, EXACT, None, 80, "cache"),  # counted twice
        (187, EXACT, 7, 80, "cache"),
        (188, EXACT, 7, 80, "unexplained"),
        (20, EXACT, None, 80, "cache"),  # left out
        (35_720, Recount(17_903, 17_903, 17_903), None, 17_817, "cache"),  # langfuse#10592
        (260_421, Recount(130_213, 130_213, 130_213), None, 128_955 + 1_253, "cache"),  # langfuse#12306
    ],
)
def test_input(billed: int, counted: Recount, frame: int | None, cached: int, explained_by: str) -> None:
    assert explain_input(billed, counted, frame, cached) == explained_by


@pytest.mark.parametrize(
    ("billed", "counted", "reasoning", "explained_by"),
    [
        (100, EXACT, 0, "equal"),
        (150, EXACT, 50, "reasoning"),
        (151, EXACT, 50, "unexplained"),
        (100, EXACT, 50, "equal"),
        (130, RANGE, 0, "estimate_range"),
        (180, RANGE, 50, "reasoning"),
        (181, RANGE, 50, "unexplained"),
        (0, EXACT, 0, "unexplained"),
    ],
)
def test_output(billed: int, counted: Recount, reasoning: int, explained_by: str) -> None:
    assert explain_output(billed, counted, reasoning) == explained_by
