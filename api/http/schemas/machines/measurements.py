"""`/throughput`: measured rows, in the columns of the measured collections."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, DecimalOut, Wire, numeric_columns, read_decimal
from api.http.schemas.machines.fields import FigureIn, Origin, Source, WholeIn

Text = Annotated[str, StringConstraints(max_length=500)]
Date = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$")]


def _not_negative(value: object) -> Decimal:
    figure = read_decimal(value)
    if figure < 0:
        raise ValueError("cannot be negative; leave out what is unknown")
    return figure


LengthIn = Annotated[
    Decimal,
    BeforeValidator(_not_negative),
    WithJsonSchema({"anyOf": [{"type": "string", "format": "decimal"}, {"type": "integer", "minimum": 0}]}),
]


class MeasuredRowIn(Wire):
    """One measurement: values and the conditions it was made under; what is unknown is left out, never 0."""

    row_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._:/+-]{0,199}$")]
    model: Text | None = None
    arch_key: Text = Field(description="an id of GET /architectures")
    hardware: Text = Field(description="an id of GET /accelerators")
    gpu_count: WholeIn = Field(
        description="accelerators of the whole system behind the tokens/s: replicas, nodes, pools"
    )
    nodes: WholeIn | None = None
    weight_precision: Text | None = None
    kv_precision: Text | None = None
    engine: Text = Field(description="an id, name or alias of GET /engines")
    engine_version: Text | None = None
    parallelism: Text | None = Field(None, description="such as tp8-ep8-dpattn, or prefill 2x4 + decode 1x8")
    serving_mode: Text | None = Field(None, description="agg, disagg, disagg-prefill, disagg-decode, api")
    scenario: Text
    concurrency: FigureIn | None = Field(None, description="requests in flight on the whole system")
    max_batch_cfg: WholeIn | None = None
    isl_mean: LengthIn | None = Field(None, description="mean input tokens a request, as sent")
    osl_mean: FigureIn | None = Field(None, description="mean output tokens a request, as produced")
    length_note: Text | None = None
    output_tok_s: FigureIn | None = Field(None, description="of the whole system")
    ttft_ms: FigureIn | None = None
    ttft_stat: Text | None = None
    tpot_ms: FigureIn | None = None
    tpot_stat: Text | None = None
    latency_limits: Text | None = None
    spec_decode: Text | None = None
    prefix_cache: Text | None = None
    throughput_kind: Text | None = None
    quality_flags: Text | None = None
    submitter: Text | None = None
    source: Source
    source_ref: Text | None = None
    measured_date: Date | None = None
    group_key: Text | None = None


class MeasurementsRequest(Wire):
    """Measurements of your own, all recorded or none."""

    rows: list[MeasuredRowIn] = Field(min_length=1)


class MeasurementOut(Answer):
    """One measurement."""

    row_id: str
    model: str | None
    arch_key: str | None
    hardware: str | None
    gpu_count: int | None
    nodes: int | None
    weight_precision: str | None
    kv_precision: str | None
    engine: str | None
    engine_version: str | None
    parallelism: str | None
    serving_mode: str | None
    scenario: str | None
    concurrency: DecimalOut | None
    max_batch_cfg: int | None
    isl_mean: DecimalOut | None
    osl_mean: DecimalOut | None
    length_note: str | None
    output_tok_s: DecimalOut | None
    ttft_ms: DecimalOut | None
    ttft_stat: str | None
    tpot_ms: DecimalOut | None
    tpot_stat: str | None
    latency_limits: str | None
    spec_decode: str | None
    prefix_cache: str | None
    throughput_kind: str | None
    quality_flags: str | None
    submitter: str | None
    source: str | None
    source_ref: str | None
    measured_date: str | None
    group_key: str | None
    terms: str | None
    origin: Origin
    recorded_at: str | None


class MeasurementsAnswer(Answer):
    """Measurements by id."""

    rows: list[MeasurementOut]
    meta: Meta
    next: str | None


MEASUREMENT_NUMBERS = numeric_columns(MeasurementOut)
