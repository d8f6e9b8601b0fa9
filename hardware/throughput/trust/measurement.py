"""A measurement: a value, what was counted, and the 14 conditions without which it cannot be compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from hardware.accelerators.accelerator import Accelerator
from hardware.architectures.architecture import Architecture
from hardware.throughput.trust.factors import Factors

Counted = Literal["output", "input", "input_and_output"]
Scope = Literal["system", "accelerator", "prefill_pool_accelerator", "decode_pool_accelerator", "user"]
Window = Literal["wall_clock", "decode"]
ValueKind = Literal["mean", "peak", "best_of_n"]
Arrival = Literal["closed_loop", "poisson", "all_at_once"]
CountedBy = Literal["server_usage", "retokenized", "chunks"]
LengthKind = Literal["actual", "requested"]
TpotDefinition = Literal["after_first_token", "whole_latency"]
Prompts = Literal["distinct", "identical", "seeded_repeat"]
SourceKind = Literal["vendor", "auditor", "own", "third_party"]
QuotedFor = Literal["batch", "serving", "chat", "agent", "user_speed"]


@dataclass(frozen=True, slots=True)
class Conditions:
    """What must be stated (None: it is not). Numbers in brackets are those of `CONDITIONS`.

    Attributes:
        architecture, model_revision: (1).
        weight_precision, kv_precision: (2).
        accelerator, accelerator_count, power_cap_w: (3) of the whole system: all replicas, nodes and pools.
        nodes, accelerators_per_node, interconnect: (4).
        engine, engine_version: (5).
        factors, replicas: (6) the parallel factors of one replica, or of the pools.
        isl_tokens, input_lengths: (7) mean, and how they are distributed.
        osl_tokens, output_lengths, output_length_kind: (8) mean of the tokens really produced, end-of-sequence handling in words.
        arrival, concurrency, request_rate_per_s, requests, duration_s, warm_up: (9).
        tokens_counted_by, reasoning_tokens: (10) with what the value says of itself.
        tpot_definition: (11) with the latencies of the value.
        prefix_cache_hit_ratio, prompts: (12).
        speculative_decoding, acceptance_ratio: (13) `none`, or the method.
        source, source_kind, measured_on, command: (14).
    """

    architecture: Architecture | None = None
    model_revision: str | None = None
    weight_precision: str | None = None
    kv_precision: str | None = None
    accelerator: Accelerator | None = None
    accelerator_count: int | None = None
    power_cap_w: float | None = None
    nodes: int | None = None
    accelerators_per_node: int | None = None
    interconnect: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    factors: Factors | None = None
    replicas: int | None = None
    isl_tokens: float | None = None
    input_lengths: str | None = None
    osl_tokens: float | None = None
    output_lengths: str | None = None
    output_length_kind: LengthKind | None = None
    arrival: Arrival | None = None
    concurrency: float | None = None
    request_rate_per_s: float | None = None
    requests: int | None = None
    duration_s: float | None = None
    warm_up: str | None = None
    tokens_counted_by: CountedBy | None = None
    reasoning_tokens: str | None = None
    tpot_definition: TpotDefinition | None = None
    prefix_cache_hit_ratio: float | None = None
    prompts: Prompts | None = None
    speculative_decoding: str | None = None
    acceptance_ratio: float | None = None
    source: str | None = None
    source_kind: SourceKind | None = None
    measured_on: str | None = None
    command: str | None = None


class Percentiles(NamedTuple):
    """One latency in milliseconds: as stated without a statistic, the mean, the median, the 99th percentile."""

    central: float | None = None
    mean: float | None = None
    p50: float | None = None
    p99: float | None = None

    @property
    def typical(self) -> float | None:
        """The mean where it is known, else the median, else what was stated; never the 99th percentile."""
        return next((each for each in (self.mean, self.p50, self.central) if each is not None), None)


NOT_STATED: Final = Percentiles()


@dataclass(frozen=True, slots=True)
class Value:
    """What was measured, and what it counts.

    Attributes:
        tokens_per_s: None where only latencies were measured.
        per_accelerator: the figure per accelerator that was printed beside the system's, in the same definition.
        peak_tokens_per_s: of a short window, in the same definition.
        latency_ms: of a whole request, mean.
    """

    tokens_per_s: float | None
    counted: Counted = "output"
    scope: Scope = "system"
    window: Window | None = None
    kind: ValueKind = "mean"
    per_accelerator: float | None = None
    peak_tokens_per_s: float | None = None
    ttft: Percentiles = NOT_STATED
    tpot: Percentiles = NOT_STATED
    latency_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """What the figure was used to say, which may be more than it can bear.

    Attributes:
        quoted_for: the use it was quoted for.
        ttft_limit_ms: the limit that it is said to meet.
        prefill_accelerators_counted, cached_input_counted: whether the prefill pool is among the accelerators, and whether
            input from the prefix cache is among the tokens.
        peak_tflops_is_dense: False where the stated peak counts sparsity.
        compared_weight_precision, quality_stated: the other side of a comparison of formats, and whether quality was compared.
        cost_utilization_ratio, price_term, compared_price_term: what a cost made of the figure assumed.
    """

    quoted_for: QuotedFor | None = None
    ttft_limit_ms: float | None = None
    prefill_accelerators_counted: bool | None = None
    cached_input_counted: bool | None = None
    peak_tflops_is_dense: bool | None = None
    compared_weight_precision: str | None = None
    quality_stated: bool | None = None
    cost_utilization_ratio: float | None = None
    price_term: str | None = None
    compared_price_term: str | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value with its conditions.

    Attributes:
        peak_tflops, bandwidth_gb_per_s: stated by the caller, in place of the accelerator's.
    """

    value: Value
    conditions: Conditions
    claims: Claims = field(default_factory=Claims)
    peak_tflops: float | None = None
    bandwidth_gb_per_s: float | None = None

    @property
    def count_is_certain(self) -> bool:
        """Whether the parallel factors, where stated, say how many accelerators there are."""
        factors = self.conditions.factors
        return factors is None or factors.accelerators is not None

    @property
    def is_whole_system(self) -> bool:
        """Whether the figure is of all accelerators: not of one pool and not of one user."""
        return self.value.scope in ("system", "accelerator")

    @property
    def system_tokens_per_s(self) -> float | None:
        """Tokens of the kind counted per second of the whole system; None for a pool's or a user's figure.

        A figure per user is never multiplied by users: how many there were at that speed is not said.
        """
        value, count = self.value, self.conditions.accelerator_count
        if value.tokens_per_s is None or value.scope == "system":
            return value.tokens_per_s
        if value.scope == "accelerator" and count is not None:
            return value.tokens_per_s * count
        return None

    @property
    def output_tokens_per_s(self) -> float | None:
        """Output tokens per second of the whole system; input and output together are split by the mean lengths."""
        total = self.system_tokens_per_s
        return None if total is None else self._output_part(total)

    @property
    def output_tokens_per_s_per_accelerator(self) -> float | None:
        """Output tokens per second and accelerator of the whole system."""
        value, count = self.value, self.conditions.accelerator_count
        if value.tokens_per_s is None:
            return None
        if value.scope == "accelerator":
            return self._output_part(value.tokens_per_s)
        if value.scope == "system" and count is not None:
            return self._output_part(value.tokens_per_s / count)
        return None

    def _output_part(self, tokens_per_s: float) -> float | None:
        """Output of a figure: MLPerf counts it alone, InferenceX's `tput_per_gpu` adds the input."""
        conditions = self.conditions
        if self.value.counted == "output":
            return tokens_per_s
        if not conditions.osl_tokens or conditions.isl_tokens is None:
            return None
        if self.value.counted == "input":
            return tokens_per_s * conditions.osl_tokens / conditions.isl_tokens if conditions.isl_tokens else None
        return tokens_per_s * conditions.osl_tokens / (conditions.isl_tokens + conditions.osl_tokens)
