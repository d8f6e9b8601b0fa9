"""Short ways to write down an offer as a vendor's table has it, and to ask what a usage costs under it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal

import pytest

from economics.billing import Bill, bill
from economics.context import ContextKey, Vocabulary
from economics.errors import PermillionError
from economics.periods import Period, parse_instant
from economics.prices import Conditions, PriceRow, PriceStatus, Provenance, SearchUnit, Tier, Uplift
from economics.rate_card import OfferPrices, RateCard
from economics.schedules import Schedule

NOON = "2026-11-30T12:00:00Z"
SOURCE = Provenance("vendor page", date(2026, 10, 14))
PROCESSING = ContextKey(("standard", "batch"), "standard")
TIERS = ContextKey(("standard", "flex", "priority"), "standard", {"fast": "priority"})
VOCABULARY = Vocabulary(
    {
        "processing": PROCESSING,
        "service_tier": TIERS,
        "speed": ContextKey(("standard", "fast"), "standard"),
        "data_residency": ContextKey(("global", "us", "eu"), "global"),
        "inference_geo": ContextKey(("global", "us"), "global"),
        "deployment": ContextKey(("global", "data_zone", "regional"), "global"),
        "zone": ContextKey(("us", "eu", "apac")),
        "thinking_mode": ContextKey(("true", "false")),
        "search_context": ContextKey(("low", "medium", "high")),
        "cache_kind": ContextKey(("explicit", "implicit"), "explicit"),
    },
    ({"processing": ("batch",), "service_tier": ("flex", "priority")}, {"processing": ("batch",), "speed": ("fast",)}),
)
_PER = {
    "requests": 1_000,
    "web_searches": 1_000,
    "pages": 1_000,
    "file_searches": 1_000,
    "audio_seconds": 3_600,
    "images": 1,
}


def period(start: str | None = None, end: str | None = None) -> Period:
    """`[start, end)` from texts."""
    return Period(None if start is None else parse_instant(start), None if end is None else parse_instant(end))


def price(
    meter: str,
    rate: str,
    *,
    when: Mapping[str, str | tuple[str, ...]] | None = None,
    above: int | None = None,
    at_least: int | None = None,
    up_to: int | None = None,
    start: str | None = None,
    end: str | None = None,
    schedule: str | None = None,
    per: int | None = None,
    unit: SearchUnit | None = None,
    currency: str = "USD",
    source: str = "vendor page",
    checked: date | None = date(2026, 10, 14),
    status: PriceStatus = PriceStatus.OK,
    start_known: bool = True,
    tax_included: bool | None = None,
    tax_rate: str | None = None,
    least: str | None = None,
    output_at_least: int | None = None,
) -> PriceRow:
    """One rate, per the denominator vendors publish it with (a million tokens, an hour, a thousand calls)."""
    return PriceRow(
        meter=meter,
        rate=Decimal(rate),
        per=per or _PER.get(meter, 1_000_000),
        currency=currency,
        provenance=Provenance(source, checked, status),
        conditions=conditions(when or {}),
        tier=Tier(
            above if at_least is None else at_least,
            at_least is not None,
            up_to,
            output_at_least,
            output_at_least is not None,
        ),
        schedule=schedule,
        period=period(start, end),
        start_known=start_known,
        tax_included=tax_included,
        tax_rate=None if tax_rate is None else Decimal(tax_rate),
        search_unit=unit,
        min_quantity=None if least is None else Decimal(least),
    )


def sheet(
    read: str | None = None,
    write: str | None = None,
    write_1h: str | None = None,
    *,
    inp: str,
    out: str | None = None,
    when: Mapping[str, str | tuple[str, ...]] | None = None,
    above: int | None = None,
    at_least: int | None = None,
    up_to: int | None = None,
    start: str | None = None,
    end: str | None = None,
    schedule: str | None = None,
) -> list[PriceRow]:
    """A line of a vendor's table: input, cached input, cache writes, output."""
    rates = {
        "input_tokens": inp,
        "cache_read_tokens": read,
        "cache_write_tokens": write,
        "cache_write_1h_tokens": write_1h,
        "output_tokens": out,
    }
    return [
        price(
            meter, rate, when=when, above=above, at_least=at_least, up_to=up_to, start=start, end=end, schedule=schedule
        )
        for meter, rate in rates.items()
        if rate is not None
    ]


def conditions(when: Mapping[str, str | tuple[str, ...]]) -> Conditions:
    """A single value stands for a tuple of one."""
    return {name: (value,) if isinstance(value, str) else value for name, value in when.items()}


def uplift(factor: str, start: str | None = None, end: str | None = None, **when: str | tuple[str, ...]) -> Uplift:
    """A factor under a context."""
    return Uplift(Decimal(factor), conditions(when), SOURCE, period(start, end))


def offer(
    rows: Sequence[PriceRow],
    *uplifts: Uplift,
    vocabulary: Vocabulary = VOCABULARY,
    schedules: Sequence[Schedule] = (),
) -> OfferPrices:
    """One model in one book."""
    return OfferPrices(rows, uplifts, vocabulary, {schedule.name: schedule for schedule in schedules})


def card(prices: OfferPrices, as_of: str = NOON, **context: str) -> RateCard:
    """The rates in force."""
    return prices.rate_card(parse_instant(as_of), prices.vocabulary.resolve(context))


def billed(
    prices: OfferPrices,
    usage: Mapping[str, int | Decimal],
    as_of: str = NOON,
    queries: Sequence[str] | None = None,
    **context: str,
) -> Bill:
    """The bill of a usage."""
    return bill(card(prices, as_of, **context), usage, queries)


def cost(
    prices: OfferPrices,
    usage: Mapping[str, int | Decimal],
    as_of: str = NOON,
    queries: Sequence[str] | None = None,
    **context: str,
) -> str:
    """The total as answers print it."""
    return billed(prices, usage, as_of, queries, **context).total.to_text()


@contextmanager
def refused(slug: str, says: str = "") -> Iterator[None]:
    """The question is refused with that problem, and the detail contains `says`."""
    with pytest.raises(PermillionError) as caught:
        yield
    assert (caught.value.slug, says in caught.value.detail) == (slug, True), caught.value.detail
