"""`POST /hosting-cost`: a model on accelerators, and what a query costs there."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, WithJsonSchema, model_validator

from api.http.schemas.common import FxIn
from api.http.schemas.fields import (
    CountIn,
    Currency,
    InstantIn,
    Name,
    PositiveIn,
    PriceIn,
    ShareIn,
    Wire,
)
from api.http.schemas.price import RowIdIn
from api.http.schemas.throughput_check import MeasurementIn
from economics.money import format_decimal

Accelerators = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]


def _quantity(value: object) -> object:
    """A throughput or time measured in physics may come as a JSON number with a point; money may not."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        raise ValueError("must be finite")
    return format_decimal(Decimal(repr(value)))


QuantityIn = Annotated[PositiveIn, BeforeValidator(_quantity)]
LengthIn = Annotated[PriceIn, BeforeValidator(_quantity)]
Workers = Annotated[int, Field(ge=1, le=100_000, strict=True)]
ShortName = Annotated[str, Field(min_length=1, max_length=100)]


class ThroughputIn(Wire):
    """A throughput of one replica at full load, in one of three forms.

    Sustained: `output_tokens_per_s`, with `input_tokens_per_s` where both are sustained at once; its split into prefill and
    decode by `prefill_share`, or by the accelerators of disaggregated pools. Apart: `prefill_tokens_per_s` and
    `decode_tokens_per_s`, each of a replica that does nothing else. Times: `prefill_ms_per_query` and `decode_ms_per_query` in
    replica-milliseconds, the query's share of a full batch.
    """

    output_tokens_per_s: QuantityIn | None = None
    output_low: QuantityIn | None = Field(None, description="low end of the band of output_tokens_per_s")
    output_high: QuantityIn | None = None
    input_tokens_per_s: QuantityIn | None = Field(None, description="sustained at once with output_tokens_per_s")
    prefill_share: ShareIn | None = Field(None, description="prefill's part of the replica's time")
    prefill_accelerators: Accelerators | None = Field(None, description="of the prefill pool, where pools are apart")
    decode_accelerators: Accelerators | None = None
    prefill_tokens_per_s: QuantityIn | None = None
    decode_tokens_per_s: QuantityIn | None = None
    prefill_counts_cached: bool = Field(False, description="prefill_tokens_per_s counts tokens from the cache")
    prefill_ms_per_query: LengthIn | None = None
    decode_ms_per_query: LengthIn | None = None
    cached_prefill_share: ShareIn | None = Field(
        None, description="part of prefill spent on attention to cached tokens"
    )
    tokens_per_s_per_user: QuantityIn | None = Field(
        None, description="refused: it says nothing of a machine's capacity"
    )
    ttft_ms: QuantityIn | None = None
    tpot_ms: QuantityIn | None = None
    concurrency: QuantityIn | None = None
    grade: Literal["A", "B", "C", "D", "F"] | None = Field(None, description="as POST /throughput/check gives it")
    source: Name | None = None
    checked_on: InstantIn | None = None


class MeasuredThroughputIn(Wire):
    """A measurement with its conditions, graded as by `POST /throughput/check`; grades D and F may not enter a cost.

    Model, accelerator, their count and lengths that it does not state are those of the row.
    """

    measurement: MeasurementIn


def _form(value: object) -> str:
    if value == "estimate":
        return "form:estimate"
    if isinstance(value, MeasuredThroughputIn) or (isinstance(value, dict) and "measurement" in value):
        return "form:measured"
    return "form:stated"


ThroughputAnyIn = Annotated[
    Annotated[Literal["estimate"], Tag("form:estimate")]
    | Annotated[ThroughputIn, Tag("form:stated")]
    | Annotated[MeasuredThroughputIn, Tag("form:measured")],
    Discriminator(_form),
]


