"""Which input moves the margin most: each in turn lowered and raised by the same share, all others as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Final

from economics.margins.case import NOTHING, WHOLE, MarginCase
from economics.margins.statement import statement_of
from economics.money import Exact, exact

DEFAULT_SWING: Final = exact(Decimal("0.1"))
_NOT_MOVED: Final = ("lines", "accepted_share")
_TOKENS: Final = ("uncached_input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
_SHARES: Final = frozenset({"batch_share", "retry_share", "model_discount_share", "payment_fee_share"})


@dataclass(frozen=True, slots=True)
class Swing:
    """What one input does to the gross margin.

    Attributes:
        name: field of the case, or `offer.` and the meter of an offer's cost.
        value, low_value, high_value: as stated, lowered and raised; a share is raised to 1 at most.
        margin_at_low, margin_at_high: gross margin ratio at those; None where revenue is 0 there.
        swing: the distance between them, in points of the ratio (0.01 is one percentage point).
    """

    name: str
    value: Exact
    low_value: Exact
    high_value: Exact
    margin_at_low: Exact | None
    margin_at_high: Exact | None
    swing: Exact


def sensitivity_of(case: MarginCase, swing: Exact = DEFAULT_SWING) -> Sequence[Swing]:
    """The inputs by what they move, greatest first, equal ones by name; empty where there is no margin to move.

    Formula: `swing_x = |margin(x·(1 + s)) − margin(x·(1 − s))|`, exactly. Inputs that are 0 or do not move the margin are left out:
    0 ± 10 % is 0. With an offer the costs of its meters are moved and the counts are not: the cost of another count is another bill.

    Args:
        swing: s, 0–1.

    Worked number (0.02 of revenue on 0.0143875 of cost, ± 10 %): the price moves the margin from 20.07 % to 34.60 %, 14.53
    points; the cost from 35.26 % to 20.87 %, 14.39 points.

    >>> case = MarginCase(price_per_query=exact(Decimal("0.02")), model_cost_per_query=exact(Decimal("0.0143875")))
    >>> [(found.name, found.swing.to_text()[:7]) for found in sensitivity_of(case)][:2]
    [('price_per_query', '0.14532'), ('model_cost_per_query', '0.14387')]
    """
    if not statement_of(case).revenue:
        return []
    found = [moved for moved in _moved(case, WHOLE - swing, WHOLE + swing) if moved.swing]
    return sorted(found, key=lambda moved: (_Descending(moved.swing), moved.name))


@dataclass(frozen=True, slots=True)
class _Descending:
    value: Exact

    def __lt__(self, other: _Descending) -> bool:
        return other.value < self.value


def _moved(case: MarginCase, down: Exact, up: Exact) -> Iterator[Swing]:
    for field in fields(case):
        value = getattr(case, field.name)
        if field.name in _NOT_MOVED or not value:
            continue
        if case.lines and field.name in _TOKENS:
            continue  # an offer's cost would not follow them, and another count may be another tier
        low, high = value * down, value * up
        if field.name in _SHARES and high > WHOLE:
            high = WHOLE
        yield _swing(field.name, value, low, high, *(replace(case, **{field.name: moved}) for moved in (low, high)))
    for place, line in enumerate(case.lines):
        if not line.standard:
            continue
        cases = []
        for factor in (down, up):
            moved = replace(line, standard=line.standard * factor, batch=line.batch * factor)
            cases.append(replace(case, lines=(*case.lines[:place], moved, *case.lines[place + 1 :])))
        cost = line.standard
        yield _swing(f"offer.{line.meter}", cost, cost * down, cost * up, cases[0], cases[1])


def _swing(name: str, value: Exact, low: Exact, high: Exact, lowered: MarginCase, raised: MarginCase) -> Swing:
    at_low, at_high = statement_of(lowered).gross_margin_ratio, statement_of(raised).gross_margin_ratio
    distance = NOTHING if at_low is None or at_high is None else at_high - at_low
    return Swing(name, value, low, high, at_low, at_high, -distance if distance < NOTHING else distance)
