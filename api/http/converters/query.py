"""Questions by query string."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from litestar.params import QueryParameter

from api.http.converters.compare import from_api_compare
from api.http.schemas.compare import CompareRequest
from api.http.wire import decode_model
from api.services.comparing.question import Comparison
from catalog.snapshot import Snapshot

PRIVATE_NO_STORE = {"Cache-Control": "private, no-store"}
"""A URL may carry the caller's text: no cache may keep the answer."""


class QueryText:
    """Parameters of the GET twins, all text: they are read by the rules of the JSON body."""

    Text = Annotated[str | None, QueryParameter(name="text", description="the input text")]
    InputTokens = Annotated[
        str | None, QueryParameter(name="input_tokens", description="instead of text", max_length=20)
    ]
    OutputCharacters = Annotated[
        str | None, QueryParameter(name="output_characters", description="characters a query gives back", max_length=20)
    ]
    OutputTokens = Annotated[
        str | None, QueryParameter(name="output_tokens", description="tokens a query gives back", max_length=20)
    ]
    QueriesPerMonth = Annotated[
        str | None, QueryParameter(name="queries_per_month", description="for cost_per_month", max_length=50)
    ]
    Currency = Annotated[str, QueryParameter(name="currency", description="ISO 4217 code of the answer", max_length=10)]
    AsOf = Annotated[
        str | None, QueryParameter(name="as_of", description="RFC 3339 instant or date; default: now", max_length=40)
    ]


def question_from_query(
    offers: Sequence[str],
    snapshot: Snapshot,
    now: datetime,
    *,
    text: str | None,
    input_tokens: str | None,
    output_characters: str | None,
    output_tokens: str | None,
    queries_per_month: str | None,
    currency: str,
    as_of: str | None,
) -> Comparison:
    """The question that the parameters put, read as if they were the body of `POST /compare`."""
    workload = {
        "queries_per_month": queries_per_month,
        "output_characters_per_query": output_characters,
        "output_tokens_per_query": output_tokens,
    }
    body: dict[str, object] = {
        "offers": list(offers),
        "workload": {name: value for name, value in workload.items() if value is not None},
        "currency": currency,
    }
    if text is not None:
        body["text"] = text
    if input_tokens is not None:
        body["samples"] = [{"name": "0", "input_tokens": input_tokens}]
    if as_of is not None:
        body["as_of"] = as_of
    return from_api_compare(decode_model(CompareRequest, body), snapshot, now)
