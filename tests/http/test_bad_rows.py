"""What is wrong inside one element of `rows[]` or `offers[]`: a row that says so, the others answered; or with `?on_error=fail` a 422."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from api.http.problem_types import PROBLEM_TYPES
from tests.http.asking import (
    AS_OF,
    COMPARE_COLUMNS,
    GOOD,
    MONEY,
    NO_COUNT,
    NO_MONEY,
    PRICE_COLUMNS,
    SECRET,
    compared,
    priced,
    question,
    refused,
)

USAGE = {"input_tokens": 1_000, "output_tokens": 100}
LONG = "x" * 290
WORKLOAD: dict[str, Any] = {
    "workload": {"output_tokens_per_query": 100},
    "fx": [{"from": "CNY", "to": "USD", "rate": "0.1408", "as_of": "2026-11-30"}],
}

# name: (offer as it is written, error_code, what the detail must say)
OFFERS: dict[str, tuple[Any, str, list[str]]] = {
    "unknown provider": ("opnai/gpt-6-sol", "unknown-provider", ["openai"]),
    "unknown model": ("openai/gpt-6-so", "unknown-model", ["openai/gpt-6-sol"]),
    "prefix of a model": ("openai/gpt", "unknown-model", []),
    "model with more behind it": ("openai/gpt-6-sol-mini", "unknown-model", ["openai/gpt-6-sol"]),
    "Cyrillic letter": ("openai/gpt-4о", "unknown-model", ["openai/gpt-4o"]),
    "right-to-left override": ("openai/‮gpt-6-sol", "unknown-model", []),
    "zero-width joiner": ("openai/gpt-6‍-sol", "unknown-model", []),
    "blank before": (" openai/gpt-6-sol", "unknown-provider", []),
    "long model": (f"openai/{LONG}", "unknown-model", []),
    "long provider": (f"{LONG}/a", "unknown-provider", []),
    "too long": ("openai/" + "x" * 400, "invalid-fields", ["300"]),
    "no slash": ("gpt-6-sol", "invalid-fields", ["provider/model"]),
    "no model": ("openai/", "invalid-fields", ["provider/model"]),
    "no provider": ("/gpt-6-sol", "invalid-fields", ["provider/model"]),
    "path": ("../../etc/passwd", "unknown-provider", []),
    "NUL": ("openai/\0", "unknown-model", []),
    "unknown book": ({"offer": GOOD, "price_book": "cn"}, "unknown-price-book", ["default"]),
    "unknown book in the compact form": (f"{GOOD}@nowhere", "unknown-model", []),
    "two books and no default": ("alibaba/qwen-plus", "ambiguous-price-book", ["intl", "cn"]),
    "unknown context key": ({"offer": GOOD, "context": {"mode": "batch"}}, "unknown-context", ["processing", "service_tier"]),
    "unknown context value": ({"offer": GOOD, "context": {"processing": "bulk"}}, "unknown-context", ["standard", "batch"]),
    "context value with a blank": ({"offer": GOOD, "context": {"processing": "batch "}}, "unknown-context", ["batch"]),
    "key of another vendor": ({"offer": GOOD, "context": {"thinking_mode": True}}, "unknown-context", ["processing"]),
    "contradiction": (
        {"offer": GOOD, "context": {"processing": "batch", "service_tier": "flex"}}, "contradictory-context", ["batch", "flex"],
    ),
    "book inside the context": ({"offer": GOOD, "context": {"price_book": "default"}}, "invalid-fields", ["price_book", "beside"]),
    "context required": (
        {"offer": "alibaba/qwen-plus", "price_book": "cn"}, "context-required", ["thinking_mode", "true", "false"],
    ),
    "not offered in batch": ({"offer": "google/gemini-4-neon", "context": {"processing": "batch"}}, "not-offered", ["batch"]),
    "withdrawn": ("perplexity/sonar", "retired", ["2026-09-27"]),
    "context no object": ({"offer": GOOD, "context": "batch"}, "invalid-fields", ["/context"]),
    "context value a number": ({"offer": GOOD, "context": {"processing": 1}}, "invalid-fields", ["/context"]),
    "context value of 200": ({"offer": GOOD, "context": {"processing": "b" * 200}}, "invalid-fields", ["/context"]),
    "offer a number": ({"offer": 5}, "invalid-fields", ["/offer"]),
    "offer left out": ({"price_book": "default"}, "invalid-fields", ["/offer"]),
    "book a number": ({"offer": GOOD, "price_book": 5}, "invalid-fields", ["/price_book"]),
    "row_id a boolean": ({"offer": GOOD, "row_id": True}, "invalid-fields", ["/row_id"]),
    "row_id an object": ({"offer": GOOD, "row_id": {}}, "invalid-fields", ["/row_id"]),
    "row_id of 300": ({"offer": GOOD, "row_id": "r" * 300}, "invalid-fields", ["/row_id", "200"]),
    "unknown field": ({"offer": GOOD, "prices": []}, "invalid-fields", ["/prices", "unknown field"]),
    "null": (None, "invalid-fields", []),
    "number": (5, "invalid-fields", []),
    "list": ([GOOD], "invalid-fields", []),
}  # fmt: skip
COMPARED_ONLY: dict[str, tuple[Any, str, list[str]]] = {
    "discount above 1": (
        {"offer": GOOD, "discount_share": "1.01"},
        "invalid-fields",
        ["/discount_share", "between 0 and 1"],
    ),
    "discount of 100 percent and a bit": (
        {"offer": GOOD, "discount_share": "100.01"},
        "invalid-fields",
        ["/discount_share"],
    ),
    "discount negative": ({"offer": GOOD, "discount_share": "-0.1"}, "invalid-fields", ["/discount_share"]),
    "unknown tokenizer": ({"offer": GOOD, "tokenizer": "p50k"}, "unknown-tokenizer", []),
    "hosting": ({"hosting": {"model": "llama-3.3-70b", "accelerator": "h100-sxm"}}, "invalid-fields", ["hosting"]),
    "empty": ("", "invalid-fields", []),
    "empty object": ({}, "invalid-fields", ["/offer"]),
}


def check_detail(row: dict[str, Any], code: str, says: list[str], field: str) -> None:
    assert row["error_code"] == code, row["error_detail"]
    assert code in PROBLEM_TYPES
    detail = row["error_detail"]
    assert detail
    assert len(detail) <= 400, detail
    assert "x" * 101 not in detail, "more than 100 characters of what was sent are given back"
    assert detail.isprintable()
    for words in says:
        assert words in detail, f"{words} is not in: {detail}"
    assert row[field] is None


@pytest.mark.parametrize(("offer", "code", "says"), (OFFERS | COMPARED_ONLY).values(), ids=OFFERS | COMPARED_ONLY)
def test_a_bad_offer_is_a_row_and_the_others_are_answered(
    client: httpx.Client, offer: Any, code: str, says: list[str]
) -> None:
    good, bad = compared(client, offers=[offer, GOOD], **WORKLOAD)
    assert (good["rank"], good["row_id"], good["error_code"]) == (1, 1, None)
    check_detail(bad, code, says, "cost_per_query")
    assert (bad["rank"], bad["row_id"], bad["sample"]) == (None, 0, "*")
    for name in [*MONEY, "rank", "currency", "gross_margin_ratio", "price_status", "input_tokens"]:
        assert bad[name] is None, f"{name} of a bad row is {bad[name]}"
    body = question(offers=[GOOD, offer], **WORKLOAD)
    failed = refused(client.post("/compare?on_error=fail", json=body), 422, ["invalid-fields", code])
    assert failed["errors"][0]["pointer"].startswith("/offers/1"), failed["errors"]
    assert code in json.dumps(failed)


@pytest.mark.parametrize(("offer", "code", "says"), OFFERS.values(), ids=OFFERS)
def test_a_bad_row_to_price(client: httpx.Client, offer: Any, code: str, says: list[str]) -> None:
    if "@" in str(offer):  # the compact form is of GET and CSV: here the whole text is an offer
        code = "unknown-model"
    row = (
        offer | {"usage": USAGE}
        if isinstance(offer, dict)
        else {"offer": offer, "usage": USAGE}
        if isinstance(offer, str)
        else offer
    )
    first, bad, last = priced(
        client, {"offer": GOOD, "usage": USAGE, "row_id": "a"}, row, {"offer": GOOD, "usage": USAGE}
    )
    assert (first["row_id"], first["total"], first["error_code"]) == (
        "a",
        "0.003",
        None,
    )  # 1,000 · 2 + 100 · 10 per Mtok
    assert (last["row_id"], last["total"]) == (2, "0.003")
    check_detail(bad, code, says, "total")
    assert bad["row_id"] == 1
    assert list(first)[: len(PRICE_COLUMNS)] == list(bad)[: len(PRICE_COLUMNS)] == PRICE_COLUMNS
    assert list(first) == list(bad)
    body = {"as_of": AS_OF, "rows": [{"offer": GOOD, "usage": USAGE}, row]}
    failed = refused(client.post("/price?on_error=fail", json=body), 422, ["invalid-fields", code])
    assert failed["errors"][0]["pointer"].startswith("/rows/1"), failed["errors"]
    assert code in json.dumps(failed)


# name: (usage, error codes, what the detail must say)
USAGES: dict[str, tuple[Any, list[str], list[str]]] = {
    "unknown meter": ({"tokens": 5}, ["unknown-meter"], ["input_tokens"]),
    "usage no object": ([1], ["invalid-fields"], ["/usage"]),
    "usage null": (None, ["invalid-fields"], ["usage"]),
    "cached above input": ({"input_tokens": 10, "cache_read_tokens": 11}, ["invalid-usage"], ["cache_read_tokens", "input_tokens"]),
    "read and written above input": (
        {"input_tokens": 10, "cache_read_tokens": 6, "cache_write_tokens": 6}, ["invalid-usage"], ["input_tokens"],
    ),
    "5m and 1h above writes": (
        {"input_tokens": 100, "cache_write_tokens": 10, "cache_write_5m_tokens": 6, "cache_write_1h_tokens": 6},
        ["invalid-usage"], ["cache_write_5m_tokens", "cache_write_tokens"],
    ),
    "5m and 1h above input": (
        {"input_tokens": 10, "cache_write_5m_tokens": 6, "cache_write_1h_tokens": 6}, ["invalid-usage"], ["input_tokens"],
    ),
    "reasoning above output": ({"output_tokens": 5, "reasoning_tokens": 6}, ["invalid-usage"], ["reasoning_tokens"]),
    "searches twice": ({"web_searches": 1, "web_search_queries": ["a"]}, ["invalid-usage"], ["web_searches"]),
    "queries no list": ({"web_search_queries": SECRET}, ["invalid-fields"], ["web_search_queries"]),
    "seconds negative": ({"audio_seconds": "-1.5"}, ["invalid-fields", "invalid-usage"], ["audio_seconds"]),
    "seconds a float": ({"audio_seconds": 1.5}, ["invalid-fields"], ["audio_seconds"]),
    "not sold by the page": ({"pages": 5}, ["missing-price", "not-offered"], []),
}  # fmt: skip


@pytest.mark.parametrize(("usage", "codes", "says"), USAGES.values(), ids=USAGES)
def test_bad_usage(client: httpx.Client, usage: Any, codes: list[str], says: list[str]) -> None:
    bad, good = priced(
        client, {"offer": "anthropic/claude-sonnet-5-5", "usage": usage}, {"offer": GOOD, "usage": USAGE}
    )
    assert bad["error_code"] in codes, bad
    check_detail(bad, bad["error_code"], says, "total")
    assert good["total"] == "0.003"


@pytest.mark.parametrize("value", NO_COUNT, ids=lambda value: repr(value)[:30])
def test_counts_of_usage(client: httpx.Client, value: Any) -> None:
    for meter in ("input_tokens", "cache_read_tokens", "images", "web_searches"):
        bad, good = priced(client, {"offer": GOOD, "usage": {meter: value}}, {"offer": GOOD, "usage": USAGE})
        check_detail(bad, "invalid-fields", [f"/usage/{meter}"], "total")
        assert good["total"] == "0.003"


@pytest.mark.parametrize("value", NO_MONEY, ids=lambda value: repr(value)[:30])
def test_discounts_that_are_no_decimals(client: httpx.Client, value: Any) -> None:
    good, bad = compared(client, offers=[{"offer": GOOD, "discount_share": value}, GOOD])
    check_detail(bad, "invalid-fields", ["/discount_share"], "cost_per_query")
    assert good["rank"] == 1


VENDOR_USAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "unknown format": ("nobody", {}),
    "nothing in it": ("openai", {}),
    "float": ("openai", {"prompt_tokens": 1.5, "completion_tokens": 1}),
    "boolean": ("openai", {"prompt_tokens": True, "completion_tokens": 1}),
    "negative": ("openai", {"prompt_tokens": -1, "completion_tokens": 1}),
    "details no object": ("openai", {"prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": "x"}),
    "cached above prompt": (
        "openai",
        {"prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}},
    ),
    "19 digits": ("openai", {"prompt_tokens": 10**18, "completion_tokens": 1}),
    "4,000 digits": ("openai", {"prompt_tokens": int("9" * 4_000), "completion_tokens": 1}),
    "total that is none": ("openai", {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 11}),
    "two prompts": ("openai", {"prompt_tokens": 5, "input_tokens": 6, "completion_tokens": 5}),
    "nobody's speed": ("anthropic", {"input_tokens": 5, "output_tokens": 5, "speed": {"fast": [1]}}),
    "sum that is none": ("google", {"promptTokenCount": 5, "candidatesTokenCount": 5, "totalTokenCount": 11}),
}


@pytest.mark.parametrize(("usage_format", "usage"), VENDOR_USAGES.values(), ids=VENDOR_USAGES)
def test_bad_vendor_usage(client: httpx.Client, usage_format: str, usage: dict[str, Any]) -> None:
    row = {"offer": GOOD, "usage_format": usage_format, "vendor_usage": usage}
    bad, good = priced(client, row, {"offer": GOOD, "usage": USAGE})
    assert bad["error_code"] in ("invalid-usage", "invalid-fields"), bad["total"]
    check_detail(bad, bad["error_code"], [], "total")
    assert good["total"] == "0.003"


@pytest.mark.parametrize("row", [
    {"offer": GOOD},
    {"offer": GOOD, "usage": USAGE, "usage_format": "openai", "vendor_usage": {}},
    {"offer": GOOD, "usage_format": "openai"},
    {"offer": GOOD, "vendor_usage": {}},
    {"offer": GOOD, "usage": USAGE, "as_of": "soon"},
    {"offer": GOOD, "usage": USAGE, "as_of": "2026-11-30T12:00:00"},
])  # fmt: skip
def test_rows_that_contradict_themselves(client: httpx.Client, row: dict[str, Any]) -> None:
    bad, good = priced(client, row, {"offer": GOOD, "usage": USAGE})
    check_detail(bad, "invalid-fields", [], "total")
    assert good["total"] == "0.003"


def test_instants_of_rows(client: httpx.Client) -> None:
    """Before any price, before the release, after the withdrawal; a row's own instant stands above the request's."""
    rows: list[dict[str, Any]] = [
        {"offer": GOOD, "usage": USAGE, "as_of": "2020-01-01"},
        {
            "offer": "openai/gpt-6.1-sol",
            "usage": USAGE,
            "as_of": "2026-09-28T23:59:59Z",
            "context": {"service_tier": "flex"},
        },
        {"offer": "google/gemini-2.5-pro", "usage": USAGE, "as_of": "2026-12-01"},
        {"offer": "google/gemini-2.5-pro", "usage": USAGE, "as_of": "2026-11-30T23:59:59Z"},
    ]
    early, unreleased, late, just = priced(client, *rows)
    check_detail(early, "missing-price", ["2026-09-22"], "total")
    check_detail(unreleased, "missing-price", [], "total")
    check_detail(late, "retired", ["2026-12-01", "google/gemini-3.8-flash"], "total")
    assert just["error_code"] is None
    assert [row["as_of"] for row in (early, late)] == ["2020-01-01T00:00:00Z", "2026-12-01T00:00:00Z"]
    (row,) = compared(client, as_of="2020-01-01")
    check_detail(row, "missing-price", ["2026-09-22"], "cost_per_query")


def test_a_missing_rate_is_a_row(client: httpx.Client) -> None:
    rows = priced(client, {"offer": GOOD, "usage": USAGE}, currency="CNY")
    check_detail(rows[0], "missing-fx-rate", ["USD", "CNY"], "total")
    (row,) = compared(client, currency="XXX")
    check_detail(row, "missing-fx-rate", ["USD", "XXX"], "cost_per_query")


def test_batch_share_with_processing_in_the_context(client: httpx.Client) -> None:
    offer = {"offer": GOOD, "context": {"processing": "batch"}}
    good, bad = compared(client, offers=[offer, GOOD], workload={"batch_share": "0.5"})
    check_detail(bad, "contradictory-context", ["batch_share", "processing"], "cost_per_query")
    assert good["rank"] == 1


def test_tax_at_a_rate_nobody_states(client: httpx.Client) -> None:
    """The book of DeepSeek for China says that tax is included, or nothing at all: what is not known is not removed silently."""
    (row,) = compared(client, offers=["deepseek/deepseek-flash@cn"], currency="CNY", tax="excluded")
    assert (
        row["error_code"] == "unknown-tax-rate" or "tax_unknown" in row["warnings"] or row["cost_per_query"] is not None
    )


def test_a_text_longer_than_the_model_takes(client: httpx.Client) -> None:
    samples = [{"input_tokens": 1_050_001}]
    (row,) = compared(client, text=None, samples=samples)
    check_detail(row, "exceeds-context", ["1050001", "1050000"], "cost_per_query")
    (row,) = compared(client, text=None, samples=[{"input_tokens": 1_050_000}])
    assert row["error_code"] is None


SURROGATE = "\\ud800"
SURROGATE_ROWS = {
    "row_id": f'{{"row_id": "{SURROGATE}", "offer": "{GOOD}", USAGE}}',
    "offer": f'{{"offer": "openai/{SURROGATE}", USAGE}}',
    "provider": f'{{"offer": "{SURROGATE}/gpt-6-sol", USAGE}}',
    "book": f'{{"offer": "{GOOD}", "price_book": "{SURROGATE}", USAGE}}',
    "context key": f'{{"offer": "{GOOD}", "context": {{"{SURROGATE}": "a"}}, USAGE}}',
    "context value": f'{{"offer": "{GOOD}", "context": {{"processing": "{SURROGATE}"}}, USAGE}}',
    "key": f'{{"offer": "{GOOD}", "{SURROGATE}": 1, USAGE}}',
}


@pytest.mark.parametrize("row", SURROGATE_ROWS.values(), ids=SURROGATE_ROWS)
def test_lone_surrogates_in_a_row(client: httpx.Client, row: str) -> None:
    usage = '"usage": {"input_tokens": 1000, "output_tokens": 100}'
    good = f'{{"offer": "{GOOD}", {usage}}}'
    body = f'{{"as_of": "{AS_OF}", "rows": [{good}, {row.replace("USAGE", usage)}, {good}]}}'
    first, bad, last = client.post("/price", content=body).json()["rows"]
    assert (first["total"], last["total"]) == ("0.003", "0.003")
    assert bad["error_code"] in PROBLEM_TYPES
    assert (bad["total"], bad["row_id"]) == (None, 1)

    body = f'{{"as_of": "{AS_OF}", "text": "a", "offers": ["{GOOD}", {row.replace(", USAGE", "")}]}}'
    for query in ("", "?format=csv", "?format=ndjson"):
        assert client.post(f"/compare{query}", content=body).status_code == 200
    good_row, bad_row = client.post("/compare", content=body).json()["rows"]
    assert good_row["rank"] == 1
    assert bad_row["error_code"] in PROBLEM_TYPES
    assert (bad_row["cost_per_query"], bad_row["row_id"]) == (None, 1)
    assert client.post("/compare?on_error=fail", content=body).status_code == 422


def test_a_lone_surrogate_in_the_compact_form(client: httpx.Client) -> None:
    body = f'{{"as_of": "{AS_OF}", "text": "a", "offers": ["{GOOD}", "openai/{SURROGATE}"]}}'
    good, bad = client.post("/compare", content=body).json()["rows"]
    assert (good["rank"], bad["rank"]) == (1, None)


def test_a_lone_surrogate_in_usage(client: httpx.Client) -> None:
    for usage in (
        f'"usage": {{"{SURROGATE}": 1}}',
        f'"usage": {{"web_search_queries": ["{SURROGATE}"]}}',
        f'"usage_format": "{SURROGATE}", "vendor_usage": {{}}',
        f'"usage_format": "openai", "vendor_usage": {{"{SURROGATE}": 1}}',
    ):
        (row,) = client.post("/price", content=f'{{"rows": [{{"offer": "{GOOD}", {usage}}}]}}').json()["rows"]
        assert row["error_code"] in PROBLEM_TYPES
        assert row["total"] is None


def test_all_offers_bad(client: httpx.Client) -> None:
    rows = compared(client, offers=["a/b", "openai/nope", 5, "alibaba/qwen-plus"], query="?detail=1")
    assert [row["row_id"] for row in rows] == [0, 1, 2, 3]
    assert {row["rank"] for row in rows} == {None}
    assert all(list(row) == COMPARE_COLUMNS for row in rows)
