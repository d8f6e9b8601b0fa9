"""Questions by query string."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from urllib.parse import unquote_to_bytes

from litestar.params import QueryParameter

from api.http.converters.compare import from_api_compare
from api.http.schemas.compare import CompareRequest
from api.http.wire import decode_model
from api.services.comparing.question import Comparison
from catalog.snapshot import Snapshot
from economics.errors import PermillionError

PRIVATE_NO_STORE = {"Cache-Control": "private, no-store"}
"""A URL may carry the caller's text: no cache may keep the answer."""


class QueryText:
    """Parameters of the GET twins, all text: they are read by the rules of the JSON body."""

    Text = Annotated[str | None, QueryParameter(name="text", description="the input text")]
    InputTokens = Annotated[str | None, QueryParameter(name="input_tokens", description="instead of text")]
    OutputCharacters = Annotated[
        str | None, QueryParameter(name="output_characters", description="characters a query gives back")
    ]
    OutputTokens = Annotated[str | None, QueryParameter(name="output_tokens", description="tokens a query gives back")]
    QueriesPerMonth = Annotated[str | None, QueryParameter(name="queries_per_month", description="for cost_per_month")]
    Currency = Annotated[str, QueryParameter(name="currency", description="ISO 4217 code of the answer")]
    Revenue = Annotated[str | None, QueryParameter(name="revenue_per_query", description="for gross_margin_ratio")]
    Fx = Annotated[
        str | None,
        QueryParameter(name="fx", description="a currency rate FROM:TO:RATE:DATE, such as CNY:USD:0.1408:2026-11-30"),
    ]
    AsOf = Annotated[str | None, QueryParameter(name="as_of", description="RFC 3339 instant or date; default: now")]


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
    revenue_per_query: str | None,
    fx: str | None,
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
    if text is not None and input_tokens is not None:
        raise PermillionError("invalid-fields", "give text, or input_tokens instead", pointer="/input_tokens")
    if output_characters is not None and output_tokens is not None:
        raise PermillionError("invalid-fields", "give one of the two outputs", pointer="/output_tokens")
    if text is not None:
        body["text"] = text
    if revenue_per_query is not None:
        body["revenue_per_query"] = revenue_per_query
    if fx is not None:
        body["fx"] = [read_fx(fx)]
    if input_tokens is not None:
        body["samples"] = [{"name": "0", "input_tokens": input_tokens}]
    if as_of is not None:
        body["as_of"] = as_of
    return from_api_compare(decode_model(CompareRequest, body), snapshot, now)


def read_fx(text: str) -> dict[str, str]:
    """A currency rate in one text, `FROM:TO:RATE:DATE`.

    >>> read_fx("CNY:USD:0.1408:2026-11-30")
    {'from': 'CNY', 'to': 'USD', 'rate': '0.1408', 'as_of': '2026-11-30'}
    """
    parts = text.split(":", 3)
    if len(parts) != 4:
        raise PermillionError(
            "invalid-fields", "write a rate as FROM:TO:RATE:DATE, such as CNY:USD:0.1408:2026-11-30", pointer="/fx"
        )
    return dict(zip(("from", "to", "rate", "as_of"), parts, strict=True))


def check_query(raw: bytes) -> None:
    """Refuse a query string that is not UTF-8: its parts would be counted as replacement characters.

    Raises:
        PermillionError: `invalid-text`.
    """
    try:
        unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise PermillionError("invalid-text", "the query string is not UTF-8") from None
