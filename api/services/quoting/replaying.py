"""Use case: a quote replayed to the same bytes, and what a fresh comparison would change, with each cause.

Four answers are held against each other, so that each step has one cause: the recorded one (A); the same question worked out
now with the catalog of then (B: method, tokenizers and facts of models are today's); with the catalog of now, about the same
instant (C: prices that were corrected, upgraded sheets); and about the instant of the fresh run (D: prices that change
by their dates).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import msgspec

from api.services.comparing.compare import ComparedOffer, compare
from api.services.comparing.question import Comparison
from api.services.comparing.tokens import Counts, tokenizer_named
from api.services.quoting.counted import NOT_KEPT, KeptCounts, text_records
from api.services.quoting.keeping import WritesAnswers
from api.services.quoting.question_record import from_db_question, with_stand_ins
from api.services.quoting.rates import Rate, rates_of
from catalog.quotes import Quote
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from tokenizers_registry.counting import TokenCounter

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AnsweredOffer:
    """One offer of one answer: its row, its rates, and the tokenizer that counted with its fingerprint."""

    row: Row
    rates: Sequence[Rate]
    tokenizer: str | None
    fingerprint: str | None


Answered = Mapping[int, AnsweredOffer]
"""An answer by the place of each offer in the question."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A quote replayed.

    Args:
        body: the answer's bytes: always those that were recorded.
        sha256: of them, taken anew.
        recomputed: `same` where the catalog of then gives these very bytes today, `differs` where today's program counts or
            works otherwise, `unknown` where this database does not have that catalog any more.
        counts: `recounted` where the texts were kept and their counts are the kept ones, `recounted_differently`, or `kept`
            where the texts were not kept.
        steps: recorded (A), worked out now (B), with the catalog of now (C), fresh (D); B is A where it is unknown.
        fresh_as_of: the instant of the fresh run.
        fresh_catalog_version: its catalog.
    """

    body: bytes
    sha256: str
    recomputed: Literal["same", "differs", "unknown"]
    counts: Literal["recounted", "recounted_differently", "kept"]
    steps: tuple[Answered, Answered, Answered, Answered]
    fresh_as_of: datetime
    fresh_catalog_version: str


@dataclass(frozen=True, slots=True)
class Then:
    """The quote and the catalog it was made with (None where the database has it no more)."""

    quote: Quote
    snapshot: Snapshot | None


async def replay(
    then: Then,
    now: Snapshot,
    counter: TokenCounter,
    counter_then: TokenCounter,
    fresh_as_of: datetime,
    write: WritesAnswers,
) -> Replay:
    """Work the quote out again.

    Args:
        then: the quote and its catalog.
        now: the catalog of now.
        counter: with the tokenizers registered now.
        counter_then: with those registered then.
        fresh_as_of: the instant of the fresh run.
        write: writes answers.
    """
    quote = then.quote
    question, counts, counted = await _question(quote, counter_then)
    recorded = recorded_answer(quote)
    recomputed: Literal["same", "differs", "unknown"] = "unknown"
    again: Answered = recorded
    if then.snapshot is not None:
        offers = await compare(question, then.snapshot, counter_then, counts)
        rows, body = write(question, offers, quote.catalog_version, quote.method_version)
        recomputed = "same" if body == quote.answer else "differs"
        again = _answered(question, offers, rows, counter_then)
        again = await _with_rates(again, question, recorded, then.snapshot, counter_then, counts)
    corrected = await _fresh(question, recorded, now, counter, counts, write)
    fresh = corrected
    if fresh_as_of != question.as_of:
        fresh = await _fresh(replace(question, as_of=fresh_as_of), recorded, now, counter, counts, write)
    steps = (recorded, again, corrected, fresh)
    sha256 = hashlib.sha256(quote.answer).hexdigest()
    return Replay(quote.answer, sha256, recomputed, counted, steps, fresh_as_of, now.version)


async def fresh_answer(
    quote: Quote, now: Snapshot, counter: TokenCounter, as_of: datetime, write: WritesAnswers
) -> Answered:
    """What the quote's question is answered with the catalog of now about `as_of`."""
    question, counts, _ = await _question(quote, counter)
    return await _fresh(replace(question, as_of=as_of), recorded_answer(quote), now, counter, counts, write)


