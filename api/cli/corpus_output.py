"""The output of `permillion tokenize`: rows behind one another in a file that is only given its name when it is whole.

While it runs, rows stand in `OUT.part` and the position in `OUT.checkpoint`. Parquet cannot be added to once it is
closed, so its rows stand in `OUT.part` as JSON lines and become Parquet at the end, some thousand at a time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from api.http.rendering import Csv, to_csv
from api.services.corpora.checkpoint import Checkpoint, fresh_checkpoint, write_checkpoint
from api.services.corpora.columns import TokenColumn
from api.services.corpora.counting import CountedRow, row_cells, row_headers
from api.services.corpora.texts import Position
from api.services.corpora.totals import Totals
from economics.errors import PermillionError

OutputFormat = Literal["csv", "jsonl", "parquet"]
_FORMATS: dict[str, OutputFormat] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
CHECKPOINT_EVERY_S = 1.0
_PARQUET_ROWS = 8_192
_TEXT_CELLS = ("source", "text_id", "error_code", "error_detail")


def output_format(out: Path) -> OutputFormat:
    """The format that a suffix names.

    Raises:
        PermillionError: `invalid-fields` for any other.
    """
    found = _FORMATS.get(out.suffix.lower())
    if found is None:
        raise PermillionError("invalid-fields", f"{out.name}: the output ends in {', '.join(_FORMATS)}")
    return found


class CorpusOutput:
    """Rows on their way into a file.

    Attributes:
        out: where they are in the end.
        position: where reading goes on behind the rows written.
        totals: of the rows written.
    """

    def __init__(self, out: Path, columns: Sequence[TokenColumn]) -> None:
        self.out = out
        self.format: OutputFormat = output_format(out)
        self.part = out.with_name(out.name + ".part")
        self.checkpoint = out.with_name(out.name + ".checkpoint")
        self.position = Position()
        self.totals = Totals.of((), len(columns))
        self._fresh = out.with_name(out.name + ".new")
        self._columns = columns
        self._headers = row_headers(columns)
        self._identity = ""
        self._saved_at = 0.0

    @property
    def files(self) -> list[Path]:
        """Every file that is written here, none of which is part of a corpus."""
        return [self.out, self.part, self.checkpoint, fresh_checkpoint(self.checkpoint), self._fresh]

    def begin(self, identity: str, checkpoint: Checkpoint | None) -> bool:
        """Open the file, behind the rows of a checkpoint or empty; False where all rows are there already.

        Raises:
            PermillionError: `invalid-fields` where rows of the checkpoint are gone, `unreadable-file` where all are, or
                nothing can be written.
        """
        self._identity = identity
        if checkpoint is not None:
            self.position, self.totals = checkpoint.position, checkpoint.totals
        with _writing(self.part):
            if checkpoint is None:
                self._file: BinaryIO = self.part.open("wb")
                self._file.write(to_csv(self._headers, [], Csv()) if self.format == "csv" else b"")
                self._save()
            elif checkpoint.finished and not self.part.exists() and self.out.exists():
                self.checkpoint.unlink()
                return False
            else:
                self._file = self.part.open("r+b")
                self._cut(checkpoint.output_bytes)
        if checkpoint is not None and checkpoint.finished:
            self.finish()
            return False
        return True

    def _cut(self, size: int) -> None:
        if self._file.seek(0, os.SEEK_END) < size:
            self._file.close()
            raise PermillionError("invalid-fields", f"{self.part.name} is shorter than its checkpoint says")
        self._file.truncate(size)
        self._file.seek(size)

    def add(self, rows: Sequence[CountedRow]) -> None:
        """Write rows, and now and then a checkpoint."""
        cells = [row_cells(row, self._columns) for row in rows]
        with _writing(self.part):
            if self.format == "csv":
                header = to_csv(self._headers, [], Csv())
                self._file.write(to_csv(self._headers, cells, Csv())[len(header) :])
            else:
                self._file.write(b"".join(msgspec.json.encode(row) + b"\n" for row in cells))
            for row in rows:
                self.totals.add(row)
            self.position = rows[-1].after
            if time.monotonic() - self._saved_at >= CHECKPOINT_EVERY_S:
                self._save()

    def finish(self) -> None:
        """Give the file its name and remove what only a resumption needs; each step may follow a kill in the one before."""
        with _writing(self.out):
            self._save(finished=True)
            self._file.close()
            if self.format == "parquet":
                _to_parquet(self.part, self._fresh, self._headers)
                self._fresh.replace(self.out)
                self.part.unlink()
            else:
                self.part.replace(self.out)
            self.checkpoint.unlink()

    def close(self) -> None:
        """Leave the last checkpoint as it is: what came after it may be half a batch, and is counted again."""
        with suppress(OSError):
            self._file.close()

    def _save(self, *, finished: bool = False) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())  # rows first: a checkpoint never promises what a power cut took
        state = Checkpoint(self._identity, self.position, self._file.tell(), self.totals, finished)
        write_checkpoint(self.checkpoint, state)
        self._saved_at = time.monotonic()


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    """A full disk and the like are refusals."""
    try:
        yield
    except FileNotFoundError:
        raise PermillionError("unreadable-file", f"{file.name} is not there, or its folder") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise PermillionError("unreadable-file", f"{file.name} cannot be written ({reason})") from None


def _to_parquet(rows: Path, out: Path, headers: Sequence[str]) -> None:
    """JSON lines as Parquet; ids as text, since a corpus may mix numbers and strings."""
    pyarrow = import_module("pyarrow")
    kinds = [(name, pyarrow.string() if name in _TEXT_CELLS else pyarrow.int64()) for name in headers]
    schema = pyarrow.schema(kinds)
    with import_module("pyarrow.parquet").ParquetWriter(out, schema) as writer, rows.open("rb") as lines:
        batch: list[dict[str, Any]] = []
        for line in lines:
            row = msgspec.json.decode(line)
            batch.append({**row, "text_id": str(row["text_id"])})
            if len(batch) == _PARQUET_ROWS:
                writer.write_batch(pyarrow.RecordBatch.from_pylist(batch, schema))
                batch = []
        if batch:
            writer.write_batch(pyarrow.RecordBatch.from_pylist(batch, schema))
