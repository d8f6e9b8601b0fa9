"""Which rows each scenario compares, section 4 and 5 of the data file's description."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from hardware.throughput.measurements.counting import counting
from hardware.throughput.measurements.joins import CLOSED_LOOP, first_of_each_run
from hardware.throughput.measurements.parallelism import states_workers
from hardware.throughput.measurements.row import MeasuredRow

#: Text of the column `scenario` for those that are compared row by row without more ado.
TEXTS: Final = {
    "mlperf_offline": "mlperf-offline",
    "mlperf_server": "mlperf-server",
    "mlperf_interactive": "mlperf-interactive",
    "offline_max": "offline max throughput",
    "static_batch": "offline static batch",
}
#: Scenarios whose votes are cells.
BY_CELL: Final = ("mlperf_offline", "mlperf_server", "mlperf_interactive", "poisson_ttft")
ROW_SCENARIOS: Final = (
    "closed_loop", "closed_loop_tpot", "closed_loop_ttft", "mlperf_offline", "mlperf_server", "mlperf_interactive", "poisson_ttft",
    "offline_max", "static_batch", "disagg_tpot",
)  # fmt: skip
SWEEP_SCENARIOS: Final = ("tpot_limited", "tpot_limited_concurrency")


@dataclass(frozen=True, slots=True)
class Asked:
    """A row in a scenario, with what was measured where the file says."""

    row: MeasuredRow
    measured: float | None


def compared(scenario: str) -> Callable[[MeasuredRow], float | None]:
    """The measured value that a scenario compares."""
    if scenario.endswith("ttft"):
        return lambda row: row.ttft_ms
    if scenario.endswith("tpot"):
        return lambda row: row.tpot_ms
    return lambda row: row.output_tok_s_per_gpu


def _central(row: MeasuredRow) -> bool:
    return not row.ttft_stat or row.ttft_stat.startswith("central")


def rows_of(scenario: str, rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    """Rows of a scenario whose conditions count, repeated runs included, in file order."""
    fit = counting(rows)
    if scenario in TEXTS:
        return [row for row in fit if row.scenario == TEXTS[scenario]]
    if scenario == "poisson_ttft":
        served = (TEXTS["mlperf_server"], TEXTS["mlperf_interactive"])
        return [row for row in fit if row.scenario in served and row.system_output_tok_s is not None]
    loops = [row for row in fit if row.scenario == CLOSED_LOOP and row.concurrency is not None]
    if scenario == "disagg_tpot":
        return [row for row in loops if row.serving_mode == "disagg" and states_workers(row.parallelism_text)]
    aggregated = [row for row in loops if row.serving_mode == "agg"]
    return aggregated if scenario == "closed_loop" else [row for row in aggregated if _central(row)]


def asked_rows(scenario: str, rows: Iterable[MeasuredRow]) -> list[Asked]:
    """Each run of a scenario once."""
    value = compared(scenario)
    return [Asked(row, value(row)) for row in first_of_each_run(rows_of(scenario, rows))]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Rows of one group and, where they cross the limit, throughput per accelerator and concurrency there."""

    rows: tuple[MeasuredRow, ...]
    throughput: float | None
    concurrency: float | None

    @property
    def group_key(self) -> str:
        """Of its rows."""
        return self.rows[0].group_key


def sweeps(rows: Iterable[MeasuredRow], limit_ms: float) -> list[Sweep]:
    """Every group of closed-loop rows, with what was measured at a TPOT limit where its points cross it."""
    groups: dict[str, list[MeasuredRow]] = {}
    for row in rows_of("closed_loop_tpot", rows):
        groups.setdefault(row.group_key, []).append(row)
    return [Sweep(tuple(group), *at_limit(group, limit_ms)) for group in groups.values()]


def at_limit(group: Iterable[MeasuredRow], limit_ms: float) -> tuple[float | None, float | None]:
    """Throughput per accelerator and concurrency at a TPOT limit; None, None where no neighboring points lie on both sides.

    Rows of equal concurrency are one point (medians); at least three points; w = ln(L/t1)/ln(t2/t1); T1^(1−w)·T2^w. Never extrapolated.
    """
    points: dict[float, list[tuple[float, float]]] = {}
    for row in group:
        if row.concurrency is not None and row.tpot_ms is not None and row.output_tok_s_per_gpu is not None:
            points.setdefault(row.concurrency, []).append((row.tpot_ms, row.output_tok_s_per_gpu))
    curve = [
        (clients, median(tpot for tpot, _ in each), median(output for _, output in each))
        for clients, each in sorted(points.items())
    ]
    if len(curve) < 3:
        return None, None
    for (c1, t1, o1), (c2, t2, o2) in pairwise(curve):
        if t1 <= limit_ms < t2:
            share = math.log(limit_ms / t1) / math.log(t2 / t1)
            return o1 ** (1.0 - share) * o2**share, c1 ** (1.0 - share) * c2**share
    return None, None
