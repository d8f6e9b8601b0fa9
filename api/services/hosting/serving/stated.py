"""A throughput that the caller states, in one of four forms."""

from __future__ import annotations

from decimal import Decimal

from api.services.hosting.deployment import Deployment, StatedThroughput
from api.services.hosting.serving.throughput import HostedThroughput, positive_time, precision_warnings, split_by_token
from economics.errors import PermillionError
from economics.hosting.query_time import (
    OperatingPoint,
    QueryTime,
    QueryTokens,
    StatedTimes,
    SustainedBoth,
    SustainedOutput,
)
from economics.money import Exact, exact
from hardware.architectures.architecture import Architecture
from hardware.throughput.question import Range

_POINTER = "/throughput"
_THOUSAND = Decimal(1000)


def stated_throughput(
    deployment: Deployment, tokens: QueryTokens, architecture: Architecture | None
) -> HostedThroughput:
    """The operating point that the caller states.

    Raises:
        PermillionError: `not-for-cost` for a speed per user and for grades D and F; `infeasible` where a stated latency is
            above its limit; `invalid-fields` for a form that is none or several.
    """
    stated = deployment.throughput
    assert isinstance(stated, StatedThroughput)
    check_usable(stated)
    point = _point(stated)
    time = _split(positive_time(point, tokens), stated)
    slow, fast = _band(stated)
    return HostedThroughput(
        point,
        time,
        split_by_token(time, tokens, stated.cached_prefill_share, architecture),
        "stated",
        stated.grade,
        slow,
        fast,
        stated.source,
        stated.checked_on,
        _alone(stated.ttft_ms),
        _alone(stated.tpot_ms),
        None if stated.concurrency is None else exact(stated.concurrency),
        weight_precision=deployment.serving.weight_precision,
        kv_precision=deployment.serving.kv_precision,
        prefill_accelerators=stated.prefill_accelerators,
        decode_accelerators=stated.decode_accelerators,
        warnings=(
            "throughput_stated",
            *(("model_not_described",) if architecture is None else ()),
            *_limit_warnings(deployment, stated),
            *(() if time.prefill is not None else ("split_unknown",)),
            *precision_warnings(deployment.serving.weight_precision),
        ),
    )


def check_usable(stated: StatedThroughput) -> None:
    """Refuse what says nothing of a machine's capacity.

    Raises:
        PermillionError: `not-for-cost`.
    """
    if stated.tokens_per_s_per_user is not None:
        raise PermillionError(
            "not-for-cost",
            "a speed per user does not say how many users a replica serves: state tokens a second of the replica",
            pointer=f"{_POINTER}/tokens_per_s_per_user",
        )
    if stated.grade in ("D", "F"):
        raise PermillionError(
            "not-for-cost",
            f"a throughput of grade {stated.grade} may be shown but not enter a cost",
            pointer=f"{_POINTER}/grade",
        )


def _point(stated: StatedThroughput) -> OperatingPoint:
    times = stated.prefill_ms_per_query is not None or stated.decode_ms_per_query is not None
    apart = stated.prefill_tokens_per_s is not None or stated.decode_tokens_per_s is not None
    if times + apart + (stated.output_tokens_per_s is not None) != 1:
        raise PermillionError(
            "invalid-fields",
            "state one of: output_tokens_per_s (with input_tokens_per_s where both are sustained at once); "
            "prefill_tokens_per_s and decode_tokens_per_s; prefill_ms_per_query and decode_ms_per_query",
            pointer=_POINTER,
        )
    if times:
        prefill, decode = stated.prefill_ms_per_query, stated.decode_ms_per_query
        if prefill is None or decode is None:
            raise _both("prefill_ms_per_query", "decode_ms_per_query")
        return StatedTimes(exact(prefill) / _THOUSAND, exact(decode) / _THOUSAND)
    if apart:
        rate_in, rate_out = stated.prefill_tokens_per_s, stated.decode_tokens_per_s
        if rate_in is None or rate_out is None:
            raise _both("prefill_tokens_per_s", "decode_tokens_per_s")
        return TokensApart(exact(rate_in), exact(rate_out), counts_cached=stated.prefill_counts_cached)
    assert stated.output_tokens_per_s is not None
    output = exact(stated.output_tokens_per_s)
    if stated.input_tokens_per_s is not None:
        return SustainedBoth(exact(stated.input_tokens_per_s), output)
    return SustainedOutput(output)


class TokensApart:
    """Prefill and decode rates, each of a replica (or pool) that does nothing else."""

    def __init__(self, prefill: Exact, decode: Exact, *, counts_cached: bool) -> None:
        self._prefill, self._decode, self._counts_cached = prefill, decode, counts_cached

    def time(self, tokens: QueryTokens) -> QueryTime:
        """As `OperatingPoint`."""
        prefill = (tokens.input if self._counts_cached else tokens.uncached_input) / self._prefill
        decode = tokens.output / self._decode
        return QueryTime(prefill + decode, prefill, decode)


def _both(one: str, other: str) -> PermillionError:
    return PermillionError("invalid-fields", f"{one} and {other} go together", pointer=_POINTER)


def _split(time: QueryTime, stated: StatedThroughput) -> QueryTime:
    """With prefill and decode apart: by a stated share of the time, or by the accelerators of each pool."""
    share = None if stated.prefill_share is None else exact(stated.prefill_share)
    pools = stated.prefill_accelerators, stated.decode_accelerators
    if pools[0] is not None and pools[1] is not None:
        if share is not None:
            raise PermillionError("invalid-fields", "state prefill_share or the pools, not both", pointer=_POINTER)
        share = exact(pools[0]) / exact(pools[0] + pools[1])
    elif pools != (None, None):
        raise _both("prefill_accelerators", "decode_accelerators")
    if share is None:
        return time
    if time.prefill is not None:
        raise PermillionError(
            "invalid-fields", "prefill_share and pools belong to output_tokens_per_s; the other forms split by themselves",
            pointer=_POINTER,
        )  # fmt: skip
    prefill = time.total * share
    return QueryTime(time.total, prefill, time.total - prefill)


def _band(stated: StatedThroughput) -> tuple[Exact | None, Exact | None]:
    """Factors on the time at the low and the high throughput."""
    value, low, high = stated.output_tokens_per_s, stated.output_low, stated.output_high
    if low is None and high is None:
        return None, None
    if value is None or low is None or high is None or not low <= value <= high:
        raise PermillionError(
            "invalid-fields",
            "a band is output_low ≤ output_tokens_per_s ≤ output_high",
            pointer=f"{_POINTER}/output_low",
        )
    return exact(value) / low, exact(value) / high


def _alone(value: Decimal | None) -> Range | None:
    return None if value is None else Range(float(value), float(value), float(value))


def _limit_warnings(deployment: Deployment, stated: StatedThroughput) -> tuple[str, ...]:
    """Whether the limits hold at the stated operating point; a throughput does not tell its latency.

    Raises:
        PermillionError: `infeasible`.
    """
    serving = deployment.serving
    unknown = False
    for name, limit, value in (
        ("TPOT", serving.tpot_limit_ms, stated.tpot_ms),
        ("TTFT", serving.ttft_limit_ms, stated.ttft_ms),
    ):
        if limit is None:
            continue
        if value is None:
            unknown = True
        elif value > limit:
            raise PermillionError("infeasible", f"the stated {name} of {value} ms is above its limit of {limit} ms")
    return ("latency_limit_not_checked",) if unknown else ()
