"""`POST /compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import from_api_fx, text_or_none, to_api_standing
from api.http.converters.hosting import from_api_hosting
from api.http.converters.price import offer_of, row_id_of
from api.http.converters.tools import from_api_tool, from_api_tool_choice
from api.http.schemas.compare import COMPARE_COLUMNS, ComparedSamples, CompareOfferIn, CompareRequest, HostingOfferIn
from api.http.schemas.fields import Name
from api.http.wire import decode_row
from api.services.comparing.compare import ComparedOffer, Prospect
from api.services.comparing.figures import Figures
from api.services.comparing.premiums import Premium
from api.services.comparing.question import Comparison, OfferToCompare, Sample, Workload
from api.services.hosting.deployment import canonical
from api.services.offers import OfferName, split_compact
from catalog.snapshot import Snapshot
from economics.context import format_context
from economics.errors import PermillionError
from economics.exchange import Conversion, Exchange
from economics.margins.ratios import gross_margin_ratio
from economics.method import METHOD_VERSION
from economics.money import Exact, exact
from economics.periods import format_instant
from tokenizers_registry.images import Image

ALL_SAMPLES = "*"
_NAME: TypeAdapter[str] = TypeAdapter(Name)
_OFFER: TypeAdapter[CompareOfferIn] = TypeAdapter(CompareOfferIn)
_HOSTING: TypeAdapter[HostingOfferIn] = TypeAdapter(HostingOfferIn)


def from_api_compare(request: CompareRequest, snapshot: Snapshot, now: datetime) -> Comparison:
    """The question of a request; `now` is its instant unless it names one."""
    return replace(
        from_api_samples(request, request.as_of or now),
        offers=[_from_api_offer(value, index, snapshot) for index, value in enumerate(request.offers)],
        revenue_per_query=request.revenue_per_query,
        language_pairs=request.language_pairs,
    )


def from_api_samples(request: ComparedSamples, as_of: datetime) -> Comparison:
    """A question without offers: samples, workload, currency."""
    samples = [
        Sample(
            name,
            s.input_text,
            s.output_text,
            s.input_tokens,
            s.weight,
            s.system_text,
            [from_api_tool(tool) for tool in s.tools],
            [Image(image.width, image.height, image.detail) for image in s.images],
            from_api_tool_choice(s.tool_choice),
        )
        for name, s in zip(request.sample_names, request.samples or [], strict=True)
    ] or [Sample("0", request.text)]
    work = request.workload
    return Comparison(
        samples,
        [],
        as_of,
        Workload(
            work.queries_per_month,
            work.cached_input_share,
            work.batch_share,
            work.reasoning_tokens_per_query,
            work.retry_share,
            work.include_frame,
            work.output_tokens_per_query,
            work.output_characters_per_query,
            work.turns_per_conversation,
        ),
        Exchange(request.currency, from_api_fx(request.fx)),
        request.tax == "excluded",
    )


def _from_api_offer(value: Any, index: int, snapshot: Snapshot) -> OfferToCompare:
    if isinstance(value, dict) and "hosting" in value:
        return _from_api_hosted(value, index)
    try:
        offer: str | CompareOfferIn = decode_row(_NAME if isinstance(value, str) else _OFFER, value)
    except PermillionError as error:
        return OfferToCompare(row_id_of(value, index), offer_of(value), error=error)
    if isinstance(offer, str):
        name, book = split_compact(offer, snapshot)
        return OfferToCompare(index, OfferName(name, book, {}))
    return from_api_offer(offer, index)


def _from_api_hosted(value: Any, index: int) -> OfferToCompare:
    try:
        offer: HostingOfferIn = decode_row(_HOSTING, value)
    except PermillionError as error:
        return OfferToCompare(row_id_of(value, index), OfferName("", None, {}), error=error)
    deployment = from_api_hosting(offer.hosting)
    return OfferToCompare(
        index if offer.row_id is None else offer.row_id,
        OfferName(f"hosting/{deployment.model}", None, canonical(deployment)),
        tokenizer=offer.tokenizer,
        hosting=deployment,
    )


def from_api_offer(offer: CompareOfferIn, index: int) -> OfferToCompare:
    """An offer that could be read."""
    return OfferToCompare(
        index if offer.row_id is None else offer.row_id,
        OfferName(offer.offer, offer.price_book, offer.context),
        offer.discount_share,
        offer.tokenizer,
    )


def to_api_compare_rows(
    offers: Sequence[ComparedOffer], question: Comparison, catalog_version: str, detail: bool
) -> list[dict[str, Any]]:
    """The rows of the answer, in rank order; with `detail` each offer's samples after it."""
    rows: list[dict[str, Any]] = []
    for offer in offers:
        rows.append(_to_api_row(offer, ALL_SAMPLES, offer.overall, question, catalog_version))
        if detail:
            rows.extend(_to_api_row(offer, name, part, question, catalog_version) for name, part in offer.samples)
    return rows


def unanswered(error: PermillionError, as_of: datetime) -> tuple[Comparison, list[ComparedOffer]]:
    """A question that could not be read, as one row that says why."""
    prospect = Prospect(OfferToCompare(0, OfferName("", None, {}), error=error))
    return Comparison([], [], as_of), [ComparedOffer(prospect, error=error)]


