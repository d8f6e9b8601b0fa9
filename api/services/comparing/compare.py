"""Ranking offers by what the text costs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from api.services.agreeing import standing_of
from api.services.comparing.figures import Figures, mean_figures
from api.services.comparing.hosting.pricing import (
    HostedOffer,
    PricedHosting,
    find_hosted,
    hosted_tokenizer,
    price_hosted,
)
from api.services.comparing.offer_costs import price_samples, priced_by_character
from api.services.comparing.question import Comparison, OfferToCompare
from api.services.comparing.tokens import ChosenTokenizer, Counts, choose_tokenizer, count_samples
from api.services.hosting.machinery import machinery_of
from api.services.offers import ResolvedOffer, resolve, standing_warnings
from api.services.pricing import native_currency
from catalog.snapshot import Snapshot
from economics.billing import Standing
from economics.errors import PermillionError
from economics.exchange import Conversion
from economics.money import Exact
from tokenizers_registry.counting import TokenCounter

YIELD_AFTER = 100
"""After so many samples priced, other requests get their turn."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """An offer on its way to a row: what has been found out before its texts are counted."""

    wanted: OfferToCompare
    resolved: ResolvedOffer | None = None
    tokenizer: ChosenTokenizer | None = None
    native_currency: str | None = None
    conversion: Conversion | None = None
    error: PermillionError | None = None
    hosted: HostedOffer | None = None


@dataclass(frozen=True, slots=True)
class ComparedOffer:
    """One offer's answer: figures over all samples and of each, or why there are none."""

    prospect: Prospect
    rank: int | None = None
    overall: Figures | None = None
    samples: Sequence[tuple[str, Figures]] = ()
    standing: Standing | None = None
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


async def compare(
    question: Comparison, snapshot: Snapshot, counter: TokenCounter, counts: Counts | None = None
) -> list[ComparedOffer]:
    """All offers, cheapest first, those that cannot be priced last.

    One snapshot and one instant serve the whole answer, so that a price that changes meanwhile cannot split it. Ranked by
    exact cost per query; never by a figure per character, which does not compare across languages. With `counts` nothing is
    counted: they are those of the texts, or of what stands in for texts that were not kept.
    """
    prospects: list[Prospect] = []
    for index, wanted in enumerate(question.offers, start=1):
        prospects.append(_prospect(wanted, question, snapshot, counter))
        if index % YIELD_AFTER == 0:
            await asyncio.sleep(0)
    chosen = [prospect.tokenizer for prospect in prospects if prospect.tokenizer is not None]
    if counts is None:
        counts = await count_samples(question.samples, chosen, counter)
    noted = ("sample_too_short",) if question.is_short else ()
    each = len(question.samples) * question.workload.turns_per_conversation
    hosted = [(prospect, prospect.hosted) for prospect in prospects if prospect.hosted is not None]
    beside = iter(await asyncio.to_thread(_hosted_costs, hosted, question, counts, noted) if hosted else ())
    priced: list[ComparedOffer] = []
    for index, prospect in enumerate(prospects, start=1):
        if prospect.hosted is not None:
            priced.append(next(beside))
            continue
        priced.append(cost_of(prospect, question, counts, noted))
        if index * each % YIELD_AFTER < each:
            await asyncio.sleep(0)
    return rank(priced)


def _prospect(wanted: OfferToCompare, question: Comparison, snapshot: Snapshot, counter: TokenCounter) -> Prospect:
    if wanted.error is not None:
        return Prospect(wanted, error=wanted.error)
    if wanted.hosting is not None:
        return _hosted_prospect(wanted, question, snapshot, counter)
    resolved: ResolvedOffer | None = None
    try:
        resolved = resolve(wanted.name, question.as_of, snapshot)
        if question.workload.batch_share and "processing" in wanted.name.context:
            raise PermillionError(
                "contradictory-context", "say either batch_share or processing, not both", pointer="/context/processing"
            )
        counted = question.has_text and not priced_by_character(resolved.card)
        tokenizer = choose_tokenizer(resolved.offer, wanted, counter) if counted else None
        native = native_currency(resolved)
        conversion = question.exchange.conversion(native)
    except PermillionError as error:
        return Prospect(wanted, resolved, error=error)
    return Prospect(wanted, resolved, tokenizer, native, conversion)


