"""What measurements say of each other: rows whose other conditions are equal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from hardware.throughput.trust.consistency import tpot_ms
from hardware.throughput.trust.finding import Finding
from hardware.throughput.trust.measurement import Measurement

REPEAT_RATIO: Final = 1.1
"""The same configuration and version measured again: max ÷ min of TPOT 1.000 in the median, 1.066 at p90 (232 cases)."""
_LONGER: Final = 2.0
_LONG_TOKENS: Final = 2_000
"""Below it the overhead of a step hides the prefill."""
_GROWTH: Final = 1.05
_FALL: Final = 0.9


def sweep_findings(rows: Sequence[Measurement]) -> Mapping[int, list[Finding]]:
    """Findings by index: TTFT that does not grow with the input, TPOT that falls with concurrency, repeats that differ.

    Rows belong together where model, accelerators, count, formats, engine, version, factors and lengths are equal; rows
    without model, accelerators, count or engine, or with an uncertain count, belong to none.
    """
    found: dict[int, list[Finding]] = defaultdict(list)
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        key = _deployment(row)
        if key is not None:
            groups[key].append(index)
    for members in groups.values():
        if len(members) > 1:
            _ttft(rows, members, found)
            _tpot(rows, members, found)
            _repeats(rows, members, found)
    return found


def _deployment(row: Measurement) -> Hashable:
    conditions = row.conditions
    if None in (conditions.architecture, conditions.accelerator, conditions.accelerator_count, conditions.engine):
        return None
    if not row.count_is_certain:
        return None
    assert conditions.architecture is not None
    assert conditions.accelerator is not None
    return (
        conditions.architecture.id,
        conditions.accelerator.id,
        conditions.accelerator_count,
        conditions.weight_precision,
        conditions.kv_precision,
        conditions.engine,
        conditions.engine_version,
        conditions.factors,
        conditions.osl_tokens,
        conditions.speculative_decoding,
        conditions.arrival,
    )


def _ttft(rows: Sequence[Measurement], members: list[int], found: dict[int, list[Finding]]) -> None:
    """TTFT must grow with the input: flat is a warm cache, or a first chunk without a token."""
    by_load: dict[Hashable, list[tuple[float, float, int]]] = defaultdict(list)
    for index in members:
        conditions, first = rows[index].conditions, rows[index].value.ttft.typical
        if first is not None and conditions.isl_tokens is not None and conditions.concurrency is not None:
            by_load[conditions.concurrency].append((conditions.isl_tokens, first, index))
    for points in by_load.values():
        points.sort()
        for shorter, longer in pairwise(points):
            if longer[0] >= max(_LONGER * shorter[0], _LONG_TOKENS) and longer[1] < _GROWTH * shorter[1]:
                text = (
                    f"TTFT {longer[1]:.4g} ms at {longer[0]:.6g} input tokens, {shorter[1]:.4g} ms at {shorter[0]:.6g}"
                )
                found[longer[2]].append(Finding("ttft_flat_in_isl", text, "C"))


def _tpot(rows: Sequence[Measurement], members: list[int], found: dict[int, list[Finding]]) -> None:
    """More requests in a step never make it shorter."""
    by_length: dict[Hashable, list[tuple[float, float, int]]] = defaultdict(list)
    for index in members:
        conditions, each = rows[index].conditions, tpot_ms(rows[index])
        if each is not None and conditions.concurrency is not None:
            by_length[conditions.isl_tokens].append((conditions.concurrency, each, index))
    for points in by_length.values():
        points.sort()
        for fewer, more in pairwise(points):
            if more[0] > fewer[0] and more[1] < _FALL * fewer[1]:
                text = f"TPOT {more[1]:.4g} ms at concurrency {more[0]:.6g}, {fewer[1]:.4g} ms at {fewer[0]:.6g}"
                found[more[2]].append(Finding("tpot_falls_with_concurrency", text, "C"))


def _repeats(rows: Sequence[Measurement], members: list[int], found: dict[int, list[Finding]]) -> None:
    """The same conditions again: a figure well above the least of them has something that is not stated (a warm cache)."""
    by_conditions: dict[Hashable, list[tuple[float, int]]] = defaultdict(list)
    for index in members:
        conditions, figure = rows[index].conditions, rows[index].output_tokens_per_s
        load = (conditions.concurrency, conditions.request_rate_per_s)
        if figure is not None and (load != (None, None) or conditions.arrival == "all_at_once"):
            by_conditions[(conditions.isl_tokens, *load)].append((figure, index))
    for figures in by_conditions.values():
        least = min(figures)[0]
        for figure, index in figures:
            if figure > REPEAT_RATIO * least:
                text = f"{figure / least:.3g} times the least figure under the same stated conditions"
                found[index].append(Finding("same_conditions_differ", text, "C"))
