"""Reading a file of measurements, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from functools import cache
from pathlib import Path
from typing import Final

from economics.errors import PermillionError
from hardware.throughput.measurements.parallelism import parse_parallelism
from hardware.throughput.measurements.row import MeasuredRow, row_of

SHIPPED: Final = Path(__file__).with_name("throughput_measured.csv.gz")

#: Without these a file holds no measurements of this kind.
REQUIRED: Final = ("row_id", "arch_key", "hardware", "scenario", "serving_mode", "group_key", "isl_mean", "osl_mean")

#: 3,889 rows are 2 MB; a file that unpacks to more than this is not one of measurements.
MOST_BYTES: Final = 512 * 2**20


def read_measurements(path: Path) -> list[MeasuredRow]:
    """The rows of a file in their order.

    Raises:
        PermillionError: `unreadable-file` where it cannot be opened or unpacked, is not UTF-8 text, or lacks columns.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            content = (gzip.GzipFile(fileobj=raw) if packed else raw).read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise PermillionError("unreadable-file", f"{path.name} is larger than {MOST_BYTES // 2**20} MiB unpacked")
        return rows_in(content.decode("utf-8-sig"), path.name)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error):
        raise PermillionError("unreadable-file", f"{path.name} cannot be read as CSV, plain or gzipped") from None


def rows_in(text: str, name: str) -> list[MeasuredRow]:
    """The rows of CSV text; `name` is how errors call it."""
    lines = csv.DictReader(io.StringIO(text, newline=""))
    missing = [column for column in REQUIRED if column not in (lines.fieldnames or ())]
    if missing:
        raise PermillionError("unreadable-file", f"{name} has no column {', '.join(missing)}")
    return [row_of(cells, parse_parallelism(cells.get("parallelism") or "")) for cells in lines]


@cache
def shipped_measurements() -> tuple[MeasuredRow, ...]:
    """The measurements of this package; terms of use in NOTICE.md beside the file."""
    return tuple(read_measurements(SHIPPED))
