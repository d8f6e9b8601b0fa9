"""Use case: what a deployment would do, before anybody has measured it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.services.throughput.estimator import estimates
from api.services.throughput.machines import Machines
from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.question import Parallelism, ThroughputEstimate, ThroughputEstimator, ThroughputQuestion
from hardware.throughput.trust.consistency import most_per_node
from hardware.throughput.trust.factors import parse_factors
from hardware.throughput.trust.formats import check_kv_precision, check_weight_precision

#: Units that a weight format computes with; INT4 and MXFP4 are formats of weights alone.
_UNITS: Final = {
    "bf16": ("bf16",),
    "fp16": ("fp16", "bf16"),
    "fp8": ("fp8",),
    "mxfp4w-fp8": ("fp8",),
    "fp4": ("fp4",),
    "nvfp4": ("fp4",),
    "int8": ("int8",),
}
_LOADS: Final = ("concurrency", "tpot_limit_ms", "ttft_limit_ms", "request_rate_per_s", "scenario")
_COPIED: Final = (
    "weight_precision",
    "kv_precision",
    "engine",
    "engine_version",
    "nodes",
    "cached_input_share",
    "concurrency",
    "tpot_limit_ms",
    "ttft_limit_ms",
    "p99_limits",
    "request_rate_per_s",
    "max_batch",
)
_J_PER_KWH: Final = 3.6e6


@dataclass(frozen=True, slots=True)
class DeploymentToEstimate:
    """One row: what was stated, by field; or what is wrong with it."""

    row_id: str | int
    stated: Mapping[str, Any]
    error: PermillionError | None = None


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy of a million output tokens, from one named power of an accelerator at full load."""

    power_w: float
    basis: str
    kwh_per_mtok_output: float


