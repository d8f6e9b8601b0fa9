"""`permillion import` as a person runs it."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from api.cli.fetching import fetch
from api.cli.opening import open_catalog
from api.settings import Settings
from economics.errors import PermillionError
from tests.running import ROOT

Run = Callable[..., object]
HEADER = "provider,model,meter,rate,per,currency,valid_from,source,checked_on\n"
ROWS = (
    "openai,gpt-6-sol,input_tokens,1.80,1000000,USD,2026-11-01,contract 4711,2026-11-15\n"
    "openai,gpt-6-sol,output_tokens,9,1000000,USD,2026-11-01,contract 4711,2026-11-15\n"
)


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    file = tmp_path / "contract.csv"
    file.write_text(HEADER + ROWS, encoding="utf-8")
    return file


def counts(out: str) -> dict[str, int]:
    lines = (line.split() for line in out.splitlines() if not line.startswith(" "))
    return {parts[0]: int(parts[1].replace(",", "")) for parts in lines if len(parts) > 1 and parts[1].isdigit()}


def test_a_dry_run_shows_and_writes_nothing_then_the_same_is_published_once(run: Run, contract: Path) -> None:
    book = ("--book", "dry", "--base", "default")
    dry = run("import", "csv", str(contract), *book, "--dry-run")
    assert (dry.status, counts(dry.out)["added"]) == (0, 2)
    assert "nothing was written" in dry.out
    first, again = (run("import", "csv", str(contract), *book) for _ in range(2))
    assert (counts(first.out)["added"], counts(again.out)["added"], counts(again.out)["unchanged"]) == (2, 0, 2)
    assert "published into: dry" in first.out
    assert "nothing changed" in again.out


def test_a_formula_a_slip_and_an_unknown_mode_are_refused_and_the_rest_is_published(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    rows = (
        "openai,gpt-6-sol,cache_read_tokens,=1+1,1000000,USD,2026-11-01,contract,2026-11-15\n"
        "openai,gpt-6-sol,cache_read_tokens,-1,1000000,USD,2026-11-01,contract,2026-11-15\n"
        "openai,gpt-6-sol,fairy_tokens,1,1000000,USD,2026-11-01,contract,2026-11-15\n"
        "openai,gpt-5.4,input_tokens,2500,1000000,USD,2026-11-01,contract,2026-11-15\n"  # the list has 2.50
        "openai,gpt-6-sol,cache_write_tokens,2,1000000,,2026-11-01,contract,2026-11-15\n"
    )
    file.write_text(HEADER + ROWS + rows, encoding="utf-8")
    report = tmp_path / "report.csv"
    done = run("import", "csv", str(file), "--book", "partly", "--report", str(report))
    found = counts(done.out)
    assert (done.status, found["added"], found["refused"], found["quarantined"]) == (0, 2, 4, 1)
    with report.open(encoding="utf-8", newline="") as lines:
        fates = [row["fate"] for row in csv.DictReader(lines)]
    assert sorted(fates) == ["added", "added", "quarantined", "refused", "refused", "refused", "refused"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "csv"), "--book"),
        (("import", "csv", "--book", "b"), "FILE"),
        (("import", "litellm", "--package"), "no package"),
        (("import", "litellm", "--url", "http://127.0.0.1/x"), "https"),
        (("import", "litellm", "--url", "https://example.org/x"), "PERMILLION_FEED_HOSTS"),
        (("import", "litellm", "--url", "https://user@raw.githubusercontent.com/x"), "https"),
        (("import", "csv", "FILE", "--book", "openai/x"), "book"),
        (("import", "csv", "FILE", "--book", "default"), "list book"),
        (("import", "csv", "FILE", "--book", "b", "--base", "nowhere"), "base"),
        (("import", "csv", "FILE", "--book", "b", "--retrieved-on", "yesterday"), "YYYY-MM-DD"),
        (("import", "csv", "FILE", "--book", "b", "--retrieved-on", "2999-01-01"), "future"),
        (("import", "litellm", "FILE", "--base", "default"), "--base"),
        (("import", "litellm", "FILE"), "JSON"),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Run, contract: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(*(str(contract) if part == "FILE" else part for part in arguments))
    assert done.status == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_nothing_is_fetched_from_elsewhere() -> None:
    for url in ("file:///etc/passwd", "https://[::1", "https://good.example:8443/x", "ftp://good.example/x", ""):
        with pytest.raises(PermillionError) as refused:
            fetch(url, ("good.example",))
        assert refused.value.slug == "invalid-fields"


KILLED = """
import sys, time
from sqlalchemy import Engine, event
from api.cli import main

