"""What can be wrong with a sheet although it can be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from economics.meters import METERS
from economics.prices import PriceRow, Uplift
from providers.content import OfferRow, ProviderContent

_BATCH = ("batch",)


def check_content(content: ProviderContent) -> list[str]:
    """Findings in words, each naming provider, model and meter; empty for a sound sheet.

    Looked for: rows of one slot that overlap in time, child meters whose parent has no price, batch prices that are not
    below the standard price, conditions on values the vocabulary does not have.
    """
    by_offer: dict[tuple[str, str], list[OfferRow]] = defaultdict(list)
    for row in content.rows:
        by_offer[row.book, row.model].append(row)
    findings: list[str] = []
    for (book, model), rows in by_offer.items():
        where = f"{content.provider}/{model}@{book}"
        findings += [f"{where}: {what}" for what in _of_offer(rows, content)]
    return findings


def _of_offer(rows: list[OfferRow], content: ProviderContent) -> Iterator[str]:
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
    for row in prices:
        low, high = row.tier.min_input_tokens, row.tier.max_input_tokens
        if low is not None and high is not None and high < low + (not row.tier.min_inclusive):
            yield f"{row.meter}: no prompt is beyond {low} and at most {high} tokens long"


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
