"""Routes about machines: what is known, private records, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from tests.http.asking import SECRET

LISTS = {
    "/accelerators": "accelerator",
    "/architectures": "architecture",
    "/engines": "engine",
    "/rental-prices": "rental_price",
    "/purchase-prices": "purchase_price",
    "/ownership-profiles": "ownership_profile",
    "/throughput": "row_id",
}
PRICE: Mapping[str, Any] = {
    "provider": "acme", "sku": "box-8", "accelerator": "h100-sxm", "accelerator_count": 8, "unit": "instance",
    "coverage": "whole_instance", "purchase_model": "on_demand", "amount": "16.00", "currency": "EUR",
    "region": "basement", "as_of": "2026-11-29", "source": "quotation 12",
}  # fmt: skip
ACCELERATOR: Mapping[str, Any] = {
    "accelerator": "acme-x1", "name": "Acme X1", "vendor": "Acme", "memory_gib": "96", "memory_bandwidth_gb_per_s": "4000",
    "bf16_dense_tflops": "800", "as_of": "2026-11", "source": "data sheet",
}  # fmt: skip
ARCHITECTURE: Mapping[str, Any] = {
    "architecture": "acme-8b", "layers": 32, "hidden_size": 4096, "heads": 32, "kv_heads": 8, "head_dim": 128,
    "dense_intermediate": 14336, "vocab_size": 128256, "tokenizer": "llama3", "as_of": "2026-11-29",
    "source": "config.json",
}  # fmt: skip
PROFILE: Mapping[str, Any] = {
    "ownership_profile": "our-rack", "name": "Our rack", "accelerator": "h100-sxm",
    "inputs": {"server_price": "280000", "accelerator_count": 8, "useful_life_years": "4", "pue": "1.25"},
    "as_of": "2026-11-29", "source": "quotation 12",
}  # fmt: skip
MEASUREMENT: Mapping[str, Any] = {
    "row_id": "bench-1", "arch_key": "llama-3.3-70b", "hardware": "h100-sxm", "gpu_count": 8, "engine": "vLLM",
    "scenario": "closed-loop fixed concurrency", "isl_mean": "1000", "osl_mean": "1000", "concurrency": 64,
    "output_tok_s": "2500.5", "source": "our benchmark", "measured_date": "2026-11-29",
}  # fmt: skip
RECORDS = {
    "/rental-prices": PRICE,
    "/accelerators": ACCELERATOR,
    "/architectures": ARCHITECTURE,
    "/ownership-profiles": PROFILE,
    "/throughput": MEASUREMENT,
}


def rows(client: httpx.Client, path: str) -> list[dict[str, Any]]:
    response = client.get(path)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["rows"]
    return found


def post(client: httpx.Client, path: str, row: Mapping[str, Any]) -> httpx.Response:
    return client.post(path, json={"rows": [row]})


def problem(response: httpx.Response, status: int, slug: str, pointer: str) -> None:
    answer = response.json()
    assert (response.status_code, answer["error_code"]) == (status, slug), response.text
    assert [error["pointer"] for error in answer["errors"]] == [pointer], response.text
    assert SECRET not in response.text


@pytest.mark.parametrize("path", LISTS)
def test_a_list_has_rows_meta_and_next_in_every_format_and_a_tag(client: httpx.Client, path: str) -> None:
    response = client.get(path, params={"limit": 3})
    answer = response.json()
    assert list(answer) == ["rows", "meta", "next"]
    assert answer["meta"]["catalog_version"]
    ids = [row[LISTS[path]] for row in answer["rows"]]
    assert ids == sorted(ids)
    again = client.get(path, params={"limit": 3}, headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.head(path).status_code == 200
    table = list(csv.reader(io.StringIO(client.get(path, params={"limit": 3, "format": "csv"}).text)))
    assert table[0][0] == LISTS[path]
    assert len(table) == 1 + len(ids)
    lines = client.get(path, params={"limit": 3}, headers={"Accept": "application/x-ndjson"}).text.splitlines()
    assert [json.loads(line)[LISTS[path]] for line in lines] == ids


def test_pages_follow_each_other(client: httpx.Client) -> None:
    whole = [row["accelerator"] for row in rows(client, "/accelerators")]
    found: list[str] = []
    cursor: str | None = None
    while True:
        answer = client.get("/accelerators", params={"limit": 20} | ({} if cursor is None else {"cursor": cursor}))
        found += [row["accelerator"] for row in answer.json()["rows"]]
        cursor = answer.json()["next"]
        if cursor is None:
            break
        assert 'rel="next"' in answer.headers["link"]
    assert found == whole


def test_every_shipped_row_has_source_and_date(client: httpx.Client) -> None:
    for path in LISTS:
        for row in rows(client, path):
            if row["origin"] == "shipped":
                assert row["source"], row
                assert row.get("as_of") or row.get("as_of_gap") or path == "/throughput", row


def test_an_accelerator_shows_null_with_a_reason_and_strings_without_a_float(client: httpx.Client) -> None:
    found = {row["accelerator"]: row for row in rows(client, "/accelerators?vendor=nvidia")}
    h100 = found["h100-sxm"]
    assert (h100["bf16_dense_tflops"], h100["fp8_dense_tflops"], h100["link_gb_per_s_per_direction"]) == (
        "989",
        "1979",
        "450",
    )
    assert (h100["memory_gib"], h100["memory_bandwidth_gb_per_s"], h100["tdp_w"]) == ("79.65", "3350", "700")
    assert h100["fp4_dense_tflops"] is None
    assert "fp4: no units" in h100["gaps"]
    assert {row["vendor"] for row in found.values()} == {"NVIDIA"}
    groq = next(row for row in rows(client, "/accelerators") if row["accelerator"] == "groq-lpu-v1")
    assert "per user only" in groq["not_for_cost"]


def test_an_architecture_names_its_tokenizer(client: httpx.Client) -> None:
    found = {row["architecture"]: row for row in rows(client, "/architectures")}
    tokenizers = {row["tokenizer"] for row in rows(client, "/tokenizers")}
    assert found["llama-3.3-70b"]["tokenizer"] == "llama3"
    assert found["phi-3-mini"]["tokenizer"] is None
    assert found["phi-3-mini"]["tokenizer_gap"]
    assert {row["tokenizer"] for row in found.values()} - {None} <= tokenizers


def test_engines_have_aliases_and_licenses(client: httpx.Client) -> None:
    found = {row["engine"]: row for row in rows(client, "/engines")}
    assert found.keys() >= {"vllm", "trtllm", "sglang", "llama.cpp", "ollama"}
    assert (found["vllm"]["license"], found["llama.cpp"]["license"]) == ("Apache-2.0", "MIT")
    assert "vLLM (see source)" in found["vllm"]["aliases"]


def test_rental_prices_are_chosen_by_their_fields(client: httpx.Client) -> None:
    chosen = {"provider": "aws", "accelerator": "h100-sxm", "purchase_model": "on_demand", "region": "us-east-1"}
    found = client.get("/rental-prices", params=chosen | {"sku": "P5.48xlarge"}).json()["rows"]
    assert [(row["rental_price"], row["amount"], row["amount_per_accelerator"], row["unit"]) for row in found] == [
        ("aws/p5.48xlarge:us-east-1:on_demand:2026-09-06", "55.04", "6.88", "instance")
    ]
    assert found[0]["license"] == "MIT"
    spot = rows(client, "/rental-prices?purchase_model=spot")
    assert {row["purchase_model"] for row in spot} == {"spot"}
    assert rows(client, "/rental-prices?provider=nobody") == []


def test_as_of_shows_what_was_newest_then(client: httpx.Client) -> None:
    path = "/rental-prices?provider=aws&sku=p4d.24xlarge&region=us-east-1&purchase_model=on_demand"
    assert [row["amount"] for row in rows(client, path)] == ["32.773", "21.957642"]
    assert [row["amount"] for row in rows(client, f"{path}&as_of=2026-11-30")] == ["21.957642"]
    assert [row["amount"] for row in rows(client, f"{path}&as_of=2025-01-01T00:00:00Z")] == ["32.773"]
    assert rows(client, f"{path}&as_of=2020-01-01") == []


def test_doubts_stand_beside_a_price(client: httpx.Client) -> None:
    found = {row["rental_price"]: row["warnings"] for row in rows(client, "/rental-prices?limit=10000")}
    assert "price_far_below_median" in found["dataoorts/gc2.h100-80-8:-:on_demand:2024-02-27"]
    assert found["aws/p5.48xlarge:us-east-1:on_demand:2026-09-06"] == ""


@pytest.mark.parametrize(("path", "row"), RECORDS.items())
def test_a_private_record_is_added_once_and_shown_as_private(
    client: httpx.Client, path: str, row: Mapping[str, Any]
) -> None:
    version = client.get(path).json()["meta"]["catalog_version"]
    first = post(client, path, row)
    assert first.status_code == 201, first.text
    assert first.json()["rows"] == [{"added": 1, "superseded": 0, "unchanged": 0}]
    assert first.json()["meta"]["catalog_version"] != version
    assert post(client, path, row).json()["rows"] == [{"added": 0, "superseded": 0, "unchanged": 1}]
    listed = f"{path}?limit=10000"
    mine = [found for found in rows(client, listed) if found["origin"] == "private"]
    assert len(mine) == 1
    shown = {name: value for name, value in row.items() if name not in ("inputs", "amount")}
    assert {name: str(mine[0][name]) for name in shown} == {name: str(value) for name, value in shown.items()}


def test_a_correction_takes_the_place_of_the_earlier_record_and_known_at_still_has_it(client: httpx.Client) -> None:
    row = dict(PRICE) | {"sku": "corrected"}
    before = post(client, "/rental-prices", row).json()["meta"]
    version = client.get("/rental-prices").json()["meta"]["catalog_version"]
    then = rows(client, "/rental-prices?sku=corrected")[0]["recorded_at"]
    assert post(client, "/rental-prices", row | {"amount": "15.5"}).json()["rows"] == [
        {"added": 0, "superseded": 1, "unchanged": 0}
    ]
    assert [found["amount"] for found in rows(client, "/rental-prices?sku=corrected")] == ["15.5"]
    earlier = client.get("/rental-prices", params={"sku": "corrected", "known_at": then}).json()
    assert [found["amount"] for found in earlier["rows"]] == ["16"]
    assert earlier["meta"]["catalog_version"] == version == before["catalog_version"]


def test_a_profile_of_ones_own_answers_what_it_costs(client: httpx.Client) -> None:
    inputs = {
        "server_price": "192000", "accelerator_count": 8, "useful_life_years": "4", "capital_method": "straight_line",
        "power_cost_per_hour": "0.8",
    }  # fmt: skip
    mine = dict(PROFILE) | {"ownership_profile": "straight-line-rack", "inputs": inputs}
    assert post(client, "/ownership-profiles", mine).status_code == 201
    (row,) = client.post("/ownership-cost", json={"rows": [{"profile": "straight-line-rack"}]}).json()["rows"]
    assert row["error_code"] is None, row["error_detail"]
    assert row["cost_per_installed_accelerator_hour"].startswith("0.7849")  # 192,000 / (48 · 8 · 730) + 0.8 / 8
    (row,) = client.post("/ownership-cost", json={"rows": [{"profile": "straight-line-rak"}]}).json()["rows"]
    assert row["error_code"] == "unknown-ownership-profile"
    assert "near ones are straight-line-rack" in row["error_detail"]
    shipped = {row["ownership_profile"]: row["origin"] for row in rows(client, "/ownership-profiles")}
    assert shipped["reference-8xh100-colocated"] == "shipped"


def test_measurements_of_the_package_have_conditions_sources_and_terms(client: httpx.Client) -> None:
    answer = client.get(
        "/throughput", params={"architecture": "qwen3-32b", "accelerator": "h100-sxm", "engine": "vLLM"}
    )
    shipped = [row for row in answer.json()["rows"] if row["origin"] == "shipped"]
    assert len(shipped) > 10
    assert {row["engine"] for row in shipped} <= {"vllm", "vLLM", "vLLM (see source)"}
    assert all(row["terms"] and row["gpu_count"] > 0 for row in shipped)
    mlperf = client.get("/throughput", params={"scenario": "mlperf-offline", "limit": 5}).json()["rows"]
    assert all("not verified by MLCommons" in row["terms"] for row in mlperf)
    taken = dict(MEASUREMENT) | {"row_id": shipped[0]["row_id"]}
    problem(post(client, "/throughput", taken), 409, "read-only-record", "/rows/0/row_id")


def test_parameters_are_counted_from_a_configuration(client: httpx.Client) -> None:
    assert post(client, "/architectures", dict(ARCHITECTURE) | {"architecture": "acme-8b-counted"}).status_code == 201
    found = next(row for row in rows(client, "/architectures") if row["architecture"] == "acme-8b-counted")
    assert found["total_params"] == "8029995008"  # Llama 3.1 8B, whose figures these are, has 8.03 billion
    assert (found["kv_elements_per_token"], found["check"]) == ("65536", "counted from its figures")


def test_a_sparse_peak_is_said(client: httpx.Client) -> None:
    row = dict(ACCELERATOR) | {
        "accelerator": "h100-copied",
        "vendor": "NVIDIA",
        "memory_gib": "79.65",
        "bf16_dense_tflops": "1978",
    }
    warnings = post(client, "/accelerators", row).json()["meta"]["warnings"]
    assert [warning["code"] for warning in warnings] == ["peak_twice_known_dense"]


def test_an_odd_price_is_recorded_with_a_warning(client: httpx.Client) -> None:
    row = dict(PRICE) | {"sku": "odd", "currency": "USD", "amount": "440.32", "tax_included": False}
    warnings = post(client, "/rental-prices", row).json()["meta"]["warnings"]
    assert [warning["code"] for warning in warnings] == ["price_far_above_median"]
    assert "3 times the median" in warnings[0]["text"]


@pytest.mark.parametrize(
    ("path", "change", "status", "slug", "pointer"),
    [
        ("/rental-prices", {"amount": "0"}, 422, "invalid-fields", "/rows/0/amount"),
        ("/rental-prices", {"amount": "-1"}, 422, "invalid-fields", "/rows/0/amount"),
        ("/rental-prices", {"amount": 16.5}, 422, "invalid-fields", "/rows/0/amount"),
        ("/rental-prices", {"amount": "NaN"}, 422, "invalid-fields", "/rows/0/amount"),
        ("/rental-prices", {"amount": "Infinity"}, 422, "invalid-fields", "/rows/0/amount"),
        ("/rental-prices", {"amount": True}, 422, "invalid-fields", "/rows/0/amount"),
        ("/rental-prices", {"amount": None}, 422, "invalid-fields", "/rows/0/amount"),
        ("/rental-prices", {"accelerator": SECRET}, 404, "unknown-accelerator", "/rows/0/accelerator"),
        ("/rental-prices", {"accelerator_count": 0}, 422, "invalid-fields", "/rows/0/accelerator_count"),
        ("/rental-prices", {"accelerator_count": 10**8}, 422, "invalid-fields", "/rows/0/accelerator_count"),
        ("/rental-prices", {"unit": "accelerator"}, 422, "invalid-fields", "/rows/0/accelerator_count"),
        ("/rental-prices", {"unit": SECRET}, 422, "invalid-fields", "/rows/0/unit"),
        ("/rental-prices", {"term_months": 12}, 422, "invalid-fields", "/rows/0/term_months"),
        ("/rental-prices", {"upfront_share": "1.5"}, 422, "invalid-fields", "/rows/0/upfront_share"),
        ("/rental-prices", {"currency": "EURO"}, 422, "invalid-fields", "/rows/0/currency"),
        ("/rental-prices", {"as_of": "2031-01-01"}, 422, "invalid-fields", "/rows/0/as_of"),
        ("/rental-prices", {"as_of": "2026-02-30"}, 422, "invalid-fields", "/rows/0/as_of"),
        ("/rental-prices", {"as_of": None}, 422, "invalid-fields", "/rows/0/as_of"),
        ("/rental-prices", {"billing_increment_s": 0}, 422, "invalid-fields", "/rows/0/billing_increment_s"),
        ("/rental-prices", {"price": "16"}, 422, "invalid-fields", "/rows/0/price"),
        ("/accelerators", {"accelerator": "h100-sxm"}, 409, "read-only-record", "/rows/0/accelerator"),
        ("/accelerators", {"memory_gib": "0"}, 422, "invalid-fields", "/rows/0/memory_gib"),
        ("/accelerators", {"memory_gib": "1e400"}, 422, "invalid-fields", "/rows/0/memory_gib"),
        ("/accelerators", {"bf16_dense_tflops": "NaN"}, 422, "invalid-fields", "/rows/0/bf16_dense_tflops"),
        ("/accelerators", {"bf16_dense_tflops": None}, 422, "invalid-fields", "/rows/0/bf16_dense_tflops"),
        ("/accelerators", {"accelerator": "Ü"}, 422, "invalid-fields", "/rows/0/accelerator"),
        ("/architectures", {"architecture": "gpt-oss-20b"}, 409, "read-only-record", "/rows/0/architecture"),
        ("/architectures", {"tokenizer": "nobody/knows"}, 404, "unknown-tokenizer", "/rows/0/tokenizer"),
        ("/architectures", {"sliding_layers": 33}, 422, "invalid-fields", "/rows/0/layers"),
        ("/architectures", {"sliding_layers": 3}, 422, "invalid-fields", "/rows/0/sliding_window"),
        ("/architectures", {"kv_heads": 64}, 422, "invalid-fields", "/rows/0/kv_heads"),
        ("/architectures", {"routed_experts": 8}, 422, "invalid-fields", "/rows/0/experts_per_token"),
        ("/architectures", {"linear_layers": 8}, 422, "invalid-fields", "/rows/0/total_params"),
        ("/architectures", {"head_dim": None}, 422, "invalid-fields", "/rows/0/head_dim"),
        ("/ownership-profiles", {"accelerator": SECRET}, 404, "unknown-accelerator", "/rows/0/accelerator"),
        ("/ownership-profiles", {"inputs": {}}, 422, "invalid-fields", "/rows/0/inputs/server_price"),
        ("/ownership-profiles", {"inputs": {SECRET: "1"}}, 422, "invalid-fields", "/rows/0/inputs"),
        ("/throughput", {"hardware": SECRET}, 404, "unknown-accelerator", "/rows/0/hardware"),
        ("/throughput", {"arch_key": SECRET}, 404, "unknown-architecture", "/rows/0/arch_key"),
        ("/throughput", {"engine": "vllmm"}, 422, "invalid-fields", "/rows/0/engine"),
        ("/throughput", {"output_tok_s": "0"}, 422, "invalid-fields", "/rows/0/output_tok_s"),
        ("/throughput", {"gpu_count": 0}, 422, "invalid-fields", "/rows/0/gpu_count"),
        ("/throughput", {"ttft_ms": "Infinity"}, 422, "invalid-fields", "/rows/0/ttft_ms"),
    ],
)
def test_bad_input_is_a_problem_with_a_pointer_and_records_nothing(
    client: httpx.Client, path: str, change: Mapping[str, Any], status: int, slug: str, pointer: str
) -> None:
    version = client.get("/accelerators").json()["meta"]["catalog_version"]
    response = post(client, path, dict(RECORDS[path]) | dict(change))
    problem(response, status, slug, pointer)
    assert client.get("/accelerators").json()["meta"]["catalog_version"] == version


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tax_schedule", "magic"),
        ("utilization_ratio", "0"),
        ("utilization_ratio", "1.1"),
        ("server_price", "0"),
        ("server_price", "NaN"),
        ("server_price", "-1"),
        ("pue", "0.9"),
        ("accelerator_count", 0),
        ("accelerator_count", "8"),
        ("residual_includes_network", "yes"),
        ("capital_method", "magic"),
        ("currency", "dollars"),
        ("wacc_ratio", True),
    ],
)
def test_an_input_that_no_system_can_have_is_refused(client: httpx.Client, name: str, value: object) -> None:
    inputs = dict(PROFILE["inputs"]) | {name: value}
    problem(
        post(client, "/ownership-profiles", dict(PROFILE) | {"inputs": inputs}),
        422,
        "invalid-fields",
        f"/rows/0/inputs/{name}",
    )


def test_the_second_row_says_something_else_of_the_same_id(client: httpx.Client) -> None:
    two = [dict(PRICE) | {"sku": "twice"}, dict(PRICE) | {"sku": "twice", "amount": "17"}]
    problem(client.post("/rental-prices", json={"rows": two}), 422, "invalid-fields", "/rows/1")
    assert rows(client, "/rental-prices?sku=twice") == []


def test_one_bad_row_and_nothing_is_recorded(client: httpx.Client) -> None:
    two = [dict(PRICE) | {"sku": "whole"}, dict(PRICE) | {"sku": "whole-2", "accelerator": "h1000"}]
    response = client.post("/rental-prices", json={"rows": two})
    problem(response, 404, "unknown-accelerator", "/rows/1/accelerator")
    assert "near ones are h100-sxm" in response.json()["detail"]
    assert rows(client, "/rental-prices?sku=whole") == []


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("as_of=soon", "/as_of"),
        ("known_at=2026-13-01", "/known_at"),
        ("limit=0", "/limit"),
        ("limit=x", "/limit"),
        ("purchase_model=free", "/purchase_model"),
        ("acelerator=h100-sxm", "/acelerator"),
    ],
)
def test_a_question_that_is_none_is_refused(client: httpx.Client, query: str, pointer: str) -> None:
    problem(client.get(f"/rental-prices?{query}"), 422, "invalid-fields", pointer)


def test_cells_of_others_are_no_formulas(client: httpx.Client) -> None:
    assert post(client, "/rental-prices", dict(PRICE) | {"sku": "formula", "note": "=1+1"}).status_code == 201
    text = client.get("/rental-prices?sku=formula&format=csv").text
    assert "'=1+1" in text
