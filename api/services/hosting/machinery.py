"""Where prices, machines and estimates come from: what a catalog and the installed estimator know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from api.services.hosting.owned import profile_lookup
from api.services.hosting.prices import RentalPrices
from api.services.owning import ProfileLookup
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.measurements.reading import shipped_measurements
from hardware.throughput.question import ManyEstimator, ThroughputEstimate, ThroughputEstimator, ThroughputQuestion

Estimated = ThroughputEstimate | PermillionError


class HardwareLookup(RentalPrices, Protocol):
    """Machines and models by id."""

    def accelerator(self, name: str) -> Accelerator:
        """Raises `unknown-accelerator`."""

    def architecture(self, name: str) -> Architecture:
        """Raises `unknown-architecture`."""


@dataclass(frozen=True, slots=True)
class Machinery:
    """Lookups of one question; the estimator is made when it is first needed."""

    hardware: HardwareLookup
    estimator: Callable[[], ThroughputEstimator]
    profile: ProfileLookup


def machinery_of(snapshot: Snapshot) -> Machinery:
    """What `snapshot` knows of hardware, and the estimator of this package."""
    return Machinery(snapshot.hardware, shipped_estimator, profile_lookup(snapshot.hardware))


@cache
def shipped_estimator() -> ThroughputEstimator:
    """The estimator of this package with its measured rows; reading them takes a moment, once."""
    return PermillionEstimator(measured=shipped_measurements())


def estimate_all(estimator: ThroughputEstimator, questions: Sequence[ThroughputQuestion]) -> list[Estimated]:
    """The answers in the order of the questions, a refusal in its place: at once where the estimator can."""
    if isinstance(estimator, ManyEstimator):
        return list(estimator.estimate_many(questions))
    return [_estimated(estimator, question) for question in questions]


def _estimated(estimator: ThroughputEstimator, question: ThroughputQuestion) -> Estimated:
    try:
        return estimator.estimate(question)
    except PermillionError as refusal:
        return refusal
