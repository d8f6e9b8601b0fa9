"""Questions and rows for tests, with what matters named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hardware.accelerators.accelerator import shipped_accelerator
from hardware.architectures.architecture import shipped_architecture
from hardware.throughput.measurements.parallelism import parse_parallelism
from hardware.throughput.question import ThroughputQuestion

COLUMNS = (
    "row_id", "model", "arch_key", "params_total_b", "params_active_b", "hardware", "gpu_count", "nodes", "weight_precision",
    "kv_precision", "engine", "engine_version", "parallelism", "serving_mode", "scenario", "concurrency", "max_batch_cfg", "isl_mean",
    "osl_mean", "length_note", "output_tok_s", "output_tok_s_per_gpu", "total_tok_s_per_gpu", "ttft_ms", "ttft_stat", "tpot_ms",
    "tpot_stat", "latency_limits", "spec_decode", "prefix_cache", "throughput_kind", "quality_flags", "submitter", "source", "source_ref",
    "measured_date", "group_key", "bound_output_tok_s_per_gpu", "roofline_fraction",
)  # fmt: skip

CLOSED = {
    "arch_key": "llama-3.3-70b",
    "hardware": "h100-sxm",
    "gpu_count": "4",
    "weight_precision": "fp8",
    "engine": "vllm",
    "parallelism": "tp4",
    "serving_mode": "agg",
    "scenario": "closed-loop fixed concurrency",
    "isl_mean": "1000",
    "osl_mean": "500",
    "ttft_stat": "central (median or mean; source does not say)",
}


def question(
    architecture: str = "llama-3.3-70b",
    accelerator: str = "h100-sxm",
    count: int = 4,
    shape: str | None = "tp4",
    **more: Any,
) -> ThroughputQuestion:
    given = {"isl_tokens": 1000.0, "osl_tokens": 500.0, "weight_precision": "fp8", "concurrency": 32.0} | more
    return ThroughputQuestion(
        architecture=shipped_architecture(architecture),
        accelerator=shipped_accelerator(accelerator),
        accelerator_count=count,
        parallelism=parse_parallelism(shape) if shape else None,
        **given,
    )


def with_bandwidth(asked: ThroughputQuestion, gb_per_s: float | None) -> ThroughputQuestion:
    return replace(asked, accelerator=replace(asked.accelerator, bandwidth_gb_per_s=gb_per_s))


def write_rows(path: Path, rows: list[Mapping[str, str]]) -> Path:
    def cell(row: Mapping[str, str], column: str) -> str:
        text = row.get(column, "")
        return f'"{text}"' if "," in text else text

    lines = [",".join(COLUMNS), *(",".join(cell(row, column) for column in COLUMNS) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
