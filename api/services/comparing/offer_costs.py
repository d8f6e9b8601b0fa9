"""What each sample costs at one offer."""

from __future__ import annotations

from dataclasses import dataclass

from api.services.comparing.figures import Figures
from api.services.comparing.lengths import NO_TEXT, Length, TextLengths, sent_over_turns, stated
from api.services.comparing.overheads import NO_OVERHEAD, Overhead, overhead_of
from api.services.comparing.purchase import Purchase
from api.services.comparing.question import Comparison, OfferToCompare, Sample, Workload
from api.services.comparing.tokens import ChosenTokenizer, Counts
from api.services.comparing.turns import Conversation
from api.services.offers import ResolvedOffer, batch_rates
from economics.errors import PermillionError
from economics.money import Exact, exact
from economics.rate_card import RateCard
from economics.text_costs import Terms, price_sample


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
    batch = batch_rates(resolved, question.as_of) if workload.batch_share else None
    longest = resolved.offer.model.limits_at(question.as_of)[0]
    purchase = Purchase(workload, resolved.card, terms, batch, longest)
    extras = any(sample.tools for sample in question.samples), any(sample.images for sample in question.samples)
    texts = _OfferTexts(workload, resolved, tokenizer, TextLengths(tokenizer, counts), purchase, *extras)
    if priced_by_character(resolved.card):
        return [texts.by_character(sample) for sample in question.samples]
    return [texts.by_token(sample) for sample in question.samples]


def priced_by_character(card: RateCard) -> bool:
    """Whether the offer has a price for characters and none for tokens (speech)."""
    return "input_tokens" not in card.rates and "input_characters" in card.rates


@dataclass(frozen=True, slots=True)
class _OfferTexts:
    """The samples in the tokens of one offer; where any sample has tools or images, each has a figure of them."""

    workload: Workload
    resolved: ResolvedOffer
    tokenizer: ChosenTokenizer | None
    lengths: TextLengths
    purchase: Purchase
    with_tools: bool
    with_images: bool

    def by_token(self, sample: Sample) -> Figures:
        """The figures of a sample, its tokens counted or stated."""
        workload, purchase = self.workload, self.purchase
        system = NO_TEXT if sample.system_text is None else self.lengths.of(sample.system_text)
        new = stated(sample.input_tokens or 0) if sample.input_text is None else self.lengths.of(sample.input_text)
        output, output_warnings = self.lengths.output(sample, new, workload)
        turns = workload.turns_per_conversation
        if turns > 1 and output is None:
            raise PermillionError(
                "tokens-underivable",
                "later turns send the answers again: give output text, tokens or characters",
                pointer="/workload/turns_per_conversation",
            )
        extra = overhead_of(sample, self.tokenizer, self.resolved.offer.model, turns, self.lengths.count)
        warnings = [*output_warnings, *self.lengths.warnings(system, new, output), *extra.warnings]
        added = extra if workload.include_frame else NO_OVERHEAD
        if workload.include_frame and extra.frame is None:
            warnings.append("frame_unknown")
        if workload.cached_input_share:
            warnings.append("cache_writes_not_counted")
        talk = _talk(system.tokens, new.tokens, None if output is None else output.tokens, added, turns)
        low: Conversation | None = talk
        high: Conversation | None = talk
        if self.tokenizer is not None and self.tokenizer.method == "estimate":
            answers = (None, None) if output is None else output.ends
            low = _end(system.low, new.low, output, answers[0], added, turns)
            high = _end(system.high, new.high, output, answers[1], added, turns)
        cost = purchase.cost(talk)
        reasoning = workload.reasoning_tokens_per_query
        generated = reasoning or None if talk.answer is None else talk.answer + reasoning
        input_price, same_input = purchase.price_per_mtok("input_tokens", talk)
        output_price, same_output = purchase.price_per_mtok("output_tokens", talk)
        if not (same_input and same_output):
            warnings.append("prices_differ_between_turns")
        given = sent_over_turns(system, new, output, turns)
        return Figures(
            given.characters,
            given.tokens,
            None if output is None or output.characters is None else exact(output.characters),
            exact(generated) if generated is not None else None,
            given.low,
            given.high,
            input_price,
            output_price,
            cost.input_cost,
            cost.output_cost if generated is not None else None,
            cost.total,
            purchase.cost_at(low, talk, cost),
            purchase.cost_at(high, talk, cost),
            cost.rates,
            [*warnings, *cost.warnings],
            None if extra.frame is None else _mean_of(extra.frame, turns),
            exact(extra.tools) if self.with_tools and extra.tools is not None else None,
            _mean_of(Conversation(0, extra.images, 0), turns)
            if self.with_images and extra.images is not None
            else None,
        )

    def by_character(self, sample: Sample) -> Figures:
        """The figures of a sample that is priced by its characters."""
        if sample.input_text is None:
            raise self.resolved.card.explain("input_tokens")
        characters = len(sample.input_text) + len(sample.system_text or "")
        cost = price_sample(self.resolved.card, None, {"input_characters": characters}, self.purchase.terms)
        return Figures(
            exact(characters), None, None, None, None, None, None, None,
            cost.input_cost, None, cost.total, cost.total, cost.total, cost.rates, cost.warnings,
        )  # fmt: skip


def _mean_of(part: Conversation, turns: int) -> Exact:
    """The mean over the turns of what a frame or images add."""
    if turns == 1:
        return exact(part.standing + part.new)
    return part._replace(answer=0, turns=turns).mean_input()


def _talk(system: int, new: int, answer: int | None, added: Overhead, turns: int) -> Conversation:
    """The tokens that are billed: the texts and, where they are asked for, the overheads that are known."""
    frame = added.frame or Conversation(0, 0, None)
    return Conversation(
        system + (added.tools or 0) + frame.standing,
        new + (added.images or 0) + frame.new,
        answer,
        frame.answer_frame,
        turns,
    )


def _end(
    system: int | None, new: int | None, output: Length | None, output_end: int | None, added: Overhead, turns: int
) -> Conversation | None:
    """One end of the range; None where a length has none."""
    if system is None or new is None or (output is not None and output_end is None):
        return None
    return _talk(system, new, output_end, added, turns)
