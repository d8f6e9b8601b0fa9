"""How long a query and its answer are in the tokens of one offer, and how far the counts may be off."""

from __future__ import annotations

from typing import NamedTuple

from api.services.comparing.question import Sample, Workload
from api.services.comparing.tokens import ChosenTokenizer, Counts
from api.services.comparing.turns import Conversation
from economics.errors import PermillionError
from economics.money import Exact, exact
from tokenizers_registry.count_ranges import EXACTLY, CountRange


class Length(NamedTuple):
    """Tokens of a text, their range (None where the error is not known), and the text's characters where there is one."""

    tokens: int
    low: int | None
    high: int | None
    characters: int | None = None

    def followed_by(self, other: Length) -> Length:
        """Both, one after the other; what is not known of one is not known of both."""
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        both = self.characters is not None and other.characters is not None
        characters = (self.characters or 0) + (other.characters or 0) if both else None
        return Length(self.tokens + other.tokens, low, high, characters)

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """The range, lower end first."""
        return self.low, self.high


NO_TEXT = Length(0, 0, 0, 0)


def stated(tokens: int) -> Length:
    """Tokens that the caller states: nobody's estimate."""
    return Length(tokens, tokens, tokens)


class Sent(NamedTuple):
    """What is sent of the texts in the mean of the turns."""

    tokens: Exact
    low: Exact | None
    high: Exact | None
    characters: Exact | None


def sent_over_turns(system: Length, new: Length, output: Length | None, turns: int) -> Sent:
    """The mean input of a turn: the system text, all inputs up to it and all former answers."""
    if turns == 1 or output is None:
        given = system.followed_by(new)
        whole = (given.low, given.high, given.characters)
        return Sent(exact(given.tokens), *(None if value is None else exact(value) for value in whole))

    def mean(standing: int | None, each: int | None, answer: int | None) -> Exact | None:
        if standing is None or each is None or answer is None:
            return None
        return Conversation(standing, each, answer, turns=turns).mean_input()

    tokens = Conversation(system.tokens, new.tokens, output.tokens, turns=turns).mean_input()
    low, high = mean(system.low, new.low, output.low), mean(system.high, new.high, output.high)
    return Sent(tokens, low, high, mean(system.characters, new.characters, output.characters))


class TextLengths:
    """Lengths of the texts of one offer; the scripts of a text are looked at only where the count is an estimate."""

    def __init__(self, tokenizer: ChosenTokenizer | None, counts: Counts) -> None:
        self._tokenizer = tokenizer
        self._counts = counts

    def of(self, text: str) -> Length:
        """The length of `text`; raises what the tokenizer failed with."""
        return _length(self.count(text), self.range_of(text), len(text))

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        assert self._tokenizer is not None
        return self._counts.of(text, self._tokenizer.tokenizer)

    def range_of(self, text: str) -> CountRange | None:
        """Ratios of true to counted tokens."""
        return EXACTLY if self._tokenizer is None else self._counts.range_of(text, self._tokenizer)

    def warnings(self, *lengths: Length | None) -> tuple[str, ...]:
        """What a reader should know of the ranges of these lengths."""
        if self._tokenizer is None:
            return ()
        return self._tokenizer.range_warnings(all(length is None or length.low is not None for length in lengths))

    def output(self, sample: Sample, given: Length, workload: Workload) -> tuple[Length | None, tuple[str, ...]]:
        """The answer's length and its warnings.

        From the output text, else stated tokens, else stated characters at the tokens per character of the input `given`,
        rounded up.

        Raises:
            PermillionError: `tokens-underivable` where there is no input text to derive from.
        """
        if sample.output_text is not None:
            return self.of(sample.output_text), ()
        if workload.output_tokens_per_query is not None:
            return stated(workload.output_tokens_per_query), ()
        characters = workload.output_characters_per_query
        if characters is None:
            return None, ("output_not_given",)
        if characters == 0:
            return NO_TEXT, ("output_tokens_derived",)
        if not given.characters or sample.input_text is None:
            raise PermillionError(
                "tokens-underivable",
                "output tokens follow from the input's tokens per character, and there is no input text",
                pointer="/workload/output_characters_per_query",
            )
        tokens = -(-characters * given.tokens // given.characters)
        return _length(tokens, self.range_of(sample.input_text), characters), ("output_tokens_derived",)


def _length(tokens: int, known: CountRange | None, characters: int) -> Length:
    if known is EXACTLY:
        return Length(tokens, tokens, tokens, characters)
    low, high = (None, None) if known is None else known.tokens(tokens)
    return Length(tokens, low, high, characters)
