"""MLPerf Inference: `summary_results.json`, a list of results with the fields that MLCommons publishes since v4.0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from economics.errors import PermillionError
from hardware.throughput.sources.bounded import with_bound
from hardware.throughput.sources.imported import (
    Imported,
    ImportedRow,
    RefusedEntryError,
    RefusedRow,
    count_of,
    imported_row,
    number_of,
    slug,
)
from hardware.throughput.sources.mlperf_rounds import (
    BENCHMARKS,
    ROUND_DATES,
    TERMS,
    benchmark_name,
    measured_tokens_per_sample,
    output_tokens_per_s,
    precision_of,
)
from hardware.throughput.sources.names import accelerators_of_mlperf, architecture_of

_SCENARIOS: Final = ("Offline", "Server", "Interactive")
_POWER_CAPS: Final = ("maxq", "1000w", "1000 w")
_NEEDED: Final = ("Model", "Scenario", "Performance_Result", "version")


def read_mlperf(document: bytes) -> Imported:
    """The language-model results of a summary; the rest is refused, each with its reason.

    Raises:
        PermillionError: `invalid-feed` if the document is no list of results.
    """
    try:
        entries = json.loads(document)
    except (ValueError, RecursionError):
        raise PermillionError("invalid-feed", "not JSON; take summary_results.json of a round") from None
    if not isinstance(entries, list) or not entries:
        raise PermillionError("invalid-feed", "not a list of results; take summary_results.json of a round")
    imported = Imported(TERMS)
    runs: dict[tuple[str, ...], str] = {}
    for index, entry in enumerate(entries):
        try:
            row = _row(entry)
        except RefusedEntryError as refused:
            imported.refused.append(RefusedRow(_label(entry, index), str(refused)))
            continue
        imported.rows.append(_marked_if_repeated(entry, row, runs))
    return imported


def _label(entry: Any, index: int) -> str:
    if not isinstance(entry, Mapping):
        return f"entry {index}"
    parts = [str(entry.get(name, "")) for name in ("ID", "Submitter", "Platform", "Model", "Scenario")]
    return " ".join(part[:100] for part in parts if part) or f"entry {index}"


def _row(entry: Any) -> ImportedRow:
    if not isinstance(entry, Mapping) or any(name not in entry for name in _NEEDED):
        raise RefusedEntryError(f"not a result: {', '.join(_NEEDED)} are needed")
    cell = {name: str(value).strip() for name, value in entry.items() if value is not None}
    model, scenario, version = cell["Model"], cell["Scenario"], cell["version"]
    division, software = cell.get("Category", "").lower(), cell.get("Software", "")
    benchmark = BENCHMARKS.get(benchmark_name(model))
    if benchmark is None:
        raise RefusedEntryError("no language model of our architectures")
    _check(cell, entry)
    scenario = _scenario(model, scenario)
    hardware, gpus, flags = _system(cell, entry)
    tokens = benchmark.osl if benchmark.fixed_osl else measured_tokens_per_sample(cell.get("Accuracy", ""))
    value = number_of(entry["Performance_Result"])
    if value is None:
        raise RefusedEntryError("the result is no positive number")
    name = benchmark_name(model)
    unit = cell.get("Performance_Units", "")
    output, wrong_label = output_tokens_per_s(value, unit, version, name, scenario, division, tokens)
    precision, precision_flags = precision_of(cell.get("weight_data_types", ""), version, hardware, software)
    architecture, used = _architecture(cell, benchmark.architecture, division)
    osl, note = (
        (tokens, benchmark.note)
        if tokens is not None
        else (benchmark.osl, f"{benchmark.note}; output mean of other runs")
    )
    flags += [flag for flag in (wrong_label, _division(division), _preview(cell)) if flag] + precision_flags
    if not software:
        flags.append("engine_version_missing")
    if osl is None:
        note = f"{benchmark.note}; output length not stated"
    limits = benchmark.limits.get(scenario)
    identifier = cell.get("ID") or cell.get("Location", "")
    digits = version.replace("v", "").replace(".", "")
    cells: dict[str, Any] = {
        "row_id": slug(f"mlperf{digits}", cell.get("ID", ""), cell.get("Submitter", ""), cell.get("Platform", ""), used, scenario),
        "model": used,
        "arch_key": architecture,
        "hardware": hardware,
        "gpu_count": gpus,
        "nodes": count_of(entry.get("Nodes")),
        "weight_precision": precision,
        "engine": _engine(software),
        "engine_version": software,
        "serving_mode": "agg",
        "scenario": f"mlperf-{scenario.lower()}",
        "isl_mean": benchmark.isl,
        "osl_mean": osl,
        "length_note": note,
        "output_tok_s": output,
        "output_tok_s_per_gpu": output / gpus,
        "total_tok_s_per_gpu": None if benchmark.isl is None or osl is None else output / gpus * (benchmark.isl + osl) / osl,
        "latency_limits": "none" if limits is None else f"p99 TTFT<={limits[0]}ms TPOT<={limits[1]}ms",
        "spec_decode": f"no (not allowed in {version} closed)" if division == "closed" else "not stated",
        "prefix_cache": "no",
        "throughput_kind": "measured (output tokens only)",
        "quality_flags": ";".join(flags),
        "submitter": cell.get("Submitter", ""),
        "source": f"MLPerf Inference {version}",
        "source_ref": f"mlcommons/inference_results_{version} summary_results.json id {identifier}",
        "measured_date": ROUND_DATES.get(version),
        "group_key": f"mlperf|{name}|{hardware}|{scenario}|{precision or cell.get('weight_data_types', '')}",
    }  # fmt: skip
    return imported_row(cells) if hardware.startswith("mixed:") else with_bound(cells)


def _check(cell: Mapping[str, str], entry: Mapping[str, Any]) -> None:
    if number_of(entry.get("errors")) is not None:
        raise RefusedEntryError("the submission has errors")
    named = f"{cell.get('Platform', '')} {cell.get('System', '')} {cell.get('Notes', '')} {cell.get('Accelerator', '')}".lower()
    if any(mark in named for mark in _POWER_CAPS):
        raise RefusedEntryError("another power limit than the part's: no column tells it from the standard part")


def _scenario(model: str, scenario: str) -> str:
    """`Interactive` of v5.0 is a model of its own whose runs are Server runs; its Offline runs repeat the plain ones."""
    if "-interactive" in model:
        if scenario != "Server":
            raise RefusedEntryError("Offline of the interactive benchmark repeats the plain Offline run")
        return "Interactive"
    if scenario not in _SCENARIOS:
        raise RefusedEntryError("a latency of one stream, no throughput")
    return scenario


def _system(cell: Mapping[str, str], entry: Mapping[str, Any]) -> tuple[str, int, list[str]]:
    """Accelerator, number of the whole system, flags. `a#` is per node: 18 nodes of 4 are 72."""
    each, nodes = count_of(entry.get("a#")), count_of(entry.get("Nodes"))
    if each is None or nodes is None:
        raise RefusedEntryError("no accelerators per node (`a#`) or no nodes: the number of chips is not stated")
    found = accelerators_of_mlperf(cell.get("Accelerator", ""))
    if not found:
        raise RefusedEntryError("the accelerator is in no table")
    if len(found) > 1:
        return "mixed:" + "+".join(found), each * nodes, ["mixed_hardware"]
    return found[0], each * nodes, []


def _architecture(cell: Mapping[str, str], benchmark: str, division: str) -> tuple[str, str]:
    """Architecture and name of what really ran: open rows run other models under the benchmark's name."""
    used = cell.get("UsedModel") or cell["Model"]
    if division != "open" or benchmark_name(used) in BENCHMARKS:
        return benchmark, cell["Model"]
    found = architecture_of(used)
    if found is None:
        raise RefusedEntryError("an open row that runs another model, of no architecture here")
    return found, used


