"""`/quotes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import msgspec

from api.http.converters.common import to_api_meta
from api.http.converters.compare import to_api_compare_rows, to_api_premium
from api.http.rendering import to_json
from api.http.schemas.quotes import DIFFERENCE_COLUMNS, QuoteRequest
from api.services.comparing.compare import ComparedOffer
from api.services.comparing.premiums import language_premiums
from api.services.comparing.question import Comparison
from api.services.quoting.differences import Difference, totals
from api.services.quoting.keeping import WhatToKeep, WritesAnswers
from api.services.quoting.replaying import Replay
from catalog.quotes import Quote, QuoteFacts
from economics.errors import PermillionError
from economics.method import METHOD_VERSION
from economics.periods import format_instant

_WORDS = frozenset(("tokenizer", "method_version", "sheet", "count_method", "error_code", "price_status"))
LONGEST_RETENTION = timedelta(days=366)


def from_api_quote(request: QuoteRequest, now: datetime) -> WhatToKeep:
    """What is to be kept.

    Raises:
        PermillionError: `invalid-fields` for an end of retention that is past or too far away.
    """
    until = request.retain_text_until
    if until is not None and not now < until <= now + LONGEST_RETENTION:
        raise PermillionError(
            "invalid-fields", "texts are kept until an instant within the next 366 days", pointer="/retain_text_until"
        )
    return WhatToKeep(request.title, request.note, until, request.as_of is not None)


def answer_writer(detail: bool) -> WritesAnswers:
    """Writes answers of `POST /compare`, with or without rows of single samples."""

    def write(
        question: Comparison, offers: Sequence[ComparedOffer], catalog_version: str, method_version: str
    ) -> tuple[list[dict[str, Any]], bytes]:
        rows = to_api_compare_rows(offers, question, catalog_version, detail)
        premiums = [to_api_premium(p) for p in language_premiums(offers, question.language_pairs)]
        meta = to_api_meta(question.as_of, catalog_version, (code for o in offers for code in o.warnings))
        for row in rows:
            row["method_version"] = method_version
        meta["method_version"] = method_version
        return rows, to_json(rows, {"premiums": premiums, "meta": meta})

    return write


def has_detail(quote: Quote) -> bool:
    """Whether the answer has rows of single samples."""
    return len(msgspec.json.decode(quote.answer)["rows"]) > len(quote.offers)


def to_api_quote_row(quote: QuoteFacts) -> dict[str, Any]:
    """A row of `GET /quotes`."""
    return {
        "quote_id": quote.quote,
        "title": quote.title,
        "note": quote.note,
        "created_at": format_instant(quote.created_at),
        "as_of": format_instant(quote.as_of),
        "currency": quote.currency,
        "catalog_version": quote.catalog_version,
        "method_version": quote.method_version,
        "answer_sha256": quote.answer_sha256,
        "text_retained_until": None if quote.text_until is None else format_instant(quote.text_until),
        "revision": quote.revision,
    }


def to_api_quote(quote: Quote) -> dict[str, Any]:
    """`quote` of the answer."""
    asked = quote.question["offers"]
    return {
        **to_api_quote_row(quote),
        "question": quote.question,
        "texts": [_text(text) for text in quote.texts],
        "offers": [
            {
                "row_id": asked[record["index"]]["row_id"],
                "offer": asked[record["index"]]["offer"],
                "tokenizer": record["tokenizer"],
                "list_cost_per_query": record["list_cost_per_query"],
                "rates": [{k: v for k, v in rate.items() if k not in ("slot", "listed")} for rate in record["rates"]],
            }
            for record in quote.offers
        ],
    }


def _text(text: Any) -> dict[str, Any]:
    tokens = [
        {"tokenizer": name, "tokens": None, "error_code": count[0]}
        if isinstance(count, list)
        else {"tokenizer": name, "tokens": count, "error_code": None}
        for name, count in text["tokens"].items()
    ]
    return {name: text[name] for name in ("sha256", "characters", "bytes")} | {"tokens": tokens}


def to_api_difference(difference: Difference) -> dict[str, Any]:
    """A row of the report."""
    values = asdict(difference)
    values["before_text"] = values["after_text"] = None
    if difference.field in _WORDS:
        values["before_text"], values["after_text"] = values["before"], values["after"]
        values["before"] = values["after"] = None
    return {name: values[name] for name in DIFFERENCE_COLUMNS}


def to_api_replay(quote: Quote, replayed: Replay, found: Sequence[Difference]) -> dict[str, Any]:
    """`replay` of the answer."""
    return {
        "quote_id": quote.quote,
        "same_bytes": replayed.sha256 == quote.answer_sha256,
        "answer_sha256": replayed.sha256,
        "recomputed": replayed.recomputed,
        "counts": replayed.counts,
        "as_of": format_instant(quote.as_of),
        "catalog_version": quote.catalog_version,
        "method_version": quote.method_version,
        "fresh_as_of": format_instant(replayed.fresh_as_of),
        "fresh_catalog_version": replayed.fresh_catalog_version,
        "fresh_method_version": METHOD_VERSION,
        "causes": ";".join(f"{cause}={count}" for cause, count in sorted(totals(found).items())),
    }
