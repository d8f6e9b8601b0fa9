"""`GET /providers`, `/models`, `/tokenizers`."""

from __future__ import annotations

from typing import Literal

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer


class ProviderOut(Answer):
    """A seller of tokens."""

    provider: str
    name: str
    homepage: str | None
    price_books: str
    models: int
    context_keys: str
    checked_from: str | None
    checked_to: str | None
    sources: str


class ModelOut(Answer):
    """A model on sale, or once on sale."""

    offer: str
    provider: str
    model: str
    name: str | None
    price_books: str
    tokenizer: str | None
    count_method: Literal["exact", "estimate", "unavailable"]
    tokenizer_source: str | None
    max_input_tokens: int | None
    max_output_tokens: int | None
    released_on: str | None
    retired_on: str | None
    successor: str | None
    aliases: str
    note: str | None


class TokenizerOut(Answer):
    """A way to count tokens; of a registered file no package is known, and license and source are its tenant's words."""

    tokenizer: str
    count_method: Literal["exact", "estimate"]
    available: bool
    engine: str
    package: str | None
    version: str | None
    license_package: str | None
    license_vocabulary: str
    fingerprint: str
    frame_tokens: int | None
    cross_checked: str
    source: str
    note: str


class ProvidersAnswer(Answer):
    """All providers."""

    rows: list[ProviderOut]
    meta: Meta
    next: str | None


class ModelsAnswer(Answer):
    """All models."""

    rows: list[ModelOut]
    meta: Meta
    next: str | None


class TokenizersAnswer(Answer):
    """All tokenizers."""

    rows: list[TokenizerOut]
    meta: Meta
    next: str | None
