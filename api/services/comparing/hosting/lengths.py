"""How long the queries of a hosted model are: tokens of each sample, their range, and the mean over the mix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import overload

from api.services.comparing.lengths import NO_TEXT, TextLengths, sent_over_turns, stated
from api.services.comparing.question import Comparison, Sample
from api.services.comparing.tokens import ChosenTokenizer, Counts
from api.services.comparing.turns import Conversation
from api.services.hosting.deployment import HostedLoad
from economics.errors import PermillionError
from economics.hosting.query_time import QueryTokens
from economics.money import Exact, exact
from economics.text_costs import weighted_mean
from hardware.architectures.architecture import Architecture


@dataclass(frozen=True, slots=True)
class HostedLength:
    """One sample: means over its turns, reasoning in the output.

    Attributes:
        low, high: of `input_tokens`, None where the error of a count is not known; `output_low` and `output_high` likewise.
        output_tokens: None where no output is given.
    """

    input_tokens: Exact
    low: Exact | None
    high: Exact | None
    characters: Exact | None
    output_tokens: Exact | None
    output_low: Exact | None
    output_high: Exact | None
    output_characters: Exact | None
    warnings: Sequence[str] = ()

    def ends(self, end: str) -> tuple[Exact | None, Exact | None]:
        """Input and output tokens as counted, or at the `low` or `high` end."""
        if end == "low":
            return self.low, self.output_low
        if end == "high":
            return self.high, self.output_high
        return self.input_tokens, exact(0) if self.output_tokens is None else self.output_tokens

    def tokens(self, cached_share: Decimal, end: str = "") -> QueryTokens | None:
        """The tokens of a query with that share of cached input; None where that end is not known."""
        inputs, outputs = self.ends(end)
        return None if inputs is None or outputs is None else HostedLoad(inputs, outputs, cached_share).tokens


def hosted_length(
    sample: Sample,
    question: Comparison,
    tokenizer: ChosenTokenizer | None,
    counts: Counts,
    architecture: Architecture | None,
) -> HostedLength:
    """The lengths of one sample.

    Raises:
        PermillionError: `exceeds-context` where the last turn is longer than the model's context; what a tokenizer fails with.
    """
    work = question.workload
    lengths = TextLengths(tokenizer, counts)
    system = NO_TEXT if sample.system_text is None else lengths.of(sample.system_text)
    new = stated(sample.input_tokens or 0) if sample.input_text is None else lengths.of(sample.input_text)
    output, said = lengths.output(sample, new, work)
    turns, reasoning = work.turns_per_conversation, work.reasoning_tokens_per_query
    if turns > 1 and output is None:
        raise PermillionError(
            "tokens-underivable",
            "later turns send the answers again: give output text, tokens or characters",
            pointer="/workload/turns_per_conversation",
        )
    answer = None if output is None else output.tokens
    _check_context(Conversation(system.tokens, new.tokens, answer, turns=turns), reasoning, architecture)
    sent = sent_over_turns(system, new, output, turns)
    generated = reasoning or None if answer is None else answer + reasoning
    low, high = (None, None) if output is None else output.ends
    warnings = (
        *said,
        *lengths.warnings(system, new, output),
        *(("tool_tokens_unknown",) if sample.tools else ()),
        *(("image_tokens_unknown",) if sample.images else ()),
        *(() if tokenizer is None else tokenizer.warnings),
    )
    return HostedLength(
        sent.tokens,
        sent.low,
        sent.high,
        sent.characters,
        None if generated is None else exact(generated),
        exact(reasoning) if output is None else _plus(low, reasoning),
        exact(reasoning) if output is None else _plus(high, reasoning),
        None if output is None or output.characters is None else exact(output.characters),
        warnings,
    )


def _plus(tokens: int | None, reasoning: int) -> Exact | None:
    return None if tokens is None else exact(tokens + reasoning)


def _check_context(talk: Conversation, reasoning: int, architecture: Architecture | None) -> None:
    longest = None if architecture is None else architecture.max_context
    needed = list(talk.inputs())[-1] + (talk.answer or 0) + reasoning
    if longest is not None and needed > longest:
        raise PermillionError(
            "exceeds-context", f"{needed} tokens of input and output; the model takes {longest}", pointer="/samples"
        )


@overload
def mean_load(lengths: Sequence[HostedLength], question: Comparison) -> HostedLoad: ...
@overload
def mean_load(lengths: Sequence[HostedLength], question: Comparison, end: str) -> HostedLoad | None: ...
def mean_load(lengths: Sequence[HostedLength], question: Comparison, end: str = "") -> HostedLoad | None:
    """The mix of all samples as one load: weighted mean lengths; None where an end of a range is not known."""
    weights = [sample.weight for sample in question.samples]
    both = [length.ends(end) for length in lengths]
    inputs = [given for given, _ in both if given is not None]
    outputs = [made for _, made in both if made is not None]
    if len(inputs) < len(both) or len(outputs) < len(both):
        return None
    work = question.workload
    return HostedLoad(
        weighted_mean(inputs, weights),
        weighted_mean(outputs, weights),
        work.cached_input_share,
        work.queries_per_month,
        work.retry_share,
    )
