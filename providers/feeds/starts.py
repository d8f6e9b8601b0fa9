"""Prices that a vendor lists for each region although they are one price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from providers.feeds.reading import FeedRow


def earliest(rows: Iterable[FeedRow]) -> Iterator[FeedRow]:
    """One row for those that differ in nothing but the day on which the price began, with the first of these days.

    A global price begins where the vendor first sells at it; a region that follows later has the same price, not another.
    """
    found: dict[tuple[object, ...], FeedRow] = {}
    for new in rows:
        row = new.row
        key = (new.provider, new.model, row.slot, row.currency, row.rate, row.per, row.tier, row.period.valid_to)
        old = found.get(key)
        if old is None:
            found[key] = new
        elif _start(new) < _start(old):
            found[key] = replace(new, upstream_id=old.upstream_id)
    yield from found.values()


def _start(row: FeedRow) -> datetime:
    assert row.row.period.valid_from is not None
    return row.row.period.valid_from
