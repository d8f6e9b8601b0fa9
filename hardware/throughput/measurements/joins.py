"""Rows that are one run under several labels, and groups of rows that must stay on one side of a split."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from hardware.throughput.measurements.row import MeasuredRow

CLOSED_LOOP = "closed-loop fixed concurrency"


def run_key(row: MeasuredRow) -> tuple[Hashable, ...] | None:
    """What two closed-loop rows of one run have in common; None where a cell is empty or the row is of another scenario.

    The InferenceX collection holds many runs two or three times under different labels, without a flag.
    """
    cells = (row.hardware, row.engine, row.concurrency, row.isl_mean, row.osl_mean, row.ttft_ms, row.tpot_ms)
    if row.scenario != CLOSED_LOOP or any(cell is None or cell == "" for cell in cells):
        return None
    return cells


def first_of_each_run(rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    """Each run once: its first row in the order given."""
    seen: set[Hashable] = set()
    kept = []
    for row in rows:
        key = run_key(row)
        if key is not None:
            if key in seen:
                continue
            seen.add(key)
        kept.append(row)
    return kept


def joined_groups(rows: Sequence[MeasuredRow]) -> list[int]:
    """A number for each row, equal for rows whose groups are one or share a run; DeepSeek V3 and R1 are one name.

    A split between unequal numbers puts no run, no sweep and no MLPerf cell on both sides.
    """
    parent: dict[Hashable, Hashable] = {}

    def root(key: Hashable) -> Hashable:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    keys: list[Hashable] = []
    for row in rows:
        group: Hashable = ("group", row.group_key.replace("deepseek-r1", "deepseek-v3"))
        run = run_key(row)
        if run is not None:
            parent[root(("run", run))] = root(group)
        keys.append(group)
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(root(key), len(numbers)) for key in keys]
