"""Checks of rows against the rules of FOCUS 1.2, in exact decimals: one function a rule.

The official validator (focus-validator 2.2.1) is a second opinion and no substitute: its rule that unit price times quantity
is the cost runs only where `ChargeClass` is not null, so on ordinary rows it finds nothing (tried 2026-11-30).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from api.services.focus.columns import FOCUS_COLUMNS
from api.services.focus.currencies import NATIONAL_CURRENCIES
from economics.money import EXACT

Row = Mapping[str, Any]

_VIRTUAL: Final = frozenset({"Token", "Tokens", "Credit", "Credits"})
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[Ee]-?[0-9]{1,3})?", re.ASCII)
_UNIT: Final = re.compile(r"(?:[1-9][0-9]* )?[A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)*(?:/[A-Z][A-Za-z]*)?", re.ASCII)
_OUR_KEY: Final = re.compile(r"x_[A-Z][A-Za-z0-9]*", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?", re.ASCII)
_FORBIDDEN: Final = ("Price", "Cost", "Currency", "Date", "Account")
_STAND_INS: Final = frozenset({"", "n/a", "na", "none", "null", "nan", "-", "unknown"})
_DECIMALS: Final = tuple(column.name for column in FOCUS_COLUMNS if column.kind == "decimal")
_UNIT_PRICES: Final = ("ListUnitPrice", "ContractedUnitPrice")
_PRICING_CURRENCY: Final = tuple(
    column.name for column in FOCUS_COLUMNS if column.name.startswith("PricingCurrency") and column.kind == "decimal"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a row breaks: which row (from 0), which column, which rule."""

    row: int
    column: str
    rule: str


def check_focus_rows(rows: Sequence[Row]) -> list[Finding]:
    """What is wrong with `rows`, in their order; rows are as in JSON, numbers as text and missing values as None."""
    return [Finding(number, *found) for number, row in enumerate(rows) for rule in RULES for found in rule(row)]


Found = Iterator[tuple[str, str]]


def billing_currency(row: Row) -> Found:
    """`BillingCurrency` is a national code: CNY, never RMB."""
    if row.get("BillingCurrency") not in NATIONAL_CURRENCIES:
        yield "BillingCurrency", "is not null and a national ISO 4217 code"


def pricing_currency(row: Row) -> Found:
    """`PricingCurrency` is a national or virtual code, and there where prices are given in it."""
    currency = row.get("PricingCurrency")
    if currency is not None and currency not in NATIONAL_CURRENCIES | _VIRTUAL:
        yield "PricingCurrency", "is a national ISO 4217 code or a virtual currency"
    if currency is None and any(row.get(name) is not None for name in _PRICING_CURRENCY):
        yield "PricingCurrency", "is not null where prices in it are given"


def unit_prices(row: Row) -> Found:
    """List and contracted unit price: not negative; null for taxes; there for usage and purchases, but for corrections."""
    for name in _UNIT_PRICES:
        price = _decimal(row, name)
        if price is not None and price < 0:
            yield name, "is not negative"
        if row.get("ChargeCategory") == "Tax" and row.get(name) is not None:
            yield name, "is null for taxes"
        needed = row.get("ChargeCategory") in ("Usage", "Purchase") and row.get("ChargeClass") != "Correction"
        if needed and row.get(name) is None:
            yield name, "is not null for usage and purchases"


def price_times_quantity(row: Row) -> Found:
    """`PricingQuantity · unit price` is the cost, to the last digit."""
    quantity = _decimal(row, "PricingQuantity")
    for price_name, cost_name in zip(_UNIT_PRICES, ("ListCost", "ContractedCost"), strict=True):
        price, cost = _decimal(row, price_name), _decimal(row, cost_name)
        if None not in (quantity, price, cost) and EXACT.multiply(quantity, price) != cost:  # type: ignore[arg-type]
            yield cost_name, f"is PricingQuantity x {price_name}"


def contracted_not_above_list(row: Row) -> Found:
    """A contract does not cost more than the list."""
    contracted, listed = _decimal(row, "ContractedUnitPrice"), _decimal(row, "ListUnitPrice")
    if contracted is not None and listed is not None and contracted > listed:
        yield "ContractedUnitPrice", "is not above ListUnitPrice"


