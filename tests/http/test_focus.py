"""`POST /focus`: rows that keep every rule, costs to the last digit, list beside contract, and no bill with holes."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import httpx
import pytest

from api.services.focus import FOCUS_COLUMNS, check_focus_rows
from tests.http.asking import AS_OF, GOOD, priced, private_row, publish, refused

LONG = {"input_tokens": 300_000, "cache_read_tokens": 1_000, "output_tokens": 7}


def estimate(client: httpx.Client, *rows: Any, **top: Any) -> list[dict[str, Any]]:
    """The rows of an estimate, which keep all rules of FOCUS."""
    response = client.post("/focus", content=json.dumps({"as_of": AS_OF, "rows": rows, **top}))
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["rows"]
    assert check_focus_rows(found) == []
    for row in found:
        assert list(row) == [column.name for column in FOCUS_COLUMNS]
    return found


def by_meter(rows: list[dict[str, Any]], *columns: str) -> dict[str, tuple[Any, ...]]:
    return {row["SkuMeter"]: tuple(row[column] for column in columns) for row in rows}


def test_each_charged_meter_is_a_row(client: httpx.Client) -> None:
    """gpt-6-sol above 272,000 input tokens: 4, cached 0.4, output 15 USD per million (OpenAI's list)."""
    rows = estimate(client, {"row_id": "a", "offer": GOOD, "usage": LONG}, billing_period="2026-11")
    assert by_meter(rows, "PricingQuantity", "ListUnitPrice", "ListCost", "BilledCost", "ConsumedQuantity") == {
        "Input Tokens": ("0.299", "4", "1.196", "1.196", "299000"),
        "Cache Read Tokens": ("0.001", "0.4", "0.0004", "0.0004", "1000"),
        "Output Tokens": ("0.000007", "15", "0.000105", "0.000105", "7"),
    }
    for row in rows:
        assert (row["BillingPeriodStart"], row["BillingPeriodEnd"]) == ("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z")
        assert (row["ChargePeriodStart"], row["ChargePeriodEnd"]) == ("2026-11-30T12:00:00Z", "2026-11-30T13:00:00Z")
        assert (row["ConsumedUnit"], row["PricingUnit"]) == ("Tokens", "1000000 Tokens")
        assert (row["BillingCurrency"], row["x_RowId"], row["InvoiceId"]) == ("USD", "a", None)
        assert row["SkuPriceDetails"]["x_ModelId"] == "gpt-6-sol"
        assert row["SkuPriceDetails"]["x_MinInputTokens"] == 272_000
        assert row["SkuPriceDetails"]["x_Processing"] == "standard"


def test_the_hour_of_use_in_utc(client: httpx.Client) -> None:
    (row,) = estimate(client, {"offer": GOOD, "as_of": "2026-12-01T07:59:59+08:00", "usage": {"input_tokens": 1}})
    assert (row["ChargePeriodStart"], row["BillingPeriodStart"]) == ("2026-11-30T23:00:00Z", "2026-11-01T00:00:00Z")


def test_every_list_offer_keeps_the_rules_and_sums_to_its_price(client: httpx.Client) -> None:
    models = client.get("/models").json()["rows"]
    usage = {"input_tokens": 123_457, "cache_read_tokens": 3_331, "output_tokens": 777}
    asked = [{"offer": model["offer"], "usage": usage} for model in models]
    answered = priced(client, *asked)
    good = [(row, answer) for row, answer in zip(asked, answered, strict=True) if answer["error_code"] is None]
    assert len(good) > 100
    rows = estimate(client, *[row for row, _ in good])
    for index, (_, answer) in enumerate(good):
        of_row = [row for row in rows if row["x_RowId"] == str(index)]
        assert sum(Decimal(row["BilledCost"]) for row in of_row) == Decimal(answer["total"])
        assert all(row["ListCost"] == row["ContractedCost"] for row in of_row)


def test_list_price_beside_the_contract(client: httpx.Client) -> None:
    contract = {"provider": "openai", "model": "gpt-6-sol", "meter": "input_tokens", "rate": "1.80", "source": "c"}
    book = "focus-contract"
    assert publish(client, book, [contract | {"valid_from": "2026-11-01"}], base="default").status_code == 201
    usage = {"input_tokens": 200_000, "cache_read_tokens": 100_000, "output_tokens": 1_000}
    rows = estimate(client, {"offer": GOOD, "price_book": book, "usage": usage})
    assert by_meter(rows, "ListUnitPrice", "ListCost", "ContractedUnitPrice", "ContractedCost", "EffectiveCost") == {
        "Input Tokens": ("2", "0.2", "1.8", "0.18", "0.18"),
        "Cache Read Tokens": ("0.2", "0.02", "0.2", "0.02", "0.02"),
        "Output Tokens": ("10", "0.01", "10", "0.01", "0.01"),
    }


def test_many_rows_under_eight_discounts_to_the_last_digit(client: httpx.Client) -> None:
    """2 and 10 USD per Mtok less 8 times the share; in yuan at 7.10. Unit prices are found once for all rows."""
    share, long = Fraction("0.012345678901"), "0.012345678901"
    terms = [{"id": f"d{n}", "kind": "discount", "discount_share": long, "source": "c"} for n in range(8)]
    of_book = {"id": "focus-eight", "base": "default", "currency": "USD", "terms": terms}
    assert client.post("/prices", json={"price_book": of_book, "rows": []}).status_code == 201
    asked = [
        {"offer": GOOD, "price_book": "focus-eight", "usage": {"input_tokens": 1_000 + n, "output_tokens": n}}
        for n in range(1, 301)
    ]
    fx = [{"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-30"}]
    left = (1 - share) ** 8
    for factor, top in ((Fraction(1), {}), (Fraction("7.10"), {"currency": "CNY", "fx": fx})):
        rows = estimate(client, *asked, **top)
        assert len(rows) == 600
        for index, row in enumerate(rows):
            n = index // 2 + 1
            tokens, price = (1_000 + n, 2) if index % 2 == 0 else (n, 10)
            cost = Fraction(tokens * price, 1_000_000)
            assert (row["x_RowId"], row["ConsumedQuantity"]) == (str(n - 1), str(tokens))
            assert Fraction(row["ListCost"]) == cost * factor
            assert Fraction(row["BilledCost"]) == cost * left * factor
            assert Fraction(row["PricingCurrencyEffectiveCost"]) == cost * left
            assert Fraction(row["PricingCurrencyContractedUnitPrice"]) == price * left


def test_without_a_base_the_list_price_is_not_known(client: httpx.Client) -> None:
    row = private_row("rocket", "input_tokens", "0.002", per=1_000)
    assert publish(client, "focus-own", [row]).status_code == 201
    (found,) = estimate(client, {"offer": "acme/rocket", "price_book": "focus-own", "usage": {"input_tokens": 1_500}})
    assert (found["ContractedUnitPrice"], found["ContractedCost"], found["PricingUnit"]) == (
        "2",
        "0.003",
        "1000000 Tokens",
    )
    assert found["ListUnitPrice"] == "2"
    assert "list_price_not_known" in found["x_Warnings"]


def test_rates_that_do_not_end(client: httpx.Client) -> None:
    """0.111 USD for an hour of audio: 10 seconds are 10/3600 of it. 1 USD for 3 tokens has no price per million."""
    rows = [
        private_row("ear", "audio_seconds", "0.111", per=3_600),
        private_row("odd", "input_tokens", "1", per=3),
    ]
    assert publish(client, "focus-odd", rows).status_code == 201
    ear, odd = estimate(
        client,
        {"offer": "acme/ear", "price_book": "focus-odd", "usage": {"audio_seconds": 10}},
        {"offer": "acme/odd", "price_book": "focus-odd", "usage": {"input_tokens": 6}},
    )
    assert (ear["PricingUnit"], ear["ListUnitPrice"], ear["ConsumedUnit"]) == ("3600 Seconds", "0.111", "Seconds")
    assert abs(Decimal(ear["ListCost"]) - Decimal("0.0003083333333333333333333333333")) < Decimal("1e-29")
    assert (odd["PricingUnit"], odd["PricingQuantity"], odd["ListCost"]) == ("3 Tokens", "2", "2")


def test_another_billing_currency(client: httpx.Client) -> None:
    fx = [{"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-30"}]
    (row,) = estimate(client, {"offer": GOOD, "usage": {"input_tokens": 1_000}}, currency="CNY", fx=fx)
    assert (row["BillingCurrency"], row["PricingCurrency"]) == ("CNY", "USD")
    assert (row["ListUnitPrice"], row["BilledCost"]) == ("14.2", "0.0142")
    assert (row["PricingCurrencyListUnitPrice"], row["PricingCurrencyEffectiveCost"]) == ("2", "0.002")
    fx = [{"from": "CNY", "to": "USD", "rate": "7.10", "as_of": "2026-11-30"}]
    estimate(client, {"offer": GOOD, "usage": {"input_tokens": 1_001}}, currency="CNY", fx=fx)


def test_csv_is_named_for_what_it_is(client: httpx.Client) -> None:
    body = {"as_of": AS_OF, "rows": [{"row_id": "=1", "offer": GOOD, "usage": LONG}], "billing_account_id": "team 7"}
    response = client.post("/focus?format=csv", json=body)
    assert response.headers["content-disposition"] == 'attachment; filename="focus-shaped-estimate.csv"'
    cells = list(csv.DictReader(io.StringIO(response.text, newline="")))
    rows = client.post("/focus", json=body).json()["rows"]
    for cell, row in zip(cells, rows, strict=True):
        assert json.loads(cell["SkuPriceDetails"]) == row["SkuPriceDetails"]
        assert (cell["InvoiceId"], cell["Tags"], cell["x_RowId"]) == ("", "", "'=1")
        assert (cell["BilledCost"], cell["BillingAccountId"]) == (row["BilledCost"], "team 7")
    assert "content-disposition" not in client.post("/focus", json=body).headers


def test_what_is_not_used_is_no_row(client: httpx.Client) -> None:
    rows = estimate(client, {"offer": GOOD, "usage": {"input_tokens": 5, "cache_read_tokens": 5, "output_tokens": 0}})
    assert [row["SkuMeter"] for row in rows] == ["Cache Read Tokens"]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown model": ({"rows": [{"offer": "openai/nope", "usage": {"input_tokens": 1}}]}, "/rows/0"),
    "second row": (
        {"rows": [{"offer": GOOD, "usage": {"input_tokens": 1}}, {"offer": GOOD, "usage": {"input_tokens": -1}}]},
        "/rows/1/usage/input_tokens",
    ),
    "outside the period": ({"billing_period": "2026-10"}, "/rows/0/as_of"),
    "no month": ({"billing_period": "2026-13"}, "/billing_period"),
    "no year": ({"billing_period": "0000-01"}, "/billing_period"),
    "the last month": ({"billing_period": "9999-12"}, "/billing_period"),
    "the last hour": ({"as_of": "9999-12-31T23:59:59Z"}, "/rows/0/as_of"),
    "no account": ({"billing_account_id": ""}, "/billing_account_id"),
    "no rate": ({"currency": "CNY"}, "/rows/0/fx"),
    "unknown field": ({"invoice": "1"}, "/invoice"),
    "no rows": ({"rows": []}, "/rows"),
}


