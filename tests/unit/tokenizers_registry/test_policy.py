"""Literal text, the model's own normalization, whole pieces: one policy, family by family."""

import dataclasses
from functools import cache

import pytest

from economics.errors import PermillionError
from tokenizers_registry.boundary import Count, count_all, guarded
from tokenizers_registry.engines.tokenizer_json import literal_document
from tokenizers_registry.family_table import BUILT_IN
from tokenizers_registry.loading import load_counter

KNOWN = {family.tokenizer: family for family in BUILT_IN}
EXACT = [family.tokenizer for family in BUILT_IN if family.kind == "exact"]


@cache
def counter(tokenizer: str) -> Count:
    return load_counter(KNOWN[tokenizer])


@pytest.mark.parametrize("tokenizer", EXACT)
@pytest.mark.parametrize("lookalike", ["<|endoftext|>", "<think>", "<|plan|>", "<bos>", "[INST]", "<|im_start|>"])
def test_look_alikes_of_control_tokens_are_text(tokenizer: str, lookalike: str) -> None:
    assert counter(tokenizer)(lookalike) > 1


@pytest.mark.parametrize(
    ("tokenizer", "text", "expected"),
    [
        ("cl100k_base", "a <|endoftext|>", 7),
        # HTML pieces of Gemma 2 and 3 are part of the model; Gemma 4 reads them as text (note, trap 6.4).
        ("gemma2", "<table><tr><td>5</td></tr></table>", 7),
        ("gemma3", "<table><tr><td>5</td></tr></table>", 7),
        ("gemma4", "<table><tr><td>5</td></tr></table>", 15),
        # SentencePiece takes 31 blanks first; the JSON would say 4 (section 8, finding 3).
        ("gemma2", "a" + " " * 32 + "b", 3),
        # The rank file would say 1 (section 8, finding 2).
        ("qwen3_5", "\u52a0\u62ff\u5927", 3),
        # NFC first: bare engines say 27 (trap 6.3).
        ("qwen2_qwen3", "Cafe\u0301 re\u0301sume\u0301 nai\u0308ve A\u030angstro\u0308m n\u0303 (decomposed)", 18),
        ("minimax_m2", "Cafe\u0301 re\u0301sume\u0301 nai\u0308ve A\u030angstro\u0308m n\u0303 (decomposed)", 14),
        # mistral-common: 2, the blank in front included (section 8, finding 6).
        ("mistral_v3", "[REFERENCE_DOC_0]", 2),
        ("mistral_v3", "[REFERENCE_DOC_19]", 2),
    ],
)
def test_probes_of_the_note(tokenizer: str, text: str, expected: int) -> None:
    assert counter(tokenizer)(text) == expected


def test_gemma_2_does_not_know_the_list_tags_of_gemma_3() -> None:
    assert counter("gemma3")("<ul><li>") == 2
    assert counter("gemma2")("<ul><li>") > 2


def test_composed_and_decomposed_text_count_alike_where_the_model_normalizes() -> None:
    for tokenizer in ("qwen2_qwen3", "qwen3_5", "minimax_m2", "claude_legacy_v2"):
        assert counter(tokenizer)("Vie\u0302\u0323t Nam") == counter(tokenizer)("Vi\u1ec7t Nam"), tokenizer


def test_no_family_adds_a_token_in_front() -> None:
    assert {tokenizer: counter(tokenizer)("Hello") for tokenizer in EXACT} == dict.fromkeys(EXACT, 1)


@pytest.mark.parametrize(
    ("tokenizer", "engine"),
    [
        *((name, "tiktoken") for name in ("o200k_base", "cl100k_base", "qwen2_qwen3", "llama4")),
        *((name, "tokenizers") for name in ("deepseek_v4", "qwen3_5", "glm5", "minimax_m2")),
    ],
)
def test_a_core_installation_counts_alike_without_splintr(tokenizer: str, engine: str) -> None:
    family = dataclasses.replace(KNOWN[tokenizer], engines=(engine,))
    count = load_counter(family)  # proves the probes
    text = "It's  1,234.50 € — naïve 加拿大 <|endoftext|>\r\n\t\tनमस्ते  \n"
    assert count(text) == counter(tokenizer)(text)


def test_a_document_is_emptied_of_everything_that_is_not_model_or_normalizer() -> None:
    document = (
        '{"version": "1.0", "truncation": {"max_length": 10}, "padding": {"length": 10},\n'
        ' "added_tokens": [{"content": "]\\"post_processor\\":"}], "normalizer": null,\n'
        ' "post_processor": {"type": "TemplateProcessing"}, "model": {"vocab": {"padding": 1}}}'
    )
    assert literal_document(document) == (
        '{"version": "1.0", "truncation": null, "padding": null,\n'
        ' "added_tokens": [], "normalizer": null,\n'
        ' "post_processor": null, "model": {"vocab": {"padding": 1}}}'
    )


def test_a_panicking_engine_is_an_error_without_the_text() -> None:
    """tiktoken ends in a PanicException, a BaseException, on 1,000,000 blanks; nothing of the text may show."""
    tiktoken_only = dataclasses.replace(KNOWN["o200k_base"], engines=("tiktoken",))
    with pytest.raises(PermillionError) as caught:
        count_all("o200k_base", load_counter(tiktoken_only), ["canary" + " " * 1_000_000])
    assert caught.value.slug == "counting-failed"
    assert caught.value.detail == "counting with o200k_base failed (PanicException)"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("wish", [KeyboardInterrupt, SystemExit])
def test_a_wish_to_stop_passes_the_boundary(wish: type[BaseException]) -> None:
    def stop() -> None:
        raise wish

    with pytest.raises(wish):
        guarded(stop, "counting-failed", "counting")
