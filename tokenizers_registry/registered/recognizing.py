"""Which of the three formats a file is, by its first bytes; nothing is unpacked and nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from economics.errors import PermillionError
from tokenizers_registry.registered.files import Format

SLUG: Final = "invalid-tokenizer"

_PACKED: Final = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "a zip archive",
    b"\x1f\x8b": "packed with gzip",
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ\x00": "packed with xz",
    b"\x28\xb5\x2f\xfd": "packed with zstandard",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
}
_TAR_AT: Final = 257
# Protocol 2 and later start with 0x80 and their number; 0 and 1 with an opcode that makes a list, a dict or an import.
_PICKLE: Final = re.compile(rb"\x80[\x02-\x05]|c[\w.]+\n\w+\n|\([dlc]|[\]}]q")
_RANK_LINE: Final = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\s*(\n|$)")
# Fields of SentencePiece's ModelProto (sentencepiece_model.proto of 0.2.3): pieces, trainer_spec, normalizer_spec.
_PIECES, _TRAINER, _NORMALIZER = 1, 2, 3
_LENGTH_DELIMITED: Final = 2


def recognize(content: bytes) -> Format:
    r"""The format of a file.

    Raises:
        PermillionError: `invalid-tokenizer`, saying what it is instead.

    >>> recognize(b"IQ== 0\nIg== 1\n"), recognize(b' {"model": {}}')
    ('tiktoken', 'tokenizer.json')
    >>> recognize(b"\x1f\x8b\x08")
    Traceback (most recent call last):
    economics.errors.PermillionError: the file is packed with gzip; send it unpacked
    """
    if not content:
        raise PermillionError(SLUG, "the file is empty", pointer="/file")
    for beginning, what in _PACKED.items():
        if content.startswith(beginning):
            raise PermillionError(SLUG, f"the file is {what}; send it unpacked", pointer="/file")
    if content[_TAR_AT : _TAR_AT + 5] == b"ustar":
        raise PermillionError(SLUG, "the file is a tar archive; send it unpacked", pointer="/file")
    if _PICKLE.match(content) and content.rstrip().endswith(b"."):
        raise PermillionError(
            SLUG, "the file is a pickle, which runs code when it is read; it is never opened here", pointer="/file"
        )
    start = content[:64].lstrip()
    if start.startswith((b"{", b"[", b"\xef\xbb\xbf")):
        return "tokenizer.json"
    if _RANK_LINE.match(content):
        return "tiktoken"
    if content[0] == _PIECES << 3 | _LENGTH_DELIMITED:
        return "sentencepiece"
    raise PermillionError(
        SLUG, "the file is neither a tokenizer.json nor a SentencePiece model nor a tiktoken rank file", pointer="/file"
    )


def count_pieces(content: bytes) -> int:
    """Pieces of a SentencePiece model, found by walking the outermost fields of its protobuf.

    The parser itself accepts a file that was cut between two pieces: a smaller vocabulary that counts more tokens. The
    two specifications stand behind the pieces, so a file without them was cut.

    Raises:
        PermillionError: `invalid-tokenizer` where it is truncated or no such model.
    """
    pieces, seen = 0, set()
    for field in _fields(content):
        pieces += field == _PIECES
        seen.add(field)
    if not {_PIECES, _TRAINER, _NORMALIZER} <= seen:
        raise _truncated()
    return pieces


def _fields(content: bytes) -> Iterator[int]:
    at, end = 0, len(content)
    while at < end:
        tag, at = _varint(content, at)
        if tag & 7 != _LENGTH_DELIMITED:
            raise _truncated()
        size, at = _varint(content, at)
        at += size
        if at > end:
            raise _truncated()
        yield tag >> 3


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(content) and shift < 64:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise _truncated()


def _truncated() -> PermillionError:
    return PermillionError(SLUG, "the SentencePiece model is truncated or damaged", pointer="/file")