@pytest.mark.parametrize(("changes", "pointer"), BAD.values(), ids=BAD)
def test_an_estimate_with_a_hole_is_refused(client: httpx.Client, changes: dict[str, Any], pointer: str) -> None:
    body = {"as_of": AS_OF, "rows": [{"offer": GOOD, "usage": {"input_tokens": 1}}]} | changes
    refused(client.post("/focus", content=json.dumps(body)), 422, "invalid-fields", pointer)


def test_a_least_quantity_is_charged_but_not_consumed(client: httpx.Client) -> None:
    """Groq's least: 4 seconds of audio are charged as 10; at 0.36 USD an hour of 3,600 seconds that is 0.001."""
    row = private_row("ear", "audio_seconds", "0.36", per=3_600, min_quantity="10")
    assert publish(client, "focus-least", [row]).status_code == 201
    (found,) = estimate(client, {"offer": "acme/ear", "price_book": "focus-least", "usage": {"audio_seconds": 4}})
    assert found["ConsumedQuantity"] == "4"
    assert abs(Decimal(found["PricingQuantity"]) * 3_600 - 10) < Decimal("1e-24")
    assert abs(Decimal(found["BilledCost"]) - Decimal("0.001")) < Decimal("1e-27")
    assert "minimum_charged" in found["x_Warnings"]


