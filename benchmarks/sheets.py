"""Sheets of 10,000 rows: wall and processor time of a request, memory of the process after many."""

from __future__ import annotations

import csv
import http.client
import io
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.servers import RunningServer, permillion
from benchmarks.serving import price_many_body

ROWS, ROUNDS, MANY = 10_000, 5, 20
WRONG = 5_000
"""The line, from 0, that cannot be priced."""


def measurements() -> Iterator[str]:
    """All figures of sheets, as `name: value unit`."""
    usage = price_many_body(ROWS)
    sheet = _sheet(usage)
    with tempfile.TemporaryDirectory() as folder, permillion(Path(folder) / "permillion.sqlite3") as server:
        yield from _timed("price_csv_10000_rows", server, "/price.csv", "text/csv", sheet)
        _check_answer(_post(server, "/price.csv", "text/csv", sheet))
        yield from _timed("price_xlsx_10000_rows", server, "/price?format=xlsx", "application/json", usage)
        before = server.memory_mib()
        for _ in range(MANY):
            _post(server, "/price.csv", "text/csv", sheet)
            _post(server, "/price?format=xlsx", "application/json", usage)
        yield f"memory_after_{ROUNDS}_sheets_of_each: {before:.0f} MiB"
        yield f"memory_after_{MANY}_more_of_each: {server.memory_mib():.0f} MiB"


def _sheet(usage: bytes) -> bytes:
    """The rows of a body of `POST /price` as CSV, with one wrong line in the middle."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["row_id", "offer", "as_of", "input_tokens", "output_tokens"])
    for index, row in enumerate(json.loads(usage)["rows"]):
        counts = row["usage"]
        tokens = -1 if index == WRONG else counts["input_tokens"]
        writer.writerow([index, row["offer"], row["as_of"], tokens, counts["output_tokens"]])
    return out.getvalue().encode()


def _check_answer(answer: bytes) -> None:
    """The wrong line is named and all others are priced, or the figure is worth nothing."""
    rows = list(csv.DictReader(io.StringIO(answer.decode())))
    bad = [row["row_id"] for row in rows if row["error_code"]]
    if len(rows) != ROWS or bad != [str(WRONG)]:
        raise RuntimeError(f"{len(rows)} rows answered, errors in {bad[:5]}")


def _timed(name: str, server: RunningServer, path: str, media_type: str, body: bytes) -> Iterator[str]:
    _post(server, path, media_type, body)
    wall: list[float] = []
    processor: list[float] = []
    for _ in range(ROUNDS):
        before, started = server.cpu_s(), time.perf_counter()
        _post(server, path, media_type, body)
        wall.append(time.perf_counter() - started)
        processor.append(server.cpu_s() - before)
    yield f"{name}: {median(wall):.2f} s"
    yield f"{name}_processor: {median(processor):.2f} s CPU"


def _post(server: RunningServer, path: str, media_type: str, body: bytes) -> bytes:
    connection: http.client.HTTPConnection = server.connect()
    connection.request("POST", path, body, {"Content-Type": media_type})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    if response.status != 200:
        raise RuntimeError(f"{path}: {response.status} {content[:300]!r}")
    return content
