"""Token counts of a quote's texts: what is kept of them, and counts made of what was kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from api.services.comparing.question import Comparison
from api.services.comparing.tokens import ChosenTokenizer, Counts, count_samples, scripts_of
from api.services.quoting.question_record import place_of, texts_of
from economics.errors import PermillionError
from tokenizers_registry.count_ranges import EXACTLY, CountRange, count_range
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.scripts import Script

NOT_KEPT = "the text was not kept, and it was never counted with this tokenizer"


async def text_records(
    question: Comparison, chosen: Sequence[ChosenTokenizer], counter: TokenCounter
) -> list[dict[str, Any]]:
    """What is kept of each text: hash, lengths, scripts, and its tokens by each tokenizer (or why there are none)."""
    counts = await count_samples(question.samples, chosen, counter)
    named = sorted({each.tokenizer for each in chosen})
    records: list[dict[str, Any]] = []
    scripts = await scripts_of(texts_of(question), counter)
    for text in scripts:
        content = text.encode()
        records.append(
            {
                "sha256": hashlib.sha256(content).hexdigest(),
                "characters": len(text),
                "bytes": len(content),
                "scripts": sorted(scripts[text]),
                "tokens": {name: _count(counts, text, name) for name in named},
            }
        )
    return records


def _count(counts: Counts, text: str, tokenizer: str) -> int | list[str]:
    try:
        return counts.of(text, tokenizer)
    except PermillionError as error:
        return [error.slug, error.detail]


class KeptCounts(Counts):
    """The counts that a quote keeps, for its stand-ins (`api.services.quoting.question_record`)."""

    def __init__(self, texts: Sequence[Mapping[str, Any]]) -> None:
        super().__init__({})
        self._texts = texts

    def of(self, text: str, tokenizer: str) -> int:
        """The kept count.

        Raises:
            PermillionError: what the tokenizer failed with then; `tokenizer-unavailable` where it never counted the text.
        """
        place = place_of(text, self._texts)
        if place is None:
            return 0
        count = self._texts[place]["tokens"].get(tokenizer)
        if count is None:
            raise PermillionError("tokenizer-unavailable", NOT_KEPT, pointer="/tokenizer")
        if isinstance(count, list):
            raise PermillionError(*count)
        return int(count)

    def range_of(self, text: str, tokenizer: ChosenTokenizer) -> CountRange | None:
        """Ratios of true to counted tokens, by the kept scripts."""
        if tokenizer.method == "exact" or not text:
            return EXACTLY
        place = place_of(text, self._texts)
        if tokenizer.range_method is None or place is None:
            return None
        scripts: frozenset[Script] = frozenset(self._texts[place]["scripts"])
        return count_range(tokenizer.range_method, tokenizer.tokenizer, scripts)
