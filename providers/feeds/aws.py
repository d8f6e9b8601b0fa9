"""AWS's price list of Bedrock (pricing.us-east-1.amazonaws.com, `offers/v1.0/aws/AmazonBedrock…/index.json`).

Three offers sell models: `AmazonBedrock` (Amazon's and open models), `AmazonBedrockService` and
`AmazonBedrockFoundationModels` (Claude, OpenAI: billed by the Marketplace). `effectiveDate` is the vendor's own word for
when a price began. A price in a region becomes a row of the in-region id under `region`; a global price, which is listed
once for each region, becomes one row of the id that begins with `global.`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from economics.errors import PermillionError
from economics.money import multiply
from economics.periods import Period, parse_instant
from economics.prices import PriceRow, Provenance
from providers.feeds.aws_usage import AwsUsage, UnreadProduct, read_model, read_usage, tier_of
from providers.feeds.gathering import gather, one_line
from providers.feeds.reading import FeedReading, FeedRow, Refused, per_usual_unit, read_json, read_number
from providers.feeds.starts import earliest
from providers.sheet import Source

OFFERS: Final = ("AmazonBedrock", "AmazonBedrockService", "AmazonBedrockFoundationModels")
_HOST: Final = "pricing.us-east-1.amazonaws.com"
_ONE: Final = {"1k tokens": Decimal("0.001"), "1m tokens": Decimal("0.000001"), "tokens": Decimal(1)}
_MAX_VERSION: Final = 100


@dataclass(frozen=True, slots=True)
class _Product:
    """What a product is the price of."""

    sku: str
    model: str
    usage: AwsUsage
    conditions: dict[str, tuple[str, ...]]


class AwsPriceList:
    """The reader of AWS's price list."""

    name = "aws"
    title = "AWS price list"
    hosts = (_HOST,)

    def read(self, content: bytes, retrieved_on: date) -> FeedReading:
        """Read an offer's file, of one region or of all.

        >>> offer = (
        ...     b'{"offerCode": "AmazonBedrock", "version": "20261130", "products": {"A": {"attributes": {"model": "Nova Pro",'
        ...     b'"usagetype": "USE1-NovaPro-input-tokens", "regionCode": "us-east-1"}}}, "terms": {"OnDemand": {"A": {"A.T":'
        ...     b'{"effectiveDate": "2026-07-01T00:00:00Z", "priceDimensions": {"A.T.D": {"unit": "1K tokens",'
        ...     b'"pricePerUnit": {"USD": "0.0008000000"}}}}}}}}'
        ... )
        >>> row = FEED.read(offer, date(2026, 11, 30)).rows[0]
        >>> row.model, row.row.rate, row.row.per, row.row.conditions
        ('amazon.nova-pro-v1:0', Decimal('0.8'), 1000000, {'region': ('us-east-1',)})
        """
        offer = _offer(read_json(content))
        title = f"AWS price list, {offer['offerCode']}"
        rows: list[FeedRow] = []
        refused = list(_other_terms(offer["terms"]))
        on_demand = offer["terms"].get("OnDemand")
        for sku, product in offer["products"].items():
            try:
                known = _product(sku, product)
            except UnreadProduct as unread:
                refused.append(Refused(_shown(sku), _usage_type(product), unread.reason, unread.detail))
                continue
            for where, found in _prices(known, on_demand, Provenance(title, retrieved_on)):
                if isinstance(found, PriceRow):
                    rows.append(FeedRow("aws", known.model, found, sku))
                else:
                    refused.append(Refused(_shown(sku), where, found.reason, found.detail))
        version = offer.get("version")
        source = Source(
            title=title,
            kind="vendor_api",
            url=f"https://{_HOST}/offers/v1.0/aws/{offer['offerCode']}/current/index.json",
            version=version if isinstance(version, str) and 0 < len(version) <= _MAX_VERSION else None,
            retrieved_on=retrieved_on,
        )
        return gather({title: source}, earliest(rows), refused, len(offer["products"]))


FEED: Final = AwsPriceList()


