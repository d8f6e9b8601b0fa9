"""Between the flat rows of the naive oracle and the values of `economics`, in both directions; it decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from economics.billing import Bill, bill
from economics.context import ContextKey, Vocabulary
from economics.money import Exact
from economics.periods import Period
from economics.prices import PriceRow, Provenance, SearchUnit, Tier, Unpriced, Uplift
from economics.rate_card import OfferPrices
from economics.schedules import Schedule
from providers.content import ProviderContent, unpriced_in
from providers.registry import all_providers
from tests.oracle.naive import NaiveFactor, NaiveGap, NaiveHours, NaiveKey, NaiveRow, NaiveSeller

SOURCE = Provenance("test", date(2026, 11, 30))


@dataclass
class Offer:
    """One offer, as both sides see it."""

    name: tuple[str, str, str]
    rows: list[NaiveRow]
    factors: list[NaiveFactor]
    seller: NaiveSeller
    prices: OfferPrices
    gaps: list[NaiveGap]


def as_fraction(value: Exact) -> Fraction:
    """An engine's amount as a fraction."""
    return Fraction(value.numerator) / Fraction(value.denominator)


def ask_engine(
    prices: OfferPrices,
    context: Mapping[str, str],
    as_of: datetime,
    usage: Mapping[str, Decimal | int],
    queries: Sequence[str] | None = None,
    served: Mapping[str, str] | None = None,
) -> Bill:
    """The engine's bill, from the contexts as a caller writes them."""
    vocabulary = prices.vocabulary
    billed = vocabulary.served(context, served)[0] if served else vocabulary.resolve(context)
    return bill(prices.rate_card(as_of, billed), usage, queries)


def shipped_offers() -> list[Offer]:
    """Every offer of every provider whose sheet is there, in the order of the sheets."""
    return [offer for provider in all_providers() for offer in _offers(provider.content())]


def _offers(content: ProviderContent) -> Iterator[Offer]:
    seller = seller_of(content.vocabulary, content.schedules)
    grouped: dict[tuple[str, str], list[PriceRow | Uplift]] = {}
    for listed in content.rows:
        grouped.setdefault((listed.book, listed.model), []).append(listed.row)
    for (book, model), listed_rows in grouped.items():
        name = (content.provider, model, book)
        rows = [row for row in listed_rows if isinstance(row, PriceRow)]
        uplifts = [row for row in listed_rows if isinstance(row, Uplift)]
        unpriced = unpriced_in(content.models[model].unpriced, book, content.sources)
        yield Offer(
            name,
            [_naive_row(name, row) for row in rows],
            [_naive_factor(name, uplift) for uplift in uplifts],
            seller,
            OfferPrices(rows, uplifts, content.vocabulary, content.schedules, unpriced),
            [
                NaiveGap(when=gap.conditions, valid_from=gap.period.valid_from, valid_to=gap.period.valid_to)
                for gap in unpriced
            ],
        )


def seller_of(vocabulary: Vocabulary, schedules: Mapping[str, Schedule]) -> NaiveSeller:
    """A provider's vocabulary and schedules for the oracle."""
    return NaiveSeller(
        {
            n: NaiveKey(values=k.values, default=k.default, synonyms=k.synonyms, undecided=k.undecided)
            for n, k in vocabulary.keys.items()
        },
        vocabulary.contradictions,
        {
            name: NaiveHours(
                timezone=schedule.timezone,
                windows=schedule.windows,
                weekdays=schedule.weekdays,
                days_off=sorted(day.isoformat() for day in schedule.days_off),
            )
            for name, schedule in schedules.items()
        },
    )


def _naive_row(name: tuple[str, str, str], row: PriceRow) -> NaiveRow:
    provider, model, book = name
    return NaiveRow(
        provider=provider,
        model=model,
        book=book,
        meter=row.meter,
        rate=Fraction(row.rate),
        per=row.per,
        currency=row.currency,
        when=row.conditions,
        min_input=row.tier.min_input_tokens,
        min_inclusive=row.tier.min_inclusive,
        max_input=row.tier.max_input_tokens,
        min_output=row.tier.min_output_tokens,
        output_inclusive=row.tier.output_inclusive,
        schedule=row.schedule,
        valid_from=row.period.valid_from,
        valid_to=row.period.valid_to,
        search_unit=None if row.search_unit is None else row.search_unit.value,
        least=None if row.min_quantity is None else Fraction(row.min_quantity),
    )


def _naive_factor(name: tuple[str, str, str], uplift: Uplift) -> NaiveFactor:
    provider, model, book = name
    return NaiveFactor(
        provider=provider,
        model=model,
        book=book,
        factor=Fraction(uplift.factor),
        when=uplift.conditions,
        valid_from=uplift.period.valid_from,
        valid_to=uplift.period.valid_to,
    )


def engine_offer(
    rows: Sequence[NaiveRow], factors: Sequence[NaiveFactor], seller: NaiveSeller, gaps: Sequence[NaiveGap] = ()
) -> OfferPrices:
    """The engine's view of the oracle's rows, all of one offer."""
    keys = {
        n: ContextKey(tuple(k["values"]), k["default"], k["synonyms"], tuple(k["undecided"]))
        for n, k in seller.keys.items()
    }
    combinations = tuple({n: tuple(v) for n, v in c.items()} for c in seller.contradictions)
    schedules = {
        name: Schedule(
            name,
            hours["timezone"],
            tuple(hours["windows"]),
            tuple(hours["weekdays"]),
            frozenset(date.fromisoformat(day) for day in hours["days_off"]),
        )
        for name, hours in seller.schedules.items()
    }
    return OfferPrices(
        [
            PriceRow(
                meter=row["meter"],
                rate=_decimal(row["rate"]),
                per=row["per"],
                currency=row["currency"],
                provenance=SOURCE,
                conditions={name: tuple(values) for name, values in row["when"].items()},
                tier=Tier(
                    row["min_input"], row["min_inclusive"], row["max_input"], row["min_output"], row["output_inclusive"]
                ),
                schedule=row["schedule"],
                period=Period(row["valid_from"], row["valid_to"]),
                search_unit=None if row["search_unit"] is None else SearchUnit(row["search_unit"]),
                min_quantity=None if row["least"] is None else _decimal(row["least"]),
            )
            for row in rows
        ],
        [
            Uplift(
                _decimal(factor["factor"]),
                {name: tuple(values) for name, values in factor["when"].items()},
                SOURCE,
                Period(factor["valid_from"], factor["valid_to"]),
            )
            for factor in factors
        ],
        Vocabulary(keys, combinations),
        schedules,
        [
            Unpriced(
                {name: tuple(values) for name, values in gap["when"].items()},
                "test",
                Period(gap["valid_from"], gap["valid_to"]),
            )
            for gap in gaps
        ],
    )


def _decimal(value: Fraction) -> Decimal:
    """A fraction whose decimal ends within 12 places, as such a decimal."""
    scaled = value * 10**12
    assert scaled.denominator == 1
    return Decimal(scaled.numerator).scaleb(-12)
