"""A text of a corpus, where it stands, and what can be wrong with it before anything is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from economics.errors import PermillionError

MAX_ID_CHARACTERS = 200
"""As in `POST /tokenize`."""


class Position(NamedTuple):
    """Where reading goes on.

    Attributes:
        source: index of the file among the sources.
        offset: bytes of the file that are read; rows for Parquet, whose bytes have no order of rows.
        number: lines or rows that are read.
    """

    source: int = 0
    offset: int = 0
    number: int = 0

    def next_source(self) -> Position:
        """The start of the file after this one."""
        return Position(self.source + 1)


START = Position()


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One text, or why there is none.

    Attributes:
        source: the file as the caller named it.
        line: where the record begins, from 1: line of JSONL and CSV, row of Parquet, 1 for a whole file.
        text_id: the record's own id, else its line; the path for a whole file. Nobody promises that ids are unique.
        after: where reading goes on behind this text.
    """

    source: str
    line: int
    text_id: str | int
    text: str | None
    error: PermillionError | None
    after: Position


def checked_text(value: object, max_text_bytes: int) -> str:
    """`value` as a text that can be counted.

    Raises:
        PermillionError: `invalid-fields` where it is no string, `invalid-text` for bytes that are not UTF-8 (read with
            `surrogateescape`) and lone surrogates, `text-too-large` above `max_text_bytes` of UTF-8.

    >>> checked_text("é", 2)
    'é'
    >>> checked_text("é", 1)
    Traceback (most recent call last):
    economics.errors.PermillionError: 2 bytes; max_text_bytes is 1
    """
    if not isinstance(value, str):
        raise PermillionError("invalid-fields", "the text is not a string")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raw = "\udc80" <= value[error.start] <= "\udcff"
        why = "is not UTF-8" if raw else "holds a lone surrogate, which is not a character"
        raise PermillionError("invalid-text", f"the text {why} (character {error.start})") from None
    if size > max_text_bytes:
        raise PermillionError("text-too-large", f"{size} bytes; max_text_bytes is {max_text_bytes}")
    return value


def checked_id(value: object) -> str | int:
    """`value` as an id.

    Raises:
        PermillionError: `invalid-fields` where it is neither a string of 1 to 200 characters nor a whole number,
            `invalid-text` where it is not Unicode.
    """
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
        return value
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_ID_CHARACTERS:
        raise PermillionError(
            "invalid-fields", f"an id is a whole number or a string of 1 to {MAX_ID_CHARACTERS} characters"
        )
    try:
        value.encode()
    except UnicodeEncodeError:
        raise PermillionError("invalid-text", "the id is not Unicode") from None
    return value
