"""What each sample costs at one offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from api.services.comparing.figures import Figures
from api.services.comparing.lengths import TextLengths, stated
from api.services.comparing.question import Comparison, OfferToCompare, Sample, Workload
from api.services.comparing.tokens import ChosenTokenizer, Counts
from api.services.offers import ResolvedOffer, rates_in
from economics.errors import PermillionError
from economics.money import Exact, exact, multiply
from economics.rate_card import RateCard
from economics.text_costs import SampleCost, Terms, net_of_terms, price_sample

_Usage = dict[str, Decimal | int]


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
    purchase = _Purchase(workload, resolved, tokenizer, TextLengths(tokenizer, counts), terms, batch, longest)
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
    lengths: TextLengths
    terms: Terms
    batch: RateCard | None
    longest: int | None

    def by_token(self, sample: Sample) -> Figures:
        """The figures of a sample, its tokens counted or stated."""
        workload, card = self.workload, self.resolved.card
        given = stated(sample.input_tokens or 0) if sample.input_text is None else self.lengths.of(sample.input_text)
        output, output_warnings = self.lengths.output(sample, given, workload)
        warnings = [*output_warnings, *self.lengths.warnings(given, output)]
        frame = 0
        if workload.include_frame:
            known = None if self.tokenizer is None else self.tokenizer.frame_tokens
            frame = known or 0
            if known is None:
                warnings.append("frame_unknown")
        if workload.cached_input_share:
            warnings.append("cache_writes_not_counted")
        billed_input = given.tokens + frame
        self._check_length(billed_input)
        produced = None if output is None else output.tokens
        cost = self._cost(billed_input, produced)
        reasoning = workload.reasoning_tokens_per_query
        generated = reasoning or None if produced is None else produced + reasoning
        low, high = (
            self._bound((given.tokens, end), None if output is None else (output.tokens, output_end), frame, cost)
            for end, output_end in zip(given.ends, (None, None) if output is None else output.ends, strict=True)
        )
        return Figures(
            None if given.characters is None else exact(given.characters),
            exact(given.tokens),
            None if output is None or output.characters is None else exact(output.characters),
            exact(generated) if generated is not None else None,
            None if given.low is None else exact(given.low),
            None if given.high is None else exact(given.high),
            _price_per_mtok(card, "input_tokens", (billed_input, generated or 0), self.terms),
            _price_per_mtok(card, "output_tokens", (billed_input, generated or 0), self.terms),
            cost.input_cost,
            cost.output_cost if generated is not None else None,
            cost.total,
            low,
            high,
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

    def _check_length(self, input_tokens: int) -> None:
        if self.longest is not None and input_tokens > self.longest:
            raise PermillionError(
                "exceeds-context", f"{input_tokens} input tokens; the model takes {self.longest}", pointer="/samples"
            )

    def _cost(self, input_tokens: int, output_tokens: int | None) -> SampleCost:
        usage = _usage(input_tokens, output_tokens, self.workload)
        return price_sample(self.resolved.card, self.batch, usage, self.terms)

    def _bound(
        self, given: tuple[int, int | None], output: tuple[int, int | None] | None, frame: int, cost: SampleCost
    ) -> Exact | None:
        """The cost at one end of the counts' error.

        Args:
            given, output: the counted tokens, and this end of their range.
            frame: tokens around the input.
            cost: of the counted tokens.

        Returns:
            None where the error of a count is not known, or where that many tokens have no price.
        """
        if given[1] is None or (output is not None and output[1] is None):
            return None
        if given[0] == given[1] and (output is None or output[0] == output[1]):
            return cost.total
        try:
            return self._cost(given[1] + frame, None if output is None else output[1]).total
        except PermillionError:
            return None


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
