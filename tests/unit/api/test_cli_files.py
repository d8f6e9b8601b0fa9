"""Commands that check a person's own files, and those that write the project's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from providers.sheet import Sheet
from providers.sheet_file import read_yaml
from tests.running import ROOT
from tests.unit.api.conftest import Run


def case(**changes: Any) -> dict[str, Any]:
    """OpenAI's prompt-caching example: 200 at 4, 2,000 at 0.4, 400 at 5 USD per million tokens."""
    return {
        "id": "caching", "provider": "openai", "model": "gpt-5.6-sol", "as_of": "2026-11-30T00:00:00Z", "context": {}, "currency": "USD",
        "usage": {"input_tokens": 2600, "cache_read_tokens": 2000, "cache_write_tokens": 400}, "expected_total": "0.0036", **changes,
    }  # fmt: skip


def price(run: Run, tmp_path: Path, content: Any) -> Any:
    path = tmp_path / "cases.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return run("price", "--cases", str(path))


def test_cases_that_agree(run: Run, tmp_path: Path) -> None:
    vendor = case(
        id="vendor",
        usage={"prompt_tokens": 2600, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 2000}},
        expected_total="0.0032",
    )
    book = case(id="book", provider="deepseek", model="deepseek-flash", context={"price_book": "cn"}, usage={"input_tokens": 1_000_000},
                as_of="2026-11-30T12:00:00Z", currency="CNY", expected_total="1.00")  # fmt: skip
    for content in ({"cases": [case(), case(id="places", expected_total="0.00360000"), vendor, book]}, [case()]):
        done = price(run, tmp_path, content)
        assert (done.status, done.err) == (0, ""), done
        assert done.out.strip().endswith("agree")
    assert price(run, tmp_path, {"cases": []}).status == 0


def test_a_case_that_differs(run: Run, tmp_path: Path) -> None:
    done = price(run, tmp_path, {"cases": [case(), case(id="wrong", expected_total="0.0104")]})
    assert done.status == 1
    assert "wrong: expected 0.0104 USD, got 0.0036 USD" in done.out
    assert "2000 at 0.4 per 1000000" in done.out, "the lines of the bill show where the difference is"
    assert "1 of 2 cases agree" in done.out
    assert "caching" not in done.out


BAD_CASES: dict[str, tuple[dict[str, Any], str]] = {
    "other currency": ({"currency": "CNY"}, "got 0.0036 USD"),
    "unknown model": ({"model": "gpt-5.6-so"}, "unknown-model"),
    "unknown context": ({"context": {"processing": "bulk"}}, "unknown-context"),
    "total no decimal": ({"expected_total": "much"}, "decimal"),
    "instant": ({"as_of": "soon"}, "instant"),
    "unknown meter": ({"usage": {"tokens": 5}}, "tokens"),
    "float": ({"usage": {"input_tokens": 1.5}}, "input_tokens"),
    "usage a list": ({"usage": []}, "usage"),
    "usage null": ({"usage": None}, "usage"),
    "context text": ({"context": "batch"}, "context"),
    "provider a number": ({"provider": 5}, "unknown-provider"),
}


def test_cases_that_cannot_be_priced_are_differences_and_the_others_are_priced(run: Run, tmp_path: Path) -> None:
    cases = [case(id=name, **changes) for name, (changes, _) in BAD_CASES.items()]
    keys = ("provider", "model", "as_of", "currency", "usage", "expected_total")
    short = [{name: value for name, value in case(id=f"no {key}").items() if name != key} for key in keys]
    done = price(run, tmp_path, {"cases": [*cases, *short, case()]})
    assert (done.status, done.err) == (1, "")
    lines = done.out.splitlines()
    for name, (_, says) in BAD_CASES.items():
        assert any(line.startswith(f"{name}: ") and says in line for line in lines), (name, says)
    for bad in short:
        assert any(
            line.startswith(f"{bad['id']}: ") and str(bad["id"]).removeprefix("no ") in line for line in lines
        ), bad["id"]
    assert lines[-1] == f"1 of {len(BAD_CASES) + len(short) + 1} cases agree"


def test_a_total_that_is_a_json_number_is_read_as_it_is_written(run: Run, tmp_path: Path) -> None:
    assert price(run, tmp_path, [case(expected_total=0.0036)]).status == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"cases": 5}', b'{"case": []}', b"\xff\xfe", b"[" * 100_000])
def test_files_that_are_no_cases(run: Run, tmp_path: Path, content: bytes) -> None:
    done = price(run, tmp_path, content)
    assert (done.status, done.out) == (2, "")
    assert "cases.json" in done.err
    assert len(done.err.splitlines()) == 1


def verify(run: Run, tmp_path: Path, *lines: Any) -> Any:
    path = tmp_path / "vectors.jsonl"
    path.write_bytes(
        b"\n".join(line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode() for line in lines)
        + b"\n"
    )
    return run("tokenizers", "verify", str(path))


