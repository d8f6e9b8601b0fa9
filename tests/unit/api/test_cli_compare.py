from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from api.cli.opening import open_catalog
from api.settings import Settings
from catalog.publishing import NewBook, NewRow
from economics.prices import PriceRow, Provenance
from tests.http.asking import COMPARE_COLUMNS
from tests.tokenizer_files import EVERYTHING, byte_ranks
from tests.unit.api.conftest import Run
from tokenizers_registry import probes
from tokenizers_registry.registered.files import CheckedFile, RegisteredFile

TEXT = "Where is my parcel? 我的包裹到哪里了?"
OFFERS = "openai/gpt-6-sol,deepseek/deepseek-flash,openai/nope"
ARGUMENTS = (
    "--offers",
    OFFERS,
    "--as-of",
    "2026-11-30T12:00:00Z",
    "--output-tokens",
    "100",
    "--queries-per-month",
    "1000",
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ticket.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_json_of_a_file_and_csv_of_standard_input_hold_the_rows_of_the_api(run: Run, file: Path) -> None:
    done = run("compare", str(file), *ARGUMENTS, "--format", "json")
    assert (done.status, done.err) == (0, "")
    rows = json.loads(done.out)["rows"]
    assert [list(row) for row in rows] == [COMPARE_COLUMNS] * 3
    assert [row["error_code"] for row in rows] == [None, None, "unknown-model"]
    assert [row["rank"] for row in rows] == [1, 2, None]
    sol = next(row for row in rows if row["model"] == "gpt-6-sol")
    assert (sol["input_characters"], sol["output_tokens"]) == (len(TEXT), 100)
    assert Fraction(sol["cost_per_query"]) == Fraction(sol["input_tokens"] * 2 + 100 * 10, 10**6)
    assert Fraction(sol["cost_per_month"]) == 1_000 * Fraction(sol["cost_per_query"])

    done = run("compare", "-", *ARGUMENTS, "--format", "csv", stdin=TEXT.encode())
    assert (done.status, done.err) == (0, "")
    listed = list(csv.DictReader(io.StringIO(done.out, newline=""), strict=True))
    assert listed == [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]


def test_the_table_says_what_a_person_needs(run: Run, file: Path) -> None:
    done = run("compare", str(file), *ARGUMENTS)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert "per query" in lines[0]
    assert "per month" in lines[0]
    assert lines[1].split()[0] == "1"
    for offer in OFFERS.split(","):
        assert any(offer in line for line in lines[1:4])
    assert any("unknown-model" in line for line in lines)
    assert "2026-11-30T12:00:00Z" in done.out
    assert "USD" in done.out


def test_bytes_are_counted_as_they_come(run: Run, tmp_path: Path) -> None:
    for text in ("", "\ufeffa\r\nb\r\n<|endoftext|>"):
        path = tmp_path / "text.txt"
        path.write_bytes(text.encode())
        done = run("compare", str(path), "--offers", "openai/gpt-6-sol", "--as-of", "2026-11-30", "--format", "json")
        assert json.loads(done.out)["rows"][0]["input_characters"] == len(text)


def refused(run: Run, *arguments: str, stdin: bytes = b"", says: str) -> None:
    done = run("compare", *arguments, stdin=stdin)
    assert done.status == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    assert says in done.err, done.err


def test_files_that_are_refused(run: Run, file: Path, tmp_path: Path) -> None:
    refused(run, "-", *ARGUMENTS, stdin=b"abc\xff", says="UTF-8 (byte 3)")
    refused(run, "-", *ARGUMENTS, stdin="text".encode("utf-16"), says="UTF-8")
    refused(run, "-", *ARGUMENTS, stdin=b"a" * (256 * 1024 + 1), says="262144")
    refused(run, str(tmp_path / "nowhere.txt"), *ARGUMENTS, says="nowhere.txt")
    refused(run, str(tmp_path), *ARGUMENTS, says="directory")


def test_options_that_are_refused(run: Run, file: Path) -> None:
    refused(run, "-", says="--offers")
    refused(run, "-", *ARGUMENTS, "--format", "xlsx", says="xlsx")
    refused(run, str(file), *ARGUMENTS, "--output-characters", "5", says="not both")
    refused(run, str(file), "--offers", OFFERS, "--as-of", "yesterday", says="instant")
    refused(run, str(file), "--offers", OFFERS, "--fx", "CNY:USD:0:2026-11-30", says="rate")
    refused(run, str(file), "--offers", OFFERS, "--fx", "CNY=0.14", says="FROM:TO:RATE:DATE")


def test_nothing_priced_is_a_failure(run: Run, file: Path) -> None:
    done = run("compare", str(file), "--offers", "openai/nope,a/b", "--as-of", "2026-11-30")
    assert done.status == 1
    assert "unknown-model" in done.out
    assert "unknown-provider" in done.out


def test_yuan_by_a_stated_rate(run: Run, file: Path) -> None:
    offers = ("--offers", "deepseek/deepseek-flash@cn", "--as-of", "2026-11-30T12:00:00Z", "--format", "json")
    assert run("compare", str(file), *offers).status == 1
    (row,) = json.loads(run("compare", str(file), *offers, "--fx", "CNY:USD:0.1408:2026-11-30").out)["rows"]
    assert (row["fx_rate"], row["fx_as_of"], row["native_currency"]) == ("0.1408", "2026-11-30", "CNY")
    assert Fraction(row["cost_per_query"]) == Fraction(row["native_cost_per_query"]) * Fraction("0.1408")


def test_a_private_model_is_counted_with_its_registered_tokenizer(
    run: Run, file: Path, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The alphabet-only file counts UTF-8 bytes."""
    copied = tmp_path / "copied.sqlite3"
    shutil.copy(database_url.removeprefix("sqlite:///"), copied)
    monkeypatch.setenv("PERMILLION_DATABASE_URL", f"sqlite:///{copied}")
    counts = tuple(len(text.encode()) for text in probes.REGISTERED_TEXTS)
    content = byte_ranks()
    checked = CheckedFile(
        "tiktoken", hashlib.sha256(content).hexdigest(), len(content), EVERYTHING, 256, counts, 10, ""
    )
    price = PriceRow("input_tokens", Decimal(2), 1_000_000, "USD", Provenance("contract", None))
    catalog = open_catalog(Settings(database_url=f"sqlite:///{copied}"))
    catalog.register_tokenizer(RegisteredFile("user/own", checked, "ours", "our tickets", datetime.now(UTC)), content)
    catalog.publish(NewBook("own-book", None, "USD"), [NewRow("acme", "own-1", "user/own", price)])
    catalog.close()
    done = run("compare", str(file), "--offers", "acme/own-1@own-book", "--format", "json")
    (row,) = json.loads(done.out)["rows"]
    assert (row["tokenizer"], row["count_method"], row["input_tokens"]) == ("user/own", "exact", len(TEXT.encode()))
