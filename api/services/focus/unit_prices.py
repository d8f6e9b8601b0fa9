"""What one unit of a line costs under its book and by the list, in the unit in which FOCUS prices it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from api.services.focus.units import pricing_size
from economics.billing import CostLine
from economics.exchange import Conversion
from economics.money import Exact, format_decimal
from economics.rate_card import ApplicableRate


@dataclass(frozen=True, slots=True)
class UnitPrices:
    """The prices of a line, each for `size` units.

    Args:
        size: as `api.services.focus.units.pricing_size`.
        contracted: the price of the book, in the currency of the answer.
        listed: that of the list.
        native_contracted: the price of the book in its own currency.
        conversion: between the two; None where they are one.
        texts: the columns of unit prices as they are shown.
    """

    size: int
    contracted: Decimal
    listed: Decimal
    native_contracted: Decimal
    conversion: Conversion | None
    texts: Mapping[str, str]

    @classmethod
    def of(cls, line: CostLine, list_rate: ApplicableRate, conversion: Conversion | None) -> UnitPrices:
        """For a line at its own rate beside that of the list: `price = rate / per · size · fx`."""
        size = pricing_size(line.meter, line.rate.rate, line.rate.row.per)
        rates = [Exact(rate.rate, Decimal(rate.row.per)) for rate in (line.rate, list_rate)]
        native_contracted, native_list = ((rate * Decimal(size)).to_decimal() for rate in rates)
        contracted, listed = native_contracted, native_list
        if conversion is not None:
            factor = conversion.factor * Decimal(size)
            contracted, listed = ((rate * factor).to_decimal() for rate in rates)
        shown = {
            "ContractedUnitPrice": contracted,
            "ListUnitPrice": listed,
            "PricingCurrencyContractedUnitPrice": native_contracted,
            "PricingCurrencyListUnitPrice": native_list,
        }
        texts = {name: format_decimal(price) for name, price in shown.items()}
        return cls(size, contracted, listed, native_contracted, conversion, texts)
