"""What travels between the server and a counting worker, over one socket.

A request is one frame: two 32-bit lengths, a JSON header, the texts in UTF-8 one behind the other. An answer is one
length and a JSON object. A worker answers small requests with a single frame; before it loads a vocabulary or counts
a long text it sends a frame that says so, which restarts the clock and names the culprit if it dies.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tokenizers_registry.families import Family, pack_family, unpack_family

REQUEST_HEAD = struct.Struct("!II")
ANSWER_HEAD = struct.Struct("!I")

#: A worker announces each tokenizer of a request with more text than this, in bytes.
ANNOUNCED_BYTES = 32_768

#: Among the jobs of a request: not a tokenizer (their ids have no blanks), but what the texts measure.
MEASURES = "the lengths"

_NONE: Mapping[str, Family] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Request:
    """Texts and what to count them with: for each tokenizer (or `MEASURES`) the indexes of its texts.

    `registered` are the families among them that users registered, which no worker knows by itself.
    """

    texts: Sequence[str]
    jobs: Mapping[str, Sequence[int]]
    registered: Mapping[str, Family]


def pack_request(
    texts: Sequence[bytes], jobs: Mapping[str, Sequence[int]], registered: Mapping[str, Family] = _NONE
) -> bytes:
    """One request frame; `texts` are UTF-8."""
    families = {tokenizer: pack_family(family) for tokenizer, family in registered.items()}
    header = json.dumps([[len(text) for text in texts], jobs, families], separators=(",", ":")).encode()
    body = b"".join(texts)
    return REQUEST_HEAD.pack(len(header), len(body)) + header + body


def unpack_request(header: bytes, body: bytes) -> Request:
    """The request of a frame's two parts.

    >>> frame = pack_request([b"a", b"bc"], {"llama3": [0, 1]})
    >>> unpack_request(frame[8:-3], frame[-3:]).texts
    ['a', 'bc']
    """
    lengths, jobs, families = json.loads(header)
    texts, start = [], 0
    for length in lengths:
        texts.append(body[start : start + length].decode())
        start += length
    return Request(texts, jobs, {name: unpack_family(fields) for name, fields in families.items()})


def pack_answer(answer: Mapping[str, Any]) -> bytes:
    """One answer frame."""
    content = json.dumps(answer, separators=(",", ":")).encode()
    return ANSWER_HEAD.pack(len(content)) + content


def read_exactly(descriptor: int, size: int) -> bytes | None:
    """Block until `size` bytes have come; None where the other side is gone."""
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_all(descriptor: int, content: bytes) -> None:
    """Block until all of it is written."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
