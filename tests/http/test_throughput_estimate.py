"""`POST /throughput/estimate`: what holds of every estimator. Ours, and a tiny plug-in of these tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.asking import SECRET, refused
from tests.http.conftest import never_a_server_error
from tests.running import ROOT, running_service

ROW: dict[str, Any] = {
    "row_id": "two",
    "architecture": "llama-3.3-70b",
    "accelerator": "h100-sxm",
    "accelerator_count": 2,
    "weight_precision": "fp8",
    "engine": "trtllm",
    "parallelism": "tp2",
    "isl_tokens": 1000,
    "osl_tokens": 1000,
}


@pytest.fixture(scope="module", params=["permillion", "tiny"])
def estimator(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def estimating(
    tmp_path_factory: pytest.TempPathFactory, loaded_database: Path, estimator: str
) -> Iterator[httpx.Client]:
    """A plug-in as a third party ships one: a module and the entry points of its distribution."""
    folder = tmp_path_factory.mktemp("estimating")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    plugin = folder / "plugin"
    distribution = plugin / "tiny_throughput-1.0.dist-info"
    distribution.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "tiny_estimator.py", plugin / "tiny_throughput.py")
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-throughput\nVersion: 1.0\n")
    (distribution / "entry_points.txt").write_text("[permillion.throughput]\ntiny = tiny_throughput:TinyEstimator\n")
    environment = {"PYTHONPATH": str(plugin), "PERMILLION_MAX_ESTIMATES": "50"}
    with running_service(folder, environment) as running, running.client() as client:
        client.params = {"estimator": estimator}
        client.event_hooks = {"response": [never_a_server_error]}
        yield client


def estimated(client: httpx.Client, *rows: Any, query: str = "") -> list[dict[str, Any]]:
    response = client.post(f"/throughput/estimate{query}", json={"rows": rows, "as_of": "2026-12-01"})
    assert response.status_code == 200, response.text
    answer: list[dict[str, Any]] = response.json()["rows"]
    assert len(answer) == len(rows)
    return answer


def test_an_estimate_has_band_bound_method_and_grade(estimating: httpx.Client) -> None:
    (row,) = estimated(estimating, {**ROW, "concurrency": 64})
    assert (row["row_id"], row["error_code"], row["accelerator_count"]) == ("two", None, 2)
    rate = float(row["output_tokens_per_s"])
    assert float(row["output_low"]) <= rate <= float(row["output_high"])
    assert float(row["output_tokens_per_s_per_accelerator"]) == pytest.approx(rate / 2, rel=1e-6)
    assert float(row["output_tokens_per_s_per_accelerator"]) < float(row["bound_tokens_per_s_per_accelerator"])
    assert 0 < float(row["roofline_ratio"]) < 1
    assert float(row["tpot_low_ms"]) <= float(row["tpot_ms"]) <= float(row["tpot_high_ms"])
    assert row["method"] in ("measured", "anchored", "physics")
    assert row["grade"] in ("A", "B", "C")
    assert float(row["concurrency"]) == 64
    assert row["power_basis"] == "tdp"
    assert float(row["energy_kwh_per_mtok_output"]) == pytest.approx(1400 / rate / 3.6, rel=1e-6)
    assert "prefix cache not stated" in row["assumptions"]
    assert "energy_at_tdp" in row["warnings"].split(";")


def test_a_limit_is_kept_or_infeasible(estimating: httpx.Client) -> None:
    """ai-dynamo/aiconfigurator#725: a limit that is given constrains the answer."""
    kept, never = estimated(estimating, {**ROW, "tpot_limit_ms": 30}, {**ROW, "tpot_limit_ms": "0.01"})
    assert float(kept["tpot_ms"]) <= 30
    assert never["error_code"] == "infeasible"
    assert never["output_tokens_per_s"] is None


BAD: list[tuple[dict[str, Any], str]] = [
    ({"architecture": SECRET}, "unknown-architecture"),
    ({"accelerator": SECRET}, "unknown-accelerator"),
    ({"concurrency": None}, "invalid-fields"),
    ({"parallelism": SECRET}, "invalid-fields"),
    ({"accelerator": "a100-sxm-80"}, "unsupported-format"),
    ({"parallelism": "tp16", "accelerator_count": 16}, "infeasible"),
    ({"accelerator": "l4"}, "infeasible"),
    ({"isl_tokens": "Infinity"}, "invalid-fields"),
    ({"osl_tokens": -1}, "invalid-fields"),
]


@pytest.mark.parametrize(("change", "code"), BAD, ids=[str(change)[:50] for change, _ in BAD])
def test_bad_rows(estimating: httpx.Client, change: dict[str, Any], code: str) -> None:
    good = {**ROW, "concurrency": 64}
    bad, other = estimated(estimating, {**good, **change}, good)
    assert bad["error_code"] == code, bad["error_detail"]
    assert bad["output_tokens_per_s"] is None
    assert SECRET not in str(bad)
    assert other["error_code"] is None
    failed = estimating.post("/throughput/estimate", params={"on_error": "fail"}, json={"rows": [{**good, **change}]})
    refused(failed, 422, "invalid-fields", says=code)


def test_bad_requests(estimating: httpx.Client) -> None:
    refused(estimating.post("/throughput/estimate", json={"rows": []}), 422, "invalid-fields", "/rows")
    refused(
        estimating.post("/throughput/estimate", json={"rows": [ROW] * 51}), 413, "too-many-rows", says="max_estimates"
    )
    refused(estimating.post("/throughput/estimate", json={"rows": [ROW], "nodes": 1}), 422, "invalid-fields", "/nodes")


def test_csv(estimating: httpx.Client) -> None:
    answer = estimating.post(
        "/throughput/estimate", params={"format": "csv"}, json={"rows": [{**ROW, "concurrency": 64}]}
    )
    header, line = answer.text.splitlines()
    assert header.startswith("row_id,architecture,accelerator,accelerator_count,output_tokens_per_s,")
    assert line.startswith("two,llama-3.3-70b,h100-sxm,2,")


def test_an_unknown_estimator_is_named(estimating: httpx.Client) -> None:
    answer = estimating.post("/throughput/estimate", params={"estimator": SECRET}, json={"rows": [ROW]})
    refused(answer, 422, "invalid-fields", "/estimator", says="aiconfigurator, permillion, tiny")
