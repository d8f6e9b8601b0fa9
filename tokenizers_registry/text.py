"""How long a text is, in the five units that prices and people use.

Always of the text as submitted, before any normalization: a BOM counts, CRLF is two characters, a family emoji is one
grapheme, seven characters and 25 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from economics.errors import PermillionError
from tokenizers_registry.scripts import unspaced


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
    """

    characters: int
    bytes: int
    utf16_units: int
    graphemes: int
    non_whitespace_characters: int
    words: int | None


def measure(text: str) -> TextMeasure:
    """Measure a text.

    Raises:
        PermillionError: `invalid-text` for lone surrogates, which have no UTF-8 form.

    >>> measure("é你 👍🏿")
    TextMeasure(characters=5, bytes=14, utf16_units=7, graphemes=4, non_whitespace_characters=4, words=2)
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise PermillionError("invalid-text", "the text holds lone surrogates, which are not characters") from None
    runs = text.split()
    solid = sum(map(len, runs))
    if size == len(text):
        return TextMeasure(size, size, size, size - text.count("\r\n"), solid, len(runs))
    utf16_units = len(text.encode("utf-16-le")) // 2
    words = None if unspaced(text) else len(runs)
    return TextMeasure(len(text), size, utf16_units, _graphemes(text), solid, words)


def _graphemes(text: str) -> int:
    joining, cluster = _grapheme_patterns()
    if joining.search(text) is None:
        return len(text)
    return len(cluster.findall(text))


# Grapheme_Cluster_Break values without which no two characters join: UAX 29, rules GB3 and GB6 to GB13.
_JOINING = ("CR", "Extend", "ZWJ", "SpacingMark", "Prepend", "Regional_Indicator", "L", "V", "T")


@cache
def _grapheme_patterns() -> tuple[Any, Any]:
    """A pattern for characters that may join with a neighbor, and one for a whole cluster."""
    regex = import_module("regex")  # 4 MB: only where a text beyond ASCII is measured
    joining = "".join(rf"\p{{GCB={value}}}" for value in _JOINING)
    return regex.compile(f"[{joining}]"), regex.compile(r"\X")
