"""Naming near ids when an id is unknown, in bounded time and without echoing what was sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

MAX_ECHO: Final = 100
MAX_NEAR: Final = 3
_CANDIDATES: Final = 12


def printable(text: str) -> str:
    r"""At most 100 printable ASCII characters of what a caller sent, for a problem's detail.

    >>> printable("gpt-5\n\u202e" + "x" * 200) == "gpt-5" + "x" * 95
    True
    """
    return "".join(c for c in text[: 4 * MAX_ECHO] if " " <= c <= "~")[:MAX_ECHO]


class NearNames:
    """Names indexed by their trigrams: of hundreds of thousands of ids a dozen reach the costly comparison.

    >>> NearNames(["gpt-6-sol", "gpt-6-sol-mini", "claude-opus-5"]).near("gpt6-sol")
    ['gpt-6-sol', 'gpt-6-sol-mini']
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {name.casefold(): name for name in names}
        self._by_trigram: dict[str, list[str]] = {}
        for key in self._names:
            for trigram in _trigrams(key):
                self._by_trigram.setdefault(trigram, []).append(key)

    def near(self, asked: str) -> list[str]:
        """Up to three names that resemble `asked`, the nearest first."""
        key = asked[:MAX_ECHO].casefold()
        shared: Counter[str] = Counter()
        for trigram in _trigrams(key):
            shared.update(self._by_trigram.get(trigram, ()))
        # of equally many shared trigrams the name closest in length is the better candidate
        ranked = sorted(shared, key=lambda name: (-shared[name], abs(len(name) - len(key)), name))[:_CANDIDATES]
        return [self._names[name] for name in get_close_matches(key, ranked, MAX_NEAR, 0.5)]


def _trigrams(key: str) -> set[str]:
    padded = f"  {key} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def did_you_mean(names: Iterable[str]) -> str:
    """The end of a sentence that names near ids, empty where there are none.

    >>> did_you_mean(["a", "b"]), did_you_mean([])
    ('; near ones are a, b', '')
    """
    named = ", ".join(names)
    return f"; near ones are {named}" if named else ""
