"""Where prices, machines and estimates come from: what a catalog and the installed estimator know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from api.services.hosting.owned import profile_lookup
from api.services.hosting.prices import RentalPrices
from api.services.owning import ProfileLookup
from api.services.throughput.estimator import installed_estimator
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.measurements.reading import shipped_measurements
from hardware.throughput.question import ThroughputEstimator


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
    """What `snapshot` knows of hardware, and the estimator in use."""
    return Machinery(snapshot.hardware, estimator_in_use, profile_lookup(snapshot.hardware))


@cache
def estimator_in_use() -> ThroughputEstimator:
    """The estimator of an installed package, else that of this one with its measured rows, whose reading takes a moment, once."""
    try:
        return installed_estimator()
    except PermillionError:
        return PermillionEstimator(measured=shipped_measurements())
