"""`GET /discrepancies`: what each source says of one price."""

from __future__ import annotations

from typing import Literal

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, numeric_columns


class DiscrepancyOut(Answer):
    """One source's price of one thing; rows of one thing follow each other, the chosen one first."""

    offer: str
    provider: str
    model: str
    meter: str
    context: str
    above_input_tokens: int | None
    currency: str
    price_book: str
    rate: DecimalOut
    per: int
    chosen: bool
    ratio_to_chosen: DecimalOut | None
    status: Literal["ok", "disputed", "suspect"]
    finding: str
    silent: str
    source: str
    source_kind: str | None
    source_version: str | None
    source_url: str | None
    source_license: str | None
    lineage: str | None
    checked_on: str | None
    age_days: int | None
    valid_from: str | None
    start_known: bool
    note: str


class DiscrepanciesAnswer(Answer):
    """All that were asked for; `next` continues."""

    rows: list[DiscrepancyOut]
    meta: Meta
    next: str | None


DISCREPANCY_COLUMNS = tuple(DiscrepancyOut.model_fields)
DISCREPANCY_NUMBERS = numeric_columns(DiscrepancyOut)
