"""`POST /throughput/check`: measurements with their conditions in, grades with their reasons out."""

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
    RequestsIn,
    ShortName,
)
from api.http.schemas.price import RowIdIn


class MeasurementIn(Wire):
    """A value, what it counts, and the 14 conditions; what is left out is not stated, and missed by name."""

    row_id: RowIdIn | None = None
    architecture: ShortName | None = Field(None, description="id of GET /architectures")
    model_revision: Note | None = None
    weight_precision: ShortName | None = Field(
        None, description="bf16 fp16 fp8 fp4 nvfp4 mxfp4 mxfp4w-fp8 int8 int4 uint4"
    )
    kv_precision: ShortName | None = Field(None, description="bf16 fp16 fp8")
    accelerator: ShortName | None = Field(None, description="id of GET /accelerators")
    accelerator_count: NumberIn | None = Field(None, description="of the whole system: all replicas, nodes and pools")
    power_cap_w: PositiveQuantityIn | None = None
    nodes: NumberIn | None = None
    accelerators_per_node: NumberIn | None = None
    interconnect: Note | None = None
    engine: ShortName | None = None
    engine_version: Note | None = None
    parallelism: Note | None = Field(
        None, description="tpN[-ppN][-cpN][-dpN][-epN][-dpattn], depN, prefill AxB + decode CxD"
    )
    replicas: NumberIn | None = None
    isl_tokens: QuantityIn | None = Field(None, description="mean input tokens of a request, as sent")
    input_lengths: Note | None = Field(None, description="how they are distributed")
    osl_tokens: PositiveQuantityIn | None = Field(None, description="mean output tokens of a request, as produced")
    output_lengths: Note | None = Field(None, description="how they are distributed, end of sequence ignored or not")
    output_length_kind: Literal["actual", "requested"] | None = None
    arrival: Literal["closed_loop", "poisson", "all_at_once"] | None = None
    concurrency: PositiveQuantityIn | None = Field(None, description="requests in flight on the whole system")
    request_rate_per_s: PositiveQuantityIn | None = None
    requests: RequestsIn | None = None
    duration_s: PositiveQuantityIn | None = None
    warm_up: Note | None = None
    tokens_counted_by: Literal["server_usage", "retokenized", "chunks"] | None = None
    reasoning_tokens: Note | None = Field(None, description="in or out of the count")
    tpot_definition: Literal["after_first_token", "whole_latency"] | None = Field(
        None, description="(latency - TTFT) / (tokens - 1), or latency / tokens"
    )
    prefix_cache_hit_ratio: RatioIn | None = None
    prompts: Literal["distinct", "identical", "seeded_repeat"] | None = None
    speculative_decoding: ShortName | None = Field(None, description="none, or the method")
    acceptance_ratio: RatioIn | None = None
    source: Note | None = None
    source_kind: Literal["vendor", "auditor", "own", "third_party"] | None = None
    measured_on: ShortName | None = None
    command: Annotated[str, Field(min_length=1, max_length=5000)] | None = None
    output_tokens_per_s: PositiveQuantityIn | None = Field(None, description="of the whole system")
    output_tokens_per_s_per_accelerator: PositiveQuantityIn | None = None
    output_tokens_per_s_per_user: PositiveQuantityIn | None = None
    total_tokens_per_s: PositiveQuantityIn | None = Field(None, description="input and output, of the whole system")
    total_tokens_per_s_per_accelerator: PositiveQuantityIn | None = None
    tokens_per_s: PositiveQuantityIn | None = Field(
        None, description="with counted and scope, in place of the fields above"
    )
    counted: Literal["output", "input", "input_and_output"] | None = None
    scope: Literal["system", "accelerator", "prefill_pool_accelerator", "decode_pool_accelerator", "user"] | None = None
    window: Literal["wall_clock", "decode"] | None = None
    value_kind: Literal["mean", "peak", "best_of_n"] | None = None
    peak_tokens_per_s: PositiveQuantityIn | None = None
    ttft_ms: PositiveQuantityIn | None = Field(None, description="where the source says neither mean nor median")
    ttft_mean_ms: PositiveQuantityIn | None = None
    ttft_p50_ms: PositiveQuantityIn | None = None
    ttft_p99_ms: PositiveQuantityIn | None = None
    tpot_ms: PositiveQuantityIn | None = None
    tpot_mean_ms: PositiveQuantityIn | None = None
    tpot_p50_ms: PositiveQuantityIn | None = None
    tpot_p99_ms: PositiveQuantityIn | None = None
    latency_ms: PositiveQuantityIn | None = Field(None, description="mean of whole requests")
    quoted_for: Literal["batch", "serving", "chat", "agent", "user_speed"] | None = None
    ttft_limit_ms: PositiveQuantityIn | None = None
    prefill_accelerators_counted: FlagIn | None = None
    cached_input_counted: FlagIn | None = None
    peak_tflops_is_dense: FlagIn | None = None
    compared_weight_precision: ShortName | None = None
    quality_stated: FlagIn | None = None
    cost_utilization_ratio: RatioIn | None = Field(None, description="that a quoted cost assumed")
    price_term: ShortName | None = None
    compared_price_term: ShortName | None = None
    peak_tflops: PositiveQuantityIn | None = Field(None, description="dense, in place of the accelerator's")
    bandwidth_gb_per_s: PositiveQuantityIn | None = Field(None, description="in place of the accelerator's")


