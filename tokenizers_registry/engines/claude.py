"""Claude's tokenizers since version 3, reconstructed by ctok from recorded answers of the vendor's counter.

An estimate: ctok (MIT) reproduces its recorded `count_tokens` answers almost exactly, but it is one source. The
legacy vocabulary and o200k_base are 7-38 % too low on English and code, up to twice off on other scripts.
"""

from __future__ import annotations

import json
from importlib import import_module

from tokenizers_registry.boundary import Count
from tokenizers_registry.families import Family
from tokenizers_registry.normalization import with_ordered_marks
from tokenizers_registry.vocabularies import read_vocabulary


def load(family: Family) -> Count:
    """The counter of a Claude generation: content tokens, without the frame of the message.

    `tile` gives the cost of the content alone; ctok's `token_count` is that plus `family.frame_tokens`. The model is
    built here rather than through ctok's own cache, so that the file is verified and the memory can be given back.
    """
    document = json.loads(read_vocabulary(family))
    ctok = import_module("ctok.main")
    generation = next(each for each in ctok.FAMILIES.values() if _version(each.min_version) == _generation(family))
    document["meta"] = {**document["meta"], **dict(generation.meta)}
    model = ctok.TokenizerModel(document)
    tile = import_module("ctok.engine").tile

    def count(text: str) -> int:
        return int(tile(with_ordered_marks(text), model)[0])  # ctok composes with CPython's normalize

    return count


def _generation(family: Family) -> str:
    return family.fingerprint.rpartition("#")[2]


def _version(numbers: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in numbers)
