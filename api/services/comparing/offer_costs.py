"""What each sample costs at one offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Literal

from api.services.comparing.figures import Figures
from api.services.comparing.question import Comparison, OfferToCompare, Sample, Workload
from api.services.comparing.tokens import ChosenTokenizer, Counts
from api.services.offers import ResolvedOffer, rates_in
from economics.errors import PermillionError
from economics.money import Exact, exact, multiply
from economics.rate_card import RateCard
from economics.text_costs import SampleCost, Terms, net_of_terms, price_sample

_Usage = dict[str, Decimal | int]


@dataclass(frozen=True, slots=True)
class _Output:
    tokens: int | None
    characters: int | None
    warnings: tuple[str, ...] = ()


def price_samples(
    question: Comparison,
    wanted: OfferToCompare,
    resolved: ResolvedOffer,
    tokenizer: ChosenTokenizer | None,
    counts: Counts,
) -> list[Figures]:
    """The figures of each sample, in the currency of the book.

    Args:
        tokenizer: None where no text needs counting: the caller stated tokens, or the offer is priced by the character.

    Raises:
        PermillionError: whatever keeps the offer from being priced (`exceeds-context`, `missing-price`, …).
    """
    workload = question.workload
    terms = Terms(wanted.discount_share, question.tax_excluded, workload.batch_share, workload.retry_share)
    batch = _batch_card(resolved, question) if workload.batch_share else None
    longest = resolved.offer.model.limits_at(question.as_of)[0]
    purchase = _Purchase(workload, resolved, tokenizer, counts, terms, batch, longest)
    if priced_by_character(resolved.card):
        return [purchase.by_character(sample) for sample in question.samples]
    return [purchase.by_token(sample) for sample in question.samples]


def priced_by_character(card: RateCard) -> bool:
    """Whether the offer has a price for characters and none for tokens (speech)."""
    return "input_tokens" not in card.rates and "input_characters" in card.rates


@dataclass(frozen=True, slots=True)
class _Purchase:
    """One offer as it is bought."""

    workload: Workload
    resolved: ResolvedOffer
    tokenizer: ChosenTokenizer | None
    counts: Counts
    terms: Terms
    batch: RateCard | None
    longest: int | None

    def by_token(self, sample: Sample) -> Figures:
        """The figures of a sample, its tokens counted or stated."""
        workload, card = self.workload, self.resolved.card
        content = sample.input_tokens if sample.input_text is None else self._count(sample.input_text)
        assert content is not None
        characters = None if sample.input_text is None else len(sample.input_text)
        output = self._output(sample, content, characters)
        warnings = list(output.warnings)
        frame = 0
        if workload.include_frame:
            known = None if self.tokenizer is None else self.tokenizer.frame_tokens
            frame = known or 0
            if known is None:
                warnings.append("frame_unknown")
        if workload.cached_input_share:
            warnings.append("cache_writes_not_counted")
        billed_input = content + frame
        self._check_length(billed_input)
        cost = self._cost(billed_input, output.tokens)
        reasoning = workload.reasoning_tokens_per_query
        generated = reasoning or None if output.tokens is None else output.tokens + reasoning
        low = self._bound(0, content, frame, output.tokens, cost.total)
        high = self._bound(1, content, frame, output.tokens, cost.total)
        return Figures(
            None if characters is None else exact(characters),
            exact(content),
            None if output.characters is None else exact(output.characters),
            exact(generated) if generated is not None else None,
            None if low is None else low[0],
            None if high is None else high[0],
            _price_per_mtok(card, "input_tokens", (billed_input, generated or 0), self.terms),
            _price_per_mtok(card, "output_tokens", (billed_input, generated or 0), self.terms),
            cost.input_cost,
            cost.output_cost if generated is not None else None,
            cost.total,
            None if low is None else low[1],
            None if high is None else high[1],
            cost.rates,
            [*warnings, *cost.warnings],
        )

    def by_character(self, sample: Sample) -> Figures:
        """The figures of a sample that is priced by its characters."""
        if sample.input_text is None:
            raise self.resolved.card.explain("input_tokens")
        characters = len(sample.input_text)
        cost = price_sample(self.resolved.card, None, {"input_characters": characters}, self.terms)
        return Figures(
            exact(characters), None, None, None, None, None, None, None,
            cost.input_cost, None, cost.total, cost.total, cost.total, cost.rates, cost.warnings,
        )  # fmt: skip

    def _count(self, text: str) -> int:
        assert self.tokenizer is not None
        return self.counts.of(text, self.tokenizer.tokenizer)

    def _output(self, sample: Sample, input_tokens: int, input_characters: int | None) -> _Output:
        """Output text, else stated tokens, else stated characters at the input's tokens per character, rounded up."""
        if sample.output_text is not None:
            return _Output(self._count(sample.output_text), len(sample.output_text))
        if self.workload.output_tokens_per_query is not None:
            return _Output(self.workload.output_tokens_per_query, None)
        characters = self.workload.output_characters_per_query
        if characters is None:
            return _Output(None, None, ("output_not_given",))
        if characters == 0:
            return _Output(0, 0, ("output_tokens_derived",))
        if not input_characters:
            raise PermillionError(
                "tokens-underivable",
                "output tokens follow from the input's tokens per character, and there is no input text",
                pointer="/workload/output_characters_per_query",
            )
        return _Output(-(-characters * input_tokens // input_characters), characters, ("output_tokens_derived",))

    def _check_length(self, input_tokens: int) -> None:
        if self.longest is not None and input_tokens > self.longest:
            raise PermillionError(
                "exceeds-context", f"{input_tokens} input tokens; the model takes {self.longest}", pointer="/samples"
            )

    def _cost(self, input_tokens: int, output_tokens: int | None) -> SampleCost:
        usage = _usage(input_tokens, output_tokens, self.workload)
        return price_sample(self.resolved.card, self.batch, usage, self.terms)

    def _bound(
        self, end: Literal[0, 1], content: int, frame: int, output: int | None, cost: Exact
    ) -> tuple[Exact, Exact] | None:
        """Input tokens and cost at the low (0) or high (1) end of the count's error, in whole tokens, rounded outwards.

        An exact or stated count is its own bound; None where the error is not known.
        """
        if self.tokenizer is None:
            return exact(content), cost
        ratio = (self.tokenizer.low_ratio, self.tokenizer.high_ratio)[end]
        if ratio is None:
            return None
        if ratio == 1:
            return exact(content), cost
        tokens = _outward(content, ratio, end)
        generated = None if output is None else _outward(output, ratio, end)
        return exact(tokens), self._cost(tokens + frame, generated).total


def _usage(input_tokens: Decimal | int, output_tokens: Decimal | int | None, workload: Workload) -> _Usage:
    usage: _Usage = {"input_tokens": input_tokens}
    if workload.cached_input_share:
        usage["cache_read_tokens"] = multiply(Decimal(input_tokens), workload.cached_input_share)
    reasoning = workload.reasoning_tokens_per_query
    if output_tokens is not None or reasoning:
        usage["output_tokens"] = (output_tokens or 0) + reasoning
    if reasoning:
        usage["reasoning_tokens"] = reasoning
    return usage


def _outward(tokens: int, ratio: Decimal, end: Literal[0, 1]) -> int:
    scaled = multiply(Decimal(tokens), ratio)
    return int(scaled.to_integral_value((ROUND_FLOOR, ROUND_CEILING)[end]))


def _price_per_mtok(card: RateCard, meter: str, lengths: tuple[int, int], terms: Terms) -> Exact | None:
    """The rate of `meter` for a prompt and an answer of those lengths."""
    rate = card.find(meter, *lengths)
    return None if rate is None else net_of_terms(rate.per_mtok(), rate.row, terms)


def _batch_card(resolved: ResolvedOffer, question: Comparison) -> RateCard | None:
    context: Mapping[str, str] = {**resolved.context, "processing": "batch"}
    vocabulary = resolved.offer.vocabulary
    key = vocabulary.keys.get("processing")
    if key is None or "batch" not in key.values:
        return None
    try:
        return rates_in(resolved.offer, vocabulary.resolve(context), question.as_of)
    except PermillionError as error:
        if error.slug in ("not-offered", "contradictory-context"):
            return None
        raise