class CheckRequest(Wire):
    """Measurements; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "architecture": "qwen3-32b",
                            "accelerator": "b200-sxm",
                            "accelerator_count": 2,
                            "weight_precision": "nvfp4",
                            "parallelism": "tp2",
                            "isl_tokens": 15000,
                            "osl_tokens": 500,
                            "concurrency": 416,
                            "output_tokens_per_s": 27600,
                        }
                    ]
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/MeasurementIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = None


class FindingOut(Answer):
    """A contradiction or red flag, and the best grade that it leaves."""

    code: str
    text: str
    ceiling: Literal["A", "B", "C", "D", "F"]


class CheckedRow(Answer):
    """What a measurement is worth; the bound with every term of it."""

    row_id: str | int
    architecture: str | None
    accelerator: str | None
    accelerator_count: int | None
    concurrency: DecimalOut | None
    grade: Literal["A", "B", "C", "D", "F"] | None
    may_enter_cost: bool | None
    reasons: str | None
    red_flags: str | None
    conditions_stated: int | None
    missing_conditions: str | None
    incomplete_conditions: str | None
    output_tokens_per_s: DecimalOut | None
    output_tokens_per_s_per_accelerator: DecimalOut | None
    bound_tokens_per_s_per_accelerator: DecimalOut | None
    limiting_resource: Literal["compute", "memory_bandwidth"] | None
    roofline_ratio: DecimalOut | None
    bound_expected_experts_tokens_per_s_per_accelerator: DecimalOut | None
    roofline_expected_experts_ratio: DecimalOut | None
    little_ratio: DecimalOut | None
    ttft_ms: DecimalOut | None
    tpot_ms: DecimalOut | None
    prefill_flop_per_request: DecimalOut | None
    decode_flop_per_request: DecimalOut | None
    head_flop_per_request: DecimalOut | None
    attention_flop_per_request: DecimalOut | None
    kv_bytes_per_output_token: DecimalOut | None
    state_bytes_per_output_token: DecimalOut | None
    weight_bytes_per_output_token: DecimalOut | None
    compute_ms_per_request: DecimalOut | None
    memory_ms_per_request: DecimalOut | None
    weight_precision: str | None
    peak_tflops: DecimalOut | None
    peak_format: str | None
    bandwidth_gb_per_s: DecimalOut | None
    compute_bound_batch: DecimalOut | None
    compute_bound_batch_expected_experts: DecimalOut | None
    weights_gib: DecimalOut | None
    kv_gib: DecimalOut | None
    memory_gib: DecimalOut | None
    accelerators_from_factors: int | None
    assumptions: str | None
    error_code: str | None
    error_detail: str | None
    warnings: str


class CheckedRowWithFindings(CheckedRow):
    """With `?detail=1`: each contradiction and red flag."""

    findings: list[FindingOut] | None


class CheckAnswer(Answer):
    """Row i answers row i."""

    rows: list[CheckedRow | CheckedRowWithFindings]
    meta: Meta


CHECK_COLUMNS = tuple(CheckedRow.model_fields)
CHECK_NUMBERS = numeric_columns(CheckedRow)
