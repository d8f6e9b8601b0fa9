"""Laws that hold whatever the constants are."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.accelerators.accelerator import shipped_accelerator
from hardware.architectures.architecture import shipped_architecture, shipped_architectures
from hardware.throughput.measurements.parallelism import parse_parallelism
from hardware.throughput.physics.arrivals import queue_seconds
from hardware.throughput.physics.constants import Constants
from hardware.throughput.physics.deployment import Deployment, deployment_of
from hardware.throughput.physics.model.experts import distinct_experts
from hardware.throughput.physics.model.parameters import parameters
from hardware.throughput.physics.serving import Load, Operation, operation
from hardware.throughput.trust.work import body_params

CONSTANTS = Constants()
ARCHITECTURES = st.sampled_from(
    ["llama-3.1-8b", "llama-3.3-70b", "deepseek-r1", "gpt-oss-120b", "qwen3-235b-a22b", "glm-5"]
)
ACCELERATORS = st.sampled_from(["h100-sxm", "b200-sxm", "mi300x", "l40s"])
SHAPES = st.sampled_from(["tp1", "tp4", "tp8", "tp8-ep8", "dep8", "tp8-pp2"])
STEADY = settings(deadline=None, derandomize=True, database=None)
"""Of these laws alone: a profile would stand for every test that is collected after them."""


def deployed(architecture: str, accelerator: str, shape: str) -> Deployment:
    stated = parse_parallelism(shape)
    assert stated is not None
    return deployment_of(shipped_architecture(architecture), shipped_accelerator(accelerator), "fp8", "fp8", stated)


def run(d: Deployment, clients: float, prompt: float, output: float) -> Operation:
    return operation(d, CONSTANTS, Load(clients, prompt, 0.0, output, 4096.0))


@STEADY
@given(
    ARCHITECTURES, ACCELERATORS, SHAPES, st.floats(1, 2000), st.floats(1.01, 4), st.floats(16, 2e4), st.floats(2, 5e3)
)
def test_more_in_flight_never_makes_one_user_faster(
    architecture: str, accelerator: str, shape: str, clients: float, more: float, prompt: float, output: float
) -> None:
    d = deployed(architecture, accelerator, shape)
    few, many = (run(d, each, prompt, output) for each in (clients, clients * more))
    assert float(many.tpot_s) >= float(few.tpot_s) * (1 - 1e-9)
    assert float(many.ttft_s) >= float(few.ttft_s) * (1 - 1e-9)


@STEADY
@given(
    ARCHITECTURES, ACCELERATORS, SHAPES, st.floats(1, 500), st.floats(16, 2e4), st.floats(1.05, 4), st.floats(2, 5e3)
)
def test_a_longer_prompt_takes_longer(
    architecture: str, accelerator: str, shape: str, clients: float, prompt: float, longer: float, output: float
) -> None:
    d = deployed(architecture, accelerator, shape)
    assert float(run(d, clients, prompt * longer, output).ttft_s) > float(run(d, clients, prompt, output).ttft_s)


@STEADY
@given(ARCHITECTURES, ACCELERATORS, SHAPES, st.floats(1, 5e3), st.floats(1, 1e5), st.floats(1, 1e5))
def test_everything_is_finite_and_positive(
    architecture: str, accelerator: str, shape: str, clients: float, prompt: float, output: float
) -> None:
    found = run(deployed(architecture, accelerator, shape), clients, prompt, output)
    for figure in (found.tpot_s, found.ttft_s, found.output_per_s, found.saturated_per_s, found.prefill_s):
        assert math.isfinite(float(figure))
        assert float(figure) > 0
    assert 0 < float(found.prefill_share) < 1


@STEADY
@given(st.floats(0.01, 0.99), st.floats(1e-3, 10))
def test_a_queue_grows_with_its_load_and_has_no_length_at_one(load: float, service: float) -> None:
    shorter, longer = (float(queue_seconds(each / service, service)) for each in (load * 0.9, load))
    assert 0 <= shorter < longer
    assert float(queue_seconds(1.001 / service, service)) == math.inf


@STEADY
@given(st.integers(1, 512), st.integers(1, 16), st.floats(1, 1e6))
def test_distinct_experts_lie_between_one_tokens_and_all(experts: int, per_token: int, tokens: float) -> None:
    per_token = min(per_token, experts)
    found = float(distinct_experts(float(experts), float(per_token), tokens))
    assert per_token <= found <= experts + 1e-9


def test_parameters_by_use_add_up_to_the_total() -> None:
    for architecture in shipped_architectures().values():
        split = parameters(architecture)
        routed = split.expert * architecture.routed_experts * split.expert_layers
        outside = split.head + (0 if architecture.tied_embeddings else split.embedding)
        total = split.attention + split.dense + routed + outside
        assert abs(total / architecture.total_params - 1) < 1e-3, architecture.id


def test_active_parameters_without_embedding_and_head_agree_with_the_published() -> None:
    # gpt-oss-120b: 5.71 B active with input embedding and head of 0.58 B each; 5.13 without the embedding.
    assert abs(body_params(shipped_architecture("gpt-oss-120b")) / 1e9 - (5.71 - 2 * 0.579)) < 0.02
    assert abs(body_params(shipped_architecture("llama-3.1-70b")) / 1e9 - (70.552 - 2 * 1.0507)) < 0.01
