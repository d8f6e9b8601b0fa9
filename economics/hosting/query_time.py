"""How long a query occupies a replica: the replica-seconds that its share of a full batch takes.

Not a latency: with 64 queries in flight each waits longer than the replica-seconds it is charged with, and no latency follows from
a throughput (vllm-project/vllm#12845).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from economics.errors import PermillionError
from economics.money import ONE, ZERO, Exact

NONE = Exact(ZERO)
_ALL = Exact(ONE)


@dataclass(frozen=True, slots=True)
class QueryTokens:
    """Tokens of one query, or their means over many: cached input is what the prefix cache holds already."""

    uncached_input: Exact
    cached_input: Exact
    output: Exact

    @property
    def input(self) -> Exact:
        """All input tokens."""
        return self.uncached_input + self.cached_input

    @property
    def total(self) -> Exact:
        """Input and output tokens."""
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class QueryTime:
    """Replica-seconds of one query at full load; both parts None where the throughput does not tell them apart."""

    total: Exact
    prefill: Exact | None = None
    decode: Exact | None = None

    @property
    def prefill_share(self) -> Exact | None:
        """Prefill's part of the time (φ), 0–1."""
        return None if self.prefill is None or not self.total else self.prefill / self.total

    @property
    def queries_per_s(self) -> Exact:
        """What one replica holds at full load: `1 / total`."""
        return _ALL / self.total

    def times(self, factor: Exact) -> QueryTime:
        """At a throughput `1 / factor` as high."""
        return QueryTime(
            self.total * factor,
            None if self.prefill is None else self.prefill * factor,
            None if self.decode is None else self.decode * factor,
        )


class OperatingPoint(Protocol):
    """What one replica does at full load, from which the time of any query follows."""

    def time(self, tokens: QueryTokens) -> QueryTime:
        """Replica-seconds of a query."""


@dataclass(frozen=True, slots=True)
class SustainedOutput:
    """Output tokens a second of a replica that also does the prefill of these queries (what benchmarks report).

    `time = output / output_tokens_per_s`, of it `prefill_share` prefill where that is known.

    >>> from economics.money import exact
    >>> point = SustainedOutput(exact(1000), Exact(ONE) / exact(4))
    >>> time = point.time(QueryTokens(exact(2000), NONE, exact(500)))
    >>> time.total.to_text(), time.prefill.to_text(), time.decode.to_text()
    ('0.5', '0.125', '0.375')
    """

    output_tokens_per_s: Exact
    prefill_share: Exact | None = None

    def time(self, tokens: QueryTokens) -> QueryTime:
        """As `OperatingPoint`; only for queries like those of the measurement."""
        if not tokens.output:
            raise PermillionError(
                "tokens-underivable", "a throughput of output tokens says nothing of a query without output"
            )
        total = tokens.output / self.output_tokens_per_s
        if self.prefill_share is None:
            return QueryTime(total)
        prefill = total * self.prefill_share
        return QueryTime(total, prefill, total - prefill)


@dataclass(frozen=True, slots=True)
class SustainedBoth:
    """Input and output tokens a second that a replica sustains at once.

    `time = max(input / input_tokens_per_s, output / output_tokens_per_s)`: the one that is used up first limits.

    >>> from economics.money import exact
    >>> SustainedBoth(exact(8000), exact(1000)).time(QueryTokens(exact(2000), NONE, exact(500))).total.to_text()
    '0.5'
    """

    input_tokens_per_s: Exact
    output_tokens_per_s: Exact

    def time(self, tokens: QueryTokens) -> QueryTime:
        """As `OperatingPoint`."""
        inputs, outputs = tokens.input / self.input_tokens_per_s, tokens.output / self.output_tokens_per_s
        return QueryTime(max(inputs, outputs))


@dataclass(frozen=True, slots=True)
class TokenTimes:
    """Replica-seconds of one token of each kind; prefill and decode follow each other, so they add up.

    Cached input costs what attention to it costs, in many replicas next to nothing.

    Worked number (DeepSeek's inference system, 2025-03-01): 1,000 input tokens at 73,700 and 500 output tokens at 14,800 a
    second and node are 0.01357 + 0.03378 node-seconds.

    >>> from economics.money import exact
    >>> point = TokenTimes(exact(1) / exact(73_700), NONE, exact(1) / exact(14_800))
    >>> time = point.time(QueryTokens(exact(1000), NONE, exact(500)))
    >>> round(time.prefill.to_decimal(), 5), round(time.decode.to_decimal(), 5)
    (Decimal('0.01357'), Decimal('0.03378'))
    """

    uncached_input_s: Exact
    cached_input_s: Exact
    output_s: Exact

    def time(self, tokens: QueryTokens) -> QueryTime:
        """As `OperatingPoint`."""
        prefill = tokens.uncached_input * self.uncached_input_s + tokens.cached_input * self.cached_input_s
        decode = tokens.output * self.output_s
        return QueryTime(prefill + decode, prefill, decode)


@dataclass(frozen=True, slots=True)
class StatedTimes:
    """Replica-seconds of prefill and of decode of one query, as `t_pre` and `O · t_dec / B` (equation 15)."""

    prefill: Exact
    decode: Exact

    def time(self, tokens: QueryTokens) -> QueryTime:
        """As `OperatingPoint`; only for the query they are stated for."""
        return QueryTime(self.prefill + self.decode, self.prefill, self.decode)


def token_times(time: QueryTime, tokens: QueryTokens, cached_prefill_share: Exact) -> TokenTimes | None:
    """Times per token whose sum over `tokens` is `time` again; None where prefill and decode are not told apart.

    Args:
        time: of a query with `tokens`, at one operating point.
        cached_prefill_share: part of the prefill that attention to cached tokens takes, 0–1; none where nothing is cached.

    Other queries near that operating point are priced with them: a long prompt gets its own prefill, not the mean one.
    """
    if time.prefill is None or time.decode is None:
        return None
    cached = cached_prefill_share if tokens.cached_input else NONE
    if not tokens.uncached_input and tokens.cached_input:
        cached = _ALL
    return TokenTimes(
        _per(time.prefill * (_ALL - cached), tokens.uncached_input),
        _per(time.prefill * cached, tokens.cached_input),
        _per(time.decode, tokens.output),
    )


def _per(time: Exact, tokens: Exact) -> Exact:
    return time / tokens if tokens else NONE