def recorded_answer(quote: Quote) -> Answered:
    """The quote's own rows by the place of each offer; rows of single samples are left out."""
    rows = [row for row in msgspec.json.decode(quote.answer)["rows"] if row["sample"] == "*"]
    return {
        record["index"]: AnsweredOffer(row, record["rates"], record["tokenizer"], record["fingerprint"])
        for row, record in zip(rows, quote.offers, strict=True)
    }


async def _question(
    quote: Quote, counter: TokenCounter
) -> tuple[Comparison, Counts | None, Literal["recounted", "recounted_differently", "kept"]]:
    """The question with its texts, which are counted again, or with stand-ins and the kept counts."""
    if quote.text_question is None:
        question = with_stand_ins(from_db_question(quote.question), quote.texts)
        return question, KeptCounts(quote.texts), "kept"
    question = from_db_question(quote.text_question)
    named = {name for text in quote.texts for name in text["tokens"]} & set(counter.registry.in_use())
    again = await text_records(question, [tokenizer_named(name, counter) for name in sorted(named)], counter)
    same = all(
        record["sha256"] == kept["sha256"] and all(record["tokens"][n] == kept["tokens"].get(n) for n in named)
        for record, kept in zip(again, quote.texts, strict=True)
    )
    return question, None, "recounted" if same else "recounted_differently"


async def _fresh(
    question: Comparison,
    recorded: Answered,
    now: Snapshot,
    counter: TokenCounter,
    counts: Counts | None,
    write: WritesAnswers,
) -> Answered:
    offers = await compare(question, now, counter, counts)
    rows, _ = write(question, offers, now.version, "")
    return await _with_rates(_answered(question, offers, rows, counter), question, recorded, now, counter, counts)


async def _with_rates(
    answered: Answered,
    question: Comparison,
    recorded: Answered,
    snapshot: Snapshot,
    counter: TokenCounter,
    counts: Counts | None,
) -> Answered:
    """The answer with the rates of offers that could not be counted: a text that was not kept, and another tokenizer.

    They are found with the kept counts of the former tokenizer; only the rates are taken from that.
    """
    lost = [place for place, offer in answered.items() if offer.row["error_detail"] == NOT_KEPT]
    if counts is None or not lost:
        return answered
    wanted = [replace(question.offers[place], row_id=place, tokenizer=recorded[place].tokenizer) for place in lost]
    priced = await compare(replace(question, offers=wanted), snapshot, counter, counts)
    rates = {int(offer.prospect.wanted.row_id): rates_of(offer) for offer in priced}
    return {place: replace(o, rates=rates[place]) if place in rates else o for place, o in answered.items()}


def _answered(
    question: Comparison, offers: Sequence[ComparedOffer], rows: Sequence[Row], counter: TokenCounter
) -> Answered:
    places = {id(offer): place for place, offer in enumerate(question.offers)}
    whole = [row for row in rows if row["sample"] == "*"]
    found: dict[int, AnsweredOffer] = {}
    for offer, row in zip(offers, whole, strict=True):
        chosen = offer.prospect.tokenizer
        fingerprint = None if chosen is None else _fingerprint(chosen.tokenizer, counter)
        found[places[id(offer.prospect.wanted)]] = AnsweredOffer(
            row, rates_of(offer), None if chosen is None else chosen.tokenizer, fingerprint
        )
    return found


def _fingerprint(tokenizer: str, counter: TokenCounter) -> str | None:
    try:
        return counter.registry[tokenizer].fingerprint
    except PermillionError:
        return None
