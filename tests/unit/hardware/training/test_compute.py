from __future__ import annotations

from decimal import Decimal

import pytest

from economics.money import exact
from hardware.architectures.architecture import shipped_architecture, shipped_architectures
from hardware.training.compute import TrainedModel, counts_attention, trained_model, training_compute
from hardware.training.run import energy_kwh, hours_at_speed, utilization, wall_clock


@pytest.mark.parametrize(
    ("architecture", "parameters", "basis"),
    [
        ("llama-3.1-8b", 8_030_000_000, "published total"),
        ("deepseek-v3", 37_000_000_000, "published active"),
        ("kimi-k3", 103_015_000_000, "computed active"),  # publishes no active count
    ],
)
def test_what_one_token_passes(architecture: str, parameters: int, basis: str) -> None:
    found = trained_model(shipped_architecture(architecture))
    assert (found.parameters, found.basis) == (exact(parameters), basis)


def test_every_architecture_can_be_trained() -> None:
    for architecture in shipped_architectures().values():
        assert exact(0) < trained_model(architecture).parameters
        assert trained_model(architecture).full_width >= 0


def test_latent_attention_has_its_own_widths() -> None:
    """DeepSeek-V3: 128 heads, 64 + 128 of queries and keys, 128 of values, 61 layers."""
    assert trained_model(shipped_architecture("deepseek-v3")).full_width == 61 * 128 * (192 + 128)


def test_recompute_runs_the_forward_pass_once_more() -> None:
    model, tokens = TrainedModel(exact(10), "stated"), exact(100)
    once, twice = training_compute(model, tokens, "none"), training_compute(model, tokens, "full")
    assert (once.executed, twice.executed) == (exact(6_000), exact(8_000))
    assert once.model == twice.model == exact(6_000)


def test_sliding_layers_see_their_window() -> None:
    model = TrainedModel(exact(1), "stated", 10, full_width=2, sliding_width=3, sliding_window=50)
    found = training_compute(model, exact(1), "none", 100, attention=True)
    assert found.attention == exact(6 * (2 * 100 + 3 * 50))
    assert training_compute(model, exact(1), "none", 20, attention=True).attention == exact(6 * 5 * 20)


def test_when_attention_is_counted() -> None:
    model = TrainedModel(exact(1), "stated", 10)
    assert [counts_attention(model, length, "auto") for length in (None, 60, 61)] == [False, False, True]
    assert counts_attention(model, 1, "include")
    assert not counts_attention(model, 10_000, "exclude")
    assert not counts_attention(TrainedModel(exact(1), "stated"), 10_000, "include")


def test_hours_energy_and_utilization_agree() -> None:
    compute = training_compute(TrainedModel(exact(10**9), "stated"), exact(10**9), "none")
    hours = hours_at_speed(compute, exact(10**14), exact(Decimal("0.5")))
    assert hours == exact(6 * 10**18) / exact(10**14 * 3_600) / Decimal("0.5")
    assert utilization(compute.executed, hours, exact(10**14)) == exact(Decimal("0.5"))
    assert wall_clock(hours, exact(10)).days * exact(240) == hours
    assert energy_kwh(exact(10), exact(700), exact(Decimal("1.1"))) == exact(Decimal("7.7"))