@dataclass(frozen=True, slots=True)
class EstimatedDeployment:
    """The answer to one row."""

    asked: DeploymentToEstimate
    question: ThroughputQuestion | None = None
    estimate: ThroughputEstimate | None = None
    estimator: str | None = None
    energy: Energy | None = None
    defaults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: PermillionError | None = None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was not stated: the defaults of the question, then what the estimator assumed."""
        return (*self.defaults, *(() if self.estimate is None else self.estimate.assumptions))


def estimate_rows(
    rows: Sequence[DeploymentToEstimate], machines: Machines, estimator: ThroughputEstimator
) -> list[EstimatedDeployment]:
    """Row i answers row i; a bad row becomes part of the answer."""
    read = [_read(row, machines) for row in rows]
    questions = [each for each in read if isinstance(each, ThroughputQuestion)]
    answers = iter(estimates(estimator, questions))
    done = []
    for row, question in zip(rows, read, strict=True):
        if isinstance(question, PermillionError):
            done.append(EstimatedDeployment(row, error=question))
            continue
        found = next(answers)
        if isinstance(found, PermillionError):
            done.append(EstimatedDeployment(row, question, error=found))
        else:
            energy = _energy(row.stated, question, found)
            defaults = tuple(_defaults(row.stated, question))
            warnings = tuple(_warnings(question, found, energy, bool(defaults)))
            done.append(EstimatedDeployment(row, question, found, estimator.estimator, energy, defaults, warnings))
    return done


def _read(row: DeploymentToEstimate, machines: Machines) -> ThroughputQuestion | PermillionError:
    if row.error is not None:
        return row.error
    try:
        return question_from(row.stated, machines)
    except PermillionError as error:
        return error


def question_from(stated: Mapping[str, Any], machines: Machines) -> ThroughputQuestion:
    """The question that the fields of a row ask.

    Raises:
        PermillionError: `unknown-architecture`, `unknown-accelerator`, `unsupported-format`; `infeasible` for a tensor-parallel
            group that is larger than the scale-up domain, or more accelerators than the nodes hold; `invalid-fields` for labels that are none, counts that contradict
            the factors, and a row that states no load.
    """
    given = {name: value for name, value in stated.items() if value is not None}
    architecture, accelerator = machines.architecture(given["architecture"]), machines.accelerator(given["accelerator"])
    if not any(name in given for name in _LOADS):
        raise PermillionError("invalid-fields", f"state the load: one of {', '.join(_LOADS)}", pointer="/concurrency")
    if given.get("concurrency", 1) < 1:
        raise PermillionError("invalid-fields", "at least one request is in flight", pointer="/concurrency")
    if given.get("scenario") == "static_batch" and "concurrency" not in given:
        raise PermillionError("invalid-fields", "a static batch states its size in concurrency", pointer="/concurrency")
    nodes = given.get("nodes")
    if nodes is not None and given["accelerator_count"] > nodes * most_per_node(accelerator):
        detail = f"{nodes} nodes hold at most {nodes * most_per_node(accelerator)} accelerators of that kind"
        raise PermillionError("infeasible", detail, pointer="/accelerator_count")
    precision = given.get("weight_precision")
    if precision is not None:
        _check_format(check_weight_precision(precision), architecture, accelerator, given.get("weight_only", False))
    if "kv_precision" in given:
        check_kv_precision(given["kv_precision"])
    return ThroughputQuestion(
        architecture,
        accelerator,
        given["accelerator_count"],
        given["isl_tokens"],
        given["osl_tokens"],
        parallelism=_parallelism(given, accelerator),
        scenario=given.get("scenario") or ("poisson" if "request_rate_per_s" in given else "closed_loop"),
        speculation=_speculation(given),
        **{name: given[name] for name in _COPIED if name in given},
    )


def _check_format(precision: str, architecture: Architecture, accelerator: Accelerator, weight_only: bool) -> None:
    """A format needs units of its kind, unless only the weights are to have it; experts published in 4 bits are such."""
    units = _UNITS.get(precision)
    if units is None or weight_only or (precision == "fp4" and architecture.natively_4bit_experts):
        return
    if not any(unit in accelerator.dense_tflops for unit in units):
        known = ", ".join(accelerator.dense_tflops) or "none with a published dense figure"
        detail = (
            f"{accelerator.id} has no units for {precision}; it computes in {known}. "
            "weight_only=true asks for such weights with wider arithmetic"
        )
        raise PermillionError("unsupported-format", detail, pointer="/weight_precision")


def _parallelism(given: Mapping[str, Any], accelerator: Accelerator) -> Parallelism | None:
    label, count = given.get("parallelism"), given["accelerator_count"]
    if label is None:
        return None
    factors = parse_factors(label)
    if factors.context > 1:
        raise PermillionError("invalid-fields", "context parallelism is not estimated", pointer="/parallelism")
    product = factors.accelerators
    if product is None:
        detail = "state the workers of both pools: prefill AxB + decode CxD"
        raise PermillionError("invalid-fields", detail, pointer="/parallelism")
    exact = factors.disaggregated or factors.data > 1
    if count % product or (exact and count != product):
        detail = f"{count} accelerators, but the parallel factors make {product}"
        raise PermillionError("invalid-fields", detail, pointer="/accelerator_count")
    (prefill, each_prefill), (decode, each_decode) = factors.prefill or (0, 0), factors.decode or (0, 0)
    tensor = each_decode if factors.disaggregated else factors.tensor
    domain = accelerator.scale_up_domain
    if domain is not None and max(tensor, each_prefill) > domain > 1 and not factors.attention_data:
        detail = f"{max(tensor, each_prefill)} tensor-parallel accelerators exceed the scale-up domain of {domain}"
        raise PermillionError("infeasible", detail, pointer="/parallelism")
    return Parallelism(
        tensor=tensor,
        pipeline=factors.pipeline,
        expert=factors.expert,
        attention_data=factors.attention_data,
        prefill_workers=prefill or 0,
        prefill_accelerators=each_prefill,
        decode_workers=decode or 0,
        decode_accelerators=each_decode,
        text=label.strip(),
    )


def _speculation(given: Mapping[str, Any]) -> tuple[int, float, float] | None:
    names = ("draft_tokens", "acceptance_ratio", "draft_time_ratio")
    stated = [name for name in names if name in given]
    if not stated:
        return None
    if len(stated) < len(names):
        detail = f"speculative decoding needs {', '.join(names)}: acceptance is measured on the workload, never assumed"
        missing = next(name for name in names if name not in given)
        raise PermillionError("invalid-fields", detail, pointer=f"/{missing}")
    return given["draft_tokens"], given["acceptance_ratio"], given["draft_time_ratio"]


def _energy(stated: Mapping[str, Any], question: ThroughputQuestion, found: ThroughputEstimate) -> Energy | None:
    """Watts × accelerators ÷ output tokens/s joules a token: 700 W × 2 ÷ 2,000 tok/s is 0.194 kWh for a million."""
    power, basis = stated.get("power_w_per_accelerator"), "stated"
    if power is None:
        power, basis = question.accelerator.tdp_w, "tdp"
    if power is None or found.output_tokens_per_s.value <= 0:
        return None
    joules = power * question.accelerator_count / found.output_tokens_per_s.value
    return Energy(power, basis, joules * 1e6 / _J_PER_KWH)


def _defaults(stated: Mapping[str, Any], question: ThroughputQuestion) -> list[str]:
    said = []
    if stated.get("engine") is None:
        said.append(f"engine not stated: {question.engine}")
    if stated.get("cached_input_share") is None:
        said.append("prefix cache not stated: no input is cached")
    if stated.get("scenario") is None:
        said.append(f"arrivals not stated: {question.scenario.replace('_', ' ')}")
    return said


def _warnings(
    question: ThroughputQuestion, found: ThroughputEstimate, energy: Energy | None, defaults: bool
) -> list[str]:
    return [
        code
        for code, said in (
            ("assumptions_made", defaults or bool(found.assumptions)),
            ("accelerators_unused", found.replicas * found.accelerators_per_replica < question.accelerator_count),
            ("energy_at_tdp", energy is not None and energy.basis == "tdp"),
            ("energy_unknown", energy is None),
            ("wide_band", found.grade == "C"),
            ("not_for_cost", found.grade in ("D", "F")),
        )
        if said
    ]
