"""`POST /compare.csv`: a line is one text, or its counts, at one offer; line i answers line i."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import httpx

from tests.http.asking import AS_OF, COMPARE_COLUMNS, GOOD, SECRET, compared, refused

OPUS = "anthropic/claude-opus-5"
TEXT = "Where is my parcel? 我的包裹到哪里了?"
CSV = {"content-type": "text/csv"}


def sheet(*lines: list[Any], delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(lines)
    return out.getvalue().encode()


def answered(
    client: httpx.Client, body: bytes, query: str = f"?as_of={AS_OF}", sign: str = ","
) -> list[dict[str, str]]:
    response = client.post(f"/compare.csv{query}", content=body, headers=CSV)
    assert (response.status_code, response.headers["content-type"]) == (200, "text/csv; charset=utf-8"), response.text
    rows = list(csv.DictReader(io.StringIO(response.text, newline=""), delimiter=sign, strict=True))
    assert all(list(row) == COMPARE_COLUMNS for row in rows)
    return rows


def as_cells(row: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in row.items()}


def test_a_line_is_what_compare_answers(client: httpx.Client) -> None:
    """The same question by JSON: every column is equal."""
    header = [
        "row_id",
        "offer",
        "text",
        "output_tokens",
        "queries_per_month",
        "revenue_per_query",
        "discount_share",
        "processing",
    ]
    body = sheet(
        header,
        ["dear", OPUS, TEXT, 100, 1_000, "0.02", "", ""],
        ["cheap", GOOD, TEXT, 100, 1_000, "0.02", "0.1", "batch"],
    )
    rows = answered(client, body)
    said = compared(
        client,
        text=TEXT,
        offers=[
            {"row_id": "dear", "offer": OPUS},
            {"row_id": "cheap", "offer": GOOD, "discount_share": "0.1", "context": {"processing": "batch"}},
        ],
        workload={"output_tokens_per_query": 100, "queries_per_month": 1_000},
        revenue_per_query="0.02",
    )
    assert [row["row_id"] for row in rows] == ["dear", "cheap"], "in the order of the lines, not of the ranks"
    assert [row["rank"] for row in rows] == ["2", "1"]
    assert sorted(map(str, rows)) == sorted(str(as_cells(row)) for row in said)


def test_lines_are_ranked_among_those_that_ask_the_same(client: httpx.Client) -> None:
    body = sheet(["offer", "text", "output_tokens"], [OPUS, "a", 5], [GOOD, "a", 5], [GOOD, "b", 5], [GOOD, "a", 6])
    assert [row["rank"] for row in answered(client, body)] == ["2", "1", "1", "1"]


def test_counts_instead_of_text_by_hand(client: httpx.Client) -> None:
    """gpt-6-sol at 2 in and 10 out a million: 1,000 · 2 + 100 · 10 = 3,000 / 10⁶; 1,000,000 times a month 3,000."""
    body = sheet(["offer", "input_tokens", "output_tokens", "queries_per_month"], [GOOD, 1_000, 100, 1_000_000])
    (row,) = answered(client, body)
    assert (row["cost_per_query"], row["cost_per_month"]) == ("0.003", "3000")


def test_one_offer_for_the_whole_column(client: httpx.Client) -> None:
    body = sheet(["text"], *([f"{TEXT} {index}"] for index in range(200)))
    rows = answered(client, body, f"?as_of={AS_OF}&offer={GOOD}")
    assert len(rows) == 200
    assert {row["offer"] for row in rows} == {GOOD}
    asked = {"texts": [{"text": f"{TEXT} {index}"} for index in range(200)], "tokenizers": ["o200k_base"]}
    counts = [str(row["tokens"]) for row in client.post("/tokenize", json=asked).json()["rows"]]
    assert [row["input_tokens"] for row in rows] == counts


def test_books_currencies_and_instants_of_lines(client: httpx.Client) -> None:
    """DeepSeek's CNY book at 4.5 a million: 4.5 · 0.1408 = 0.6336 USD."""
    offer = "deepseek/deepseek-v4-pro"
    header = ["offer", "price_book", "as_of", "input_tokens"]
    body = sheet(
        header, [f"{offer}@cn", "", AS_OF, 100_000], [offer, "cn", AS_OF, 100_000], [offer, "cn", "1999-01-01", 1]
    )
    first, second, early = answered(client, body, "?fx=CNY:USD:0.1408:2026-11-30")
    assert first["cost_per_query"] == second["cost_per_query"] == "0.06336"
    assert (first["native_cost_per_query"], first["native_currency"]) == ("0.45", "CNY")
    assert early["as_of"] == "1999-01-01T00:00:00Z"


