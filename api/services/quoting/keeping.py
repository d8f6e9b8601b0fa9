"""Use case: a comparison becomes a quote."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from api.services.comparing.compare import ComparedOffer, compare
from api.services.comparing.question import Comparison, OfferToCompare
from api.services.offers import OfferName
from api.services.quoting.counted import KeptCounts, text_records
from api.services.quoting.question_record import to_db_question, with_stand_ins, without_texts
from api.services.quoting.rates import rates_of
from catalog.columns import canonical_json
from catalog.quotes import Quote
from catalog.snapshot import Snapshot
from economics.method import METHOD_VERSION
from economics.money import ZERO, Exact
from tokenizers_registry.counting import TokenCounter


class WritesAnswers(Protocol):
    """Writes a comparison as it is answered: its rows, and all of it as bytes."""

    def __call__(
        self, question: Comparison, offers: Sequence[ComparedOffer], catalog_version: str, method_version: str
    ) -> tuple[list[dict[str, Any]], bytes]:
        """Rows in rank order, and the answer."""


@dataclass(frozen=True, slots=True)
class WhatToKeep:
    """What the caller says of the quote itself.

    Args:
        title: for people.
        note: for people.
        text_until: until when the texts are to be kept; None not to keep them.
        as_of_stated: whether the question names its instant.
    """

    title: str
    note: str
    text_until: datetime | None
    as_of_stated: bool


async def make_quote(
    wanted: WhatToKeep,
    question: Comparison,
    offers: Sequence[ComparedOffer],
    snapshot: Snapshot,
    counter: TokenCounter,
    write: WritesAnswers,
    now: datetime,
) -> Quote:
    """The quote of a comparison that was made; nothing is written yet."""
    chosen = [offer.prospect.tokenizer for offer in offers if offer.prospect.tokenizer is not None]
    texts = await text_records(question, chosen, counter)
    kept = without_texts(question)
    lists = await _list_costs(with_stand_ins(kept, texts), offers, snapshot, counter, KeptCounts(texts))
    places = {id(offer): place for place, offer in enumerate(question.offers)}
    records = [_offer_record(o, places[id(o.prospect.wanted)], lists, counter) for o in offers]
    question_record, texts_record, offers_record = (
        _as_stored(value) for value in (to_db_question(kept), texts, records)
    )
    _, body = write(question, offers, snapshot.version, METHOD_VERSION)
    return Quote(
        quote=f"q-{secrets.token_hex(12)}",
        title=wanted.title,
        note=wanted.note,
        created_at=now,
        as_of=question.as_of,
        as_of_stated=wanted.as_of_stated,
        catalog_number=snapshot.number,
        catalog_version=snapshot.version,
        method_version=METHOD_VERSION,
        currency=question.currency,
        revision=1,
        answer_sha256=hashlib.sha256(body).hexdigest(),
        text_until=wanted.text_until,
        question=question_record,
        texts=texts_record,
        offers=offers_record,
        text_question=None if wanted.text_until is None else to_db_question(question),
        answer=body,
    )


def _as_stored(value: Any) -> Any:
    """The value as it comes back from the database: the first answer is the same bytes as every later one."""
    return json.loads(canonical_json(value))


def _offer_record(
    offer: ComparedOffer, place: int, lists: Mapping[int, tuple[str, str]], counter: TokenCounter
) -> dict[str, Any]:
    """What is kept of an offer beside its row: its place in the question, the tokenizer, the rates, the list's cost."""
    chosen, resolved, listed = offer.prospect.tokenizer, offer.prospect.resolved, lists.get(place)
    return {
        "index": place,
        "tokenizer": None if chosen is None else chosen.tokenizer,
        "fingerprint": None if chosen is None else counter.registry[chosen.tokenizer].fingerprint,
        "rates": rates_of(offer),
        "list_cost_per_query": None if listed is None else listed[0],
        "native_list_cost_per_query": None if listed is None else listed[1],
        "book_kind": None if resolved is None else resolved.offer.book.kind,
    }


async def _list_costs(
    question: Comparison,
    offers: Sequence[ComparedOffer],
    snapshot: Snapshot,
    counter: TokenCounter,
    counts: KeptCounts,
) -> dict[int, tuple[str, str]]:
    """What a query costs by the list, where a discount or a private book makes another figure of it; by place of the offer.

    Converted, and in the currency of the book.

    The list of a private book is its base, if that is in the same currency.
    """
    answered = {id(offer.prospect.wanted): offer for offer in offers}
    listed: list[OfferToCompare] = []
    for place, wanted in enumerate(question.offers):
        offer = answered[id(wanted)]
        if offer.overall is None or offer.prospect.resolved is None:
            continue
        found = offer.prospect.resolved.offer
        base = found.base_book
        if found.book.kind == "private" and (base is None or base.currency != found.book.currency):
            continue
        if found.book.kind == "list" and not wanted.discount_share:
            continue
        book = wanted.name.price_book if base is None else base.id
        name = OfferName(wanted.name.offer, book, wanted.name.context)
        listed.append(OfferToCompare(place, name, ZERO, wanted.tokenizer))
    if not listed:
        return {}
    at_list = await compare(replace(question, offers=listed), snapshot, counter, counts)
    return {
        int(o.prospect.wanted.row_id): (cost.to_text(), o.overall.cost_per_query.to_text())
        for o in at_list
        if o.overall is not None and (cost := converted_cost(o)) is not None
    }


def converted_cost(offer: ComparedOffer) -> Exact | None:
    """Cost of a query in the currency of the answer."""
    if offer.overall is None:
        return None
    cost, conversion = offer.overall.cost_per_query, offer.prospect.conversion
    return cost if conversion is None else cost * conversion.factor
