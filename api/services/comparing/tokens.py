"""Which tokenizer counts for an offer, and the counts of all texts, each text once a tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from api.services.comparing.question import OfferToCompare, Sample
from catalog.snapshot import Offer
from economics.errors import PermillionError
from tokenizers_registry.assignments import assign
from tokenizers_registry.count_ranges import EXACTLY, RECONSTRUCTED, CountRange, RangeMethod, count_range
from tokenizers_registry.counting import TokenCounter
from tokenizers_registry.overheads import Frame
from tokenizers_registry.scripts import Script, writing_of

CountMethod = Literal["exact", "estimate"]

LONG_CHARACTERS = 8_192
"""The scripts of a longer text are found by a worker: those of 256 KiB take 8 ms."""


@dataclass(frozen=True, slots=True)
class ChosenTokenizer:
    """How the tokens of an offer are counted.

    `frame_tokens` are those around one user message; `frame` also tells them of several. `range_method` says how the error
    of an estimate is known; None where it is not, and for exact counts.
    """

    tokenizer: str
    method: CountMethod
    frame_tokens: int | None
    range_method: RangeMethod | None = None
    warnings: tuple[str, ...] = ()
    frame: Frame | None = None

    def range_warnings(self, known: bool) -> tuple[str, ...]:
        """Where the range of an estimate comes from, or that there is none."""
        if self.method == "exact":
            return ()
        return (f"count_range={self.range_method}",) if known else ("count_range_unknown",)


def tokenizer_named(name: str, counter: TokenCounter) -> ChosenTokenizer:
    """The tokenizer with the id `name`.

    Raises:
        PermillionError: `unknown-tokenizer`.
    """
    found = counter.registry[name]
    tested: RangeMethod | None = "own_tests" if found.tokenizer in RECONSTRUCTED else None
    return ChosenTokenizer(found.tokenizer, found.kind, found.frame_tokens, tested)


def choose_tokenizer(offer: Offer, wanted: OfferToCompare, counter: TokenCounter) -> ChosenTokenizer:
    """The tokenizer that a source maps the model to, else the caller's, as an estimate.

    Raises:
        PermillionError: `tokenizer-unavailable` where nothing is known and the caller named none, `unknown-tokenizer`.
    """
    if wanted.tokenizer is not None:
        found = counter.registry[wanted.tokenizer]
        return ChosenTokenizer(found.tokenizer, "estimate", None, "between_tokenizers", ("tokenizer_chosen_by_caller",))
    if offer.model.tokenizer is not None:
        return tokenizer_named(offer.model.tokenizer, counter)
    assignment = assign(offer.model.provider, offer.model.model)
    if assignment is None or assignment.tokenizer is None:
        why = (assignment.reason if assignment is not None else None) or "no tokenizer of this model is known"
        raise PermillionError(
            "tokenizer-unavailable", f"{why}; name a tokenizer in the offer to estimate with it", pointer="/tokenizer"
        )
    exact = assignment.method == "exact"
    return ChosenTokenizer(
        assignment.tokenizer,
        "exact" if exact else "estimate",
        assignment.frame_tokens or counter.registry[assignment.tokenizer].frame_tokens,
        assignment.range_method,
        () if assignment.warning is None else (assignment.warning,),
        assignment.frame,
    )


class Counts:
    """Token counts of the samples by tokenizer; `scripts` are those of texts for which they are known already."""

    def __init__(
        self,
        by_text: Mapping[str, Mapping[str, int | PermillionError]],
        scripts: Mapping[str, frozenset[Script]] | None = None,
    ) -> None:
        self._by_text = by_text
        self._scripts = dict(scripts or {})

    def of(self, text: str, tokenizer: str) -> int:
        """Content tokens of `text`; raises what the tokenizer failed with."""
        count = self._by_text[text][tokenizer]
        if isinstance(count, PermillionError):
            raise count
        return count

    def range_of(self, text: str, tokenizer: ChosenTokenizer) -> CountRange | None:
        """Ratios of true to counted tokens; the scripts of a text are found once for all tokenizers that estimate."""
        if tokenizer.method == "exact" or not text:
            return EXACTLY
        if tokenizer.range_method is None:
            return None
        scripts = self._scripts.get(text)
        if scripts is None:
            scripts = self._scripts[text] = writing_of(text).scripts
        return count_range(tokenizer.range_method, tokenizer.tokenizer, scripts)


async def scripts_of(texts: Sequence[str], counter: TokenCounter) -> dict[str, frozenset[Script]]:
    """The scripts of each text."""
    return dict(zip(texts, (measured.scripts for measured in await counter.measure(texts)), strict=True))


async def count_samples(samples: Sequence[Sample], chosen: Sequence[ChosenTokenizer], counter: TokenCounter) -> Counts:
    """Every text of the samples counted by every tokenizer."""
    texts = list(dict.fromkeys(text for sample in samples for text in sample.texts()))
    tokenizers = list(dict.fromkeys(each.tokenizer for each in chosen))
    if not texts or not tokenizers:
        return Counts({})
    counted = await counter.count(texts, tokenizers)
    estimated = any(each.range_method is not None for each in chosen)
    long = [text for text in texts if len(text) > LONG_CHARACTERS] if estimated else []
    return Counts(dict(zip(texts, counted, strict=True)), await scripts_of(long, counter))
