"""The prices behind a figure, as a quote keeps them: meter, rate, since when, from which source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api.services.comparing.compare import ComparedOffer
from economics.money import format_decimal
from economics.periods import format_instant
from economics.rate_card import ApplicableRate

Rate = Mapping[str, Any]


def rates_of(offer: ComparedOffer) -> list[Rate]:
    """The rates that an offer was priced at, each once, in the order of their slots; none where it has no price."""
    if offer.overall is None:
        return []
    assert offer.prospect.resolved is not None
    sold = offer.prospect.resolved.offer
    own = {id(row) for row in sold.prices.rows} if sold.book.kind == "private" else set()
    found = {rate.row.slot: _rate(rate, id(rate.row) not in own) for rate in offer.overall.rates}
    return [found[slot] for slot in sorted(found)]


def _rate(rate: ApplicableRate, listed: bool) -> Rate:
    row = rate.row
    checked, start, end = row.provenance.checked_on, row.period.valid_from, row.period.valid_to
    return {
        "meter": row.meter,
        "slot": row.slot,
        "rate": format_decimal(rate.rate),
        "per": row.per,
        "currency": row.currency,
        "valid_from": None if start is None else format_instant(start),
        "valid_to": None if end is None else format_instant(end),
        "source": row.provenance.source,
        "checked_on": None if checked is None else checked.isoformat(),
        "status": row.provenance.status.value,
        "listed": listed,
    }


def changed_rates(before: Sequence[Rate], after: Sequence[Rate]) -> list[tuple[Rate | None, Rate | None]]:
    """The rates that differ, old and new; a rate of a meter that left its slot is held against the new one of that meter.

    >>> old = {"slot": "a", "meter": "input_tokens", "rate": "2", "per": 1, "currency": "USD"}
    >>> changed_rates([old], [{**old, "rate": "3"}])[0][1]["rate"], changed_rates([old], [old])
    ('3', [])
    """
    new = {str(rate["slot"]): rate for rate in after}
    lost = [rate for rate in before if rate["slot"] not in new]
    gained = [rate for rate in after if rate["slot"] not in {old["slot"] for old in before}]
    found: list[tuple[Rate | None, Rate | None]] = [
        (old, new[old["slot"]]) for old in before if old["slot"] in new and _price(old) != _price(new[old["slot"]])
    ]
    for old in lost:
        match = next((rate for rate in gained if rate["meter"] == old["meter"]), None)
        if match is not None:
            gained.remove(match)
        if match is None or _price(old) != _price(match):
            found.append((old, match))
    return found + [(None, rate) for rate in gained]


def _price(rate: Rate) -> tuple[Any, ...]:
    return rate["rate"], rate["per"], rate["currency"]
