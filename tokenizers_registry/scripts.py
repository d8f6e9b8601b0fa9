"""In which scripts a text is written, as far as the error of a count depends on it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

Script = Literal["latin", "cjk", "indic", "other", "code"]

MIN_SHARE: Final = 0.05
"""Of the letters: a script with less does not widen the range of a text."""
CODE_SHARE: Final = 0.08
"""Of the characters that are no white space: prose stays far below with the marks of code, programs and data lie above."""
_CODE_MARKS: Final = '{}[]()<>=;_/\\|&*+#$%^~`"@'
_LETTER: Final = re.compile("[A-Za-z]")
_ASCII_SPACES: Final = " \t\n\r\v\f\x1c\x1d\x1e\x1f"  # what `str.isspace` says

# First code point of each block, and what its letters are (Unicode 16, Blocks.txt); letters of other blocks are "other".
_BLOCKS: Final[tuple[tuple[int, Script], ...]] = (
    (0x0000, "latin"), (0x0250, "other"), (0x0900, "indic"), (0x0E00, "other"), (0x1100, "cjk"), (0x1200, "other"),
    (0x1E00, "latin"), (0x1F00, "other"), (0x2C60, "latin"), (0x2C80, "other"), (0x2E80, "cjk"), (0xA000, "other"),
    (0xA720, "latin"), (0xA800, "other"), (0xA8E0, "indic"), (0xA900, "other"), (0xA960, "cjk"), (0xA980, "other"),
    (0xAC00, "cjk"), (0xD800, "other"), (0xF900, "cjk"), (0xFB00, "latin"), (0xFB10, "other"), (0xFF21, "latin"),
    (0xFF66, "cjk"), (0xFFE0, "other"), (0x20000, "cjk"), (0x40000, "other"),
)  # fmt: skip
_UNSPACED: Final = (
    (0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x312F), (0x31A0, 0xA4CF), (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Thai, Lao, Tibetan; Burmese; Khmer; kana and Han but not Hangul, which has blanks between words."""
_STARTS: Final = [start for start, _ in _BLOCKS]


@dataclass(frozen=True, slots=True)
class Writing:
    """How a text is written.

    Attributes:
        scripts: those that hold at least 5 % of the letters, and `code` where the marks of code are frequent. Latin, CJK (Han,
            kana, Hangul), Indic (Devanagari to Sinhala) and all others; a text without letters is in none.
        unspaced: whether most letters are of scripts that put no white space between words.
    """

    scripts: frozenset[Script]
    unspaced: bool


def writing_of(text: str) -> Writing:
    """How `text` is written.

    >>> sorted(writing_of("Where is my parcel?").scripts), sorted(writing_of("我的包裹 parcel 到哪里了?").scripts)
    (['latin'], ['cjk', 'latin'])
    >>> sorted(writing_of("for (i = 0; i < n; i++) { sum += a[i]; }").scripts)
    ['code', 'latin']
    >>> [writing_of(text).unspaced for text in ("我的包裹 parcel", "한글 자모 분해형", "Ärger", "我的包裹到哪里了? I ask.")]
    [False, False, False, True]
    """
    letters: Counter[Script] = Counter()
    unspaced = False
    if text.isascii():
        letters["latin"] = 1 if _LETTER.search(text) else 0
        marks = sum(map(text.count, _CODE_MARKS))
        solid = len(text) - sum(map(text.count, _ASCII_SPACES))
    else:
        characters = Counter(text)
        unspaced_letters = 0
        for character, times in characters.items():
            if character.isalpha():
                code = ord(character)
                letters[_BLOCKS[bisect_right(_STARTS, code) - 1][1]] += times
                if any(first <= code <= last for first, last in _UNSPACED):
                    unspaced_letters += times
        unspaced = unspaced_letters * 2 > letters.total()
        marks = sum(characters[mark] for mark in _CODE_MARKS)
        solid = len(text) - sum(times for character, times in characters.items() if character.isspace())
    least = MIN_SHARE * letters.total()
    scripts = {script for script, times in letters.items() if times and times >= least}
    if solid and marks >= CODE_SHARE * solid:
        scripts.add("code")
    return Writing(frozenset(scripts), unspaced)
