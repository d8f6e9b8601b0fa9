"""What each text is counted with: tokenizers by id, or those of offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from api.services.comparing.tokens import ChosenTokenizer, CountMethod, tokenizer_named
from api.services.tokenizing import tokenizer_of_offer
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from tokenizers_registry.counting import TokenCounter


@dataclass(frozen=True, slots=True)
class TokenColumn:
    """A column of counts.

    Attributes:
        asked: the tokenizer's id or the offer, as the caller named it.
        fingerprint: of the tokenizer: what its counts depend on.
        warnings: such as `tokenizer_assumed`.
    """

    asked: str
    tokenizer: str
    method: CountMethod
    fingerprint: str
    warnings: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        """Name of the column; an estimate never stands there as a count.

        >>> TokenColumn("claude_v48", "claude_v48", "estimate", "sha256:").header
        'claude_v48_estimated_tokens'
        """
        return f"{self.asked}_{'' if self.method == 'exact' else 'estimated_'}tokens"


def columns_of_tokenizers(names: Sequence[str]) -> list[TokenColumn]:
    """A column for each tokenizer.

    Raises:
        PermillionError: `unknown-tokenizer`, `tokenizer-unavailable`, `invalid-fields` where there is none.
    """
    counter = TokenCounter()  # for its registry; its workers are not started
    return _columns([(name, tokenizer_named(name, counter)) for name in dict.fromkeys(names)], counter)


def columns_of_offers(names: Sequence[str], as_of: datetime, snapshot: Snapshot) -> list[TokenColumn]:
    """A column for each offer.

    Raises:
        PermillionError: as above, and what can be wrong with the name of an offer.
    """
    counter = TokenCounter()
    chosen = [(name, tokenizer_of_offer(name, as_of, snapshot, counter)) for name in dict.fromkeys(names)]
    return _columns(chosen, counter)


def _columns(chosen: Sequence[tuple[str, ChosenTokenizer]], counter: TokenCounter) -> list[TokenColumn]:
    if not chosen:
        raise PermillionError("invalid-fields", "name tokenizers, or offers")
    columns = []
    for name, found in chosen:
        family = counter.registry[found.tokenizer]
        reason = counter.registry.unavailable_reason(family)
        if reason is not None:
            raise PermillionError("tokenizer-unavailable", reason)
        columns.append(TokenColumn(name, found.tokenizer, found.method, family.fingerprint, found.warnings))
    return columns
