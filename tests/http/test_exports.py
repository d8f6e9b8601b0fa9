"""Quotes and price books for finance systems, flat and FOCUS-shaped."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.services.focus import FOCUS_COLUMNS, check_focus_rows
from tests.http.asking import AS_OF, GOOD, private_row, publish, refused
from tests.running import running_service

QUESTION: dict[str, Any] = {
    "title": "Renewal",
    "samples": [{"input_tokens": 1000}],
    "workload": {"queries_per_month": "1200000", "output_tokens_per_query": 500},
    "offers": [
        GOOD,
        {"offer": GOOD, "discount_share": "0.10", "row_id": "cut"},
        {"offer": GOOD, "price_book": "contract", "row_id": "contract"},
        {"offer": "acme/own", "price_book": "contract", "row_id": "own"},
        {"offer": "deepseek/deepseek-flash", "price_book": "cn", "row_id": "cn"},
        "nobody/none",
    ],
    "fx": [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30", "source": "treasury"}],
    "as_of": AS_OF,
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("exports")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    with running_service(folder) as running, running.client() as opened:
        rows = [
            private_row("gpt-6-sol", "input_tokens", "1.80", provider="openai", tokenizer=None),
            private_row("own", "input_tokens", "0.0009", per=1000),
            private_row("own", "output_tokens", "3"),
        ]
        assert publish(opened, "contract", rows, base="default").status_code == 201
        yield opened


@pytest.fixture(scope="module")
def quote(client: httpx.Client) -> str:
    response = client.post("/quotes", json=QUESTION)
    assert response.status_code == 201, response.text
    return f"/quotes/{response.json()['quote']['quote_id']}"


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_flat_quote_has_contracted_and_list_cost_side_by_side(client: httpx.Client, quote: str) -> None:
    response = client.get(f"{quote}/export")
    assert response.headers["content-type"].startswith("text/csv")
    assert response.headers["content-disposition"].endswith('-flat.csv"')
    rows = {row["row_id"]: row for row in read(response.text)}
    assert len(rows) == 6
    # 1,000 in at 2 and 500 out at 10 per million: 0.007; 1.80 in by contract: 0.0068; a tenth off: 0.0063
    figures = {
        name: (rows[name]["cost_per_query"], rows[name]["list_cost_per_query"])
        for name in ("0", "cut", "contract", "own")
    }
    assert figures == {
        "0": ("0.007", "0.007"),
        "cut": ("0.0063", "0.007"),
        "contract": ("0.0068", "0.007"),
        "own": ("0.0024", ""),
    }
    assert (rows["cut"]["cost_per_month"], rows["cut"]["list_cost_per_month"]) == ("7560", "8400")
    assert rows["5"]["error_code"] == "unknown-provider"
    assert rows["cn"]["fx_rate"] == "0.1408"
    assert {row["quote_id"] for row in rows.values()} == {quote.rpartition("/")[2]}
    only = read(client.get(f"{quote}/export?row_id=cut").text)
    assert [row["row_id"] for row in only] == ["cut"]


def test_a_focus_shaped_quote_keeps_the_rules_of_focus(client: httpx.Client, quote: str) -> None:
    body = client.get(f"{quote}/export?shape=focus&format=json").json()
    rows = body["rows"]
    assert check_focus_rows(rows) == []
    assert [list(row) for row in rows] == [[column.name for column in FOCUS_COLUMNS]] * 5, "what has no price is no row"
    by_id = {row["x_RowId"]: row for row in rows}
    cut = by_id["cut"]
    assert (cut["ListUnitPrice"], cut["ContractedUnitPrice"], cut["PricingQuantity"]) == ("0.007", "0.0063", "1200000")
    assert (cut["ListCost"], cut["BilledCost"], cut["ChargeDescription"]) == (
        "8400", "7560", "Estimate: queries to openai/gpt-6-sol",
    )  # fmt: skip
    ranks = {row["row_id"]: row["rank"] for row in read(client.get(f"{quote}/export").text)}
    assert {name: row["Tags"]["rank"] for name, row in by_id.items()} == {name: ranks[name] for name in by_id}
    assert cut["Tags"]["quote_id"] == quote.rpartition("/")[2]
    assert "list_price_not_known" in by_id["own"]["x_Warnings"]
    cn = by_id["cn"]
    assert (cn["PricingCurrency"], cn["BillingCurrency"]) == ("CNY", "USD")
    assert Decimal(cn["PricingCurrencyContractedUnitPrice"]) * Decimal("0.1408") == Decimal(cn["ContractedUnitPrice"])
    response = client.get(f"{quote}/export?shape=focus")
    assert response.headers["content-disposition"].endswith('-focus-shaped-estimate.csv"')
    (first, *_) = read(response.text)
    assert json.loads(first["SkuPriceDetails"])["x_Meter"] == "queries"
    assert json.loads(first["Tags"])["quote_id"]


def test_a_price_book_in_both_shapes(client: httpx.Client) -> None:
    flat = read(client.get(f"/price-books/contract/export?as_of={AS_OF}").text)
    assert [(row["provider"], row["model"], row["meter"], row["rate"]) for row in flat] == [
        ("openai", "gpt-6-sol", "input_tokens", "1.8"),
        ("acme", "own", "input_tokens", "0.0009"),
        ("acme", "own", "output_tokens", "3"),
    ]
    focus = client.get(f"/price-books/contract/export?shape=focus&format=json&as_of={AS_OF}").json()["rows"]
    prices = [(row["SkuId"], row["ListUnitPrice"], row["ContractedUnitPrice"], row["PricingUnit"]) for row in focus]
    assert prices == [
        ("openai/gpt-6-sol/input_tokens", "2", "1.8", "1000000 Tokens"),
        ("acme/own/input_tokens", "0.9", "0.9", "1000000 Tokens"),
        ("acme/own/output_tokens", "3", "3", "1000000 Tokens"),
    ]
    assert [row["x_Warnings"] for row in focus] == [None, "list_price_not_known", "list_price_not_known"]
    listed = read(client.get(f"/price-books/default/export?shape=focus&provider=openai&as_of={AS_OF}").text)
    assert len(listed) > 100
    assert len({row["SkuPriceId"] for row in listed}) == len(listed), "an id a price"
    assert {row["ProviderName"] for row in listed} == {"OpenAI"}
    refused(client.get("/price-books/none/export"), 404, "unknown-price-book")
    refused(client.get("/quotes/q-0/export"), 404, "unknown-quote")
    refused(client.get("/price-books/contract/export?shape=x"), 422, "invalid-fields", "/shape")
