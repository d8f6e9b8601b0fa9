"""What an import of measurements yields: rows in the columns of the collected file, refusals with reasons, and terms of use."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from economics.errors import PermillionError

#: Columns of the collected measurements, in their order.
COLUMNS: Final = (
    "row_id", "model", "arch_key", "params_total_b", "params_active_b", "hardware", "gpu_count", "nodes", "weight_precision",
    "kv_precision", "engine", "engine_version", "parallelism", "serving_mode", "scenario", "concurrency", "max_batch_cfg",
    "isl_mean", "osl_mean", "length_note", "output_tok_s", "output_tok_s_per_gpu", "total_tok_s_per_gpu", "ttft_ms", "ttft_stat",
    "tpot_ms", "tpot_stat", "latency_limits", "spec_decode", "prefix_cache", "throughput_kind", "quality_flags", "submitter",
    "source", "source_ref", "measured_date", "group_key", "bound_output_tok_s_per_gpu", "roofline_fraction",
)  # fmt: skip
DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One measurement: column → text, every column there, empty where not known."""

    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """An entry of the source that became no measurement: which it was, and why."""

    entry: str
    reason: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What the source asks of whoever shows its rows."""

    source: str
    attribution: str
    license: str
    derived: str

    def text(self) -> str:
        """In words, for the file beside the rows."""
        return f"{self.source}\n{self.attribution}\nLicense: {self.license}\n{self.derived}\n"


@dataclass(slots=True)
class Imported:
    """Everything that an import yields."""

    terms: Terms
    rows: list[ImportedRow] = field(default_factory=list)
    refused: list[RefusedRow] = field(default_factory=list)


class RefusedEntryError(Exception):
    """An entry that becomes no measurement; its text is the reason."""


def imported_row(cells: Mapping[str, object]) -> ImportedRow:
    """The row of some cells; numbers to six significant digits, what is None is empty.

    >>> imported_row({"gpu_count": 8, "output_tok_s": 8840.42, "nodes": None}).cells["output_tok_s"]
    '8840.42'
    """
    unknown = set(cells) - set(COLUMNS)
    assert not unknown, unknown
    return ImportedRow({column: _text(cells.get(column)) for column in COLUMNS})


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}" if abs(value) < 10**DIGITS else f"{value:.0f}"
    return str(value)


def number_of(value: object) -> float | None:
    """A positive finite number of a source's cell; 0, null, empty and text that is none are unknown, never 0.

    >>> number_of("8840.42"), number_of(0), number_of(None), number_of("NaN"), number_of(True)
    (8840.42, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number > 0 else None


def count_of(value: object) -> int | None:
    """A whole positive number, else None."""
    number = number_of(value)
    return int(number) if number is not None and number == int(number) else None


def slug(*parts: str) -> str:
    """Words as one identifier.

    >>> slug("mlperf51", "5.1-0001", "AMD", "8xMI300X_2xEPYC_9575F")
    'mlperf51-5-1-0001-amd-8xmi300x-2xepyc-9575f'
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower()).strip("-")


def write_rows(path: Path, rows: Iterable[ImportedRow]) -> None:
    """The rows as CSV in the columns of the collected file.

    Raises:
        PermillionError: `unreadable-file`.
    """
    try:
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, fieldnames=COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(row.cells for row in rows)
    except OSError as error:
        raise PermillionError("unreadable-file", f"the output cannot be written: {error.strerror}") from None