def _division(division: str) -> str | None:
    return "open_division(model or rules altered)" if division == "open" else None


def _preview(cell: Mapping[str, str]) -> str | None:
    return "preview" if cell.get("Availability", "").lower() == "preview" else None


def _engine(software: str) -> str:
    lowered = software.lower()
    for mark, name in (("vllm", "vLLM"), ("tensorrt", "TensorRT-LLM"), ("sglang", "SGLang"), ("llmboost", "LLMBoost")):
        if mark in lowered:
            return name
    return software.split(",", maxsplit=1)[0].strip() or "not stated"


def _marked_if_repeated(entry: Mapping[str, Any], row: ImportedRow, runs: dict[tuple[str, ...], str]) -> ImportedRow:
    """The 99 and 99.9 accuracy names of one run have one figure: the second is marked, and its bound left out."""
    cells = row.cells
    run = (
        cells["source"],
        cells["submitter"],
        str(entry.get("Platform", "")),
        cells["arch_key"],
        cells["scenario"],
        cells["output_tok_s"],
    )
    first = runs.setdefault(run, cells["row_id"])
    if first == cells["row_id"]:
        return row
    flags = ";".join(flag for flag in (cells["quality_flags"], f"duplicate_of:{first}") if flag)
    empty = {"bound_output_tok_s_per_gpu": "", "roofline_fraction": ""}
    return ImportedRow({**cells, **empty, "quality_flags": flags})
