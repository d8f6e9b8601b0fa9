"""One published measurement with its conditions: the columns of `throughput_measured.csv.gz`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hardware.throughput.question import Parallelism

#: Names of engines that are one engine; others stay as printed.
ENGINES: Final = {"tensorrt-llm": "trtllm", "vllm (see source)": "vllm", "vllm": "vllm", "sglang": "sglang"}

#: DeepSeek-R1 is DeepSeek-V3 trained further: one architecture under two names.
SAME_ARCHITECTURE: Final = {"deepseek-r1": "deepseek-v3"}

_FLAGS = re.compile(r";(?! )")
_LIMITS = re.compile(r"p99 TTFT<=([0-9.]+)ms TPOT<=([0-9.]+)ms")


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """What was run and what came out; None where the source does not say.

    A number that is no positive finite number is kept as NaN: the cell is not empty, and no estimate can be made from it.

    Attributes:
        gpu_count: of the whole system behind `output_tok_s`.
        concurrency: requests in flight on the whole system (static batch: the batch).
        isl_mean, osl_mean: mean input and output tokens of a request, as sent and produced.
        output_tok_s_per_gpu, ttft_ms, tpot_ms: what was measured.
        parallelism: None where not stated or not understood.
        flags: defects and peculiarities, section 2 of the data file's description.
        group_key: rows of one sweep or one MLPerf cell.
    """

    row_id: str
    arch_key: str
    hardware: str
    gpu_count: float | None
    nodes: float | None
    weight_precision: str
    kv_precision: str
    engine: str
    engine_version: str
    parallelism_text: str
    parallelism: Parallelism | None
    serving_mode: str
    scenario: str
    concurrency: float | None
    max_batch_cfg: float | None
    isl_mean: float | None
    osl_mean: float | None
    output_tok_s: float | None
    output_tok_s_per_gpu: float | None
    ttft_ms: float | None
    ttft_stat: str
    tpot_ms: float | None
    tpot_stat: str
    latency_limits: str
    spec_decode: str
    prefix_cache: str
    throughput_kind: str
    flags: tuple[str, ...]
    submitter: str
    source: str
    source_ref: str
    measured_date: str
    group_key: str
    bound_output_tok_s_per_gpu: float | None

    @property
    def architecture(self) -> str:
        """Key of the architecture, one for the two names of DeepSeek V3 and R1."""
        return SAME_ARCHITECTURE.get(self.arch_key, self.arch_key)

    @property
    def system_output_tok_s(self) -> float | None:
        """Output tokens a second of the whole system, from the figure per GPU where only that is given."""
        if self.output_tok_s is not None or self.output_tok_s_per_gpu is None or self.gpu_count is None:
            return self.output_tok_s
        return self.output_tok_s_per_gpu * self.gpu_count

    @property
    def engine_family(self) -> str:
        """The engine under one name: `trtllm`, `vllm`, `sglang` or as printed."""
        return engine_family(self.engine)

    @property
    def p99_limits_ms(self) -> tuple[float, float] | None:
        """Limits of the 99th percentile of TTFT and TPOT, where the row has them."""
        found = _LIMITS.search(self.latency_limits)
        return (float(found[1]), float(found[2])) if found else None


def engine_family(name: str) -> str:
    """One name for the spellings of an engine.

    >>> engine_family("TensorRT-LLM"), engine_family("vLLM (see source)"), engine_family("LLMBoost")
    ('trtllm', 'vllm', 'llmboost')
    """
    lowered = name.strip().lower()
    return ENGINES.get(lowered, lowered)


def split_flags(text: str) -> tuple[str, ...]:
    """Flags stand apart by `;` without a space; one flag has `; ` inside its brackets.

    >>> split_flags("ttft_over_30s(queueing; closed-loop overload);engine_version_missing")
    ('ttft_over_30s(queueing; closed-loop overload)', 'engine_version_missing')
    """
    return tuple(part for part in _FLAGS.split(text) if part)


def positive(text: str | None) -> float | None:
    """None for an empty cell, NaN for one that is no positive finite number.

    >>> positive(""), positive("921.6"), positive("-3")
    (None, 921.6, nan)
    """
    if text is None or not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) and number > 0 else math.nan


def measured_value(text: str | None) -> float | None:
    """A measured value; whatever is no positive finite number was not measured."""
    number = positive(text)
    return None if number is None or math.isnan(number) else number


def row_of(cells: Mapping[str, str | None], parallelism: Parallelism | None) -> MeasuredRow:
    """The typed row of a line of the file; columns that are absent count as empty."""

    def text(column: str) -> str:
        return (cells.get(column) or "").strip()

    return MeasuredRow(
        row_id=text("row_id"),
        arch_key=text("arch_key"),
        hardware=text("hardware"),
        gpu_count=positive(cells.get("gpu_count")),
        nodes=positive(cells.get("nodes")),
        weight_precision=text("weight_precision"),
        kv_precision=text("kv_precision"),
        engine=text("engine"),
        engine_version=text("engine_version"),
        parallelism_text=text("parallelism"),
        parallelism=parallelism,
        serving_mode=text("serving_mode"),
        scenario=text("scenario"),
        concurrency=positive(cells.get("concurrency")),
        max_batch_cfg=positive(cells.get("max_batch_cfg")),
        isl_mean=positive(cells.get("isl_mean")),
        osl_mean=positive(cells.get("osl_mean")),
        output_tok_s=measured_value(cells.get("output_tok_s")),
        output_tok_s_per_gpu=measured_value(cells.get("output_tok_s_per_gpu")),
        ttft_ms=measured_value(cells.get("ttft_ms")),
        ttft_stat=text("ttft_stat"),
        tpot_ms=measured_value(cells.get("tpot_ms")),
        tpot_stat=text("tpot_stat"),
        latency_limits=text("latency_limits"),
        spec_decode=text("spec_decode"),
        prefix_cache=text("prefix_cache"),
        throughput_kind=text("throughput_kind"),
        flags=split_flags(text("quality_flags")),
        submitter=text("submitter"),
        source=text("source"),
        source_ref=text("source_ref"),
        measured_date=text("measured_date"),
        group_key=text("group_key"),
        bound_output_tok_s_per_gpu=measured_value(cells.get("bound_output_tok_s_per_gpu")),
    )
