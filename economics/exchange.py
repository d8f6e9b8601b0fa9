"""Currency: money stays in the currency of its book until a stated rate, with its date, turns it into another.

A price list in two currencies is two lists (DeepSeek's imply 6.67 and 6.82 CNY for a dollar on two models), so nothing
is ever converted by a constant, and never through a third currency.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from economics.errors import PermillionError
from economics.money import Exact, exact


@dataclass(frozen=True, slots=True)
class FxRate:
    """One unit of `source_currency` is `rate` of `target_currency`, as of a stated day, from a stated source."""

    source_currency: str
    target_currency: str
    rate: Decimal
    as_of: str
    source: str


@dataclass(frozen=True, slots=True)
class Conversion:
    """The exact factor from native to answer currency and the rate it rests on."""

    factor: Exact
    as_of: str
    source: str


class Exchange:
    """Conversions into one currency, each looked up once however many offers need it."""

    def __init__(self, wanted: str, rates: Sequence[FxRate] = ()) -> None:
        self.wanted = wanted
        self._rates = rates
        self._found: dict[str, Conversion | PermillionError | None] = {}

    @property
    def rates(self) -> Sequence[FxRate]:
        """The rates as they were stated."""
        return self._rates

    def conversion(self, native: str) -> Conversion | None:
        """As `find_conversion`."""
        if native not in self._found:
            try:
                self._found[native] = find_conversion(native, self.wanted, self._rates)
            except PermillionError as error:
                self._found[native] = error
        found = self._found[native]
        if isinstance(found, PermillionError):
            raise found
        return found


def find_conversion(native: str, wanted: str, rates: Iterable[FxRate]) -> Conversion | None:
    """The conversion from `native` to `wanted`; None where both are the same and no rate is used.

    A pair that is given the other way round divides, exactly.

    Raises:
        PermillionError: `missing-fx-rate` where no rate joins the two.

    >>> rate = FxRate("USD", "CNY", Decimal("7.10"), "2026-11-01", "story 1")
    >>> find_conversion("CNY", "USD", [rate]).factor.to_decimal()
    Decimal('0.1408450704225352112676056338')
    """
    if native == wanted:
        return None
    inverse: FxRate | None = None
    for rate in rates:
        if (rate.source_currency, rate.target_currency) == (native, wanted):
            return Conversion(exact(rate.rate), rate.as_of, rate.source)
        if (rate.source_currency, rate.target_currency) == (wanted, native):
            inverse = inverse or rate
    if inverse is None:
        raise PermillionError(
            "missing-fx-rate", f"the price is in {native}; give a rate from {native} to {wanted} in fx", pointer="/fx"
        )
    return Conversion(Exact(Decimal(1), inverse.rate), inverse.as_of, inverse.source)
