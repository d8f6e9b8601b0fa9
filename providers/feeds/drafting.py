"""One entry of a feed on its way to rows: every price that is understood becomes a row, every other one a refusal."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from economics.errors import PermillionError
from economics.meters import METERS
from economics.periods import Period
from economics.prices import ALWAYS, BASE_TIER, Conditions, PriceRow, Provenance, SearchUnit, Tier
from providers.feeds.reading import FeedRow, Refused, per_usual_unit, read_number


@dataclass(frozen=True, slots=True)
class Circumstances:
    """When a price of an entry holds."""

    conditions: Conditions = field(default_factory=dict)
    tier: Tier = BASE_TIER
    period: Period = ALWAYS
    start_known: bool = True


USUAL: Final = Circumstances()


@dataclass(slots=True)
class Draft:
    """The rows and refusals of one entry.

    Args:
        provider: our name of the vendor.
        model: the vendor's own id.
        upstream_id: the feed's key of the entry.
        source: title of the source.
        checked_on: the day the rows were checked.
        note: of the entry, for every row.
        free: the feed declares zeros of the entry to be free.
    """

    provider: str
    model: str
    upstream_id: str
    source: str
    checked_on: date
    note: str = ""
    free: bool = False
    rows: list[FeedRow] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def refuse(self, where: str, reason: str, detail: str) -> None:
        """Note that something of the entry becomes no row."""
        self.refused.append(Refused(self.upstream_id, where, reason, detail))

    def price(
        self,
        meter: str,
        text: object,
        where: str,
        when: Circumstances = USUAL,
        *,
        per_one: bool = False,
        search_unit: SearchUnit | None = None,
    ) -> None:
        """A row of what the feed says at `where`; a refusal where that is no price.

        Args:
            meter: of `METERS`.
            text: a number as `read_json` leaves it, USD; None is "not said" and leaves no trace.
            where: the feed's own name of the price.
            when: the price holds.
            per_one: the number is for one unit, else for as many as the meter is usually published per.
            search_unit: of web searches.
        """
        if text is None:
            return
        rate = money(text)
        if rate is None:
            self.refuse(where, "not-a-number", "not a plain decimal")
            return
        if rate < 0:
            self.refuse(where, "sentinel", "a negative price stands for something else")
            return
        rate, per = per_usual_unit(rate, meter) if per_one else (rate, METERS[meter].per)
        provenance = Provenance(self.source, self.checked_on, note=self.note)
        try:
            row = PriceRow(
                meter,
                rate,
                per,
                "USD",
                provenance,
                conditions=when.conditions,
                tier=when.tier,
                period=when.period,
                start_known=when.start_known and when.period.valid_from is not None,
                search_unit=search_unit,
            )
        except PermillionError as error:
            self.refuse(where, "malformed", error.detail)
            return
        self.rows.append(FeedRow(self.provider, self.model, row, self.upstream_id, self.free))


def money(text: object) -> Decimal | None:
    """A number as `read_json` leaves it, or a decimal string without blanks; None where it is none.

    >>> money("5e-06"), money(" 5"), money(True)
    (Decimal('0.000005'), None, None)
    """
    return read_number(text) if isinstance(text, str) and text == text.strip() else None


def whole(text: object) -> int | None:
    """A count from 0 to 10^15 as `read_json` leaves it, also one written as a float; None where it is none.

    >>> whole("256000.0"), whole("0.5"), whole("-1")
    (256000, None, None)
    """
    value = money(text)
    if value is None or value != value.to_integral_value() or not 0 <= value <= 10**15:
        return None
    return int(value)
