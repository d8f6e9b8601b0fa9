"""The custom function for Google Sheets, run by node against the real service."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import httpx
import pytest

from tests.running import ROOT, Service

HEADER = ["row_id", "offer", "text", "output_tokens", "revenue_per_query"]


def called(service: Service, arguments: dict[str, Any]) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.fail("node is not there: apt-get install nodejs")
    script = ROOT / "tests" / "office" / "run_apps_script.js"
    done = subprocess.run(
        [node, str(script), service.url],
        input=json.dumps(arguments),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_one_call_for_a_column(service: Service, client: httpx.Client) -> None:
    offers = ["openai/gpt-6-sol", "mistral/mistral-large-2512"]
    ids = ["=1+1", "007", "1e5", 'say "hi", 您好\n', "12345678901234567890"]
    lines = [[ids[index % 5], offers[index % 2], f"包裹 {index}, =1", 100, 0.02] for index in range(100)]
    empty = [[""] * 5] * 50
    answer = called(service, {"range": [HEADER, *lines, *empty], "asOf": "2026-11-30"})
    assert answer["calls"] == 1
    header, *cells = answer["cells"]
    assert len(cells) == 100
    for line, row in zip(lines, (dict(zip(header, one, strict=True)) for one in cells), strict=True):
        body = {
            "text": line[2], "offers": [line[1]], "as_of": "2026-11-30", "revenue_per_query": "0.02",
            "workload": {"output_tokens_per_query": 100},
        }  # fmt: skip
        (wanted,) = client.post("/compare", json=body).json()["rows"]
        assert row["row_id"] == line[0]
        assert row["cost_per_query"] == float(wanted["cost_per_query"])
        assert row["gross_margin_ratio"] == float(wanted["gross_margin_ratio"])
        assert (row["currency"], row["error_detail"]) == ("USD", "")


def test_dates_small_numbers_and_currencies(service: Service) -> None:
    arguments = {
        "range": [["offer", "as_of", "input_tokens", "revenue_per_query"], ["deepseek/deepseek-v4-pro", {"date": "2026-11-30"}, 1000, 1e-7]],
        "asOf": {"date": "2026-11-30T00:00:00Z"},
        "currency": "USD",
    }  # fmt: skip
    header, row = called(service, arguments)["cells"]
    found = dict(zip(header, row, strict=True))
    assert found["error_detail"] == ""
    assert found["gross_margin_ratio"] < -1_000


def test_a_refusal_is_the_error_of_the_cell(service: Service) -> None:
    answer = called(service, {"range": [["ofer"], ["x"]], "asOf": "2026-11-30"})
    assert answer["failed"].startswith("invalid-fields: unknown column ofer")