def effective_cost(row: Row) -> Found:
    """`EffectiveCost` is there."""
    if row.get("EffectiveCost") is None:
        yield "EffectiveCost", "is not null"


def pricing_quantity_and_unit(row: Row) -> Found:
    """`PricingQuantity` and `PricingUnit` are null together; a unit is written `Tokens`, `1000000 Tokens`, `Tokens/Minute`."""
    if (row.get("PricingQuantity") is None) != (row.get("PricingUnit") is None):
        yield "PricingUnit", "is null where PricingQuantity is, and only there"
    yield from _unit(row, "PricingUnit")


def consumed_quantity_and_unit(row: Row) -> Found:
    """`ConsumedQuantity` and `ConsumedUnit` are null together, and for all but usage."""
    if (row.get("ConsumedQuantity") is None) != (row.get("ConsumedUnit") is None):
        yield "ConsumedUnit", "is null where ConsumedQuantity is, and only there"
    if row.get("ChargeCategory") != "Usage" and row.get("ConsumedQuantity") is not None:
        yield "ConsumedQuantity", "is null for all but usage"
    yield from _unit(row, "ConsumedUnit")


def sku_meter(row: Row) -> Found:
    """`SkuMeter` is null where `SkuId` is."""
    if row.get("SkuId") is None and row.get("SkuMeter") is not None:
        yield "SkuMeter", "is null where SkuId is"


def sku_price_details(row: Row) -> Found:
    """`SkuPriceDetails` is a JSON object; keys of our own are `x_` and PascalCase; no prices, currencies, dates, accounts."""
    details = _object(row.get("SkuPriceDetails"))
    if row.get("SkuPriceDetails") is None:
        return
    if details is None:
        yield "SkuPriceDetails", "is a JSON object"
        return
    for key, value in details.items():
        if _OUR_KEY.fullmatch(key) is None:
            yield "SkuPriceDetails", "keys that FOCUS does not define are x_ and PascalCase"
        elif any(word in key for word in _FORBIDDEN) or str(value) in NATIONAL_CURRENCIES or _is_day(value):
            yield "SkuPriceDetails", "holds no prices, currencies, dates or account data"


def contract_applied(row: Row) -> Found:
    """`ContractApplied`, where a row has it (1.3), is a JSON array of objects."""
    value = row.get("ContractApplied")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = ""
    if value is not None and not (isinstance(value, list) and all(isinstance(part, dict) for part in value)):
        yield "ContractApplied", "is a JSON array of objects"


def numbers(row: Row) -> Found:
    """A number is an integer, a decimal or `mEn`: no plus sign, no comma, no currency sign, no float."""
    for name in _DECIMALS:
        value = row.get(name)
        if value is not None and (not isinstance(value, str) or _NUMBER.fullmatch(value) is None):
            yield name, "is written in digits, without plus sign, comma or currency sign"


def no_stand_ins(row: Row) -> Found:
    """What is missing is null, never an empty text, `N/A` or the like."""
    for name, value in row.items():
        if isinstance(value, str) and value.strip().lower() in _STAND_INS:
            yield name, "is null where there is no value"


RULES: Final[tuple[Callable[[Row], Found], ...]] = (
    billing_currency, pricing_currency, unit_prices, price_times_quantity, contracted_not_above_list, effective_cost,
    pricing_quantity_and_unit, consumed_quantity_and_unit, sku_meter, sku_price_details, contract_applied, numbers,
    no_stand_ins,
)  # fmt: skip


def _decimal(row: Row, name: str) -> Decimal | None:
    value = row.get(name)
    if not isinstance(value, str) or _NUMBER.fullmatch(value) is None:
        return None  # `numbers` says so
    return Decimal(value)


def _unit(row: Row, name: str) -> Found:
    value = row.get(name)
    if value is not None and (not isinstance(value, str) or _UNIT.fullmatch(value) is None):
        yield name, "is a unit such as Tokens, 1000000 Tokens or Tokens/Minute"


def _object(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return value if isinstance(value, Mapping) else None


def _is_day(value: Any) -> bool:
    return isinstance(value, str) and _DAY.fullmatch(value) is not None
