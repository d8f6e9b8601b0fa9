from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from tests.running import ROOT

PROGRAM = """
import psutil, threading, time
peak = 0
def watch():  # not ru_maxrss: a child inherits its parent's until it grows beyond it
    global peak
    while True:
        peak = max(peak, psutil.Process().memory_info().rss)
        time.sleep(0.02)
threading.Thread(target=watch, daemon=True).start()
from api.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print(peak)
"""


def peak_mib(folder: Path, texts: int) -> float:
    """Largest memory of the counting command over so many different texts of a kilobyte; its workers' is not in it."""
    with (folder / f"{texts}.jsonl").open("w") as file:
        for number in range(texts):
            file.write(json.dumps({"text": f"{number} " + "parcel " * 140}) + "\n")
    arguments = ["tokenize", f"{texts}.jsonl", "--tokenizers", "cl100k_base", "--out", f"{texts}.csv"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERMILLION_")}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder, env={**environment, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert len((folder / f"{texts}.csv").read_text().splitlines()) == texts + 1
    return int(ran.stdout.split()[-1]) / 2**20


def test_twenty_times_the_texts_take_no_more_memory(tmp_path: Path) -> None:
    few, many = peak_mib(tmp_path, 1_000), peak_mib(tmp_path, 20_000)
    # 19,000 more texts are 19 MB, more as Python's objects: held, they would show
    assert many - few < 8, (few, many)


def test_a_row_group_is_not_held(tmp_path: Path) -> None:
    """Parquet writers make row groups of a million rows."""
    program = """
import psutil, pyarrow.parquet, sys
from api.services.corpora.reading import Reading, read_corpus
from api.services.corpora.sources import find_sources
first = peak = psutil.Process().memory_info().rss
for number, text in enumerate(read_corpus(find_sources(sys.argv[1:]), Reading()), 1):
    if number % 1_000 == 0:
        peak = max(peak, psutil.Process().memory_info().rss)
print(number, peak - first)
"""
    table = pa.table({"text": [f"{number} " + "parcel " * 140 for number in range(60_000)]})
    parquet.write_table(table, tmp_path / "a.parquet", compression="none", use_dictionary=False)
    ran = subprocess.run(
        [sys.executable, "-c", program, "a.parquet"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    read, growth = map(int, ran.stdout.split())
    assert read == 60_000
    assert (tmp_path / "a.parquet").stat().st_size > 58e6
    assert growth < 30e6, growth
