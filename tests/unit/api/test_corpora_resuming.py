from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.cli.corpus_output import CorpusOutput
from api.services.corpora.checkpoint import Checkpoint, read_checkpoint
from api.services.corpora.columns import TokenColumn
from api.services.corpora.counting import CountedRow
from api.services.corpora.texts import Position
from economics.errors import PermillionError
from tests.running import ROOT
from tests.unit.api.conftest import Run

WORDS = ["the", "parcel", "is", "late", "包裹", "delayed", "because", "of", "snow", "=", "+", "@", "x"]
SLOW = "claude_v48"  # 0.18 MB/s: time enough to be killed


def write_corpus(folder: Path, texts: int) -> None:
    """Two files of JSON lines with a bad line in each, and a file between them."""
    draw = random.Random(texts)
    folder.mkdir()
    for name in ("a.jsonl", "c.jsonl"):
        with (folder / name).open("w", encoding="utf-8") as file:
            for number in range(texts // 2):
                text = " ".join(draw.choices(WORDS, k=150))
                file.write(json.dumps({"id": f"{name}-{number}", "text": text}) + "\n")
                file.write("bad\n" if number == texts // 4 else "")
    (folder / "b.txt").write_text("one whole file")


def started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERMILLION_")}
    command = [sys.executable, "-m", "api.cli", "tokenize", "in", "--tokenizers", SLOW, *arguments]
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def reached(checkpoint: Path) -> tuple[int, int]:
    position = json.loads(checkpoint.read_text())["position"] if checkpoint.exists() else (0, 0, 0)
    return position[0], position[1]


def kill_in_the_middle(process: subprocess.Popen[bytes], checkpoint: Path) -> None:
    """SIGKILL once a checkpoint is further than it was at the start."""
    before = reached(checkpoint)
    deadline = time.monotonic() + 120
    while reached(checkpoint) == before and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL
    process.communicate()


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
def test_killed_twice_and_resumed_the_output_is_that_of_an_uninterrupted_run(tmp_path: Path, name: str) -> None:
    write_corpus(tmp_path / "in", 600)
    whole = started(tmp_path, "--out", "whole" + Path(name).suffix, "--workers", "2", "--format", "json")
    totals, _ = whole.communicate(timeout=300)
    assert whole.returncode == 1  # two bad lines

    checkpoint = tmp_path / f"{name}.checkpoint"
    kill_in_the_middle(started(tmp_path, "--out", name, "--workers", "1", "--batch", "16"), checkpoint)
    kill_in_the_middle(started(tmp_path, "--out", name, "--workers", "1", "--batch", "9", "--resume"), checkpoint)
    assert not (tmp_path / name).exists()  # half an output has not its name
    assert reached(checkpoint) > (0, 0)
    last = started(tmp_path, "--out", name, "--resume", "--format", "json")
    resumed, said = last.communicate(timeout=300)
    assert last.returncode == 1, said
    assert resumed == totals
    assert (tmp_path / name).read_bytes() == (tmp_path / ("whole" + Path(name).suffix)).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["in", name, "whole" + Path(name).suffix])


COLUMNS = [TokenColumn("letters", "letters", "exact", "probe:letters")]


def row(number: int) -> CountedRow:
    return CountedRow("a", number, f"id {number}", 3, 3, 3, (number,), None, Position(0, number * 10, number))


@pytest.fixture
def output(tmp_path: Path) -> Iterator[CorpusOutput]:
    made = CorpusOutput(tmp_path / "a.csv", COLUMNS)
    assert made.begin("one corpus", None)
    yield made
    made._file.close()


def resumed(output: CorpusOutput) -> tuple[CorpusOutput, bool]:
    output._file.close()  # a killed process closes nothing, but what it wrote is in the file
    again = CorpusOutput(output.out, COLUMNS)
    return again, again.begin("one corpus", read_checkpoint(output.checkpoint, "one corpus"))


def test_rows_behind_the_checkpoint_are_cut_off(output: CorpusOutput) -> None:
    output.add([row(1), row(2)])
    output._save()
    output.close()
    with output.part.open("ab") as file:
        file.write(b"a,3,id 3,half of a ro")  # written, then killed before the checkpoint
    again, more = resumed(output)
    assert more
    assert again.position == Position(0, 20, 2)
    again.add([row(3)])
    again.finish()
    assert [line.split(",")[1] for line in again.out.read_text().splitlines()] == ["line", "1", "2", "3"]
    assert again.totals.columns[0].tokens == 6


def test_killed_between_the_last_row_and_the_name(output: CorpusOutput) -> None:
    output.add([row(1)])
    output._save(finished=True)  # and then it was killed
    again, more = resumed(output)
    assert not more
    assert (again.totals.texts, again.out.exists(), again.checkpoint.exists()) == (1, True, False)


def test_killed_between_the_name_and_the_end(output: CorpusOutput) -> None:
    output.add([row(1)])
    output._save(finished=True)
    output.part.rename(output.out)
    again, more = resumed(output)
    assert not more
    assert (again.totals.texts, again.checkpoint.exists()) == (1, False)


def test_a_full_disk_is_a_refusal_and_no_row_is_doubled(tmp_path: Path) -> None:
    write_corpus(tmp_path / "in", 400)
    # a file may have 9,000 bytes, then the system refuses: half a batch is in the file
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000)); from api.cli import main; main()"
    asked = ["tokenize", "in", "--tokenizers", "o200k_base", "--batch", "50"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERMILLION_")}

    def ran(program: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", *program, *asked, *arguments],
            cwd=tmp_path, env={**environment, "PYTHONPATH": str(ROOT)}, check=False, capture_output=True, text=True,
        )  # fmt: skip

    stopped = ran(["-c", limited], "--out", "a.csv")
    assert stopped.returncode == 2
    assert "cannot be written" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert not (tmp_path / "a.csv").exists()
    assert ran(["-m", "api.cli"], "--out", "a.csv", "--resume").returncode == 1  # two bad lines
    assert ran(["-m", "api.cli"], "--out", "b.csv").returncode == 1
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_part_that_lost_rows_is_refused(output: CorpusOutput) -> None:
    output.add([row(1)])
    output._save()
    output.close()
    output.part.write_bytes(b"short")
    with pytest.raises(PermillionError, match="shorter"):
        resumed(output)
    output.part.unlink()
    with pytest.raises(PermillionError, match="not there"):
        resumed(output)


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"version": 2}', "\0", '{"version": 1, "identity": "one corpus"}']
)
def test_what_is_no_checkpoint_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "c").write_text(content)
    with pytest.raises(PermillionError, match="checkpoint"):
        read_checkpoint(tmp_path / "c", "one corpus")
    assert read_checkpoint(tmp_path / "none", "one corpus") is None


