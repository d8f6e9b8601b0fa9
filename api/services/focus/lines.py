"""Use case: each charged meter of a priced row as a row of a FOCUS-shaped estimate.

`ListCost = PricingQuantity · ListUnitPrice` and `ContractedCost = PricingQuantity · ContractedUnitPrice` hold to the last
digit: costs are products of the figures shown. Only where a quantity per unit or a converted price does not end are these
figures rounded, to 28 significant digits, and the cost with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from api.services.focus.unit_prices import UnitPrices
from api.services.focus.units import consumed_unit, pricing_unit, sku_meter
from api.services.offers import ResolvedOffer, list_rates_in
from api.services.pricing import PricedUsage
from catalog.snapshot import Snapshot
from economics.billing import Bill, CostLine
from economics.errors import PermillionError
from economics.exchange import Conversion
from economics.meters import METERS
from economics.money import Exact, format_decimal, multiply
from economics.periods import Period, format_instant
from economics.rate_card import ApplicableRate, RateCard
from economics.usage import billed_quantities, complete_usage

_HOUR = timedelta(hours=1)
_UNKNOWN_LIST = "list_price_not_known"


def billing_month(year: int, month: int, *, pointer: str = "") -> Period:
    """The month a bill is for, in UTC.

    Raises:
        PermillionError: `invalid-fields` for a month whose end cannot be written.

    >>> format_instant(billing_month(2026, 12).valid_to)
    '2027-01-01T00:00:00Z'
    """
    after = (year + 1, 1) if month == 12 else (year, month + 1)
    try:
        return Period(datetime(year, month, 1, tzinfo=UTC), datetime(*after, 1, tzinfo=UTC))
    except ValueError:
        raise PermillionError("invalid-fields", "no month of a bill", pointer=pointer) from None


class FocusLines:
    """Writes the rows of one estimate.

    Args:
        snapshot: the catalog the prices are of.
        billing_period: of the bill, None for the month of each use.
        billing_account_id: as the caller names it.
    """

    def __init__(
        self, snapshot: Snapshot, billing_period: Period | None = None, billing_account_id: str | None = None
    ) -> None:
        self._snapshot = snapshot
        self._period = billing_period
        self._account = billing_account_id
        self._prices: dict[tuple[ApplicableRate, ApplicableRate], UnitPrices] = {}

    def of(self, answer: PricedUsage, usage: Mapping[str, Decimal | int]) -> list[dict[str, Any]]:
        """The rows of one priced usage, by column; none for a usage of nothing that is charged.

        Args:
            answer: the bill.
            usage: what was used, which is less than what is charged where a vendor charges a least quantity.

        Raises:
            PermillionError: the answer's own error; `invalid-fields` for a use outside the billing period.
        """
        if answer.error is not None:
            raise answer.error
        assert answer.resolved is not None
        assert answer.bill is not None
        common = self._common(answer, answer.resolved)
        listed = _list_card(answer.resolved, answer.as_of)
        return [
            common | self._line(line, answer, answer.resolved, listed, _consumed(line, answer.bill, usage))
            for line in answer.bill.lines
            if line.quantity
        ]

    def _line(
        self,
        line: CostLine,
        answer: PricedUsage,
        resolved: ResolvedOffer,
        listed: RateCard | None,
        consumed: Decimal,
    ) -> dict[str, Any]:
        """The columns of one charged meter that its row does not share."""
        warnings = answer.warnings
        list_rate: ApplicableRate | None = line.rate
        if resolved.offer.book.kind == "private":
            assert answer.bill is not None
            list_rate = None if listed is None else _list_rate(listed, line.meter, answer.bill)
            if list_rate is None:
                warnings = [*warnings, _UNKNOWN_LIST]
        prices = self._unit_prices(line, list_rate or line.rate, answer.conversion)
        return _columns(line, resolved, prices, consumed, warnings)

    def _unit_prices(self, line: CostLine, list_rate: ApplicableRate, conversion: Conversion | None) -> UnitPrices:
        """Found once for all lines at the same rates: with the discounts of a contract in them they have a hundred digits."""
        found = self._prices.get((line.rate, list_rate))
        if found is None or found.conversion is not conversion:
            found = self._prices[line.rate, list_rate] = UnitPrices.of(line, list_rate, conversion)
        return found

    def _common(self, answer: PricedUsage, resolved: ResolvedOffer) -> dict[str, Any]:
        """What all lines of a row share."""
        offer = resolved.offer
        facts = self._snapshot.providers.get(offer.provider)
        vendor = offer.provider if facts is None else facts.title
        use = answer.as_of.astimezone(UTC)
        month = self._period or billing_month(use.year, use.month, pointer="/as_of")
        if not month.contains(use):
            raise PermillionError("invalid-fields", "as_of is outside the billing period", pointer="/as_of")
        hour = use.replace(minute=0, second=0, microsecond=0)
        assert month.valid_from is not None
        assert month.valid_to is not None
        assert answer.standing is not None
        return {
            "BillingAccountId": self._account,
            "BillingCurrency": answer.currency,
            "BillingPeriodEnd": format_instant(month.valid_to),
            "BillingPeriodStart": format_instant(month.valid_from),
            "ChargeCategory": "Usage",
            "ChargeClass": None,
            "ChargeFrequency": "Usage-Based",
            "ChargePeriodEnd": format_instant(hour + _HOUR),
            "ChargePeriodStart": format_instant(hour),
            "InvoiceId": None,
            "InvoiceIssuerName": vendor,
            "PricingCategory": "Standard",
            "PricingCurrency": answer.native_currency,
            "ProviderName": vendor,
            "PublisherName": vendor,
            "ServiceCategory": "AI and Machine Learning",
            "ServiceName": vendor,
            "ServiceSubcategory": "Generative AI",
            "Tags": None,
            "x_RowId": str(answer.row_id),
            "x_PriceBook": offer.book.id,
            "x_PriceStatus": answer.standing.status.value,
            "x_CatalogVersion": self._snapshot.version,
        }


def _list_card(resolved: ResolvedOffer, as_of: datetime) -> RateCard | None:
    """The list's rates beside those of a private book with a base; None where the book is itself the list, or has none."""
    try:
        return list_rates_in(resolved.offer, resolved.context, as_of)
    except PermillionError:
        return None


