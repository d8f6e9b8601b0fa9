"""How the HTTP tests ask, and what every refusal has to look like: `design/contract.md`, "Everywhere"."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import httpx

from api.http.problem_types import PROBLEM_TYPES

AS_OF = "2026-11-30T12:00:00Z"
GOOD = "openai/gpt-6-sol"  # USD, 2 in, 10 out, 0.2 cached; batch at half price
SECRET = "zebra-4711-quartz"
"""Stands in every text and query string of a bad request: no answer may give it back."""

COMPARE_COLUMNS = [
    "row_id",
    "rank",
    "offer",
    "provider",
    "model",
    "price_book",
    "context",
    "tokenizer",
    "count_method",
    "sample",
    "input_characters",
    "input_tokens",
    "output_characters",
    "output_tokens",
    "tokens_per_character",
    "input_price_per_mtok",
    "output_price_per_mtok",
    "input_cost_per_mchar",
    "output_cost_per_mchar",
    "cost_per_query",
    "cost_per_month",
    "revenue_per_query",
    "gross_margin_ratio",
    "currency",
    "native_currency",
    "native_input_price_per_mtok",
    "native_output_price_per_mtok",
    "native_cost_per_query",
    "fx_rate",
    "fx_as_of",
    "as_of",
    "price_valid_from",
    "price_checked_on",
    "price_source",
    "price_status",
    "catalog_version",
    "method_version",
    "frame_tokens",
    "tokens_low",
    "tokens_high",
    "cost_per_query_low",
    "cost_per_query_high",
    "error_code",
    "error_detail",
    "warnings",
    "tool_tokens",
    "image_tokens",
]
PRICE_COLUMNS = [
    "row_id",
    "offer",
    "price_book",
    "context",
    "as_of",
    "total",
    "currency",
    "price_valid_from",
    "price_checked_on",
    "price_source",
    "price_status",
    "error_code",
    "error_detail",
    "warnings",
]
TOKENIZE_COLUMNS = [
    "text_id",
    "tokenizer",
    "count_method",
    "tokens",
    "frame_tokens",
    "characters",
    "bytes",
    "utf16_units",
    "graphemes",
    "non_whitespace_characters",
    "tokens_per_character",
    "tokens_low",
    "tokens_high",
]
MONEY = [name for name in COMPARE_COLUMNS if "cost" in name or "_price_per" in name]

NO_MONEY: list[Any] = [
    1.5, 1e3, True, False, [], {}, "NaN", "sNaN", "Infinity", "-Infinity", "1e999999", "1e-999999", "0e999999999", "1e3", "1E3",
    "1_0", "１２", "٣", "²", " 1", "1 ", "1\n", "0x10", "+1", "-1", "-0", "--1", "1.", ".5", "1,5", "1.2.3", "", "-", "$1",
    "9" * 19, "1." + "9" * 31, "9" * 5_000, 10**18, -1,
]  # fmt: skip
NO_COUNT: list[Any] = [
    1.0, 1.5, True, False, [], {}, -1, 10**18, "1.5", "1.0", "-1", "-0", "+1", " 1", "1 ", "1_0", "1e3", "１２", "٣", "NaN", "", "0x10",
    "9" * 19, "9" * 5_000,
]  # fmt: skip
"""JSON values that are no decimal of 0 or more, and no count."""

Row = dict[str, Any]


def refused(
    response: httpx.Response, status: int, code: str | Sequence[str], pointer: str | None = None, says: str = ""
) -> dict[str, Any]:
    """The problem in `response`, which must be one in every respect."""
    assert response.status_code == status, f"{response.status_code}, not {status}: {response.text[:500]}"
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert {"type", "title", "status", "detail", "error_code", "request_id", "errors"} <= set(body)
    kind = PROBLEM_TYPES[body["error_code"]]
    assert body["error_code"] in ([code] if isinstance(code, str) else code), body
    assert (body["type"], body["title"]) == (f"/problems/{kind.slug}", kind.title)
    assert body["status"] == kind.status == status
    assert body["request_id"] == response.headers["x-request-id"] != ""
    assert body["detail"], body
    for error in body["errors"]:
        assert set(error) == {"pointer", "detail"}
        assert error["pointer"] == "" or error["pointer"].startswith("/"), f"not a JSON pointer: {error}"
        assert error["detail"] not in ("", "invalid value"), f"does not say what is wrong: {error}"
    if pointer is not None:
        assert pointer in [error["pointer"] for error in body["errors"]], body["errors"]
    assert says in response.text, body
    assert SECRET not in response.text, "the caller's text or query string is given back"
    return body


def question(**changes: Any) -> dict[str, Any]:
    """A body of `POST /compare` that is answered, with some fields changed; None leaves a field out."""
    body = {"text": f"{SECRET} hello", "offers": [GOOD], "as_of": AS_OF, **changes}
    return {name: value for name, value in body.items() if value is not None}


def compared(client: httpx.Client, query: str = "", **changes: Any) -> list[Row]:
    """The rows of a question that is answered."""
    response = client.post(f"/compare{query}", json=question(**changes))
    assert response.status_code == 200, response.text
    rows: list[Row] = response.json()["rows"]
    for row in rows:
        assert list(row) == COMPARE_COLUMNS
    return rows


def only(client: httpx.Client, offer: str | Mapping[str, Any] = GOOD, **changes: Any) -> Row:
    """The one row of a question about one offer, which must be priced."""
    (row,) = compared(client, offers=[offer], **changes)
    assert row["error_code"] is None, row["error_detail"]
    return row


def priced(client: httpx.Client, *rows: Any, query: str = "", **top: Any) -> list[Row]:
    """The rows of `POST /price`."""
    response = client.post(f"/price{query}", content=json.dumps({"as_of": AS_OF, "rows": rows, **top}))
    assert response.status_code == 200, response.text
    answered: list[Row] = response.json()["rows"]
    assert len(answered) == len(rows)
    return answered


def rates(
    client: httpx.Client, offer: str, book: str = "default", as_of: str = AS_OF, **context: str
) -> dict[str, Fraction]:
    """Rate per token by meter, as `GET /prices` lists them: lowest tier, exactly this context."""
    provider, _, model = offer.partition("/")
    parameters = {"provider": provider, "model": model, "price_book": book, "as_of": as_of}
    listed = client.get("/prices", params=parameters).json()["rows"]
    wanted = ";".join(f"{name}={value}" for name, value in sorted(context.items()))
    return {
        row["meter"]: Fraction(row["rate"]) / row["per"]
        for row in listed
        if row["kind"] == "rate" and row["context"] == wanted and row["min_input_tokens"] is None
    }


def same(printed: str | None, expected: Fraction) -> None:
    """Equal, or equal to 28 significant digits half to even where the quotient does not end."""
    assert printed is not None
    if Fraction(printed) == expected:
        return
    digits = len(printed.replace(".", "").replace("-", "").lstrip("0"))
    unit = Fraction(10) ** -len(printed.partition(".")[2])
    assert digits >= 27, (printed, float(expected))
    assert abs(Fraction(printed) - expected) * 2 <= unit, (printed, float(expected))


def private_row(model: str, meter: str, rate: str, **more: Any) -> dict[str, Any]:
    """A row to publish, of an invented vendor whose tokens are counted with o200k_base."""
    return {
        "provider": "acme", "model": model, "tokenizer": "o200k_base", "meter": meter, "rate": rate, "per": 1_000_000,
        "valid_from": "2026-11-01", "source": "contract 4711", "checked_on": "2026-11-01", **more,
    }  # fmt: skip


def publish(client: httpx.Client, book: str, rows: Sequence[Mapping[str, Any]], **more: Any) -> httpx.Response:
    """`POST /prices` into a private book in USD."""
    return client.post("/prices", json={"price_book": {"id": book, "currency": "USD", **more}, "rows": rows})
