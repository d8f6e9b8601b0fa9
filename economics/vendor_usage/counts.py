"""Reading counts out of a vendor's usage object, and refusing what is none or contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from economics.errors import PermillionError

VendorUsage = Mapping[str, Any]
Meters = dict[str, int]
Path = tuple[str, ...]
MAX_COUNT = 10**18 - 1


def refusal(detail: str, *path: str) -> PermillionError:
    """`invalid-usage`, pointing at `path` of the usage object."""
    return PermillionError("invalid-usage", detail, pointer="/".join(("/vendor_usage", *path)))


def count_or_none(given: VendorUsage, *path: str, at: Path = ()) -> int | None:
    """The count at `path`, None where it is absent or null.

    Args:
        given: the usage object, or an object inside of it.
        path: from `given` to the count.
        at: from the usage object to `given`.

    Raises:
        PermillionError: `invalid-usage` where it is no whole number of 0 or more, or something on the way is no object.
    """
    value: Any = given
    for name in path:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise refusal(f"{'.'.join(path)} is not an object", *at, *path)
        value = value.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise refusal(f"{'.'.join(path)} is not a count", *at, *path)
    return value


def count(given: VendorUsage, *path: str) -> int:
    """As `count_or_none`, 0 where it is absent or null."""
    return count_or_none(given, *path) or 0


def any_count(given: VendorUsage, *spellings: Path, at: Path = ()) -> int | None:
    """The count at whichever of `spellings` it is given, None where at none: one count has several names over APIs and SDKs.

    Raises:
        PermillionError: `invalid-usage` where two spellings have different counts: one of them would be lost.

    >>> any_count({"prompt_tokens": 9, "input_tokens": None}, ("input_tokens",), ("prompt_tokens",))
    9
    """
    found, first = None, spellings[0]
    for path in spellings:
        value = count_or_none(given, *path, at=at)
        if value is None:
            continue
        if found is not None and value != found:
            raise refusal(f"{'.'.join(first)} and {'.'.join(path)} are one count, and differ", *at, *path)
        found, first = value, path
    return found


def stated_count(given: VendorUsage, *names: str) -> int:
    """As `any_count` for keys of the usage object itself; one of them has to be there."""
    found = any_count(given, *((name,) for name in names))
    if found is None:
        raise refusal(f"{names[0]} is missing")
    return found


def check_total(given: VendorUsage, name: str, *sums: int) -> None:
    """Nothing, where the total under `name` is left out or one of `sums`.

    Raises:
        PermillionError: `invalid-usage` for any other total.
    """
    total = count_or_none(given, name)
    if total is not None and total not in sums:
        raise refusal(f"{name} is not the sum of its parts", name)


def objects(given: VendorUsage, name: str) -> list[VendorUsage]:
    """The list of objects under `name`, empty where it is absent or null."""
    details = given.get(name) or []
    if not isinstance(details, list) or not all(isinstance(detail, Mapping) for detail in details):
        raise refusal(f"{name} is not a list of objects", name)
    return details