def test_a_discount_is_in_the_contracted_price_alone(client: httpx.Client) -> None:
    """10 % off OpenAI's list price of 2: 100,000 tokens cost 0.2 by list and 0.18 by contract."""
    terms = [{"id": "ten-off", "kind": "discount", "discount_share": "0.10", "source": "contract 4711"}]
    book = {"id": "focus-discount", "currency": "USD", "base": "default", "terms": terms}
    assert client.post("/prices", json={"price_book": book}).status_code == 201
    (row,) = estimate(client, {"offer": GOOD, "price_book": "focus-discount", "usage": {"input_tokens": 100_000}})
    assert (row["ListUnitPrice"], row["ListCost"]) == ("2", "0.2")
    assert (row["ContractedUnitPrice"], row["ContractedCost"], row["BilledCost"]) == ("1.8", "0.18", "0.18")


def test_a_part_the_list_has_no_rate_for_is_charged_as_its_whole(client: httpx.Client) -> None:
    """Azure's batch of gpt-4.1 has no price of cached input: the list charges it as input, 1 USD per million."""
    row = {"provider": "azure", "model": "gpt-4.1", "meter": "cache_read_tokens", "rate": "0.25", "source": "c"}
    batch = {"processing": "batch"}
    assert publish(client, "focus-part", [row | {"context": batch}], base="default").status_code == 201
    usage = {"input_tokens": 1_000_000, "cache_read_tokens": 1_000_000}
    (found,) = estimate(
        client, {"offer": "azure/gpt-4.1", "price_book": "focus-part", "context": batch, "usage": usage}
    )
    assert (found["ListUnitPrice"], found["ListCost"], found["ContractedCost"]) == ("1", "1", "0.25")
    assert found["x_Warnings"] is None or "list_price_not_known" not in found["x_Warnings"]
