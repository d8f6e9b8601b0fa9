"""`POST /statement` against a running service; every figure is worked out in the docstring from vendors' list prices."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import httpx
import pytest

from tests.http.asking import GOOD, NO_MONEY, PRICE_COLUMNS, private_row, refused
from tests.http.test_terms import COMMITMENT, CREDIT, DISCOUNT, FREE, record

LINE_COLUMNS = [
    "term_id", "kind", "order", "applied_to", "row_id", "meter", "quantity", "rate", "per", "amount", "currency",
    "native_amount", "native_currency", "balance_before", "balance_after", "balance_unit", "source", "note",
]  # fmt: skip
DOLLARS = [
    "undiscounted_cost",
    "discounts",
    "contract_cost",
    "allowances",
    "credits",
    "reductions",
    "unused_commitment",
    "payable",
]


def used(day: int = 3, row: Any = None, offer: str = GOOD, **usage: int) -> dict[str, Any]:
    asked = {"offer": offer, "as_of": f"2026-11-{day:02}T08:00:00Z", "usage": usage}
    return asked if row is None else {**asked, "row_id": row}


def ask(client: httpx.Client, book: str, *rows: Any, query: str = "", **top: Any) -> httpx.Response:
    return client.post(f"/statement{query}", json={"price_book": book, "month": "2026-11", "rows": list(rows), **top})


def stated(client: httpx.Client, book: str, *rows: Any, query: str = "", **top: Any) -> dict[str, Any]:
    response = ask(client, book, *rows, query=query, **top)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    assert list(body) == ["rows", "lines", "totals", "meta"]
    assert all(list(line) == LINE_COLUMNS for line in body["lines"])
    assert all(set(PRICE_COLUMNS) <= set(row) for row in body["rows"])
    totals = {name: Fraction(body["totals"][name]) for name in DOLLARS}
    lines = sum(Fraction(line["amount"]) for line in body["lines"])
    assert totals["payable"] == totals["undiscounted_cost"] + lines >= 0
    assert totals["contract_cost"] == sum(Fraction(row["total"]) for row in body["rows"] if row["total"])
    return body


def amounts(body: dict[str, Any]) -> list[tuple[str, str, str | None, str | None]]:
    return [(line["term_id"], line["amount"], line["balance_before"], line["balance_after"]) for line in body["lines"]]


@pytest.fixture(scope="module")
def contract(client: httpx.Client) -> str:
    """12 % off the list, 5,000 searches a month, 1 USD of credit from November, 10 USD a month promised; an own input rate of 1.80."""
    row = {**private_row("gpt-6-sol", "input_tokens", "1.80"), "provider": "openai", "tokenizer": None}
    terms = (
        {**DISCOUNT, "base_only": True},
        FREE,
        {**CREDIT, "amount": "1", "valid_from": "2026-11-01"},
        {**COMMITMENT, "amount": "10"},
    )
    assert record(client, "statement", *terms, rows=[row]).status_code == 201
    return "statement"


def test_a_month_under_a_contract(client: httpx.Client, contract: str) -> None:
    """gpt-6-sol lists 2 in and 10 out per Mtok and 10 per 1,000 searches.

    Row a: 0.2 Mtok in at the own 1.80 = 0.36, 0.1 Mtok out at 10 · 0.88 = 0.88. Row b: 6,000 searches = 60, of which 5,000
    are free: 10. Due 1.24 + 10 = 11.24; the credit pays 1: 10.24. Of 10 promised 11.24 are spent: nothing unused.
    List: 0.4 + 1 + 60 = 61.4. Undiscounted: 0.36 + 1 + 60 = 61.36; the discount took 0.12.
    """
    rows = [used(20, "b", web_searches=6_000), used(3, "a", input_tokens=200_000, output_tokens=100_000)]
    body = stated(client, contract, *rows)
    assert [row["total"] for row in body["rows"]] == ["60", "1.24"]
    assert amounts(body) == [
        ("framework", "-0.12", None, None),
        ("free", "-50", "5000", "0"),
        ("grant", "-1", "1", "0"),
        ("spend", "0", "10", "0"),
    ]
    discount, free, grant, spend = body["lines"]
    assert (discount["meter"], discount["quantity"], discount["rate"], discount["per"]) == (
        "output_tokens", "100000", "10", 1_000_000,
    )  # fmt: skip
    assert (free["row_id"], free["quantity"], free["rate"], free["balance_unit"]) == ("b", "5000", "10", "web_searches")
    assert (grant["balance_unit"], grant["note"], spend["note"]) == ("USD", "carried", "ended at 2026-12-01T00:00:00Z")
    totals = body["totals"]
    assert {name: totals[name] for name in DOLLARS} == {
        "undiscounted_cost": "61.36", "discounts": "-0.12", "contract_cost": "61.24", "allowances": "-50", "credits": "-1",
        "reductions": "-51", "unused_commitment": "0", "payable": "10.24",
    }  # fmt: skip
    assert (totals["list_cost"], totals["list_cost_detail"]) == ("61.4", None)
    assert (totals["currency"], totals["priced_rows"], totals["error_rows"], totals["complete"]) == ("USD", 2, 0, True)
    assert [warning["code"] for warning in body["meta"]["warnings"]] == ["base_price_used", "contract_discount"]


def test_an_unused_commitment_is_a_cost(client: httpx.Client, contract: str) -> None:
    """0.36 spent of 10 promised: the credit pays 0.36, and 9.64 are charged."""
    body = stated(client, contract, used(input_tokens=200_000))
    assert amounts(body) == [
        ("free", "0", "5000", "5000"),
        ("grant", "-0.36", "1", "0.64"),
        ("spend", "9.64", "10", "0"),
    ]
    assert (body["totals"]["payable"], body["totals"]["unused_commitment"]) == ("9.64", "9.64")


def test_balances_from_before_are_stated(client: httpx.Client, contract: str) -> None:
    december = {**used(input_tokens=200_000), "as_of": "2026-12-05"}
    asked = {"month": "2026-12"}
    refused(ask(client, contract, december, **asked), 422, "invalid-fields", "/opening/grant", "0 for nothing")
    body = stated(client, contract, december, **asked, opening={"grant": "0.9"})
    assert ("grant", "-0.1", "0.1", "0") in amounts(body)
    for opening, pointer in (
        ({"grant": "1.01"}, "/opening/grant"),
        ({"grant": "0", "no-such": "1"}, "/opening"),
        ({"grant": "0", "spend": "1"}, "/opening/spend"),
        ({"grant": "0", "free": "1"}, "/opening"),
    ):
        refused(ask(client, contract, december, **asked, opening=opening), 422, "invalid-fields", pointer)


def test_in_another_currency(client: httpx.Client, contract: str) -> None:
    """7.10 yuan for a dollar: 9.64 USD are 68.444."""
    fx = [{"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-30"}]
    body = stated(client, contract, used(input_tokens=200_000), currency="CNY", fx=fx)
    totals = body["totals"]
    assert (totals["payable"], totals["currency"], totals["native_payable"], totals["native_currency"]) == (
        "68.444", "CNY", "9.64", "USD",
    )  # fmt: skip
    assert (totals["fx_rate"], totals["fx_as_of"], totals["list_cost"]) == ("7.1", "2026-11-30", "2.84")
    assert (body["rows"][0]["total"], body["rows"][0]["native_total"]) == ("2.556", "0.36")
    spend = body["lines"][-1]
    assert (spend["amount"], spend["currency"], spend["native_amount"], spend["balance_unit"]) == (
        "68.444",
        "CNY",
        "9.64",
        "USD",
    )
    refused(ask(client, contract, used(input_tokens=1), currency="CNY"), 422, "missing-fx-rate", "/fx")


BAD_ROWS: dict[str, tuple[Any, str]] = {
    "before the month": ({**used(input_tokens=1), "as_of": "2026-10-31T23:59:59Z"}, "invalid-fields"),
    "after the month": ({**used(input_tokens=1), "as_of": "2026-12-01T00:00:00Z"}, "invalid-fields"),
    "in another month by its offset": (
        {**used(input_tokens=1), "as_of": "2026-11-01T00:00:00+01:00"},
        "invalid-fields",
    ),
    "no instant": ({"offer": GOOD, "usage": {"input_tokens": 1}}, "invalid-fields"),
    "a book of its own": ({**used(input_tokens=1), "price_book": "default"}, "invalid-fields"),
    "unknown model": (used(offer="openai/gpt-66", input_tokens=1), "unknown-model"),
    "unknown meter": (used(words=1), "unknown-meter"),
    "not an object": (5, "invalid-fields"),
}


@pytest.mark.parametrize(("row", "code"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_is_in_no_total(client: httpx.Client, contract: str, row: Any, code: str) -> None:
    body = stated(client, contract, used(input_tokens=200_000), row)
    good, bad = body["rows"]
    assert (good["total"], bad["total"], bad["error_code"]) == ("0.36", None, code)
    totals = body["totals"]
    assert (totals["complete"], totals["priced_rows"], totals["error_rows"]) == (False, 1, 1)
    assert (totals["contract_cost"], totals["list_cost"]) == ("0.36", "0.4")
    refused(ask(client, contract, row, query="?on_error=fail"), 422, "invalid-fields")


def test_a_row_without_an_instant_gets_none(client: httpx.Client, contract: str) -> None:
    body = stated(client, contract, {"offer": GOOD, "usage": {"input_tokens": 1}})
    assert (body["rows"][0]["as_of"], body["rows"][0]["row_id"]) == (None, 0)


def test_the_first_and_the_last_instant_are_of_the_month(client: httpx.Client, contract: str) -> None:
    edges = [{**used(input_tokens=1), "as_of": at} for at in ("2026-11-01", "2026-11-30T23:59:59.999999Z")]
    assert stated(client, contract, *edges)["totals"]["complete"]


@pytest.mark.parametrize(
    "month", ["2026-13", "2026-00", "2026-1", "2026-11-01", "11-2026", "", None, 202611, "1969-12", "9999-12"]
)
def test_no_month(client: httpx.Client, contract: str, month: Any) -> None:
    refused(ask(client, contract, used(input_tokens=1), month=month), 422, "invalid-fields", "/month")


def test_a_bad_envelope(client: httpx.Client, contract: str) -> None:
    row = used(input_tokens=1)
    refused(ask(client, "default", row), 404, "unknown-price-book", "/price_book")
    refused(ask(client, "no-such-book", row), 404, "unknown-price-book", "/price_book")
    refused(ask(client, contract), 422, "invalid-fields", "/rows")
    refused(ask(client, contract, *[row] * 10_001), 413, "too-many-rows", "/rows")
    refused(ask(client, contract, row, as_of="2026-11-01"), 422, "invalid-fields", "/as_of")
    for value in NO_MONEY:
        refused(ask(client, contract, row, opening={"grant": value}), 422, "invalid-fields", "/opening/grant")
    surrogate = json.dumps({"price_book": contract, "month": "2026-11", "rows": [row], "opening": {"\ud800": "1"}})
    refused(client.post("/statement", content=surrogate), 422, "invalid-fields")


def test_too_many_rows_times_terms(client: httpx.Client) -> None:
    terms = [{**FREE, "id": f"free-{n}"} for n in range(200)]
    assert record(client, "many-terms", *terms).status_code == 201
    refused(ask(client, "many-terms", *[used(input_tokens=1)] * 5_001), 413, "too-many-rows", "/rows")


def test_a_list_price_that_is_not_known_is_null_with_a_reason(client: httpx.Client) -> None:
    assert record(client, "own-model", rows=[private_row("m", "input_tokens", "2")]).status_code == 201
    body = stated(client, "own-model", used(10, "x", "acme/m", input_tokens=500_000))
    totals = body["totals"]
    assert (totals["list_cost"], totals["payable"]) == (None, "1")
    assert totals["list_cost_detail"].startswith("of row x: ")


def test_a_book_without_terms_is_the_sum_of_its_rows(client: httpx.Client) -> None:
    assert record(client, "termless", rows=[private_row("m", "input_tokens", "2")]).status_code == 201
    body = stated(client, "termless", *[used(offer="acme/m", input_tokens=250_000)] * 4)
    assert (body["lines"], body["totals"]["payable"]) == ([], "2")


def test_an_allowance_of_input_falls_on_fresh_input_first(client: httpx.Client) -> None:
    """60,000 fresh at 2 and 40,000 cached at 0.2 per Mtok: of 80,000 free 0.12 and 20,000 · 0.2 / 10⁶ = 0.004; 0.004 are left."""
    assert record(client, "free-input", {**FREE, "meter": "input_tokens", "quantity": "80000"}).status_code == 201
    body = stated(client, "free-input", used(cache_read_tokens=40_000, input_tokens=100_000))
    assert [(line["meter"], line["amount"]) for line in body["lines"]] == [
        ("input_tokens", "-0.12"),
        ("cache_read_tokens", "-0.004"),
    ]
    assert body["totals"]["payable"] == "0.004"


def test_many_rows_under_eight_discounts_to_the_last_digit(client: httpx.Client) -> None:
    """Output at 10 USD per Mtok less 8 times the share s: the n-th discount takes 10 · (1 − s)ⁿ⁻¹ · s of each Mtok."""
    share = Fraction("0.012345678901")
    off = [{**DISCOUNT, "id": f"d{n}", "discount_share": "0.012345678901"} for n in range(8)]
    assert record(client, "eight-long", *off, {**CREDIT, "valid_from": "2026-11-01"}).status_code == 201
    rows = [used(1 + n % 30, n, output_tokens=1_000_000 + n) for n in range(600)]
    body = stated(client, "eight-long", *rows)
    assert [row["row_id"] for row in body["rows"]] == list(range(600))
    units = Fraction(sum(1_000_000 + n for n in range(600)), 1_000_000)
    taken = [Fraction(line["amount"]) for line in body["lines"] if line["kind"] == "discount"]
    assert taken == [-units * 10 * (1 - share) ** n * share for n in range(8)]
    assert [line["quantity"] for line in body["lines"][:8]] == ["600179700"] * 8
    totals = body["totals"]
    due = units * 10 * (1 - share) ** 8
    assert (Fraction(totals["contract_cost"]), Fraction(totals["payable"])) == (due, due - 100)
    assert totals["list_cost"] == "6001.797"
    digits = len(totals["payable"].partition(".")[2])
    assert digits <= 8 * 12 + 6, "12 decimals a discount, 6 for a token of a Mtok"


def test_as_it_was_known(client: httpx.Client) -> None:
    assert record(client, "relearned", DISCOUNT).status_code == 201
    (first,) = client.get("/price-terms", params={"price_book": "relearned"}).json()["rows"]
    assert record(client, "relearned", {**DISCOUNT, "discount_share": "0.5"}).status_code == 201
    row = used(output_tokens=100_000)
    assert stated(client, "relearned", row)["totals"]["payable"] == "0.5"
    assert stated(client, "relearned", row, known_at=first["recorded_at"])["totals"]["payable"] == "0.88"


def test_tables(client: httpx.Client, contract: str) -> None:
    row = used(input_tokens=200_000)
    for table, first in (("rows", "row_id,offer"), ("lines", "term_id,kind"), ("totals", "list_cost,list_cost_detail")):
        response = ask(client, contract, row, query=f"?format=csv&table={table}")
        assert response.headers["content-type"].startswith("text/csv")
        assert response.text.startswith(first)
    comma = ask(client, contract, row, query="?format=csv&table=lines&decimal=comma&delimiter=;").text
    assert "-0,36" in comma
    assert "spend" in ask(client, contract, row, query="?format=ndjson&table=lines").text
    refused(ask(client, contract, row, query="?table=rates"), 422, "invalid-fields", "/table")
    assert stated(client, contract, row, query="?lines=1")["rows"][0]["lines"][0]["rate"] == "1.8"


def test_vendor_usage(client: httpx.Client, contract: str) -> None:
    row = {
        "offer": GOOD, "as_of": "2026-11-04", "usage_format": "openai",
        "vendor_usage": {"prompt_tokens": 100_000, "completion_tokens": 0, "total_tokens": 100_000},
    }  # fmt: skip
    assert stated(client, contract, row)["totals"]["contract_cost"] == "0.18"