class HostingIn(Wire):
    """A model on accelerators: one price, one throughput, and how it is run."""

    model: Name = Field(description="an id of GET /architectures")
    accelerator: Name | None = Field(None, description="an id of GET /accelerators; an estimate needs it")
    accelerator_count: Accelerators = Field(1, description="of one replica: what is rented and scaled as a whole")
    price_per_accelerator_hour: PositiveIn | None = None
    price_per_instance_hour: PositiveIn | None = None
    instance_accelerators: Accelerators | None = Field(
        None, description="accelerators of an instance; those that stay unused are paid"
    )
    currency: Currency = Field("USD", description="of a stated price and of monthly costs beside it")
    price_source: Name | None = None
    price_checked_on: InstantIn | None = None
    rental: Name | None = Field(None, description="id of a rental price, or provider/instance with region")
    region: ShortName | None = None
    purchase_model: ShortName | None = Field(None, description="on_demand (default), spot, commit, …")
    term_months: Annotated[int, Field(ge=1, le=1_000, strict=True)] | None = Field(None, description="of a commitment")
    ownership_profile: Name | None = Field(None, description="an id of GET /ownership-profiles")
    discount_share: ShareIn = Field("0", validate_default=True)
    throughput: ThroughputAnyIn = "estimate"
    utilization_ratio: PositiveIn | None = Field(
        None, description="busy share of the paid time, sustained over the day: above 0, at most 1"
    )
    usable_utilization_ratio: PositiveIn | None = Field(
        None, description="most that a replica is planned to be busy; default: utilization_ratio"
    )
    minimum_replicas: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 1
    staff_share: PriceIn = Field("0", validate_default=True, description="full-time people")
    staff_cost_per_month: PriceIn = Field("0", validate_default=True, description="of one of them")
    platform_cost_per_month: PriceIn = Field("0", validate_default=True)
    hours_per_month: PositiveIn = Field("730", validate_default=True)
    weight_precision: ShortName | None = None
    kv_precision: ShortName | None = None
    engine: ShortName = "vllm"
    engine_version: Annotated[str, Field(max_length=100)] = ""
    weight_only: bool = Field(
        False, description="such weights with wider arithmetic, where the accelerator lacks units"
    )
    parallelism: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None,
        description="of an engine: tpN[-ppN][-epN][-dpattn]; pools: prefill AxB + decode CxD; left out: the best shape",
    )
    nodes: Workers | None = None
    max_batch: Workers | None = Field(None, description="largest batch of the engine's configuration")
    concurrency: QuantityIn | None = Field(None, description="in flight; left out: the best within limits and memory")
    scenario: Literal["closed_loop", "offline", "static_batch"] = "closed_loop"
    tpot_limit_ms: QuantityIn | None = None
    ttft_limit_ms: QuantityIn | None = None
    p99_limits: bool = False
    draft_tokens: Annotated[int, Field(ge=1, le=100, strict=True)] | None = Field(
        None, description="speculative decoding; its acceptance must be measured on the workload"
    )
    acceptance_ratio: ShareIn | None = None
    draft_time_ratio: ShareIn | None = Field(None, description="time of a draft step as a share of a target step")
    power_w_per_accelerator: QuantityIn | None = None
    power_basis: ShortName | None = Field(None, description="which power that is, e.g. provisioned_utility")
    output_ratio: PositiveIn = Field(
        "4",
        validate_default=True,
        description="input tokens that an output token counts as in the split at a fixed ratio",
    )

    @model_validator(mode="after")
    def _one_price(self) -> Self:
        given = (self.price_per_accelerator_hour, self.price_per_instance_hour, self.rental, self.ownership_profile)
        if sum(value is not None for value in given) != 1:
            raise ValueError(
                "give one of price_per_accelerator_hour, price_per_instance_hour, rental and ownership_profile"
            )
        return self


class HostingRowIn(HostingIn):
    """A deployment and the queries it answers."""

    row_id: RowIdIn | None = None
    isl_tokens: LengthIn = Field(description="mean input tokens of a query, cached ones included")
    osl_tokens: LengthIn = Field(description="mean output tokens of a query, reasoning included")
    cached_input_share: ShareIn = Field("0", validate_default=True)
    queries_per_month: PriceIn | None = None
    retry_share: PriceIn = Field("0", validate_default=True)
    input_characters: CountIn | None = Field(None, description="of the text of isl_tokens, for figures per character")
    output_characters: CountIn | None = None
    as_of: InstantIn | None = None


class HostingRequest(Wire):
    """Rows of deployments; scenarios side by side (real time, batch) are rows of their own."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "model": "llama-3.3-70b",
                            "accelerator": "h100-sxm",
                            "accelerator_count": 8,
                            "price_per_instance_hour": "55.04",
                            "instance_accelerators": 8,
                            "throughput": {"output_tokens_per_s": "9600", "prefill_share": "0.2"},
                            "utilization_ratio": "0.5",
                            "isl_tokens": 1000,
                            "osl_tokens": 300,
                        }
                    ]
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/HostingRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = None
    known_at: InstantIn | None = None
    currency: Currency | None = Field(None, description="of the answer; left out: each price's own")
    fx: list[FxIn] = []
