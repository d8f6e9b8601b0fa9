"""What sources say of one price, side by side, and what that does to its status.

The price answered is the one of the book that was asked for. What imported feeds say beside it never changes the price, only
its status. A feed speaks for an instant if it was checked within 90 days before it and not before the price in force began:
what was right in July says nothing against a price of August.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Final

from catalog.snapshot import Witnesses
from economics.agreement import Agreement, compare_prices, worst
from economics.billing import STALE_AFTER_DAYS, Standing, standing
from economics.prices import PriceRow
from economics.rate_card import ApplicableRate
from providers.sheet import Source

RANKS: Final = {"vendor_page": 0, "vendor_api": 0, "note": 1, "package": 2, "third_party": 3}
"""Kinds of source, the best first: the vendor, a reviewed note, a curated collection, an aggregator."""


@dataclass(frozen=True, slots=True)
class Voice:
    """One source's price, why it does not count at the instant asked about ("" where it does), and whether it is the list's."""

    price_book: str
    row: PriceRow
    source: Source | None
    silent: str = ""
    listed: bool = False

    @property
    def rank(self) -> tuple[int, int]:
        """Order in which one is chosen: the better kind of source first, of equal ones the fresher."""
        kind = "third_party" if self.source is None else self.source.kind
        checked = self.row.provenance.checked_on
        return RANKS[kind], -(checked or date.min).toordinal()

    @property
    def upstream(self) -> str:
        """Whose figures these are: the source's lineage, else its own name without version or date."""
        title = self.row.provenance.source if self.source is None else self.source.title
        lineage = None if self.source is None else self.source.lineage
        return lineage or title.replace(",", " ").split()[0].casefold()


def why_silent(row: PriceRow, against: PriceRow, as_of: datetime) -> str:
    """Why a feed's `row` says nothing about the price `against` at `as_of`, or "".

    Returns:
        `not_in_force`, `unchecked`, `stale` (more than 90 days old), `older_than_price` (checked before that price began).
    """
    checked, start = row.provenance.checked_on, against.period.valid_from
    if not row.period.contains(as_of):
        return "not_in_force"
    if checked is None:
        return "unchecked"
    if (as_of.astimezone(UTC).date() - checked).days > STALE_AFTER_DAYS:
        return "stale"
    if start is not None and against.start_known and checked < start.astimezone(UTC).date():
        return "older_than_price"
    return ""


def standing_of(rates: Sequence[ApplicableRate], witnesses: Witnesses, as_of: datetime) -> Standing:
    """How far the rates of a bill can be relied on: as `economics.billing.standing`, worsened by feeds that contradict one."""
    stands = standing(rates, as_of)
    if not witnesses:
        return stands
    against = [
        status
        for rate in rates
        for witness, status in witnesses.against(rate.row)
        if not why_silent(witness.row, rate.row, as_of)
    ]
    if not against:
        return stands
    status = worst([stands.status, *against])
    return stands if status is stands.status else replace(stands, status=status)


def compare_voices(voices: Sequence[Voice]) -> list[tuple[Voice, Agreement | None]]:
    """The voices, the chosen one first, each with how it stands to the chosen one (None for one that is silent)."""
    listed = {voice.upstream for voice in voices if voice.listed}
    order = sorted(
        voices,
        # a collection that the list was taken from says nothing new: the list's reading of it comes first
        key=lambda voice: (
            bool(voice.silent),
            voice.upstream in listed and not voice.listed,
            voice.rank,
            voice.price_book,
        ),
    )
    chosen = order[0].row
    return [(voice, None if voice.silent else compare_prices(chosen, voice.row)) for voice in order]
