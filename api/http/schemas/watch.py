"""`GET /changes`: a price watch."""

from __future__ import annotations

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, numeric_columns


class WatchedChange(Answer):
    """One change: of a price, a model, a provider, a tokenizer, or of what a quote costs."""

    change_id: str
    change: str
    noticed_at: str
    at: str | None
    provider: str | None
    offer: str | None
    price_book: str | None
    meter: str | None
    context: str | None
    min_input_tokens: int | None
    before: DecimalOut | None
    after: DecimalOut | None
    change_ratio: DecimalOut | None
    per: int | None
    currency: str | None
    source: str | None
    detail: str


class ChangesAnswer(Answer):
    """Changes, the newest news first; `next` continues; `since` and `until` are what the watch covers."""

    rows: list[WatchedChange]
    since: str
    since_catalog_version: str
    until: str
    meta: Meta
    next: str | None


WATCH_COLUMNS = tuple(WatchedChange.model_fields)
WATCH_NUMBERS = numeric_columns(WatchedChange)
