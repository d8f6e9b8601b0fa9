"""Quotes and price books as rows that tools for cloud bills read: FOCUS-shaped estimates, no invoices.

A quote has one row an offer. What is priced is a query: `PricingQuantity` is the queries of a month (1 where the question names
none), the unit price the cost of a query. Offers are alternatives: their costs do not add up, so that each row is tagged with
quote and rank. A price book has one row a price and no quantities or costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, timedelta
from decimal import Decimal
from typing import Any, Final

from api.services.focus.lines import billing_month
from api.services.focus.units import pricing_size, pricing_unit, sku_meter
from catalog.history import PriceRecord
from catalog.quotes import Quote
from economics.context import format_context
from economics.money import Exact, format_decimal, multiply
from economics.periods import format_instant

Row = dict[str, Any]

BOOK_COLUMNS: Final = (
    "ContractedUnitPrice", "ListUnitPrice", "PricingCategory", "PricingCurrency", "PricingUnit", "ProviderName",
    "PublisherName", "ServiceCategory", "ServiceName", "ServiceSubcategory", "SkuId", "SkuMeter", "SkuPriceDetails",
    "SkuPriceId", "x_PriceBook", "x_PriceSource", "x_PriceCheckedOn", "x_PriceStatus", "x_ValidFrom", "x_ValidTo", "x_Warnings",
)  # fmt: skip
BOOK_NUMBERS: Final = frozenset({"ContractedUnitPrice", "ListUnitPrice"})
FLAT_QUOTE_COLUMNS: Final = (
    "quote_id", "title", "created_at", "as_of", "row_id", "rank", "offer", "provider", "model", "price_book", "context",
    "queries_per_month", "input_tokens", "output_tokens", "count_method", "currency", "cost_per_query",
    "list_cost_per_query", "cost_per_month", "list_cost_per_month", "native_currency", "native_cost_per_query", "fx_rate",
    "fx_as_of", "price_source", "price_checked_on", "price_status", "catalog_version", "method_version", "answer_sha256",
    "error_code", "error_detail", "warnings",
)  # fmt: skip
FLAT_QUOTE_NUMBERS: Final = frozenset(
    {
        "rank", "queries_per_month", "input_tokens", "output_tokens", "cost_per_query", "list_cost_per_query",
        "cost_per_month", "list_cost_per_month", "native_cost_per_query", "fx_rate",
    }
)  # fmt: skip
_SERVICE: Final = {
    "PricingCategory": "Standard",
    "ServiceCategory": "AI and Machine Learning",
    "ServiceSubcategory": "Generative AI",
}
_UNKNOWN_LIST: Final = "list_price_not_known"


def flat_quote_rows(quote: Quote, rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    """One row an offer, errors included; the list's cost where it is another one than the contracted.

    Args:
        quote: as it was recorded.
        rows: of its answer, those of all samples together.
    """
    volume = quote.question["workload"]["queries_per_month"]
    found: list[Row] = []
    for row, record in zip(rows, quote.offers, strict=True):
        listed = record["list_cost_per_query"] or (row["cost_per_query"] if record["book_kind"] == "list" else None)
        monthly = None if volume is None or listed is None else multiply(Decimal(listed), Decimal(volume))
        own = {
            "quote_id": quote.quote,
            "title": quote.title,
            "created_at": format_instant(quote.created_at),
            "queries_per_month": volume,
            "list_cost_per_query": listed,
            "list_cost_per_month": None if monthly is None else format_decimal(monthly),
            "answer_sha256": quote.answer_sha256,
        }
        found.append({name: own[name] if name in own else row[name] for name in FLAT_QUOTE_COLUMNS})
    return found


def focus_quote_rows(quote: Quote, rows: Sequence[Mapping[str, Any]], vendors: Mapping[str, str]) -> Iterator[Row]:
    """One row an offer that has a price.

    `ContractedCost = PricingQuantity · ContractedUnitPrice`, to the last digit.

    Args:
        quote: as it was recorded.
        rows: of its answer, those of all samples together.
        vendors: titles of providers.
    """
    use = quote.as_of.astimezone(UTC)
    month = billing_month(use.year, use.month, pointer="/as_of")
    assert month.valid_from is not None
    assert month.valid_to is not None
    hour = use.replace(minute=0, second=0, microsecond=0)
    quantity = Decimal(quote.question["workload"]["queries_per_month"] or 1)
    common: Row = {
        **_SERVICE,
        "BillingAccountId": None,
        "BillingCurrency": quote.currency,
        "BillingPeriodEnd": format_instant(month.valid_to),
        "BillingPeriodStart": format_instant(month.valid_from),
        "ChargeCategory": "Usage",
        "ChargeClass": None,
        "ChargeFrequency": "Usage-Based",
        "ChargePeriodEnd": format_instant(hour + timedelta(hours=1)),
        "ChargePeriodStart": format_instant(hour),
        "InvoiceId": None,
        "ConsumedQuantity": format_decimal(quantity),
        "ConsumedUnit": "Queries",
        "PricingQuantity": format_decimal(quantity),
        "PricingUnit": "Queries",
        "SkuMeter": "Queries",
        "x_CatalogVersion": quote.catalog_version,
    }
    for row, record in zip(rows, quote.offers, strict=True):
        if row["cost_per_query"] is not None:
            yield common | _quote_row(quote, row, record, vendors, quantity)


def _quote_row(
    quote: Quote, row: Mapping[str, Any], record: Mapping[str, Any], vendors: Mapping[str, str], quantity: Decimal
) -> Row:
    vendor = vendors.get(row["provider"], row["provider"])
    listed, native_list = record["list_cost_per_query"], record["native_list_cost_per_query"]
    warnings = [code for code in row["warnings"].split(";") if code]
    if listed is None and record["book_kind"] == "private":
        warnings.append(_UNKNOWN_LIST)
    unit, native = row["cost_per_query"], row["native_cost_per_query"]
    sku = f"{row['provider']}/{row['model']}/queries"
    details = {"x_ModelId": row["model"], "x_Meter": "queries"}
    details |= {
        f"x_{name}": str(row[column])
        for name, column in (("InputTokens", "input_tokens"), ("OutputTokens", "output_tokens"))
        if row[column] is not None
    }
    if row["context"]:
        details["x_Context"] = row["context"]
    cost = _times(unit, quantity)
    return {
        "BilledCost": cost,
        "ChargeDescription": f"Estimate: queries to {row['provider']}/{row['model']}",
        "ContractedCost": cost,
        "ContractedUnitPrice": unit,
        "EffectiveCost": cost,
        "InvoiceIssuerName": vendor,
        "ListCost": _times(listed or unit, quantity),
        "ListUnitPrice": listed or unit,
        "PricingCurrency": row["native_currency"],
        "PricingCurrencyContractedUnitPrice": native,
        "PricingCurrencyEffectiveCost": _times(native, quantity),
        "PricingCurrencyListUnitPrice": native_list or native,
        "ProviderName": vendor,
        "PublisherName": vendor,
        "ServiceName": vendor,
        "SkuId": sku,
        "SkuPriceDetails": details,
        "SkuPriceId": f"{sku}@{row['price_book']}" + (f"|{row['context']}" if row["context"] else ""),
        "Tags": {"quote_id": quote.quote, "rank": str(row["rank"])},
        "x_RowId": str(row["row_id"]),
        "x_PriceBook": row["price_book"],
        "x_PriceSource": row["price_source"],
        "x_PriceCheckedOn": row["price_checked_on"],
        "x_PriceStatus": row["price_status"],
        "x_Warnings": ";".join(warnings) or None,
    }


def _times(price: str, quantity: Decimal) -> str:
    return format_decimal(multiply(Decimal(price), quantity))


def focus_book_rows(
    records: Iterable[PriceRecord], base: Iterable[PriceRecord], vendors: Mapping[str, str]
) -> Iterator[Row]:
    """One row a price, `ListUnitPrice` that of the base book where the book is private; uplifts are no prices and left out.

    Args:
        records: of the book, in force.
        base: of the list book behind it, in force.
        vendors: titles of providers.
    """
    listed = {_place(record): record for record in base}
    for record in records:
        if record.kind == "uplift":
            continue
        size = pricing_size(record.meter, record.rate, record.per)
        at_list: PriceRecord | None = record
        if record.book_kind == "private":
            found = listed.get(_place(record))
            at_list = found if found is not None and found.currency == record.currency else None
        vendor = vendors.get(record.provider, record.provider)
        context = format_context({name: "|".join(values) for name, values in record.conditions.items()})
        sku = f"{record.provider}/{record.model}/{record.meter}"
        tiers = [f"over {record.min_input_tokens}"] if record.min_input_tokens is not None else []
        if record.min_output_tokens is not None:
            tiers.append(f"answers over {record.min_output_tokens}")
        details: Row = {"x_ModelId": record.model, "x_Meter": record.meter}
        if context:
            details["x_Context"] = context
        if record.min_input_tokens is not None:
            details["x_MinInputTokens"] = record.min_input_tokens
            details["x_MinInputTokensIncluded"] = record.min_inclusive
        if record.min_output_tokens is not None:
            details["x_MinOutputTokens"] = record.min_output_tokens
        if record.schedule is not None:
            details["x_Schedule"] = record.schedule
        yield {
            **_SERVICE,
            "ContractedUnitPrice": _unit(record, size),
            "ListUnitPrice": _unit(at_list or record, size),
            "PricingCurrency": record.currency,
            "PricingUnit": pricing_unit(record.meter, size),
            "ProviderName": vendor,
            "PublisherName": vendor,
            "ServiceName": vendor,
            "SkuId": sku,
            "SkuMeter": sku_meter(record.meter),
            "SkuPriceDetails": details,
            "SkuPriceId": "|".join([f"{sku}@{record.price_book}", *filter(None, [context, record.schedule]), *tiers]),
            "x_PriceBook": record.price_book,
            "x_PriceSource": record.source,
            "x_PriceCheckedOn": None if record.checked_on is None else record.checked_on.isoformat(),
            "x_PriceStatus": record.status,
            "x_ValidFrom": None if record.valid_from is None else format_instant(record.valid_from),
            "x_ValidTo": None if record.valid_to is None else format_instant(record.valid_to),
            "x_Warnings": _UNKNOWN_LIST if at_list is None else None,
        }


def _place(record: PriceRecord) -> tuple[Any, ...]:
    """What a price is for, in any book."""
    return (
        record.provider.casefold(),
        record.model.casefold(),
        record.meter,
        tuple(sorted(record.conditions.items())),
        record.min_input_tokens,
        record.min_output_tokens,
        record.schedule,
    )


def _unit(record: PriceRecord, size: int) -> str:
    """`rate / per · size`."""
    return format_decimal((Exact(record.rate, Decimal(record.per)) * Decimal(size)).to_decimal())
