"""From the bytes of a registered file to a counter, with everything refused that would count wrongly or not at all.

The policy is that of the built-in families: look-alikes of control tokens are text, no frame, no truncation. Messages
name what is wrong and never quote the file.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from economics.errors import PermillionError
from tokenizers_registry import probes
from tokenizers_registry.boundary import Count
from tokenizers_registry.families import Family
from tokenizers_registry.registered import json_document
from tokenizers_registry.registered.files import Format
from tokenizers_registry.registered.recognizing import SLUG, count_pieces, recognize

#: Entries a vocabulary may have; Qwen 3.5's has 248,044. Files of 2,000,000 were checked in 18-25 s and 0.6-0.9 GiB (two
#: busy cores, 2026-12-01).
MAX_ENTRIES: Final = 2_000_000


_FORMATS: Final[dict[str, Format]] = {
    "registered_json": "tokenizer.json",
    "registered_sentencepiece": "sentencepiece",
    "registered_ranks": "tiktoken",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read: the counter, the entries of its vocabulary, what a reader should know."""

    count: Count
    entries: int
    note: str = ""


def read_tokenizer(stated: Format, content: bytes, pattern: str | None) -> Reading:
    """Read a file as the format it is stated to be in.

    Args:
        stated: the format; one that the content contradicts is refused.
        content: of the file.
        pattern: the split of a rank file, None for the other formats.

    Raises:
        PermillionError: `invalid-tokenizer` with the reason, and a pointer to the field it lies in.
    """
    found = recognize(content)
    if found != stated:
        raise PermillionError(SLUG, f"the file looks like {found}, not like {stated}", pointer="/format")
    if (pattern is None) == (stated == "tiktoken"):
        needed = "a rank file needs its split" if pattern is None else f"a {stated} carries its own split"
        raise PermillionError(
            SLUG, f"{needed}; {'give' if pattern is None else 'leave out'} pattern", pointer="/pattern"
        )
    if stated == "tiktoken":
        return _read_ranks(content, pattern or "")
    return _read_json(content) if stated == "tokenizer.json" else _read_sentencepiece(content)


def _read_json(content: bytes) -> Reading:
    document = json_document.literal(content, MAX_ENTRIES)
    tokenizer = _opened(lambda: import_module("tokenizers").Tokenizer.from_str(document.text), "tokenizer.json")
    encode_batch = tokenizer.encode_batch_fast

    def count(text: str) -> int:
        return len(encode_batch([text], add_special_tokens=False)[0])

    return Reading(count, document.entries, document.note)


def _read_sentencepiece(content: bytes) -> Reading:
    check_entries(count_pieces(content))
    processor = import_module("sentencepiece").SentencePieceProcessor()
    _opened(lambda: processor.LoadFromSerializedProto(content), "SentencePiece model")
    encode = processor.encode

    def count(text: str) -> int:
        return len(encode(text))

    return Reading(count, processor.get_piece_size())


def _read_ranks(content: bytes, pattern: str) -> Reading:
    ranks = read_ranks(content)
    try:
        encoding = import_module("tiktoken").Encoding(
            "registered", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
    except ValueError:  # its message quotes the pattern
        raise PermillionError(SLUG, "the pattern is no regular expression of tiktoken's", pointer="/pattern") from None
    encode = encoding.encode_ordinary
    if any(encoding.decode_bytes(encode(text)) != text.encode() for text in probes.REGISTERED_TEXTS):
        raise PermillionError(
            SLUG, "the pattern leaves characters out, which would vanish from the count", pointer="/pattern"
        )

    def count(text: str) -> int:
        return len(encode(text))

    return Reading(count, len(ranks))


def read_ranks(content: bytes) -> dict[bytes, int]:
    """The ranks of a file with `base64 rank` on each line.

    tiktoken panics where a byte has no rank or two entries share one, and merges in the order of the ranks, so they must
    be 0 to n-1 and every single byte must be among the entries.

    Raises:
        PermillionError: `invalid-tokenizer`, naming the line or what is missing.
    """
    check_entries(content.count(b"\n") + 1)
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(content.split(b"\n"), 1):
        parts = line.split()
        if not parts:
            continue
        try:
            token, rank = base64.b64decode(parts[0], validate=True), int(parts[1]) if parts[1].isdigit() else -1
        except (binascii.Error, IndexError, ValueError):
            token, rank = b"", -1
        if len(parts) != 2 or not token or rank < 0:
            raise PermillionError(SLUG, f"line {number} is not `base64 rank`", pointer="/file")
        if token in ranks:
            raise PermillionError(SLUG, f"line {number} repeats an entry", pointer="/file")
        ranks[token] = rank
    if len(set(ranks.values())) < len(ranks):
        raise PermillionError(SLUG, "two entries have the same rank", pointer="/file")
    if max(ranks.values(), default=-1) != len(ranks) - 1:
        raise PermillionError(SLUG, f"the ranks of {len(ranks)} entries are not 0 to {len(ranks) - 1}", pointer="/file")
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise PermillionError(
            SLUG,
            f"{len(missing)} of the 256 single bytes have no rank, the first is 0x{missing[0]:02X}",
            pointer="/file",
        )
    return ranks


def check_entries(entries: int) -> None:
    """Refuse a vocabulary that is larger than any known one."""
    if entries > MAX_ENTRIES:
        raise PermillionError(SLUG, f"over {MAX_ENTRIES:,} entries in the vocabulary", pointer="/file")


def _opened(load: Callable[[], Any], what: str) -> Any:
    """What an engine makes of a file; its own message may quote the file, so it is not passed on."""
    refusal = PermillionError(SLUG, f"the engine cannot read the file as a {what}", pointer="/file")
    try:
        return load()
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001  PanicException is not an Exception
        raise refusal from None


def load(family: Family) -> Count:
    """The counter of a registered file, read where `family.path` says it was put.

    Raises:
        PermillionError: `tokenizer-unavailable` where the file is gone or its bytes are not those that were registered.
    """
    try:
        content = Path(family.path).read_bytes()
    except OSError:
        raise PermillionError("tokenizer-unavailable", f"the file of {family.tokenizer} cannot be read") from None
    if hashlib.sha256(content).hexdigest() != family.sha256:
        raise PermillionError(
            "tokenizer-unavailable", f"the file of {family.tokenizer} is not the one registered: its sha256 differs"
        )
    try:
        return read_tokenizer(_FORMATS[family.loader], content, family.split or None).count
    except PermillionError as refusal:  # another version of the engine is stricter than the one that checked it
        raise PermillionError("tokenizer-unavailable", f"{family.tokenizer}: {refusal.detail}") from None
