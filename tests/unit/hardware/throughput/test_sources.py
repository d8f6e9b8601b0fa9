"""Importers of measurements: every trap of the sources, each with its reason. Figures of real rows are those of the sources."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from api.cli.throughput_import import import_command
from economics.errors import PermillionError
from hardware.throughput.sources.imported import COLUMNS, Imported
from hardware.throughput.sources.inferencex import read_inferencex
from hardware.throughput.sources.mlperf import read_mlperf
from tests.cases.measured import SAMPLE
from tests.cases.source_entries import AMD, RUN


def mlperf(*changes: dict[str, Any]) -> Imported:
    return read_mlperf(json.dumps([{**AMD, **change} for change in changes]).encode())


def cells(imported: Imported) -> dict[str, str]:
    assert not imported.refused, imported.refused
    (row,) = imported.rows
    assert tuple(row.cells) == COLUMNS
    return dict(row.cells)


def reason(imported: Imported) -> str:
    assert not imported.rows
    (row,) = imported.refused
    return row.reason


def test_a_row_of_mlperf() -> None:
    row = cells(mlperf({}))
    assert row["row_id"] == "mlperf51-5-1-0001-amd-8xmi300x-2xepyc-9575f-llama2-70b-99-interactive"
    assert (row["arch_key"], row["hardware"], row["gpu_count"], row["weight_precision"]) == (
        "llama-2-70b",
        "mi300x",
        "8",
        "fp8",
    )
    assert (row["output_tok_s"], row["output_tok_s_per_gpu"], row["osl_mean"]) == ("8840.42", "1105.05", "301.1")
    assert row["latency_limits"] == "p99 TTFT<=450ms TPOT<=40ms"
    assert row["throughput_kind"] == "measured (output tokens only)", "mlcommons/inference_policies#311: no inputs"
    assert float(row["bound_output_tok_s_per_gpu"]) == pytest.approx(9593.6, rel=0.005)
    assert row["source_ref"].endswith("id 5.1-0001")
    assert "not verified by MLCommons" in mlperf({}).terms.text()


def test_chips_are_per_node() -> None:
    row = cells(mlperf({"Accelerator": "NVIDIA GB200", "a#": 4, "Nodes": 18, "weight_data_types": "fp4"}))
    assert (row["gpu_count"], row["nodes"], row["hardware"]) == ("72", "18", "gb200-nvl72")


def test_the_accuracy_variants_of_a_run_are_one() -> None:
    first, second = mlperf({}, {"Model": "llama2-70b-99.9", "UsedModel": "llama2-70b-99.9"}).rows
    assert second.cells["quality_flags"] == f"duplicate_of:{first.cells['row_id']}"
    assert (first.cells["quality_flags"], second.cells["bound_output_tok_s_per_gpu"]) == ("", "")
    assert first.cells["group_key"] == second.cells["group_key"]
    other = mlperf({}, {"Model": "llama2-70b-99.9", "Performance_Result": 8000.0}).rows
    assert all("duplicate" not in row.cells["quality_flags"] for row in other)


UNITS = [
    # we29: 5.1 Llama 3.1 8B Interactive "Queries/s"; the run log says tokens
    ({"Model": "llama3.1-8b", "Performance_Units": "Queries/s", "Performance_Result": 102907.0}, 102907.0, True),
    (
        {"version": "v4.0", "Scenario": "Offline", "Performance_Units": "Samples/s", "Performance_Result": 21506.0},
        21506.0,
        True,
    ),
    (
        {"version": "v4.0", "Scenario": "Server", "Performance_Units": "Queries/s", "Performance_Result": 70.0},
        70 * 301.1,
        False,
    ),
    (
        {
            "version": "v4.1",
            "Category": "open",
            "Scenario": "Server",
            "Performance_Units": "Queries/s",
            "Performance_Result": 1954.36,
        },
        1954.36,
        True,
    ),
]


@pytest.mark.parametrize(("change", "tokens", "wrong"), UNITS)
def test_labels_of_units_that_the_logs_disprove(change: dict[str, Any], tokens: float, wrong: bool) -> None:
    row = cells(mlperf(change))
    assert float(row["output_tok_s"]) == pytest.approx(tokens, rel=1e-5)
    assert ("source_unit_label_wrong" in row["quality_flags"]) == wrong


REFUSED_MLPERF = [
    ({"Performance_Units": "Queries/s"}, "may mean either"),
    (
        {
            "version": "v4.0",
            "Scenario": "Server",
            "Performance_Units": "Queries/s",
            "Accuracy": "TOKENS_PER_SAMPLE: 265.005",
        },
        "output length",
    ),
    ({"Performance_Units": "Latency (ms)"}, "latency of one stream"),
    ({"Performance_Units": "Watts"}, "power"),
    ({"Scenario": "SingleStream"}, "no throughput"),
    ({"Model": "resnet"}, "no language model"),
    ({"a#": ""}, "number of chips"),
    ({"Nodes": None}, "number of chips"),
    ({"Accelerator": "N/A"}, "in no table"),
    ({"Platform": "DGX_H100_MaxQ"}, "power limit"),
    ({"Notes": "H200 at 1000W"}, "power limit"),
    ({"errors": 2}, "errors"),
    ({"Performance_Result": 0}, "no positive number"),
    ({"Performance_Result": "NaN"}, "no positive number"),
    ({"version": "v5.0", "Model": "llama2-70b-interactive-99", "Scenario": "Offline"}, "repeats the plain Offline"),
    ({"Category": "open", "UsedModel": "my-pruned-70b"}, "another model"),
    ({"Performance_Result": 884042.0}, "quarantined"),  # 110,505 tok/s per MI300X
]


@pytest.mark.parametrize(("change", "says"), REFUSED_MLPERF, ids=[says for _, says in REFUSED_MLPERF])
def test_what_mlperf_rows_are_refused_for(change: dict[str, Any], says: str) -> None:
    assert says in reason(mlperf(change))


def test_other_traps_of_mlperf() -> None:
    assert "precision_not_stated" in cells(mlperf({"weight_data_types": "fp32"}))["quality_flags"]
    row = cells(
        mlperf(
            {
                "version": "v4.1",
                "weight_data_types": "fp16",
                "Accelerator": "NVIDIA H200-SXM-141GB",
                "Software": "TensorRT 10.2.0, CUDA 12.4",
                "Accuracy": "TOKENS_PER_SAMPLE: 293.3",
            }
        )
    )
    assert (row["weight_precision"], row["engine"]) == ("fp8", "TensorRT-LLM")
    assert "source_precision_label_wrong" in row["quality_flags"]
    row = cells(mlperf({"Accuracy": "TOKENS_PER_SAMPLE: 265.005", "version": "v5.0"}))
    assert row["osl_mean"] == "", "265.005 is the accuracy target, no length"
    row = cells(
        mlperf(
            {"Model": "llama3.1-8b", "UsedModel": "llama3.1-8b", "Scenario": "Offline", "Accuracy": "GEN_LEN: 8167644"}
        )
    )
    assert row["osl_mean"] == "128", "GEN_LEN counts characters"
    row = cells(mlperf({"Accelerator": "AMD Instinct MI325X; AMD Instinct MI300X"}))
    assert (row["hardware"], row["quality_flags"]) == ("mixed:mi325x+mi300x", "mixed_hardware")
    row = cells(mlperf({"version": "v5.0", "Model": "llama2-70b-interactive-99", "Scenario": "Server"}))
    assert (row["scenario"], row["latency_limits"]) == ("mlperf-interactive", "p99 TTFT<=450ms TPOT<=40ms")
    row = cells(
        mlperf({"Category": "open", "UsedModel": "neuralmagic_Llama-2-7b-chat-hf-FP8", "Model": "llama2-70b-99.9"})
    )
    assert (row["arch_key"], row["quality_flags"].split(";")[0]) == (
        "llama-2-7b",
        "open_division(model or rules altered)",
    )
    assert "preview" in cells(mlperf({"Availability": "preview"}))["quality_flags"]


@pytest.mark.parametrize("document", [b"", b"{", b"[]", b"{}", b"3", b"\xff", b"[" * 100_000])
def test_documents_that_are_none(document: bytes) -> None:
    with pytest.raises(PermillionError) as refused:
        read_mlperf(document)
    assert refused.value.slug == "invalid-feed"
    with pytest.raises(PermillionError) as refused:
        read_inferencex(document if document not in (b"{}", b"3") else b"[]")
    assert refused.value.slug == "invalid-feed"


def test_entries_that_are_no_results_do_not_stop_the_rest() -> None:
    imported = read_mlperf(json.dumps([1, None, {}, AMD]).encode())
    assert len(imported.rows) == 1
    assert [row.reason.split(":")[0] for row in imported.refused] == ["not a result"] * 3


# InferenceX ------------------------------------------------------------------------------------------------------------------

POOLS: dict[str, Any] = {
    **RUN,
    "hw": "gb200",
    "disagg": True,
    "is_multinode": True,
    "prefill_num_workers": 1,
    "prefill_tp": 4,
    "decode_num_workers": 1,
    "decode_tp": 8,
    "num_prefill_gpu": 4,
    "num_decode_gpu": 8,
    "output_tput_per_gpu": 439.0,
    "input_tput_per_gpu": 878.0,
    "tput_per_gpu": 585.33,
}


def inferencex(change: dict[str, Any], base: dict[str, Any] = RUN) -> Imported:
    return read_inferencex(json.dumps([{**base, **change}]).encode())


def test_a_row_of_inferencex() -> None:
    row = cells(inferencex({}))
    assert (row["arch_key"], row["hardware"], row["gpu_count"], row["parallelism"]) == (
        "deepseek-r1",
        "h200-sxm",
        "8",
        "tp8",
    )
    assert (row["output_tok_s"], row["output_tok_s_per_gpu"], row["total_tok_s_per_gpu"]) == ("3512", "439", "878")
    assert (row["isl_mean"], row["osl_mean"]) == ("921.6", "921.6"), "uniform on 0.8 to 1.0 of the nominal length"
    assert (row["ttft_ms"], row["ttft_stat"], row["tpot_ms"]) == ("400", "p50 (p99 1200)", "17.8")
    assert (row["engine"], row["engine_version"], row["prefix_cache"]) == ("sglang", "0.5.5", "no (random tokens)")
    assert row["quality_flags"] == ""
    nested = {name: RUN[name] for name in RUN if "tput" in name or "ttft" in name or "tpot" in name}
    flat = {name: value for name, value in RUN.items() if name not in nested and name != "hw"}
    page = cells(
        inferencex({}, {**flat, "hardware": "h200", "num_prefill_gpu": 8, "num_decode_gpu": 8, "metrics": nested})
    )
    assert page["gpu_count"] == "8", "pages repeat the count of an aggregated run in both pools"


def test_the_total_is_never_taken_for_output() -> None:
    assert "adds the input" in reason(inferencex({"output_tput_per_gpu": None}))


def test_experts_share_the_tensor_parallel_accelerators() -> None:
    row = cells(inferencex({"ep": 8, "num_gpus": 64}))
    assert (row["gpu_count"], row["parallelism"]) == ("8", "tp8-ep8")
    assert "gpu_count_repaired" in row["quality_flags"]
    assert "32 GPUs stated, 8 by" in reason(inferencex({"num_gpus": 32}))


def test_all_other_factors_multiply() -> None:
    assert cells(inferencex({"tp": 4, "dp": 2}))["gpu_count"] == "8", "SemiAnalysisAI/InferenceX#2354"
    assert cells(inferencex({"tp": 4, "pcp_size": 2}))["parallelism"] == "tp4-cp2", "ai-dynamo/aiconfigurator#1476"
    assert cells(inferencex({"tp": 4, "pp": 2}))["gpu_count"] == "8"
    assert "not stated" in reason(inferencex({"tp": None}))


def test_an_aggregated_label_on_a_rack() -> None:
    shared = {"tput_per_gpu": 195.1, "output_tput_per_gpu": 97.56, "input_tput_per_gpu": 97.56}
    row = cells(inferencex({"tp": 36, "hw": "gb200", **shared}))
    assert (row["parallelism"], row["gpu_count"]) == ("total36", "36")
    assert "gpu_total_of_a_disaggregated_run" in row["quality_flags"]


def test_pools_are_told_from_the_whole() -> None:
    row = cells(inferencex({}, POOLS))
    assert (row["gpu_count"], row["parallelism"]) == ("12", "prefill 1x4 + decode 1x8")
    assert (row["output_tok_s"], row["output_tok_s_per_gpu"]) == ("3512", "292.667")
    assert "per decode GPU" in row["throughput_kind"]
    whole = cells(inferencex({"output_tput_per_gpu": 292.667, "input_tput_per_gpu": 292.667}, POOLS))
    assert float(whole["output_tok_s"]) == pytest.approx(3512, rel=1e-4), "SemiAnalysisAI/InferenceX#131"
    assert "agree neither" in reason(inferencex({"output_tput_per_gpu": 900.0}, POOLS))
    assert "not seen whether" in reason(inferencex({"input_tput_per_gpu": None}, POOLS))
    assert "two kinds" in reason(inferencex({"prefill_hw": "b200", "decode_hw": "h100"}, POOLS))
    assert "8 by its workers" in reason(inferencex({"prefill_num_workers": 2}, POOLS))


def test_pools_without_worker_counts() -> None:
    change = {"prefill_num_workers": None, "decode_num_workers": None, "prefill_tp": None, "decode_tp": None}
    row = cells(inferencex(change, POOLS))
    assert row["parallelism"] == "prefill 4 + decode 8"
    assert "worker_counts_missing_gpu_count_uncertain" in row["quality_flags"]
    assert row["roofline_fraction"] == ""


REFUSED_INFERENCEX = [
    ({"median_tpot": 17.8}, "milliseconds in a field of seconds"),
    ({"conc": None}, "no concurrency"),
    ({"isl": None}, "no lengths"),
    ({"model": "acme/unheard-of"}, "no architecture"),
    ({"hw": "abacus"}, "in no table"),
    ({"output_tput_per_gpu": 900.0}, "more output tokens"),
    ({"input_tput_per_gpu": 800.0}, "do not add up"),
    # SemiAnalysisAI/InferenceX#2168: 157,484 tok/s per GPU in place of about 9,669
    ({"tput_per_gpu": 157_484.0, "output_tput_per_gpu": 78_742.0, "input_tput_per_gpu": 78_742.0}, "quarantined"),
]


@pytest.mark.parametrize(("change", "says"), REFUSED_INFERENCEX, ids=[says for _, says in REFUSED_INFERENCEX])
def test_what_inferencex_rows_are_refused_for(change: dict[str, Any], says: str) -> None:
    assert says in reason(inferencex(change))


def test_other_traps_of_inferencex() -> None:
    row = cells(inferencex({"precision": "UNSET", "image": None}))
    assert row["quality_flags"].split(";") == ["precision_not_stated", "engine_version_missing"]
    assert row["weight_precision"] == ""
    assert "precision_not_stated" in cells(inferencex({"precision": "fp32"}))["quality_flags"]
    row = cells(inferencex({"median_ttft": None, "p99_ttft": 0}))
    assert (row["ttft_ms"], row["ttft_stat"]) == ("", ""), "null and 0 are unknown, not zero"
    row = cells(inferencex({"median_ttft": None, "median_ttft_ms": 400.0}))
    assert row["ttft_ms"] == "400"
    row = cells(inferencex({"median_ttft": 31.0, "p99_ttft": 45.0, "median_tpot": None}))
    assert "ttft_over_30s(queueing; closed-loop overload)" in row["quality_flags"]
    counted = {"completed": 640, "total_input_tokens": 640 * 930, "total_output_tokens": 640 * 925}
    assert (cells(inferencex(counted))["isl_mean"], cells(inferencex(counted))["osl_mean"]) == ("930", "925")
    assert cells(inferencex({"spec_decoding": "mtp"}))["spec_decode"] == "mtp"
    two = read_inferencex(json.dumps([RUN, {**RUN, "model": "deepseek-ai/DeepSeek-V3"}]).encode())
    assert two.rows[1].cells["quality_flags"] == f"duplicate_of:{two.rows[0].cells['row_id']}"


def test_the_columns_are_those_of_the_collection() -> None:
    with SAMPLE.open(encoding="utf-8", newline="") as lines:
        assert tuple(next(csv.reader(lines))) == COLUMNS


def test_the_command_writes_rows_refusals_and_terms(tmp_path: Path) -> None:
    source, out, refused = tmp_path / "summary_results.json", tmp_path / "rows.csv", tmp_path / "refused.txt"
    source.write_text(json.dumps([AMD, {**AMD, "Model": "resnet"}]), encoding="utf-8")
    done = CliRunner().invoke(import_command, ["mlperf", str(source), "--out", str(out), "--refused", str(refused)])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("1 rows, 1 refused\n")
    with out.open(encoding="utf-8", newline="") as lines:
        (row,) = csv.DictReader(lines)
    assert row["output_tok_s_per_gpu"] == "1105.05"
    assert "no language model" in refused.read_text(encoding="utf-8")
    assert "not verified by MLCommons" in (tmp_path / "rows.csv.terms.txt").read_text(encoding="utf-8")
    source.write_text(json.dumps(RUN), encoding="utf-8")
    done = CliRunner().invoke(import_command, ["inferencex", str(source), "--out", str(out)])
    assert "Apache-2.0" in done.output
    done = CliRunner().invoke(import_command, ["inferencex", str(source), "--out", str(tmp_path / "no" / "such")])
    assert isinstance(done.exception, PermillionError)
