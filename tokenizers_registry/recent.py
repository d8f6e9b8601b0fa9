"""What was found out most recently, up to a number of entries."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The most recently used values, at most `entries` of them. No value is None.

    >>> recent = Recent(1)
    >>> recent.put("a", 7); recent.put("b", 8)
    >>> recent.get("a"), recent.get("b")
    (None, 8)
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """The value, or None; a hit makes it the most recent."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> None:
        """Remember a value; the one used longest ago is dropped when there are too many."""
        self._values[key] = value
        if len(self._values) > self._entries:
            self._values.popitem(last=False)
