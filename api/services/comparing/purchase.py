"""One offer as it is bought: what queries of given lengths cost under a workload and its terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from api.services.comparing.question import Workload
from api.services.comparing.turns import Conversation
from economics.errors import PermillionError
from economics.money import Exact, multiply
from economics.rate_card import RateCard
from economics.text_costs import NOTHING, SampleCost, Terms, net_of_terms, price_sample

_Usage = dict[str, Decimal | int]


@dataclass(frozen=True, slots=True)
class Purchase:
    """One offer as it is bought.

    Attributes:
        card, batch: its rates, and those of batch processing where that is sold and asked for.
        longest: input tokens the model takes, None where not known.
    """

    workload: Workload
    card: RateCard
    terms: Terms
    batch: RateCard | None
    longest: int | None

    def cost(self, talk: Conversation) -> SampleCost:
        """The mean cost of a turn, each turn priced on its own: at its own tier.

        Raises:
            PermillionError: `exceeds-context` where the last turn is longer than the model takes, and what `price_sample`
                raises.
        """
        inputs = list(talk.inputs())
        if self.longest is not None and inputs[-1] > self.longest:
            raise PermillionError(
                "exceeds-context", f"{inputs[-1]} input tokens; the model takes {self.longest}", pointer="/samples"
            )
        turns = [
            price_sample(self.card, self.batch, _usage(tokens, talk.answer, self.workload), self.terms)
            for tokens in inputs
        ]
        return turns[0] if len(turns) == 1 else _mean(turns)

    def cost_at(self, end: Conversation | None, counted: Conversation, cost: SampleCost) -> Exact | None:
        """The cost at one end of the counts' error.

        Args:
            end: the lengths at that end, None where the error of a count is not known.
            counted, cost: the lengths as they were counted, and their cost.

        Returns:
            None also where so many tokens have no price.
        """
        if end is None:
            return None
        if end is counted or end == counted:
            return cost.total
        try:
            return self.cost(end).total
        except PermillionError:
            return None

    def price_per_mtok(self, meter: str, talk: Conversation) -> tuple[Exact | None, bool]:
        """The rate of `meter` for these lengths, and whether it is the same in all turns; None where not."""
        generated = (talk.answer or 0) + self.workload.reasoning_tokens_per_query
        inputs = talk.inputs()
        rate = self.card.find(meter, next(inputs), generated)
        if talk.turns > 1 and any(self.card.find(meter, tokens, generated) is not rate for tokens in inputs):
            return None, False
        return None if rate is None else net_of_terms(rate.per_mtok(), rate.row, self.terms), True


def _mean(turns: Sequence[SampleCost]) -> SampleCost:
    count = Decimal(len(turns))
    return SampleCost(
        sum((turn.input_cost for turn in turns), NOTHING) / count,
        sum((turn.output_cost for turn in turns), NOTHING) / count,
        sum((turn.total for turn in turns), NOTHING) / count,
        list({id(rate): rate for turn in turns for rate in turn.rates}.values()),
        list(dict.fromkeys(code for turn in turns for code in turn.warnings)),
    )


def _usage(input_tokens: int, output_tokens: int | None, workload: Workload) -> _Usage:
    usage: _Usage = {"input_tokens": input_tokens}
    if workload.cached_input_share:
        usage["cache_read_tokens"] = multiply(Decimal(input_tokens), workload.cached_input_share)
    reasoning = workload.reasoning_tokens_per_query
    if output_tokens is not None or reasoning:
        usage["output_tokens"] = (output_tokens or 0) + reasoning
    if reasoning:
        usage["reasoning_tokens"] = reasoning
    return usage
