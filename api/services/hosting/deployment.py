"""What is asked of a hosted model: the machine, its price, its throughput and how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from economics.hosting.query_time import NONE, QueryTokens
from economics.hosting.volume import HOURS_PER_MONTH, Staffing
from economics.money import ONE, ZERO, Exact, subtract
from hardware.throughput.question import Grade, Scenario


@dataclass(frozen=True, slots=True)
class StatedPrice:
    """An hourly price that the caller states: of an accelerator, or of an instance of `instance_accelerators`."""

    amount: Decimal
    currency: str
    per_instance: bool = False
    instance_accelerators: int | None = None
    source: str | None = None
    checked_on: date | None = None


@dataclass(frozen=True, slots=True)
class RentalAsked:
    """A rental price of the catalog: a record's id, or `provider/instance` with its region, and how it is bought.

    `instance_accelerators` says in which sets accelerators are rented whose price is per accelerator.
    """

    rental: str
    region: str | None = None
    purchase_model: str | None = None
    term_months: int | None = None
    instance_accelerators: int | None = None


@dataclass(frozen=True, slots=True)
class OwnershipAsked:
    """An ownership profile of the catalog, whose cost per available accelerator-hour is the price."""

    profile: str


PriceAsked = StatedPrice | RentalAsked | OwnershipAsked


@dataclass(frozen=True, slots=True)
class StatedThroughput:
    """A throughput that the caller knows, of one replica at full load; one of the four forms that `schemas.hosting` describes.

    Attributes:
        output_low, output_high: the band of `output_tokens_per_s`.
        cached_prefill_share: part of the prefill that attention to cached tokens takes.
        prefill_counts_cached: whether `prefill_tokens_per_s` counts tokens that come from the cache.
        grade: of a measurement, as `POST /throughput/check` gives it; D and F may not enter a cost.
    """

    output_tokens_per_s: Decimal | None = None
    output_low: Decimal | None = None
    output_high: Decimal | None = None
    input_tokens_per_s: Decimal | None = None
    prefill_share: Decimal | None = None
    prefill_accelerators: int | None = None
    decode_accelerators: int | None = None
    prefill_tokens_per_s: Decimal | None = None
    decode_tokens_per_s: Decimal | None = None
    prefill_counts_cached: bool = False
    prefill_ms_per_query: Decimal | None = None
    decode_ms_per_query: Decimal | None = None
    cached_prefill_share: Decimal | None = None
    tokens_per_s_per_user: Decimal | None = None
    ttft_ms: Decimal | None = None
    tpot_ms: Decimal | None = None
    concurrency: Decimal | None = None
    grade: Grade | None = None
    source: str | None = None
    checked_on: date | None = None


@dataclass(frozen=True, slots=True)
class MeasuredThroughput:
    """A measurement, its value and conditions by the names of `POST /throughput/check`."""

    stated: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Serving:
    """How the model is served, for an estimator: fields of `POST /throughput/estimate`.

    No arrival rate: the throughput of a cost is that of full load, and what is not used of it is idle cost.
    """

    engine: str = "vllm"
    engine_version: str = ""
    weight_precision: str | None = None
    kv_precision: str | None = None
    weight_only: bool = False
    parallelism: str | None = None
    nodes: int | None = None
    concurrency: Decimal | None = None
    max_batch: int | None = None
    scenario: Scenario = "closed_loop"
    tpot_limit_ms: Decimal | None = None
    ttft_limit_ms: Decimal | None = None
    p99_limits: bool = False
    draft_tokens: int | None = None
    acceptance_ratio: Decimal | None = None
    draft_time_ratio: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Deployment:
    """A model on `accelerator_count` accelerators, the replica that is rented and scaled as a whole.

    Attributes:
        throughput: None asks the estimator.
        utilization_ratio: busy share of the paid time, sustained over the day and not at its peak.
        usable_utilization_ratio: most that a replica is planned to be busy; `utilization_ratio` where not given.
        power_w_per_accelerator: None takes the thermal design power, which is no server's power.
        output_ratio: input tokens that an output token counts as, in the split at a fixed ratio.
    """

    model: str
    accelerator: str | None
    accelerator_count: int
    price: PriceAsked
    throughput: StatedThroughput | MeasuredThroughput | None = None
    serving: Serving = field(default_factory=Serving)
    discount_share: Decimal = ZERO
    utilization_ratio: Decimal | None = None
    usable_utilization_ratio: Decimal | None = None
    minimum_replicas: int = 1
    staffing: Staffing = field(default_factory=Staffing)
    hours_per_month: Decimal = HOURS_PER_MONTH
    power_w_per_accelerator: Decimal | None = None
    power_basis: str | None = None
    output_ratio: Decimal = Decimal(4)


@dataclass(frozen=True, slots=True)
class HostedLoad:
    """What a query is and how often it comes; `retry_share` are further ones per query."""

    input_tokens: Exact
    output_tokens: Exact
    cached_input_share: Decimal = ZERO
    queries_per_month: Decimal | None = None
    retry_share: Decimal = ZERO

    @property
    def tokens(self) -> QueryTokens:
        """Of one query."""
        cached = self.input_tokens * self.cached_input_share if self.cached_input_share else NONE
        return QueryTokens(self.input_tokens * subtract(ONE, self.cached_input_share), cached, self.output_tokens)


def discounted(amount: Exact, share: Decimal) -> Exact:
    """`amount · (1 − share)`."""
    return amount * subtract(ONE, share) if share else amount


def canonical(deployment: Deployment) -> dict[str, str]:
    """What tells this deployment from others of the same model, as the context of a row."""
    serving = deployment.serving
    price = deployment.price
    values: dict[str, object] = {
        "accelerator": deployment.accelerator,
        "accelerator_count": deployment.accelerator_count,
        "engine": None if deployment.throughput is not None else serving.engine,
        "kv_precision": serving.kv_precision,
        "ownership_profile": price.profile if isinstance(price, OwnershipAsked) else None,
        "purchase_model": price.purchase_model if isinstance(price, RentalAsked) else None,
        "region": price.region if isinstance(price, RentalAsked) else None,
        "rental": price.rental if isinstance(price, RentalAsked) else None,
        "scenario": None if deployment.throughput is not None else serving.scenario,
        "term_months": price.term_months if isinstance(price, RentalAsked) else None,
        "tpot_limit_ms": serving.tpot_limit_ms,
        "ttft_limit_ms": serving.ttft_limit_ms,
        "utilization_ratio": deployment.utilization_ratio,
        "weight_precision": serving.weight_precision,
    }
    return {name: format_value(value) for name, value in values.items() if value is not None}


def format_value(value: object) -> str:
    """A value of a context as text."""
    return Exact(value).to_text() if isinstance(value, Decimal) else str(value)
