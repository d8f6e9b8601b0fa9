"""Which rows count: flags that keep a measurement out of every scenario."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hardware.accelerators.accelerator import shipped_accelerators
from hardware.throughput.measurements.row import MeasuredRow

#: A row with one of these is no evidence of what the stated configuration does.
FLAGS_LEFT_OUT: Final = (
    "duplicate_of",
    "open_division",
    "mixed_hardware",
    "above_physical_bound",
    "above_expected_expert_bound",
    "ttft_over_30s",
    "source_says_agg",
    "worker_counts_missing",
    "chip_count_not_stated",
    "latency_only",
)


def conditions_count(row: MeasuredRow) -> bool:
    """Whether the conditions of a row suffice to be compared, whatever was measured."""
    return (
        not any(flag.startswith(FLAGS_LEFT_OUT) for flag in row.flags)
        and row.hardware in shipped_accelerators()
        and row.gpu_count is not None
        and row.isl_mean is not None
        and row.osl_mean is not None
    )


def counting(rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    """The rows whose conditions suffice, in their order."""
    return [row for row in rows if conditions_count(row)]
