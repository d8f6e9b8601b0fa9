"""Exports for finance systems."""

from __future__ import annotations

from typing import Any

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer


class ExportAnswer(Answer):
    """Rows whose columns the shape decides; docs/quotes.md lists them."""

    rows: list[dict[str, Any]]
    meta: Meta
