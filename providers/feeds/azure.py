"""The answer of Azure's retail price API (prices.azure.com/api/retail/prices), one page or a list of pages.

Only pay-as-you-go token meters of Azure OpenAI become rows. `effectiveStartDate` is the vendor's own word for when a price
began in a region; where regions of one deployment began on different days at one rate, the first of them counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from economics.errors import PermillionError
from economics.money import multiply
from economics.periods import Period, parse_instant
from economics.prices import PriceRow, Provenance
from providers.feeds.azure_meters import AzureMeter, UnreadMeter, read_meter
from providers.feeds.gathering import gather, one_line
from providers.feeds.reading import FeedReading, FeedRow, Refused, per_usual_unit, read_json, read_number
from providers.feeds.starts import earliest
from providers.sheet import Source

_TITLE: Final = "Azure retail prices API"
_ONE: Final = {
    "1K": Decimal("0.001"), "1K Tokens": Decimal("0.001"), "1M": Decimal("0.000001"), "1M Tokens": Decimal("0.000001"),
}  # fmt: skip
_BY_TIME: Final = frozenset({"1 Hour", "1/Hour", "1/Day", "1/Month", "1 Second"})
_ZONES: Final = {
    "us": (
        "centralus", "eastus", "eastus2", "northcentralus", "southcentralus", "westcentralus", "westus", "westus2",
        "westus3",
    ),
    "eu": (
        "francecentral", "germanywestcentral", "italynorth", "northeurope", "polandcentral", "spaincentral",
        "swedencentral", "westeurope",
    ),
    "apac": (
        "australiaeast", "centralindia", "eastasia", "japaneast", "japanwest", "jioindiawest", "koreacentral",
        "southeastasia", "southindia",
    ),
}  # fmt: skip
"""Data zone → its regions: those in which data-zone meters have the zone's price (retail meters of 2026-08-11)."""
_ZONE_OF: Final = {region: zone for zone, regions in _ZONES.items() for region in regions}


class AzureRetail:
    """The reader of Azure's retail prices."""

    name = "azure"
    title = _TITLE
    hosts = ("prices.azure.com",)

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        """Read a page or a list of pages.

        >>> page = (
        ...     b'{"BillingCurrency": "USD", "NextPageLink": null, "Items": [{"currencyCode": "USD", "type": "Consumption",'
        ...     b'"retailPrice": 0.00015, "unitOfMeasure": "1K", "armRegionName": "eastus", "productName": "Azure OpenAI",'
        ...     b'"meterName": "gpt-4o-mini-0718-Inp-glbl Tokens", "effectiveStartDate": "2024-07-01T00:00:00Z"}]}'
        ... )
        >>> row = FEED.read(page, date(2026, 11, 30)).rows[0]
        >>> row.model, row.row.meter, row.row.rate, row.row.per
        ('gpt-4o-mini', 'input_tokens', Decimal('0.15'), 1000000)
        """
        pages = _pages(read_json(content))
        refused = list(_incomplete(pages))
        rows: list[FeedRow] = []
        entries = 0
        for number, page in enumerate(pages, 1):
            for position, item in enumerate(page["Items"], 1):
                entries += 1
                where = f"page {number}, item {position}"
                try:
                    rows.append(_row(item, page, retrieved_on))
                except UnreadMeter as unread:
                    refused.append(Refused(one_line(_key(item)) or where, where, unread.reason, unread.detail))
        source = Source(
            title=_TITLE, kind="vendor_api", url="https://prices.azure.com/api/retail/prices", retrieved_on=retrieved_on
        )
        return gather({_TITLE: source}, earliest(rows), refused, entries)


FEED: Final = AzureRetail()


def _pages(value: Any) -> list[dict[str, Any]]:
    pages = value if isinstance(value, list) else [value]
    for page in pages:
        if not isinstance(page, dict) or not isinstance(page.get("Items"), list):
            raise PermillionError("invalid-feed", "not an answer of the retail price API: a page has a list of Items")
    return pages


def _incomplete(pages: list[dict[str, Any]]) -> Iterator[Refused]:
    for number, page in enumerate(pages, 1):
        count = page.get("Count")
        if count is not None and count != str(len(page["Items"])):
            yield Refused(f"page {number}", "Count", "malformed", "the page says another number of items than it has")
    if pages and pages[-1].get("NextPageLink"):
        detail = "the file is incomplete: the last page has a link to a further one"
        yield Refused(f"page {len(pages)}", "NextPageLink", "malformed", detail)


def _key(item: Any) -> str:
    """Meter and region: how a person finds the item in the price list."""
    if not isinstance(item, dict):
        return ""
    named = [item.get(name) for name in ("meterName", "armRegionName")]
    return ", ".join(text[:200] for text in named if isinstance(text, str) and text.strip())


