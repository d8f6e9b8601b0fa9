"""Putting a feed's rows together: what is said twice is one row, what is said in two ways is not believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from economics.prices import PriceRow
from providers.feeds.reading import FeedReading, FeedRow, Refused
from providers.sheet import Source


def gather(
    sources: Mapping[str, Source], rows: Iterable[FeedRow], refused: Iterable[Refused], entries: int
) -> FeedReading:
    """The reading of a file from what was found in it, in the order of the file.

    A row that repeats a rate inside the period of an earlier one is left out. A row that overlaps an earlier one of its
    slot in time and differs from it is refused as `overlap`. Slots of different currencies are of different books.
    """
    found: list[FeedRow] = []
    refusals = list(refused)
    kept: dict[tuple[str, str, str, str], list[FeedRow]] = {}
    for new in rows:
        slot = kept.setdefault((new.provider, new.model, new.row.currency, new.row.slot), [])
        clash = next((old for old in slot if old.row.period.overlaps(new.row.period)), None)
        if clash is None:
            slot.append(new)
            found.append(new)
        elif not _repeats(clash.row, new.row):
            detail = f"{new.row.meter}: {clash.upstream_id} has another price or period for the same usage"
            refusals.append(Refused(new.upstream_id, new.row.meter, "overlap", detail))
    return FeedReading(sources, found, refusals, entries)


def _repeats(old: PriceRow, new: PriceRow) -> bool:
    same = (old.rate, old.per, old.search_unit, old.tax_included) == (
        new.rate, new.per, new.search_unit, new.tax_included,
    )  # fmt: skip
    return same and old.period == new.period
