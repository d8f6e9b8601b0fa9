"""Use case: how many tokens texts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from api.services.comparing.question import OfferToCompare
from api.services.comparing.tokens import ChosenTokenizer, Counts, choose_tokenizer, tokenizer_named
from api.services.offers import OfferName, split_compact, split_offer
from api.services.pricing import RowId
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.text import TextMeasure


@dataclass(frozen=True, slots=True)
class CountedText:
    """One text by one tokenizer, or why it could not be counted."""

    text_id: RowId
    measure: TextMeasure
    offer: str | None
    tokenizer: ChosenTokenizer | None
    tokens: int | None
    error: PermillionError | None
    low: int | None = None
    high: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Column:
    offer: str | None
    name: str | None
    chosen: ChosenTokenizer | None
    error: PermillionError | None


async def tokenize(
    texts: Sequence[tuple[RowId, str]],
    tokenizers: Sequence[str],
    offers: Sequence[str],
    as_of: datetime,
    snapshot: Snapshot,
    counter: TokenCounter,
) -> list[CountedText]:
    """Each text by each tokenizer, or by the tokenizer of each offer; texts outermost."""
    columns = [_of_tokenizer(name, counter) for name in tokenizers]
    columns += [_of_offer(name, as_of, snapshot, counter) for name in offers]
    ids = list(dict.fromkeys(c.chosen.tokenizer for c in columns if c.chosen is not None))
    unique = list(dict.fromkeys(text for _, text in texts))
    lengths, answers = await counter.measure_and_count(unique, ids)
    measures = dict(zip(unique, lengths, strict=True))
    counts = Counts(dict(zip(unique, answers, strict=True)), {text: each.scripts for text, each in measures.items()})
    found: list[CountedText] = []
    for text_id, text in texts:
        measured = measures[text]
        for column in columns:
            if column.chosen is None:
                found.append(CountedText(text_id, measured, column.offer, None, None, column.error))
                continue
            found.append(_counted(text_id, text, measured, column, counts))
    return found


def _counted(text_id: RowId, text: str, measured: TextMeasure, column: _Column, counts: Counts) -> CountedText:
    chosen = column.chosen
    assert chosen is not None
    try:
        tokens = counts.of(text, chosen.tokenizer)
    except PermillionError as error:
        return CountedText(text_id, measured, column.offer, chosen, None, error, warnings=chosen.warnings)
    known = counts.range_of(text, chosen)
    low, high = (None, None) if known is None else known.tokens(tokens)
    warnings = (*chosen.warnings, *chosen.range_warnings(known is not None))
    return CountedText(text_id, measured, column.offer, chosen, tokens, None, low, high, warnings)


def _of_tokenizer(name: str, counter: TokenCounter) -> _Column:
    try:
        return _Column(None, name, tokenizer_named(name, counter), None)
    except PermillionError as error:
        return _Column(None, name, None, error)


def tokenizer_of_offer(name: str, as_of: datetime, snapshot: Snapshot, counter: TokenCounter) -> ChosenTokenizer:
    """The tokenizer of an offer, `provider/model` or `provider/model@book`.

    Raises:
        PermillionError: `unknown-model` and what else can be wrong with an offer, `tokenizer-unavailable`.
    """
    offer, book = split_compact(name, snapshot)
    provider, model = split_offer(offer)
    found = snapshot.offer(provider, model, book, as_of)
    return choose_tokenizer(found, OfferToCompare(0, OfferName(offer, book, {})), counter)


def _of_offer(name: str, as_of: datetime, snapshot: Snapshot, counter: TokenCounter) -> _Column:
    try:
        return _Column(name, None, tokenizer_of_offer(name, as_of, snapshot, counter), None)
    except PermillionError as error:
        return _Column(name, None, None, error)
