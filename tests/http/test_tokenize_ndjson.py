"""`POST /tokenize.ndjson`: many texts, one a line."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.http.asking import SECRET, refused

NDJSON = {"content-type": "application/x-ndjson"}
URL = "/tokenize.ndjson?tokenizers=o200k_base,cl100k_base"


def rows(client: httpx.Client, body: bytes, url: str = URL) -> list[dict[str, Any]]:
    response = client.post(url, content=body, headers=NDJSON)
    assert (response.status_code, response.headers["content-type"]) == (200, "application/x-ndjson"), response.text
    return [json.loads(line) for line in response.text.splitlines()]


def test_the_rows_are_those_of_tokenize(client: httpx.Client) -> None:
    texts = [{"id": "a", "text": "Hello, world!"}, {"id": "b", "text": ""}, {"text": "您好 <|endoftext|>"}]
    body = "\n".join(json.dumps(text) for text in texts).encode()
    answered = rows(client, body)
    asked = client.post("/tokenize", json={"texts": texts, "tokenizers": ["o200k_base", "cl100k_base"]}).json()["rows"]
    for row in asked:
        row["text_id"] = 3 if row["text_id"] == 2 else row["text_id"]  # a line number, not an index
    assert answered == asked
    assert [row["tokens"] for row in answered[:4]] == [4, 4, 0, 0]
    (first, *_) = rows(client, body, "/tokenize.ndjson?offers=anthropic/claude-sonnet-5-5")
    assert (first["tokenizer"], first["tokens"], first["count_method"]) == ("claude_v48", 6, "estimate")


def test_bad_lines_are_rows_and_do_not_stop_the_others(client: httpx.Client) -> None:
    lines = [
        b'{"text": "one"}',
        b"",
        b"{" + SECRET.encode(),
        b'{"id": "x"}',
        b"\xff",
        b'{"text": "' + b"a" * 262_145 + b'"}',
    ]
    answered = rows(client, b"\n".join([*lines, b'{"text": "last"}\n']), "/tokenize.ndjson?tokenizers=o200k_base")
    assert [(row["text_id"], row["tokens"], row["error_code"]) for row in answered] == [
        (1, 1, None),
        (3, None, "malformed-json"),
        ("x", None, "invalid-fields"),
        (5, None, "invalid-text"),
        (6, None, "text-too-large"),
        (7, 1, None),
    ]
    assert SECRET not in json.dumps(answered)
    assert rows(client, b"") == []


def test_more_texts_than_a_batch_come_in_order(client: httpx.Client) -> None:
    body = b"".join(b'{"id": %d, "text": "number %d"}\n' % (n, n) for n in range(1_000))
    answered = rows(client, body, "/tokenize.ndjson?tokenizers=o200k_base")
    assert [row["text_id"] for row in answered] == list(range(1_000))
    assert {row["tokens"] for row in answered} == {3}  # " " joins the word; up to three digits are one token


@pytest.mark.parametrize(
    ("url", "body", "status", "slug"),
    [
        ("/tokenize.ndjson", b"", 422, "invalid-fields"),
        (URL + "&offers=openai/gpt-4o", b"", 422, "invalid-fields"),
        (URL + "&format=csv", b"", 422, "invalid-fields"),
        (URL, b'{"text": "a"}\n' * 10_001, 413, "too-many-rows"),
        (URL, (b'{"text": "' + b"a" * 200_000 + b'"}\n') * 6, 413, "text-too-large"),
        (URL, b"a" * 9_000_000, 413, "body-too-large"),
    ],
)
def test_what_is_refused(client: httpx.Client, url: str, body: bytes, status: int, slug: str) -> None:
    refused(client.post(url, content=body, headers=NDJSON), status, slug)


def test_json_is_not_read_as_lines(client: httpx.Client) -> None:
    refused(client.post(URL, json={"texts": []}), 415, "unsupported-media-type")
