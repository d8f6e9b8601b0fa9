"""Use case: a price watch. What changed since, what is about to, what became doubtful, and what that does to a quote."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from api.services.discrepancies import Asked, SourcePrice, find_discrepancies
from api.services.quoting.replaying import Answered
from catalog.price_news import PriceNews, price_news
from catalog.quotes import Quote
from catalog.snapshot import Snapshot
from catalog.watching import DatedPrice, DatedRecord, Watched
from economics.billing import STALE_AFTER_DAYS
from economics.context import format_context
from economics.money import Exact, exact, format_decimal
from economics.periods import format_instant, parse_instant
from economics.prices import PriceStatus

STALE_AFTER: Final = timedelta(days=STALE_AFTER_DAYS)
_DOUBTFUL: Final = (PriceStatus.DISPUTED, PriceStatus.SUSPECT)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a watch tells.

    Args:
        change_id: the same whenever and however often the same change is asked for.
        change: what happened, such as `price_changed`.
        noticed_at: when it became news; changes come in this order, the newest first.
        at: from when it holds, None where that is not known.
        before: decimal, as it was; None where there was nothing.
        after: decimal, as it is then.
        change_ratio: `after / before − 1`, where both are prices in one unit and currency.
        detail: in words.
    """

    change_id: str
    change: str
    noticed_at: datetime
    at: datetime | None
    provider: str | None = None
    offer: str | None = None
    price_book: str | None = None
    meter: str | None = None
    context: str | None = None
    min_input_tokens: int | None = None
    before: str | None = None
    after: str | None = None
    change_ratio: str | None = None
    per: int | None = None
    currency: str | None = None
    source: str | None = None
    detail: str = ""


def catalog_changes(watched: Watched, now: datetime, ahead: timedelta) -> list[Change]:
    """What the catalog's records tell, unordered."""
    changes = [_of_price(news) for news in price_news(watched, now, ahead, STALE_AFTER)]
    return changes + [_of_record(record, ahead) for record in watched.records]


def disputes(
    then: Snapshot, now: Snapshot, since: datetime, as_of: datetime, recorded_at: datetime
) -> Iterator[Change]:
    """Prices that imported feeds contradict now and did not then.

    Args:
        then: the catalog when the watch began.
        now: the catalog of now, `recorded_at`.
        since: the instant of `then`.
        as_of: the instant about which is asked.
        recorded_at: of the catalog of now, since when this is known at the latest.
    """
    if not now.witnessed():
        return
    known = {_thing(p) for p in find_discrepancies(then, Asked(since)) if p.status in _DOUBTFUL}
    told: set[tuple[object, ...]] = set()
    chosen: dict[tuple[object, ...], SourcePrice] = {}
    for price in find_discrepancies(now, Asked(as_of)):
        thing, row = _thing(price), price.voice.row
        if price.chosen:
            chosen[thing] = price
            continue
        contradicts = price.agreement is not None and price.agreement.status in _DOUBTFUL
        if not contradicts or thing in known or thing in told:
            continue
        told.add(thing)
        used = chosen[thing].voice
        yield Change(
            _id("disputed", *map(str, thing)),
            f"price_became_{price.status.value}",
            recorded_at,
            None,
            price.provider,
            f"{price.provider}/{price.model}",
            used.price_book,
            row.meter,
            before=format_decimal(used.row.rate),
            after=format_decimal(row.rate),
            per=row.per if row.per == used.row.per else None,
            currency=row.currency,
            source=row.provenance.source,
            detail=f"{used.row.provenance.source} says the first, the source named the second; see GET /discrepancies",
        )


@dataclass(frozen=True, slots=True)
class QuoteCosts:
    """What a quote's question is answered with.

    Args:
        recorded: as it was quoted.
        fresh: with the catalog of now, about `now`.
        coming: the same about `until`.
        now: the instant of `fresh`.
        until: that of `coming`.
        believed_since: when the catalog of now was recorded.
    """

    recorded: Answered
    fresh: Answered
    coming: Answered
    now: datetime
    until: datetime
    believed_since: datetime


