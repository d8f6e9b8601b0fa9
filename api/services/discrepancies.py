"""Use case: where sources disagree about a price, each one's figure side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from api.services.agreeing import Voice, compare_voices, why_silent
from catalog.snapshot import Offer, Snapshot
from economics.agreement import Agreement, Comparable, Pair, comparables, constant_ratio, price_of_unit, worst
from economics.errors import PermillionError
from economics.prices import PriceRow, PriceStatus

_CONVERTED_FROM = 2
"""Models of another market's book that must show one exchange rate."""


@dataclass(frozen=True, slots=True)
class SourcePrice:
    """One source's price of one thing, beside the chosen one's.

    Args:
        currency: of all prices compared.
        about: meter, context and tier.
        chosen: whether this is the price the others are compared with.
        agreement: to the chosen price; None where the source is silent, `voice.silent` says why.
        status: of the thing, the worst that any source makes it.
        finding: `unit_slip`, `constant_ratio=<ratio>` over the models of the vendor, `converted=<rate>` or "".
    """

    provider: str
    model: str
    currency: str
    about: Comparable
    voice: Voice
    chosen: bool
    agreement: Agreement | None
    status: PriceStatus
    finding: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Which discrepancies: of one provider or model or all, and also where sources agree with `agreed`."""

    as_of: datetime
    provider: str | None = None
    model: str | None = None
    agreed: bool = False


def find_discrepancies(snapshot: Snapshot, asked: Asked) -> list[SourcePrice]:
    """Every source's price of the things that sources disagree about, by provider, model and thing, the chosen one first.

    Args:
        snapshot: with the books that feeds were imported into.
        asked: which ones.

    Returns:
        Only things that at least two sources price in one currency.
    """
    found: list[SourcePrice] = []
    by_provider: dict[str, list[tuple[str, str]]] = {}
    for provider, model in snapshot.witnessed():
        if asked.provider is None or asked.provider.casefold() == provider.casefold():
            by_provider.setdefault(provider.casefold(), []).append((provider, model))
    for named in by_provider.values():
        of_vendor = [said for provider, model in named for said in _of_model(snapshot, provider, model, asked.as_of)]
        conversions = _conversions(snapshot, named, asked.as_of)
        found.extend(_with_findings(of_vendor, conversions))
    wanted = None if asked.model is None else asked.model.casefold()
    return [
        said
        for said in found
        if (asked.agreed or said.status is not PriceStatus.OK) and wanted in (None, said.model.casefold())
    ]


def _of_model(snapshot: Snapshot, provider: str, model: str, as_of: datetime) -> Iterator[SourcePrice]:
    things: dict[tuple[str, Comparable], list[Voice]] = {}
    for offer in _list_offers(snapshot, provider, model, as_of):
        sources = {source.title: source for source in snapshot.providers[offer.provider].sources.values()}
        for row in offer.prices.rows:
            if row.period.contains(as_of):
                voice = Voice(offer.book.id, row, sources.get(row.provenance.source), listed=True)
                for about in comparables(row):
                    things.setdefault((row.currency, about), []).append(voice)
    for witness in snapshot.witnesses(provider, model):
        if not witness.row.period.contains(as_of):
            continue
        for about in comparables(witness.row):
            voices = things.setdefault((witness.row.currency, about), [])
            against = voices[0].row if voices else witness.row
            silent = why_silent(witness.row, against, as_of)
            voices.append(Voice(witness.price_book, witness.row, witness.source, silent))
    for (currency, about), voices in sorted(things.items(), key=lambda item: _order(*item[0])):
        if len(voices) < 2:
            continue
        compared = compare_voices(voices)
        status = worst([agreement.status for _, agreement in compared if agreement is not None])
        for position, (voice, agreement) in enumerate(compared):
            finding = "" if agreement is None else agreement.finding
            yield SourcePrice(provider, model, currency, about, voice, not position, agreement, status, finding)


def _order(currency: str, about: Comparable) -> tuple[str, tuple[tuple[str, str], ...], int, str]:
    meter, context, bound = about
    return meter, context, -1 if bound is None else bound, currency


def _list_offers(snapshot: Snapshot, provider: str, model: str, as_of: datetime) -> Iterator[Offer]:
    facts = next((f for name, f in snapshot.providers.items() if name.casefold() == provider.casefold()), None)
    for book in () if facts is None else facts.books:
        try:
            offer = snapshot.offer(provider, model, book, as_of)
        except PermillionError:
            continue  # the list has no such model, or not in this book
        if offer.resolved_from_alias is None:
            yield offer


def _conversions(
    snapshot: Snapshot, named: Sequence[tuple[str, str]], as_of: datetime
) -> dict[tuple[str, str], Fraction]:
    """By feed source and its currency, the one rate at which its prices equal those of a list book in another currency."""
    rows: dict[tuple[str, str, str], dict[str, list[tuple[PriceRow, PriceRow]]]] = {}
    for provider, model in named:
        listed: dict[Comparable, list[PriceRow]] = {}
        for offer in _list_offers(snapshot, provider, model, as_of):
            for row in offer.prices.rows:
                if row.period.contains(as_of):
                    for about in comparables(row):
                        listed.setdefault(about, []).append(row)
        for witness in snapshot.witnesses(provider, model):
            row = witness.row
            for about in comparables(row) if row.rate and row.period.contains(as_of) else ():
                for other in listed.get(about, ()):
                    if other.currency != row.currency and other.rate:
                        key = (witness.source.title, row.currency, other.currency)
                        rows.setdefault(key, {}).setdefault(model, []).append((row, other))
    found: dict[tuple[str, str], Fraction] = {}
    for (title, currency, _), by_model in rows.items():
        rate = constant_ratio(_pairs(by_model), _CONVERTED_FROM)
        if rate is not None:
            found[title, currency] = rate
    return found


def _pairs(rows: Mapping[str, Sequence[tuple[PriceRow, PriceRow]]]) -> dict[str, list[Pair]]:
    """By model, the chosen and the other price with the finest step in which either source prints its prices."""
    every = [pair for some in rows.values() for pair in some]
    steps = [min(_step(pair[side]) for pair in every) for side in (0, 1)]
    return {
        model: [
            Pair(price_of_unit(one), price_of_unit(other), steps[0] / one.per, steps[1] / other.per)
            for one, other in some
        ]
        for model, some in rows.items()
    }


def _step(row: PriceRow) -> Fraction:
    """One unit of the last place of a rate: 0.01 of 0.67."""
    exponent = row.rate.normalize().as_tuple().exponent
    return Fraction(10) ** min(int(exponent), 0)


def _with_findings(
    of_vendor: Sequence[SourcePrice], conversions: dict[tuple[str, str], Fraction]
) -> Iterator[SourcePrice]:
    chosen = {(said.model, said.currency, said.about): said.voice.row for said in of_vendor if said.chosen}
    rows: dict[str, dict[str, list[tuple[PriceRow, PriceRow]]]] = {}
    for said in of_vendor:
        ours = chosen[said.model, said.currency, said.about]
        if not said.chosen and said.agreement is not None and said.agreement.ratio and ours.per == said.voice.row.per:
            title = said.voice.row.provenance.source
            rows.setdefault(title, {}).setdefault(said.model, []).append((ours, said.voice.row))
    disputed = {said.voice.row.provenance.source for said in of_vendor if said.status is not PriceStatus.OK}
    constants = {title: constant_ratio(_pairs(by_model)) for title, by_model in rows.items() if title in disputed}
    for said in of_vendor:
        title = said.voice.row.provenance.source
        converted, constant = conversions.get((title, said.currency)), constants.get(title)
        if said.chosen or said.finding or said.agreement is None:
            yield said
        elif converted is not None:
            yield replace(said, finding=f"converted={float(converted):.4g}")
        elif constant is not None and said.status is not PriceStatus.OK:
            yield replace(said, finding=f"constant_ratio={float(constant):.2g}")
        else:
            yield said
