"""Which estimator answers, and asking it."""

from __future__ import annotations

from collections.abc import Sequence

from economics.errors import PermillionError
from hardware.throughput.plugins import all_estimators, shipped_estimator
from hardware.throughput.question import ManyEstimator, ThroughputEstimate, ThroughputEstimator, ThroughputQuestion


def estimator_named(name: str | None) -> ThroughputEstimator:
    """The estimator of this package, or the plug-in of that name.

    Raises:
        PermillionError: `invalid-fields`, naming those there are.
    """
    if name is None:
        return shipped_estimator()
    found = all_estimators().get(name)
    if found is None:
        listed = ", ".join(sorted(all_estimators()))
        raise PermillionError("invalid-fields", f"no such estimator; there are {listed}", pointer="/estimator")
    return found


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
