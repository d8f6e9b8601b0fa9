from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from economics.errors import PermillionError
from hardware.architectures.architecture import TOKENIZERS, shipped_architecture, shipped_architectures
from hardware.architectures.counting import count_parameters
from tokenizers_registry.assignments import assign
from tokenizers_registry.registry import Registry


def test_every_architecture_names_its_tokenizer_or_says_why_not() -> None:
    known = Registry()
    for architecture in shipped_architectures().values():
        if architecture.tokenizer is None:
            assert architecture.tokenizer_gap, architecture.id
            assert architecture.tokenizer_source is None
        else:
            assert architecture.tokenizer in known, architecture.id
            assert architecture.tokenizer_source, architecture.id
            assert architecture.tokenizer_gap is None


def test_the_tokenizer_is_the_one_that_the_same_model_has_on_sale() -> None:
    with TOKENIZERS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["arch_key"] for row in rows] == list(shipped_architectures())
    checked = 0
    for row in rows:
        if row["as_in"]:
            provider, _, model = row["as_in"].partition("/")
            found = assign(provider, model)
            assert found is not None, row["as_in"]
            assert (found.tokenizer, found.method) == (row["tokenizer"], "exact"), row["as_in"]
            checked += 1
    assert checked > 45


def test_parameters_are_counted_as_they_are_published() -> None:
    """Within 0.3 %: what is left out are norms, biases, and an indexer of sparse attention."""
    counted = 0
    for model in shipped_architectures().values():
        if model.linear_layers or "compression" in model.attention:
            continue
        found = count_parameters(model)
        assert found.total == pytest.approx(model.total_params, rel=3e-3), model.id
        assert found.active == pytest.approx(model.active_params, rel=2.5e-2), model.id
        assert model.kv_elements_per_token in (None, found.kv_elements_per_token), model.id
        counted += 1
    assert counted > 45


def test_what_the_formulas_do_not_cover_is_said() -> None:
    llama, deepseek = shipped_architecture("llama-3.1-8b"), shipped_architecture("deepseek-v3")
    for model, pointer in (
        (shipped_architecture("qwen3-next-80b-a3b"), "/total_params"),
        (replace(llama, head_dim=None), "/head_dim"),
        (replace(llama, dense_intermediate=None), "/dense_intermediate"),
        (replace(deepseek, moe_intermediate=None), "/moe_intermediate"),
        (replace(deepseek, qk_rope_head_dim=None), "/qk_rope_head_dim"),
    ):
        with pytest.raises(PermillionError) as caught:
            count_parameters(model)
        assert caught.value.pointer == pointer
