from __future__ import annotations

import csv
import io
import json
from typing import Any, Literal

import pytest

from api.http.rendering import Csv, choose_format, render, to_csv, to_json
from economics.errors import PermillionError

Format = Literal["json", "csv", "xlsx", "ndjson"]


@pytest.mark.parametrize(("accept", "chosen"), [
    ("", "json"), ("*/*", "json"), ("application/json", "json"), ("text/csv", "csv"), ("application/x-ndjson", "ndjson"),
    ("TEXT/CSV", "csv"), ("text/csv; charset=utf-8", "csv"), (" text/csv ", "csv"),
    ("text/csv;q=0.5, application/json;q=0.4", "csv"), ("text/csv;q=0.4, application/json;q=0.5", "json"),
    ("application/json;q=0.5, text/csv;q=0.5", "json"), ("text/csv;q=0.5, application/json;q=0.5", "csv"),
    ("text/csv;q=0", "json"), ("text/csv;q=0, application/x-ndjson;q=0.1", "ndjson"),
    ("text/csv;q=0.001, text/html", "csv"), ("text/csv;q=7", "csv"), ("text/csv;q=-1", "json"), ("text/csv;q=banana", "json"),
    ("text/csv;level=1;q=0.3, application/json;q=0.2", "csv"), ("text/html, application/xhtml+xml, */*;q=0.8", "json"),
    (",,;;,=", "json"), ("text", "json"),
])  # fmt: skip
def test_accept(accept: str, chosen: Format) -> None:
    assert choose_format(accept, None) == chosen


def test_the_parameter_stands_above_the_header() -> None:
    for name in ("json", "csv", "xlsx", "ndjson"):
        assert choose_format("text/csv", name) == name
    for name in ("xls", "XLSX", "CSV", "", "text/csv"):
        with pytest.raises(PermillionError) as caught:
            choose_format("", name)
        assert (caught.value.slug, caught.value.pointer) == ("not-acceptable", "/format")


@pytest.mark.parametrize("count", [0, 1, 500, 501, 1_000, 1_001])
@pytest.mark.parametrize("document", [{}, {"meta": {"a": 1}, "next": None}])
def test_slices_of_rows_are_one_document(count: int, document: dict[str, Any]) -> None:
    rows = [{"row_id": number, "text": "您好"} for number in range(count)]
    said = to_json(rows, document)
    assert json.loads(said) == {"rows": rows, **document}
    assert said == json.dumps({"rows": rows, **document}, ensure_ascii=False, separators=(",", ":")).encode()


def cells(row: dict[str, Any], **style: Any) -> list[str]:
    delimiter = {"tab": "\t"}.get(style.get("delimiter", ","), style.get("delimiter", ","))
    text = to_csv(list(row), [row], Csv(**style), frozenset({"money"})).decode("utf-8-sig")
    header, line = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    assert header == list(row)
    return line


def test_cells() -> None:
    row: dict[str, Any] = {
        "null": None,
        "true": True,
        "false": False,
        "int": -5,
        "money": "-0.5",
        "text": 'a,"b"\n字',
        "empty": "",
    }
    assert cells(row) == ["", "true", "false", "-5", "-0.5", 'a,"b"\n字', ""]
    assert cells(row, decimal="comma", delimiter=";") == ["", "true", "false", "-5", "-0,5", 'a,"b"\n字', ""]
    text = {"version": "4.1", "phone": "-5", "date": "2026.11"}
    assert cells(text, decimal="comma", delimiter=";") == ["4.1", "'-5", "2026.11"], (
        "text that looks like a number is text"
    )
    assert to_csv(["a"], [{"a": 1}], Csv()) == b"a\r\n1\r\n"
    assert to_csv(["a"], [{"a": 1}], Csv(bom=True)) == b"\xef\xbb\xbfa\r\n1\r\n"
    assert to_csv(["a", "b"], [{"b": 2, "c": 3}], Csv()) == b"a,b\r\n,2\r\n", "columns rule, not the row"
    assert to_csv(["a"], [], Csv()) == b"a\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "=1",
        "+1",
        "-a",
        "@a",
        "\ta",
        "\ra",
        "=",
        "+",
        "-",
        "@",
        "\t",
        "\r",
        "-1+1",
        "--1",
        "=1\n2",
        "\n=1",
        "＝1",
        "＋1",
        "－1",
        "＠a",
    ],
)
def test_formulas(text: str) -> None:
    assert cells({"a": text}) == [f"'{text}"]
    assert cells({"a": f" {text}"}) == [f" {text}"], "only at the start"


@pytest.mark.parametrize("delimiter", [",", ";", "tab", "\t"])
def test_delimiters_are_quoted(delimiter: str) -> None:
    text = "a,b;c\td"
    assert cells({"x": text, "y": text}, delimiter=delimiter) == [text, text]


@pytest.mark.parametrize("delimiter", ["", "x", "|", ",,", "comma", "\n"])
def test_other_delimiters(delimiter: str) -> None:
    with pytest.raises(PermillionError) as caught:
        to_csv(["a"], [], Csv(delimiter=delimiter))
    assert (caught.value.slug, caught.value.pointer) == ("invalid-fields", "/delimiter")


def test_rendered() -> None:
    rows = [{"a": 1, "b": "=x"}, {"a": None, "b": "字"}]
    body = render("json", ["a", "b"], rows, {"meta": {"as_of": "z"}}).body
    assert json.loads(body) == {"rows": rows, "meta": {"as_of": "z"}}
    assert "字".encode() in body
    lines = render("ndjson", ["a", "b"], rows, {"meta": {}}).body.split(b"\n")
    assert lines.pop() == b""
    assert [json.loads(line) for line in lines] == rows
    assert render("csv", ["b"], rows, {"meta": {}}, headers={"X-A": "1"}).headers["X-A"] == "1"