def _row(item: Any, page: Mapping[str, Any], retrieved_on: date) -> FeedRow:
    if not isinstance(item, dict):
        raise UnreadMeter("malformed", "an item is an object")
    name = _text(item, "meterName")
    if not _text(item, "productName").startswith("Azure OpenAI"):
        raise UnreadMeter("invalid-name", "the product is not Azure OpenAI")
    _refuse_other_terms(item)
    meter = read_meter(name)
    rate, per = _rate(item, meter)
    currency = _currency(item, page)
    region = _text(item, "armRegionName")
    note = "" if currency == "USD" else "converted from USD and rounded by the API"
    row = PriceRow(
        meter=meter.meter,
        rate=rate,
        per=per,
        currency=currency,
        provenance=Provenance(_TITLE, retrieved_on, note=note),
        conditions=_place(meter, region) | meter.mode,
        tier=meter.tier,
        period=_period(item),
    )
    return FeedRow("azure", meter.model, row, _key(item))


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UnreadMeter("malformed", f"{name} is missing")
    return value.strip()


def _refuse_other_terms(item: Mapping[str, Any]) -> None:
    """Refuse what is no plain pay-as-you-go price: reservations, test prices, hours, volume tiers."""
    kind = _text(item, "type")
    if kind != "Consumption" or item.get("reservationTerm"):
        raise UnreadMeter("not-expressible", "a reservation or test price, not pay as you go")
    sku = item.get("skuName")
    if isinstance(sku, str) and "spot" in sku.lower().split():
        raise UnreadMeter("not-expressible", "a spot price")
    if _text(item, "unitOfMeasure") in _BY_TIME:
        raise UnreadMeter("not-expressible", "charged by time, not by the token")
    if read_number(item.get("tierMinimumUnits", "0")) != 0:
        raise UnreadMeter("not-expressible", "a volume tier")


def _rate(item: Mapping[str, Any], meter: AzureMeter) -> tuple[Decimal, int]:
    unit = _text(item, "unitOfMeasure")
    one = _ONE.get(unit)
    if one is None or meter.unit not in (None, unit.partition(" ")[0]):
        raise UnreadMeter("unknown-unit", f"the unit is none of {', '.join(_ONE)} or differs from the meter's name")
    if item.get("retailPrice") in (None, ""):
        raise UnreadMeter("missing-price", "no retailPrice")
    price = read_number(item["retailPrice"])
    if price is None:
        raise UnreadMeter("not-a-number", "retailPrice is no plain decimal")
    if price < 0:
        raise UnreadMeter("sentinel", "retailPrice is negative")
    if not price:
        raise UnreadMeter("zero-price", "retailPrice is 0")
    if "unitPrice" in item and read_number(item["unitPrice"]) != price:
        raise UnreadMeter("malformed", "unitPrice and retailPrice differ")
    return per_usual_unit(multiply(price, one), meter.meter)


def _currency(item: Mapping[str, Any], page: Mapping[str, Any]) -> str:
    currency = item.get("currencyCode", page.get("BillingCurrency"))
    if not isinstance(currency, str) or not (len(currency) == 3 and currency.isascii() and currency.isupper()):
        raise UnreadMeter("missing-currency", "neither currencyCode nor BillingCurrency is an ISO 4217 code")
    return currency


def _place(meter: AzureMeter, region: str) -> dict[str, tuple[str, ...]]:
    """Global is the default of the sheet; a data zone is named by its zone, a regional deployment by its region."""
    if region.startswith("usgov"):
        raise UnreadMeter("not-expressible", "a government cloud, which the sheet does not have")
    if meter.deployment == "global":
        return {}
    if meter.deployment == "regional":
        return {"deployment": ("regional",), "region": (region,)}
    zone = _ZONE_OF.get(region)
    if zone is None:
        raise UnreadMeter("unknown-context", "to which data zone the region belongs is not known")
    return {"deployment": ("data_zone",), "zone": (zone,)}


def _period(item: Mapping[str, Any]) -> Period:
    try:
        end = item.get("effectiveEndDate")
        valid_to = None if end is None else _after(parse_instant(_text(item, "effectiveEndDate")))
        return Period(parse_instant(_text(item, "effectiveStartDate")), valid_to)
    except (PermillionError, OverflowError):
        raise UnreadMeter("malformed", "effectiveStartDate and effectiveEndDate are no period") from None


def _after(end: datetime) -> datetime:
    """The first instant after an end that is written as the last second of a day."""
    return end + timedelta(seconds=1) if (end.hour, end.minute, end.second) == (23, 59, 59) else end
