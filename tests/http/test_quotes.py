"""`/quotes`: what is kept of a comparison, who may change it, and what a page of it may load."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.asking import AS_OF, COMPARE_COLUMNS, GOOD, private_row, refused
from tests.running import Service, running_service

CANARY = "canary77aa01quote"
TEXT = f"{CANARY} 你好 <|endoftext|>"
HOSTILE = "<script>alert(1)</script>\"'&{{ 7*7 }}"
QUESTION: dict[str, Any] = {
    "samples": [
        {"name": HOSTILE, "input_text": TEXT, "output_text": f"{TEXT} {TEXT}", "system_text": f"{TEXT}!"},
        {"name": "b", "input_text": "x = 1", "tools": [{"type": "function", "function": {"name": CANARY, "description": TEXT}}]},
        {"name": "c", "input_tokens": 100},
    ],
    "offers": [{"offer": GOOD, "row_id": HOSTILE}, {"offer": "deepseek/deepseek-flash", "discount_share": "0.10"}, "nobody/none"],
    "workload": {"queries_per_month": 1000, "output_tokens_per_query": None, "retry_share": "0.1"},
    "revenue_per_query": "0.001",
    "language_pairs": [["b", HOSTILE]],
    "as_of": AS_OF,
}  # fmt: skip


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("quotes")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    with running_service(folder) as running:
        yield running


@pytest.fixture(scope="module")
def client(own: Service) -> Iterator[httpx.Client]:
    with own.client() as opened:
        yield opened


def make(client: httpx.Client, query: str = "", **changes: Any) -> httpx.Response:
    response = client.post(f"/quotes{query}", json=QUESTION | changes)
    assert response.status_code == 201, response.text
    return response


def in_an_hour() -> str:
    return (datetime.now(UTC) + timedelta(hours=1)).isoformat()


def test_a_quote_is_the_comparison_and_what_it_rests_on(client: httpx.Client) -> None:
    made = make(client, "?detail=1", title="Renewal", note="for Anna")
    body = made.json()
    quote = body["quote"]
    path = f"/quotes/{quote['quote_id']}"
    assert made.headers["location"] == path
    answered = client.post("/compare?detail=1", json=QUESTION)
    assert client.get(f"{path}/answer").content == answered.content
    assert {name: body[name] for name in ("rows", "premiums", "meta")} == answered.json()
    assert quote["answer_sha256"] == hashlib.sha256(answered.content).hexdigest()
    read = client.get(path)
    assert read.content == made.content
    assert read.headers["etag"] == made.headers["etag"]
    assert client.get(path, headers={"If-None-Match": read.headers["etag"]}).status_code == 304
    assert (quote["title"], quote["note"], quote["text_retained_until"]) == ("Renewal", "for Anna", None)
    texts = [TEXT, f"{TEXT} {TEXT}", f"{TEXT}!", "x = 1", f"{CANARY}:{TEXT}"]
    assert [text["sha256"] for text in quote["texts"]] == [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    assert [text["characters"] for text in quote["texts"]] == [len(text) for text in texts]
    counted = client.post("/tokenize", json={"texts": [{"text": texts[1]}], "tokenizers": ["o200k_base"]}).json()
    kept = {each["tokenizer"]: each["tokens"] for each in quote["texts"][1]["tokens"]}
    assert kept["o200k_base"] == counted["rows"][0]["tokens"]
    rates = {rate["meter"]: rate for offer in quote["offers"] if offer["offer"] == GOOD for rate in offer["rates"]}
    assert (rates["input_tokens"]["rate"], rates["input_tokens"]["per"]) == ("2", 1_000_000)
    assert rates["output_tokens"]["source"]
    row = next(row for row in body["rows"] if row["offer"] == "deepseek/deepseek-flash" and row["sample"] == "*")
    flash = next(offer for offer in quote["offers"] if offer["offer"] == "deepseek/deepseek-flash")
    assert float(row["cost_per_query"]) / float(flash["list_cost_per_query"]) == pytest.approx(0.9)


LONG = "किताब मेज पर है। The book is on the table, 本は机の上にあります。 {x: [1, 2]} " * 120
REPLAYED: dict[str, dict[str, Any]] = {
    "samples, tools": {},
    "images, turns, a long text, no text": {
        "samples": [
            {"name": "a", "input_text": LONG, "system_text": LONG[:500], "images": [{"width": 640, "height": 480}]},
            {"name": "b", "input_text": ""},
            {"name": "c", "input_text": LONG, "tool_choice": {"function": {"name": "f"}}, "tools": [{"type": "function", "function": {"name": "f", "parameters": {
                "type": "object", "properties": {"a": {"type": "string", "enum": ["a", "b"]}, "b": {"type": "object"}}}}}]},
        ],
        "workload": {"output_characters_per_query": 0, "turns_per_conversation": 3, "include_frame": True, "batch_share": "0.3"},
        "offers": [GOOD, "openai/gpt-4o", "anthropic/claude-opus-5", "deepseek/deepseek-flash", "google/gemini-3.8-flash",
                   {"offer": "xai/grok-4", "tokenizer": "o200k_base"}, 7, {"offer": GOOD, "price_book": "none"}],
        "language_pairs": [], "tax": "excluded", "currency": "CNY",
        "fx": [{"from": "USD", "to": "CNY", "rate": "7.1", "as_of": "2026-11-30"}],
    },
    "one text, no instant": {"samples": None, "text": LONG, "as_of": None, "language_pairs": []},
}  # fmt: skip


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("name", REPLAYED)
def test_a_replay_works_everything_out_again(client: httpx.Client, name: str, kept: bool) -> None:
    """From the kept counts, or from the kept texts: the same bytes, whatever the question is made of."""
    asked = {key: value for key, value in (QUESTION | REPLAYED[name]).items() if value is not None}
    asked |= {"retain_text_until": in_an_hour()} if kept else {}
    made = client.post("/quotes?detail=1", json=asked)
    assert made.status_code == 201, made.text
    quote = made.json()["quote"]
    path = f"/quotes/{quote['quote_id']}"
    replayed = client.post(f"{path}/replay", params={"as_of": quote["as_of"]})
    body = replayed.json()
    assert [row for row in body["rows"] if row["cause"] != "fx"] == []
    assert (body["replay"]["recomputed"], body["replay"]["same_bytes"]) == ("same", True)
    assert body["replay"]["counts"] == ("recounted" if kept else "kept")
    answer = client.get(f"{path}/answer").content
    assert b'"answer":' + answer in replayed.content
    assert client.post(f"{path}/replay?part=answer").content == answer
    priced = [row for row in made.json()["rows"] if row["error_code"] is None]
    assert priced, made.text


def test_the_text_is_kept_only_where_that_is_asked_for_and_only_until_then(own: Service, client: httpx.Client) -> None:
    def stored() -> bytes:
        return b"".join(path.read_bytes() for path in own.database.parent.glob("permillion.sqlite3*"))

    canary = "canary5b12only"
    samples = [{"input_text": f"{canary} one", "output_text": f"{canary} two", "system_text": f"{canary} three"}]
    asked = {"samples": samples, "language_pairs": []}
    make(client, **asked)
    assert canary.encode() not in stored()
    made = make(client, retain_text_until=in_an_hour(), **asked)
    assert canary.encode() in stored()
    path = f"/quotes/{made.json()['quote']['quote_id']}"
    assert canary not in client.get(path).text, "it is kept, not shown"
    gone = client.delete(f"{path}/text", headers={"If-Match": made.headers["etag"]})
    assert gone.json()["quote"]["text_retained_until"] is None
    assert client.post(f"{path}/replay?as_of={AS_OF}").json()["replay"]["recomputed"] == "same"
    assert canary.encode() not in stored(), "deleted is overwritten"
    for wrong in ("2020-01-01", (datetime.now(UTC) + timedelta(days=367)).isoformat()):
        response = client.post("/quotes", json=QUESTION | {"retain_text_until": wrong})
        refused(response, 422, "invalid-fields", "/retain_text_until")
    assert canary not in own.stdout.read_text() + own.stderr.read_text()


def test_who_has_not_seen_the_current_revision_changes_nothing(client: httpx.Client) -> None:
    made = make(client, title="one")
    path = f"/quotes/{made.json()['quote']['quote_id']}"
    first = made.headers["etag"]
    assert re.fullmatch(r'"q-[0-9a-f]{24}-r1-[0-9a-f]{8}"', first)
    refused(client.patch(path, json={"title": "two"}), 428, "precondition-required")
    refused(client.delete(path), 428, "precondition-required")
    for wrong in ('"x"', f"W/{first}", first.replace("-r1-", "-r2-"), "q", '""', f"{first[:-1]}"):
        refused(client.patch(path, json={"title": "two"}, headers={"If-Match": wrong}), 412, "precondition-failed")
    changed = client.patch(path, json={"title": "two"}, headers={"If-Match": f'"other", {first}'})
    assert (changed.status_code, changed.json()["quote"]["title"], changed.json()["quote"]["revision"]) == (
        200,
        "two",
        2,
    )
    refused(client.delete(path, headers={"If-Match": first}), 412, "precondition-failed")
    of_the_csv = client.get(f"{path}?format=csv").headers["etag"]
    assert of_the_csv not in (first, changed.headers["etag"])
    refused(client.patch(path, json={}, headers={"If-Match": of_the_csv}), 422, "invalid-fields")
    refused(client.patch(path, json={"title": "a\x00"}, headers={"If-Match": "*"}), 422, "invalid-fields", "/title")
    with ThreadPoolExecutor(4) as pool:
        statuses = pool.map(
            lambda n: client.patch(path, json={"note": str(n)}, headers={"If-Match": of_the_csv}).status_code, range(4)
        )
        assert sorted(statuses) == [200, 412, 412, 412]
    assert client.delete(path, headers={"If-Match": "*"}).status_code == 204
    for method, query in (("GET", ""), ("GET", "/answer"), ("POST", "/replay"), ("DELETE", ""), ("DELETE", "/text")):
        refused(client.request(method, path + query, headers={"If-Match": "*"}), 404, "unknown-quote")


def test_quotes_are_listed_the_newest_first_and_page_by_page(client: httpx.Client) -> None:
    made = [make(client, title=str(n), offers=[GOOD]).json()["quote"]["quote_id"] for n in range(5)]
    found: list[str] = []
    cursor = ""
    for _ in range(3):
        page = client.get(f"/quotes?limit=2{cursor}").json()
        found += [row["quote_id"] for row in page["rows"]]
        cursor = f"&cursor={page['next']}"
    assert found[:5] == made[::-1]
    assert "question" not in page["rows"][0]
    assert client.get("/quotes?format=csv&limit=1").text.startswith("quote_id,title,note,created_at,")
    refused(client.get("/quotes?cursor=x"), 422, "invalid-fields", "/cursor")
    refused(client.get("/quotes?limit=0"), 422, "invalid-fields", "/limit")


def test_csv_is_the_rows_of_the_comparison(client: httpx.Client) -> None:
    quote = make(client, title="=1+1", offers=[{"offer": GOOD, "row_id": "=cmd"}]).json()["quote"]["quote_id"]
    rows = list(
        csv.reader(io.StringIO(client.get(f"/quotes/{quote}?format=csv&delimiter=;&decimal=comma").text), delimiter=";")
    )
    assert rows[0] == COMPARE_COLUMNS
    assert rows[1][0] == "'=cmd"
    assert "," in rows[1][COMPARE_COLUMNS.index("cost_per_query")]
    refused(client.get(f"/quotes/{quote}?format=pdf"), 406, "not-acceptable")


class Parts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_loads_nothing_and_runs_nothing(client: httpx.Client) -> None:
    quote = make(client, title=HOSTILE, note=HOSTILE).json()["quote"]["quote_id"]
    page = client.get(f"/quotes/{quote}", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    parts = Parts()
    parts.feed(page.text)
    assert "script" not in parts.tags
    assert parts.attributes <= {"lang", "charset", "name", "content", "class", "colspan"}, "nothing to load, no handler"
    assert parts.texts.count(HOSTILE) >= 3, "title, heading, note: as they were written"
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    style = re.search("<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    assert base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode() in policy
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert client.get(f"/quotes/{quote}", headers={"Accept": "*/*"}).headers["content-type"] == "application/json"
    assert {"rate", "source"} <= set(re.findall("[a-z]+", page.text.lower()))


def test_a_key_does_a_thing_once(own: Service, client: httpx.Client) -> None:
    key = {"Idempotency-Key": "order-1"}
    first = client.post("/quotes", json=QUESTION, headers=key)
    same = json.dumps(dict(reversed(QUESTION.items())), indent=3)
    again = client.post("/quotes", content=same, headers={**key, "content-type": "application/json"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    for name in ("location", "etag", "content-type"):
        assert again.headers[name] == first.headers[name]
    assert "idempotency-replayed" not in first.headers
    refused(client.post("/quotes", json=QUESTION | {"title": "x"}, headers=key), 422, "idempotency-key-reused")
    refused(client.post("/quotes?detail=1", json=QUESTION, headers=key), 422, "idempotency-key-reused")
    published = {"price_book": {"id": "once", "currency": "USD"}, "rows": [private_row("m", "input_tokens", "1")]}
    refused(client.post("/prices", json=published, headers=key), 422, "idempotency-key-reused")
    done = [client.post("/prices", json=published, headers={"Idempotency-Key": "p"}) for _ in range(2)]
    assert [answer.status_code for answer in done] == [201, 201]
    assert done[0].content == done[1].content
    assert done[1].json()["rows"][0]["added"] == 1
    assert done[1].json()["meta"]["catalog_version"] == client.get("/readyz").json()["catalog_version"]
    for wrong in ("", "a b", "é".encode(), "x" * 256):
        refused(client.post("/quotes", json=QUESTION, headers={"Idempotency-Key": wrong}), 422, "invalid-fields")
    assert client.post("/quotes", json=QUESTION, headers={"Idempotency-Key": "x" * 255}).status_code == 201


def test_who_has_not_seen_the_book_corrects_nothing_in_it(client: httpx.Client) -> None:
    def correct(rate: str, **headers: str) -> httpx.Response:
        body = {"price_book": {"id": "seen", "currency": "USD"}, "rows": [private_row("m", "input_tokens", rate)]}
        return client.post("/prices", json=body, headers=headers)

    refused(correct("1", **{"If-Match": "*"}), 412, "precondition-failed")
    first = correct("1")
    assert first.status_code == 201, "a book may be written to without"
    read = client.get("/price-books/seen/export")
    assert correct("2", **{"If-Match": read.headers["etag"]}).status_code == 201
    refused(correct("3", **{"If-Match": first.headers["etag"]}), 412, "precondition-failed")
    refused(
        correct("3", **{"If-Match": f"W/{client.get('/price-books/seen/export').headers['etag']}"}),
        412,
        "precondition-failed",
    )
    assert [row["rate"] for row in client.get("/prices?price_book=seen").json()["rows"]] == ["2"]


def test_a_tokenizer_is_registered_once_by_its_key(client: httpx.Client) -> None:
    from tests.http.test_tokenizers import register
    from tests.tokenizer_files import byte_ranks

    client.headers["Idempotency-Key"] = "tok-1"
    try:
        made = [register(client, "user/once", byte_ranks()) for _ in range(2)]
        other = register(client, "user/twice", byte_ranks())
    finally:
        del client.headers["Idempotency-Key"]
    assert [answer.status_code for answer in made] == [201, 201], "not the 200 of a second registration"
    assert made[0].content == made[1].content
    refused(other, 422, "idempotency-key-reused")


def test_a_refused_request_leaves_its_key_free(client: httpx.Client) -> None:
    key = {"Idempotency-Key": "typo"}
    refused(client.post("/quotes", json=QUESTION | {"currency": "usd"}, headers=key), 422, "invalid-fields")
    assert client.post("/quotes", json=QUESTION, headers=key).status_code == 201


def test_a_second_request_is_turned_away_while_the_first_one_runs(tmp_path: Path, loaded_database: Path) -> None:
    shutil.copy(loaded_database, tmp_path / "permillion.sqlite3")
    gate = tmp_path / "gate"
    environment = {"ALTERED": json.dumps({"gate": str(gate)})}
    key = {"Idempotency-Key": "slow"}
    with (
        running_service(tmp_path, environment, module="tests.altered_service") as service,
        service.client() as client,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(client.post, "/quotes", json=QUESTION, headers=key)
        while not gate.with_name("waiting").exists():
            assert not first.done(), first.result().text
            time.sleep(0.02)
        second = client.post("/quotes", json=QUESTION, headers=key)
        assert refused(second, 409, "idempotency-key-running")["advice"]
        assert second.headers["retry-after"] == "1"
        gate.touch()
        assert first.result().status_code == 201
        assert client.post("/quotes", json=QUESTION, headers=key).content == first.result().content


def test_writes_are_refused_where_anybody_could(tmp_path: Path, loaded_database: Path) -> None:
    shutil.copy(loaded_database, tmp_path / "permillion.sqlite3")
    with running_service(tmp_path, host="0.0.0.0") as service, service.client() as client:
        refused(client.post("/quotes", json=QUESTION), 403, "writes-refused")
        refused(client.delete("/quotes/q-1", headers={"If-Match": "*"}), 403, "writes-refused")
        assert client.get("/quotes").json()["rows"] == []