def quote_effects(quote: Quote, costs: QuoteCosts) -> Iterator[Change]:
    """What each offer of a quote costs now against what was quoted, and at the end of the days ahead against now."""
    steps = (
        ("quote_cost_changed", costs.recorded, costs.fresh),
        ("quote_cost_will_change", costs.fresh, costs.coming),
    )
    for place in sorted(costs.recorded):
        for kind, one, other in steps:
            before, after = one[place].row, other[place].row
            old, new = before["cost_per_query"], after["cost_per_query"]
            if old == new:
                continue
            starts = [parse_instant(rate["valid_from"]) for rate in other[place].rates if rate["valid_from"]]
            coming = kind == "quote_cost_will_change"
            at = max((s for s in starts if not coming or s > costs.now), default=costs.until if coming else None)
            since = costs.believed_since if at is None else at - (costs.until - costs.now) if coming else at
            yield Change(
                _id(kind, quote.quote, str(place), str(old), str(new)),
                kind,
                max(quote.created_at, min(since, costs.now)),
                at,
                before["provider"],
                before["offer"],
                before["price_book"],
                "cost_per_query",
                before["context"],
                before=old,
                after=new,
                change_ratio=_ratio(old, new),
                currency=quote.currency,
                source=after["price_source"],
                detail=f"quote {quote.quote}" + ("" if after["error_code"] is None else f": {after['error_code']}"),
            )


def in_order(changes: Sequence[Change]) -> list[Change]:
    """The newest news first; what became news at once by its id."""
    unique = {change.change_id: change for change in changes}
    return sorted(unique.values(), key=lambda change: (-change.noticed_at.timestamp(), change.change_id))


def _thing(price: SourcePrice) -> tuple[object, ...]:
    return price.provider, price.model, price.currency, price.about


def _of_price(news: PriceNews) -> Change:
    shown = news.after or news.before
    assert shown is not None
    before, after = _amount(news.before), _amount(news.after)
    both = None if news.before is None or news.after is None else (news.before, news.after)
    one_unit = both is not None and both[0].price[1:] == both[1].price[1:]
    ids = [str(row.id) for row in (news.before, news.after) if row is not None]
    return Change(
        _id(news.kind, *ids),
        news.kind,
        news.noticed_at,
        news.at,
        shown.provider,
        f"{shown.provider}/{shown.model}",
        shown.price_book,
        shown.meter,
        format_context({name: "|".join(values) for name, values in shown.conditions.items()}),
        shown.min_input_tokens,
        before,
        after,
        _ratio(before, after) if one_unit else None,
        shown.per,
        shown.currency,
        shown.source,
        _words(news),
    )


def _words(news: PriceNews) -> str:
    before, after = news.before, news.after
    if "uplift" in {row.kind for row in (before, after) if row is not None}:
        return "a factor on the rates"
    if news.kind == "price_became_stale":
        assert after is not None
        return f"last checked on {after.checked_on}"
    if news.kind == "price_end_changed":
        assert after is not None
        return (
            "it holds until further notice"
            if after.valid_to is None
            else f"it ends at {format_instant(after.valid_to)}"
        )
    if news.kind == "price_rechecked":
        assert after is not None
        return "the price is the same" + ("" if after.checked_on is None else f"; checked on {after.checked_on}")
    if news.kind == "price_removed":
        assert before is not None
        return {"removed": "the source has it no more", "corrected": "taken back"}.get(before.supersession or "", "")
    if before is not None and after is not None and before.price[1:] != after.price[1:]:
        return f"before: {_amount(before)} {before.currency} per {before.per}"
    return ""


def _of_record(record: DatedRecord, ahead: timedelta) -> Change:
    coming = record.kind == "model_will_retire"
    noticed = max(record.recorded_at, record.at - ahead) if coming else max(record.recorded_at, record.at)
    offer = f"{record.provider}/{record.name}" if record.kind.startswith("model") else None
    said = ["" if record.kind.startswith(("model", "provider")) else record.name, record.detail]
    return Change(
        _id(record.kind, str(record.id), format_instant(record.at)),
        record.kind,
        noticed,
        record.at,
        record.provider,
        offer,
        detail="; ".join(part for part in said if part),
    )


def _amount(row: DatedPrice | None) -> str | None:
    return None if row is None else format_decimal(row.rate)


def _ratio(before: str | None, after: str | None) -> str | None:
    """`after / before − 1`.

    >>> _ratio("2", "2.5"), _ratio("0", "1"), _ratio(None, "1")
    ('0.25', None, None)
    """
    if before is None or after is None or not Decimal(before):
        return None
    return (exact(Decimal(after)) / exact(Decimal(before)) - Exact(Decimal(1))).to_text()


def _id(*parts: str) -> str:
    return "c-" + hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:24]
