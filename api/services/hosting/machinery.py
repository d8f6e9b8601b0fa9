"""The machines, models and estimator that a catalog offers."""

from __future__ import annotations

from api.services.hosting.answering import Machinery
from api.services.hosting.owned import profile_lookup
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from hardware.throughput.question import ThroughputEstimator


def _no_estimator() -> ThroughputEstimator:
    raise PermillionError("not-for-cost", "no estimator is installed: state the throughput", pointer="/throughput")


def machinery_of(snapshot: Snapshot) -> Machinery:
    """What `snapshot` knows of hardware."""
    return Machinery(snapshot.hardware, _no_estimator, profile_lookup(snapshot.hardware))
