"""Rows as CSV and NDJSON, HEAD, OPTIONS, ETags, Cache-Control, bare cells."""

from __future__ import annotations

import csv
import http.client
import io
import json
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import httpx
import pytest

from tests.http.asking import (
    AS_OF,
    COMPARE_COLUMNS,
    GOOD,
    MONEY,
    PRICE_COLUMNS,
    compared,
    private_row,
    publish,
    question,
)
from tests.running import Service

TEXT = "Where is my parcel? 我的包裹到哪里了?"
WORKLOAD = {"output_tokens_per_query": 10, "queries_per_month": 1_000}
OFFERS = [
    GOOD,
    "anthropic/claude-sonnet-5-5",
    "openai/nope",
    "google/gemini-4-argon",
    {"offer": "moonshot/kimi-k3", "context": {"processing": "batch"}},
]
FX = [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30"}]
ASKED = question(text=TEXT, offers=OFFERS, workload=WORKLOAD, fx=FX, revenue_per_query="0.0000001")
NUMBERS = [*MONEY, "gross_margin_ratio", "tokens_per_character", "revenue_per_query", "fx_rate"]


def read(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


def as_cells(row: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in row.items()}


@pytest.mark.parametrize(("query", "accept"), [
    ("?format=csv", "application/json"), ("", "text/csv"), ("", "text/csv;q=0.9, application/json;q=0.1"), ("", "TEXT/CSV; charset=utf-8"),
    ("", "image/png, text/csv"),
])  # fmt: skip
def test_csv_is_chosen(client: httpx.Client, query: str, accept: str) -> None:
    response = client.post(f"/compare{query}", json=ASKED, headers={"accept": accept})
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.text.startswith("row_id,rank,offer,")


@pytest.mark.parametrize(
    "accept", ["application/json", "*/*", "", "application/json, text/csv;q=0.5", "text/*;q=0, */*"]
)
def test_json_is_chosen(client: httpx.Client, accept: str) -> None:
    response = client.post("/compare", json=ASKED, headers={"accept": accept})
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")


@pytest.mark.parametrize("accept", ["text/csv", "application/x-ndjson"])
def test_a_refusal_is_a_problem_in_every_format(client: httpx.Client, accept: str) -> None:
    response = client.post("/compare", json=question(offers=[]), headers={"accept": accept})
    assert (response.status_code, response.headers["content-type"]) == (422, "application/problem+json")


def test_csv_holds_what_json_holds(client: httpx.Client) -> None:
    answers = compared(client, query="?detail=1", **ASKED)
    text = client.post("/compare?detail=1&format=csv", json=ASKED).text
    assert text.endswith("\r\n")
    assert not text.startswith("\ufeff")
    rows = read(text)
    assert list(rows[0]) == COMPARE_COLUMNS
    assert rows == [as_cells(row) for row in answers]


def test_decimal_comma(client: httpx.Client) -> None:
    answers = [as_cells(row) for row in compared(client, **ASKED)]
    rows = read(client.post("/compare?format=csv&decimal=comma&delimiter=;", json=ASKED).text, ";")
    for row, answer in zip(rows, answers, strict=True):
        for name in COMPARE_COLUMNS:
            expected = answer[name].replace(".", ",") if name in NUMBERS else answer[name]
            assert row[name] == expected, name
    assert any("," in row["cost_per_query"] for row in rows)


def test_decimal_comma_leaves_text_alone(client: httpx.Client) -> None:
    """ "4.1" as a row_id or a model is a name, not a number."""
    assert publish(client, "versions", [private_row("4.1", "input_tokens", "0.5")]).status_code == 201
    offers = [{"row_id": "2026.11", "offer": "acme/4.1", "price_book": "versions"}]
    (row,) = read(client.post("/compare?format=csv&decimal=comma&delimiter=;", json=question(offers=offers)).text, ";")
    assert (row["row_id"], row["model"], row["input_price_per_mtok"]) == ("2026.11", "4.1", "0,5")


@pytest.mark.parametrize(("delimiter", "sign"), [(",", ","), (";", ";"), ("tab", "\t"), ("%09", "\t")])
def test_delimiters(client: httpx.Client, delimiter: str, sign: str) -> None:
    shown = delimiter.replace(";", "%3B")
    rows = read(client.post(f"/compare?format=csv&delimiter={shown}", json=ASKED).text, sign)
    assert rows == [as_cells(row) for row in compared(client, **ASKED)]
    assert any(";" in row["warnings"] for row in rows), "a cell with the delimiter in it has to be quoted"


def test_byte_order_mark(client: httpx.Client) -> None:
    plain = client.post("/compare?format=csv", json=ASKED).content
    assert client.post("/compare?format=csv&bom=1", json=ASKED).content == b"\xef\xbb\xbf" + plain
    assert client.post("/compare?format=csv&bom=0", json=ASKED).content == plain
    assert client.post("/compare?bom=1", json=ASKED).content[:1] == b"{"


FORMULAS = ["=1+1", "=cmd|'/c calc'!A1", "+1+1", "-1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "+49 30 1234", "--1"]


def test_formulas_are_neutralised(client: httpx.Client) -> None:
    offers = [{"row_id": formula, "offer": GOOD} for formula in FORMULAS]
    rows = read(client.post("/compare?format=csv", json=question(offers=offers)).text)
    assert [row["row_id"] for row in rows] == [f"'{formula}" for formula in FORMULAS]
    assert [row["row_id"] for row in compared(client, offers=offers)] == FORMULAS, "only CSV is run by spreadsheets"
    offers = [{"row_id": f"={sign}1", "offer": f"{sign}x/y"} for sign in "=+-@"]
    for row in read(client.post("/compare?format=csv", json=question(offers=offers)).text):
        assert row["offer"].startswith("'")
        assert row["provider"].startswith("'")
    usage = {"input_tokens": 1}
    body = {
        "as_of": AS_OF,
        "rows": [{"row_id": "=1", "offer": GOOD, "usage": usage}, {"offer": "@x/y", "usage": usage}],
    }
    first, second = read(client.post("/price?format=csv", json=body).text)
    assert (first["row_id"], second["offer"]) == ("'=1", "'@x/y")
    body = {"texts": [{"id": "=1", "text": "a"}], "tokenizers": ["o200k_base"]}
    (row,) = read(client.post("/tokenize?format=csv", json=body).text)
    assert row["text_id"] == "'=1"


def test_numbers_are_never_touched(client: httpx.Client) -> None:
    rows = read(client.post("/compare?format=csv", json=ASKED | {"offers": [{"offer": GOOD, "row_id": -5}]}).text)
    assert rows[0]["row_id"] == "-5"
    assert re.fullmatch(r"-[0-9]+\.[0-9]+|-[0-9]+", rows[0]["gross_margin_ratio"]), "a loss stays a number"
    for name in NUMBERS:
        assert re.fullmatch(r"(-?[0-9]+(\.[0-9]+)?)?", rows[0][name]), name


def test_ndjson_holds_what_json_holds(client: httpx.Client) -> None:
    response = client.post("/compare?detail=1", json=ASKED, headers={"accept": "application/x-ndjson"})
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.text.endswith("\n")
    assert [json.loads(line) for line in response.text.splitlines()] == compared(client, query="?detail=1", **ASKED)


def test_other_routes_with_rows(client: httpx.Client) -> None:
    body = {"as_of": AS_OF, "rows": [{"offer": GOOD, "usage": {"input_tokens": 5}}, {"offer": "a/b", "usage": {}}, 5]}
    answers = client.post("/price?lines=1", json=body).json()["rows"]
    rows = read(client.post("/price?lines=1&format=csv", json=body).text)
    assert list(rows[0])[: len(PRICE_COLUMNS)] == PRICE_COLUMNS
    assert "lines" not in rows[0], "lines are JSON only"
    assert rows == [as_cells({name: value for name, value in row.items() if name != "lines"}) for row in answers]
    for path, key in (
        ("/providers", "provider"),
        ("/models", "offer"),
        ("/tokenizers", "tokenizer"),
        (f"/prices?as_of={AS_OF}&limit=50", "model"),
    ):
        answer = client.get(path).json()
        assert set(answer) == {"rows", "meta", "next"}
        assert all(row[key] for row in answer["rows"])
        joined = path + ("&" if "?" in path else "?")
        listed = read(client.get(f"{joined}format=csv").text)
        assert [row[key] for row in listed] == [row[key] for row in answer["rows"]]
        assert list(listed[0]) == list(answer["rows"][0])
        lines = client.get(f"{joined}format=ndjson").text.splitlines()
        assert [json.loads(line) for line in lines] == answer["rows"]


# --- HEAD, OPTIONS, caching

CELL = f"/cell/cost_per_query?offer={GOOD}&text=parcel&as_of={AS_OF}"
GET = [
    "/", "/docs", "/docs/start.js", "/openapi.json", "/healthz", "/readyz", "/providers", "/models", "/tokenizers", f"/prices?as_of={AS_OF}",
    "/prices/history?limit=5", f"/compare?offers={GOOD}&text=parcel&as_of={AS_OF}", CELL, "/problems/unknown-model",
]  # fmt: skip


@pytest.mark.parametrize(
    "path", [*GET, "/nowhere", "/prices?as_of=soon", f"{CELL}&format=csv", "/providers?format=csv"]
)
def test_head_is_get_without_the_body(service: Service, path: str) -> None:
    """On one connection, as a monitor or a spreadsheet keeps it: the answers after a HEAD must still be whole."""
    host, port = service.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    seen = []
    for method in ("GET", "HEAD", "HEAD", "GET"):
        connection.request(method, path, headers={"x-request-id": "head"})
        response = connection.getresponse()
        body = response.read()
        assert (body == b"") is (method == "HEAD")
        headers = {name.lower(): value for name, value in response.getheaders() if name.lower() != "date"}
        seen.append((response.status, headers))
        assert not response.will_close, f"the connection is closed after {method}"
    connection.close()
    assert seen[0] == seen[1] == seen[2] == seen[3]
    assert int(seen[0][1]["content-length"]) > 0
    assert "Traceback" not in service.stderr.read_text(), "HEAD breaks the connection"


def test_head_where_there_is_no_get(client: httpx.Client) -> None:
    for path in ("/price", "/tokenize"):
        assert client.head(path).status_code == 405


def test_options(client: httpx.Client) -> None:
    for path, methods in {
        "/compare": {"GET", "POST"},
        "/price": {"POST"},
        "/models": {"GET"},
        "/cell/cost_per_query": {"GET"},
    }.items():
        response = client.options(path)
        assert (response.status_code, response.content) == (204, b"")
        allowed = {name.strip() for name in response.headers["allow"].split(",")}
        assert methods <= allowed
        assert ("GET" in allowed) is ("HEAD" in allowed), "GET routes answer HEAD, so Allow says so"


TAGGED = [
    "/providers",
    "/models",
    "/models?provider=openai",
    "/tokenizers",
    f"/prices?as_of={AS_OF}",
    "/prices/history?provider=openai",
]


@pytest.mark.parametrize("path", TAGGED)
def test_entity_tags(client: httpx.Client, path: str) -> None:
    first = client.get(path)
    tag = first.headers["etag"]
    assert re.fullmatch(r'(W/)?"[^"]+"', tag)
    for known in (tag, f'"other", {tag}', "*", f"{tag},"):
        again = client.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag), known
    for unknown in ('"other"', "", 'W/"0"', tag.strip('W/"')):
        assert client.get(path, headers={"if-none-match": unknown}).status_code == 200, unknown
    head = client.head(path, headers={"if-none-match": tag})
    assert head.status_code == 304
    joined = path + ("&" if "?" in path else "?")
    tags = {client.get(f"{joined}format={name}").headers["etag"] for name in ("csv", "ndjson")} | {tag}
    assert len(tags) == 3, "another format is another representation"
    assert "accept" in first.headers["vary"].lower()


def test_a_tag_is_of_one_catalog_version(client: httpx.Client) -> None:
    path = f"/prices?price_book=tags&as_of={AS_OF}"
    before = client.get(path).headers["etag"]
    assert publish(client, "tags", [private_row("m", "input_tokens", "1")]).status_code == 201
    after = client.get(path, headers={"if-none-match": before})
    assert (after.status_code, len(after.json()["rows"])) == (200, 1)
    assert after.headers["etag"] != before


def test_answers_to_a_url_with_text_are_not_kept(client: httpx.Client) -> None:
    """404 and 405 are cacheable by default (RFC 9111): the URL holds the text whether it is answered or refused."""
    for path in (
        f"/compare?offers={GOOD}&text=parcel", f"/compare?offers={GOOD}&text=parcel&format=csv", CELL, f"{CELL}&errors=inline",
        "/cell/cost_per_query?offer=openai/nope&text=parcel", "/cell/nope?offer=openai/nope&text=parcel", "/compare?text=parcel",
        "/cell/cost_per_query?offer=openai/nope&text=parcel&errors=inline",
    ):  # fmt: skip
        for method in ("GET", "HEAD"):
            response = client.request(method, path)
            assert response.headers.get("cache-control") == "private, no-store", (
                f"{method} {path}: {response.status_code}"
            )
            assert "etag" not in response.headers


# --- cells


def cell(client: httpx.Client, figure: str, **parameters: str) -> httpx.Response:
    return client.get(f"/cell/{figure}", params={"offer": GOOD, "as_of": AS_OF, **parameters})


def test_a_cell_is_a_bare_number_of_fifteen_digits(client: httpx.Client) -> None:
    parameters = {"text": TEXT, "output_tokens": "7", "queries_per_month": "123456789.123"}
    (row,) = client.get("/compare", params={"offers": GOOD, "as_of": AS_OF, **parameters}).json()["rows"]
    shortened = 0
    for figure in COMPARE_COLUMNS:
        if figure not in [*NUMBERS, "rank", "input_characters", "input_tokens", "output_tokens"] or row[figure] is None:
            continue
        response = cell(client, figure, **parameters)
        assert (response.status_code, response.headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", response.text), f"{figure}: {response.text!r}"
        exact = Decimal(row[figure])
        assert Decimal(response.text) == Context(prec=15, rounding=ROUND_HALF_EVEN).create_decimal(exact), figure
        shortened += Decimal(response.text) != exact
    assert shortened >= 2, "tokens_per_character and input_cost_per_mchar do not end"


def test_cells_of_text_columns_are_refused(client: httpx.Client) -> None:
    for figure in ("offer", "currency", "warnings", "price_status", "as_of", "count_method"):
        assert cell(client, figure, text=TEXT).status_code == 404


def test_every_numeric_column_can_be_a_cell(client: httpx.Client) -> None:
    """`figure` is any numeric column of a compare row: margin needs the revenue, `fx_rate` a rate."""
    for figure in ("gross_margin_ratio", "revenue_per_query"):
        response = cell(client, figure, text=TEXT, output_tokens="7", revenue_per_query="0.02")
        assert response.status_code == 200, response.text
