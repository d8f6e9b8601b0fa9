"""Prices that cannot both be meant: equally specific rows that hold together, tiers that reach into each other.

A request that meets two such prices is refused (`ambiguous-price`) when it is asked; these functions find them before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product

from economics.context import MODE_KEYS, Vocabulary
from economics.errors import PermillionError
from economics.meters import is_token_meter
from economics.prices import Conditions, PriceRow, Tier, Uplift

_MOST_CONTEXTS = 10_000
"""Contexts tried for one pair of rows: more than any vendor's keys have combinations."""


def hold_together(first: Conditions, second: Conditions, vocabulary: Vocabulary, *, modes_said: bool) -> bool:
    """Whether a context that the vendor sells meets both conditions.

    Args:
        first: conditions of one price.
        second: of the other.
        vocabulary: the vendor's keys, defaults and contradictions.
        modes_said: whether a price holds in the default mode only unless it mentions the mode, as token rates do.

    >>> from economics.context import ContextKey
    >>> v = Vocabulary({"processing": ContextKey(("standard", "batch"), "standard"), "thinking_mode": ContextKey(("true",))})
    >>> batch, thinking = {"processing": ("batch",)}, {"thinking_mode": ("true",)}
    >>> [hold_together(batch, thinking, v, modes_said=said) for said in (True, False)]
    [False, True]
    """
    choices: list[list[tuple[str, str]]] = []
    for name in sorted({*first, *second}):
        key = vocabulary.keys.get(name)
        if name in first and name in second:
            values = set(first[name]) & set(second[name])
        else:
            values = set(first.get(name, ())) | set(second.get(name, ()))
            if modes_said and name in MODE_KEYS:
                values &= {key.default} if key is not None and key.default is not None else set()
        choices.append([(name, value) for value in sorted(values)])
    return any(_sold(dict(said), vocabulary) for said in islice(product(*choices), _MOST_CONTEXTS))


def _sold(context: dict[str, str], vocabulary: Vocabulary) -> bool:
    try:
        vocabulary.resolve(context)
    except PermillionError as error:
        return error.slug != "contradictory-context"
    return True


def ambiguous_rows(rows: Sequence[PriceRow], vocabulary: Vocabulary) -> Iterator[tuple[PriceRow, PriceRow]]:
    """Pairs of rows of one offer that are equally specific and hold together at some time, in some context and tier.

    Pairs of one slot are not among them: that they overlap in time is another finding.
    """
    rivals: dict[tuple[object, ...], list[PriceRow]] = {}
    for row in rows:
        rivals.setdefault((row.meter, row.tier.rank, len(row.conditions), row.schedule is None), []).append(row)
    for some in rivals.values():
        for first, second in combinations(some, 2):
            if (
                first.slot != second.slot
                and first.period.overlaps(second.period)
                and hold_together(
                    first.conditions, second.conditions, vocabulary, modes_said=is_token_meter(first.meter)
                )
            ):
                yield first, second


def overlapping_uplifts(uplifts: Sequence[Uplift], vocabulary: Vocabulary) -> Iterator[tuple[Uplift, Uplift]]:
    """Pairs of factors of one offer that hold together: which of them multiplies is not said anywhere."""
    for first, second in combinations(uplifts, 2):
        if (
            first.slot != second.slot
            and first.period.overlaps(second.period)
            and hold_together(first.conditions, second.conditions, vocabulary, modes_said=False)
        ):
            yield first, second


def is_empty(tier: Tier) -> bool:
    """Whether no prompt is long enough for a tier and short enough for its upper bound.

    >>> is_empty(Tier(200_000, False, 200_000)), is_empty(Tier(200_000, True, 200_000))
    (True, False)
    """
    low, high = tier.min_input_tokens, tier.max_input_tokens
    return low is not None and high is not None and high < low + (not tier.min_inclusive)


def reaches_into(low: PriceRow, high: PriceRow) -> bool:
    """Whether the upper bound of `low` lies beyond the start of `high`, a later tier of the same price at the same time.

    The later tier would answer there, and the bound would say something else than is charged.
    """
    most, start = low.tier.max_input_tokens, high.tier.min_input_tokens
    return (
        most is not None
        and start is not None
        and low.tier.input_rank < high.tier.input_rank
        and (most >= start if high.tier.min_inclusive else most > start)
        and (low.meter, low.schedule, dict(low.conditions)) == (high.meter, high.schedule, dict(high.conditions))
        and low.period.overlaps(high.period)
    )


def contradiction(conditions: Conditions, vocabulary: Vocabulary) -> bool:
    """Whether conditions ask for what the vendor does not sell together, so that the price could never hold."""
    return any(
        all(name in conditions and set(conditions[name]) <= set(values) for name, values in combination.items())
        for combination in vocabulary.contradictions
    )
