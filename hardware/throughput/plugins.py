"""Finding estimators: the one of this package and the entry points `permillion.throughput` of others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points

from economics.errors import PermillionError
from hardware.throughput.estimating.aiconfigurator import AiconfiguratorEstimator
from hardware.throughput.estimating.built_in import PermillionEstimator
from hardware.throughput.measurements.reading import shipped_measurements
from hardware.throughput.question import ENTRY_POINTS, ThroughputEstimator


@cache
def shipped_estimator() -> PermillionEstimator:
    """The estimator of this package with the measurements of this package as anchors."""
    return PermillionEstimator(measured=shipped_measurements())


def built_in() -> Iterator[ThroughputEstimator]:
    """The estimators of this package; `aiconfigurator` is a cross-check and answers only where that package is installed."""
    yield shipped_estimator()
    yield AiconfiguratorEstimator()


def installed() -> Iterator[ThroughputEstimator]:
    """The estimators of other installed packages.

    Raises:
        PermillionError: `invalid-settings` where a plug-in is none.
    """
    for entry in entry_points(group=ENTRY_POINTS):
        plugin = entry.load()
        found = plugin() if isinstance(plugin, type) else plugin
        if not isinstance(found, ThroughputEstimator):
            raise PermillionError("invalid-settings", f"the plug-in {entry.name} has no estimator name and estimate()")
        yield found


def all_estimators() -> dict[str, ThroughputEstimator]:
    """Estimators by name; a name taken twice is an error, not a silent replacement."""
    found: dict[str, ThroughputEstimator] = {}
    for estimator in (*built_in(), *installed()):
        if estimator.estimator in found:
            raise PermillionError("invalid-settings", f"two plug-ins are named {estimator.estimator}")
        found[estimator.estimator] = estimator
    return found
