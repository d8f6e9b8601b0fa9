"""What can be wrong with a sheet although it can be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

from economics.collisions import ambiguous_rows, contradiction, is_empty, overlapping_uplifts, reaches_into
from economics.context import Vocabulary, format_context
from economics.meters import METERS
from economics.periods import format_instant
from economics.prices import PriceRow, Unpriced, Uplift
from providers.content import Model, OfferRow, ProviderContent, unpriced_in

_BATCH = ("batch",)
_SLIP = Fraction(2, 100)


def check_content(content: ProviderContent) -> list[str]:
    """Findings in words, each naming provider, model and meter; empty for a sound sheet.

    Looked for: rows of one slot that overlap in time, equally specific rows and factors that hold together, tiers that are
    empty or reach into the next one, child meters whose parent has no price, batch prices that are not below the standard
    price, conditions that the vocabulary does not have or that contradict each other, prices that begin after the model was
    withdrawn, rates of one meter that differ by a power of ten from 100 on.
    """
    by_offer: dict[tuple[str, str], list[OfferRow]] = defaultdict(list)
    for row in content.rows:
        by_offer[row.book, row.model].append(row)
    findings: list[str] = []
    for (book, model), rows in by_offer.items():
        where = f"{content.provider}/{model}@{book}"
        findings += [f"{where}: {what}" for what in _of_offer(rows, content, content.models[model])]
        gaps = unpriced_in(content.models[model].unpriced, book, content.sources)
        findings += [f"{where}: {what}" for what in _priced_gaps(gaps, [row.row for row in rows], content.vocabulary)]
    return findings


def _of_offer(rows: list[OfferRow], content: ProviderContent, model: Model) -> Iterator[str]:
    by_slot: dict[str, list[PriceRow | Uplift]] = defaultdict(list)
    for offer_row in rows:
        by_slot[offer_row.row.slot].append(offer_row.row)
    for slot, same in by_slot.items():
        for index, row in enumerate(same):
            if any(row.period.overlaps(other.period) for other in same[:index]):
                yield f"two prices of {slot} overlap in time"
    prices = [offer_row.row for offer_row in rows if isinstance(offer_row.row, PriceRow)]
    priced = {row.meter for row in prices}
    for meter in sorted(priced):
        parent = METERS[meter].parent
        if parent is not None and parent not in priced and METERS[parent].parent not in priced:
            yield f"{meter} has a price and {parent}, of which it is a part, has none"
    yield from _dear_batch(prices)
    for offer_row in rows:
        what = offer_row.row.meter if isinstance(offer_row.row, PriceRow) else "an uplift"
        for name, values in offer_row.row.conditions.items():
            key = content.vocabulary.keys.get(name)
            if key is None or not set(values) <= set(key.values):
                yield f"{what} holds under {name}={'|'.join(values)}, which is not in the context vocabulary"
        if contradiction(offer_row.row.conditions, content.vocabulary):
            yield f"{what} holds under {_said(offer_row.row)}, which are not sold together"
    for row in prices:
        if is_empty(row.tier):
            low, high = row.tier.min_input_tokens, row.tier.max_input_tokens
            yield f"{row.meter}: no prompt is beyond {low} and at most {high} tokens long"
        start = row.period.valid_from
        if model.retired_on is not None and start is not None and start >= model.retired_on:
            yield f"a price of {row.slot} begins at {format_instant(start)}, after the model was withdrawn"
    yield from _collisions(prices, [r.row for r in rows if isinstance(r.row, Uplift)], content.vocabulary)
    yield from _slips(prices)


def _collisions(prices: list[PriceRow], uplifts: list[Uplift], vocabulary: Vocabulary) -> Iterator[str]:
    for one, other in ambiguous_rows(prices, vocabulary):
        yield f"two prices hold equally at one time: {one.slot} and {other.slot}"
    for factor, rival in overlapping_uplifts(uplifts, vocabulary):
        yield f"two factors hold at one time: {_said(factor)} and {_said(rival)}"
    for low, high in permutations(prices, 2):
        if reaches_into(low, high):
            yield f"{low.meter}: the tier up to {low.tier.max_input_tokens} reaches into the one from {high.tier.min_input_tokens}"


def _priced_gaps(gaps: list[Unpriced], rows: list[PriceRow | Uplift], vocabulary: Vocabulary) -> Iterator[str]:
    for gap in gaps:
        said = format_context({name: "|".join(values) for name, values in gap.conditions.items()})
        for name, values in gap.conditions.items():
            if name not in vocabulary.keys or not set(values) <= set(vocabulary.keys[name].values):
                yield f"a price is unknown under {said}, which is not in the context vocabulary"
        for row in rows:
            if row.period.overlaps(gap.period) and dict(row.conditions) == dict(gap.conditions):
                yield f"the price is unknown under {said}, and there is one: {row.slot}"


def _slips(prices: list[PriceRow]) -> Iterator[str]:
    """Rates per unit of one meter of which one is a hundred, thousand, … times the other, within 2 %: a unit mistaken?"""
    by_meter: dict[str, set[Fraction]] = defaultdict(set)
    for row in prices:
        if row.rate:
            by_meter[row.meter].add(Fraction(row.rate) / row.per)
    for meter, rates in by_meter.items():
        low, high = min(rates), max(rates)
        for power in range(2, 10):
            if any(
                abs(dear / cheap / 10**power - 1) <= _SLIP for cheap in rates for dear in rates if dear >= 98 * cheap
            ):
                yield f"{meter}: rates from {float(low)} to {float(high)} a unit differ by a factor of 10^{power}"


def _said(row: PriceRow | Uplift) -> str:
    return format_context({name: "|".join(values) for name, values in row.conditions.items()})


def _dear_batch(prices: list[PriceRow]) -> Iterator[str]:
    for batch in prices:
        if batch.conditions != {"processing": _BATCH} or batch.meter not in ("input_tokens", "output_tokens"):
            continue
        for standard in prices:
            if (
                not standard.conditions
                and (standard.meter, standard.tier, standard.schedule) == (batch.meter, batch.tier, batch.schedule)
                and standard.period.overlaps(batch.period)
                and batch.rate * standard.per >= standard.rate * batch.per > 0
            ):
                yield f"{batch.meter}: batch {batch.rate} is not below the standard {standard.rate}"
