"""Vocabularies compiled into splintr: `encode_ordinary` counts control look-alikes as the text they are."""

from __future__ import annotations

from importlib import import_module

from tokenizers_registry.boundary import Count
from tokenizers_registry.families import Family


def load(family: Family) -> Count:
    """The counter of a vocabulary that splintr-rs carries under `family.path`."""
    encode = import_module("splintr").Tokenizer.from_pretrained(family.path).encode_ordinary

    def count(text: str) -> int:
        return len(encode(text))

    return count
