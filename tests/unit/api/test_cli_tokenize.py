from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from tests.unit.api.conftest import Run

VECTORS_FILE = Path(__file__).parents[2] / "cases" / "data" / "token_vectors.jsonl"
VECTORS = [json.loads(line) for line in VECTORS_FILE.read_text(encoding="utf-8").splitlines()]
TOKENIZERS = ("o200k_base", "llama3")
ASKED = ("--tokenizers", ",".join(TOKENIZERS))


def counted(vectors: list[Mapping[str, Any]] = VECTORS) -> list[list[Any]]:
    """Id, code points, bytes, code points without white space and the counts that the vectors file states."""
    return [
        [
            v["id"],
            v["code_points"],
            v["utf8_bytes"],
            v["non_whitespace_code_points"],
            *(v["counts"][t] for t in TOKENIZERS),
        ]
        for v in vectors
    ]


def cells(row: Mapping[str, Any]) -> list[Any]:
    names = ("text_id", "characters", "bytes", "non_whitespace_characters", *(f"{t}_tokens" for t in TOKENIZERS))
    return [row[name] for name in names]


def from_csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), strict=True))


def test_rows_and_totals_are_the_counts_of_the_vectors(run: Run, tmp_path: Path) -> None:
    done = run("tokenize", str(VECTORS_FILE), *ASKED, "--out", "counts.jsonl", "--batch", "7", "--format", "json")
    assert (done.status, done.err) == (0, "")
    rows = [json.loads(line) for line in (tmp_path / "counts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [cells(row) for row in rows] == counted()
    assert [row["line"] for row in rows] == list(range(1, len(VECTORS) + 1))
    assert {row["error_code"] for row in rows} == {None}
    totals = json.loads(done.out)
    assert totals["texts"] == len(VECTORS)
    assert totals["characters"] == sum(v["code_points"] for v in VECTORS)
    assert totals["bytes"] == sum(v["utf8_bytes"] for v in VECTORS)
    for column, tokenizer in zip(totals["columns"], TOKENIZERS, strict=True):
        tokens = sum(v["counts"][tokenizer] for v in VECTORS)
        assert (column["tokenizer"], column["tokens"], column["count_method"]) == (tokenizer, tokens, "exact")
        assert float(column["tokens_per_character"]) == pytest.approx(tokens / totals["characters"], rel=1e-12)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts.jsonl"]


def test_every_format_in_and_out_holds_the_same_rows(run: Run, tmp_path: Path) -> None:
    assert run("tokenize", str(VECTORS_FILE), *ASKED, "--out", "a.csv").status == 0
    assert [cells(row) for row in from_csv(tmp_path / "a.csv")] == [[str(cell) for cell in row] for row in counted()]
    assert run("tokenize", str(VECTORS_FILE), *ASKED, "--out", "a.parquet").status == 0
    assert [cells(row) for row in parquet.read_table(tmp_path / "a.parquet").to_pylist()] == counted()
    (tmp_path / "in").mkdir()
    for vector in VECTORS:
        (tmp_path / "in" / f"{vector['id']}.txt").write_text(vector["text"], encoding="utf-8", newline="")
    assert run("tokenize", "in", *ASKED, "--out", "b.csv").status == 0
    by_file = {Path(row["text_id"]).stem: row for row in from_csv(tmp_path / "b.csv")}
    for vector in VECTORS:
        assert by_file[vector["id"]]["o200k_base_tokens"] == str(vector["counts"]["o200k_base"])


def test_standard_input_and_offers(run: Run, tmp_path: Path) -> None:
    lines = b'{"text": "Hello, world!"}\n{"text": ""}\n'
    asked = ("--offers", "openai/gpt-4o,openai/gpt-6-sol", "--as-of", "2026-11-30", "--out", "counts.jsonl")
    done = run("tokenize", "-", *asked, stdin=lines)
    assert (done.status, done.err) == (0, "")
    first, empty = (json.loads(line) for line in (tmp_path / "counts.jsonl").read_text().splitlines())
    # gpt-4o is mapped by its vendor, gpt-6-sol by assumption: the header says so
    assert (first["openai/gpt-4o_tokens"], first["openai/gpt-6-sol_estimated_tokens"]) == (4, 4)
    assert (empty["characters"], empty["openai/gpt-4o_tokens"]) == (0, 0)
    assert "tokenizer_assumed" in done.out
    assert "0.307692" in done.out  # 4 tokens, 13 characters


def test_bad_texts_are_rows_the_report_names_files_and_the_status_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "=cmd.jsonl").write_bytes(b'{"id": "=1+1", "text": "Hello, world!"}\n{"id": "@a"}\n{"te\n\xff\n')
    (tmp_path / "in" / "latin.txt").write_bytes(b"caf\xe9")
    done = run("tokenize", "in", "--tokenizers", "o200k_base", "--out", "in/counts.csv")
    assert done.status == 1
    rows = from_csv(tmp_path / "in" / "counts.csv")  # not one of the texts, though it stands in the folder
    assert [(row["text_id"], row["o200k_base_tokens"], row["characters"], row["error_code"]) for row in rows] == [
        ("'=1+1", "4", "13", ""),
        ("'@a", "", "", "invalid-fields"),
        ("3", "", "", "malformed-json"),
        ("4", "", "", "invalid-text"),
        ("in/latin.txt", "", "", "invalid-text"),
    ]
    assert "in/=cmd.jsonl: malformed-json, 1 from line 3" in done.out
    assert "in/latin.txt: invalid-text, 1 from line 1" in done.out


def test_a_text_too_long_for_one_tokenizer_is_counted_by_the_other(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERMILLION_MAX_TEXT_BYTES", "600000")
    (tmp_path / "a.txt").write_text("a" * 300_000)  # claude_v48 takes 262,144 bytes
    done = run(
        "tokenize", "a.txt", "--tokenizers", "claude_v48,o200k_base", "--out", "counts.jsonl", "--format", "json"
    )
    assert done.status == 1
    row = json.loads((tmp_path / "counts.jsonl").read_text())
    assert row["claude_v48_estimated_tokens"] is None
    assert row["o200k_base_tokens"] == 37_500  # openai/tiktoken#195: 8 letters a token
    assert (row["error_code"], row["characters"]) == ("text-too-large", 300_000)
    totals = json.loads(done.out)
    assert [(c["texts"], c["tokens_per_character"]) for c in totals["columns"]] == [(0, None), (1, "0.125")]


def refused(run: Run, *arguments: str, says: str) -> None:
    done = run("tokenize", *arguments)
    assert (done.status, done.out) == (2, ""), done
    assert "Traceback" not in done.err
    assert says in done.err, done.err


def test_what_is_refused_before_anything_is_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "void").mkdir()
    one = ("a.txt", "--tokenizers", "o200k_base")
    refused(run, *one, says="--out")
    refused(run, *one, "--out", "a.xlsx", says=".csv")
    refused(run, *one, "--offers", "openai/gpt-4o", "--out", "a.csv", says="one of them")
    refused(run, "a.txt", "--out", "a.csv", says="one of them")
    refused(run, "a.txt", "--tokenizers", "o200k", "--out", "a.csv", says="o200k_base")
    refused(run, "a.txt", "--tokenizers", ",", "--out", "a.csv", says="tokenizers")
    refused(run, "a.txt", "--offers", "openai/nope", "--out", "a.csv", says="nope")
    refused(run, "b.txt", "--tokenizers", "o200k_base", "--out", "a.csv", says="b.txt")
    refused(run, "void", "--tokenizers", "o200k_base", "--out", "a.csv", says="no file")
    refused(run, *one, "--out", "nowhere/a.csv", says="a.csv.part")
    refused(run, *one, "--out", "a.csv", "--resume", "--overwrite", says="not both")
    assert not list(tmp_path.glob("*.csv*"))


def test_an_output_that_is_there_is_replaced_only_when_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    one = ("a.txt", "--tokenizers", "o200k_base", "--out", "a.csv")
    assert run("tokenize", *one).status == 0
    refused(run, *one, says="--overwrite")
    refused(run, *one, "--resume", says="nothing to resume")
    assert run("tokenize", *one, "--overwrite").status == 0
    (tmp_path / "in.csv").write_text("text\na\n")
    refused(run, "in.csv", "--tokenizers", "o200k_base", "--out", "in.csv", "--overwrite", says="where the output goes")
    assert (tmp_path / "in.csv").read_text() == "text\na\n"


def test_no_text_is_no_success(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")
    done = run("tokenize", "a.jsonl", "--tokenizers", "o200k_base", "--out", "a.csv")
    assert done.status == 1
    assert "no text" in done.out
