"""Which rate holds: all dated rows of one offer, compiled so that a question finds its rates quickly.

Selection, in this order: rows whose period holds the instant; of these, rows whose conditions equal the request's context
and whose schedule applies; of these, per meter and tier, the most specific (more conditions, then a schedule); of the
tiers, the highest whose bound the total input reaches, and within it the highest whose bound the total output reaches. One
tier per meter and request: the whole quantity is charged at it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from economics.context import Context, Vocabulary, format_context
from economics.errors import PermillionError
from economics.meters import is_token_meter
from economics.money import EXACT, Exact, multiply
from economics.prices import PriceRow, Tier, Unpriced, Uplift
from economics.schedules import Schedules
from economics.selection import Unanswered, lacking, matches, satisfied, select_rows, why_not, without_uplift

_EPOCH = datetime(1, 1, 1, tzinfo=UTC)


class ApplicableRate:
    """A rate as it holds for one request: the row, the rate after uplift, and the exact price of one unit if finite."""

    __slots__ = ("factor", "rate", "row", "unit_price", "uplift")

    def __init__(self, row: PriceRow, uplift: Uplift | None) -> None:
        self.row = row
        self.uplift = uplift
        self.rate: Decimal = row.rate if uplift is None else multiply(row.rate, uplift.factor)
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
    the base of a private book.
    """

    rates: Mapping[str, tuple[ApplicableRate, ...]]
    charges_requests: bool
    explain: Callable[[str], PermillionError]
    base_meters: frozenset[str] = frozenset()
    has_minimum: bool = field(init=False)
    """Whether some rate is charged for a least quantity a request."""

    def __post_init__(self) -> None:
        least = any(rate.row.min_quantity is not None for rates in self.rates.values() for rate in rates)
        object.__setattr__(self, "has_minimum", least)

    def find(self, meter: str, input_tokens: Decimal | int, output_tokens: Decimal | int = 0) -> ApplicableRate | None:
        """The rate of `meter` for a request with that much total input and output, or None.

        Beyond the upper bound of the highest tier reached nothing is sold: no lower tier answers for it.
        """
        rates = self.rates.get(meter, ())
        for rate in rates:
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
        self._eras: dict[int, tuple[tuple[PriceRow, ...], tuple[Uplift, ...], tuple[str, ...]]] = {}

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
        key = (era, format_context(context), on)
        card = self._cards.get(key)
        if card is None:
            card = self._build(era, rows, uplifts, context, on)
            if len(self._cards) >= 4_096:
                self._cards.clear()
            self._cards[key] = card
        return card

    def _era(self, era: int) -> tuple[tuple[PriceRow, ...], tuple[Uplift, ...], tuple[str, ...]]:
        found = self._eras.get(era)
        if found is None:
            inside = self._bounds[era - 1] if era else _EPOCH
            rows = tuple(row for row in self.rows if row.period.contains(inside))
            uplifts = tuple(uplift for uplift in self.uplifts if uplift.period.contains(inside))
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
        below = select_rows(rows, plain, defaults, on) if uplift is not None else {}
        lifted = {meter: found for meter, found in below.items() if meter not in chosen and is_token_meter(meter)}
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
            tuple(gap for gap in self._unpriced if gap.period.contains(self._bounds[era - 1] if era else _EPOCH)),
        )
        sells_tokens = any(is_token_meter(row.meter) for row in self.rows)
        if not rates or (sells_tokens and not any(map(is_token_meter, rates))):
            first = next((row.meter for row in self.rows if not sells_tokens), "input_tokens")
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