def test_a_checkpoint_holds_all_there_is(output: CorpusOutput) -> None:
    failed = CountedRow("b", 4, 4, None, None, None, (None,), PermillionError("invalid-text", "…"), Position(1, 5, 4))
    output.add([row(1), failed])
    output._save()
    output.close()
    found = read_checkpoint(output.checkpoint, "one corpus")
    assert found == Checkpoint("one corpus", Position(1, 5, 4), output.part.stat().st_size, output.totals)
    assert found.totals.problems == {("b", "invalid-text"): (1, 4)}


def test_another_corpus_or_other_options_are_not_gone_on_with(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"text": "a", "body": "b"}\n')
    command = ("tokenize", "in", "--out", "a.csv", "--tokenizers", "o200k_base")
    assert run(*command).status == 0
    begun = CorpusOutput(tmp_path / "a.csv", COLUMNS)
    begun.begin("another", None)
    begun._save()
    begun.close()
    assert "--resume goes on" in run(*command).err
    for asked in ((), ("--field", "body"), ("--tokenizers", "llama3")):
        done = run(*command, *asked, "--resume")
        assert done.status == 2
        assert "another count" in done.err
    done = run("tokenize", "-", "--out", "a.csv", "--tokenizers", "o200k_base", "--resume", stdin=b"")
    assert done.status == 2
    assert "stream" in done.err
