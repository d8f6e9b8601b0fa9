"""What one request used, and how much of it each priced meter is charged for.

Formula: for a parent P with priced children c, `billed(P) = P − Σ billed(c)`, and `billed(child) = child − Σ` of its own
priced children. Children of one parent are disjoint, but for cached audio: it is part of the cache reads and of the audio. It is
charged as cached audio, else as a cache read, else as audio, and counts once in the sum of the input's children. The sum over
all billed meters of a family equals the parent's count, so each token is charged once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal

from economics.errors import PermillionError
from economics.meters import CHILDREN, METERS

_CACHED_AUDIO = "cache_read_audio_tokens"
Quantities = Mapping[str, Decimal | int]


def complete_usage(given: Quantities) -> dict[str, Decimal | int]:
    """`given` with the parents that stand between two given levels filled in, checked for contradictions.

    A parent that is left out although its children are given is the sum of its children. `input_tokens` and
    `output_tokens` are never guessed from a child alone unless they are left out, in which case that sum is a lower
    bound the caller did not state: the sum is used, as the contract says for levels in between.

    Args:
        given: quantity of each meter, in units (tokens, seconds, …).

    Raises:
        PermillionError: `unknown-meter` for a name that is no meter, `invalid-usage` where a quantity is negative or
            children exceed their parent.

    >>> complete_usage({"input_tokens": 10, "cache_write_5m_tokens": 2, "cache_write_1h_tokens": 3})["cache_write_tokens"]
    5
    """
    usage: dict[str, Decimal | int] = {}
    for name, quantity in given.items():
        if name not in METERS:
            raise PermillionError(
                "unknown-meter", f"unknown meter; known are {', '.join(METERS)}", pointer=f"/usage/{name}"
            )
        if quantity < 0:
            raise PermillionError("invalid-usage", "a count cannot be negative", pointer=f"/usage/{name}")
        usage[name] = quantity
    if usage.keys() <= _ROOTS:
        return usage
    both = usage.get(_CACHED_AUDIO, 0)
    if both:
        _check_cached_audio(usage, both)
    # cache writes first: their sum is itself a child of the input
    for parent in ("cache_write_tokens", "input_tokens", "output_tokens"):
        children = [usage[c] for c in CHILDREN[parent] if c in usage]
        if not children:
            continue
        total = sum(children)
        if both and parent == "input_tokens":
            total -= both
        if parent not in usage:
            usage[parent] = total
        elif total > usage[parent]:
            raise PermillionError(
                "invalid-usage",
                f"{' + '.join(c for c in CHILDREN[parent] if c in usage)} is more than {parent}, of which they are parts",
                pointer=f"/usage/{next(c for c in CHILDREN[parent] if c in usage)}",
            )
    return usage


def _check_cached_audio(usage: dict[str, Decimal | int], both: Decimal | int) -> None:
    for whole in ("cache_read_tokens", "input_audio_tokens"):
        if usage.setdefault(whole, both) < both:
            raise PermillionError(
                "invalid-usage",
                f"{_CACHED_AUDIO} is more than {whole}, of which it is a part",
                pointer=f"/usage/{_CACHED_AUDIO}",
            )


_PARENTS = frozenset(CHILDREN) - {"cache_read_tokens"}
"""Without cached audio, which is rare, cache reads have no part: theirs are not looked for."""
_ROOTS = {name for name, meter in METERS.items() if meter.parent is None}


def billed_quantities(usage: Quantities, priced: Collection[str]) -> dict[str, Decimal | int]:
    """The quantity charged under each meter that has a price, each unit once; meters with nothing left are dropped.

    Args:
        usage: a completed usage (`complete_usage`).
        priced: the meters the offer has a rate for.

    Returns:
        Quantity by meter. A top-level meter without a price keeps what remains of it: the caller must refuse that.

    >>> billed_quantities({"input_tokens": 2600, "cache_read_tokens": 2000, "cache_write_tokens": 400},
    ...                   {"input_tokens", "cache_read_tokens", "cache_write_tokens"})
    {'input_tokens': 200, 'cache_read_tokens': 2000, 'cache_write_tokens': 400}
    >>> billed_quantities({"output_tokens": 10, "reasoning_tokens": 4}, {"output_tokens"})
    {'output_tokens': 10}
    >>> billed_quantities({"input_tokens": 400, "cache_read_tokens": 254, "input_audio_tokens": 200,
    ...                    "cache_read_audio_tokens": 129}, {"input_tokens", "cache_read_tokens", "input_audio_tokens"})
    {'input_tokens': 75, 'cache_read_tokens': 254, 'input_audio_tokens': 71}
    """
    parents = _PARENTS
    if usage.get(_CACHED_AUDIO):
        usage, parents = _without_overlap(usage, priced), _PARENTS | {"cache_read_tokens"}
    billed: dict[str, Decimal | int] = {}
    for name, quantity in usage.items():
        if not quantity:
            continue
        if name not in _ROOTS and name not in priced:
            continue  # stays with its parent
        remaining = quantity - _priced_below(name, usage, priced) if name in parents else quantity
        if remaining:
            billed[name] = remaining
    return billed


def _without_overlap(usage: Quantities, priced: Collection[str]) -> Quantities:
    """`usage` with its cached audio taken out of one of the two meters it is part of: of the one it is not charged under."""
    both = usage[_CACHED_AUDIO]
    as_audio = "input_audio_tokens" in priced and not {_CACHED_AUDIO, "cache_read_tokens"} & set(priced)
    left = "cache_read_tokens" if as_audio else "input_audio_tokens"
    parted = {**usage, left: usage[left] - both}
    if as_audio:
        del parted[_CACHED_AUDIO]
    return parted


def left_with_parent(meter: str, usage: Quantities, priced: Collection[str]) -> Decimal | int:
    """How much of a child meter without a price of its own is charged as its parent.

    >>> left_with_parent("cache_read_tokens", {"input_tokens": 10, "cache_read_tokens": 4}, {"input_tokens"})
    4
    """
    quantity = usage.get(meter, 0)
    if not quantity or meter in priced:
        return 0
    return quantity - (_priced_below(meter, usage, priced) if meter in CHILDREN else 0)


def _priced_below(parent: str, usage: Quantities, priced: Collection[str]) -> Decimal | int:
    total: Decimal | int = 0
    for child in CHILDREN[parent]:
        quantity = usage.get(child)
        if quantity:
            if child in priced:
                total += quantity
            elif child in CHILDREN:
                total += _priced_below(child, usage, priced)
    return total
