"""The machines, models and estimator that a catalog offers."""

from __future__ import annotations

from api.services.hosting.answering import Machinery
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator, shipped_accelerator
from hardware.architectures.architecture import Architecture, shipped_architecture
from hardware.throughput.question import ThroughputEstimator


class _Shipped:
    def accelerator(self, name: str) -> Accelerator:
        return shipped_accelerator(name)

    def architecture(self, name: str) -> Architecture:
        return shipped_architecture(name)


def _no_estimator() -> ThroughputEstimator:
    raise PermillionError("not-for-cost", "no estimator is installed: state the throughput", pointer="/throughput")


def machinery_of(snapshot: Snapshot) -> Machinery:
    """What `snapshot` knows of hardware."""
    return Machinery(_Shipped(), _no_estimator)
