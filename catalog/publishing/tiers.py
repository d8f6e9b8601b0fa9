"""Tiers of one price that reach into each other, among the rows of one publication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from economics.collisions import reaches_into
from economics.errors import PermillionError
from economics.prices import BASE_TIER, PriceRow

PriceKey = tuple[str, str]
_MOST_PAIRS: Final = 1_000_000
"""Pairs of tiers compared for one price."""


def check_tiers(rows: Mapping[int, tuple[PriceKey, PriceRow]]) -> None:
    """Refuse a tier whose upper bound lies beyond the start of a later tier of the same price.

    Args:
        rows: by position, each with its model's key.

    Raises:
        PermillionError: `invalid-fields` with a pointer `/rows/<i>/max_input_tokens`.
    """
    for position, other in reaching(rows):
        start = rows[other][1].tier.min_input_tokens
        raise PermillionError(
            "invalid-fields",
            f"the tier reaches into the one that row {other} starts at {start}",
            pointer=f"/rows/{position}/max_input_tokens",
        )


def reaching(rows: Mapping[int, tuple[PriceKey, PriceRow]]) -> Iterator[tuple[int, int]]:
    """Positions of a tier and of a later one of the same price that it reaches into.

    Raises:
        PermillionError: `invalid-fields` where there are too many to compare.
    """
    priced: dict[tuple[object, ...], list[tuple[int, PriceRow]]] = {}
    for position, (model, row) in rows.items():
        if row.tier != BASE_TIER:
            key = (*model, row.meter, row.schedule, tuple(sorted(row.conditions.items())))
            priced.setdefault(key, []).append((position, row))
    for rivals in priced.values():
        lows = [(position, row) for position, row in rivals if row.tier.max_input_tokens is not None]
        highs = [(position, row) for position, row in rivals if row.tier.min_input_tokens is not None]
        if len(lows) * len(highs) > _MOST_PAIRS:
            raise PermillionError(
                "invalid-fields",
                "too many bounded tiers of one price at once; publish them in parts",
                pointer=f"/rows/{lows[0][0]}/max_input_tokens",
            )
        yield from ((low, high) for low, one in lows for high, other in highs if reaches_into(one, other))
