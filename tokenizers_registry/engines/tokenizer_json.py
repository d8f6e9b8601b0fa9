"""Hugging Face `tokenizer.json` files, read literally: no control tokens, no template, no truncation.

Loading such a file as it is would parse look-alikes of control tokens (also those flagged "not special", such as
`<think>`), add a beginning-of-sequence token and, in some files, cut the text to a fixed length. So the added tokens,
post-processor, truncation and padding are taken out of the document before an engine sees it.
"""

from __future__ import annotations

import json
from importlib import import_module

from tokenizers_registry.boundary import Count
from tokenizers_registry.families import Family
from tokenizers_registry.vocabularies import is_importable, read_vocabulary

_EMPTIED = {"added_tokens": "[]", "post_processor": "null", "truncation": "null", "padding": "null"}


def literal_document(document: str) -> str:
    """The document with everything emptied that is not model, normalizer or pre-tokenizer.

    The values are cut out in place: parsing a 20 MB vocabulary into Python objects and writing it again would cost
    0.7 s and 100 MB. All four stand before the model in every checked file; one that does not is refused by the
    engine or by the probes.

    >>> literal_document('{"truncation": {"max_length": 8}, "added_tokens": [{"id": 1}], "model": {}}')
    '{"truncation": null, "added_tokens": [], "model": {}}'
    """
    decoder = json.JSONDecoder()
    for name, empty in _EMPTIED.items():
        start = document.find(f'"{name}":')
        if start < 0:
            continue
        start += len(name) + 3
        while document[start].isspace():
            start += 1
        _, end = decoder.raw_decode(document, start)
        document = document[:start] + empty + document[end:]
    return document


def load(family: Family) -> Count:
    """The counter of a tokenizer.json, by the first installed engine of `family.engines`."""
    document = literal_document(read_vocabulary(family).decode())
    if next(name for name in family.engines if is_importable(name)) == "splintr":
        encode = import_module("splintr").from_json_bytes(document.encode()).encode_ordinary

        def count(text: str) -> int:
            return len(encode(text))

        return count
    encode_batch = import_module("tokenizers").Tokenizer.from_str(document).encode_batch_fast

    def count_batch(text: str) -> int:
        return len(encode_batch([text], add_special_tokens=False)[0])

    return count_batch