def _offer(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("offerCode") not in OFFERS:
        raise PermillionError("invalid-feed", f"not a file of the offers {', '.join(OFFERS)}")
    if not isinstance(value.get("products"), dict) or not isinstance(value.get("terms"), dict):
        raise PermillionError("invalid-feed", "an offer's file has products and terms")
    return value


def _other_terms(terms: Mapping[str, Any]) -> Iterator[Refused]:
    for name in terms:
        if name != "OnDemand":
            yield Refused(
                _shown(name), "terms", "not-expressible", "terms other than on demand: commitments, not rates"
            )


def _shown(key: str) -> str:
    return one_line(key) or "(none)"


def _product(sku: str, product: Any) -> _Product:
    attributes = product.get("attributes") if isinstance(product, dict) else None
    if not isinstance(attributes, dict):
        raise UnreadProduct("malformed", "a product has attributes")
    feature = attributes.get("feature")
    if isinstance(feature, str) and feature not in ("", "On-demand Inference", "Batch Inference"):
        raise UnreadProduct("not-expressible", "a feature other than inference on demand or in batches")
    model, latency = read_model(_named(attributes))
    usage = _agreed(read_usage(_text(attributes, "usagetype")), attributes, latency=latency)
    region = _text(attributes, "regionCode")
    if region.startswith("us-gov-"):
        raise UnreadProduct("not-expressible", "a government cloud, which the sheet does not have")
    place = {} if usage.is_global else {"region": (region,)}
    return _Product(sku, f"global.{model}" if usage.is_global else model, usage, place | usage.conditions)


def _named(attributes: Mapping[str, Any]) -> str:
    for key in ("model", "titanModel", "servicename"):
        value = attributes.get(key)
        if isinstance(value, str) and value.strip():
            return value
    raise UnreadProduct("invalid-name", "neither model nor servicename")


def _agreed(usage: AwsUsage, attributes: Mapping[str, Any], *, latency: bool) -> AwsUsage:
    """The usage, with the mode that other attributes of the product say; refused where they contradict it."""
    kind = attributes.get("inferenceType")
    if isinstance(kind, str) and kind and ("output" in kind.lower()) != (usage.meter == "output_tokens"):
        raise UnreadProduct("malformed", "usagetype and inferenceType differ in input or output")
    said = {usage.mode, "latency" if latency else "standard"}
    said.add("batch" if attributes.get("feature") == "Batch Inference" else "standard")
    said_elsewhere = [text for text in (kind, attributes.get("service_tier")) if isinstance(text, str)]
    words = " ".join(said_elsewhere).lower().replace("-", " ").split()
    said |= {"batch", "flex", "priority"} & set(words)
    modes = sorted(said - {"standard"})
    if len(modes) > 1:
        raise UnreadProduct("unknown-context", f"says {' and '.join(modes)}")
    if "global" in words and not usage.is_global:
        raise UnreadProduct("unknown-context", "usagetype and another attribute differ in global")
    return replace(usage, mode=modes[0] if modes else "standard")


def _text(attributes: Mapping[str, Any], name: str) -> str:
    value = attributes.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UnreadProduct("malformed", f"{name} is missing")
    return value.strip()


def _usage_type(product: Any) -> str:
    attributes = product.get("attributes") if isinstance(product, dict) else None
    found = attributes.get("usagetype") if isinstance(attributes, dict) else None
    return found[:200] if isinstance(found, str) else ""


def _prices(
    product: _Product, on_demand: Any, provenance: Provenance
) -> Iterator[tuple[str, PriceRow | UnreadProduct]]:
    """The rows of a product, or why there is none, each with the code of its rate."""
    terms = on_demand.get(product.sku) if isinstance(on_demand, dict) else None
    if not isinstance(terms, dict) or not terms:
        yield "terms", UnreadProduct("missing-price", "no price on demand")
        return
    for term_code, term in terms.items():
        dimensions = term.get("priceDimensions") if isinstance(term, dict) else None
        if not isinstance(dimensions, dict) or not dimensions:
            yield term_code, UnreadProduct("missing-price", "no priceDimensions")
            continue
        for code, dimension in dimensions.items():
            try:
                for row in _rows(product, term, dimension, provenance):
                    yield code, row
            except UnreadProduct as unread:
                yield code, unread


def _rows(
    product: _Product, term: Mapping[str, Any], dimension: Any, provenance: Provenance
) -> list[PriceRow]:  # fmt: skip
    """One row for each currency of a price dimension."""
    if not isinstance(dimension, dict):
        raise UnreadProduct("malformed", "a price dimension is an object")
    one = _ONE.get(_text(dimension, "unit").lower())
    if one is None:
        raise UnreadProduct("unknown-unit", f"the unit is none of {', '.join(_ONE)}")
    if dimension.get("beginRange", "0") != "0" or dimension.get("endRange", "Inf") != "Inf":
        raise UnreadProduct("not-expressible", "a price by monthly volume")
    prices = dimension.get("pricePerUnit")
    if not isinstance(prices, dict) or not prices:
        raise UnreadProduct("missing-currency", "no price in any currency")
    rows: list[PriceRow] = []
    for currency, text in prices.items():
        if not (len(currency) == 3 and currency.isascii() and currency.isupper()):
            raise UnreadProduct("missing-currency", "not an ISO 4217 code")
        rate, per = per_usual_unit(multiply(_price(text), one), product.usage.meter)
        rows.append(
            PriceRow(
                meter=product.usage.meter,
                rate=rate,
                per=per,
                currency=currency,
                provenance=provenance,
                conditions=product.conditions,
                tier=tier_of(product.model.removeprefix("global."), product.usage),
                period=_since(term),
            )
        )
    return rows


def _price(text: Any) -> Decimal:
    price = read_number(text)
    if price is None:
        raise UnreadProduct("not-a-number", "the price is no plain decimal")
    if price < 0:
        raise UnreadProduct("sentinel", "the price is negative")
    if not price:
        raise UnreadProduct("zero-price", "the price is 0")
    return price


def _since(term: Mapping[str, Any]) -> Period:
    try:
        return Period(parse_instant(_text(term, "effectiveDate")))
    except PermillionError:
        raise UnreadProduct("malformed", "effectiveDate is no instant") from None
