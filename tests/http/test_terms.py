"""Terms of a contract over HTTP: published with the book, listed, in the price, refused with a pointer."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.http.asking import AS_OF, GOOD, NO_MONEY, only, priced, private_row, refused

DISCOUNT = {"id": "framework", "kind": "discount", "discount_share": "0.12", "source": "contract 4711"}
FREE = {"id": "free", "kind": "free_allowance", "meter": "web_searches", "quantity": "5000", "source": "price page"}
CREDIT = {"id": "grant", "kind": "credit", "amount": "100", "source": "mail"}
COMMITMENT = {
    "id": "spend", "kind": "committed_spend", "amount": "1000", "per": "month", "valid_from": "2026-01-01",
    "source": "contract 4711",
}  # fmt: skip


def record(client: httpx.Client, book: str, *terms: Any, rows: Any = (), **more: Any) -> httpx.Response:
    """`POST /prices` of terms into a book whose base is the list."""
    of_book = {"id": book, "base": "default", "currency": "USD", "terms": list(terms), **more}
    return client.post("/prices", json={"price_book": of_book, "rows": list(rows)})


def counts(response: httpx.Response) -> tuple[int, int, int]:
    assert response.status_code == 201, response.text
    (row,) = response.json()["rows"]
    return row["added"], row["superseded"], row["unchanged"]


def listed(client: httpx.Client, book: str, **asked: str) -> list[dict[str, Any]]:
    response = client.get("/price-terms", params={"price_book": book, **asked})
    assert response.status_code == 200, response.text
    rows: list[dict[str, Any]] = response.json()["rows"]
    return rows


def test_a_discount_on_the_list_is_in_every_price(client: httpx.Client) -> None:
    """gpt-6-sol is 2 in, 10 out: 12 % less are 1.76 and 8.8."""
    assert counts(record(client, "twelve", DISCOUNT)) == (1, 0, 0)
    short = {"input_tokens": 100_000, "output_tokens": 100_000}
    (row,) = priced(client, {"offer": GOOD, "price_book": "twelve", "usage": short}, query="?lines=1")
    assert row["total"] == "1.056"
    assert {line["meter"]: line["rate"] for line in row["lines"]} == {"input_tokens": "1.76", "output_tokens": "8.8"}
    assert {"base_price_used", "contract_discount=framework"} <= set(row["warnings"].split(";"))
    assert row["price_source"].endswith("contract 4711")
    compared = only(client, f"{GOOD}@twelve")
    assert (compared["input_price_per_mtok"], compared["output_price_per_mtok"]) == ("1.76", "8.8")
    assert "contract_discount=framework" in compared["warnings"].split(";")
    answer = client.post(
        "/price", json={"as_of": AS_OF, "rows": [{"offer": GOOD, "price_book": "twelve", "usage": short}]}
    )
    assert "contract_discount" in [warning["code"] for warning in answer.json()["meta"]["warnings"]]
    blend = {"rows": [{"offer": GOOD, "price_book": "twelve"}], "mix": "3:1", "as_of": AS_OF}
    (blended,) = client.post("/blended-price", json=blend).json()["rows"]
    assert "contract_discount=framework" in blended["warnings"].split(";")
    (plain,) = priced(client, {"offer": GOOD, "usage": short})
    assert (plain["total"], plain["warnings"]) == ("1.2", "")


def test_a_discount_of_batch_is_in_the_batch_share(client: httpx.Client) -> None:
    """Batch is 1 in; half of it off is 0.5. Half of 100,000 at 2 and half at 0.5 are 0.125."""
    off = {
        **DISCOUNT,
        "discount_share": "0.5",
        "provider": "openai",
        "model": "GPT-6-sol",
        "context": {"processing": "batch"},
    }
    assert record(client, "batch-half", off).status_code == 201
    workload = {"batch_share": "0.5", "output_tokens_per_query": 0}
    samples = [{"input_tokens": 100_000}]
    body = {"offers": [f"{GOOD}@batch-half"], "as_of": AS_OF, "samples": samples, "workload": workload}
    (row,) = client.post("/compare", json=body).json()["rows"]
    assert (row["error_detail"], row["cost_per_query"]) == (None, "0.125")
    assert "contract_discount=framework" in row["warnings"].split(";")


def test_own_rates_stay_where_the_discount_is_on_the_base(client: httpx.Client) -> None:
    row = {**private_row("gpt-6-sol", "input_tokens", "1.80"), "provider": "openai", "tokenizer": None}
    assert counts(record(client, "based", {**DISCOUNT, "base_only": True}, rows=[row])) == (2, 0, 0)
    usage = {"input_tokens": 100_000, "output_tokens": 100_000}
    (answer,) = priced(client, {"offer": GOOD, "price_book": "based", "usage": usage})
    assert answer["total"] == "1.06"  # 0.1 · 1.80 + 0.1 · 8.8


def test_terms_are_listed_and_said_again(client: httpx.Client) -> None:
    terms = (DISCOUNT, FREE, CREDIT, COMMITMENT)
    period = {"valid_from": "2026-01-01", "valid_to": "2027-01-01"}
    assert counts(record(client, "listed", *terms, **period)) == (5, 0, 0)
    assert counts(record(client, "listed", *terms, **period)) == (0, 0, 5)
    rows = listed(client, "listed")
    assert [(row["id"], row["kind"]) for row in rows] == [
        ("framework", "discount"), ("free", "free_allowance"), ("grant", "credit"), ("spend", "committed_spend"),
        ("*", "book_period"),
    ]  # fmt: skip
    assert [row["discount_share"] or row["quantity"] or row["amount"] for row in rows] == [
        "0.12",
        "5000",
        "100",
        "1000",
        None,
    ]
    assert (rows[-1]["valid_from"], rows[-1]["valid_to"]) == ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
    assert {row["currency"] for row in rows} == {"USD"}
    assert [row["id"] for row in listed(client, "listed", as_of="2025-12-31")] == ["framework", "free", "grant"]
    assert listed(client, "listed", known_at="2026-01-01") == []
    assert listed(client, "no-such-book") == []
    first = client.get("/price-terms", params={"price_book": "listed", "limit": 3}).json()
    rest = client.get("/price-terms", params={"price_book": "listed", "limit": 3, "cursor": first["next"]}).json()
    assert [*first["rows"], *rest["rows"]] == rows
    assert rest["next"] is None
    table = client.get("/price-terms", params={"price_book": "listed", "format": "csv"}).text
    assert table.splitlines()[0].startswith("price_book,id,kind,order,")


def test_a_term_is_cleared(client: httpx.Client) -> None:
    assert counts(record(client, "cleared", DISCOUNT, CREDIT)) == (2, 0, 0)
    assert counts(record(client, "cleared", {"id": "framework", "kind": "cleared"})) == (0, 1, 0)
    assert [row["id"] for row in listed(client, "cleared")] == ["grant"]
    assert counts(record(client, "cleared", {"id": "framework", "kind": "cleared"})) == (0, 0, 1)


def test_outside_of_its_period_a_book_answers_nothing_and_never_the_list(client: httpx.Client) -> None:
    assert counts(record(client, "dated", valid_from="2026-12-01")) == (1, 0, 0)
    asked = {"offer": GOOD, "price_book": "dated", "usage": {"input_tokens": 1}}
    before, after = priced(client, asked, {**asked, "as_of": "2026-12-01"})
    assert (before["error_code"], before["total"]) == ("missing-price", None)
    assert "from 2026-12-01T00:00:00Z" in before["error_detail"]
    assert after["total"] == "0.000002"
    assert counts(record(client, "dated", valid_from=None)) == (0, 1, 0), (
        "null opens the book, leaving it out would not"
    )
    assert priced(client, asked)[0]["total"] == "0.000002"


# changed fields of a term, error code, pointer within it
BAD: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "share above 1": ({**DISCOUNT, "discount_share": "1.5"}, 422, "invalid-fields", "/discount_share"),
    "share negative": ({**DISCOUNT, "discount_share": "-0.1"}, 422, "invalid-fields", "/discount_share"),
    "share a float": ({**DISCOUNT, "discount_share": 0.12}, 422, "invalid-fields", "/discount_share"),
    "share of nothing": ({**DISCOUNT, "discount_share": "0"}, 422, "invalid-fields", "/discount_share"),
    "share of 13 decimals": ({**DISCOUNT, "discount_share": "0.0123456789012"}, 422, "invalid-fields", "/discount_share"),
    "share left out": ({"id": "d", "kind": "discount", "source": "s"}, 422, "invalid-fields", "/discount_share"),
    "credit negative": ({**CREDIT, "amount": "-1"}, 422, "invalid-fields", "/amount"),
    "credit of nothing": ({**CREDIT, "amount": "0"}, 422, "invalid-fields", "/amount"),
    "field of another kind": ({**CREDIT, "discount_share": "0.1"}, 422, "invalid-fields", "/discount_share"),
    "no source": ({"id": "c", "kind": "credit", "amount": "1"}, 422, "invalid-fields", "/source"),
    "unknown meter": ({**FREE, "meter": "words"}, 422, "unknown-meter", "/meter"),
    "unknown meters": ({**DISCOUNT, "meters": ["words"]}, 422, "unknown-meter", "/meters"),
    "no meters": ({**DISCOUNT, "meters": []}, 422, "invalid-fields", "/meters"),
    "unknown kind": ({**CREDIT, "kind": "gift"}, 422, "invalid-fields", "/kind"),
    "unknown field": ({**CREDIT, "currency": "USD"}, 422, "invalid-fields", "/currency"),
    "unknown provider": ({**DISCOUNT, "provider": "opanai"}, 404, "unknown-provider", "/provider"),
    "unknown model": ({**DISCOUNT, "provider": "openai", "model": "gpt-66"}, 404, "unknown-model", "/model"),
    "model without provider": ({**DISCOUNT, "model": "gpt-6-sol"}, 422, "invalid-fields", "/provider"),
    "unknown context": ({**DISCOUNT, "context": {"weather": "wet"}}, 422, "unknown-context", "/context"),
    "unknown context of a vendor": (
        {**DISCOUNT, "provider": "openai", "context": {"processing": "bulk"}}, 422, "unknown-context", "/context/processing",
    ),
    "context value of no vendor": (
        {**DISCOUNT, "context": {"processing": "bulk"}}, 422, "unknown-context", "/context/processing",
    ),
    "contexts of two vendors": (
        {**DISCOUNT, "context": {"data_residency": "us", "thinking_mode": "true"}}, 422, "unknown-context", "/context",
    ),
    "book inside the context": ({**DISCOUNT, "context": {"price_book": "a"}}, 422, "invalid-fields", "/context/price_book"),
    "end before start": (
        {**CREDIT, "valid_from": "2026-02-01", "valid_to": "2026-01-01"}, 422, "invalid-fields", "/valid_to",
    ),
    "commitment within a month": ({**COMMITMENT, "valid_from": "2026-01-15"}, 422, "invalid-fields", "/valid_from"),
    "commitment without an end": ({**COMMITMENT, "per": "term"}, 422, "invalid-fields", "/valid_to"),
    "commitment per week": ({**COMMITMENT, "per": "week"}, 422, "invalid-fields", "/per"),
    "order a float": ({**CREDIT, "order": 1.5}, 422, "invalid-fields", "/order"),
    "id in capitals": ({**CREDIT, "id": "Grant"}, 422, "invalid-fields", "/id"),
    "id of the book's period": ({**CREDIT, "id": "*"}, 422, "invalid-fields", "/id"),
    "same id at the same time": ({**DISCOUNT, "id": "first"}, 422, "overlapping-prices", "/valid_from"),
    "same id, another kind": ({**CREDIT, "id": "first"}, 422, "invalid-fields", "/kind"),
    "same id, cleared": ({"id": "first", "kind": "cleared"}, 422, "invalid-fields", "/id"),
    "cleared with a share": ({"id": "x", "kind": "cleared", "discount_share": "1"}, 422, "invalid-fields", "/discount_share"),
    "not an object": (5, 422, "invalid-fields", ""),  # type: ignore[dict-item]
}  # fmt: skip


@pytest.mark.parametrize(("term", "status", "code", "pointer"), BAD.values(), ids=BAD)
def test_a_bad_term_records_nothing(
    client: httpx.Client, term: Any, status: int, code: str, pointer: str, request: pytest.FixtureRequest
) -> None:
    book = f"bad-term-{list(BAD).index(request.node.callspec.id)}"
    response = record(client, book, {**DISCOUNT, "id": "first"}, term)
    at = 0 if pointer == "/id" and isinstance(term, dict) and term["kind"] == "cleared" else 1
    refused(response, status, code, f"/price_book/terms/{at}{pointer}")
    assert listed(client, book) == []


def test_what_is_no_amount(client: httpx.Client) -> None:
    for value in NO_MONEY:
        response = record(client, "no-amount", {**CREDIT, "amount": value})
        refused(response, 422, "invalid-fields", "/price_book/terms/0/amount")


def test_a_discount_of_many_decimals_says_how_many_it_may_have(client: httpx.Client) -> None:
    """Each decimal of a discount is one more in every cost; a thousand of 28 made a total of 28,000 digits."""
    assert record(client, "decimals", {**DISCOUNT, "discount_share": "0.012345678901"}).status_code == 201
    long = "0.0123456789012345678901234567"
    response = record(client, "decimals", {**DISCOUNT, "discount_share": long})
    refused(response, 422, "invalid-fields", "/price_book/terms/0/discount_share", "at most 12 decimals")
    # one discount of one question cannot pile up, and stays exact: 2·(1 − 0.0123…)
    one = only(client, {"offer": GOOD, "discount_share": long})
    assert one["input_price_per_mtok"] == "1.9753086421975308642197530866"


def test_eight_discounts_on_an_offer(client: httpx.Client) -> None:
    """Eight times a half leave 2 / 256 = 0.0078125; a ninth is refused, wherever it comes from."""
    general = [{**DISCOUNT, "id": f"g{n}", "discount_share": "0.5"} for n in range(3)]
    vendor = [{**DISCOUNT, "id": f"p{n}", "discount_share": "0.5", "provider": "openai"} for n in range(3)]
    model = [
        {**DISCOUNT, "id": f"m{n}", "discount_share": "0.5", "provider": "OpenAI", "model": "gpt-6-sol"}
        for n in range(2)
    ]
    assert counts(record(client, "eight", *general, *vendor, *model)) == (8, 0, 0)
    assert only(client, f"{GOOD}@eight")["input_price_per_mtok"] == "0.0078125"
    other = {**DISCOUNT, "id": "m9", "provider": "openai", "model": "gpt-6-luna"}
    assert counts(record(client, "eight", other)) == (1, 0, 0), "another model has seven"
    for ninth in ({**general[0], "id": "x"}, {**vendor[0], "id": "x"}, {**model[0], "id": "x"}):
        response = record(client, "eight", CREDIT, {**ninth, "meters": ["web_searches"], "valid_from": "2030-01-01"})
        refused(response, 422, "invalid-fields", "/price_book/terms/1", "at most 8")
    assert len(listed(client, "eight")) == 9
    instead = record(client, "eight", {"id": "g0", "kind": "cleared"}, {**model[0], "id": "x"})
    assert counts(instead) == (1, 1, 0), "one fewer makes room for one"


def test_a_million_terms(client: httpx.Client) -> None:
    many = [{"id": "a", "kind": "cleared"}] * 100_000
    refused(record(client, "many", *many), 422, "invalid-fields", "/price_book/terms")
    response = client.post(
        "/prices", content=b'{"price_book": {"id": "many", "currency": "USD", "terms": [' + b"{}," * 999_999 + b"{}]}}"
    )
    refused(response, 422, "invalid-fields", "/price_book/terms")


def test_no_book_begins_with_what_is_cleared(client: httpx.Client) -> None:
    row = {**private_row("gpt-6-sol", "input_tokens", "1"), "provider": "openai", "tokenizer": None, "rate": None}
    version = client.get("/providers").json()["meta"]["catalog_version"]
    for response in (
        record(client, "never-there", rows=[row]),
        record(client, "never-there", {"id": "framework", "kind": "cleared"}),
        record(client, "never-there", {"id": "framework", "kind": "cleared"}, rows=[row]),
    ):
        refused(response, 404, "unknown-price-book", "/price_book/id")
    assert client.get("/providers").json()["meta"]["catalog_version"] == version
    (answer,) = priced(client, {"offer": GOOD, "price_book": "never-there", "usage": {"input_tokens": 1}})
    assert answer["error_code"] == "unknown-price-book"


def test_a_rate_that_is_null_is_cleared(client: httpx.Client) -> None:
    """BerriAI/litellm#40741: a key that is there with null is neither a key left out nor 0."""
    row = {**private_row("gpt-6-sol", "input_tokens", "1.80"), "provider": "openai", "tokenizer": None}
    assert counts(record(client, "nulled", rows=[row])) == (1, 0, 0)
    asked = {"offer": GOOD, "price_book": "nulled", "usage": {"input_tokens": 100_000}}
    assert priced(client, asked)[0]["total"] == "0.18"
    left_out = {name: value for name, value in row.items() if name != "rate"}
    refused(record(client, "nulled", rows=[left_out]), 422, "invalid-fields", "/rows/0/rate")
    assert counts(record(client, "nulled", rows=[{**row, "rate": None}])) == (0, 1, 0)
    (answer,) = priced(client, asked)
    assert (answer["total"], answer["warnings"]) == ("0.2", "base_price_used")
    assert counts(record(client, "nulled", rows=[{**row, "rate": None}])) == (0, 0, 1)
    (history,) = client.get("/prices/history", params={"price_book": "nulled"}).json()["rows"]
    assert (history["rate"], history["superseded_at"] is None) == ("1.8", False)
