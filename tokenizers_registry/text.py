"""How long a text is, in the five units that prices and people use.

Always of the text as submitted, before any normalization: a BOM counts, CRLF is two characters, a family emoji is one
grapheme, seven characters and 25 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from typing import Any

from economics.errors import PermillionError
from tokenizers_registry.scripts import Script, writing_of


@dataclass(frozen=True, slots=True)
class TextMeasure:
    """Lengths of one text.

    Attributes:
        characters: Unicode code points; what "per million characters" means here.
        bytes: of UTF-8.
        utf16_units: what JavaScript and Java call length.
        graphemes: extended grapheme clusters (Unicode TR 29): what a reader calls a character.
        non_whitespace_characters: code points that are not white space; what vendors who bill characters count
            (Google's per-character prices on Vertex, Gemini 1.x).
        words: runs between white space; None for a text mostly in a script that puts none between words (Han, kana, Thai,
            Lao, Tibetan, Burmese, Khmer): there, runs are sentences.
        scripts: those it is written in, on which the error of an estimated count depends.
    """

    characters: int
    bytes: int
    utf16_units: int
    graphemes: int
    non_whitespace_characters: int
    words: int | None
    scripts: frozenset[Script]


def measure(text: str) -> TextMeasure:
    """Measure a text.

    Raises:
        PermillionError: `invalid-text` for lone surrogates, which have no UTF-8 form.

    >>> found = measure("é你 👍🏿")
    >>> found.characters, found.bytes, found.utf16_units, found.graphemes, found.non_whitespace_characters, found.words
    (5, 14, 7, 4, 4, 2)
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise PermillionError("invalid-text", "the text holds lone surrogates, which are not characters") from None
    runs = text.split()
    solid, words = sum(map(len, runs)), len(runs)
    writing = writing_of(text)
    if size == len(text):
        return TextMeasure(size, size, size, size - text.count("\r\n"), solid, words, writing.scripts)
    utf16_units = len(text.encode("utf-16-le")) // 2
    spaced = None if writing.unspaced else words
    return TextMeasure(len(text), size, utf16_units, _graphemes(text), solid, spaced, writing.scripts)


def pack_measure(measured: TextMeasure) -> dict[str, Any]:
    """A measure as JSON has it."""
    return {**asdict(measured), "scripts": sorted(measured.scripts)}


def unpack_measure(packed: Mapping[str, Any]) -> TextMeasure:
    """What `pack_measure` wrote.

    >>> unpack_measure(pack_measure(measure("two words"))) == measure("two words")
    True
    """
    return TextMeasure(**{**packed, "scripts": frozenset(packed["scripts"])})


def _graphemes(text: str) -> int:
    joining, cluster = grapheme_patterns()
    if joining.search(text) is None:
        return len(text)
    found: int = cluster.subn("", text)[1]  # in C: a third less than going over the matches
    return found


# Grapheme_Cluster_Break values without which no two characters join: UAX 29, rules GB3 and GB6 to GB13.
_JOINING = ("CR", "Extend", "ZWJ", "SpacingMark", "Prepend", "Regional_Indicator", "L", "V", "T")


@cache
def grapheme_patterns() -> tuple[Any, Any]:
    """A pattern for characters that may join with a neighbor, and one for a whole cluster; 20 ms the first time."""
    regex = import_module("regex")  # 4 MB: only where a text beyond ASCII is measured
    joining = "".join(rf"\p{{GCB={value}}}" for value in _JOINING)
    return regex.compile(f"[{joining}]"), regex.compile(r"\X")