def pause(connection, cursor, statement, parameters, context, executemany):
    if statement.startswith("INSERT INTO price_rows"):
        print("in the middle", flush=True)
        time.sleep(60)

event.listen(Engine, "after_cursor_execute", pause)
sys.argv = ["permillion", *sys.argv[1:]]
main()
"""


def test_killed_in_the_middle_the_old_catalog_is_whole(run: Run, database_url: str, tmp_path: Path) -> None:
    def written(rate: str, day: str) -> Path:
        file = tmp_path / f"{rate}.csv"
        rows = (f"vendor,m{n},input_tokens,{rate},1000000,USD,{day},file,{day}\n" for n in range(500))
        file.write_text(HEADER + "".join(rows), encoding="utf-8")
        return file

    def believed() -> tuple[str, dict[str, int]]:
        catalog = open_catalog(Settings(database_url=database_url))
        found = Counter(f"{row.rate:f}" for _, row in catalog.snapshot.private_rows("killed"))
        version = catalog.snapshot.version
        catalog.close()
        return version, dict(found)

    assert run("import", "csv", str(written("1", "2026-11-01")), "--book", "killed").status == 0
    before = believed()
    assert before[1] == {"1": 500}
    cut = written("2", "2026-11-10")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, "import", "csv", str(cut), "--book", "killed"],
        cwd=ROOT,
        env={**os.environ, "PERMILLION_DATABASE_URL": database_url},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert any(line == "in the middle\n" for line in process.stdout)
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL
    process.stdout.close()
    assert believed() == before
    done = run("import", "csv", str(cut), "--book", "killed")  # and the next one can import
    assert counts(done.out)["changed"] == 500
    assert believed()[1] == {"1": 500, "2": 500}  # the days before the cut are as they were


def test_a_tokenizer_of_ones_own_file_arrives_and_an_unknown_one_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'counted.sqlite3'}"
    monkeypatch.setenv("PERMILLION_DATABASE_URL", url)
    file = tmp_path / "own.csv"
    file.write_text(
        "provider;model;tokenizer;meter;rate;unit;source\n"
        "acme;rocket;o200k_base;input_tokens;2,5;元/百万tokens;合同 4711\n"
        "acme;ship;nobody_base;input_tokens;2,5;元/百万tokens;合同 4711\n",
        encoding="utf-8",
    )
    done = run("import", "csv", str(file), "--book", "counted")
    found = counts(done.out)
    assert (done.status, found["added"], found["refused"]) == (0, 1, 1)
    catalog = open_catalog(Settings(database_url=url))
    (model,) = [model for model in catalog.snapshot.models() if model.provider == "acme"]
    catalog.close()
    assert (model.model, model.tokenizer) == ("rocket", "o200k_base")


def test_what_the_publish_would_refuse_the_dry_run_refuses_too(run: Run, contract: Path, tmp_path: Path) -> None:
    assert run("import", "csv", str(contract), "--book", "default", "--dry-run").status == 2
    assert run("import", "csv", str(contract), "--book", "a b", "--dry-run").status == 2
    assert run("import", "csv", str(contract), "--book", "in-dollars").status == 0
    euros = tmp_path / "euros.csv"
    euros.write_text((HEADER + ROWS).replace("USD", "EUR"), encoding="utf-8")
    refused = run("import", "csv", str(euros), "--book", "in-dollars", "--dry-run")
    assert (refused.status, "in USD" in refused.err) == (2, True)
    both = tmp_path / "both.csv"
    both.write_text(HEADER + ROWS + ROWS.replace("USD", "EUR"), encoding="utf-8")
    refused = run("import", "csv", str(both), "--book", "mixed", "--dry-run")
    assert (refused.status, "EUR, USD" in refused.err) == (2, True)


def test_a_report_that_cannot_be_written_stops_the_import(run: Run, contract: Path, tmp_path: Path) -> None:
    done = run("import", "csv", str(contract), "--book", "unreported", "--report", str(tmp_path / "no" / "report.csv"))
    assert (done.status, "report" in done.err, "published into" in done.out) == (2, True, False)


def test_a_feed_and_ones_own_rates_do_not_mix(run: Run, contract: Path, tmp_path: Path) -> None:
    feed = tmp_path / "litellm.json"
    feed.write_text('{"some-model": {"litellm_provider": "vendor", "input_cost_per_token": 1e-06}}', encoding="utf-8")
    assert run("import", "litellm", str(feed), "--book", "a-feed").status == 0
    assert run("import", "csv", str(contract), "--book", "a-feed").status == 2
    assert run("import", "csv", str(contract), "--book", "a-contract").status == 0
    assert run("import", "litellm", str(feed), "--book", "a-contract").status == 2
