"""`POST /training-cost`: a training run in, operations, hours, energy and cost out."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from api.http.schemas.common import Meta
from api.http.schemas.fields import (
    Answer,
    CountIn,
    Currency,
    DecimalOut,
    InstantIn,
    Name,
    PositiveIn,
    Wire,
    numeric_columns,
    read_decimal,
)
from api.http.schemas.price import RowIdIn

_OPERATIONS = re.compile(r"[1-9][0-9]{0,39}", re.ASCII)


def _operations(value: object) -> Decimal:
    """Operations of a run: whole, up to 40 digits, since 3.8 · 10²⁵ has 26."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or _OPERATIONS.fullmatch(text) is None:
        raise ValueError("write operations as a string of digits, at most 40")
    return Decimal(text)


_OperationsIn = Annotated[
    Decimal, BeforeValidator(_operations), WithJsonSchema({"type": "string", "pattern": "^[1-9][0-9]{0,39}$"})
]


def _positive_share(value: object) -> Decimal:
    ratio = read_decimal(value)
    if not 0 < ratio <= 1:
        raise ValueError("a share lies above 0 and up to 1")
    return ratio


_RatioIn = Annotated[
    Decimal,
    BeforeValidator(_positive_share),
    WithJsonSchema({"type": "string", "format": "decimal", "pattern": r"^(0\.[0-9]{1,30}|1(\.0{1,30})?)$"}),
]


def _pue(value: object) -> Decimal:
    ratio = read_decimal(value)
    if ratio < 1:
        raise ValueError("a PUE is 1 or more: all energy ÷ that of the machines")
    return ratio


_PueIn = Annotated[Decimal, BeforeValidator(_pue), WithJsonSchema({"type": "string", "format": "decimal"})]


class TrainingRowIn(Wire):
    """One run."""

    row_id: RowIdIn | None = None
    architecture: Name | None = Field(None, description="of GET /architectures", examples=["llama-3.1-405b"])
    parameters: PositiveIn | None = Field(None, description="instead: what one token passes, active ones of experts")
    training_flops: _OperationsIn | None = Field(None, description="instead: published operations, taken as they are")
    training_tokens: PositiveIn | None = None
    recompute: Literal["none", "full"] = Field("none", description="of activations: 6 or 8 operations a parameter")
    sequence_length: CountIn | None = None
    attention: Literal["auto", "include", "exclude"] = Field(
        "auto", description="operations of attention: auto counts them above 6 hidden sizes"
    )
    accelerator: Name | None = Field(None, description="of GET /accelerators", examples=["h100-sxm"])
    accelerator_count: PositiveIn | None = None
    format: Literal["bf16", "fp16", "fp8", "fp4", "int8"] | None = Field(None, description="whose dense peak counts")
    mfu_ratio: _RatioIn | None = Field(None, description="share of the dense peak while running")
    achieved_tflops_per_accelerator: PositiveIn | None = Field(None, description="as measured, recompute counted")
    tokens_per_s: PositiveIn | None = Field(None, description="measured, of all accelerators")
    tokens_per_s_per_accelerator: PositiveIn | None = None
    accelerator_hours: PositiveIn | None = Field(None, description="all of them, lost ones included")
    goodput_ratio: _RatioIn | None = Field(None, description="share of the hours that move the run forward")
    power_w_per_accelerator: PositiveIn | None = Field(None, description="default: the accelerator's TDP, named so")
    pue: _PueIn | None = None
    price_per_accelerator_hour: PositiveIn | None = None
    electricity_price_per_kwh: PositiveIn | None = Field(
        None, description="of energy beside the cost: rent has it in it"
    )


class TrainingRequest(Wire):
    """Runs; a bad row becomes a row with `error_code`, the others are answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rows": [
                        {
                            "architecture": "llama-3.1-405b",
                            "training_tokens": "15600000000000",
                            "accelerator": "h100-sxm",
                            "accelerator_count": 16384,
                            "format": "bf16",
                            "mfu_ratio": "0.40",
                            "goodput_ratio": "0.90",
                            "pue": "1.1",
                            "price_per_accelerator_hour": "2.00",
                        }
                    ],
                    "currency": "USD",
                }
            ]
        }
    )

    rows: Annotated[
        list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/TrainingRowIn"})]], Field(min_length=1)
    ]
    as_of: InstantIn | None = Field(None, description="for the answer's meta; default: now")
    currency: Currency = Field("USD", description="of all amounts, stated and answered")


class TrainingRow(Answer):
    """What a run takes."""

    row_id: str | int
    architecture: str | None
    parameters: DecimalOut | None
    parameter_basis: str | None
    training_tokens: DecimalOut | None
    recompute: Literal["none", "full"] | None
    sequence_length: int | None
    attention_counted: bool | None
    model_flops: DecimalOut | None
    attention_flops: DecimalOut | None
    training_flops: DecimalOut | None
    accelerator: str | None
    accelerator_count: DecimalOut | None
    format: str | None
    peak_tflops: DecimalOut | None
    goodput_ratio: DecimalOut | None
    tokens_per_s_per_accelerator: DecimalOut | None
    accelerator_hours: DecimalOut | None
    hours: DecimalOut | None
    days: DecimalOut | None
    effective_mfu_ratio: DecimalOut | None
    effective_hfu_ratio: DecimalOut | None
    power_w_per_accelerator: DecimalOut | None
    power_basis: Literal["stated", "tdp"] | None
    pue: DecimalOut | None
    energy_kwh: DecimalOut | None
    energy_cost: DecimalOut | None
    price_per_accelerator_hour: DecimalOut | None
    cost: DecimalOut | None
    cost_per_mtok: DecimalOut | None
    currency: str
    reasons: str
    architecture_source: str | None
    accelerator_source: str | None
    accelerator_confidence: str | None
    method_version: str
    error_code: str | None
    error_detail: str | None
    warnings: str


class TrainingAnswer(Answer):
    """Row i answers row i."""

    rows: list[TrainingRow]
    meta: Meta


TRAINING_COLUMNS = tuple(TrainingRow.model_fields)
TRAINING_NUMBERS = numeric_columns(TrainingRow)
