"""Time to first token under a stated arrival process."""

from __future__ import annotations

import numpy as np

from hardware.throughput.physics.figures import Figures


def queue_seconds(rate_per_s: Figures, service_s: Figures, second_moment_s2: Figures | None = None) -> Figures:
    """Mean wait of Poisson arrivals at one server, M/G/1: λ·E[t²] / (2·(1 − ρ)), ρ = λ·E[t]; infinite at ρ ≥ 1: unstable.

    Service times that do not vary have E[t²] = E[t]².

    >>> float(queue_seconds(0.5, 1.0)), float(queue_seconds(2.0, 1.0))
    (0.5, inf)
    """
    load = np.asarray(rate_per_s * service_s, dtype=np.float64)
    squared = service_s**2 if second_moment_s2 is None else second_moment_s2
    left = np.where(load < 1.0, 1.0 - load, 1.0)
    return np.where(load < 1.0, rate_per_s * squared / (2.0 * left), np.inf) + 0.0


def all_at_once_seconds(place: Figures, slots: Figures, prefill_s: Figures, request_s: Figures) -> Figures:
    """TTFT of the request at a place (from 1) of a queue that is full at the start: prefills before it, and whole rounds of slots.

    >>> float(all_at_once_seconds(3.0, 8.0, 0.5, 20.0)), float(all_at_once_seconds(9.0, 8.0, 0.5, 20.0))
    (1.5, 20.5)
    """
    rounds = np.floor((place - 1.0) / slots)
    return rounds * request_s + (place - rounds * slots) * prefill_s
