"""Workbooks: typed cells, nothing that runs, and where the figures come from; read by openpyxl, another library than wrote them."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Context
from typing import Any

import httpx
import openpyxl
import pytest
from openpyxl.utils.escape import unescape

from tests.http.asking import AS_OF, COMPARE_COLUMNS, GOOD, PRICE_COLUMNS, SECRET, private_row, publish, question

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
HOSTILE = [
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "=HYPERLINK(\"http://x\")", "http://x/y",
    "{=1+1}", "'=1", "mailto:a@b.c", "<b>&\"'</b>", "_x0041_", "\x0b", "您好 =1", "😀",
]  # fmt: skip
IDS = ["12345678901234567890", "1e5", "007", "1.50", "TRUE", "2026-11-30", "  x "]


def sheet(response: httpx.Response, name: str = "rows") -> list[tuple[Any, ...]]:
    assert (response.status_code, response.headers["content-type"]) == (200, XLSX), response.text[:500]
    book = openpyxl.load_workbook(io.BytesIO(response.content))
    assert book.sheetnames == ["rows", "provenance"]
    for page in book:
        for row in page.iter_rows():
            assert all(cell.data_type != "f" for cell in row), "a cell that a spreadsheet would run"
    return [tuple(row) for row in book[name].iter_rows(values_only=True)]


def provenance(response: httpx.Response) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    for name, text in sheet(response, "provenance"):
        said.setdefault(name, []).append(text)
    return said


def test_cells_have_the_types_of_their_columns(client: httpx.Client) -> None:
    body = question(offers=[GOOD, "openai/nope"], workload={"output_tokens_per_query": 7, "queries_per_month": 1_000})
    rows = client.post("/compare", json=body).json()["rows"]
    header, *found = sheet(client.post("/compare", json=body, headers={"accept": XLSX}))
    assert list(header)[: len(COMPARE_COLUMNS)] == COMPARE_COLUMNS
    assert len(found) == len(rows) == 2
    cells = dict(zip(header, found[0], strict=True))
    assert cells["as_of"] == datetime(2026, 11, 30, 12)  # noqa: DTZ001 - cells know no zones; the sheet says UTC
    assert isinstance(cells["price_checked_on"], datetime)
    assert (cells["offer"], cells["rank"], cells["output_tokens"]) == (GOOD, 1, 7)
    for name in (
        "tokens_per_character",
        "cost_per_query",
        "cost_per_month",
        "input_price_per_mtok",
        "input_cost_per_mchar",
    ):
        wanted = Context(prec=15, rounding=ROUND_HALF_EVEN).create_decimal(rows[0][name])
        assert isinstance(cells[name], int | float), name
        assert Context(prec=15).create_decimal(repr(cells[name])) == wanted, name
    assert dict(zip(header, found[1], strict=True))["error_code"] == "unknown-model"


def test_nothing_runs_and_ids_stay_text(client: httpx.Client) -> None:
    rows = [{"row_id": name, "offer": GOOD, "usage": {"input_tokens": 1}} for name in (*HOSTILE, *IDS)]
    rows += [{"row_id": 5, "offer": "=1+1", "usage": {"input_tokens": 1}}]
    response = client.post("/price?format=xlsx", json={"as_of": AS_OF, "rows": rows})
    header, *found = sheet(response)
    assert list(header)[: len(PRICE_COLUMNS)] == PRICE_COLUMNS
    assert [unescape(row[0]) for row in found] == [*HOSTILE, *IDS, "5"], "exactly the text, no apostrophe before it"
    with zipfile.ZipFile(io.BytesIO(response.content)) as parts:
        inside = b"".join(parts.read(name) for name in parts.namelist())
    assert b"<f>" not in inside
    assert b"<hyperlink" not in inside


def test_counts_beyond_fifteen_digits_stay_whole(client: httpx.Client) -> None:
    """10^17 + 1 tokens: a cell would show 100,000,000,000,000,000."""
    assert publish(client, "wide", [private_row("m", "input_tokens", "2")]).status_code == 201
    offers = [{"offer": "acme/m", "price_book": "wide"}]
    body = question(text=None, samples=[{"name": "a", "input_tokens": 10**17 + 1}], offers=offers)
    header, found = sheet(client.post("/compare?format=xlsx", json=body))
    assert dict(zip(header, found, strict=True))["input_tokens"] == "100000000000000001"


def test_the_second_sheet_says_where_the_figures_come_from(client: httpx.Client) -> None:
    body = question(offers=[GOOD], workload={"queries_per_month": 1_000})
    answer = client.post("/compare", json=body).json()
    response = client.post("/compare?format=xlsx&lang=en", json=body)
    said = provenance(response)
    meta = answer["meta"]
    assert (said["as_of"], said["catalog_version"]) == ([meta["as_of"]], [meta["catalog_version"]])
    assert said["method_version"] == [meta["method_version"]]
    assert said["warning"] == [f"{warning['code']}: {warning['text']}" for warning in meta["warnings"]]
    assert said["price_source"] == [answer["rows"][0]["price_source"]]
    assert (said["question"], said["question ?lang"]) == (["POST /compare"], ["en"])
    assert said["question /offers/0"] == [GOOD]
    assert said["question /workload/queries_per_month"] == ["1000"]
    assert said["question /text"][0].startswith(f"{len(body['text'])} characters, sha256 ")
    assert SECRET not in str(said), "the text stays with its owner"


def test_the_same_question_gives_the_same_bytes(client: httpx.Client) -> None:
    first, second = (client.post("/compare?format=xlsx", json=question()).content for _ in range(2))
    assert first == second


ROUTES: list[tuple[str, str, Any]] = [
    ("POST", "/compare", question()),
    ("GET", f"/compare?offers={GOOD}&input_tokens=5&as_of={AS_OF}", None),
    ("POST", "/price", {"as_of": AS_OF, "rows": [{"offer": GOOD, "usage": {"input_tokens": 5}}]}),
    ("POST", "/focus", {"as_of": AS_OF, "rows": [{"offer": GOOD, "usage": {"input_tokens": 5}}]}),
    ("POST", "/tokenize", {"texts": [{"text": "=1"}], "tokenizers": ["o200k_base"]}),
    ("POST", "/blended-price", {"as_of": AS_OF, "rows": [{"offer": GOOD}], "mix": "3:1"}),
    ("POST", "/recount", {"rows": [{"offer": GOOD, "as_of": AS_OF, "input_text": "a", "billed": {"input_tokens": 1}}]}),
    ("GET", "/providers", None),
    ("GET", "/models", None),
    ("GET", "/tokenizers", None),
    ("GET", f"/prices?as_of={AS_OF}", None),
    ("GET", "/prices/history?limit=20", None),
    ("GET", "/price-terms", None),
    ("GET", f"/discrepancies?as_of={AS_OF}&limit=20", None),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), ROUTES, ids=[f"{case[0]} {case[1][:12]}" for case in ROUTES])
def test_wherever_rows_come_back(client: httpx.Client, method: str, path: str, body: Any) -> None:
    joined = path + ("&" if "?" in path else "?")
    plain = client.request(method, f"{joined}format=csv", json=body).text
    header, *rows = sheet(client.request(method, f"{joined}format=xlsx", json=body))
    assert ",".join(header) == plain.split("\r\n", 1)[0]
    assert len(rows) == len(client.request(method, f"{joined}format=ndjson", json=body).text.splitlines())
    styled = client.request(method, f"{joined}format=csv&decimal=comma&delimiter=%3B&bom=1&lang=zh-CN", json=body)
    assert styled.content.startswith(b"\xef\xbb\xbf")


def test_every_route_with_rows_takes_the_same_parameters(client: httpx.Client) -> None:
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for operation in operations.values():
            names = {parameter["name"] for parameter in operation.get("parameters", ())}
            if "format" in names:
                assert {"decimal", "delimiter", "bom", "lang"} <= names, path
                assert XLSX in operation["responses"]["200"]["content"], path


def test_a_statement_has_its_three_tables(client: httpx.Client) -> None:
    rows = [private_row("m", "input_tokens", "2")]
    assert publish(client, "sheets", rows).status_code == 201
    used = [{"offer": "acme/m", "as_of": "2026-11-03", "usage": {"input_tokens": 1_000_000}}]
    body = {"price_book": "sheets", "month": "2026-11", "rows": used}
    response = client.post("/statement?format=xlsx&table=totals", json=body)
    header, found = sheet(response)
    assert dict(zip(header, found, strict=True))["payable"] == 2
    assert provenance(response)["question /month"] == ["2026-11"]
