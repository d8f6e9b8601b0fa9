"""A user's tokenizer.json, made literal: what is left is model, normalizer and pre-tokenizer.

A built-in file has been looked at, so `engines.tokenizer_json` may cut values out of its text; one of a user is parsed
and written anew, because a vocabulary entry can be made to look like one of the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from economics.errors import PermillionError
from tokenizers_registry import probes
from tokenizers_registry.registered.recognizing import SLUG

# Truncation and padding make every count a constant; the others add or join tokens that are not in the text.
_EMPTIED: Final[dict[str, Any]] = {
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "post_processor": None,
    "decoder": None,
}


_OCCURRING: Final = frozenset(probes.EVERY_BYTE.encode())
"""The 243 bytes that UTF-8 has."""


@dataclass(frozen=True, slots=True)
class LiteralDocument:
    """The document to load, the entries of its vocabulary, what was switched off that a reader may miss."""

    text: str
    entries: int
    note: str


def literal(content: bytes, max_entries: int) -> LiteralDocument:
    """Read, check and empty a document.

    Raises:
        PermillionError: `invalid-tokenizer`: not JSON, no model with a vocabulary, too many entries, or characters that
            the vocabulary lacks would vanish from the count.
    """
    document = _parsed(content)
    model = document.get("model") if isinstance(document, dict) else None
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if not isinstance(document, dict) or not isinstance(model, dict) or not isinstance(vocabulary, dict | list):
        raise _refused("the file is JSON but no tokenizer.json: it has no model with a vocab")
    names, highest = _entries(vocabulary)
    if len(vocabulary) > max_entries or highest >= max_entries:
        raise _refused(f"over {max_entries:,} entries in the vocabulary, or an id above that")
    if not names:
        raise _refused("the vocabulary is empty")
    _check_unknown(document, model, names)
    added = document.get("added_tokens") or []
    notes = [f"{len(added)} added tokens are counted as the text they are"] if added else []
    if model.get("dropout"):
        model["dropout"] = None  # of training: it would make each count another one
        notes.append("dropout is switched off")
    text = json.dumps({**document, **_EMPTIED}, ensure_ascii=False, separators=(",", ":"))
    return LiteralDocument(text, len(vocabulary), "; ".join(notes))


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise _refused("the file is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise _refused(f"the file is not JSON, from line {error.lineno}, column {error.colno} on") from None
    except RecursionError:
        raise _refused("the JSON is nested too deeply") from None
    except ValueError:  # an integer of more than 4,300 digits
        raise _refused("a number in the JSON has too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _refused("an object in the JSON has the same key twice")
    return result


def _no_constant(name: str) -> Any:
    raise _refused("NaN and Infinity are not JSON")


def _entries(vocabulary: dict[str, Any] | list[Any]) -> tuple[set[str], int]:
    """The entries and the highest id; a list (Unigram) holds `[piece, score]` and numbers them by place."""
    if isinstance(vocabulary, dict):
        ids = vocabulary.values()
        if not all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in ids):
            raise _refused("an id in the vocabulary is no whole number")
        return set(vocabulary), max(ids, default=-1)
    if not all(isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str) for entry in vocabulary):
        raise _refused("an entry of the vocabulary is not [piece, score]")
    return {entry[0] for entry in vocabulary}, len(vocabulary) - 1


def _check_unknown(document: Mapping[str, Any], model: Mapping[str, Any], names: set[str]) -> None:
    """Refuse a model that has no token for what its vocabulary lacks.

    A BPE without any drops such characters: "abz" over the letters a and b is 2 tokens, and 0 for a Chinese text. A
    count that is too low without a word is a cost nobody sees, so it is no warning but a refusal. Bytes that never occur in
    UTF-8 may lack (DeepSeek's vocabularies up to V2.5 lack these 13).
    """
    if isinstance(model.get("vocab"), list):
        unknown = model.get("unk_id")
        has_unknown = isinstance(unknown, int) and 0 <= unknown < len(model["vocab"])
    else:
        has_unknown = isinstance(model.get("unk_token"), str) and model["unk_token"] in names
    if has_unknown:
        return
    if model.get("byte_fallback") and all(f"<0x{byte:02X}>" in names for byte in _OCCURRING):
        return
    is_bpe = model.get("type") == "BPE" or (model.get("type") is None and "merges" in model)
    if is_bpe and any(part.get("type") == "ByteLevel" for part in _parts(document)):
        symbols = byte_symbols()
        missing = sum(symbols[byte] not in names for byte in _OCCURRING)
        if not missing:
            return
        raise _refused(f"{missing} byte symbols are not in the vocabulary: text with them would vanish from the count")
    raise _refused(
        "characters that the vocabulary lacks would vanish from the count: it needs an unk_token, byte_fallback with all "
        "bytes, or ByteLevel with all byte symbols"
    )


def _parts(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Normalizer and pre-tokenizer, and the members of those that are sequences."""
    waiting = [document.get("normalizer"), document.get("pre_tokenizer")]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            for members in ("normalizers", "pretokenizers"):
                found = part.get(members)
                waiting.extend(found if isinstance(found, list) else ())


def byte_symbols() -> list[str]:
    """How ByteLevel writes the 256 bytes: printable Latin-1 as it is, the others as the characters from U+0100 on.

    Source: GPT-2's `bytes_to_unicode` (openai/gpt-2, src/encoder.py), which the `tokenizers` library follows.

    >>> byte_symbols()[ord("a")], byte_symbols()[ord(" ")], len(set(byte_symbols()))
    ('a', 'Ġ', 256)
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def _refused(why: str) -> PermillionError:
    return PermillionError(SLUG, why, pointer="/file")
