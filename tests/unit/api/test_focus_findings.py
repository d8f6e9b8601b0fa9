"""Each rule of FOCUS finds the row that breaks it, and nothing in a row that keeps them all."""

from __future__ import annotations

from typing import Any

import pytest

from api.services.focus.findings import RULES, check_focus_rows

GOOD: dict[str, Any] = {
    "BilledCost": "0.299",
    "BillingCurrency": "CNY",
    "ChargeCategory": "Usage",
    "ChargeClass": None,
    "ConsumedQuantity": "299000",
    "ConsumedUnit": "Tokens",
    "ContractedCost": "0.299",
    "ContractedUnitPrice": "1",
    "EffectiveCost": "0.299",
    "InvoiceId": None,
    "ListCost": "1.196",
    "ListUnitPrice": "4",
    "PricingCurrency": "CNY",
    "PricingCurrencyContractedUnitPrice": "1",
    "PricingCurrencyEffectiveCost": "0.299",
    "PricingCurrencyListUnitPrice": "4",
    "PricingQuantity": "0.299",
    "PricingUnit": "1000000 Tokens",
    "SkuId": "acme/rocket/input_tokens",
    "SkuMeter": "Input Tokens",
    "SkuPriceDetails": {"x_ModelId": "rocket-2026-08-01", "x_MinInputTokens": 272_000},
}
TAX = GOOD | {
    "ChargeCategory": "Tax", "ListUnitPrice": None, "ContractedUnitPrice": None, "ConsumedQuantity": None,
    "ConsumedUnit": None,
}  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"PricingUnit": "Tokens"},
        {"PricingUnit": "Tokens/Minute"},
        {"PricingUnit": "1000 Token-Hours"},
        {"PricingCurrency": "Credit"},
        {"SkuId": None, "SkuMeter": None, "SkuPriceDetails": None},
        {"SkuPriceDetails": '{"x_ModelId": "rocket"}'},
        {"BilledCost": "299E-3"},
        {"ChargeClass": "Correction", "ListUnitPrice": None, "ContractedUnitPrice": None},
        {"ContractApplied": '[{"ContractId": "4711"}]'},
    ],
)
def test_rows_that_keep_the_rules(changes: dict[str, Any]) -> None:
    assert check_focus_rows([GOOD | changes, TAX]) == []


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "billing_currency": ({"BillingCurrency": "RMB"}, "BillingCurrency"),
    "billing_currency null": ({"BillingCurrency": None}, "BillingCurrency"),
    "pricing_currency": ({"PricingCurrency": "RMB"}, "PricingCurrency"),
    "pricing_currency null": ({"PricingCurrency": None}, "PricingCurrency"),
    "unit_prices negative": (
        {"ContractedUnitPrice": "-1", "ContractedCost": "-0.299"}, "ContractedUnitPrice",
    ),
    "unit_prices null": ({"ListUnitPrice": None}, "ListUnitPrice"),
    "unit_prices tax": (
        {"ChargeCategory": "Tax", "ConsumedQuantity": None, "ConsumedUnit": None, "ContractedUnitPrice": None},
        "ListUnitPrice",
    ),
    "price_times_quantity": ({"ContractedCost": "0.4"}, "ContractedCost"),  # what the official validator lets pass
    "price_times_quantity digit": ({"ListCost": "1.1960000000000000000000000001"}, "ListCost"),
    "contracted_not_above_list": ({"ContractedUnitPrice": "5", "ContractedCost": "1.495"}, "ContractedUnitPrice"),
    "effective_cost": ({"EffectiveCost": None}, "EffectiveCost"),
    "pricing_quantity_and_unit": ({"PricingUnit": None}, "PricingUnit"),
    "pricing_quantity_and_unit form": ({"PricingUnit": "1M tokens"}, "PricingUnit"),
    "pricing_quantity_and_unit fraction": ({"PricingUnit": "0.5 Tokens"}, "PricingUnit"),
    "consumed_quantity_and_unit": ({"ConsumedUnit": None}, "ConsumedUnit"),
    "consumed_quantity_and_unit purchase": ({"ChargeCategory": "Purchase"}, "ConsumedQuantity"),
    "sku_meter": ({"SkuId": None}, "SkuMeter"),
    "sku_price_details key": ({"SkuPriceDetails": {"model": "rocket"}}, "SkuPriceDetails"),
    "sku_price_details case": ({"SkuPriceDetails": {"x_model_id": "rocket"}}, "SkuPriceDetails"),
    "sku_price_details price": ({"SkuPriceDetails": {"x_UnitPrice": "4"}}, "SkuPriceDetails"),
    "sku_price_details currency": ({"SkuPriceDetails": {"x_In": "USD"}}, "SkuPriceDetails"),
    "sku_price_details date": ({"SkuPriceDetails": {"x_Since": "2026-08-01"}}, "SkuPriceDetails"),
    "sku_price_details text": ({"SkuPriceDetails": "rocket"}, "SkuPriceDetails"),
    "contract_applied": ({"ContractApplied": "4711"}, "ContractApplied"),
    "numbers currency sign": ({"BilledCost": "$0.01"}, "BilledCost"),
    "numbers comma": ({"BilledCost": "1,000"}, "BilledCost"),
    "numbers plus": ({"PricingCurrencyEffectiveCost": "1E+3"}, "PricingCurrencyEffectiveCost"),
    "numbers float": ({"BilledCost": 0.299}, "BilledCost"),
    "no_stand_ins empty": ({"InvoiceId": ""}, "InvoiceId"),
    "no_stand_ins": ({"ChargeClass": "N/A"}, "ChargeClass"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "column"), BROKEN.values(), ids=BROKEN)
def test_a_row_that_breaks_one_rule(changes: dict[str, Any], column: str) -> None:
    (finding,) = check_focus_rows([GOOD, GOOD | changes])
    assert (finding.row, finding.column) == (1, column)


def test_every_rule_has_a_broken_row() -> None:
    assert {name.partition(" ")[0] for name in BROKEN} == {rule.__name__ for rule in RULES}
    for rule in RULES:
        assert any(list(rule(GOOD | changes)) for changes, _ in BROKEN.values()), rule.__name__
