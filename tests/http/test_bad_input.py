"""What is wrong with a request as a whole: bodies, headers, methods, texts, workload. Each is a problem, never a 500."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.http.asking import AS_OF, GOOD, NO_COUNT, NO_MONEY, SECRET, compared, question, refused

JSON = {"content-type": "application/json"}
OK = json.dumps(question()).encode()
KIB = 1024

MALFORMED = {
    "empty": b"",
    "not json": SECRET.encode(),
    "cut off": OK[:-1],
    "two values": OK + OK,
    "trailing comma": b'{"text": "a",}',
    "single quotes": b"{'text': 'a'}",
    "nested brackets": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "nested in a field": b'{"text": "a", "offers": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "same key twice": b'{"text": "a", "text": "b", "offers": ["openai/gpt-6-sol"]}',
    "same key twice inside": b'{"text": "a", "offers": [{"offer": "openai/gpt-6-sol", "offer": "openai/gpt-6-luna"}]}',
    "NaN": b'{"text": "a", "offers": ["openai/gpt-6-sol"], "revenue_per_query": NaN}',
    "Infinity": b'{"text": "a", "offers": ["openai/gpt-6-sol"], "revenue_per_query": Infinity}',
    "-Infinity": b'{"text": "a", "offers": ["openai/gpt-6-sol"], "revenue_per_query": -Infinity}',
    "5,000 digits": b'{"text": "a", "offers": ["openai/gpt-6-sol"], "revenue_per_query": ' + b"1" * 5_000 + b"}",
    "UTF-16": OK.decode().encode("utf-16"),
    "UTF-32": OK.decode().encode("utf-32"),
    "byte order mark": b"\xef\xbb\xbf" + OK,
    "not UTF-8": b'{"text": "\xff", "offers": ["openai/gpt-6-sol"]}',
    "encoded surrogate": b'{"text": "\xed\xa0\x80", "offers": ["openai/gpt-6-sol"]}',
    "control character": b'{"text": "a\x01b", "offers": ["openai/gpt-6-sol"]}',
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
@pytest.mark.parametrize("path", ["/compare", "/price", "/tokenize", "/prices"])
def test_malformed_json(client: httpx.Client, path: str, body: bytes) -> None:
    refused(client.post(path, content=body, headers=JSON), 400, "malformed-json")


NO_OBJECT = {"null": b"null", "list": b"[1]", "text": b'"zebra-4711-quartz"', "number": b"5", "true": b"true"}


@pytest.mark.parametrize("body", NO_OBJECT.values(), ids=NO_OBJECT)
@pytest.mark.parametrize("path", ["/compare", "/price", "/tokenize", "/prices"])
def test_a_body_that_is_no_object(client: httpx.Client, path: str, body: bytes) -> None:
    refused(client.post(path, content=body, headers=JSON), 422, "invalid-fields", "")


WRONG_TYPES = [
    "text/plain",
    "text/csv",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/xml",
    "x",
]


@pytest.mark.parametrize("content_type", WRONG_TYPES)
def test_wrong_content_type(client: httpx.Client, content_type: str) -> None:
    for path in ("/compare", "/price", "/tokenize", "/prices"):
        response = client.post(path, content=OK, headers={"content-type": content_type})
        refused(response, 415, "unsupported-media-type", says="application/json")


@pytest.mark.parametrize(
    "headers", [{}, JSON, {"content-type": "application/json; charset=utf-8"}, {"content-type": "APPLICATION/JSON"}]
)
def test_json_is_read_with_or_without_a_content_type(client: httpx.Client, headers: dict[str, str]) -> None:
    assert client.post("/compare", content=OK, headers=headers).status_code == 200


def test_a_compressed_body_is_refused(client: httpx.Client) -> None:
    """RFC 9110, 15.5.16: a content coding that is not read is a 415, whatever it unpacks to."""
    for body in (OK, b" " * 10_000_000):
        for coding in ("gzip", "deflate", "br"):
            response = client.post(
                "/compare", content=gzip.compress(body), headers={**JSON, "content-encoding": coding}
            )
            refused(response, 415, "unsupported-media-type", says="Content-Encoding")


def chunks(size: int) -> Iterator[bytes]:
    yield from (b" " * 100_000 for _ in range(size // 100_000))


@pytest.mark.parametrize("path", ["/compare", "/price", "/tokenize", "/prices"])
def test_a_body_of_ten_megabytes(client: httpx.Client, path: str) -> None:
    limit = str(8 * KIB * KIB)
    refused(client.post(path, content=b" " * 10_000_000, headers=JSON), 413, "body-too-large", says=limit)
    refused(client.post(path, content=chunks(10_000_000), headers=JSON), 413, "body-too-large", says=limit)
    assert client.post("/compare", content=OK).status_code == 200


LONG = "a" * (256 * KIB + 1)
MANY = [{"input_text": "a b" * 60_000} for _ in range(6)]  # 180,000 bytes each


def test_texts_over_the_limits(client: httpx.Client) -> None:
    one, all_together = "max_text_bytes is 262144", "max_request_text_bytes is 1048576"
    refused(client.post("/compare", json=question(text=LONG)), 413, "text-too-large", "/text", one)
    samples = [{"input_text": "a"}, {"input_text": "a", "output_text": LONG}]
    body = question(text=None, samples=samples)
    refused(client.post("/compare", json=body), 413, "text-too-large", "/samples/1/output_text", one)
    refused(client.post("/compare", json=question(text=None, samples=MANY)), 413, "text-too-large", says=all_together)
    texts = [{"text": "a"}, {"text": LONG}]
    body = {"texts": texts, "tokenizers": ["o200k_base"]}
    refused(client.post("/tokenize", json=body), 413, "text-too-large", "/texts/1/text", one)
    body = {"texts": [{"text": sample["input_text"]} for sample in MANY], "tokenizers": ["o200k_base"]}
    refused(client.post("/tokenize", json=body), 413, "text-too-large", says=all_together)


def test_bytes_of_a_text_are_counted_not_characters(client: httpx.Client) -> None:
    refused(client.post("/compare", json=question(text="字" * 90_000)), 413, "text-too-large", "/text", "270000 bytes")


def test_too_many_rows(client: httpx.Client) -> None:
    limit = "max_rows is 10000"
    refused(client.post("/compare", json=question(offers=[GOOD] * 10_001)), 413, "too-many-rows", "/offers", limit)
    samples = [{"input_tokens": 1}] * 10_001
    refused(client.post("/compare", json=question(text=None, samples=samples)), 413, "too-many-rows", "/samples", limit)
    rows = [{"offer": GOOD, "usage": {"input_tokens": 1}}] * 10_001
    refused(client.post("/price", json={"rows": rows}), 413, "too-many-rows", "/rows", limit)
    body = {"texts": [{"text": "a"}] * 101, "tokenizers": ["o200k_base"] * 100}
    refused(client.post("/tokenize", json=body), 413, "too-many-rows", "/texts", limit)


def test_work_is_limited_not_only_lists(client: httpx.Client) -> None:
    """150 kB of 3,000 samples and 3,000 offers are 9,000,000 prices: minutes in which nobody else is answered."""
    samples = [{"name": str(i), "input_tokens": 1} for i in range(101)]
    body = question(text=None, samples=samples, offers=[GOOD] * 100)
    refused(client.post("/compare", json=body), 413, "too-many-rows", says="max_rows is 10000")
    body = question(text=None, samples=samples[:100], offers=[GOOD] * 100)
    assert client.post("/compare", json=body).status_code == 200
    body = question(text=None, samples=samples[:2], offers=[GOOD] * 100, language_pairs=[["0", "1"]] * 101)
    refused(client.post("/compare", json=body), 413, "too-many-rows", says="max_rows is 10000")
    body = question(fx=[FX] * 10_001)
    refused(client.post("/compare", json=body), 413, "too-many-rows", says="max_rows is 10000")


SURROGATES = {
    "text": ('{"text": "a\\ud800b", "offers": ["openai/gpt-6-sol"]}', "invalid-text", "/text"),
    "pair the wrong way round": ('{"text": "\\udc00\\ud800", "offers": ["openai/gpt-6-sol"]}', "invalid-text", "/text"),
    "sample": ('{"samples": [{"input_text": "\\udfff"}], "offers": ["a/b"]}', "invalid-text", "/samples/0/input_text"),
    "output": (
        '{"samples": [{"input_text": "a", "output_text": "\\ud800"}], "offers": ["a/b"]}', "invalid-text", "/samples/0/output_text",
    ),
    "name of a sample": ('{"samples": [{"name": "\\ud800", "input_text": "a"}], "offers": ["a/b"]}', "invalid-fields", "/samples/0/name"),
    "key": ('{"text": "a", "offers": ["a/b"], "\\ud800": 1}', "invalid-fields", None),
    "currency": ('{"text": "a", "offers": ["a/b"], "currency": "\\ud800"}', "invalid-fields", "/currency"),
    "source of a rate": (
        '{"text": "a", "offers": ["a/b"], "fx": [{"from": "USD", "to": "CNY", "rate": "7", "as_of": "2026-11-30", "source": "\\ud800"}]}',
        "invalid-fields", "/fx/0/source",
    ),
    "day of a rate": (
        '{"text": "a", "offers": ["openai/gpt-6-sol"], "currency": "CNY", '
        '"fx": [{"from": "USD", "to": "CNY", "rate": "7", "as_of": "2026-\\ud800"}]}',
        "invalid-fields", "/fx/0/as_of",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "code", "pointer"), SURROGATES.values(), ids=SURROGATES)
def test_lone_surrogates(client: httpx.Client, body: str, code: str, pointer: str | None) -> None:
    refused(client.post("/compare", content=body, headers=JSON), 422, code, pointer)


def test_lone_surrogates_in_texts_to_tokenize(client: httpx.Client) -> None:
    body = '{"texts": [{"text": "a"}, {"text": "\\ud800"}], "tokenizers": ["o200k_base"]}'
    refused(client.post("/tokenize", content=body, headers=JSON), 422, "invalid-text", "/texts/1/text")
    body = '{"texts": [{"id": "\\ud800", "text": "a"}], "tokenizers": ["o200k_base"]}'
    refused(client.post("/tokenize", content=body, headers=JSON), 422, "invalid-fields", "/texts/0/id")


SAMPLE = {"input_text": SECRET}
FX = {"from": "USD", "to": "CNY", "rate": "7.10", "as_of": "2026-11-01"}
FIELDS: dict[str, tuple[dict[str, Any], str | None]] = {
    "no offers": ({"offers": []}, "/offers"),
    "offers left out": ({"offers": None}, "/offers"),
    "offers no list": ({"offers": GOOD}, "/offers"),
    "offers an object": ({"offers": {"offer": GOOD}}, "/offers"),
    "neither text nor samples": ({"text": None}, None),
    "text and samples": ({"samples": [SAMPLE]}, None),
    "text no text": ({"text": 5}, "/text"),
    "samples empty": ({"text": None, "samples": []}, "/samples"),
    "sample no object": ({"text": None, "samples": [SAMPLE, SECRET]}, "/samples/1"),
    "sample without input": ({"text": None, "samples": [{"output_text": "a"}]}, "/samples/0"),
    "sample with text and tokens": ({"text": None, "samples": [{**SAMPLE, "input_tokens": 4}]}, "/samples/0"),
    "two samples of one name": ({"text": None, "samples": [{**SAMPLE, "name": "a"}, {**SAMPLE, "name": "a"}]}, None),
    "weights all 0": ({"text": None, "samples": [{**SAMPLE, "weight": "0"}, {**SAMPLE, "weight": 0}]}, None),
    "weight negative": ({"text": None, "samples": [SAMPLE, {**SAMPLE, "weight": "-1"}]}, "/samples/1/weight"),
    "weight a float": ({"text": None, "samples": [{**SAMPLE, "weight": 0.5}]}, "/samples/0/weight"),
    "pair without samples": ({"language_pairs": [["zh", "en"]]}, None),
    "pair naming no sample": ({"text": None, "samples": [{**SAMPLE, "name": "zh"}], "language_pairs": [["zh", "en"]]}, None),
    "pair of one": ({"text": None, "samples": [{**SAMPLE, "name": "zh"}], "language_pairs": [["zh"]]}, None),
    "both output fields": ({"workload": {"output_tokens_per_query": 1, "output_characters_per_query": 1}}, "/workload"),
    "workload no object": ({"workload": 5}, "/workload"),
    "share above 1": ({"workload": {"batch_share": "1.01"}}, "/workload/batch_share"),
    "share negative": ({"workload": {"cached_input_share": "-0.1"}}, "/workload/cached_input_share"),
    "share a boolean": ({"workload": {"cached_input_share": True}}, "/workload/cached_input_share"),
    "retries negative": ({"workload": {"retry_share": "-0.03"}}, "/workload/retry_share"),
    "retries a float": ({"workload": {"retry_share": 0.03}}, "/workload/retry_share"),
    "frame no boolean": ({"workload": {"include_frame": "perhaps"}}, "/workload/include_frame"),
    "rate of 0": ({"fx": [{**FX, "rate": "0"}]}, "/fx/0/rate"),
    "rate negative": ({"fx": [{**FX, "rate": "-7"}]}, "/fx/0/rate"),
    "rate a float": ({"fx": [FX, {**FX, "rate": 7.1}]}, "/fx/1/rate"),
    "rate without a day": ({"fx": [{**FX, "as_of": None}]}, "/fx/0/as_of"),
    "rate of nonsense day": ({"fx": [{**FX, "as_of": "lately"}]}, "/fx/0/as_of"),
    "rate of no currency": ({"fx": [{**FX, "to": "yuan"}]}, "/fx/0/to"),
    "fx no list": ({"fx": FX}, "/fx"),
    "tax nonsense": ({"tax": "sometimes"}, "/tax"),
    "currency lower case": ({"currency": "usd"}, "/currency"),
    "currency of four": ({"currency": "USDT"}, "/currency"),
    "currency a number": ({"currency": 840}, "/currency"),
    "as_of nonsense": ({"as_of": "yesterday"}, "/as_of"),
    "as_of without offset": ({"as_of": "2026-11-30T12:00:00"}, "/as_of"),
    "as_of no day": ({"as_of": "2026-02-30"}, "/as_of"),
    "as_of a number": ({"as_of": 1_796_000_000}, "/as_of"),
    "as_of out of range": ({"as_of": "9999-12-31T23:59:59-23:59"}, "/as_of"),
    "unknown field": ({"vendors": ["openai"]}, "/vendors"),
    "unknown field of a sample": ({"text": None, "samples": [{**SAMPLE, "text": "a"}]}, "/samples/0/text"),
    "unknown field of the workload": ({"workload": {"queries": 5}}, "/workload/queries"),
    "unknown field with signs": ({"a/b~c": 5}, "/a~1b~0c"),
    "unknown field of ten thousand letters": ({"x" * 10_000: 5}, "/" + "x" * 100),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "pointer"), FIELDS.values(), ids=FIELDS)
def test_fields_of_a_comparison(client: httpx.Client, changes: dict[str, Any], pointer: str | None) -> None:
    body = refused(client.post("/compare", json=question(**changes)), 422, "invalid-fields", pointer)
    assert body["errors"], "no pointer at all"
    assert len(body["detail"]) < 500


@pytest.mark.parametrize("value", NO_MONEY, ids=lambda value: repr(value)[:30])
def test_what_is_no_money(client: httpx.Client, value: Any) -> None:
    for changes, pointer in (
        ({"revenue_per_query": value}, "/revenue_per_query"),
        ({"workload": {"queries_per_month": value}}, "/workload/queries_per_month"),
        ({"text": None, "samples": [{**SAMPLE, "weight": value}]}, "/samples/0/weight"),
        ({"fx": [{**FX, "rate": value}]}, "/fx/0/rate"),
    ):
        refused(client.post("/compare", json=question(**changes)), 422, "invalid-fields", pointer)


def test_a_json_number_with_an_exponent_is_a_float(client: httpx.Client) -> None:
    for number in ("1e999999", "-1e400", "1e2", "0.0", "1E-5"):
        body = f'{{"text": "a", "offers": ["openai/gpt-6-sol"], "revenue_per_query": {number}}}'
        refused(
            client.post("/compare", content=body, headers=JSON), 422, "invalid-fields", "/revenue_per_query", "string"
        )


@pytest.mark.parametrize("value", NO_COUNT, ids=lambda value: repr(value)[:30])
def test_what_is_no_count(client: httpx.Client, value: Any) -> None:
    for changes, pointer in (
        ({"workload": {"output_tokens_per_query": value}}, "/workload/output_tokens_per_query"),
        ({"workload": {"output_characters_per_query": value}}, "/workload/output_characters_per_query"),
        ({"workload": {"reasoning_tokens_per_query": value}}, "/workload/reasoning_tokens_per_query"),
        ({"text": None, "samples": [{"input_tokens": value}]}, "/samples/0/input_tokens"),
    ):
        refused(client.post("/compare", json=question(**changes)), 422, "invalid-fields", pointer)


PRICE_BODIES: dict[str, tuple[Any, str]] = {
    "no rows": ({"rows": []}, "/rows"),
    "rows left out": ({}, "/rows"),
    "rows an object": ({"rows": {}}, "/rows"),
    "currency": ({"rows": [1], "currency": "usd"}, "/currency"),
    "as_of": ({"rows": [1], "as_of": "soon"}, "/as_of"),
    "fx": ({"rows": [1], "fx": [{**FX, "rate": "0"}]}, "/fx/0/rate"),
    "unknown field": ({"rows": [1], "row": 1}, "/row"),
}


@pytest.mark.parametrize(("body", "pointer"), PRICE_BODIES.values(), ids=PRICE_BODIES)
def test_fields_of_a_pricing(client: httpx.Client, body: Any, pointer: str) -> None:
    refused(client.post("/price", json=body), 422, "invalid-fields", pointer)


TEXTS = [{"text": SECRET}]
TOKENIZE_BODIES: dict[str, tuple[Any, str | None]] = {
    "no texts": ({"texts": [], "tokenizers": ["o200k_base"]}, "/texts"),
    "texts of strings": ({"texts": [SECRET], "tokenizers": ["o200k_base"]}, "/texts/0"),
    "text missing": ({"texts": [{"id": "a"}], "tokenizers": ["o200k_base"]}, "/texts/0/text"),
    "text a number": ({"texts": [{"text": 5}], "tokenizers": ["o200k_base"]}, "/texts/0/text"),
    "neither": ({"texts": TEXTS}, None),
    "both": ({"texts": TEXTS, "tokenizers": ["o200k_base"], "offers": [GOOD]}, None),
    "no tokenizers": ({"texts": TEXTS, "tokenizers": []}, None),
    "unknown field": ({"texts": TEXTS, "tokenizers": ["o200k_base"], "model": "a"}, "/model"),
}


@pytest.mark.parametrize(("body", "pointer"), TOKENIZE_BODIES.values(), ids=TOKENIZE_BODIES)
def test_fields_of_a_tokenization(client: httpx.Client, body: Any, pointer: str | None) -> None:
    refused(client.post("/tokenize", json=body), 422, "invalid-fields", pointer)


def test_unknown_tokenizers_and_offers_to_tokenize_with_are_rows(client: httpx.Client) -> None:
    body = {"texts": TEXTS, "tokenizers": ["o200k_base", "nope"]}
    good, bad = client.post("/tokenize", json=body).json()["rows"]
    assert (good["error_code"], good["tokenizer"]) == (None, "o200k_base")
    assert (bad["error_code"], bad["tokens"], bad["count_method"]) == ("unknown-tokenizer", None, "unavailable")
    refused(
        client.post("/tokenize?on_error=fail", json=body), 422, ["invalid-fields", "unknown-tokenizer"], "/tokenizers/1"
    )
    body = {"texts": TEXTS, "offers": [GOOD, "openai/nope", "alibaba/qwen-plus", "noslash"]}
    rows = client.post("/tokenize", json=body).json()["rows"]
    codes = [row["error_code"] for row in rows]
    assert codes == [None, "unknown-model", "ambiguous-price-book", "invalid-fields"]


QUERIES: dict[str, tuple[str, int, str, str]] = {
    "no offers": (f"text={SECRET}", 422, "invalid-fields", "/offers"),
    "empty offers": (f"offers=&text={SECRET}", 422, "invalid-fields", "/offers"),
    "neither text nor tokens": (f"offers={GOOD}", 422, "invalid-fields", "text"),
    "text and tokens": (f"offers={GOOD}&text={SECRET}&input_tokens=4", 422, "invalid-fields", "input_tokens"),
    "tokens negative": (f"offers={GOOD}&input_tokens=-4", 422, "invalid-fields", "input_tokens"),
    "tokens not whole": (f"offers={GOOD}&input_tokens=1.5", 422, "invalid-fields", "input_tokens"),
    "tokens fullwidth": (f"offers={GOOD}&input_tokens=%EF%BC%91", 422, "invalid-fields", "input_tokens"),
    "both outputs": (f"offers={GOOD}&text=a&output_characters=1&output_tokens=1", 422, "invalid-fields", "output_tokens"),
    "as_of": (f"offers={GOOD}&text={SECRET}&as_of=yesterday", 422, "invalid-fields", "/as_of"),
    "currency": (f"offers={GOOD}&text={SECRET}&currency=usd", 422, "invalid-fields", "/currency"),
    "volume": (f"offers={GOOD}&text={SECRET}&queries_per_month=NaN", 422, "invalid-fields", "queries_per_month"),
    "volume long": (f"offers={GOOD}&text={SECRET}&queries_per_month={'1' * 60}", 422, "invalid-fields", "queries_per_month"),
    "on_error": (f"offers={GOOD}&text={SECRET}&on_error=maybe", 422, "invalid-fields", "/on_error"),
    "decimal": (f"offers={GOOD}&text={SECRET}&decimal=dot", 422, "invalid-fields", '"/decimal"'),
    "bom": (f"offers={GOOD}&text={SECRET}&bom=maybe", 422, "invalid-fields", "/bom"),
    "delimiter": (f"offers={GOOD}&text={SECRET}&format=csv&delimiter=x", 422, "invalid-fields", "/delimiter"),
    "delimiter long": (f"offers={GOOD}&text={SECRET}&delimiter=comma", 422, "invalid-fields", "/delimiter"),
    "format": (f"offers={GOOD}&text={SECRET}&format=pdf", 406, "not-acceptable", "/format"),
    "text no UTF-8": (f"offers={GOOD}&text=%ff%fe", 422, "invalid-text", "text"),
    "text a surrogate": (f"offers={GOOD}&text=%ED%A0%80", 422, "invalid-text", "text"),
    "bad offer and fail": (f"offers={GOOD},openai/nope&text={SECRET}&on_error=fail", 422, "invalid-fields", "/offers/1"),
}  # fmt: skip


@pytest.mark.parametrize(("query", "status", "code", "says"), QUERIES.values(), ids=QUERIES)
def test_the_get_twin(client: httpx.Client, query: str, status: int, code: str, says: str) -> None:
    refused(client.get(f"/compare?{query}"), status, code, says=says)


CELL = f"offer={GOOD}&text={SECRET}&as_of={AS_OF}"
CELLS: dict[str, tuple[str, int, str]] = {
    "unknown figure": (f"nope?{CELL}", 404, "unknown-figure"),
    "figure that is no number": (f"offer?{CELL}", 404, "unknown-figure"),
    "figure without a value": (f"cost_per_month?{CELL}", 404, "unknown-figure"),
    "unknown model": (f"cost_per_query?offer=openai/nope&text={SECRET}", 404, "unknown-model"),
    "unknown provider": (f"cost_per_query?offer=opnai/gpt-6-sol&text={SECRET}", 404, "unknown-provider"),
    "no slash": (f"cost_per_query?offer=gpt-6-sol&text={SECRET}", 422, "invalid-fields"),
    "no offer": (f"cost_per_query?text={SECRET}", 422, "invalid-fields"),
    "no text": (f"cost_per_query?offer={GOOD}", 422, "invalid-fields"),
    "long offer": (f"cost_per_query?offer={'o' * 400}&text={SECRET}", 422, "invalid-fields"),
    "bad count": (f"cost_per_query?offer={GOOD}&input_tokens=1.5", 422, "invalid-fields"),
    "long count": (f"cost_per_query?offer={GOOD}&input_tokens={'1' * 30}", 422, "invalid-fields"),
    "bad instant": (f"cost_per_query?offer={GOOD}&text={SECRET}&as_of=soon", 422, "invalid-fields"),
    "before any price": (f"cost_per_query?offer={GOOD}&text={SECRET}&as_of=2020-01-01", 422, "missing-price"),
    "withdrawn": (f"cost_per_query?offer=google/gemini-2.5-pro&text={SECRET}&as_of=2026-12-01", 422, "retired"),
    "no rate": (f"cost_per_query?{CELL}&currency=CNY", 422, "missing-fx-rate"),
    "several books": (
        f"cost_per_query?offer=alibaba/qwen-plus&text={SECRET}&as_of={AS_OF}",
        422,
        "ambiguous-price-book",
    ),
}


@pytest.mark.parametrize(("path", "status", "code"), CELLS.values(), ids=CELLS)
def test_errors_of_a_cell(client: httpx.Client, path: str, status: int, code: str) -> None:
    refused(client.get(f"/cell/{path}"), status, code)
    inline = client.get(f"/cell/{path}&errors=inline")
    assert (inline.status_code, inline.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert inline.text.startswith(f"#permillion: {code}")
    assert SECRET not in inline.text


def test_errors_of_a_cell_are_inline_or_not(client: httpx.Client) -> None:
    refused(client.get(f"/cell/cost_per_query?{CELL}&errors=maybe"), 422, "invalid-fields", "/errors")


LISTS = {
    "instant": ("/prices?as_of=soon", "/as_of"),
    "known": ("/prices?known_at=soon", "/known_at"),
    "limit 0": ("/prices?limit=0", "/limit"),
    "limit large": ("/prices?limit=10001", "/limit"),
    "limit no number": (f"/prices?limit={SECRET}", "/limit"),
    "cursor": (f"/prices?cursor={SECRET}", "/cursor"),
    "cursor of history": ("/prices/history?cursor=r-1", "/cursor"),
    "provider long": (f"/prices?provider={'p' * 200}", "/provider"),
    "models of a long provider": (f"/models?provider={'p' * 200}", "/provider"),
}


@pytest.mark.parametrize(("path", "pointer"), LISTS.values(), ids=LISTS)
def test_lists(client: httpx.Client, path: str, pointer: str) -> None:
    refused(client.get(path), 422, "invalid-fields", pointer)


def test_unknown_routes(client: httpx.Client) -> None:
    for path in ("/nowhere", "/Compare", "/v1/compare", "/cell", "/cell/a/b", "/docs/../api/app.py", "/docs/app.py",
                 "/problems/nope", "/.env", "/%ff%00", "/admin", "/_litestar_schema", "/schema", "/_litestar_schema/openapi.json"):  # fmt: skip
        refused(client.get(f"{path}?text={SECRET}"), 404, "not-found")
    for method in ("POST", "PUT", "DELETE"):
        refused(client.request(method, f"/nowhere?text={SECRET}", content=SECRET), 404, "not-found")


WRONG_METHODS = {
    ("PUT", "/compare"): {"GET", "POST"},
    ("DELETE", "/compare"): {"GET", "POST"},
    ("PATCH", "/prices"): {"GET", "POST"},
    ("GET", "/price"): {"POST"},
    ("GET", "/tokenize"): {"POST"},
    ("POST", "/models"): {"GET"},
    ("POST", "/healthz"): {"GET"},
    ("TRACE", "/compare"): {"GET", "POST"},
    ("TRACE", "/"): {"GET"},
}


@pytest.mark.parametrize(("method", "path"), WRONG_METHODS)
def test_wrong_methods(client: httpx.Client, method: str, path: str) -> None:
    response = client.request(method, path, headers={"x-echo": SECRET})
    refused(response, 405, "method-not-allowed")
    allowed = {name.strip() for name in response.headers["allow"].split(",")}
    assert WRONG_METHODS[method, path] <= allowed
    assert "GET" not in allowed or "HEAD" in allowed, "GET routes answer HEAD, so Allow says so"


def test_huge_and_odd_headers(client: httpx.Client) -> None:
    for size in (70_000, 700_000):
        response = client.get("/healthz", headers={"x-large": "a" * size})
        assert response.status_code in (200, 400, 431)
    for accept in (";;q=,,", "*/*;q=banana", "text/csv;q=-1", "a" * 5_000, "\xff\xfe", ",", "text/html, */*;q=0.1"):
        response = client.get("/providers", headers={"accept": accept.encode("latin-1")})
        assert (response.status_code, response.headers["content-type"]) == (200, "application/json")


def test_another_workbook_is_not_answered_with_json(client: httpx.Client) -> None:
    """ODS is not written: a client that asks for it alone must not save JSON as a workbook."""
    accept = "application/vnd.oasis.opendocument.spreadsheet"
    refused(client.post("/compare", json=question(), headers={"accept": accept}), 406, "not-acceptable")
    refused(client.post("/compare?format=ods", json=question()), 406, "not-acceptable", "/format")


def test_request_ids(client: httpx.Client) -> None:
    for kept in ("abc", "A-1_b.2", "x" * 64):
        assert client.get("/healthz", headers={"x-request-id": kept}).headers["x-request-id"] == kept
        assert refused(client.get("/no", headers={"x-request-id": kept}), 404, "not-found")["request_id"] == kept
    for unsafe in ("a b", "x" * 65, '{"a": 1}', "<script>", "", "%0a", "a;b", "é"):
        given = client.get("/healthz", headers={"x-request-id": unsafe.encode()}).headers["x-request-id"]
        assert given not in ("", unsafe)
        assert given.isascii()
        assert given.isalnum()
    assert len({client.get("/healthz").headers["x-request-id"] for _ in range(5)}) == 5


def test_nothing_is_lost_after_all_that(client: httpx.Client) -> None:
    (row,) = compared(client)
    assert (row["rank"], row["error_code"]) == (1, None)
