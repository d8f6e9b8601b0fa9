"""Lines of a file one after another, none of them held when it is longer than a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 16
_ESCAPED = 6
"""Bytes that JSON may take for one byte of text: `\\u0041` for A."""
_OTHER_FIELDS_BYTES = 1_048_576


class Lines(Iterator[bytes | None]):
    """Lines with their ends; None for one above `max_line_bytes`, which is passed over.

    Attributes:
        offset, number: bytes and lines read so far; both count on from where reading began.
    """

    def __init__(self, file: BinaryIO, max_line_bytes: int, offset: int = 0, number: int = 0) -> None:
        self._file = file
        self._max_line_bytes = max_line_bytes
        self.offset = offset
        self.number = number
        if offset:
            file.seek(offset)

    def move_to(self, offset: int, number: int) -> None:
        """Go on at a byte where a line begins, with `number` lines before it."""
        self._file.seek(offset)
        self.offset, self.number = offset, number

    def __next__(self) -> bytes | None:
        line = self._file.readline(self._max_line_bytes + 1)
        if not line:
            raise StopIteration
        first = self.offset == 0
        self.offset += len(line)
        self.number += 1
        if len(line) > self._max_line_bytes:
            while line and not line.endswith(b"\n"):
                line = self._file.readline(_CHUNK)
                self.offset += len(line)
            return None
        return line.removeprefix(_BOM) if first else line


def foreign_encoding(start: bytes) -> str | None:
    r"""The encoding that the first bytes of a file announce where it is not UTF-8.

    >>> foreign_encoding("é".encode("utf-16")), foreign_encoding(b"\xef\xbb\xbf{}")
    ('UTF-16', None)
    """
    if start.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "UTF-32"
    return "UTF-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else None


def line_bytes(max_text_bytes: int) -> int:
    """The longest line that can hold a text within the limit, and a megabyte of other fields."""
    return _ESCAPED * max_text_bytes + _OTHER_FIELDS_BYTES
