"""From rows that came and went to what happened to a price: it changed, it will change, it was looked at again.

Within one change of the catalog the rows of a slot that went are held against those that came. A row that came is news of a
new price if the price it follows is another one; the same price with another end or another day of checking is no new price.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from catalog.watching import DatedPrice, Watched

PriceNewsKind = Literal[
    "price_added", "price_changed", "price_removed", "price_rechecked", "price_end_changed", "price_will_change",
    "price_will_end", "price_will_start", "price_became_stale", "price_became_disputed", "price_became_suspect",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class PriceNews:
    """One thing that happened, or will, to one price.

    Args:
        kind: what.
        at: from when it holds: the start of the new price, the end of the old one; None for an unknown start.
        noticed_at: when it became news: recorded, passed its age, or came within the days ahead.
        before: the row before, None where there was none.
        after: the row after, None where there is none.
    """

    kind: PriceNewsKind
    at: datetime | None
    noticed_at: datetime
    before: DatedPrice | None
    after: DatedPrice | None


def price_news(watched: Watched, now: datetime, ahead: timedelta, stale_after: timedelta) -> Iterator[PriceNews]:
    """Everything that happened to prices since the watch began, and what will within the days ahead."""
    yield from _recorded(watched)
    yield from _coming(watched.bounds, now, ahead)
    for row in watched.aging:
        assert row.checked_on is not None
        passed = datetime(row.checked_on.year, row.checked_on.month, row.checked_on.day, tzinfo=UTC)
        passed += stale_after + timedelta(days=1)
        yield PriceNews("price_became_stale", passed, max(passed, row.recorded_at), None, row)


def _recorded(watched: Watched) -> Iterator[PriceNews]:
    since = watched.since.recorded_at
    came: defaultdict[tuple[object, ...], list[DatedPrice]] = defaultdict(list)
    went: defaultdict[tuple[object, ...], list[DatedPrice]] = defaultdict(list)
    for row in watched.moved:
        if row.recorded_at > since:
            came[*row.place, row.recorded_at].append(row)
        if row.superseded_at is not None and row.superseded_at > since:
            went[*row.place, row.superseded_at].append(row)
    earlier: defaultdict[tuple[str, str, str, str], list[DatedPrice]] = defaultdict(list)
    for row in watched.before:
        earlier[row.place].append(row)
    for key in dict.fromkeys((*came, *went)):
        rows = sorted(came.get(key, ()), key=_start)
        old = sorted(went.get(key, ()), key=_start)
        for row in rows:
            yield from _of_new_row(row, old, [*rows, *earlier[row.place]])
        if not rows:
            for gone in old:
                assert gone.superseded_at is not None
                yield PriceNews("price_removed", gone.superseded_at, gone.superseded_at, gone, None)


def _of_new_row(row: DatedPrice, old: Sequence[DatedPrice], others: Sequence[DatedPrice]) -> Iterator[PriceNews]:
    same = next((o for o in old if o.price == row.price and o.valid_from == row.valid_from), None)
    if same is not None:
        kind: PriceNewsKind = "price_rechecked" if same.valid_to == row.valid_to else "price_end_changed"
        yield PriceNews(
            kind, row.valid_to if kind == "price_end_changed" else row.valid_from, row.recorded_at, same, row
        )
    else:
        followed = (o for o in others if o.valid_to is not None and o.valid_to == row.valid_from and o is not row)
        before = next(followed, None) or _holding(row, old)
        if before is None:
            yield PriceNews("price_added", row.valid_from, row.recorded_at, None, row)
        elif before.price != row.price:
            yield PriceNews("price_changed", row.valid_from, row.recorded_at, before, row)
        else:
            yield PriceNews("price_rechecked", row.valid_from, row.recorded_at, before, row)
    if row.status in ("disputed", "suspect") and (same is None or same.status != row.status):
        yield PriceNews(
            "price_became_disputed" if row.status == "disputed" else "price_became_suspect",
            row.valid_from, row.recorded_at, same, row,
        )  # fmt: skip


def _holding(row: DatedPrice, old: Sequence[DatedPrice]) -> DatedPrice | None:
    """The former row that held when `row` begins, or was the first to hold after it."""
    start = _start(row)
    held = [o for o in old if _start(o) <= start and (o.valid_to is None or o.valid_to > start)]
    later = [o for o in old if _start(o) > start and (row.valid_to is None or _start(o) < row.valid_to)]
    return next(iter((*held, *later)), None)


def _coming(bounds: Iterable[DatedPrice], now: datetime, ahead: timedelta) -> Iterator[PriceNews]:
    """Prices that begin or end within the days ahead; one that ends where another begins is a change."""
    until = now + ahead
    ends: dict[tuple[object, ...], DatedPrice] = {}
    starts: dict[tuple[object, ...], DatedPrice] = {}
    for row in bounds:
        if row.valid_to is not None and now < row.valid_to <= until:
            ends[*row.place, row.valid_to] = row
        if row.valid_from is not None and now < row.valid_from <= until:
            starts[*row.place, row.valid_from] = row
    for key in dict.fromkeys((*ends, *starts)):
        before, after = ends.get(key), starts.get(key)
        at = after.valid_from if after is not None else before.valid_to if before is not None else None
        assert at is not None
        if before is not None and after is not None and before.price == after.price:
            continue
        known = max(row.recorded_at for row in (before, after) if row is not None)
        kind: PriceNewsKind = (
            "price_will_start" if before is None else "price_will_end" if after is None else "price_will_change"
        )
        yield PriceNews(kind, at, max(known, at - ahead), before, after)


def _start(row: DatedPrice) -> datetime:
    return row.valid_from or datetime.min.replace(tzinfo=UTC)
