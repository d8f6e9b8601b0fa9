"""The question of a quote as it is kept: without its texts, which hashes, lengths and counts stand for.

A text is written as `#n`, its place among the texts of the question. To work the figures out again a stand-in takes its
place: as many characters of a private-use code point as the text had, one code point a text. The counts are the kept ones,
so that nothing else of the text is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from api.services.comparing.question import Comparison, OfferToCompare, Sample, Workload
from api.services.offers import OfferName
from economics.errors import PermillionError
from economics.exchange import Exchange, FxRate
from tokenizers_registry.tools import Property, Tool, ToolChoice

_PRIVATE_USE: Final = 0xF0000
"""First code point of planes 15 and 16; a question has far fewer texts than these have places."""


@dataclass(frozen=True, slots=True)
class KeptOffer:
    """An offer as it was asked for; `error` is slug, detail and pointer of an entry that was none."""

    row_id: int | str
    offer: str
    price_book: str | None
    context: dict[str, str]
    discount_share: Decimal
    tokenizer: str | None
    error: tuple[str, str, str] | None


@dataclass(frozen=True, slots=True)
class KeptQuestion:
    """A comparison in plain values."""

    samples: list[Sample]
    offers: list[KeptOffer]
    as_of: datetime
    workload: Workload
    currency: str
    fx: list[FxRate]
    tax_excluded: bool
    revenue_per_query: Decimal | None
    language_pairs: list[tuple[str, str]]


def to_db_question(question: Comparison) -> Any:
    """The question in JSON's values, its texts as they are."""
    offers = [_kept(offer) for offer in question.offers]
    kept = KeptQuestion(
        list(question.samples),
        offers,
        question.as_of,
        question.workload,
        question.currency,
        list(question.exchange.rates),
        question.tax_excluded,
        question.revenue_per_query,
        list(question.language_pairs),
    )
    return msgspec.to_builtins(kept)


def from_db_question(value: Any) -> Comparison:
    """What `to_db_question` wrote."""
    kept = msgspec.convert(value, KeptQuestion)
    return Comparison(
        kept.samples,
        [_wanted(offer) for offer in kept.offers],
        kept.as_of,
        kept.workload,
        Exchange(kept.currency, kept.fx),
        kept.tax_excluded,
        kept.revenue_per_query,
        kept.language_pairs,
    )


def texts_of(question: Comparison) -> list[str]:
    """Every text that is counted, once, in the order of the samples."""
    return list(dict.fromkeys(text for sample in question.samples for text in sample.texts()))


def without_texts(question: Comparison) -> Comparison:
    """The question with a reference for each text; definitions of tools keep their form and lose their words."""
    places = {text: place for place, text in enumerate(texts_of(question))}
    samples = [_with_texts(s, lambda text: f"#{places[text]}", places.__getitem__) for s in question.samples]
    return replace(question, samples=samples)


def with_stand_ins(question: Comparison, texts: Sequence[Mapping[str, Any]]) -> Comparison:
    """The kept question with something in each text's place; `texts` as `api.services.quoting.keeping` records them."""

    def stand_in(reference: str) -> str:
        place = int(reference[1:])
        return chr(_PRIVATE_USE + place) * int(texts[place]["characters"])

    samples = [
        replace(
            s,
            input_text=None if s.input_text is None else stand_in(s.input_text),
            output_text=None if s.output_text is None else stand_in(s.output_text),
            system_text=None if s.system_text is None else stand_in(s.system_text),
        )
        for s in question.samples
    ]
    return replace(question, samples=samples)


def place_of(stand_in: str, texts: Sequence[Mapping[str, Any]]) -> int | None:
    """Which text a stand-in, or a line of a tool without words, stands for; None for the empty text.

    >>> place_of(chr(_PRIVATE_USE + 3) * 7, []), place_of("#2::", []), place_of("#12", [])
    (3, 2, 12)
    """
    if not stand_in:
        return next((place for place, text in enumerate(texts) if text["characters"] == 0), None)
    if stand_in.startswith("#"):
        return int(stand_in[1:].rstrip(":"))
    return ord(stand_in[0]) - _PRIVATE_USE


def _with_texts(sample: Sample, write: Callable[[str], str], place: Callable[[str], int]) -> Sample:
    tools: list[Tool] = []
    for tool in sample.tools:
        lines = iter(tool.lines())
        name = f"#{place(next(lines))}"
        properties: list[Property] = []
        for each in tool.properties:
            values = None if each.values is None else tuple(f"#{place(next(lines))}" for _ in each.values)
            properties.append(Property(f"#{place(next(lines))}", "", "", values))
        tools.append(Tool(name, "", tuple(properties), tool.plain))
    choice = sample.tool_choice
    if choice is not None and choice.name is not None:
        choice = ToolChoice(f"#{place(choice.name)}")
    return replace(
        sample,
        input_text=None if sample.input_text is None else write(sample.input_text),
        output_text=None if sample.output_text is None else write(sample.output_text),
        system_text=None if sample.system_text is None else write(sample.system_text),
        tools=tools,
        tool_choice=choice,
    )


def _kept(offer: OfferToCompare) -> KeptOffer:
    name, error = offer.name, offer.error
    return KeptOffer(
        offer.row_id,
        name.offer,
        name.price_book,
        dict(name.context),
        offer.discount_share,
        offer.tokenizer,
        None if error is None else (error.slug, error.detail, error.pointer),
    )


def _wanted(offer: KeptOffer) -> OfferToCompare:
    error = None if offer.error is None else PermillionError(offer.error[0], offer.error[1], pointer=offer.error[2])
    name = OfferName(offer.offer, offer.price_book, offer.context)
    return OfferToCompare(offer.row_id, name, offer.discount_share, offer.tokenizer, error)
