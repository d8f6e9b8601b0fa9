"""Where prices, machines and estimates come from: what a catalog and the installed estimator know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from api.services.hosting.prices import RentalPrices
from api.services.machines.profiles import profile_lookup
from api.services.owning import ProfileLookup
from catalog.snapshot import Snapshot
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.plugins import shipped_estimator
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
    """What `snapshot` knows of hardware, and the estimator of this package with its measured rows."""
    return Machinery(snapshot.hardware, shipped_estimator, profile_lookup(snapshot.hardware))
