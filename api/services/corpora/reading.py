"""Streaming the texts of a corpus: file by file, one text at a time in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import BinaryIO

from api.services.corpora.jsonl import read_jsonl
from api.services.corpora.lines import Lines, foreign_encoding, line_bytes
from api.services.corpora.parquet import read_parquet
from api.services.corpora.sources import Source
from api.services.corpora.tables import read_csv_texts
from api.services.corpora.texts import START, CorpusText, Position, checked_text
from economics.errors import PermillionError


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a record is the text.

    Attributes:
        field: key or column of the text.
        id_field: key or column of the id; None takes `id` where there is one, else the line.
        max_text_bytes: longest text in bytes of UTF-8; a longer one is a row with an error.
    """

    field: str = "text"
    id_field: str | None = None
    max_text_bytes: int = 262_144


def read_corpus(sources: Iterable[Source], reading: Reading, start: Position = START) -> Iterator[CorpusText]:
    """Every text of the sources from `start` on, in order; what cannot be read is a text with an error."""
    for index, source in enumerate(sources):
        if index >= start.source:
            yield from read_source(source, reading, start if index == start.source else Position(index))


def read_source(source: Source, reading: Reading, start: Position = START) -> Iterator[CorpusText]:
    """The texts of one file."""
    try:
        opened = nullcontext(sys.stdin.buffer) if source.path is None else source.path.open("rb")
        with opened as file:
            yield from _texts(file, source, reading, start)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        problem = PermillionError("unreadable-file", f"the file cannot be read ({reason})")
        yield CorpusText(source.name, 1, source.name, None, problem, start.next_source())


def _texts(file: BinaryIO, source: Source, reading: Reading, start: Position) -> Iterator[CorpusText]:
    asked = (reading.field, reading.id_field, reading.max_text_bytes)
    longest = line_bytes(reading.max_text_bytes)
    if source.kind == "jsonl":
        lines = Lines(file, longest, start.offset, start.number)
        yield from read_jsonl(lines, source.name, start.source, *asked)
    elif source.kind == "csv":
        yield from read_csv_texts(Lines(file, longest), start, source.name, *asked)
    elif source.kind == "parquet":
        yield from read_parquet(file, start, source.name, *asked)
    else:
        yield _whole(file, source, reading.max_text_bytes, start)


def _whole(file: BinaryIO, source: Source, max_text_bytes: int, start: Position) -> CorpusText:
    """A file that is one text, byte for byte: a byte order mark counts."""
    content = file.read(max_text_bytes + 1)
    text, problem = None, None
    try:
        encoding = foreign_encoding(content)
        if encoding is not None:
            raise PermillionError("invalid-text", f"the file is {encoding}; convert it to UTF-8")
        if len(content) > max_text_bytes:
            raise PermillionError("text-too-large", f"over {max_text_bytes} bytes, max_text_bytes")
        text = checked_text(_decoded(content), max_text_bytes)
    except PermillionError as found:
        problem = found
    return CorpusText(source.name, 1, source.name, text, problem, start.next_source())


def _decoded(content: bytes) -> str:
    if b"\x00" in content:
        raise PermillionError("invalid-text", "the file holds NUL: it is no text, or not UTF-8")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PermillionError("invalid-text", f"the file is not UTF-8 (byte {error.start})") from None
