"""`POST /training-cost`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from api.http.converters.common import text_or_none
from api.http.converters.price import row_id_of
from api.http.schemas.training import TRAINING_COLUMNS, TrainingRowIn
from api.http.wire import decode_row
from api.services.training import TrainingQuestion, TrainingResult
from economics.errors import PermillionError
from economics.method import METHOD_VERSION
from economics.money import Exact

_ROW: TypeAdapter[TrainingRowIn] = TypeAdapter(TrainingRowIn)
_TERA = Decimal(10**12)


def from_api_training_row(value: Any, index: int) -> TrainingQuestion:
    """One row of the request, or what is wrong with it."""
    try:
        row: TrainingRowIn = decode_row(_ROW, value)
    except PermillionError as error:
        return TrainingQuestion(row_id_of(value, index), error=error)
    stated = {name: getattr(row, name) for name in TrainingRowIn.model_fields if name != "row_id"}
    exact: dict[str, Any] = {
        name: Exact(amount) if isinstance(amount, Decimal) else amount for name, amount in stated.items()
    }
    return TrainingQuestion(index if row.row_id is None else row.row_id, **exact)


def to_api_training_row(result: TrainingResult, currency: str) -> dict[str, Any]:
    """A row of the answer: flat, always the same columns."""
    row: dict[str, Any] = dict.fromkeys(TRAINING_COLUMNS)
    asked = result.asked
    row |= {
        "row_id": asked.row_id,
        "currency": currency,
        "reasons": ";".join(result.reasons),
        "method_version": METHOD_VERSION,
        "warnings": ";".join(result.warnings),
    }
    if result.error is not None:
        row["error_code"], row["error_detail"] = result.error.slug, result.error.detail
        return row
    compute, clock, cost, model = result.compute, result.clock, result.cost, result.model
    if result.architecture is not None:
        row |= {"architecture": result.architecture.id, "architecture_source": result.architecture.value_source}
    if result.accelerator is not None:
        row |= {"accelerator": result.accelerator.id, "accelerator_source": result.accelerator.source}
        row["accelerator_confidence"] = result.accelerator.confidence
    if model is not None:
        row |= {"parameters": model.parameters.to_text(), "parameter_basis": model.basis}
        row |= {"recompute": asked.recompute, "attention_counted": result.attention_counted}
    figures: dict[str, Exact | None] = {
        "training_tokens": asked.training_tokens,
        "model_flops": None if compute is None else compute.model,
        "attention_flops": None if compute is None or model is None else compute.attention,
        "training_flops": None if compute is None else compute.executed,
        "accelerator_count": asked.accelerator_count,
        "peak_tflops": None if result.peak_per_s is None else result.peak_per_s / _TERA,
        "goodput_ratio": _goodput(result),
        "tokens_per_s_per_accelerator": result.tokens_per_s_per_accelerator,
        "accelerator_hours": result.hours,
        "hours": None if clock is None else clock.hours,
        "days": None if clock is None else clock.days,
        "effective_mfu_ratio": result.mfu,
        "effective_hfu_ratio": result.hfu,
        "power_w_per_accelerator": result.power_w,
        "pue": _pue(result),
        "energy_kwh": result.energy_kwh,
        "energy_cost": None if cost is None else cost.energy,
        "price_per_accelerator_hour": asked.price_per_accelerator_hour,
        "cost": None if cost is None else cost.accelerators,
        "cost_per_mtok": None if cost is None else cost.per_mtok,
    }
    row |= {"sequence_length": asked.sequence_length, "format": asked.format, "power_basis": result.power_basis}
    return row | {name: text_or_none(value) for name, value in figures.items()}


def _goodput(result: TrainingResult) -> Exact | None:
    """As stated, or the 1 that was assumed; none for hours that have it in them."""
    if result.asked.accelerator_hours is not None:
        return None
    return Exact(Decimal(1)) if result.asked.goodput_ratio is None else result.asked.goodput_ratio


def _pue(result: TrainingResult) -> Exact | None:
    if result.power_w is None:
        return None
    return Exact(Decimal(1)) if result.asked.pue is None else result.asked.pue
