"""Published figures of inference and training physics; each row of the file names its source and tolerance."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from hardware.accelerators.accelerator import shipped_accelerator
from hardware.architectures.architecture import shipped_architecture
from hardware.throughput.measurements.reading import shipped_measurements
from hardware.throughput.physics.durations.communication import expert_parallel_floor_ms
from hardware.throughput.physics.durations.speculation import tokens_per_step
from hardware.throughput.physics.model.experts import distinct_experts
from hardware.throughput.physics.model.kv_cache import kv_cache
from hardware.throughput.physics.pools import sized_pools
from hardware.throughput.physics.roofline import bandwidth_use
from hardware.throughput.trust.bound import RequestLoad, physical_bound, roof_of

with (Path(__file__).parent / "data" / "throughput_worked_examples.csv").open(encoding="utf-8") as lines:
    EXAMPLES = {row["id"]: row for row in csv.DictReader(lines)}


def example(name: str) -> tuple[dict[str, Any], Any, float]:
    row = EXAMPLES[name]
    return json.loads(row["inputs"]), json.loads(row["expected"]), float(row["rel_tolerance"])


def test_we05_node_balance_of_deepseek() -> None:
    given, expected, tolerance = example("we05")
    # Rates are a node's: one node is the accelerator here; unrounded, the two pools add up to the published count.
    prefill = given["input_tokens"] / given["seconds"] / given["prefill_tok_s_node"]
    decode = given["output_tokens"] / given["seconds"] / given["decode_tok_s_node"]
    assert prefill + decode == pytest.approx(expected, rel=tolerance)
    pools = sized_pools(
        1 / given["seconds"],
        given["input_tokens"],
        given["output_tokens"],
        given["prefill_tok_s_node"],
        given["decode_tok_s_node"],
    )
    assert (pools.prefill_accelerators, pools.decode_accelerators) == (96, 132)
    assert pools.output_per_s_per_accelerator < pools.decode_pool_output_per_s_per_accelerator


def test_we16_kv_bytes_per_token() -> None:
    given, expected, _ = example("we16")
    found = [kv_cache(shipped_architecture(name), 2).full_bytes_per_token for name in given["models"]]
    assert found == expected


def test_we17_kv_per_token_of_multi_head_attention() -> None:
    given, expected, _ = example("we17")
    # Every head has its keys and values: 2 · h a layer.
    heads = shipped_architecture("llama-2-7b")
    per_layer = kv_cache(heads, given["bytes"]).full_bytes_per_token / heads.layers / heads.hidden_size
    assert per_layer * given["layers"] * given["hidden"] == expected


def test_we19_bandwidth_use() -> None:
    given, expected, tolerance = example("we19")
    found = bandwidth_use(given["params"] * given["bytes_per_param"], given["tpot_ms"], given["hbm_tb_s"] * 1e3)
    assert found == pytest.approx(expected, rel=tolerance)


def test_we20_tokens_per_verification() -> None:
    given, expected, tolerance = example("we20")
    assert [tokens_per_step(a, g) for a, g in given["cases"]] == pytest.approx(expected, rel=tolerance)


def test_we22_expert_parallel_floor() -> None:
    given, expected, tolerance = example("we22")
    found = expert_parallel_floor_ms(
        given["batch"],
        given["destinations"],
        given["hidden"],
        given["bytes"],
        given["link_gb_s"],
        given["layers"],
        given["passes"],
    )
    assert found == pytest.approx(expected, rel=tolerance)


def test_we30_distinct_experts() -> None:
    given, expected, tolerance = example("we30")
    assert distinct_experts(given["E"], given["k"], given["tokens"]) == pytest.approx(expected, rel=tolerance)


def test_we27_mlperf_per_accelerator() -> None:
    given, expected, tolerance = example("we27")
    assert given["tok_s"] / given["chips"] == pytest.approx(expected, rel=tolerance)
    stored = [row for row in shipped_measurements() if row.output_tok_s is not None and row.gpu_count]
    off = [row for row in stored if abs(row.output_tok_s / row.gpu_count / row.output_tok_s_per_gpu - 1) > 2e-3]
    assert off == []


def test_we29_mlperf_8b_interactive_is_tokens_per_second() -> None:
    given, expected, tolerance = example("we29")
    assert given["log_samples_per_s"] * given["tokens_per_sample"] == pytest.approx(expected, rel=tolerance)
    mislabelled = [
        row for row in shipped_measurements() if any(flag.startswith("source_unit_label_wrong") for flag in row.flags)
    ]
    interactive = [row for row in mislabelled if row.arch_key == "llama-3.1-8b"]
    assert interactive
    assert all(row.output_tok_s is not None and row.output_tok_s < 129 * 102_907 for row in interactive)


def test_we33_a_roofline_is_too_fast() -> None:
    given, expected, tolerance = example("we33")
    for (*_, measured, roofline), ratio in zip(given["cases"], expected, strict=True):
        assert roofline / measured == pytest.approx(ratio, rel=tolerance)
    # Our own roofline of that model and device is as much too fast: it is only ever a bound, never an estimate.
    for batch, prompt, output, measured, roofline in given["cases"]:
        load = RequestLoad(shipped_architecture("llama-2-7b"), prompt, output, "fp16", None, batch)
        found = physical_bound(load, roof_of(shipped_accelerator("a100-sxm-80"), "fp16"))
        assert found is not None
        assert found.tokens_per_s > measured
        assert 0.5 < found.tokens_per_s / roofline < 2.0
