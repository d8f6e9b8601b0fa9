"""What an estimator of throughput is asked and what it answers: the interface of the plug-ins `permillion.throughput`.

Physics may be float here; it becomes Decimal where money starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from economics.errors import PermillionError
from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture

Method = Literal["measured", "anchored", "physics"]
Grade = Literal["A", "B", "C", "D", "F"]
Scenario = Literal["closed_loop", "poisson", "offline", "static_batch"]
Lengths = Literal["fixed", "varied"]

ENTRY_POINTS = "permillion.throughput"


@dataclass(frozen=True, slots=True)
class Parallelism:
    """How a replica is spread over accelerators; a replica has `tensor × pipeline` of them.

    Attributes:
        tensor: accelerators that share each layer (with `attention_data`: that split the sequences instead).
        pipeline: stages of layers.
        expert: accelerators of the same replica that share the experts; multiplies nothing.
        attention_data: attention runs data-parallel over the `tensor` accelerators; multiplies nothing.
        prefill_workers, prefill_accelerators, decode_workers, decode_accelerators: pools of disaggregated serving, workers and
            accelerators of each; 0 where serving is aggregated.
        text: as it was stated, e.g. `tp8-ep8-dpattn`.
    """

    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    attention_data: bool = False
    prefill_workers: int = 0
    prefill_accelerators: int = 0
    decode_workers: int = 0
    decode_accelerators: int = 0
    text: str = ""

    @property
    def disaggregated(self) -> bool:
        """Whether prefill and decode have pools of their own."""
        return self.decode_workers > 0

    @property
    def accelerators(self) -> int:
        """Accelerators of one replica, or of all pools: the product of the factors."""
        if self.disaggregated:
            pools = (
                (self.prefill_workers, self.prefill_accelerators),
                (self.decode_workers, self.decode_accelerators),
            )
            return sum(workers * each for workers, each in pools)
        return self.tensor * self.pipeline


@dataclass(frozen=True, slots=True)
class ThroughputQuestion:
    """One deployment under one load.

    Attributes:
        accelerator_count: of the whole system: all replicas, all nodes, all pools.
        nodes: machines of that system, None where unknown.
        weight_precision: `bf16 fp16 fp8 fp4 nvfp4 mxfp4 mxfp4w-fp8 int8 int4 uint4`, None: assumed and said.
        kv_precision: `fp8 bf16 fp16`, None: assumed and said.
        engine, engine_version: `trtllm`, `vllm`, `sglang`, `llama.cpp` …
        parallelism: None: the best feasible replica shape.
        isl_tokens, osl_tokens: mean input and output tokens of a request, as sent and produced.
        cached_input_share: share of input tokens that the prefix cache holds already, 0–1.
        concurrency: requests in flight on the whole system; None: found from limits, or the largest that memory allows.
        tpot_limit_ms, ttft_limit_ms: mean (p50) limits; `p99_limits` says that they are 99th percentiles.
        request_rate_per_s: Poisson arrivals at the whole system, for TTFT.
        max_batch: largest batch of the engine's configuration, per engine instance.
        scenario: arrival process.
        lengths: whether all requests are of one length (synthetic tests) or vary as in a data set; matters offline.
        speculation: (draft tokens, acceptance 0–1, draft time as a share of a target step), None for none.
    """

    architecture: Architecture
    accelerator: Accelerator
    accelerator_count: int
    isl_tokens: float
    osl_tokens: float
    weight_precision: str | None = None
    kv_precision: str | None = None
    engine: str = "vllm"
    engine_version: str = ""
    parallelism: Parallelism | None = None
    nodes: int | None = None
    cached_input_share: float = 0.0
    concurrency: float | None = None
    tpot_limit_ms: float | None = None
    ttft_limit_ms: float | None = None
    p99_limits: bool = False
    request_rate_per_s: float | None = None
    max_batch: int | None = None
    scenario: Scenario = "closed_loop"
    lengths: Lengths = "varied"
    speculation: tuple[int, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """An estimate with its 80 % band; `low` and `high` are null where the value is."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ThroughputEstimate:
    """What an estimator answers.

    Attributes:
        output_tokens_per_s: of the whole system.
        ttft_ms, tpot_ms: of the median request; None where the scenario has none (offline).
        concurrency: in flight on the whole system at this operating point.
        max_concurrency: most that memory holds.
        prefill_share: share of accelerator time spent on prefill, 0–1 (aggregated serving).
        prefill_s: accelerator-free duration of one prefill alone; `decode_step_s` of one decode step at that concurrency.
        replicas, accelerators_per_replica: the shape that was assumed or stated.
        bound_tokens_per_s_per_accelerator: strict physical bound of output tokens.
        method, grade: how it was found and what it may be used for.
        anchors: ids of the measured rows behind it.
        assumptions: what was not stated and has been assumed, in words.
        simple_formula_tokens_per_s: bandwidth ÷ (parameters × bytes) × batch: an explanation, never the estimate.
        concurrency_range: of the concurrency, where it was found from limits.
    """

    output_tokens_per_s: Range
    ttft_ms: Range | None
    tpot_ms: Range | None
    concurrency: float
    max_concurrency: float
    prefill_share: float
    prefill_s: float
    decode_step_s: float
    replicas: int
    accelerators_per_replica: int
    weight_precision: str
    kv_precision: str
    bound_tokens_per_s_per_accelerator: float | None
    method: Method
    grade: Grade
    anchors: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = field(default=())
    simple_formula_tokens_per_s: float | None = None
    concurrency_range: Range | None = None


@runtime_checkable
class ManyEstimator(Protocol):
    """A plug-in that estimates many questions faster than one after the other."""

    def estimate_many(self, questions: Sequence[ThroughputQuestion]) -> Sequence[ThroughputEstimate | PermillionError]:
        """The answers in the order of the questions; a refusal stands in its place."""


@runtime_checkable
class ThroughputEstimator(Protocol):
    """A plug-in that estimates."""

    @property
    def estimator(self) -> str:
        """Short name, e.g. `permillion` or `aiconfigurator`."""

    def estimate(self, question: ThroughputQuestion) -> ThroughputEstimate:
        """The answer.

        Raises:
            PermillionError: `infeasible` (with how much memory is missing, or that no batch meets the limit),
                `unsupported-format`, `invalid-field`.
        """
