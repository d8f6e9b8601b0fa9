"""Which tokenizer counts for an offer, and the counts of all texts, each text once a tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from api.services.comparing.question import OfferToCompare, Sample
from catalog.snapshot import Offer
from economics.errors import PermillionError
from tokenizers_registry.assignments import assign
from tokenizers_registry.counting import TokenCounter

CountMethod = Literal["exact", "estimate"]
_EXACT = Decimal(1)


@dataclass(frozen=True, slots=True)
class ChosenTokenizer:
    """How the tokens of an offer are counted.

    `low_ratio` and `high_ratio` bound an estimate (true count ÷ ours); None where the error is not known.
    """

    tokenizer: str
    method: CountMethod
    frame_tokens: int | None
    low_ratio: Decimal | None
    high_ratio: Decimal | None
    warnings: tuple[str, ...] = ()


def tokenizer_named(name: str, counter: TokenCounter) -> ChosenTokenizer:
    """The tokenizer with the id `name`.

    Raises:
        PermillionError: `unknown-tokenizer`.
    """
    found = counter.registry[name]
    bound = _EXACT if found.kind == "exact" else None
    return ChosenTokenizer(found.tokenizer, found.kind, found.frame_tokens, bound, bound)


def choose_tokenizer(offer: Offer, wanted: OfferToCompare, counter: TokenCounter) -> ChosenTokenizer:
    """The tokenizer that a source maps the model to, else the caller's, as an estimate.

    Raises:
        PermillionError: `tokenizer-unavailable` where nothing is known and the caller named none, `unknown-tokenizer`.
    """
    if wanted.tokenizer is not None:
        found = counter.registry[wanted.tokenizer]
        return ChosenTokenizer(found.tokenizer, "estimate", None, None, None, ("tokenizer_chosen_by_caller",))
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
        _EXACT if exact else assignment.low_ratio,
        _EXACT if exact else assignment.high_ratio,
        () if assignment.warning is None else (assignment.warning,),
    )


class Counts:
    """Token counts of the samples by tokenizer."""

    def __init__(self, by_text: Mapping[str, Mapping[str, int | PermillionError]]) -> None:
        self._by_text = by_text

    def of(self, text: str, tokenizer: str) -> int:
        """Content tokens of `text`; raises what the tokenizer failed with."""
        count = self._by_text[text][tokenizer]
        if isinstance(count, PermillionError):
            raise count
        return count


async def count_samples(samples: Sequence[Sample], tokenizers: Sequence[str], counter: TokenCounter) -> Counts:
    """Every text of the samples counted by every tokenizer."""
    texts = list(
        dict.fromkeys(t for sample in samples for t in (sample.input_text, sample.output_text) if t is not None)
    )
    if not texts or not tokenizers:
        return Counts({})
    return Counts(dict(zip(texts, await counter.count(texts, tokenizers), strict=True)))
