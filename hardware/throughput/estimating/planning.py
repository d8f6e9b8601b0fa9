"""From a question to numbers: what was stated, what is assumed, and the replica that results."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from economics.errors import PermillionError
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment, deployment_of
from hardware.throughput.physics.memory import GIB, free_bytes_per_accelerator, largest_batch_in_memory
from hardware.throughput.physics.model.precision import WEIGHT_BYTES, kv_format, weight_format
from hardware.throughput.physics.model.shapes import candidate_shapes
from hardware.throughput.question import Parallelism, ThroughputQuestion

#: Makers that publish the speed of one user and no throughput of a system: nothing to divide a bill by.
PER_USER_VENDORS = ("Groq", "Cerebras", "SambaNova")
MOST_ACCELERATORS = 1_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to run what a question asks.

    Attributes:
        deployment: one replica; in disaggregated serving one decode worker, and `prefill` one prefill worker.
        replicas: of the system; in disaggregated serving the decode workers.
        assumptions: what was not stated, in words.
        precision_stated: whether the weight format was.
    """

    question: ThroughputQuestion
    deployment: Deployment
    prefill: Deployment | None
    shape: Parallelism
    replicas: float
    weight_precision: str
    kv_precision: str
    assumptions: tuple[str, ...]
    precision_stated: bool


def plans(question: ThroughputQuestion, constants: Constants) -> list[Plan]:
    """The ways to run it: one where the parallelism is stated, else every shape whose weights fit.

    Raises:
        PermillionError: `not-for-cost` for makers that publish per-user speed only; `invalid-fields`; `unsupported-format`;
            `infeasible` with the GiB that are missing where no shape fits.
    """
    _check(question)
    if question.accelerator.vendor in PER_USER_VENDORS:
        raise PermillionError(
            "not-for-cost",
            f"{question.accelerator.vendor} publishes the speed of one user, not the throughput of a number of chips: "
            "no estimate that may enter a cost",
            pointer="/accelerator",
        )
    weights = question.weight_precision or "bf16"
    kv = kv_format(question.kv_precision, weights)
    assumed = list(_assumed(question, weights, kv))
    found, missing = [], math.inf
    shapes = (
        [question.parallelism]
        if question.parallelism
        else candidate_shapes(question.architecture, question.accelerator_count)
    )
    for shape in shapes:
        deployment = deployment_of(question.architecture, question.accelerator, weights, kv, shape)
        short = _short_of(deployment, constants, question)
        if short > 0:
            missing = min(missing, short * float(deployment.accelerators))
            continue
        prefill = None
        replicas = question.accelerator_count / shape.accelerators
        unused = 0 if question.parallelism else question.accelerator_count % shape.accelerators
        if unused:
            replicas = float(question.accelerator_count // shape.accelerators)
        if shape.disaggregated:
            pool = Parallelism(
                tensor=shape.prefill_accelerators, expert=shape.expert, attention_data=shape.attention_data
            )
            prefill = deployment_of(question.architecture, question.accelerator, weights, kv, pool)
            replicas = float(shape.decode_workers)
        said = list(assumed)
        if not question.parallelism:
            said.append(f"parallelism not stated: {shape.text} of each replica")
        if unused:
            said.append(f"{unused} of {question.accelerator_count} accelerators are not used")
        found.append(
            Plan(
                question,
                deployment,
                prefill,
                shape,
                replicas,
                weights,
                kv,
                tuple(said),
                bool(question.weight_precision),
            )
        )
    if not found:
        raise PermillionError(
            "infeasible",
            f"weights and one request do not fit in {question.accelerator_count} × {question.accelerator.id}: "
            f"{missing / GIB:.1f} GiB are missing",
            pointer="/accelerator_count",
        )
    return found


def _short_of(d: Deployment, c: Constants, question: ThroughputQuestion) -> float:
    """Bytes that are missing on each accelerator for the weights and one request, 0 or less where they fit."""
    free = float(free_bytes_per_accelerator(d, c))
    if free <= 0:
        return -free
    context = question.isl_tokens + question.osl_tokens
    one = float(largest_batch_in_memory(d, c, context))
    return free * (1.0 / one - 1.0) if one < 1.0 else 0.0


def _assumed(question: ThroughputQuestion, weights: str, kv: str) -> Iterator[str]:
    chosen = weight_format(weights, question.accelerator)
    if not question.weight_precision:
        yield "weight precision not stated: bf16"
    if chosen.weight_only:
        yield f"{weights} weights with {chosen.arithmetic} arithmetic (weight-only quantization)"
    if not question.kv_precision:
        yield f"KV precision not stated: {kv}"
    if not question.engine_version:
        yield "engine version not stated"
    if question.speculation is not None:
        yield "speculative decoding by physics at the stated acceptance; no measurement states one"
    if question.accelerator.status == "announced":
        yield "the accelerator is announced: its figures are the vendor's"


def _check(question: ThroughputQuestion) -> None:
    if question.weight_precision is not None and question.weight_precision not in WEIGHT_BYTES:
        raise PermillionError(
            "invalid-fields", f"a weight precision is one of {', '.join(WEIGHT_BYTES)}", pointer="/weight_precision"
        )
    if not 1 <= question.accelerator_count <= MOST_ACCELERATORS:
        raise PermillionError(
            "invalid-fields", f"accelerators are 1 to {MOST_ACCELERATORS}", pointer="/accelerator_count"
        )
    for name, least, most in (
        ("isl_tokens", 1.0, 1e8),
        ("osl_tokens", 1.0, 1e8),
        ("concurrency", 0.0, 1e9),
        ("tpot_limit_ms", 0.0, 1e9),
        ("ttft_limit_ms", 0.0, 1e9),
        ("request_rate_per_s", 0.0, 1e9),
        ("max_batch", 0.0, 1e9),
    ):
        figure = getattr(question, name)
        if figure is not None and not (math.isfinite(figure) and least <= figure <= most and figure > 0):
            raise PermillionError("invalid-fields", f"{name} is a positive number up to {most:g}", pointer=f"/{name}")
    if not 0.0 <= question.cached_input_share < 1.0:
        raise PermillionError("invalid-fields", "a cached share is 0 to below 1", pointer="/cached_input_share")
    if question.speculation is not None:
        drafted, acceptance, draft_share = question.speculation
        if not (1 <= drafted <= 64 and 0.0 <= acceptance <= 1.0 and 0.0 <= draft_share <= 10.0):
            raise PermillionError(
                "invalid-fields",
                "drafted tokens are 1 to 64, an acceptance is 0 to 1, a draft share 0 to 10",
                pointer="/speculation",
            )
    shape = question.parallelism
    if shape is not None and min(shape.tensor, shape.pipeline, shape.expert) < 1:
        raise PermillionError("invalid-fields", "parallel factors are 1 or more", pointer="/parallelism")
    if shape is not None and question.accelerator_count % shape.accelerators:
        raise PermillionError(
            "invalid-fields",
            f"{question.accelerator_count} accelerators are no whole number of replicas of {shape.accelerators}",
            pointer="/parallelism",
        )