def _consumed(line: CostLine, bill: Bill, usage: Mapping[str, Decimal | int]) -> Decimal:
    """What was used of a meter, without what its least quantity adds."""
    quantity = line.quantity
    if line.rate.row.min_quantity is not None and line.meter in usage:
        used = billed_quantities(complete_usage(usage), {each.meter for each in bill.lines})
        quantity = min(quantity, used.get(line.meter, quantity))
    return Decimal(quantity)


def _list_rate(listed: RateCard, meter: str, bill: Bill) -> ApplicableRate | None:
    """What the list charges for a unit: its own rate, or that of the meter whose part it is."""
    at: str | None = meter
    while at is not None:
        rate = listed.find(at, bill.input_tokens, bill.output_tokens)
        if rate is not None:
            return rate
        at = METERS[at].parent
    return None


def _columns(
    line: CostLine, resolved: ResolvedOffer, prices: UnitPrices, consumed: Decimal, warnings: Sequence[str]
) -> dict[str, Any]:
    offer, row = resolved.offer, line.rate.row
    quantity = Exact(Decimal(line.quantity), Decimal(prices.size)).to_decimal()
    cost = format_decimal(multiply(quantity, prices.contracted))
    native_cost = cost
    if prices.native_contracted is not prices.contracted:
        native_cost = format_decimal(multiply(quantity, prices.native_contracted))
    sku = f"{offer.provider}/{offer.model.model}/{line.meter}"
    return {
        **prices.texts,
        "BilledCost": cost,
        "ConsumedQuantity": format_decimal(consumed),
        "ContractedCost": cost,
        "EffectiveCost": cost,
        "ListCost": format_decimal(multiply(quantity, prices.listed)),
        "PricingCurrencyEffectiveCost": native_cost,
        "PricingQuantity": format_decimal(quantity),
        "ChargeDescription": f"Estimate: {sku_meter(line.meter)} of {offer.provider}/{offer.model.model}",
        "ConsumedUnit": consumed_unit(line.meter),
        "PricingUnit": pricing_unit(line.meter, prices.size),
        "SkuId": sku,
        "SkuMeter": sku_meter(line.meter),
        "SkuPriceDetails": _details(line, resolved.context, offer.model.model),
        "SkuPriceId": f"{sku}@{offer.book.id}|{row.slot.partition('|')[2]}",
        "x_PriceSource": row.provenance.source,
        "x_PriceCheckedOn": None if row.provenance.checked_on is None else row.provenance.checked_on.isoformat(),
        "x_Warnings": ";".join(dict.fromkeys(warnings)) or None,
    }


def _details(line: CostLine, context: Mapping[str, str], model: str) -> dict[str, Any]:
    """Properties of the price under keys of our own: no price, currency, date or account stands in them."""
    details: dict[str, Any] = {"x_ModelId": model, "x_Meter": line.meter}
    details |= {"x_" + "".join(part.title() for part in key.split("_")): context[key] for key in sorted(context)}
    tier = line.rate.row.tier
    if tier.min_input_tokens is not None:
        details["x_MinInputTokens"] = tier.min_input_tokens
        details["x_MinInputTokensIncluded"] = tier.min_inclusive
    if tier.min_output_tokens is not None:
        details["x_MinOutputTokens"] = tier.min_output_tokens
        details["x_MinOutputTokensIncluded"] = tier.output_inclusive
    if tier.max_input_tokens is not None:
        details["x_MaxInputTokens"] = tier.max_input_tokens
    return details
