"""Use case: what it takes to train a model: operations, hours, energy, cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from api.services.pricing import RowId
from api.services.throughput.machines import Machines
from economics.errors import PermillionError
from economics.money import Exact, exact
from economics.training import TrainingCost, training_cost
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.training.compute import (
    Attention,
    Recompute,
    TrainedModel,
    TrainingCompute,
    counts_attention,
    peak_operations_per_s,
    stated_compute,
    trained_model,
    training_compute,
)
from hardware.training.run import (
    SECONDS_PER_HOUR,
    WallClock,
    energy_kwh,
    hours_at_speed,
    hours_at_tokens_per_s,
    utilization,
    wall_clock,
)

WHOLE = exact(1)
_TERA = Decimal(10**12)


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """A run: what is trained, on what, and how its speed is known; or (with `error`) why the row is none."""

    row_id: RowId
    architecture: str | None = None
    parameters: Exact | None = None
    training_flops: Exact | None = None
    training_tokens: Exact | None = None
    recompute: Recompute = "none"
    sequence_length: int | None = None
    attention: Attention = "auto"
    accelerator: str | None = None
    accelerator_count: Exact | None = None
    format: str | None = None
    mfu_ratio: Exact | None = None
    achieved_tflops_per_accelerator: Exact | None = None
    tokens_per_s: Exact | None = None
    tokens_per_s_per_accelerator: Exact | None = None
    accelerator_hours: Exact | None = None
    goodput_ratio: Exact | None = None
    power_w_per_accelerator: Exact | None = None
    pue: Exact | None = None
    price_per_accelerator_hour: Exact | None = None
    electricity_price_per_kwh: Exact | None = None
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """Everything a row says, or why there is nothing to say.

    Attributes:
        mfu, hfu: over all hours paid: of the model's operations, and of those executed.
        power_w, power_basis: of one accelerator, `stated` or `tdp`.
    """

    asked: TrainingQuestion
    model: TrainedModel | None = None
    attention_counted: bool = False
    compute: TrainingCompute | None = None
    accelerator: Accelerator | None = None
    architecture: Architecture | None = None
    peak_per_s: Exact | None = None
    hours: Exact | None = None
    clock: WallClock | None = None
    tokens_per_s_per_accelerator: Exact | None = None
    mfu: Exact | None = None
    hfu: Exact | None = None
    power_w: Exact | None = None
    power_basis: str | None = None
    energy_kwh: Exact | None = None
    cost: TrainingCost | None = None
    reasons: Sequence[str] = ()
    warnings: Sequence[str] = ()
    error: PermillionError | None = None


def train(asked: TrainingQuestion, machines: Machines) -> TrainingResult:
    """One row; an error becomes part of the answer, so that the other rows are answered."""
    if asked.error is not None:
        return TrainingResult(asked, error=asked.error)
    try:
        return _answered(asked, machines)
    except PermillionError as error:
        return TrainingResult(asked, error=error)


def _answered(asked: TrainingQuestion, machines: Machines) -> TrainingResult:
    _check(asked)
    architecture = None if asked.architecture is None else machines.architecture(asked.architecture)
    accelerator = None if asked.accelerator is None else machines.accelerator(asked.accelerator)
    model = _model_of(asked, architecture)
    counted = model is not None and counts_attention(model, asked.sequence_length, asked.attention)
    compute = _compute_of(asked, model, counted)
    peak = _peak_of(asked, accelerator)
    hours = _hours_of(asked, compute, peak)
    tokens = asked.training_tokens
    power, basis = _power_of(asked, accelerator)
    energy = None if power is None else energy_kwh(hours, power, asked.pue or WHOLE)
    cost = training_cost(hours, asked.price_per_accelerator_hour, tokens, energy, asked.electricity_price_per_kwh)
    return TrainingResult(
        asked,
        model=model,
        attention_counted=counted,
        compute=compute,
        accelerator=accelerator,
        architecture=architecture,
        peak_per_s=peak,
        hours=hours,
        clock=None if asked.accelerator_count is None else wall_clock(hours, asked.accelerator_count),
        tokens_per_s_per_accelerator=None if tokens is None else tokens / (hours * SECONDS_PER_HOUR),
        mfu=None if compute is None or peak is None else utilization(compute.model, hours, peak),
        hfu=None if compute is None or peak is None else utilization(compute.executed, hours, peak),
        power_w=power,
        power_basis=basis,
        energy_kwh=energy,
        cost=cost,
        reasons=_reasons(asked, compute, peak, power),
        warnings=_assumed(asked, model, counted=counted, powered=power is not None),
    )


def _check(asked: TrainingQuestion) -> None:
    models = [asked.architecture is not None, asked.parameters is not None, asked.training_flops is not None]
    if sum(models) > 1:
        raise _refused("give one: architecture, parameters or training_flops", "architecture")
    speeds = {
        "mfu_ratio": asked.mfu_ratio,
        "achieved_tflops_per_accelerator": asked.achieved_tflops_per_accelerator,
        "tokens_per_s": asked.tokens_per_s,
        "tokens_per_s_per_accelerator": asked.tokens_per_s_per_accelerator,
        "accelerator_hours": asked.accelerator_hours,
    }
    given = [name for name, value in speeds.items() if value is not None]
    if len(given) != 1:
        raise _refused(f"give one speed: {', '.join(speeds)}", given[1] if given else "mfu_ratio")
    if asked.accelerator_hours is not None and asked.goodput_ratio is not None:
        raise _refused("accelerator_hours are all hours: goodput is in them", "goodput_ratio")
    if asked.tokens_per_s is not None and asked.accelerator_count is None:
        raise _refused("tokens_per_s is of all accelerators: give accelerator_count", "accelerator_count")
    if given[0] in ("tokens_per_s", "tokens_per_s_per_accelerator") and asked.training_tokens is None:
        raise _refused("a speed in tokens needs training_tokens", "training_tokens")
    if given[0] in ("mfu_ratio", "achieved_tflops_per_accelerator"):
        if not any(models):
            raise _refused("this speed needs the model: architecture, parameters or training_flops", "architecture")
        if asked.training_flops is None and asked.training_tokens is None:
            raise _refused("the model needs training_tokens", "training_tokens")
    if asked.mfu_ratio is not None and (asked.accelerator is None or asked.format is None):
        missing = "accelerator" if asked.accelerator is None else "format"
        raise _refused("mfu_ratio is a share of a peak: name the accelerator and the format", missing)
    if asked.attention == "include" and (asked.sequence_length is None or asked.architecture is None):
        raise _refused("attention needs architecture and sequence_length", "sequence_length")


def _model_of(asked: TrainingQuestion, architecture: Architecture | None) -> TrainedModel | None:
    if architecture is not None:
        return trained_model(architecture)
    return None if asked.parameters is None else TrainedModel(asked.parameters, "stated")


def _compute_of(asked: TrainingQuestion, model: TrainedModel | None, counted: bool) -> TrainingCompute | None:
    if asked.training_flops is not None:
        return stated_compute(asked.training_flops)
    if model is None or asked.training_tokens is None:
        return None
    return training_compute(model, asked.training_tokens, asked.recompute, asked.sequence_length, attention=counted)


def _peak_of(asked: TrainingQuestion, accelerator: Accelerator | None) -> Exact | None:
    """Dense peak of the format named.

    Raises:
        PermillionError: `unsupported-format` where the accelerator has none: never another format's peak.
    """
    if accelerator is None or asked.format is None:
        return None
    peak = accelerator.dense_tflops.get(asked.format)
    if peak is None:
        known = ", ".join(sorted(accelerator.dense_tflops)) or "none that is known"
        raise PermillionError(
            "unsupported-format",
            f"{accelerator.id} has no dense peak in that format; it has {known}",
            pointer="/format",
        )
    return peak_operations_per_s(peak)


def _hours_of(asked: TrainingQuestion, compute: TrainingCompute | None, peak: Exact | None) -> Exact:
    goodput = WHOLE if asked.goodput_ratio is None else asked.goodput_ratio
    if asked.accelerator_hours is not None:
        return asked.accelerator_hours
    if asked.mfu_ratio is not None:
        assert compute is not None
        assert peak is not None
        return hours_at_speed(compute, peak * asked.mfu_ratio, goodput)
    if asked.achieved_tflops_per_accelerator is not None:
        assert compute is not None
        return hours_at_speed(compute, asked.achieved_tflops_per_accelerator * _TERA, goodput)
    assert asked.training_tokens is not None
    speed = asked.tokens_per_s_per_accelerator
    if speed is None:
        assert asked.tokens_per_s is not None
        assert asked.accelerator_count is not None
        speed = asked.tokens_per_s / asked.accelerator_count
    return hours_at_tokens_per_s(asked.training_tokens, speed, goodput)


def _power_of(asked: TrainingQuestion, accelerator: Accelerator | None) -> tuple[Exact | None, str | None]:
    if asked.power_w_per_accelerator is not None:
        return asked.power_w_per_accelerator, "stated"
    if accelerator is None or accelerator.tdp_w is None:
        return None, None
    return exact(Decimal(repr(accelerator.tdp_w))), "tdp"


def _reasons(
    asked: TrainingQuestion, compute: TrainingCompute | None, peak: Exact | None, power: Exact | None
) -> list[str]:
    found = [] if compute is not None else ["flops_not_known"]
    if peak is None:
        found.append("no_peak_named")
    if asked.accelerator_count is None:
        found.append("no_accelerator_count")
    if power is None:
        found.append("power_not_known")
    if asked.price_per_accelerator_hour is None:
        found.append("no_price_per_accelerator_hour")
    return found


def _assumed(asked: TrainingQuestion, model: TrainedModel | None, *, counted: bool, powered: bool) -> list[str]:
    found: list[str] = []
    if asked.goodput_ratio is None and asked.accelerator_hours is None:
        found.append("goodput_of_1_assumed")
    if powered and asked.power_w_per_accelerator is None:
        found.append("power_is_tdp")
    if powered and asked.pue is None:
        found.append("pue_of_1_assumed")
    if model is not None and not counted:
        found.append("attention_not_counted")
    if asked.recompute == "full" and asked.mfu_ratio is not None:
        found.append("utilization_counts_recompute")
    return found


def _refused(detail: str, field: str) -> PermillionError:
    return PermillionError("invalid-fields", detail, pointer=f"/{field}")
