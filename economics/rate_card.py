"""Which rate holds: all dated rows of one offer, compiled so that a question finds its rates quickly.

Selection, in this order: rows whose period holds the instant; of these, rows whose conditions equal the request's context
and whose schedule applies; of these, per meter and tier, the most specific (more conditions, then a schedule); of the
tiers, the highest whose bound the total input reaches, and within it the highest whose bound the total output reaches. One
tier per meter and request: the whole quantity is charged at it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from economics.context import Context, ResolvedContext, Vocabulary, format_context
from economics.contracts.terms import Discount
from economics.errors import PermillionError
from economics.meters import is_token_meter
from economics.money import EXACT, Exact, multiply
from economics.prices import PriceRow, Tier, Unpriced, Uplift
from economics.schedules import Schedules
from economics.selection import Unanswered, lacking, matches, satisfied, select_rows, why_not, without_uplift
from economics.timeline import EARLIEST, Timeline

_FEW_TIERS: Final = 8
_MOST_KEPT: Final = 4_096
"""Eras and rate cards kept of one offer."""


class ApplicableRate:
    """A rate as it holds for one request: the row, the rate after uplift and discounts, the exact price of a unit if finite."""

    __slots__ = ("discounts", "rate", "row", "unit_price", "uplift")

    def __init__(self, row: PriceRow, uplift: Uplift | None, discounts: tuple[Discount, ...] = ()) -> None:
        self.row = row
        self.uplift = uplift
        self.discounts = discounts
        self.rate: Decimal = row.rate if uplift is None else multiply(row.rate, uplift.factor)
        for discount in discounts:
            self.rate = multiply(self.rate, discount.factor)
        quotient = Exact(self.rate, Decimal(row.per))
        decimal = quotient.to_decimal()
        self.unit_price: Decimal | None = (
            decimal if EXACT.multiply(decimal, quotient.denominator) == self.rate else None
        )

    def cost(self, quantity: Decimal | int) -> Exact:
        """`quantity · rate / per` in the book's currency, exact."""
        amount = quantity if isinstance(quantity, Decimal) else Decimal(quantity)
        if self.unit_price is not None:
            return Exact(EXACT.multiply(amount, self.unit_price))
        return Exact(EXACT.multiply(amount, self.rate), Decimal(self.row.per))

    def per_mtok(self) -> Exact:
        """The rate per 1,000,000 units, exact."""
        return Exact(EXACT.multiply(self.rate, Decimal(1_000_000)), Decimal(self.row.per))


@dataclass(frozen=True, slots=True)
class RateCard:
    """The rates of one offer at one instant in one context, by meter, highest tier first.

    `charges_requests` says whether each request carries a fee of its own; `base_meters` are those whose rates come from
    the base of a private book, `discounted` whether discounts of a contract are in some of them.
    """

    rates: Mapping[str, tuple[ApplicableRate, ...]]
    charges_requests: bool
    explain: Callable[[str], PermillionError]
    base_meters: frozenset[str] = frozenset()
    discounted: bool = False
    plans: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False, repr=False)
    """Kept by `economics.plans`."""
    tier_bounds: Sequence[int] = field(init=False, compare=False, repr=False)
    """Input tokens from which on, counted in whole ones, other rates hold than below."""
    has_minimum: bool = field(init=False, compare=False, repr=False)
    """Whether some rate is charged for a least quantity a request."""
    has_output_tier: bool = field(init=False, compare=False, repr=False)
    """Whether some rate depends on the length of the answer."""

    def __post_init__(self) -> None:
        rows = [rate.row for rates in self.rates.values() for rate in rates]
        tiers = [row.tier for row in rows]
        starts = {t.min_input_tokens + (not t.min_inclusive) for t in tiers if t.min_input_tokens is not None}
        ends = {t.max_input_tokens + 1 for t in tiers if t.max_input_tokens is not None}
        object.__setattr__(self, "tier_bounds", sorted(starts | ends))
        object.__setattr__(self, "has_minimum", any(row.min_quantity is not None for row in rows))
        object.__setattr__(self, "has_output_tier", any(tier.min_output_tokens is not None for tier in tiers))

    def find(self, meter: str, input_tokens: Decimal | int, output_tokens: Decimal | int = 0) -> ApplicableRate | None:
        """The rate of `meter` for a request with that much total input and output, or None.

        Beyond the upper bound of the highest tier reached nothing is sold: no lower tier answers for it.
        """
        rates = self.rates.get(meter, ())
        for rate in rates if len(rates) <= _FEW_TIERS else rates[_first_reached(rates, input_tokens) :]:
            tier = rate.row.tier
            if tier.min_input_tokens is None or tier.reached(input_tokens):
                if tier.min_output_tokens is not None:
                    found = _by_output(rates, tier, output_tokens)
                    return found if found is not None and found.row.tier.holds(input_tokens) else None
                most = tier.max_input_tokens
                return rate if most is None or input_tokens <= most else None
        return None

    def with_base(self, base: RateCard) -> RateCard:
        """This card, with the rates of `base` for the meters it has none for, if both are in one currency."""
        currencies = {rate.row.currency for card in (self, base) for rates in card.rates.values() for rate in rates}
        missing = frozenset(base.rates) - frozenset(self.rates)
        if not missing or len(currencies) > 1:
            return self
        return RateCard(
            {**base.rates, **self.rates},
            self.charges_requests or base.charges_requests,
            base.explain,
            missing,
        )


