"""Texts made to hurt a tokenizer, at the limit and one byte above, by every tokenizer of a real service.

Kinds from the domain note on tokenizers, section 4: engines have been quadratic in them, have overflowed their stack or have
panicked. Each must be counted or refused, and afterwards the service must be as it was.
"""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.http.asking import refused
from tests.http.conftest import never_a_server_error
from tests.running import Service, running_service

LIMIT = 256 * 1024
CANARY = "canary8c41e7"
CLAUDE = {"claude_v3", "claude_v47", "claude_v48"}
MARKS = [chr(code) for code in range(0x300, 0x370)]


def hostile(kind: str, seed: int) -> str:
    """More than a mebibyte of a kind; the seed changes what can change."""
    chance = random.Random(f"{kind} {seed}")
    size = 1_050_000
    match kind:
        case "blanks":
            return " " * size
        case "one letter":
            return chance.choice("aeixyz") * size
        case "random letters":
            return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=size))
        case "base64":
            return base64.b64encode(chance.randbytes(size)).decode()
        case "emoji with joiners":
            return "".join(
                "\u200d".join(chance.choices("👩👨👧👦🚒🌈🧑", k=chance.randrange(2, 9))) for _ in range(size // 30)
            )
        case "combining marks":
            return "e" + "".join(chance.choices(MARKS, k=size // 2))
        case "newline and blank":
            return "\n " * (size // 2)
        case "look-alikes":
            return "<|endoftext|><|im_start|><s>[INST]<think>" * (size // 40)
    raise AssertionError(kind)


KINDS = [
    "blanks", "one letter", "random letters", "base64", "emoji with joiners", "combining marks", "newline and blank", "look-alikes",
]  # fmt: skip


def cut(text: str, size: int) -> str:
    """The canary and as much of `text` as makes exactly `size` bytes."""
    whole = f"{CANARY} {text}".encode()[: size - 8].decode(errors="ignore")
    return whole + "x" * (size - len(whole.encode()))


@pytest.fixture(scope="module")
def hardened(tmp_path_factory: pytest.TempPathFactory, loaded_database: Path) -> Iterator[Service]:
    """A service of its own, whose memory and workers can be looked at."""
    folder = tmp_path_factory.mktemp("hostile")
    shutil.copy(loaded_database, folder / "permillion.sqlite3")
    with running_service(folder) as running:
        yield running


@pytest.fixture(scope="module")
def asking(hardened: Service) -> Iterator[httpx.Client]:
    with hardened.client() as opened:
        opened.event_hooks = {"response": [never_a_server_error]}
        yield opened


@pytest.fixture(scope="module")
def tokenizers(asking: httpx.Client) -> list[str]:
    return [row["tokenizer"] for row in asking.get("/tokenizers").json()["rows"]]


def workers(service: Service) -> list[psutil.Process]:
    return psutil.Process(service.process.pid).children(recursive=True)


def counted(client: httpx.Client, text: str, tokenizers: list[str]) -> dict[str, dict[str, Any]]:
    body = json.dumps({"texts": [{"text": text}], "tokenizers": tokenizers}, ensure_ascii=False)
    response = client.post("/tokenize", content=body.encode())
    assert response.status_code == 200, response.text[:500]
    assert CANARY not in response.text
    return {row["tokenizer"]: row for row in response.json()["rows"]}


def assert_sound(client: httpx.Client) -> None:
    """A new text is counted rightly, and nobody waits for a worker that is gone."""
    text = f"The quick brown fox jumps over the lazy dog. {time.monotonic_ns()}"
    plain = counted(client, "The quick brown fox jumps over the lazy dog.", ["gemma3", "o200k_base"])
    assert plain["gemma3"]["tokens"] == 10  # Gemini API documentation, count tokens
    rows = counted(client, text, ["o200k_base", "llama3", "gemma3", "claude_v48"])
    assert [row["error_code"] for row in rows.values()] == [None] * 4


@pytest.mark.parametrize("kind", KINDS)
def test_at_the_limit_it_is_counted(asking: httpx.Client, tokenizers: list[str], kind: str) -> None:
    text = cut(hostile(kind, 1), LIMIT)
    rows = counted(asking, text, [name for name in tokenizers if name not in CLAUDE])
    for name, row in rows.items():
        assert (row["bytes"], row["error_code"]) == (LIMIT, None), f"{name}: {row['error_detail']}"
        assert 0 < row["tokens"] <= 2 * LIMIT  # NFC lengthens U+0344 and some letters, so bytes are no bound
    assert_sound(asking)


@pytest.mark.parametrize("kind", ["random letters", "combining marks", "emoji with joiners"])
def test_claude_at_the_limit_is_counted_or_gives_up_in_time(asking: httpx.Client, kind: str) -> None:
    """ctok is pure Python, 0.1 MB/s: on a busy machine it may run out of its ten seconds, and says so."""
    for name, row in counted(asking, cut(hostile(kind, 2), LIMIT), sorted(CLAUDE)).items():
        assert row["error_code"] in (None, "counting-timeout"), f"{name}: {row['error_detail']}"
        assert (row["tokens"] is None) == (row["error_code"] is not None)
    assert_sound(asking)


@pytest.mark.parametrize("kind", KINDS)
def test_one_byte_above_it_is_refused(asking: httpx.Client, kind: str) -> None:
    for size in (LIMIT + 1, 1_000_000):
        body = {"texts": [{"text": cut(hostile(kind, 3), size)}], "tokenizers": ["o200k_base"]}
        refused(asking.post("/tokenize", json=body), 413, "text-too-large", "/texts/0/text", "max_text_bytes is 262144")


@pytest.mark.parametrize("text", ["\\ud83d", f"{CANARY}\\udc00", "\\ude00\\ud83d" * 10_000])
def test_lone_surrogates_are_refused(asking: httpx.Client, text: str) -> None:
    body = f'{{"texts": [{{"text": "{text}"}}], "tokenizers": ["o200k_base"]}}'
    problem = refused(asking.post("/tokenize", content=body.encode()), 422, "invalid-text", "/texts/0/text")
    assert CANARY not in json.dumps(problem)


def test_memory_comes_to_rest(hardened: Service, asking: httpx.Client, tokenizers: list[str]) -> None:
    """Engines cache what they have seen: a second pass of new texts of the same kinds may not grow as the first did."""
    fast = [name for name in tokenizers if name not in CLAUDE]
    used: list[int] = []
    for seed in (10, 11, 12):
        for kind in ("random letters", "base64", "combining marks"):
            counted(asking, cut(hostile(kind, seed), LIMIT), fast)
        used.append(sum(process.memory_info().rss for process in workers(hardened)))
    assert used[2] - used[1] < 64 * 2**20, [size >> 20 for size in used]
    for process in workers(hardened):
        assert process.memory_info().rss < 2_048 * 2**20


def test_workers_killed_over_a_text_cost_no_more_than_that_text(hardened: Service, asking: httpx.Client) -> None:
    before = workers(hardened)
    assert len(before) == 2
    with ThreadPoolExecutor() as threads, hardened.client() as other:
        text = cut(hostile("random letters", 4), LIMIT)
        asked = threads.submit(counted, other, text, ["claude_v3", "claude_v48", "llama2", "gemma3"])
        time.sleep(0.5)
        for worker in before:
            os.kill(worker.pid, signal.SIGKILL)
        assert asking.get("/healthz").status_code == 200
        for row in asked.result().values():
            assert row["error_code"] in (None, "counting-failed", "counting-timeout"), row
    assert_sound(asking)
    after = workers(hardened)
    assert len(after) == 2
    assert not {worker.pid for worker in before} & {worker.pid for worker in after}


def test_a_million_blanks_where_the_limit_is_higher(tmp_path: Path, loaded_database: Path) -> None:
    """The text that ended tiktoken's thread with a stack overflow, by every tokenizer that takes a text of this size."""
    shutil.copy(loaded_database, tmp_path / "permillion.sqlite3")
    text = cut(" " * 1_000_000, 1_000_000)
    with (
        running_service(tmp_path, {"PERMILLION_MAX_TEXT_BYTES": "1000000"}) as service,
        service.client() as client,
    ):
        tokenizers = [row["tokenizer"] for row in client.get("/tokenizers").json()["rows"]]
        rows = counted(client, text, tokenizers)
        for name, row in rows.items():
            assert row["error_code"] == ("text-too-large" if name in CLAUDE else None), f"{name}: {row}"
        assert_sound(client)
        body = {"texts": [{"text": text + "x"}], "tokenizers": ["o200k_base"]}
        refused(client.post("/tokenize", json=body), 413, "text-too-large", "/texts/0/text")


def test_nothing_of_the_texts_is_left(hardened: Service, asking: httpx.Client) -> None:
    counted(asking, f"{CANARY} last", ["o200k_base"])
    for path in hardened.stdout.parent.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path.name
    assert "Traceback" not in hardened.stderr.read_text()
