"""Which estimator answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

from economics.errors import PermillionError
from hardware.throughput.question import ENTRY_POINTS, ThroughputEstimate, ThroughputEstimator, ThroughputQuestion


@runtime_checkable
class ManyEstimator(Protocol):
    """An estimator that is faster with many questions at once."""

    def estimate_many(self, questions: Sequence[ThroughputQuestion]) -> Sequence[ThroughputEstimate | PermillionError]:
        """The answers in the order of the questions; a refusal stands in its place."""


@cache
def installed_estimator() -> ThroughputEstimator:
    """The first estimator that a package offers under the entry points `permillion.throughput`, made once.

    Raises:
        PermillionError: `not-ready` where there is none.
    """
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name):
        made = entry.load()()
        if isinstance(made, ThroughputEstimator):
            return made
    raise PermillionError("not-ready", "no estimator of throughput is installed")


def estimates(
    estimator: ThroughputEstimator, questions: Sequence[ThroughputQuestion]
) -> list[ThroughputEstimate | PermillionError]:
    """Answer i is of question i: an estimate, or why there is none."""
    if isinstance(estimator, ManyEstimator):
        return list(estimator.estimate_many(questions))
    return [_estimate(estimator, question) for question in questions]


def _estimate(estimator: ThroughputEstimator, question: ThroughputQuestion) -> ThroughputEstimate | PermillionError:
    try:
        return estimator.estimate(question)
    except PermillionError as refused:
        return refused