def _to_api_row(
    offer: ComparedOffer, sample: str, figures: Figures | None, question: Comparison, catalog_version: str
) -> dict[str, Any]:
    """A row: what was asked, then the figures and the standing of the prices, or the error; nulls elsewhere."""
    row: dict[str, Any] = dict.fromkeys(COMPARE_COLUMNS)
    prospect, error = offer.prospect, offer.error
    resolved, tokenizer = prospect.resolved, prospect.tokenizer
    provider, _, model = prospect.wanted.name.offer.partition("/")
    row["row_id"] = prospect.wanted.row_id
    row["offer"] = prospect.wanted.name.offer or None
    row["provider"] = (provider if resolved is None else resolved.offer.model.provider) or None
    row["model"] = (model if resolved is None else resolved.offer.model.model) or None
    row["price_book"] = prospect.wanted.name.price_book if resolved is None else resolved.offer.book.id
    row["context"] = format_context(prospect.wanted.name.context) if resolved is None else resolved.context_text
    row["sample"] = sample
    row["native_currency"] = prospect.native_currency
    row["as_of"] = format_instant(question.as_of)
    row["catalog_version"] = catalog_version
    row["method_version"] = METHOD_VERSION
    if tokenizer is not None:
        row["tokenizer"] = tokenizer.tokenizer
        row["count_method"] = tokenizer.method
        row["frame_tokens"] = tokenizer.frame_tokens
    if error is not None:
        row["error_code"], row["error_detail"], row["warnings"] = error.slug, error.detail, ""
        if error.slug == "tokenizer-unavailable":
            row["count_method"] = "unavailable"
    if figures is not None:
        several = question.workload.turns_per_conversation > 1 or (sample == ALL_SAMPLES and len(question.samples) > 1)
        row["rank"] = offer.rank if sample == ALL_SAMPLES else None
        row["warnings"] = ";".join(offer.warnings)
        row |= _to_api_counts(figures, several)
        row |= _to_api_money(figures, prospect.conversion, question)
    if offer.standing is not None:
        row |= to_api_standing(offer.standing)
    return row


def _to_api_counts(figures: Figures, several: bool) -> dict[str, Any]:
    """Counts of one sample as integers, weighted means over several as decimal strings."""
    return {
        "input_characters": _count(figures.input_characters, several),
        "input_tokens": _count(figures.input_tokens, several),
        "output_characters": _count(figures.output_characters, several),
        "output_tokens": _count(figures.output_tokens, several),
        "frame_tokens": _whole(figures.frame_tokens),
        "tool_tokens": _whole(figures.tool_tokens),
        "image_tokens": _whole(figures.image_tokens),
        "tokens_low": _count(figures.tokens_low, several),
        "tokens_high": _count(figures.tokens_high, several),
        "tokens_per_character": text_or_none(figures.tokens_per_character),
    }


def _count(value: Exact | None, several: bool) -> int | str | None:
    if value is None:
        return None
    return value.to_text() if several else int(value.to_decimal())


def _whole(value: Exact | None) -> int | str | None:
    """A mean that is whole as an integer: overheads seldom differ between samples."""
    if value is None:
        return None
    if value.denominator == 1 and value.numerator == (whole := int(value.numerator)):
        return whole
    text = value.to_text()
    return int(text) if text.isdigit() else text


def _to_api_money(figures: Figures, conversion: Conversion | None, question: Comparison) -> dict[str, Any]:
    """Prices and costs in the currency of the answer, and the native ones they come from."""
    native = {
        "native_input_price_per_mtok": text_or_none(figures.input_price_per_mtok),
        "native_output_price_per_mtok": text_or_none(figures.output_price_per_mtok),
        "native_cost_per_query": figures.cost_per_query.to_text(),
    }

    def money(value: Exact | None) -> Exact | None:
        return value if value is None or conversion is None else value * conversion.factor

    def bound(value: Exact | None) -> str | None:
        """An exact count's bounds are the cost itself."""
        same = conversion is None and value is figures.cost_per_query
        return native["native_cost_per_query"] if same else text_or_none(money(value))

    cost = figures.cost_per_query if conversion is None else figures.cost_per_query * conversion.factor
    volume, revenue = question.workload.queries_per_month, question.revenue_per_query
    found: dict[str, Any] = {
        "currency": question.currency,
        **native,
        "input_cost_per_mchar": text_or_none(money(figures.input_cost_per_mchar)),
        "output_cost_per_mchar": text_or_none(money(figures.output_cost_per_mchar)),
        "cost_per_query_low": bound(figures.cost_low),
        "cost_per_query_high": bound(figures.cost_high),
    }
    if conversion is None:
        found |= {name.removeprefix("native_"): value for name, value in native.items()}
    else:
        found["input_price_per_mtok"] = text_or_none(money(figures.input_price_per_mtok))
        found["output_price_per_mtok"] = text_or_none(money(figures.output_price_per_mtok))
        found["cost_per_query"] = cost.to_text()
        found["fx_rate"], found["fx_as_of"] = conversion.factor.to_text(), conversion.as_of
    if volume is not None:
        found["cost_per_month"] = (cost * volume).to_text()
    if revenue is not None:
        found["revenue_per_query"] = exact(revenue).to_text()
        found["gross_margin_ratio"] = text_or_none(gross_margin_ratio(exact(revenue), cost))
    return found


def to_api_premium(premium: Premium) -> dict[str, Any]:
    """One row of `premiums`."""
    prospect = premium.offer.prospect
    return {
        "row_id": prospect.wanted.row_id,
        "offer": prospect.wanted.name.offer,
        "tokenizer": None if prospect.tokenizer is None else prospect.tokenizer.tokenizer,
        "sample": premium.sample,
        "base_sample": premium.base_sample,
        "input_tokens_ratio": text_or_none(premium.input_tokens_ratio),
        "output_tokens_ratio": text_or_none(premium.output_tokens_ratio),
        "cost_per_query_ratio": text_or_none(premium.cost_per_query_ratio),
    }
