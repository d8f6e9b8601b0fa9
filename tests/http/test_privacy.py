"""Texts and query strings are nowhere afterwards: not in the service's output, not in its database; one line of log a request."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.http.asking import AS_OF, GOOD, private_row, publish
from tests.running import Service

CANARY = "canary5e1fbd07"
"""Written so that no library splits or escapes it; the Chinese one would show up escaped as well."""
CHINESE = "金丝雀鸣叫三声"
FORMS = {
    form
    for text in (CANARY, CHINESE)
    for form in (
        text.encode(), text.encode("utf-16-le"), text.upper().encode(), quote(text).encode(), quote(text).lower().encode(),
        json.dumps(text)[1:-1].encode(), text.encode("unicode_escape"),
    )
}  # fmt: skip
TEXT = f"{CANARY} {CHINESE} <|endoftext|>"
JSON = {"content-type": "application/json"}


def bodies() -> dict[str, tuple[str, str, bytes | str, dict[str, str]]]:
    """Every way in which a text can reach the service: method, path, body, headers."""

    def post(path: str, body: Any, **headers: str) -> tuple[str, str, bytes | str, dict[str, str]]:
        return (
            "POST",
            path,
            body if isinstance(body, bytes | str) else json.dumps(body, ensure_ascii=False),
            JSON | headers,
        )

    compare = {"text": TEXT, "offers": [GOOD], "as_of": AS_OF}
    usage = {"input_tokens": 1}
    return {
        "text": post("/compare", compare),
        "sample": post("/compare?detail=1", {"samples": [{"name": CANARY, "input_text": TEXT, "output_text": TEXT}], "offers": [GOOD]}),
        "csv": post("/compare?format=csv", {**compare, "offers": [{"offer": GOOD, "row_id": CANARY}]}),
        "tokenize": post("/tokenize", {"texts": [{"id": CANARY, "text": TEXT}], "tokenizers": ["o200k_base", "gemma3", "claude_v48"]}),
        "system and tools": post("/compare", {"samples": [{"input_text": TEXT, "system_text": TEXT, "tools": [
            {"function": {"name": CANARY, "description": TEXT, "parameters": {"properties": {CANARY: {"type": TEXT, "enum": [TEXT]}}}}}]}],
            "offers": [GOOD, "openai/gpt-4o"]}),
        "bad tool": post("/compare", {"samples": [{"input_text": TEXT, "tools": [{"function": {"name": [TEXT], "description": TEXT}}]}], "offers": [GOOD]}),
        "quote": post("/quotes", compare),
        "bad quote": post("/quotes", {**compare, "title": [TEXT], CANARY: TEXT}),
        "quote with a key": post("/quotes", compare, **{"idempotency-key": "canary"}),
        "bad key": post("/quotes", compare, **{"idempotency-key": CANARY * 30}),
        "no quote": ("GET", f"/quotes/{CANARY}?format=html", b"", {"if-none-match": CANARY}),
        "no replay": post(f"/quotes/{CANARY}/replay?as_of={CANARY}", ""),
        "watch": ("GET", f"/changes.atom?since={CANARY}&quote={CANARY}", b"", {}),
        "recount": post("/recount", {"rows": [{"offer": GOOD, "input_text": TEXT, "output_text": TEXT, "billed": usage}]}),
        "bad recount": post("/recount?on_error=fail", {"rows": [{"offer": GOOD, "input_text": TEXT, "output_text": [TEXT], "billed": {CANARY: TEXT}}]}),
        "row_id": post("/price", {"rows": [{"row_id": CANARY, "offer": GOOD, "usage": usage}]}),
        "offer": post("/compare", {**compare, "offers": [f"openai/{CANARY}", f"{CANARY}/{CANARY}", {CANARY: CANARY}, CANARY]}),
        "context": post("/price", {"rows": [{"offer": GOOD, "context": {CANARY: CANARY}, "usage": usage}]}),
        "usage key": post("/price", {"rows": [{"offer": GOOD, "usage": {CANARY: 1, "web_search_queries": [TEXT]}}]}),
        "searches": post("/price", {"rows": [{"offer": "google/gemini-3.8-flash", "usage": {"web_search_queries": [TEXT, TEXT]}}]}),
        "vendor usage": post("/price", {"rows": [{"offer": GOOD, "usage_format": CANARY, "vendor_usage": {CANARY: TEXT}}]}),
        "fails": post("/price?on_error=fail", {"rows": [{"offer": f"openai/{CANARY}", "usage": {CANARY: TEXT}}]}),
        "unknown field": post("/compare", {**compare, CANARY: TEXT}),
        "wrong type": post("/compare", {"text": [TEXT], "offers": [GOOD]}),
        "not json": post("/compare", TEXT),
        "cut off": post("/compare", json.dumps(compare)[:-2]),
        "twice": post("/compare", f'{{"text": "{CANARY}", "text": "{CANARY}"}}'),
        "surrogate": post("/compare", f'{{"text": "{CANARY}\\ud800", "offers": ["{GOOD}"]}}'),
        "surrogate elsewhere": post("/compare", f'{{"text": "{CANARY}", "offers": [{{"row_id": "{CANARY}\\ud800", "offer": "{GOOD}"}}]}}'),
        "not utf-8": post("/compare", TEXT.encode() + b"\xff"),
        "deep": post("/compare", '{"a":' * 5_000 + f'"{CANARY}"'),
        "digits": post("/price", f'{{"rows": [{{"row_id": "{CANARY}", "offer": "{GOOD}", "usage_format": "openai", '
                                 f'"vendor_usage": {{"prompt_tokens": {"9" * 4_000}, "completion_tokens": 1, "{CANARY}": 1}}}}]}}'),
        "content type": post("/compare", TEXT, **{"content-type": f"text/{CANARY}"}),
        "too large": post("/compare", f'{{"text": "{CANARY * 20_000}", "offers": ["{GOOD}"]}}'),
        "far too large": post("/compare", CANARY * 700_000),
        "query": ("GET", f"/compare?offers={GOOD}&text={quote(TEXT)}", b"", {}),
        "query of a bad offer": ("GET", f"/compare?offers={CANARY}&text={quote(TEXT)}&as_of={CANARY}", b"", {}),
        "cell": ("GET", f"/cell/cost_per_query?offer={GOOD}&text={quote(TEXT)}", b"", {}),
        "cell of a bad figure": ("GET", f"/cell/{CANARY}?offer={CANARY}&text={quote(TEXT)}&errors=inline", b"", {}),
        "head": ("HEAD", f"/compare?offers={GOOD}&text={quote(TEXT)}", b"", {}),
        "unknown parameter": ("GET", f"/prices?{CANARY}={CANARY}&cursor={CANARY}&limit={CANARY}", b"", {}),
        "filters": ("GET", f"/prices?provider={CANARY}&model={quote(CHINESE)}", b"", {}),
        "path": ("GET", f"/{CANARY}/{quote(CHINESE)}?{CANARY}", b"", {}),
        "problem": ("GET", f"/problems/{CANARY}", b"", {}),
        "method": ("DELETE", f"/compare?text={CANARY}", TEXT, {}),
        "headers": ("GET", "/healthz", b"", {"user-agent": CANARY, "referer": f"http://x/{CANARY}", "cookie": f"a={CANARY}", "authorization": CANARY}),
        "request id": ("GET", "/healthz", b"", {"x-request-id": f"{CANARY} {CANARY}"}),
        "refused prices": post("/prices", {"price_book": {"id": "canary", "currency": "USD"}, "rows": [{CANARY: TEXT, "source": TEXT + "\n"}]}),
    }  # fmt: skip


def logged(service: Service, request_ids: set[str]) -> list[dict[str, Any]]:
    """The log lines of these requests; the line follows the answer, so it may take a moment."""
    for _ in range(100):
        lines = [json.loads(line) for line in service.stdout.read_text().splitlines() if line.startswith("{")]
        found = [line for line in lines if line["request_id"] in request_ids]
        if len(found) >= len(request_ids):
            break
        time.sleep(0.05)
    return found


@pytest.fixture(scope="module")
def sent(service: Service) -> dict[str, httpx.Response]:
    answers = {}
    with service.client() as client:  # one that goes on after a 500: what a defect leaves behind is looked at, too
        for name, (method, path, body, headers) in bodies().items():
            answers[name] = client.request(method, path, content=body, headers=headers)
        # a write after the texts, so that whatever lies in a buffer of the database reaches its file
        assert publish(client, "after-the-canary", [private_row("m", "input_tokens", "1")]).status_code == 201
    logged(service, {answer.headers["x-request-id"] for answer in answers.values()})
    return answers


def written(service: Service) -> list[Path]:
    """All files of the service: output, error output, database, write-ahead log, whatever else it has left."""
    files = [path for path in service.stdout.parent.rglob("*") if path.is_file()]
    assert {service.stdout, service.stderr, service.database} <= set(files)
    return files


def test_no_text_is_left_anywhere(service: Service, sent: dict[str, httpx.Response]) -> None:
    assert len(sent) == len(bodies())
    for path in written(service):
        content = path.read_bytes()
        for form in FORMS:
            at = content.find(form)
            assert at < 0, f"{path.name}: …{content[max(0, at - 200) : at + 60]!r}"


def test_the_canary_would_be_found(service: Service, client: httpx.Client) -> None:
    """The source of a price is kept: the search above does look where things are kept."""
    row = private_row("m", "input_tokens", "1", source="nightingale-4711")
    assert publish(client, "nightingale", [row]).status_code == 201
    assert any(b"nightingale-4711" in path.read_bytes() for path in written(service))


def test_no_answer_gives_back_more_than_names(sent: dict[str, httpx.Response]) -> None:
    for name, answer in sent.items():
        assert CHINESE not in answer.text, f"{name}: a text is given back"
        assert "<|endoftext|>" not in answer.text
        if answer.status_code != 200:
            assert answer.text.count(CANARY) <= 4, f"{name}: {answer.text[:400]}"


def test_one_line_a_request_with_template_status_time_and_id(service: Service, client: httpx.Client) -> None:
    asked = [
        ("GET", f"/compare?offers={GOOD}&text={CANARY}", "/compare", 200),
        ("POST", "/compare", "/compare", 400),
        ("GET", f"/cell/cost_per_query?offer={GOOD}&text=a", "/cell/{figure}", 200),
        ("GET", f"/cell/{CANARY}?offer={GOOD}&text=a", "/cell/{figure}", 404),
        ("GET", "/problems/unknown-model", "/problems/{slug}", 200),
        ("GET", f"/{CANARY}", "unmatched", 404),
        ("DELETE", "/compare", "/compare", 405),
        ("HEAD", "/models", "/models", 200),
        ("GET", "/prices/history?limit=1", "/prices/history", 200),
    ]
    answers = [client.request(method, path, content=b"x" if method == "POST" else None) for method, path, _, _ in asked]
    ids = [answer.headers["x-request-id"] for answer in answers]
    lines = logged(service, set(ids))
    assert len(lines) == len(asked)
    by_id = {line["request_id"]: line for line in lines}
    for (method, _, route, status), request_id, answer in zip(asked, ids, answers, strict=True):
        line = by_id[request_id]
        assert answer.status_code == status
        assert line["status"] == status
        assert line["route"].replace("{figure:str}", "{figure}").replace("{slug:str}", "{slug}") in (
            route,
            "unmatched" if status == 405 else route,
        )
        assert line["method"] == method
        assert isinstance(line["ms"], int | float)
        assert line["ms"] >= 0
        assert re.fullmatch(r"2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|\+00:00)", line["at"])
        assert "?" not in json.dumps(line)


def test_output_is_log_lines_and_the_example(service: Service, sent: dict[str, httpx.Response]) -> None:
    lines = service.stdout.read_text().splitlines()
    others = [line for line in lines if not line.startswith("{")]
    assert len(others) == 1
    assert others[0].startswith("curl ")
    for line in lines:
        if line.startswith("{"):
            json.loads(line)


def test_no_server_error_so_far(service: Service, sent: dict[str, httpx.Response]) -> None:
    errors = service.stderr.read_text()
    assert "Traceback" not in errors, errors[-2_000:]
    assert "unexpected" not in errors, errors[-2_000:]
    lines = [json.loads(line) for line in service.stdout.read_text().splitlines() if line.startswith("{")]
    assert [line for line in lines if line["status"] >= 500] == []
