"""Unicode normalization that no text can make slow.

CPython orders the combining marks behind a base character by insertion: a base with 65,000 marks in the wrong order
(128 kB of text) takes minutes. Marks of different classes may be reordered without changing the text's canonical
form, so long runs of them are sorted first, which leaves the insertion nothing to do.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

#: Runs of more marks than this are sorted first. Real text has a handful.
LONG_RUN = 64
_STRIDE = 16


def nfc(text: str) -> str:
    r"""Normalization Form C, in time proportional to the text.

    >>> nfc("e\u0301") == "\u00e9"
    True
    """
    return unicodedata.normalize("NFC", with_ordered_marks(text))


def with_ordered_marks(text: str) -> str:
    """A canonically equivalent text whose long runs of combining marks are in canonical order.

    Every normalization form of it equals that of `text`. Without long runs it is `text` itself.
    """
    if text.isascii():
        return text
    marks, long_runs = _marks()
    # A run of more than 64 marks holds four of every sixteenth character in a row.
    sampled = "".join("1" if character in marks else "0" for character in text[::_STRIDE])
    if "1" * (LONG_RUN // _STRIDE) not in sampled:
        return text
    return long_runs.sub(_ordered, text)


def _ordered(run: re.Match[str]) -> str:
    decomposed = "".join(map(_decomposed, run[0]))
    return "".join(sorted(decomposed, key=unicodedata.combining))


@cache
def _decomposed(mark: str) -> str:
    return unicodedata.normalize("NFD", mark)


@cache
def _marks() -> tuple[frozenset[str], re.Pattern[str]]:
    """Characters that decompose into marks only, and a pattern for long runs of them."""
    characters = [chr(code) for code in range(0x300, 0x1F000) if not 0xD800 <= code < 0xE000]
    marks = [character for character in characters if unicodedata.combining(_decomposed(character)[0])]
    _decomposed.cache_clear()
    return frozenset(marks), re.compile(f"[{''.join(marks)}]{{{LONG_RUN + 1},}}")
