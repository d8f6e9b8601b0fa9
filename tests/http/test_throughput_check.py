"""`POST /throughput/check`: what a benchmark may be used for. Expected figures are worked out by hand beside them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.http.asking import SECRET, refused

GOOD: dict[str, Any] = {
    "row_id": "good",
    "architecture": "llama-3.3-70b",
    "weight_precision": "fp8",
    "kv_precision": "fp8",
    "accelerator": "h100-sxm",
    "accelerator_count": 2,
    "nodes": 1,
    "engine": "vllm",
    "engine_version": "0.11.0",
    "parallelism": "tp2",
    "isl_tokens": 1000,
    "osl_tokens": "1000",
    "arrival": "closed_loop",
    "concurrency": 64,
    "ttft_mean_ms": 600.0,
    "tpot_mean_ms": 30,
    "output_tokens_per_s": "2093.6",
    "prefix_cache_hit_ratio": 0,
    "speculative_decoding": "none",
    "source": "own run",
    "measured_on": "2026-11-01",
}
IMPOSSIBLE: dict[str, Any] = {
    "architecture": "qwen3-32b",
    "accelerator": "b200-sxm",
    "accelerator_count": 2,
    "weight_precision": "nvfp4",
    "parallelism": "tp2",
    "isl_tokens": 15000,
    "osl_tokens": 500,
    "concurrency": 416,
    "output_tokens_per_s": 27600,
}


def checked(client: httpx.Client, *rows: Any, query: str = "") -> list[dict[str, Any]]:
    response = client.post(f"/throughput/check{query}", json={"rows": rows, "as_of": "2026-12-01"})
    assert response.status_code == 200, response.text
    answer: list[dict[str, Any]] = response.json()["rows"]
    assert len(answer) == len(rows)
    return answer


def test_a_measurement_is_graded_with_its_bound(client: httpx.Client) -> None:
    (row,) = checked(client, GOOD)
    assert (row["row_id"], row["grade"], row["may_enter_cost"], row["red_flags"]) == ("good", "B", True, "")
    assert (row["error_code"], row["conditions_stated"], row["missing_conditions"]) == (None, 14, "")
    assert "model_revision" in row["incomplete_conditions"].split(";")
    # 70,553,706,496 parameters less twice 128,256 × 8,192, in one byte, over 64; 80 × 8 × 256 elements over 1,500 tokens
    weights, keys = (70_553_706_496 - 2 * 128_256 * 8_192) / 64, 163_840 * 1500
    assert float(row["weight_bytes_per_output_token"]) == pytest.approx(weights, rel=1e-3)
    assert row["kv_bytes_per_output_token"] == str(keys)
    bound = 3350e9 / (weights + keys)
    assert float(row["bound_tokens_per_s_per_accelerator"]) == pytest.approx(bound, rel=1e-3)
    assert row["limiting_resource"] == "memory_bandwidth"
    assert float(row["roofline_ratio"]) == pytest.approx(1046.8 / bound, rel=1e-3)
    assert float(row["little_ratio"]) == pytest.approx(2093.6 * (0.6 + 999 * 0.03) / 64_000, rel=1e-9)
    assert row["output_tokens_per_s_per_accelerator"] == "1046.8"
    assert float(row["compute_bound_batch"]) == pytest.approx(1979 / (2 * 3.35), rel=1e-9)
    assert row["compute_bound_batch_expected_experts"] is None
    assert row["accelerators_from_factors"] == 2


def test_an_impossible_row_is_quarantined(client: httpx.Client) -> None:
    (row,) = checked(client, IMPOSSIBLE)
    assert (row["grade"], row["may_enter_cost"]) == ("F", False)
    assert "above_physical_bound" in row["red_flags"].split(";")
    assert 3.5 < float(row["roofline_ratio"]) < 3.9
    assert "impossible as stated" in row["reasons"]


def test_peak_and_bandwidth_may_be_stated(client: httpx.Client) -> None:
    """kipply, transformer inference arithmetic: 312 TFLOP/s over 1.5 TB/s, 16-bit weights: 208."""
    (row,) = checked(client, {"weight_precision": "bf16", "peak_tflops": "312", "bandwidth_gb_per_s": "1500"})
    assert (row["compute_bound_batch"], row["grade"]) == ("208", "D")
    assert row["bound_tokens_per_s_per_accelerator"] is None
    assert {"bound_unknown", "peak_stated_by_caller"} <= set(row["warnings"].split(";"))
    (row,) = checked(client, {**GOOD, "bandwidth_gb_per_s": 1675})
    assert float(row["roofline_ratio"]) == pytest.approx(
        2 * float(checked(client, GOOD)[0]["roofline_ratio"]), rel=1e-9
    )


def test_missing_conditions_are_named(client: httpx.Client) -> None:
    bare = {"output_tokens_per_s": 529}
    (row,) = checked(client, bare)
    assert (row["grade"], row["may_enter_cost"]) == ("D", False)
    missing = row["missing_conditions"].split(";")
    assert missing[:4] == ["architecture", "weight_precision", "accelerator", "accelerator_count"]
    assert {"isl_tokens", "osl_tokens", "concurrency", "engine_version", "prefix_cache_hit_ratio"} <= set(missing)


def test_findings_as_objects(client: httpx.Client) -> None:
    (row,) = checked(client, {**GOOD, "accelerator_count": 4}, query="?detail=1")
    (finding,) = row["findings"]
    assert (finding["code"], finding["ceiling"]) == ("gpu_count_not_product_of_factors", "D")
    assert finding["text"] in row["reasons"]
    assert "findings" not in checked(client, GOOD)[0]


def test_rows_of_one_request_are_a_sweep(client: httpx.Client) -> None:
    fewer = {**GOOD, "row_id": "64"}
    more = {**GOOD, "row_id": "128", "concurrency": 128, "tpot_mean_ms": 20, "output_tokens_per_s": 6219}
    assert "tpot_falls_with_concurrency" in checked(client, fewer, more)[1]["red_flags"].split(";")
    assert "tpot_falls_with_concurrency" not in checked(client, more)[0]["red_flags"]


def test_csv(client: httpx.Client) -> None:
    response = client.post("/throughput/check?format=csv&detail=1", json={"rows": [GOOD, IMPOSSIBLE]})
    lines = response.text.splitlines()
    assert lines[0].startswith("row_id,architecture,accelerator,")
    assert "findings" not in lines[0]
    assert ",A," not in lines[1]
    assert ",true," in lines[1]
    assert ",false," in lines[2]


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"architecture": f"{SECRET}"}, "unknown-architecture", "GET /architectures"),
    ({"architecture": "llama-3.3-71b"}, "unknown-architecture", "llama-3.3-70b"),
    ({"accelerator": "h100"}, "unknown-accelerator", "h100-sxm"),
    ({"weight_precision": SECRET}, "invalid-fields", "bf16"),
    ({"kv_precision": "int4"}, "invalid-fields", "fp8"),
    ({"parallelism": SECRET}, "invalid-fields", "tpN"),
    ({"accelerator_count": 0}, "invalid-fields", "accelerator_count"),
    ({"accelerator_count": 2.5}, "invalid-fields", "accelerator_count"),
    ({"osl_tokens": 0}, "invalid-fields", "osl_tokens"),
    ({"isl_tokens": -1}, "invalid-fields", "isl_tokens"),
    ({"concurrency": "NaN"}, "invalid-fields", "concurrency"),
    ({"concurrency": "Infinity"}, "invalid-fields", "concurrency"),
    ({"tpot_mean_ms": True}, "invalid-fields", "tpot_mean_ms"),
    ({"ttft_mean_ms": 1e300}, "invalid-fields", "ttft_mean_ms"),
    ({"bandwidth_gb_per_s": 0}, "invalid-fields", "bandwidth_gb_per_s"),
    ({"prefix_cache_hit_ratio": 1.5}, "invalid-fields", "prefix_cache_hit_ratio"),
    ({"tokens_per_s": 529, "output_tokens_per_s": None}, "invalid-fields", "counted"),
    ({"total_tokens_per_s": 4000}, "invalid-fields", "definitions"),
    ({"no_such_field": SECRET}, "invalid-fields", "no_such_field"),
]


@pytest.mark.parametrize(
    ("change", "code", "says"), BAD, ids=[str(next(iter(change.items())))[:50] for change, _, _ in BAD]
)
def test_bad_rows(client: httpx.Client, change: dict[str, Any], code: str, says: str) -> None:
    bad, good = checked(client, {**GOOD, **change}, GOOD)
    assert bad["error_code"] == code
    assert says in bad["error_detail"]
    assert SECRET not in str(bad)
    assert {name for name, value in bad.items() if value not in (None, "")} == {"row_id", "error_code", "error_detail"}
    assert good["grade"] == "B"
    failed = client.post("/throughput/check?on_error=fail", json={"rows": [GOOD, {**GOOD, **change}]})
    body = refused(failed, 422, "invalid-fields", says=code)
    assert body["errors"][0]["pointer"].startswith("/rows/1")


def test_bad_requests(client: httpx.Client) -> None:
    refused(client.post("/throughput/check", json={"rows": []}), 422, "invalid-fields", "/rows")
    refused(client.post("/throughput/check", content=b'{"rows": [{"concurrency": NaN}]}'), 400, "malformed-json")
    refused(client.post("/throughput/check", json={"rows": [{}] * 10_001}), 413, "too-many-rows")
    overflow = client.post("/throughput/check", content=b'{"rows": [{"concurrency": 1e999}]}')
    assert overflow.json()["rows"][0]["error_code"] == "invalid-fields"
