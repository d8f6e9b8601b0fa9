"""`POST /prices` records all rows or none: the first that is wrong is a problem with its pointer."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.http.asking import NO_COUNT, NO_MONEY, private_row, publish, refused

GOOD = private_row("good", "input_tokens", "1")
BAD = private_row("bad", "input_tokens", "1")

# name: (what is changed in the second row, status, error codes, pointer)
ROWS: dict[str, tuple[dict[str, Any], int, list[str], str | None]] = {
    "unknown tokenizer": ({"tokenizer": "p50k"}, 404, ["unknown-tokenizer"], "/rows/1/tokenizer"),
    "unknown meter": ({"meter": "tokens"}, 422, ["unknown-meter"], "/rows/1/meter"),
    "rate negative": ({"rate": "-1"}, 422, ["invalid-fields"], "/rows/1/rate"),
    "rate left out": ({"rate": None}, 422, ["invalid-fields"], "/rows/1/rate"),
    "valid_to before valid_from": ({"valid_to": "2026-10-31"}, 422, ["invalid-fields"], "/rows/1/valid_to"),
    "valid_to equal to valid_from": ({"valid_to": "2026-11-01"}, 422, ["invalid-fields"], "/rows/1/valid_to"),
    "instant without offset": ({"valid_from": "2026-11-01T00:00:00"}, 422, ["invalid-fields"], "/rows/1/valid_from"),
    "no such day": ({"valid_from": "2026-02-30"}, 422, ["invalid-fields"], "/rows/1/valid_from"),
    "checked on no day": ({"checked_on": "2026-02-30"}, 422, ["invalid-fields"], "/rows/1/checked_on"),
    "checked at an instant": ({"checked_on": "2026-11-01T00:00:00Z"}, 422, ["invalid-fields"], "/rows/1/checked_on"),
    "checked after today": ({"checked_on": "9999-12-31"}, 422, ["invalid-fields"], "/rows/1/checked_on"),
    "tier of no prompt": ({"max_input_tokens": 0}, 422, ["invalid-fields"], "/rows/1/max_input_tokens"),
    "tax that may be in it or not": ({"tax_rate": "0.06"}, 422, ["invalid-fields"], "/rows/1/tax_rate"),
    "tier that holds nothing": (
        {"min_input_tokens": 5, "max_input_tokens": 5}, 422, ["invalid-fields"], "/rows/1/max_input_tokens",
    ),
    "contradictory context": (
        {"provider": "openai", "model": "gpt-6-sol", "tokenizer": None, "context": {"processing": "batch", "service_tier": "flex"}},
        422, ["contradictory-context"], "/rows/1/context",
    ),
    "least quantity 0": ({"min_quantity": "0"}, 422, ["invalid-fields"], "/rows/1/min_quantity"),
    "least quantity a float": ({"min_quantity": 2.5}, 422, ["invalid-fields"], "/rows/1/min_quantity"),
    "per 0": ({"per": 0}, 422, ["invalid-fields"], "/rows/1/per"),
    "per negative": ({"per": -1}, 422, ["invalid-fields"], "/rows/1/per"),
    "per a boolean": ({"per": True}, 422, ["invalid-fields"], "/rows/1/per"),
    "per a float": ({"per": 1.5}, 422, ["invalid-fields"], "/rows/1/per"),
    "per too large": ({"per": 10**13}, 422, ["invalid-fields"], "/rows/1/per"),
    "currency of another book": ({"currency": "CNY"}, 422, ["invalid-fields"], "/rows/1/currency"),
    "unknown context key": ({"context": {"mode": "batch"}}, 422, ["unknown-context"], "/rows/1/context"),
    "unknown context value of a known vendor": (
        {"provider": "openai", "model": "gpt-6-sol", "tokenizer": None, "context": {"processing": "bulk"}},
        422, ["unknown-context"], "/rows/1/context/processing",
    ),
    "book inside the context": ({"context": {"price_book": "default"}}, 422, ["invalid-fields"], "/rows/1/context/price_book"),
    "inclusive of nothing": ({"min_inclusive": True}, 422, ["invalid-fields"], "/rows/1/min_inclusive"),
    "inclusive of no output": ({"output_inclusive": True}, 422, ["invalid-fields"], "/rows/1/output_inclusive"),
    "inclusive no boolean": ({"min_input_tokens": 5, "min_inclusive": 1}, 422, ["invalid-fields"], "/rows/1/min_inclusive"),
    "tax no boolean": ({"tax_included": "yes"}, 422, ["invalid-fields"], "/rows/1/tax_included"),
    "tax rate above 1": ({"tax_rate": "6"}, 422, ["invalid-fields"], "/rows/1/tax_rate"),
    "tax rate a float": ({"tax_rate": 0.06}, 422, ["invalid-fields"], "/rows/1/tax_rate"),
    "no source": ({"source": None}, 422, ["invalid-fields"], "/rows/1/source"),
    "source of two lines": ({"source": "a\nb"}, 422, ["invalid-fields"], "/rows/1/source"),
    "provider with a slash": ({"provider": "a/b"}, 422, ["invalid-fields"], "/rows/1/provider"),
    "provider empty": ({"provider": ""}, 422, ["invalid-fields"], "/rows/1/provider"),
    "model of blanks": ({"model": "  "}, 422, ["invalid-fields"], "/rows/1/model"),
    "model with a control character": ({"model": "a\x1bb"}, 422, ["invalid-fields"], "/rows/1/model"),
    "model with an override": ({"model": "a\u202eb"}, 422, ["invalid-fields"], "/rows/1/model"),
    "unknown field": ({"price": "1"}, 422, ["invalid-fields"], "/rows/1/price"),
    "same rate twice": ({"model": "good"}, 422, ["overlapping-prices"], "/rows/1"),
    "overlap": ({"model": "good", "valid_from": "2026-11-15", "rate": "2"}, 422, ["overlapping-prices"], "/rows/1"),
    "two tokenizers of one model": (
        {"model": "good", "meter": "output_tokens", "tokenizer": "cl100k_base"}, 422, ["invalid-fields"], "/rows/1/tokenizer",
    ),
}  # fmt: skip


def nothing_recorded(client: httpx.Client, book: str) -> bool:
    return client.get("/prices/history", params={"price_book": book}).json()["rows"] == []


@pytest.mark.parametrize(("changes", "status", "codes", "pointer"), ROWS.values(), ids=ROWS)
def test_a_bad_row(
    client: httpx.Client,
    changes: dict[str, Any],
    status: int,
    codes: list[str],
    pointer: str | None,
    request: pytest.FixtureRequest,
) -> None:
    book = f"bad-{list(ROWS).index(request.node.callspec.id)}"
    row = {name: value for name, value in (BAD | changes).items() if value is not None}
    refused(publish(client, book, [GOOD, row]), status, codes, pointer)
    assert nothing_recorded(client, book), "the first row was recorded, the second refused"


@pytest.mark.parametrize("index", range(len(NO_MONEY)), ids=lambda index: repr(NO_MONEY[index])[:30])
def test_what_is_no_rate(client: httpx.Client, index: int) -> None:
    book = f"no-rate-{index}"
    for field in ("rate", "tax_rate"):
        response = publish(client, book, [GOOD, {**BAD, field: NO_MONEY[index]}])
        refused(response, 422, "invalid-fields", f"/rows/1/{field}")
    assert nothing_recorded(client, book)


@pytest.mark.parametrize("value", NO_COUNT, ids=lambda value: repr(value)[:30])
def test_what_is_no_threshold(client: httpx.Client, value: Any) -> None:
    rows = [GOOD, {**BAD, "min_input_tokens": value}]
    refused(publish(client, "no-threshold", rows), 422, "invalid-fields", "/rows/1/min_input_tokens")


@pytest.mark.parametrize("book", ["default", "intl", "cn"])
def test_shipped_books_are_read_only(client: httpx.Client, book: str) -> None:
    for row in (GOOD, {**GOOD, "provider": "openai", "model": "gpt-6-sol", "rate": "0.01"}):
        refused(publish(client, book, [row]), 409, "read-only-book", "/price_book/id")


BOOKS: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "upper case": ({"id": "Acme", "currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "blank": ({"id": "ac me", "currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "path": ({"id": "../acme", "currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "line break": ({"id": "acme\n", "currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "empty": ({"id": "", "currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "65 letters": ({"id": "a" * 65, "currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "number": ({"id": 5, "currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "no id": ({"currency": "USD"}, 422, "invalid-fields", "/price_book/id"),
    "no currency": ({"id": "acme-0"}, 422, "invalid-fields", "/price_book/currency"),
    "currency": ({"id": "acme-0", "currency": "usd"}, 422, "invalid-fields", "/price_book/currency"),
    "unknown base": (
        {"id": "acme-0", "currency": "USD", "base": "list"},
        404,
        "unknown-price-book",
        "/price_book/base",
    ),
    "unknown field": ({"id": "acme-0", "currency": "USD", "owner": "me"}, 422, "invalid-fields", "/price_book/owner"),
}


@pytest.mark.parametrize(("book", "status", "code", "pointer"), BOOKS.values(), ids=BOOKS)
def test_a_bad_book(client: httpx.Client, book: dict[str, Any], status: int, code: str, pointer: str) -> None:
    refused(client.post("/prices", json={"price_book": book, "rows": [GOOD]}), status, code, pointer)


def test_a_bad_envelope(client: httpx.Client) -> None:
    book = {"id": "acme-0", "currency": "USD"}
    refused(client.post("/prices", json={"price_book": book, "rows": []}), 422, "invalid-fields", "/rows")
    refused(client.post("/prices", json={"price_book": book}), 422, "invalid-fields", "/rows")
    refused(client.post("/prices", json={"rows": [GOOD]}), 422, "invalid-fields", "/price_book")
    refused(client.post("/prices", json={"price_book": "acme", "rows": [GOOD]}), 422, "invalid-fields", "/price_book")
    refused(client.post("/prices", json={"price_book": book, "rows": [GOOD, 5]}), 422, "invalid-fields", "/rows/1")
    many = [GOOD] * 10_001
    refused(
        client.post("/prices", json={"price_book": book, "rows": many}),
        413,
        "too-many-rows",
        "/rows",
        "max_rows is 10000",
    )
    assert nothing_recorded(client, "acme-0")


def test_lone_surrogates(client: httpx.Client) -> None:
    book = {"id": "surrogate", "currency": "USD"}
    changes: list[dict[str, Any]] = [
        {field: "\ud800"} for field in ("model", "source", "tokenizer", "provider", "meter")
    ]
    changes += [{"context": {"processing": "\ud800"}}, {"context": {"\ud800": "a"}}, {"\ud800": "a"}]
    for change in changes:
        response = client.post("/prices", content=json.dumps({"price_book": book, "rows": [GOOD, BAD | change]}))
        refused(response, 422, ["invalid-fields", "unknown-context", "unknown-meter"])
    assert nothing_recorded(client, "surrogate")


def test_an_existing_book_keeps_its_currency_and_its_rows(client: httpx.Client) -> None:
    assert publish(client, "kept", [GOOD]).status_code == 201
    yuan = client.post(
        "/prices", json={"price_book": {"id": "kept", "currency": "CNY"}, "rows": [{**GOOD, "rate": "2"}]}
    )
    refused(yuan, 422, "invalid-fields", "/price_book/currency")
    (row,) = client.get("/prices/history", params={"price_book": "kept"}).json()["rows"]
    assert (row["rate"], row["currency"], row["superseded_at"]) == ("1", "USD", None)


def test_a_correction_supersedes_and_the_same_again_changes_nothing(client: httpx.Client) -> None:
    def published(rate: str) -> tuple[int, int, int]:
        (row,) = publish(client, "corrected", [{**GOOD, "rate": rate}]).json()["rows"]
        return row["added"], row["superseded"], row["unchanged"]

    assert published("1") == (1, 0, 0)
    assert published("1.00") == (0, 0, 1)
    assert published("2") == (1, 1, 0)
    rows = client.get("/prices/history", params={"price_book": "corrected"}).json()["rows"]
    assert [(row["rate"], row["superseded_at"] is None) for row in rows] == [("1", False), ("2", True)]
    (row,) = client.get("/prices", params={"price_book": "corrected", "as_of": "2026-11-30"}).json()["rows"]
    assert row["rate"] == "2"


def test_a_base_in_another_currency(client: httpx.Client) -> None:
    """A base that answers has to be in the book's currency, or a bill would add dollars and yuan: refused, or not used and said."""
    row = {**GOOD, "provider": "deepseek", "model": "deepseek-flash", "tokenizer": None}
    response = publish(client, "mixed", [row], base="cn")
    if response.status_code == 201:
        usage = {"input_tokens": 1_000_000, "output_tokens": 1_000_000}
        asked = {
            "rows": [{"offer": "deepseek/deepseek-flash", "price_book": "mixed", "usage": usage}],
            "as_of": "2026-11-30",
        }
        (answer,) = client.post("/price", json=asked).json()["rows"]
        assert answer["total"] is None
        assert "cn" in answer["error_detail"], f"does not say why the base does not answer: {answer['error_detail']}"
    else:
        refused(response, 422, "invalid-fields", "/price_book/base")
