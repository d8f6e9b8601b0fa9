"""Counts already made, by what was counted and with what: the text's sha256 and the tokenizer's fingerprint."""

from __future__ import annotations

from collections import OrderedDict

Key = tuple[str, bytes]


class CountCache:
    """The most recently used counts, at most `entries` of them (about 300 bytes each). Holds no text.

    >>> cache = CountCache(1)
    >>> cache.put(("sha256:a", b"1"), 7); cache.put(("sha256:a", b"2"), 8)
    >>> cache.get(("sha256:a", b"1")), cache.get(("sha256:a", b"2"))
    (None, 8)
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._counts: OrderedDict[Key, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counts)

    def get(self, key: Key) -> int | None:
        """The count, or None; a hit makes it the most recent."""
        count = self._counts.get(key)
        if count is not None:
            self._counts.move_to_end(key)
        return count

    def put(self, key: Key, count: int) -> None:
        """Remember a count; the one used longest ago is dropped when there are too many."""
        self._counts[key] = count
        if len(self._counts) > self._entries:
            self._counts.popitem(last=False)
