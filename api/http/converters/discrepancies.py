"""Rows of `/discrepancies`."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from api.services.discrepancies import SourcePrice
from economics.context import format_context
from economics.money import Exact, format_decimal
from economics.periods import format_instant


def to_api_discrepancy(said: SourcePrice, as_of: datetime) -> dict[str, Any]:
    """What one source says."""
    row, source = said.voice.row, said.voice.source
    meter, context, bound = said.about
    ratio = None if said.agreement is None else said.agreement.ratio
    checked = row.provenance.checked_on
    return {
        "offer": f"{said.provider}/{said.model}",
        "provider": said.provider,
        "model": said.model,
        "meter": meter,
        "context": format_context(dict(context)),
        "above_input_tokens": bound,
        "currency": said.currency,
        "price_book": said.voice.price_book,
        "rate": format_decimal(row.rate),
        "per": row.per,
        "chosen": said.chosen,
        "ratio_to_chosen": None if ratio is None else Exact(*map(Decimal, ratio.as_integer_ratio())).to_text(),
        "status": said.status.value,
        "finding": said.finding,
        "silent": said.voice.silent,
        "source": row.provenance.source,
        "source_kind": None if source is None else source.kind,
        "source_version": None if source is None else source.version,
        "source_url": None if source is None else source.url,
        "source_license": None if source is None else source.license,
        "lineage": said.voice.upstream,
        "checked_on": None if checked is None else checked.isoformat(),
        "age_days": None if checked is None else (as_of.astimezone(UTC).date() - checked).days,
        "valid_from": None if row.period.valid_from is None else format_instant(row.period.valid_from),
        "start_known": row.start_known,
        "note": row.provenance.note,
    }
