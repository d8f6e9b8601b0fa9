"""Use case: the bill of a month under a private book: rows priced, terms applied, what is payable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from api.services.offers import list_rates_in
from api.services.pricing import PricedUsage, RowPricer, UsageToPrice
from catalog.snapshot import BookFacts, Snapshot
from economics.billing import bill
from economics.contracts.charges import NOTHING, Charge
from economics.contracts.contract import Contract
from economics.contracts.settlement import Settlement, settle
from economics.contracts.terms import Term
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.meters import METERS
from economics.money import Exact
from economics.periods import Period

_METERS: Final = {meter: position for position, meter in enumerate(METERS)}
"""Within a row an allowance of input falls on fresh input first, then on what was cached: always in one order."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A month settled.

    Args:
        settlement: in the currency of the book, of the rows without an error.
        list_cost: of those rows under the base of the book, None where that is not known of one of them.
        list_cost_detail: why it is None, "" where it is known.
        priced_rows: how many rows are in it.
        error_rows: how many are not.
    """

    settlement: Settlement
    list_cost: Exact | None
    list_cost_detail: str
    priced_rows: int
    error_rows: int


class MonthOfUsage:
    """The rows of one month under one private book, priced one after the other.

    Args:
        snapshot: the catalog as it is pinned for the whole request.
        price_book: a private book.
        month: rows of another are refused.
        exchange: converts row totals; None leaves them in the currency of the book.

    Raises:
        PermillionError: `unknown-price-book`, `missing-fx-rate`.
    """

    def __init__(self, snapshot: Snapshot, price_book: str, month: Period, exchange: Exchange | None = None) -> None:
        found: tuple[BookFacts, Contract | None] = snapshot.private_book(price_book)
        self.book, contract = found
        self.terms: tuple[Term, ...] = () if contract is None else contract.terms
        self.month = month
        self.conversion: Conversion | None = None if exchange is None else exchange.conversion(self.book.currency)
        self.currency = self.book.currency if exchange is None else exchange.wanted
        self._pricer = RowPricer(snapshot, exchange)
        self._charges: list[Charge] = []
        self._list_cost = NOTHING
        self._list_unknown = ""
        self._rows = 0
        self._errors = 0

    def price(self, row: UsageToPrice | PricedUsage) -> PricedUsage:
        """The answer to one row, or to one that could not be read; only what has a price counts in the month."""
        answer = self._answer(row)
        if answer.error is not None or isinstance(row, PricedUsage):
            self._errors += 1
            return answer
        assert answer.resolved is not None
        assert answer.bill is not None
        self._rows += 1
        offer = answer.resolved.offer
        self._charges += [
            Charge(row.row_id, offer.provider, offer.model.model, row.as_of, line.meter, line.quantity, line.rate)
            for line in sorted(answer.bill.lines, key=lambda line: _METERS[line.meter])
        ]
        if not self._list_unknown:
            self._add_list_cost(row, answer)
        return answer

    def _answer(self, row: UsageToPrice | PricedUsage) -> PricedUsage:
        if isinstance(row, PricedUsage):
            return row
        if not self.month.contains(row.as_of):
            error = PermillionError("invalid-fields", "this usage is not of the statement's month", pointer="/as_of")
            return PricedUsage(row.row_id, row.name, row.as_of, error=error)
        return self._pricer.price(row)

    def _add_list_cost(self, row: UsageToPrice, answer: PricedUsage) -> None:
        assert answer.resolved is not None
        try:
            card = list_rates_in(answer.resolved.offer, answer.resolved.context, row.as_of)
            if card is not None:
                self._list_cost += bill(card, row.usage, row.search_queries).total
                return
            why = "no list book of the same currency prices it"
        except PermillionError as error:
            why = error.detail
        self._list_unknown = f"of row {row.row_id}: {why}"

    def settle(self, opening: Mapping[str, Decimal]) -> Statement:
        """The month with the terms of the book applied.

        Args:
            opening: by id of a term, how much of its balance was used before the month: the service keeps no usage.

        Raises:
            PermillionError: `invalid-fields` at `/opening`, as `economics.contracts.settlement.settle`.
        """
        settlement = settle(self._charges, self.terms, self.month, opening)
        known = None if self._list_unknown else self._list_cost
        return Statement(settlement, known, self._list_unknown, self._rows, self._errors)