def _first_reached(rates: Sequence[ApplicableRate], input_tokens: Decimal | int) -> int:
    """Position of the highest tier that the input reaches: a book of ten thousand tiers is not walked through."""
    return bisect_left(rates, True, key=lambda rate: rate.row.tier.reached(input_tokens))


class OfferPrices:
    """Every believed row of one offer in one book.

    Args:
        rows: price rows, any order; of one slot no two may overlap in time.
        uplifts: factors of this offer.
        vocabulary: the provider's context keys.
        schedules: by the name rows use.
        unpriced: contexts in which the model is sold at a price nobody states.
    """

    def __init__(
        self,
        rows: Iterable[PriceRow],
        uplifts: Iterable[Uplift],
        vocabulary: Vocabulary,
        schedules: Schedules,
        unpriced: Iterable[Unpriced] = (),
    ) -> None:
        self.rows: Sequence[PriceRow] = tuple(rows)
        self.uplifts: Sequence[Uplift] = tuple(uplifts)
        self.vocabulary = vocabulary
        self._schedules = schedules
        self._unpriced = tuple(unpriced)
        periods = [row.period for row in self.rows] + [uplift.period for uplift in self.uplifts]
        periods += [gap.period for gap in self._unpriced]
        bounds = {bound for p in periods for bound in (p.valid_from, p.valid_to) if bound is not None}
        self._bounds: list[datetime] = sorted(bounds)
        self._cards: dict[tuple[int, str, frozenset[str]], RateCard] = {}
        self._rows_in_time = Timeline(self.rows)
        self._uplifts_in_time = Timeline(self.uplifts)
        self._eras: dict[int, tuple[Sequence[PriceRow], Sequence[Uplift], tuple[str, ...]]] = {}
        self._token_meter_sold = any(is_token_meter(row.meter) for row in self.rows)

    def rate_card(self, as_of: datetime, context: Context) -> RateCard:
        """The rates in force.

        Args:
            as_of: the instant the usage happens.
            context: resolved by the vocabulary.

        Raises:
            PermillionError: `missing-price` where nothing is known for the instant (naming the first known one),
                `not-offered` where the model is not sold in the requested mode.
        """
        era = bisect_right(self._bounds, as_of)
        rows, uplifts, schedule_names = self._era(era)
        on = (
            frozenset(name for name in schedule_names if self._schedules[name].applies(as_of))
            if schedule_names
            else _NONE
        )
        text = context.text if isinstance(context, ResolvedContext) else format_context(context)
        key = (era, text, on)
        card = self._cards.get(key)
        if card is None:
            card = self._build(era, rows, uplifts, context, on)
            if len(self._cards) >= _MOST_KEPT:
                self._cards.clear()
            self._cards[key] = card
        return card

    def _era(self, era: int) -> tuple[Sequence[PriceRow], Sequence[Uplift], tuple[str, ...]]:
        found = self._eras.get(era)
        if found is None:
            inside = self._bounds[era - 1] if era else EARLIEST
            rows, uplifts = self._rows_in_time.at(inside), self._uplifts_in_time.at(inside)
            if len(self._eras) >= _MOST_KEPT:
                self._eras.clear()
            schedules = tuple(sorted({row.schedule for row in rows if row.schedule is not None}))
            found = self._eras[era] = (rows, uplifts, schedules)
        return found

    def _build(
        self, era: int, rows: Sequence[PriceRow], uplifts: Sequence[Uplift], context: Context, on: frozenset[str]
    ) -> RateCard:
        defaults = self.vocabulary.defaults
        chosen = select_rows(rows, context, defaults, on)
        uplift = next((u for u in uplifts if satisfied(u.conditions, context)), None)
        plain = context if uplift is None else without_uplift(context, uplift, defaults)
        unpriced = [row for row in rows if row.meter not in chosen and is_token_meter(row.meter)]
        lifted = {} if uplift is None else select_rows(unpriced, plain, defaults, on)
        rates = {meter: tuple(ApplicableRate(row, None) for row in found) for meter, found in chosen.items()}
        rates |= {meter: tuple(ApplicableRate(row, uplift) for row in found) for meter, found in lifted.items()}
        question = Unanswered(
            self.rows,
            self.uplifts,
            rows,
            (context, plain),
            defaults,
            on,
            self._bounds[era] if era < len(self._bounds) else None,
            tuple(gap for gap in self._unpriced if gap.period.contains(self._bounds[era - 1] if era else EARLIEST)),
        )
        if not rates or (self._token_meter_sold and not any(map(is_token_meter, rates))):
            first = "input_tokens" if self._token_meter_sold or not self.rows else self.rows[0].meter
            raise why_not(first, question)
        fees = (row for row in rows if row.meter == "requests")
        return RateCard(
            rates,
            any(matches(row, context, defaults, on) or lacking(row, context, defaults, on) for row in fees),
            lambda meter: why_not(meter, question),
        )


def _by_output(rates: Sequence[ApplicableRate], reached: Tier, output_tokens: Decimal | int) -> ApplicableRate | None:
    """Of the rates in the input tier that is reached, the first whose bound the output reaches."""
    same = (rate for rate in rates if rate.row.tier.input_rank == reached.input_rank)
    return next((rate for rate in same if rate.row.tier.reached_by_output(output_tokens)), None)


_NONE: frozenset[str] = frozenset()
