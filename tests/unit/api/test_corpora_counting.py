from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

from api.services.corpora.columns import TokenColumn
from api.services.corpora.counting import CountedRow, count_batch, counted_row
from api.services.corpora.texts import START, CorpusText
from api.services.corpora.totals import MAX_PROBLEMS, Totals
from economics.errors import PermillionError
from tests.running import ROOT
from tests.unit.tokenizers_registry.conftest import misbehaving  # noqa: F401 - a fixture
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.registry import Registry
from tokenizers_registry.workers import WorkerSettings


def column(tokenizer: str) -> TokenColumn:
    return TokenColumn(tokenizer, tokenizer, "exact", f"probe:{tokenizer}")


def text(number: int, content: str | None) -> CorpusText:
    error = PermillionError("malformed-json", "…") if content is None else None
    return CorpusText("a", number, number, content, error, START)


def test_one_text_that_kills_its_worker_costs_no_other_its_count(misbehaving: Registry) -> None:  # noqa: F811
    texts = [text(1, "one"), text(2, "die"), text(3, None), text(4, "three"), text(5, "die too"), text(6, "one")]
    columns = [column("letters"), column("dying")]

    async def counted() -> list[CountedRow]:
        counter = TokenCounter(misbehaving, WorkerSettings(workers=1, timeout_s=20), cache_entries=0)
        await counter.start()
        try:
            return await count_batch(texts, columns, counter)
        finally:
            await counter.close()

    rows = asyncio.run(counted())
    assert [(row.line, row.tokens, row.error.slug if row.error else None) for row in rows] == [
        (1, (3, 3), None),
        (2, (3, None), "counting-failed"),
        (3, (None, None), "malformed-json"),
        (4, (5, 5), None),
        (5, (7, None), "counting-failed"),
        (6, (3, 3), None),
    ]


def test_totals_of_parts_are_the_totals_of_the_whole() -> None:
    columns = [column("a"), column("b")]
    failed = PermillionError("counting-failed", "…")
    rows = [counted_row(text(n, "x " * n), {"a": n, "b": failed if n % 3 else 2 * n}, columns) for n in range(9)]
    whole = Totals.of(rows, 2)
    assert [(c.texts, c.characters, c.tokens) for c in whole.columns] == [(9, 72, 36), (3, 18, 18)]
    assert (whole.characters, whole.non_whitespace_characters, whole.errors) == (72, 36, {"counting-failed": 6})
    merged = Totals.of((), 2)
    for part in (rows[:2], rows[2:2], rows[2:]):
        merged.merge(Totals.of(part, 2))
    assert merged == whole
    assert Totals.from_json(whole.to_json()) == whole


def test_a_million_bad_files_are_counted_and_not_remembered() -> None:
    bad = PermillionError("unreadable-file", "…")
    rows = (CountedRow(f"{n}", 1, n, None, None, None, (None,), bad, START) for n in range(1_000))
    totals = Totals.of(rows, 1)
    assert totals.errors == {"unreadable-file": 1_000}
    assert len(totals.problems) == MAX_PROBLEMS


HEARING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from api.cli import main; main()"
"""The command line; a background job of a shell would inherit that interrupts are ignored."""


def command(folder: Path, *arguments: str, stderr: int) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERMILLION_")}
    return subprocess.Popen(
        [sys.executable, "-c", HEARING, "tokenize", *arguments],
        cwd=folder, env={**environment, "PYTHONPATH": str(ROOT), "TERM": "xterm"}, stdout=subprocess.PIPE, stderr=stderr,
    )  # fmt: skip


def test_a_terminal_gets_a_bar_that_ends_at_a_hundred(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "parcel"}\n' * 500)
    (tmp_path / "b.txt").write_text("parcel")
    ours, theirs = pty.openpty()
    process = command(tmp_path, "a.jsonl", "b.txt", "--tokenizers", "o200k_base", "--out", "o.csv", stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65_536):
            shown += part
    except OSError:  # Linux ends a terminal so
        pass
    finally:
        os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"100%" in shown
    assert b"501 texts" in shown
    assert out.startswith(b"501 texts, 3,006 characters")


def test_stopped_by_hand_it_says_how_to_go_on(tmp_path: Path) -> None:
    numbers = (" ".join(str((line * 7_919 + k * 104_729) % 10**6) for k in range(100)) for line in range(6_000))
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "{text}"}}\n' for text in numbers))  # half a minute of work
    asked = ("a.jsonl", "--tokenizers", "claude_v48", "--out", "o.csv", "--workers", "1")
    process = command(tmp_path, *asked, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (tmp_path / "o.csv.checkpoint").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b""), said
    assert b"--resume goes on" in said
    assert b"Traceback" not in said
    assert (tmp_path / "o.csv.part").exists()
