"""Headers in two languages from one table; names of JSON fields never change."""

from __future__ import annotations

import csv
import io

import httpx
import pytest

from api.http.schemas.blended import BLENDED_COLUMNS
from api.http.schemas.changes import CHANGE_COLUMNS
from api.http.schemas.compare import COMPARE_COLUMNS
from api.http.schemas.discrepancies import DISCREPANCY_COLUMNS
from api.http.schemas.price import PRICE_COLUMNS
from api.http.schemas.prices import PRICE_RECORD_COLUMNS
from api.http.schemas.recount import RECOUNT_COLUMNS
from api.http.schemas.reference import ModelOut, ProviderOut
from api.http.schemas.statement import LINE_COLUMNS, TOTALS_COLUMNS
from api.http.schemas.terms import PRICE_TERM_COLUMNS
from api.http.schemas.tokenize import TOKENIZE_COLUMNS
from api.http.writing.labels import LANGUAGES, Language, columns_by_label, headers, labels
from economics.context import CONTEXT_KEYS
from economics.meters import METERS
from tests.http.asking import question

TABLES = {
    "compare": COMPARE_COLUMNS,
    "price": PRICE_COLUMNS,
    "tokenize": TOKENIZE_COLUMNS,
    "prices": PRICE_RECORD_COLUMNS,
    "price-terms": PRICE_TERM_COLUMNS,
    "statement lines": LINE_COLUMNS,
    "statement totals": TOTALS_COLUMNS,
    "recount": RECOUNT_COLUMNS,
    "price-change": CHANGE_COLUMNS,
    "blended-price": BLENDED_COLUMNS,
    "discrepancies": DISCREPANCY_COLUMNS,
    "models": tuple(ModelOut.model_fields),
    "providers": tuple(ProviderOut.model_fields),
    "meters": tuple(METERS),
    "context": CONTEXT_KEYS,
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("table", TABLES)
def test_every_column_has_a_label_of_its_own(table: str, language: Language) -> None:
    said = headers(TABLES[table], language)
    assert len(set(said)) == len(said)
    assert [column for column in TABLES[table] if column not in labels(language)] == []
    if language == "zh-CN":
        assert [label for label in said if label.isascii()] == []


def test_no_label_names_two_columns() -> None:
    assert len(columns_by_label()) == sum(len(labels(language)) for language in LANGUAGES)
    assert not set(columns_by_label()) & set(labels("en"))


def test_headers_of_an_answer(client: httpx.Client) -> None:
    plain = client.post("/compare?format=csv", json=question()).text
    chinese = client.post("/compare?format=csv&lang=zh-CN", json=question()).text
    english = client.post("/compare?format=csv&lang=en", json=question()).text
    assert plain.split("\r\n")[1:] == chinese.split("\r\n")[1:] == english.split("\r\n")[1:]
    (row,) = csv.DictReader(io.StringIO(chinese))
    assert "每百万字符输入成本" in row
    assert "Cost per query" in english
    assert client.post("/compare?lang=zh-CN", json=question()).json()["rows"][0].keys() >= {"input_cost_per_mchar"}
    assert client.post("/compare?format=csv&lang=fr", json=question()).status_code == 422
