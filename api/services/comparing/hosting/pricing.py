"""A hosted model beside the offers of vendors: the same texts, its own tokenizer, the cost of its accelerators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from api.services.comparing.figures import Figures
from api.services.comparing.hosting.lengths import HostedLength, hosted_length, mean_load
from api.services.comparing.question import Comparison, OfferToCompare
from api.services.comparing.tokens import ChosenTokenizer, Counts, tokenizer_named
from api.services.hosting.costs import cost_of_time, hosting_cost
from api.services.hosting.deployment import Deployment, HostedLoad
from api.services.hosting.finding import FoundThroughput, architecture_of, hourly_price, throughputs_of
from api.services.hosting.machinery import Machinery
from api.services.hosting.prices import HourlyPrice
from api.services.hosting.serving.throughput import HostedThroughput
from economics.billing import Standing
from economics.errors import PermillionError
from economics.hosting.query_time import TokenTimes
from economics.hosting.token_costs import MILLION
from economics.hosting.volume import Month
from economics.money import ONE, Exact, add
from hardware.architectures.architecture import Architecture
from tokenizers_registry.counting import TokenCounter


@dataclass(frozen=True, slots=True)
class HostedOffer:
    """A deployment whose price is known; what it serves is found once its texts are counted."""

    deployment: Deployment
    price: HourlyPrice
    architecture: Architecture | None
    machinery: Machinery

    @property
    def standing(self) -> Standing:
        """Source, date and status of the hourly price."""
        price = self.price
        sources = () if price.source is None else (price.source,)
        return Standing(price.valid_from, None, price.checked_on, sources, price.status)


def find_hosted(wanted: OfferToCompare, as_of: datetime, machinery: Machinery) -> HostedOffer:
    """The hourly price and the model of a hosting offer.

    Raises:
        PermillionError: what keeps the price from being known, or `unknown-architecture`.
    """
    assert wanted.hosting is not None
    price, deployment = hourly_price(wanted.hosting, machinery, as_of)
    return HostedOffer(deployment, price, architecture_of(deployment, machinery.hardware), machinery)


def hosted_tokenizer(offer: HostedOffer, wanted: OfferToCompare, counter: TokenCounter) -> ChosenTokenizer:
    """The model's own tokenizer, else the caller's as an estimate.

    Raises:
        PermillionError: `tokenizer-unavailable`, saying why none is known; `unknown-tokenizer`.
    """
    if wanted.tokenizer is not None:
        found = counter.registry[wanted.tokenizer]
        return ChosenTokenizer(found.tokenizer, "estimate", None, "between_tokenizers", ("tokenizer_chosen_by_caller",))
    model = offer.architecture
    if model is None or model.tokenizer is None:
        why = None if model is None else model.tokenizer_gap
        raise PermillionError(
            "tokenizer-unavailable",
            f"{why or 'no tokenizer of this model is known'}; name a tokenizer beside hosting to estimate with it",
            pointer="/tokenizer",
        )
    return tokenizer_named(model.tokenizer, counter)


@dataclass(frozen=True, slots=True)
class PricedHosting:
    """The figures of each sample, native, and what a reader should know of them."""

    samples: Sequence[Figures]
    warnings: Sequence[str]


def price_hosted(
    offers: Sequence[tuple[HostedOffer, ChosenTokenizer | None]], question: Comparison, counts: Counts
) -> list[PricedHosting | PermillionError]:
    """Each hosting offer of a comparison, or why it has no cost; answer i is of offer i.

    One operating point serves the mix of all samples, with mean lengths; each sample is charged the replica time of its own tokens
    there. At a volume the cost is the month's bill over its queries. All estimates are made at once.
    """
    measured = [_lengths(offer, question, tokenizer, counts) for offer, tokenizer in offers]
    wanted = [
        each if isinstance(each, PermillionError) else (offer.deployment, mean_load(each, question))
        for (offer, _), each in zip(offers, measured, strict=True)
    ]
    found = throughputs_of(wanted, offers[0][0].machinery)
    return [
        _priced(offer, question, lengths, each)
        for (offer, _), lengths, each in zip(offers, measured, found, strict=True)
    ]


def _lengths(
    offer: HostedOffer, question: Comparison, tokenizer: ChosenTokenizer | None, counts: Counts
) -> list[HostedLength] | PermillionError:
    try:
        return [hosted_length(sample, question, tokenizer, counts, offer.architecture) for sample in question.samples]
    except PermillionError as error:
        return error


def _priced(
    offer: HostedOffer,
    question: Comparison,
    lengths: Sequence[HostedLength] | PermillionError,
    found: FoundThroughput | PermillionError,
) -> PricedHosting | PermillionError:
    if isinstance(lengths, PermillionError):
        return lengths
    if isinstance(found, PermillionError):
        return found
    try:
        return _costs(offer, question, lengths, found)
    except PermillionError as error:
        return error


def _costs(
    offer: HostedOffer, question: Comparison, lengths: Sequence[HostedLength], served: FoundThroughput
) -> PricedHosting:
    """Raises `invalid-fields` without utilization and volume, or for a utilization that is none."""
    load = mean_load(lengths, question)
    throughput, accelerator = served.throughput, served.accelerator
    fixed = offer.deployment.staffing.per_month
    whole = hosting_cost(offer.deployment, load, offer.price.replica, throughput, accelerator, fixed)
    total, month = cost_of_time(offer.price.replica, throughput.time, offer.deployment, load, fixed)
    if total is None:
        raise PermillionError(
            "invalid-fields",
            "say utilization_ratio, or queries_per_month in workload: at 100 % utilization a cost is a floor only",
            pointer="/hosting/utilization_ratio",
        )
    found = _Rates(throughput.mix(load.tokens), total / throughput.time.total, load, split=throughput.times is not None)
    low = _end(offer, question, lengths, throughput, "low", fixed)
    high = _end(offer, question, lengths, throughput, "high", fixed)
    figures = [
        found.figures(length, low.cost(length, "low") if low else None, high.cost(length, "high") if high else None)
        for length in lengths
    ]
    said = (*throughput.warnings, *offer.price.warnings, *whole.warnings, *_month_warnings(month), *_shares(question))
    return PricedHosting(figures, said)


@dataclass(frozen=True, slots=True)
class _Rates:
    """What a replica-second costs, idle time, retries and monthly costs in it, and the seconds of each token.

    Attributes:
        split: whether the times tell input from output; else only their total holds.
    """

    times: TokenTimes
    per_second: Exact
    load: HostedLoad
    split: bool

    def cost(self, length: HostedLength, end: str = "") -> Exact | None:
        """The cost of a query of that length, or at one end of its range; None where that is not known."""
        tokens = length.tokens(self.load.cached_input_share, end)
        return None if tokens is None else self.times.time(tokens).total * self.per_second

    def figures(self, length: HostedLength, low: Exact | None, high: Exact | None) -> Figures:
        """The figures of a sample."""
        tokens = length.tokens(self.load.cached_input_share)
        assert tokens is not None
        time = self.times.time(tokens)
        once = self.per_second / add(ONE, self.load.retry_share) * MILLION
        return Figures(
            length.characters,
            length.input_tokens,
            length.output_characters,
            length.output_tokens,
            length.low,
            length.high,
            once * self.times.uncached_input_s if self.split and tokens.uncached_input else None,
            once * self.times.output_s if self.split and tokens.output else None,
            _part(time.prefill, self.per_second) if self.split else None,
            _part(time.decode, self.per_second) if self.split and tokens.output else None,
            time.total * self.per_second,
            low,
            high,
            (),
            length.warnings,
        )


def _part(time: Exact | None, per_second: Exact) -> Exact | None:
    return None if time is None else time * per_second


def _end(
    offer: HostedOffer,
    question: Comparison,
    lengths: Sequence[HostedLength],
    throughput: HostedThroughput,
    end: str,
    fixed: Exact,
) -> _Rates | None:
    """Rates at one end: few tokens at the high throughput, many at the low one; None where a count's range is not known."""
    factor = throughput.fast if end == "low" else throughput.slow
    mean = mean_load(lengths, question)
    load = mean_load(lengths, question, end)
    if load is None:
        return None
    times = throughput.mix(mean.tokens)
    if factor is not None:
        times = TokenTimes(times.uncached_input_s * factor, times.cached_input_s * factor, times.output_s * factor)
    time = times.time(load.tokens)
    total, _ = cost_of_time(offer.price.replica, time, offer.deployment, load, fixed)
    return None if total is None else _Rates(times, total / time.total, load, split=False)


def _month_warnings(month: Month | None) -> tuple[str, ...]:
    return () if month is None else (f"whole_replicas={month.replicas}",)


def _shares(question: Comparison) -> tuple[str, ...]:
    """What the workload's shares mean here."""
    work = question.workload
    return (
        *(("batch_not_offered",) if work.batch_share else ()),
        *(("cached_input_is_prefix_cache",) if work.cached_input_share else ()),
        *(("frame_unknown",) if work.include_frame else ()),
        *(("tax_unknown",) if question.tax_excluded else ()),
    )
