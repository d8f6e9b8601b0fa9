"""The figures of one offer: for one sample, and their weighted mean over all.

Every amount is native and exact; None means that the figure does not exist (no output given, no character, no price).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from economics.money import Exact
from economics.rate_card import ApplicableRate
from economics.text_costs import per_million_characters, weighted_mean


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts, prices and costs per query."""

    input_characters: Exact | None
    input_tokens: Exact | None
    output_characters: Exact | None
    output_tokens: Exact | None
    tokens_low: Exact | None
    tokens_high: Exact | None
    input_price_per_mtok: Exact | None
    output_price_per_mtok: Exact | None
    input_cost: Exact | None
    output_cost: Exact | None
    cost_per_query: Exact
    cost_low: Exact | None
    cost_high: Exact | None
    rates: Sequence[ApplicableRate]
    warnings: Sequence[str]
    frame_tokens: Exact | None = None
    tool_tokens: Exact | None = None
    image_tokens: Exact | None = None

    @property
    def tokens_per_character(self) -> Exact | None:
        """Input tokens per input character."""
        if self.input_tokens is None or not self.input_characters:
            return None
        return self.input_tokens / self.input_characters

    @property
    def input_cost_per_mchar(self) -> Exact | None:
        """Cost of the input per million of its characters."""
        if self.input_cost is None or self.input_characters is None:
            return None
        return per_million_characters(self.input_cost, self.input_characters)

    @property
    def output_cost_per_mchar(self) -> Exact | None:
        """Cost of the output per million of its characters."""
        if self.output_cost is None or self.output_characters is None:
            return None
        return per_million_characters(self.output_cost, self.output_characters)


def mean_figures(parts: Sequence[Figures], weights: Sequence[Decimal]) -> Figures:
    """The row of all samples: weighted means of counts and costs, each sample priced on its own.

    A price that differs between samples (they fall into different tiers) is None, with a warning. Ratios to characters
    follow from the means: `Σ w·cost / Σ w·characters`.
    """
    if len(parts) == 1:
        return parts[0]

    def mean(pick: Callable[[Figures], Exact | None]) -> Exact | None:
        values = [value for value in map(pick, parts) if value is not None]
        return weighted_mean(values, weights) if len(values) == len(parts) else None

    input_price, same_input = _common([part.input_price_per_mtok for part in parts])
    output_price, same_output = _common([part.output_price_per_mtok for part in parts])
    warnings = list(dict.fromkeys(code for part in parts for code in part.warnings))
    if not (same_input and same_output):
        warnings.append("prices_differ_between_samples")
    return Figures(
        mean(lambda f: f.input_characters),
        mean(lambda f: f.input_tokens),
        mean(lambda f: f.output_characters),
        mean(lambda f: f.output_tokens),
        mean(lambda f: f.tokens_low),
        mean(lambda f: f.tokens_high),
        input_price,
        output_price,
        mean(lambda f: f.input_cost),
        mean(lambda f: f.output_cost),
        weighted_mean([part.cost_per_query for part in parts], weights),
        mean(lambda f: f.cost_low),
        mean(lambda f: f.cost_high),
        [rate for part in parts for rate in part.rates],
        warnings,
        mean(lambda f: f.frame_tokens),
        mean(lambda f: f.tool_tokens),
        mean(lambda f: f.image_tokens),
    )


def _common(prices: Sequence[Exact | None]) -> tuple[Exact | None, bool]:
    first = prices[0]
    if all((price is None) == (first is None) and price == first for price in prices):
        return first, True
    return None, False