def test_german_numbers(client: httpx.Client) -> None:
    lines = sheet(
        ["offer", "input_tokens", "queries_per_month", "discount_share"], [GOOD, 1_000, "2,5", "0,1"], delimiter=";"
    )
    (row,) = answered(client, lines, f"?as_of={AS_OF}&decimal=comma", ";")
    assert (row["cost_per_query"], row["cost_per_month"]) == ("0,0018", "0,0045")


def test_wrong_lines_are_answered_at_their_place(client: httpx.Client) -> None:
    header = ["row_id", "offer", "text", "input_tokens", "output_tokens", "batch_share"]
    body = sheet(
        header,
        ["good", GOOD, TEXT, "", 5, ""],
        ["neither", GOOD, "", "", 5, ""],
        ["both", GOOD, TEXT, 5, 5, ""],
        ["negative", GOOD, TEXT, "", -5, ""],
        ["share", GOOD, TEXT, "", 5, "1.1"],
        ["nobody", "openai/nope", TEXT, "", 5, ""],
        ["short", GOOD],
        ["good too", GOOD, TEXT, "", 5, ""],
    )
    rows = answered(client, body)
    assert [row["row_id"] for row in rows] == [
        "good",
        "neither",
        "both",
        "negative",
        "share",
        "nobody",
        "short",
        "good too",
    ]
    bad = ["invalid-fields"] * 4 + ["unknown-model", "invalid-fields"]
    assert [row["error_code"] for row in rows] == ["", *bad, ""]
    details = [row["error_detail"] for row in rows]
    assert details[1] == "give text, or input_tokens instead"
    assert details[3].startswith("output_tokens: "), "columns of the sheet, not places in a body"
    assert details[4].startswith("batch_share: ")
    problem = refused(
        client.post(f"/compare.csv?as_of={AS_OF}&on_error=fail", content=body, headers=CSV), 422, "invalid-fields"
    )
    assert problem["errors"][0]["pointer"].startswith("/rows/1"), "the first of the sheet"


def test_errors_inline(client: httpx.Client) -> None:
    body = sheet(["offer", "input_tokens"], [GOOD, 1_000], ["openai/nope", 1_000])
    rows = answered(client, body, f"?as_of={AS_OF}&errors=inline")
    assert [row["cost_per_query"] for row in rows] == ["0.002", "#permillion: unknown-model"]
    answer = client.post(f"/compare.csv?as_of={AS_OF}&errors=inline&format=json", content=body, headers=CSV).json()
    assert answer["rows"][1]["cost_per_query"] is None, "JSON has error_code for that"
    priced = client.post(f"/price.csv?as_of={AS_OF}&errors=inline", content=body, headers=CSV).text
    assert [row["total"] for row in csv.DictReader(io.StringIO(priced))] == ["0.002", "#permillion: unknown-model"]
    link = f"/compare?offers={GOOD}&text=a&input_tokens=5&as_of={AS_OF}&format=csv"
    assert client.get(link).status_code == 422
    shown = client.get(f"{link}&errors=inline")
    assert shown.status_code == 200
    (row,) = csv.DictReader(io.StringIO(shown.text))
    assert (row["cost_per_query"], row["error_code"]) == ("#permillion: invalid-fields", "invalid-fields")
    assert client.get(f"{link.replace('csv', 'json')}&errors=inline").status_code == 422


def test_limits_and_privacy(client: httpx.Client) -> None:
    line = [GOOD, SECRET]
    refused(
        client.post("/compare.csv", content=sheet(["offer", "text"], *[line] * 10_001), headers=CSV),
        413,
        "too-many-rows",
    )
    long = sheet(["offer", "text"], [GOOD, SECRET * 20_000])
    refused(client.post("/compare.csv", content=long, headers=CSV), 413, "text-too-large")
    response = client.post("/compare.csv?format=xlsx", content=sheet(["offer", "text"], line), headers=CSV)
    assert response.status_code == 200
    assert SECRET not in client.post("/compare.csv", content=sheet(["offer", "text"], line), headers=CSV).text


def test_other_formats(client: httpx.Client) -> None:
    body = sheet(["offer", "input_tokens"], [GOOD, 5])
    rows = answered(client, body)
    answer = client.post(
        f"/compare.csv?as_of={AS_OF}", content=body, headers={**CSV, "accept": "application/json"}
    ).json()
    assert [as_cells(row) for row in answer["rows"]] == rows
    assert set(answer) == {"rows", "meta"}
    lines = client.post(f"/compare.csv?as_of={AS_OF}&format=ndjson", content=body, headers=CSV).text.splitlines()
    assert [json.loads(line) for line in lines] == answer["rows"]
    refused(client.post("/compare.csv?offers=x", content=body, headers=CSV), 422, "invalid-fields")
