"""InferenceX (formerly InferenceMAX): its result rows, as its runs write them (`agg_….json`) and as its pages serve them.

Units there: throughput in tokens/s per GPU, latencies in seconds unless a field's name ends in `_ms`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from economics.errors import PermillionError
from hardware.throughput.sources.bounded import with_bound
from hardware.throughput.sources.imported import (
    Imported,
    ImportedRow,
    RefusedEntryError,
    RefusedRow,
    Terms,
    count_of,
    number_of,
    slug,
)
from hardware.throughput.sources.inferencex_pools import deployment_of, output_tokens_per_s
from hardware.throughput.sources.names import accelerator_of_runner, architecture_of

TERMS: Final = Terms(
    "InferenceX (formerly InferenceMAX), SemiAnalysis",
    "Facts with attribution to SemiAnalysis InferenceX and to the run (`source_ref`). Only its own repository is official.",
    "Apache-2.0 repository",
    "Output tokens/s per GPU of the whole system, and bounds, are computed here and are no figures of InferenceX.",
)
LENGTH_SHARE: Final = 0.9
"""Lengths are drawn uniformly from 0.8 to 1.0 of the nominal ones (`RANDOM_RANGE_RATIO` 0.8)."""
OVERLOADED_TTFT_S: Final = 30.0
SLOWEST_TPOT_S: Final = 1.0
_FORMATS: Final = {
    "fp8": "fp8", "fp4": "fp4", "nvfp4": "nvfp4", "mxfp4": "mxfp4", "bf16": "bf16", "fp16": "fp16", "int4": "int4", "int8": "int8",
}  # fmt: skip
_ENGINES: Final = (("trt", "trtllm"), ("sglang", "sglang"), ("vllm", "vllm"), ("atom", "atom"))
_VERSION: Final = re.compile(r"v?(\d+\.\d+(?:\.\w+)*(?:[-.](?:rc|dev|post)[\w.]*)?)")


def read_inferencex(document: bytes) -> Imported:
    """The result rows of a dump: one row, a list of rows, or `{"rows": […]}` / `{"data": […]}`; bad ones refused with reasons.

    Raises:
        PermillionError: `invalid-feed` if the document holds no rows.
    """
    try:
        found = json.loads(document)
    except (ValueError, RecursionError):
        raise PermillionError("invalid-feed", "not JSON; take the rows that InferenceX writes") from None
    if isinstance(found, Mapping):
        found = next(
            (found[name] for name in ("rows", "data", "results") if isinstance(found.get(name), list)), [found]
        )
    if not isinstance(found, list) or not found:
        raise PermillionError("invalid-feed", "no rows; take the rows that InferenceX writes")
    imported = Imported(TERMS)
    runs: dict[tuple[str, ...], str] = {}
    for index, entry in enumerate(found):
        try:
            row = _row(entry, index)
        except RefusedEntryError as refused:
            imported.refused.append(RefusedRow(_label(entry, index), str(refused)))
            continue
        imported.rows.append(_marked_if_repeated(row, runs))
    return imported


def _label(entry: Any, index: int) -> str:
    if not isinstance(entry, Mapping):
        return f"row {index}"
    names = ("hw", "hardware", "model", "framework", "precision", "conc")
    return f"row {index}: " + " ".join(str(entry[name])[:60] for name in names if name in entry)


def _row(entry: Any, index: int) -> ImportedRow:
    if not isinstance(entry, Mapping):
        raise RefusedEntryError("not a result row")
    metrics = entry.get("metrics")
    flat: dict[str, Any] = {**entry, **metrics} if isinstance(metrics, Mapping) else dict(entry)
    model = str(flat.get("model", ""))
    architecture = architecture_of(model)
    if architecture is None:
        raise RefusedEntryError("the model is of no architecture here")
    hardware = _hardware(flat)
    concurrency, isl, osl = number_of(flat.get("conc")), number_of(flat.get("isl")), number_of(flat.get("osl"))
    if concurrency is None:
        raise RefusedEntryError("no concurrency (`conc`)")
    if isl is None or osl is None:
        raise RefusedEntryError("no lengths (`isl`, `osl`): traces of agents state none")
    deployment = deployment_of(flat)
    output, kind = output_tokens_per_s(flat, deployment)
    ttft, ttft_stat = _latency(flat, "ttft")
    tpot, tpot_stat = _latency(flat, "tpot")
    isl_mean, osl_mean, note = _lengths(flat, isl, osl)
    precision = _FORMATS.get(str(flat.get("precision", "")).lower(), "")
    engine, version = _engine(flat)
    flags = list(deployment.flags)
    flags += ["precision_not_stated"] if not precision else []
    flags += ["engine_version_missing"] if not version else []
    if ttft is not None and ttft > OVERLOADED_TTFT_S * 1000:
        flags.append("ttft_over_30s(queueing; closed-loop overload)")
    speculation = str(flat.get("spec_decoding") or flat.get("spec_method") or flat.get("mtp") or "").lower()
    lengths, mode = f"{isl:g}x{osl:g}", "disagg" if deployment.disaggregated else "agg"
    key = f"infx|{architecture}|{hardware}|{engine}|{precision}|{mode}|{deployment.label}|{lengths}"
    date, reference = str(flat.get("date") or ""), str(flat.get("run_url") or flat.get("image") or "")
    per_gpu = output / deployment.gpus
    cells: dict[str, Any] = {
        "row_id": slug(key, f"c{concurrency:g}", date, str(index)),
        "model": model,
        "arch_key": architecture,
        "hardware": hardware,
        "gpu_count": deployment.gpus,
        "weight_precision": precision,
        "engine": engine,
        "engine_version": version,
        "parallelism": deployment.label,
        "serving_mode": mode,
        "scenario": "closed-loop fixed concurrency",
        "concurrency": concurrency,
        "isl_mean": isl_mean,
        "osl_mean": osl_mean,
        "length_note": note,
        "output_tok_s": output,
        "output_tok_s_per_gpu": per_gpu,
        "total_tok_s_per_gpu": per_gpu * (isl_mean + osl_mean) / osl_mean,
        "ttft_ms": ttft,
        "ttft_stat": ttft_stat,
        "tpot_ms": tpot,
        "tpot_stat": tpot_stat,
        "latency_limits": "none",
        "spec_decode": {"": "not stated", "none": "no", "off": "no", "false": "no"}.get(speculation, speculation),
        "prefix_cache": "no (random tokens)",
        "throughput_kind": kind,
        "quality_flags": ";".join(flags),
        "submitter": "SemiAnalysis InferenceX",
        "source": "InferenceX result rows",
        "source_ref": f"SemiAnalysisAI/InferenceX {reference}".strip(),
        "measured_date": date,
        "group_key": key,
    }
    return with_bound(cells)


def _hardware(flat: Mapping[str, Any]) -> str:
    """One accelerator; pools of two kinds have no per-GPU figure that means anything."""
    pools = {str(flat[name]) for name in ("prefill_hw", "decode_hw") if flat.get(name)}
    if len(pools) > 1:
        raise RefusedEntryError("prefill and decode on two kinds of accelerators: per-GPU figures mean nothing")
    name = pools.pop() if pools else str(flat.get("hw") or flat.get("hardware") or "")
    found = accelerator_of_runner(name)
    if found is None:
        raise RefusedEntryError("the accelerator is in no table")
    return found


def _latency(flat: Mapping[str, Any], name: str) -> tuple[float | None, str | None]:
    """Milliseconds and the statistic: median, with the 99th percentile where both are there, else the mean.

    Null or 0 is unknown: without streaming there is no time to the first token.
    """
    median, mean, worst = (_milliseconds(flat, f"{statistic}_{name}") for statistic in ("median", "mean", "p99"))
    if name == "tpot" and max(median or 0.0, mean or 0.0) > SLOWEST_TPOT_S * 1000:
        raise RefusedEntryError("over a second for each token: milliseconds in a field of seconds")
    if median is not None:
        return median, "central" if worst is None else f"p50 (p99 {worst:.4g})"
    return mean, None if mean is None else "mean"


def _milliseconds(flat: Mapping[str, Any], name: str) -> float | None:
    stated = number_of(flat.get(f"{name}_ms"))
    if stated is not None:
        return stated
    seconds = number_of(flat.get(name))
    return None if seconds is None else seconds * 1000


def _lengths(flat: Mapping[str, Any], isl: float, osl: float) -> tuple[float, float, str]:
    """Mean tokens as sent and produced: as counted where the row has totals, else 0.9 of the nominal lengths."""
    requests = number_of(flat.get("completed") or flat.get("num_prompts"))
    sent, produced = number_of(flat.get("total_input_tokens")), number_of(flat.get("total_output_tokens"))
    if requests is not None and sent is not None and produced is not None:
        return sent / requests, produced / requests, f"nominal {isl:g}/{osl:g}; means as counted"
    note = f"nominal {isl:g}/{osl:g}; actual lengths uniform on [0.8,1.0]x nominal"
    return LENGTH_SHARE * isl, LENGTH_SHARE * osl, note


def _engine(flat: Mapping[str, Any]) -> tuple[str, str]:
    framework, image = str(flat.get("framework") or "").lower(), str(flat.get("image") or "")
    engine = next((name for mark, name in _ENGINES if mark in framework), framework or "not stated")
    found = _VERSION.search(image.rsplit(":", 1)[-1]) if ":" in image else None
    return engine, found[1] if found else ""


def _marked_if_repeated(row: ImportedRow, runs: dict[tuple[str, ...], str]) -> ImportedRow:
    """The collection holds runs under several labels: equal load and latencies are one run."""
    cells = row.cells
    names = ("hardware", "engine", "concurrency", "isl_mean", "osl_mean", "ttft_ms", "tpot_ms")
    run = tuple(cells[name] for name in names)
    if not all(run) or count_of(cells["gpu_count"]) is None:
        return row
    first = runs.setdefault(run, cells["row_id"])
    if first == cells["row_id"]:
        return row
    flags = ";".join(flag for flag in (cells["quality_flags"], f"duplicate_of:{first}") if flag)
    return ImportedRow({**cells, "quality_flags": flags})
