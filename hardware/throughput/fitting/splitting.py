"""Splitting measured rows so that no run, sweep or cell stands on both sides."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

from economics.errors import PermillionError
from hardware.throughput.measurements.joins import joined_groups
from hardware.throughput.measurements.reading import read_measurements
from hardware.throughput.measurements.row import MeasuredRow


def sides(rows: Sequence[MeasuredRow], parts: int, salt: str = "") -> list[int]:
    """A part, 0 to `parts` − 1, for each row; rows whose groups are joined share one. By SHA-256 of the group's first name."""
    numbers = joined_groups(rows)
    first: dict[int, str] = {}
    for number, row in zip(numbers, rows, strict=True):
        name = row.group_key.replace("deepseek-r1", "deepseek-v3")
        first[number] = min(name, first.get(number, name))
    part = {
        number: int(hashlib.sha256((salt + name).encode()).hexdigest(), 16) % parts for number, name in first.items()
    }
    return [part[number] for number in numbers]


def split_file(source: Path, kept: Path, held_out: Path, parts: int) -> tuple[int, int]:
    """Write the rows of one part in `parts` to `held_out` and the others to `kept`; how many went where (kept, held out).

    Raises:
        PermillionError: `unreadable-file` where a file cannot be read or written.
    """
    rows = read_measurements(source)
    held = [side == 0 for side in sides(rows, parts, "held out ")]
    raw = source.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    lines = [line for line in lines if line]
    try:
        for path, wanted in ((kept, False), (held_out, True)):
            with path.open("w", encoding="utf-8", newline="") as file:
                table = csv.writer(file, lineterminator="\n")
                table.writerow(header)
                table.writerows(line for line, out in zip(lines, held, strict=True) if out is wanted)
    except OSError:
        raise PermillionError("unreadable-file", "the parts cannot be written") from None
    return held.count(False), held.count(True)
