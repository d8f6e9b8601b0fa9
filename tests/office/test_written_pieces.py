"""Excel is not here: its LAMBDA is written out and run by LibreOffice, its Power Query is read for names and brackets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from api.http.schemas.compare import COMPARE_COLUMNS, COMPARE_NUMBERS
from tests.office.conftest import LibreOffice
from tests.office.written_formulas import arguments, tokens, written_out
from tests.running import ROOT, Service

PIECES = ROOT / "docs" / "spreadsheets"
EXCEL = {
    "LAMBDA", "LET", "IF", "ISOMITTED", "SUBSTITUTE", "ENCODEURL", "WEBSERVICE", "IFERROR", "NUMBERVALUE",
}  # fmt: skip
POWER_QUERY = {
    "Web.Contents", "Text.ToBinary", "TextEncoding.Utf8", "Value.Metadata", "Response.Status", "Json.Document", "Csv.Document",
    "QuoteStyle.Csv", "Table.PromoteHeaders", "Table.TransformColumns", "Table.ColumnNames", "Table.ToRows", "List.Transform",
    "List.Combine", "List.Intersect", "Text.Combine", "Text.Replace", "Text.From", "Number.From", "Error.Record",
}  # fmt: skip
M_WORDS = {
    "let",
    "in",
    "if",
    "then",
    "else",
    "as",
    "is",
    "error",
    "type",
    "optional",
    "nullable",
    "each",
    "true",
    "false",
    "null",
}
M_TYPES = {"any", "text", "list", "table", "number"}


def test_the_lambda_gives_the_figures_of_the_service(office: LibreOffice, service: Service) -> None:
    """ "parcel" is one token of o200k_base: (1 · 2 + 100 · 10) / 10⁶ = 0.001002, times 1,000.5."""
    formula = (
        (PIECES / "permillion_lambda.txt").read_text(encoding="utf-8").replace("http://127.0.0.1:8000", service.url)
    )
    used = {token for token in tokens(formula) if re.fullmatch(r"[A-Z]+", token)}
    assert used <= EXCEL, used - EXCEL
    given = {
        "figure": '"cost_per_query"',
        "offer": '"openai/gpt-6-sol"',
        "text": '"parcel"',
        "output_tokens": "100",
        "as_of": '"2026-11-30"',
    }
    month = {**given, "figure": '"cost_per_month"', "queries_per_month": "1000.5"}
    wrong = {**given, "offer": '"openai/nope"'}
    texts = [f"={written_out(formula, each)}" for each in (given, month, wrong)]
    ((cost,), (monthly,), (refused,)) = office.do(
        "formulas", formulas=[_with_semicolons(text) for text in texts], cells={}
    )
    assert (cost.value, cost.error) == (0.001002, 0)
    assert monthly.value == pytest.approx(0.001002 * 1000.5, rel=1e-14)
    assert refused.text == "#permillion: unknown-model"


def _with_semicolons(formula: str) -> str:
    return "".join(";" if token == "," else token for token in tokens(formula))


def test_brackets_are_minded() -> None:
    assert arguments('IF(a, "x,(y", f(b, c))') == ["a", '"x,(y"', "f(b,c)"]
    for broken in ("IF(a, (b)", "IF(a, b))(", "IF"):
        with pytest.raises((ValueError, IndexError)):
            arguments(broken)


def test_power_query_names_and_brackets() -> None:
    source = _without_comments(PIECES / "permillion.pq")
    assert "#(cr)#(lf)" in source
    bare = re.sub(r'#?"(?:[^"]|"")*"', " ", source)
    opened: list[str] = []
    for sign in bare:
        if sign in "([{":
            opened.append(sign)
        elif sign in ")]}":
            assert opened.pop() + sign in ("()", "[]", "{}")
    assert opened == []
    words = re.findall(r"[A-Za-z_][A-Za-z0-9_.]*", bare)
    assert words.count("let") == words.count("in")
    assert words.count("if") == words.count("then") == words.count("else")
    named = set(re.findall(r"([A-Za-z_]+)\s*=(?!>)", bare)) | set(
        re.findall(r"[(,]\s*(?:optional )?([a-zA-Z]+)(?: as [a-z ]+)?(?=[,)])", bare)
    )
    fields = {"error_code", "detail"}
    unknown = set(words) - named - fields - POWER_QUERY - M_WORDS - M_TYPES
    assert unknown == set()


def test_power_query_types_columns_that_there_are() -> None:
    numbers = re.search(r"Numbers = \{(.*?)\}", (PIECES / "permillion.pq").read_text(encoding="utf-8"), re.DOTALL)
    assert numbers is not None
    named = re.findall(r'"([a-z_]+)"', numbers[1])
    assert set(named) <= COMPARE_NUMBERS <= set(COMPARE_COLUMNS)


def _without_comments(path: Path) -> str:
    return re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