def _hosted_prospect(
    wanted: OfferToCompare, question: Comparison, snapshot: Snapshot, counter: TokenCounter
) -> Prospect:
    try:
        hosted = find_hosted(wanted, question.as_of, machinery_of(snapshot))
        tokenizer = hosted_tokenizer(hosted, wanted, counter) if question.has_text else None
        conversion = question.exchange.conversion(hosted.price.currency)
    except PermillionError as error:
        return Prospect(wanted, error=error)
    return Prospect(wanted, None, tokenizer, hosted.price.currency, conversion, hosted=hosted)


def cost_of(prospect: Prospect, question: Comparison, counts: Counts, noted: Sequence[str] = ()) -> ComparedOffer:
    """The figures of one offer, unranked; `noted` are warnings of the question itself."""
    if prospect.error is not None:
        return ComparedOffer(prospect, error=prospect.error)
    assert prospect.resolved is not None
    try:
        samples = price_samples(question, prospect.wanted, prospect.resolved, prospect.tokenizer, counts)
    except PermillionError as error:
        return ComparedOffer(prospect, error=error)
    overall = mean_figures(samples, [sample.weight for sample in question.samples])
    stands = standing_of(overall.rates, prospect.resolved.offer.witnesses, question.as_of)
    tokenizer_warnings = prospect.tokenizer.warnings if prospect.tokenizer is not None else ()
    tax_unknown = question.tax_excluded and any(rate.row.tax_included is None for rate in overall.rates)
    warnings = [
        *overall.warnings,
        *tokenizer_warnings,
        *(("tax_unknown",) if tax_unknown else ()),
        *noted,
        *standing_warnings(stands, prospect.resolved, question.as_of),
    ]
    named = [(sample.name, figures) for sample, figures in zip(question.samples, samples, strict=True)]
    return ComparedOffer(prospect, None, overall, named, stands, list(dict.fromkeys(warnings)))


def _hosted_costs(
    prospects: Sequence[tuple[Prospect, HostedOffer]], question: Comparison, counts: Counts, noted: Sequence[str]
) -> list[ComparedOffer]:
    offers = [(hosted, prospect.tokenizer) for prospect, hosted in prospects]
    priced = price_hosted(offers, question, counts)
    return [
        _hosted_answer(prospect, hosted, question, each, noted)
        for (prospect, hosted), each in zip(prospects, priced, strict=True)
    ]


def _hosted_answer(
    prospect: Prospect,
    hosted: HostedOffer,
    question: Comparison,
    priced: PricedHosting | PermillionError,
    noted: Sequence[str],
) -> ComparedOffer:
    if isinstance(priced, PermillionError):
        return ComparedOffer(prospect, error=priced)
    overall = mean_figures(priced.samples, [sample.weight for sample in question.samples])
    named = [(sample.name, figures) for sample, figures in zip(question.samples, priced.samples, strict=True)]
    said = dict.fromkeys((*overall.warnings, *priced.warnings, *noted))
    return ComparedOffer(prospect, None, overall, named, hosted.standing, list(said))


def rank(offers: Sequence[ComparedOffer]) -> list[ComparedOffer]:
    """Ascending by converted exact cost per query; equal costs share a rank, in request order; errors last."""
    priced = sorted((o for o in offers if o.overall is not None), key=_converted)
    ranked: list[ComparedOffer] = []
    ranks = [1] * len(priced)
    for index, (before, after) in enumerate(pairwise(priced), start=1):
        ranks[index] = ranks[index - 1] if _converted(before) == _converted(after) else index + 1
    for offer, place in zip(priced, ranks, strict=True):
        ranked.append(
            ComparedOffer(offer.prospect, place, offer.overall, offer.samples, offer.standing, offer.warnings)
        )
    return ranked + [offer for offer in offers if offer.overall is None]


def _converted(offer: ComparedOffer) -> Exact:
    assert offer.overall is not None
    cost = offer.overall.cost_per_query
    conversion = offer.prospect.conversion
    return cost if conversion is None else cost * conversion.factor
