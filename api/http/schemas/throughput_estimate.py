"""`POST /throughput/estimate`: deployments in, throughput and latency with 80 % bands out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, InstantIn, Wire, numeric_columns
from api.http.schemas.physical import (
    FlagIn,
    Note,
    NumberIn,
    PositiveQuantityIn,
    QuantityIn,
    RatioIn,
    ShortName,
)
from api.http.schemas.price import RowIdIn


class DeploymentIn(Wire):
    """One deployment under one load: `concurrency`, limits, a request rate, or a `scenario`."""

    row_id: RowIdIn | None = None
    architecture: ShortName = Field(description="id of GET /architectures")
    accelerator: ShortName = Field(description="id of GET /accelerators")
    accelerator_count: NumberIn = Field(description="of the whole system: all replicas, nodes and pools")
    weight_precision: ShortName | None = Field(
        None, description="bf16 fp16 fp8 fp4 nvfp4 mxfp4 mxfp4w-fp8 int8 int4 uint4; left out: assumed and said"
    )
    weight_only: FlagIn = Field(
        False, description="such weights with wider arithmetic, where the accelerator lacks units"
    )
    kv_precision: ShortName | None = Field(None, description="bf16 fp16 fp8")
    engine: ShortName | None = Field(None, description="vllm, sglang, trtllm, …; left out: vllm, and said")
    engine_version: Note | None = None
    parallelism: Note | None = Field(
        None,
        description="of a replica: tpN[-ppN][-epN][-dpattn], depN; pools: prefill AxB + decode CxD; left out: the best shape",
    )
    nodes: NumberIn | None = None
    isl_tokens: PositiveQuantityIn = Field(description="mean input tokens of a request")
    osl_tokens: PositiveQuantityIn = Field(description="mean output tokens of a request")
    cached_input_share: RatioIn | None = Field(
        None, description="share of the input that the prefix cache holds; left out: 0, and said"
    )
    concurrency: PositiveQuantityIn | None = Field(None, description="requests in flight on the whole system")
    tpot_limit_ms: PositiveQuantityIn | None = None
    ttft_limit_ms: PositiveQuantityIn | None = None
    p99_limits: FlagIn = Field(False, description="the limits are 99th percentiles, not of the median request")
    request_rate_per_s: PositiveQuantityIn | None = Field(None, description="Poisson arrivals at the whole system")
    scenario: Literal["closed_loop", "poisson", "offline", "static_batch"] | None = None
    max_batch: NumberIn | None = Field(None, description="largest batch of the engine's configuration")
    draft_tokens: Annotated[int, Field(ge=1, le=100, strict=True)] | None = Field(
        None, description="speculative decoding"
    )
    acceptance_ratio: RatioIn | None = None
    draft_time_ratio: RatioIn | None = Field(None, description="time of a draft step as a share of a target step")
    power_w_per_accelerator: QuantityIn | None = Field(None, description="for the energy; left out: TDP, and said")


class EstimateRequest(Wire):
    """Deployments; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "architecture": "llama-3.3-70b",
                            "accelerator": "h100-sxm",
                            "accelerator_count": 2,
                            "weight_precision": "fp8",
                            "isl_tokens": 1000,
                            "osl_tokens": 1000,
                            "tpot_limit_ms": 30,
                        }
                    ]
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/DeploymentIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = None


class EstimatedRow(Answer):
    """An estimate; low and high are the ends of its 80 % band."""

    row_id: str | int
    architecture: str | None
    accelerator: str | None
    accelerator_count: int | None
    output_tokens_per_s: DecimalOut | None
    output_tokens_per_s_per_accelerator: DecimalOut | None
    output_low: DecimalOut | None
    output_high: DecimalOut | None
    ttft_ms: DecimalOut | None
    ttft_low_ms: DecimalOut | None
    ttft_high_ms: DecimalOut | None
    tpot_ms: DecimalOut | None
    tpot_low_ms: DecimalOut | None
    tpot_high_ms: DecimalOut | None
    max_concurrency: DecimalOut | None
    bound_tokens_per_s_per_accelerator: DecimalOut | None
    method: Literal["measured", "anchored", "physics"] | None
    grade: Literal["A", "B", "C", "D", "F"] | None
    concurrency: DecimalOut | None
    replicas: int | None
    accelerators_per_replica: int | None
    weight_precision: str | None
    kv_precision: str | None
    prefill_share: DecimalOut | None
    prefill_ms: DecimalOut | None
    decode_step_ms: DecimalOut | None
    simple_formula_tokens_per_s: DecimalOut | None
    roofline_ratio: DecimalOut | None
    power_w_per_accelerator: DecimalOut | None
    power_basis: Literal["tdp", "stated"] | None
    energy_kwh_per_mtok_output: DecimalOut | None
    anchors: str | None
    assumptions: str | None
    estimator: str | None
    error_code: str | None
    error_detail: str | None
    warnings: str


class EstimateAnswer(Answer):
    """Row i answers row i."""

    rows: list[EstimatedRow]
    meta: Meta


ESTIMATE_COLUMNS = tuple(EstimatedRow.model_fields)
ESTIMATE_NUMBERS = numeric_columns(EstimatedRow)