# counted with tiktoken's o200k_base and cl100k_base; Claude's estimate is content and frame of one user message
HELLO = {"id": "hello", "text": "Hello, world!", "counts": {"o200k_base": 4, "cl100k_base": 4}}


def test_token_counts_that_agree(run: Run, tmp_path: Path) -> None:
    blank = {"id": "empty", "text": "", "counts": {"o200k_base": 0, "cl100k_base": None}}
    done = verify(run, tmp_path, HELLO, b"", blank)
    assert (done.status, done.err) == (0, ""), done
    assert "o200k_base: 2 of 2 agree" in done.out
    assert "cl100k_base: 1 of 1 agree" in done.out


def test_token_counts_that_differ(run: Run, tmp_path: Path) -> None:
    done = verify(run, tmp_path, {**HELLO, "counts": {"o200k_base": 5, "cl100k_base": 4}})
    assert done.status == 1
    assert "hello: o200k_base expected 5, got 4" in done.out
    assert "o200k_base: 0 of 1 agree" in done.out


def test_an_unknown_tokenizer_is_said(run: Run, tmp_path: Path) -> None:
    done = verify(run, tmp_path, {**HELLO, "counts": {"o200k_base": 4, "p50k_base": 4}})
    assert "no such tokenizer here: p50k_base" in done.out


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"5",
        b'{"text": "a"}',
        b'{"counts": {}}',
        b'{"text": 5, "counts": {}}',
        b'{"text": "a", "counts": []}',
        b"\xff",
    ],
)
def test_lines_that_are_no_vectors(run: Run, tmp_path: Path, line: bytes) -> None:
    done = verify(run, tmp_path, HELLO, line)
    assert (done.status, done.out) == (2, ""), done
    assert "vectors.jsonl" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "line", [b'{"text": "\\ud800", "counts": {"o200k_base": 1}}', b'{"text": "a", "counts": {"o200k_base": "1"}}']
)
def test_vectors_that_cannot_be_counted(run: Run, tmp_path: Path, line: bytes) -> None:
    done = verify(run, tmp_path, HELLO, line)
    assert done.status in (1, 2)
    assert "Traceback" not in done.err


def test_the_specification_is_checked_and_written(run: Run, tmp_path: Path) -> None:
    committed = ROOT / "openapi" / "openapi.json"
    assert run("openapi", "--check", str(committed)).status == 0
    written = tmp_path / "new" / "openapi.json"
    assert run("openapi", str(written)).status == 0
    assert written.read_bytes() == committed.read_bytes()
    written.write_text(written.read_text().replace("compareOffers", "compare"))
    done = run("openapi", "--check", str(written))
    assert done.status == 1
    assert "make openapi" in done.err
    assert run("openapi", "--check", str(tmp_path / "none.json")).status == 1


def test_the_sheets_are_checked(run: Run) -> None:
    done = run("check")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_a_new_provider_is_a_valid_sheet(run: Run, tmp_path: Path) -> None:
    done = run("new-provider", "acme-ai", "--folder", str(tmp_path))
    assert (done.status, done.err) == (0, "")
    home = tmp_path / "acme-ai"
    assert str(home / "sheet.yaml") in done.out
    assert {path.name for path in home.iterdir()} == {"__init__.py", "sheet.yaml", "SOURCES.md"}
    sheet = Sheet.model_validate(read_yaml((home / "sheet.yaml").read_text(encoding="utf-8")))
    assert (sheet.provider, list(sheet.models)) == ("acme-ai", ["example-model"])
    assert "acme-ai" in (home / "SOURCES.md").read_text()
    again = run("new-provider", "acme-ai", "--folder", str(tmp_path))
    assert again.status == 2
    assert "exists already" in again.err
    for name in ("Acme", "../acme", "a b", "", "-a", "a" * 65, "字"):
        refused = run("new-provider", "--folder", str(tmp_path), "--", name)
        assert (refused.status, "a-z" in refused.err) == (2, True), refused
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["acme-ai"]


def test_migrating_says_the_version(run: Run) -> None:
    first, second = run("migrate"), run("migrate")
    assert (first.status, first.err) == (0, "")
    assert first.out.startswith("catalog ")
    assert first.out == second.out


def test_the_command_explains_itself(run: Run) -> None:
    done = run("--help")
    assert done.status == 0
    for name in ("serve", "compare", "price", "tokenizers", "migrate", "openapi", "check", "new-provider"):
        assert f"  {name}" in done.out
        assert run(name, "--help").status == 0
    assert "0.1.0" in run("--version").out
    assert run("nope").status == 2


def test_a_wrong_setting_stops_every_command(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERMILLION_MAX_ROW", "5")
    (tmp_path / "a.txt").write_text("a")
    for arguments in (("compare", "a.txt", "--offers", "a/b"), ("migrate",), ("serve",)):
        done = run(*arguments)
        assert (done.status, done.out) == (2, "")
        assert "PERMILLION_MAX_ROW" in done.err
