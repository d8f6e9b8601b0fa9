"""In which scripts a text is written, as far as the error of a count depends on it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import Final, Literal

Script = Literal["latin", "cjk", "indic", "other", "code"]

MIN_SHARE: Final = 0.05
"""Of the letters: a script with less does not widen the range of a text."""
CODE_SHARE: Final = 0.08
"""Of the characters that are no white space: prose stays far below with the marks of code, programs and data lie above."""
_CODE_MARKS: Final = '{}[]()<>=;_/\\|&*+#$%^~`"@'
_LETTER: Final = re.compile("[A-Za-z]")

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


def scripts_of(text: str) -> frozenset[Script]:
    """The scripts that hold at least 5 % of the letters, and `code` where the marks of code are frequent.

    Latin, CJK (Han, kana, Hangul), Indic (Devanagari to Sinhala) and all others. A text without letters is in none.

    >>> sorted(scripts_of("Where is my parcel?")), sorted(scripts_of("我的包裹 parcel 到哪里了?"))
    (['latin'], ['cjk', 'latin'])
    >>> sorted(scripts_of("for (i = 0; i < n; i++) { sum += a[i]; }"))
    ['code', 'latin']
    """
    if text.isascii():
        found: set[Script] = {"latin"} if _LETTER.search(text) else set()
    else:
        letters: Counter[Script] = Counter()
        for character, times in Counter(text).items():
            if character.isalpha():
                letters[_BLOCKS[bisect_right(_STARTS, ord(character)) - 1][1]] += times
        least = MIN_SHARE * letters.total()
        found = {script for script, times in letters.items() if times >= least}
    solid = sum(map(len, text.split()))
    if solid and sum(map(text.count, _CODE_MARKS)) >= CODE_SHARE * solid:
        found.add("code")
    return frozenset(found)


def unspaced(text: str) -> bool:
    """Whether most letters are of scripts that put no white space between words.

    >>> unspaced("我的包裹 parcel"), unspaced("한글 자모 분해형"), unspaced("Ärger")
    (False, False, False)
    >>> unspaced("我的包裹到哪里了? I ask."), unspaced("ท่าเรือตอนเช้า")
    (True, True)
    """
    if text.isascii():
        return False
    letters = unspaced_letters = 0
    for character, times in Counter(text).items():
        if character.isalpha():
            letters += times
            code = ord(character)
            if any(first <= code <= last for first, last in _UNSPACED):
                unspaced_letters += times
    return unspaced_letters * 2 > letters
