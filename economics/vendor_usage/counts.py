"""Reading counts out of a vendor's usage object, and refusing what is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from economics.errors import PermillionError

VendorUsage = Mapping[str, Any]
Meters = dict[str, int]
MAX_COUNT = 10**18 - 1


def count(given: VendorUsage, *path: str) -> int:
    """The count at `path`, 0 where it is absent or null."""
    value: Any = given
    for name in path:
        if value is None:
            return 0
        if not isinstance(value, Mapping):
            raise PermillionError("invalid-usage", f"{'.'.join(path)} is not an object", pointer="/vendor_usage")
        value = value.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise PermillionError("invalid-usage", f"{'.'.join(path)} is not a count", pointer="/vendor_usage")
    return value


def first_count(given: VendorUsage, *names: str) -> int:
    """The count under the first of `names` that is given; one of them has to be."""
    for name in names:
        if given.get(name) is not None:
            return count(given, name)
    raise PermillionError("invalid-usage", f"{names[0]} is missing", pointer="/vendor_usage")


def first_present(given: VendorUsage, *names: str) -> str:
    """The first of `names` that is given: Chat Completions, Responses and Realtime spell one thing in three ways."""
    return next((name for name in names if given.get(name) is not None), names[0])


def objects(given: VendorUsage, name: str) -> list[Mapping[str, Any]]:
    """The list of objects under `name`, empty where it is absent or null."""
    details = given.get(name) or []
    if not isinstance(details, list) or not all(isinstance(detail, Mapping) for detail in details):
        raise PermillionError("invalid-usage", f"{name} is not a list of objects", pointer="/vendor_usage")
    return details


def snake(name: str) -> str:
    """A name in camel case as SDKs for Python spell it.

    >>> snake("promptTokenCount")
    'prompt_token_count'
    """
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
