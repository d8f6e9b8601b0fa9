"""What a change really costs: the same text before and after a new price, a new model version or a new tokenizer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from api.services.comparing.compare import ComparedOffer, compare
from api.services.comparing.figures import Figures
from api.services.comparing.question import Comparison, OfferToCompare
from api.services.pricing import RowId
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from economics.money import ONE, Exact
from tokenizers_registry.counting import TokenCounter


@dataclass(frozen=True, slots=True)
class Side:
    """An offer at an instant."""

    offer: OfferToCompare
    as_of: datetime


@dataclass(frozen=True, slots=True)
class ChangeToMeasure:
    """Two sides to hold against each other, or why the caller's entry is none."""

    row_id: RowId
    before: Side | None = None
    after: Side | None = None
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class MeasuredChange:
    """Both answers and the relative changes between them, `after / before − 1`; None where a ratio does not exist.

    `cost` is what the reader pays more; it is made of `tokens` (the tokenizer) and the list prices.
    """

    asked: ChangeToMeasure
    before: ComparedOffer | None = None
    after: ComparedOffer | None = None
    cost: Exact | None = None
    input_tokens: Exact | None = None
    output_tokens: Exact | None = None
    input_price: Exact | None = None
    output_price: Exact | None = None
    error: PermillionError | None = None


async def measure_changes(
    question: Comparison, changes: Sequence[ChangeToMeasure], snapshot: Snapshot, counter: TokenCounter
) -> list[MeasuredChange]:
    """Each change on the samples of `question`, in its currency, one catalog for all."""
    measured: list[MeasuredChange] = []
    for change in changes:
        measured.append(await _measure(question, change, snapshot, counter))
        await asyncio.sleep(0)  # counts may all be known: let other requests have their turn
    return measured


async def _measure(
    question: Comparison, change: ChangeToMeasure, snapshot: Snapshot, counter: TokenCounter
) -> MeasuredChange:
    if change.error is not None or change.before is None or change.after is None:
        return MeasuredChange(change, error=change.error)
    sides = (change.before, change.after)
    before, after = [
        (await compare(replace(question, offers=[side.offer], as_of=side.as_of), snapshot, counter))[0]
        for side in sides
    ]
    if before.overall is None or after.overall is None:
        return MeasuredChange(change, before, after, error=before.error or after.error)
    old, new = before.overall, after.overall
    return MeasuredChange(
        change,
        before,
        after,
        relative_change(_cost(before, old), _cost(after, new)),
        relative_change(old.input_tokens, new.input_tokens),
        relative_change(old.output_tokens, new.output_tokens),
        relative_change(_converted(before, old.input_price_per_mtok), _converted(after, new.input_price_per_mtok)),
        relative_change(_converted(before, old.output_price_per_mtok), _converted(after, new.output_price_per_mtok)),
    )


def relative_change(before: Exact | None, after: Exact | None) -> Exact | None:
    """`after / before − 1`.

    >>> from decimal import Decimal
    >>> relative_change(Exact(Decimal("3.60")), Exact(Decimal("4.33"))).to_text()
    '0.2027777777777777777777777778'
    """
    return None if not before or after is None else after / before - Exact(ONE)


def _cost(offer: ComparedOffer, figures: Figures) -> Exact | None:
    return _converted(offer, figures.cost_per_query)


def _converted(offer: ComparedOffer, value: Exact | None) -> Exact | None:
    conversion = offer.prospect.conversion
    return value if value is None or conversion is None else value * conversion.factor
