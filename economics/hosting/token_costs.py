"""Costs of a million tokens: splits of one bill, each of which adds up to it, and the one-sided figures that do not split.

A published cost per million input tokens and one per million output tokens that each carry the whole bill must never be added
(SemiAnalysisAI/InferenceX#552 and #553): a figure that puts all cost on one side says so in its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from economics.errors import PermillionError
from economics.hosting.query_cost import FULL, check_utilization
from economics.hosting.query_time import NONE, QueryTokens, TokenTimes
from economics.money import Exact

MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class TokenCosts:
    """Costs per million tokens of each kind, None where a query has no such token.

    `uncached_input·S + cached_input·C + output·O = 10⁶ · cost of the query`; `input` is the mean over all S + C.
    """

    uncached_input: Exact | None
    cached_input: Exact | None
    input: Exact | None
    output: Exact | None

    def of_query(self, tokens: QueryTokens) -> Exact:
        """The cost of a query with `tokens`."""
        parts = (
            (self.uncached_input, tokens.uncached_input),
            (self.cached_input, tokens.cached_input),
            (self.output, tokens.output),
        )
        return sum((cost * count for cost, count in parts if cost is not None), NONE) / MILLION


def by_resource_time(total: Exact, tokens: QueryTokens, times: TokenTimes) -> TokenCosts:
    """The bill `total` of a query divided by the replica time that its tokens take; idle time follows the busy time.

    Formula: `cost_in = φ·bill / input tokens`, `cost_out = (1 − φ)·bill / output tokens`; cached tokens get the time of
    attention to them and no more (equation 16 of docs/hosting-cost.md).

    Worked number: a bill of 0.10 at φ = 0.4 for 1,000 input and 500 output tokens is 40 per million in and 120 out.

    >>> from economics.money import exact
    >>> times = TokenTimes(Exact(Decimal("0.002")), NONE, Exact(Decimal("0.006")))
    >>> costs = by_resource_time(Exact(Decimal("0.10")), QueryTokens(exact(1000), NONE, exact(500)), times)
    >>> costs.input.to_text(), costs.output.to_text(), costs.cached_input
    ('40', '120', None)
    """
    busy = times.time(tokens).total
    per_second = total / busy

    def cost(seconds: Exact, count: Exact) -> Exact | None:
        return per_second * seconds * MILLION if count else None

    inputs = tokens.uncached_input * times.uncached_input_s + tokens.cached_input * times.cached_input_s
    return TokenCosts(
        cost(times.uncached_input_s, tokens.uncached_input),
        cost(times.cached_input_s, tokens.cached_input),
        per_second * inputs * MILLION / tokens.input if tokens.input else None,
        cost(times.output_s, tokens.output),
    )


def by_fixed_ratio(per_second: Exact, input_per_s: Exact, output_per_s: Exact, ratio: Decimal) -> tuple[Exact, Exact]:
    """Costs per million input and output tokens where an output token counts as `ratio` input tokens.

    Formula: `output = c / (input_per_s / r + output_per_s)`, `input = output / r` with c the cost of a second and r = 4 by default
    (Google's GKE recommender API). `input·input_per_s + output·output_per_s = c`.

    Worked number: 0.01 a second at 4,000 input and 1,000 output tokens a second and r = 4 are 5 out and 1.25 in:
    4,000 · 1.25/10⁶ + 1,000 · 5/10⁶ = 0.01.

    >>> from economics.money import exact
    >>> [c.to_text() for c in by_fixed_ratio(Exact(Decimal("0.01")), exact(4000), exact(1000), Decimal(4))]
    ['1.25', '5']
    """
    if ratio <= 0:
        raise PermillionError("invalid-fields", "the ratio of output to input cost is above 0", pointer="/output_ratio")
    output = per_second * MILLION / (input_per_s / ratio + output_per_s)
    return output / ratio, output


def all_to_output_per_mtok(total: Exact, tokens: QueryTokens) -> Exact | None:
    """The whole bill on the output tokens: `10⁶ · bill / O`. One-sided: beside it input costs nothing."""
    return total * MILLION / tokens.output if tokens.output else None


def all_to_total_per_mtok(total: Exact, tokens: QueryTokens) -> Exact | None:
    """The whole bill on all tokens alike: `10⁶ · bill / (I + O)`."""
    return total * MILLION / tokens.total if tokens.total else None


def cost_per_mtok(price_per_hour: Exact, tokens_per_s: Exact, utilization_ratio: Exact = FULL) -> Exact:
    """`price_per_hour · 10⁶ / (tokens_per_s · 3600 · U)` (equation 17 of docs/hosting-cost.md): one-sided, of whatever is counted.

    Of a pool of disaggregated serving it is that pool's figure and not the cluster's: give the price of what it is to cover.

    Worked number (caleta.io, spot H100 NVL, batch 128): 1.61 an hour at 4,715 tokens a second is 0.0949.

    >>> from economics.money import exact
    >>> round(cost_per_mtok(Exact(Decimal("1.61")), exact(4715)).to_decimal(), 4)
    Decimal('0.0949')
    """
    if not tokens_per_s > NONE:
        raise PermillionError("invalid-fields", "a throughput is above 0: an unknown one is left out, never 0")
    check_utilization(utilization_ratio)
    return price_per_hour * MILLION / (tokens_per_s * Decimal(3600) * utilization_ratio)
