"""`permillion throughput`: what it prints, what it writes, how it ends."""

from __future__ import annotations

import csv
import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.throughput.measurements.reading import SHIPPED


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "api.cli", "throughput", *(str(each) for each in arguments)],
        capture_output=True, text=True, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every ninth row of the shipped file, and all of one sweep."""
    path = tmp_path_factory.mktemp("rows") / "some.csv"
    with gzip.open(SHIPPED, "rt", encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    group = header.index("group_key")
    kept = [
        row
        for number, row in enumerate(rows)
        if number % 9 == 0 or row[group] == "aic|minimax-m2.5|b300-sxm|vllm|fp8|agg|tp4|8192x1024"
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *kept])
    return path


def test_validate_prints_both_passes_and_writes_every_estimate(some: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = run("validate", some, "--rows", out)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split()[:4] == ["scenario", "pass", "rows", "votes"]
    assert [line.split()[1] for line in lines[1:5]] == ["anchored", "physics", "anchored", "physics"]
    assert "not verified by MLCommons" in lines[-1]
    written = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert {row["pass"] for row in written} == {"anchored", "physics"}
    physics = [row for row in written if row["pass"] == "physics"]
    assert {row["method"] for row in physics} <= {"physics", "refused"}
    for row in written:
        if row["method"] != "refused":
            assert 0 < float(row["low"]) <= float(row["estimate"]) <= float(row["high"])
    sweeps = [row for row in physics if row["scenario"] == "tpot_limited"]
    assert "aic|minimax-m2.5|b300-sxm|vllm|fp8|agg|tp4|8192x1024" in {row["row_id"] for row in sweeps}


def test_a_file_that_cannot_be_read_ends_with_two(tmp_path: Path) -> None:
    path = tmp_path / "nothing.csv.gz"
    path.write_bytes(b"\x1f\x8bbroken")
    for wrong in (path, tmp_path / "missing.csv"):
        done = run("validate", wrong)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("permillion: ")
        assert done.stderr.count("\n") == 1


def test_constants_of_a_split_are_fitted_and_scored(some: Path, tmp_path: Path) -> None:
    kept, held, constants = tmp_path / "kept.csv", tmp_path / "held.csv", tmp_path / "constants.json"
    split = run("split", some, "--kept", kept, "--held-out", held)
    assert split.returncode == 0, split.stderr
    groups = [{row["group_key"] for row in csv.DictReader(path.read_text().splitlines())} for path in (kept, held)]
    assert not groups[0] & groups[1]
    fitted = run("fit", "--rows", kept, "--out", constants, "--date", "2026-12-01")
    assert fitted.returncode == 0, fitted.stderr
    scored = run("validate", held, "--constants", constants, "--anchors", kept)
    assert scored.returncode == 0, scored.stderr
    assert "(2026-12-01)" in scored.stdout
    constants.with_suffix(".npz").write_bytes(b"other")
    assert run("validate", held, "--constants", constants).returncode == 2
