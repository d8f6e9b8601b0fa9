"""The throughput of a deployment for given queries, wherever it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import Final, Literal

from economics.errors import PermillionError
from economics.hosting.query_time import (
    NONE,
    OperatingPoint,
    QueryTime,
    QueryTokens,
    SustainedBoth,
    TokenTimes,
    token_times,
)
from economics.money import Exact, exact
from hardware.architectures.architecture import Architecture
from hardware.architectures.prefill_work import cached_prefill_share
from hardware.throughput.question import Grade, Range

Method = Literal["stated", "measured", "anchored", "physics"]
SIGNIFICANT_DIGITS: Final = 12
"""Of a physical quantity where money begins: far more than any estimate knows, few enough to keep bills short."""
_BELOW_8_BITS: Final = frozenset({"fp4", "nvfp4", "mxfp4", "mxfp4w-fp8", "int4", "uint4"})


@dataclass(frozen=True, slots=True)
class HostedThroughput:
    """What one replica does at full load, and how well that is known.

    Attributes:
        time: of the mean query; `times` of each of its tokens, None where prefill and decode are not told apart.
        slow, fast: factors on the time at the ends of the band, None where there is none.
        output_tokens_per_s, input_tokens_per_s: at these queries; input counts cached tokens.
        prefill_accelerators, decode_accelerators: of disaggregated pools.
    """

    point: OperatingPoint
    time: QueryTime
    times: TokenTimes | None
    method: Method
    grade: Grade | None = None
    slow: Exact | None = None
    fast: Exact | None = None
    source: str | None = None
    checked_on: date | None = None
    ttft_ms: Range | None = None
    tpot_ms: Range | None = None
    concurrency: Exact | None = None
    max_concurrency: Exact | None = None
    bound_tokens_per_s_per_accelerator: Exact | None = None
    weight_precision: str | None = None
    kv_precision: str | None = None
    prefill_accelerators: int | None = None
    decode_accelerators: int | None = None
    assumptions: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def mix(self, mean: QueryTokens) -> TokenTimes:
        """Times of each token whose total over queries of mean lengths `mean` is `time`, whatever their single lengths.

        Only the totals are to be used where `times` is None: the side that limits carries all.
        """
        if self.times is not None:
            return self.times
        if isinstance(self.point, SustainedBoth) and self.time.total != mean.output / self.point.output_tokens_per_s:
            each = self.time.total / mean.input
            return TokenTimes(each, each, NONE)
        return TokenTimes(NONE, NONE, self.time.total / mean.output)

    def output_tokens_per_s(self, tokens: QueryTokens) -> Exact:
        """Output tokens a second of one replica that serves such queries."""
        return tokens.output / self.time.total

    def input_tokens_per_s(self, tokens: QueryTokens) -> Exact:
        """Input tokens a second of one replica that serves such queries, cached ones included."""
        return tokens.input / self.time.total


def to_exact(value: float) -> Exact:
    """A physical quantity as it enters a bill: 12 significant digits.

    Raises:
        PermillionError: `infeasible` for a quantity that is none (NaN, infinite, below 0).

    >>> to_exact(1234.5678901234567).to_text(), to_exact(0.1 + 0.2).to_text()
    ('1234.56789012', '0.3')
    """
    if not isfinite(value) or value < 0:
        raise PermillionError("infeasible", "no finite throughput was found for this deployment")
    return exact(Decimal(f"{value:.{SIGNIFICANT_DIGITS}g}"))


def positive_time(point: OperatingPoint, tokens: QueryTokens) -> QueryTime:
    """The time of a query, which is above 0.

    Raises:
        PermillionError: `tokens-underivable` for a query without any tokens that take time.
    """
    time = point.time(tokens)
    if not time.total:
        raise PermillionError("tokens-underivable", "a query without tokens takes no time: it has no cost to divide")
    return time


def split_by_token(
    time: QueryTime, tokens: QueryTokens, cached_share: Decimal | None, architecture: Architecture | None
) -> TokenTimes | None:
    """Times of each token; the share of cached ones stated, else from the operations of the architecture, else 0."""
    share = NONE
    if cached_share is not None:
        share = exact(cached_share)
    elif tokens.cached_input and architecture is not None:
        found = cached_prefill_share(
            architecture, float(tokens.uncached_input.to_decimal()), float(tokens.cached_input.to_decimal())
        )
        share = to_exact(found)
    return token_times(time, tokens, share)


def precision_warnings(weight_precision: str | None) -> tuple[str, ...]:
    """That quality is to be measured where weights have fewer than 8 bits: a throughput says nothing of it."""
    return ("quantized_below_8_bits",) if weight_precision in _BELOW_8_BITS else ()
