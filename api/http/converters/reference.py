"""Rows of `/providers`, `/models`, `/tokenizers`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from catalog.snapshot import ModelFacts, ProviderFacts, Snapshot
from economics.periods import format_instant
from tokenizers_registry.assignments import assign
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.families import Family
from tokenizers_registry.registry import Registry


def to_api_provider(facts: ProviderFacts, snapshot: Snapshot) -> dict[str, Any]:
    """A row of `/providers`."""
    vocabulary = facts.vocabulary
    keys = [f"{name}={'|'.join([*key.values, *key.synonyms])}" for name, key in vocabulary.keys.items()]
    return {
        "provider": facts.name,
        "name": facts.title,
        "homepage": facts.homepage,
        "price_books": ";".join(f"{book.id} ({book.currency})" for book in facts.books.values()),
        "models": sum(1 for model in snapshot.models() if model.provider == facts.name),
        "context_keys": ";".join(keys),
        "checked_from": None if facts.checked_oldest is None else facts.checked_oldest.isoformat(),
        "checked_to": None if facts.checked_newest is None else facts.checked_newest.isoformat(),
        "sources": "; ".join(source.title for source in facts.sources.values()),
    }


def to_api_model(facts: ModelFacts, counter: TokenCounter, as_of: datetime) -> dict[str, Any]:
    """A row of `/models`, with the limits in force at `as_of`."""
    longest_input, longest_output = facts.limits_at(as_of)
    if facts.tokenizer is not None:
        tokenizer: str | None = facts.tokenizer
        method = counter.registry[facts.tokenizer].kind if facts.tokenizer in counter.registry else "unavailable"
        source: str | None = "stated with the price book"
    else:
        found = assign(facts.provider, facts.model)
        tokenizer = None if found is None else found.tokenizer
        method = "unavailable" if found is None or found.tokenizer is None else found.method
        source = None if found is None else found.source
    return {
        "offer": f"{facts.provider}/{facts.model}",
        "provider": facts.provider,
        "model": facts.model,
        "name": facts.name,
        "price_books": ";".join(facts.books),
        "tokenizer": tokenizer,
        "count_method": method,
        "tokenizer_source": source,
        "max_input_tokens": longest_input,
        "max_output_tokens": longest_output,
        "released_on": None if facts.released_on is None else facts.released_on.isoformat(),
        "retired_on": None if facts.retired_on is None else format_instant(facts.retired_on),
        "successor": facts.successor,
        "aliases": ";".join(alias.id for alias in facts.aliases),
        "note": facts.note,
    }


def to_api_tokenizer(family: Family, registry: Registry) -> dict[str, Any]:
    """A row of `/tokenizers`."""
    reason = registry.unavailable_reason(family)
    return {
        "tokenizer": family.tokenizer,
        "count_method": family.kind,
        "available": reason is None,
        "engine": family.engine,
        "package": family.package or None,
        "version": family.version or None,
        "license_package": family.package_license or None,
        "license_vocabulary": family.vocabulary_license,
        "fingerprint": family.fingerprint,
        "frame_tokens": family.frame_tokens,
        "cross_checked": family.cross_checked,
        "source": family.source,
        "note": "; ".join(part for part in (reason, family.note) if part),
    }
