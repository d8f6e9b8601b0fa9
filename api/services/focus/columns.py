"""The columns of an estimate, in the order of FOCUS, ours (`x_`) last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class FocusColumn:
    """One column.

    Args:
        name: as FOCUS spells it.
        kind: text, a decimal, or a JSON object.
        nullable: whether an estimate may have null there.
        meaning: for people.
    """

    name: str
    kind: Literal["text", "decimal", "json"]
    nullable: bool
    meaning: str


def _text(name: str, meaning: str) -> FocusColumn:
    return FocusColumn(name, "text", False, meaning)


def _maybe(name: str, meaning: str) -> FocusColumn:
    return FocusColumn(name, "text", True, meaning)


def _decimal(name: str, meaning: str) -> FocusColumn:
    return FocusColumn(name, "decimal", False, meaning)


FOCUS_COLUMNS: Final[tuple[FocusColumn, ...]] = (
    _decimal("BilledCost", "what would be billed: the contracted cost"),
    _maybe("BillingAccountId", "as the question states it"),
    _text("BillingCurrency", "ISO 4217"),
    _text("BillingPeriodEnd", "first instant after the month"),
    _text("BillingPeriodStart", "first instant of the month"),
    _text("ChargeCategory", "Usage"),
    _maybe("ChargeClass", "null: no correction"),
    _text("ChargeDescription", "for people"),
    _text("ChargeFrequency", "Usage-Based"),
    _text("ChargePeriodEnd", "first instant after the hour of use"),
    _text("ChargePeriodStart", "the hour of use"),
    _decimal("ConsumedQuantity", "units used"),
    _text("ConsumedUnit", "Tokens, Characters, …"),
    _decimal("ContractedCost", "PricingQuantity x ContractedUnitPrice"),
    _decimal("ContractedUnitPrice", "the price of the book, per PricingUnit"),
    _decimal("EffectiveCost", "the contracted cost: no commitment is amortised"),
    _maybe("InvoiceId", "null: an estimate has no invoice"),
    _text("InvoiceIssuerName", "the vendor"),
    _decimal("ListCost", "PricingQuantity x ListUnitPrice"),
    _decimal("ListUnitPrice", "the list price, per PricingUnit"),
    _text("PricingCategory", "Standard"),
    _text("PricingCurrency", "currency of the price book"),
    _decimal("PricingCurrencyContractedUnitPrice", "the price of the book in its own currency"),
    _decimal("PricingCurrencyEffectiveCost", "the effective cost in the book's currency"),
    _decimal("PricingCurrencyListUnitPrice", "the list price in the book's currency"),
    _decimal("PricingQuantity", "units used, in PricingUnit"),
    _text("PricingUnit", "what a unit price is for, such as 1000000 Tokens"),
    _text("ProviderName", "the vendor"),
    _text("PublisherName", "the vendor"),
    _text("ServiceCategory", "AI and Machine Learning"),
    _text("ServiceName", "the vendor's service"),
    _text("ServiceSubcategory", "Generative AI"),
    _text("SkuId", "offer and meter"),
    _text("SkuMeter", "what is counted, such as Input Tokens"),
    FocusColumn("SkuPriceDetails", "json", False, "model, mode and tier of the price under x_ keys"),
    _text("SkuPriceId", "SkuId with book, mode and tier"),
    FocusColumn("Tags", "json", True, "null: nothing is tagged"),
    _text("x_RowId", "row_id of the question"),
    _text("x_PriceBook", "price book of the contracted price"),
    _text("x_PriceSource", "who says so"),
    _maybe("x_PriceCheckedOn", "day the price was checked"),
    _text("x_PriceStatus", "ok, unconfirmed_start, stale, disputed or suspect"),
    _maybe("x_Warnings", "codes, parted by ;"),
    _text("x_CatalogVersion", "catalog the prices are of"),
)
